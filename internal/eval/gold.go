package eval

import (
	"regexp"
	"slices"
	"strings"
)

// maxGoldVariants bounds the readings of a gold text with many choices.
const maxGoldVariants = 64

var choice = regexp.MustCompile(`\{([^{}]*)\}`)

// goldVariants returns the queries that a gold text allows: parts divided by ";"
// are alternatives; {a, b} in a SELECT list stands for any of these columns, and
// more of them at once; {} in GROUP BY stands for the columns chosen.
func goldVariants(gold string) []string {
	var out []string
	for _, part := range strings.Split(gold, ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		out = append(out, expand(part)...)
	}
	return out
}

func expand(sql string) []string {
	m := choice.FindStringSubmatchIndex(sql)
	if m == nil {
		return []string{sql}
	}
	var columns []string
	for _, c := range strings.Split(sql[m[2]:m[3]], ",") {
		if c = strings.TrimSpace(c); c != "" {
			columns = append(columns, c)
		}
	}
	var out []string
	for _, set := range subsets(columns) {
		chosen := strings.Join(set, ", ")
		rest := strings.ReplaceAll(sql[m[1]:], "{}", chosen)
		out = append(out, expand(sql[:m[0]]+chosen+rest)...)
		if len(out) >= maxGoldVariants {
			break
		}
	}
	return out
}

// subsets returns the non-empty subsets, small ones first.
func subsets(list []string) [][]string {
	n := min(len(list), 4)
	var out [][]string
	for mask := 1; mask < 1<<n; mask++ {
		var set []string
		for i := range n {
			if mask&(1<<i) != 0 {
				set = append(set, list[i])
			}
		}
		out = append(out, set)
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(a) - len(b) })
	return out
}

// orders reports whether a query's outermost level has ORDER BY.
func orders(sql string) bool {
	depth := 0
	var quote byte
	upper := strings.ToUpper(sql)
	for i := 0; i < len(upper); i++ {
		c := upper[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && strings.HasPrefix(upper[i:], "ORDER BY"):
			return true
		}
	}
	return false
}
