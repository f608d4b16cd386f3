package result

import (
	"strings"
	"unicode/utf8"
)

// Numbers beside each other in one sentence have the same decimals: "12.3% against 9.0%". What
// stands beside a number is known when the sentence is whole, so InGroup puts a mark behind its
// digits that names its group, and Alike takes the marks out again.
const (
	mark = '\uFDD0' // no character: Unicode keeps it for the inside of programs
	// Percentages is the group of all percentages of a sentence.
	Percentages = '\U000FFFFD'
	columnGroup = '\U000F0000'
	// mostAlike is the most decimals that numbers have for the sake of those beside them.
	mostAlike = 2
)

// ColumnGroup is the group of the numbers of a column, by its place from 0.
func ColumnGroup(column int) rune { return columnGroup + rune(column)%(Percentages-columnGroup) }

// InGroup marks a number, which may have a sign before it and a unit behind it, as one of a
// group. Nothing, what is too small for so few decimals, and percentages that are too large
// for any are written as they are.
func InGroup(text string, group rune) string {
	digits := strings.TrimLeft(text, "+-−")
	number := digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789.,"))]
	rest := digits[len(number):]
	_, decimals, _ := strings.Cut(number, ".")
	percent := group == Percentages
	if strings.Trim(number, "0.") == "" || strings.HasPrefix(rest, "e") || len(decimals) > mostAlike || percent && (len(decimals) > 1 || strings.Contains(number, ",")) {
		return text
	}
	return text[:len(text)-len(rest)] + string(mark) + string(group) + rest
}

// Alike gives the numbers of each group in a text the decimals of the one that has most of them.
func Alike(text string) string { return AlikeIn(text)[0] }

// AlikeIn is Alike of texts that stand beside each other.
func AlikeIn(texts ...string) []string {
	most := map[rune]int{}
	for _, text := range texts {
		parts := strings.Split(text, string(mark)) // each but the first begins with the group of the number before
		for i, part := range parts[1:] {
			group, _ := utf8.DecodeRuneInString(part)
			most[group] = max(most[group], decimalsAtEnd(parts[i]))
		}
	}
	var out []string
	for _, text := range texts {
		parts := strings.Split(text, string(mark))
		var b strings.Builder
		b.WriteString(parts[0])
		for i, part := range parts[1:] {
			group, size := utf8.DecodeRuneInString(part)
			b.WriteString(missing(parts[i], most[group]))
			b.WriteString(part[size:])
		}
		out = append(out, b.String())
	}
	return out
}

// missing is what the number that a text ends with needs behind it to have so many decimals.
func missing(text string, decimals int) string {
	has := decimalsAtEnd(text)
	zeros := strings.Repeat("0", decimals-has)
	if has == 0 && decimals > 0 {
		return "." + zeros
	}
	return zeros
}

// decimalsAtEnd is how many digits after the point the number has that a text ends with.
func decimalsAtEnd(text string) int {
	n := len(text) - len(strings.TrimRight(text, "0123456789"))
	if n < len(text) && text[len(text)-1-n] == '.' {
		return n
	}
	return 0
}

// longestAlike is the most decimals that the numbers of a table's column have for the sake of
// each other.
const longestAlike = 4

// AlikeColumn gives the numbers of a column of a table, one below the other, the decimals of the
// one that has most, so that their points are in one line: "9.47%" and "8.30%". What is no plain
// number, or has more than four decimals by itself, is left as it is. It changes the cells.
func AlikeColumn(cells []*string) {
	most := 0
	ends := make([]int, len(cells)) // behind the digits; 0: no plain number
	for i, cell := range cells {
		text := *cell
		unsigned := strings.TrimLeft(text, "+-")
		digits := len(text) - len(strings.TrimLeft(unsigned, "0123456789.,"))
		if rest := text[digits:]; rest != "" && rest != UnitPercent && rest != " "+UnitPoints {
			continue
		}
		if decimals := decimalsAtEnd(text[:digits]); digits > len(text)-len(unsigned) && decimals <= longestAlike {
			ends[i], most = digits, max(most, decimals)
		}
	}
	for i, end := range ends {
		if text := *cells[i]; end > 0 {
			*cells[i] = text[:end] + missing(text[:end], most) + text[end:]
		}
	}
}
