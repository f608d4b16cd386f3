package catalog

import "strings"

// Spellings finds two of a column's values that differ by nothing but case and blanks, such as "Card" and
// "card ": the first two in their order. ok is false where no two do.
func Spellings(values []string) (a, b string, ok bool) {
	seen := make(map[string]string, len(values))
	for _, v := range values {
		folded := strings.ToLower(strings.Join(strings.Fields(v), " "))
		if other, known := seen[folded]; known && folded != "" && len(folded) > 1 {
			return other, v, true
		}
		seen[folded] = v
	}
	return "", "", false
}
