package parse

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// calculated are the items of a rule's parts that are columns.
func calculated(kids []*edge) []*link.Item {
	var out []*link.Item
	for _, k := range kids {
		if k.rule >= 0 && k.head != nil && len(k.head.Columns) > 0 {
			out = append(out, k.head)
		}
	}
	return out
}

// allNumbers reports whether all columns of a rule may be numbers: what is
// calculated with.
func allNumbers(kids []*edge) bool {
	return !slices.ContainsFunc(calculated(kids), func(it *link.Item) bool {
		return !slices.ContainsFunc(it.Columns, func(c link.ColumnMatch) bool {
			return semantic.IsNumber(c.Dim.Type) && c.Dim.Role != semantic.RoleKey
		})
	})
}

// allDated reports whether all columns of a rule may hold days or times.
func allDated(kids []*edge) bool {
	return !slices.ContainsFunc(calculated(kids), func(it *link.Item) bool {
		return !slices.ContainsFunc(it.Columns, func(c link.ColumnMatch) bool { return daytext.Holds(c.Dim) })
	})
}

// comparable reports whether the columns of a rule can be compared by order.
func comparable(kids []*edge) bool {
	its := calculated(kids)
	return len(its) == 2 && its[0] != its[1] && yearly(its[0]) == yearly(its[1]) && (allNumbers(kids) || allDated(kids))
}

// counting reports whether what a rule counts, and over which groups, is said in so
// many words: "number of visits per vet", and not "amount of fees for different vets".
func counting(kids []*edge) bool {
	for _, k := range kids {
		if k.rule >= 0 {
			continue
		}
		words := strings.Fields(lower(k.head))
		if k.head.Is("count") && !slices.Contains(words, "number") && !slices.Contains(words, "count") {
			return false
		}
		if k.head.Is("group") && !slices.Contains(words, "per") && !slices.Contains(words, "each") && !slices.Contains(words, "every") {
			return false
		}
	}
	return true
}

// rowwise reports whether the last part of a rule calculates with rows: what has an
// aggregate inside takes no other.
func rowwise(kids []*edge) bool { return !gathers(kids[len(kids)-1]) }

// even reports whether both parts of arithmetic sum up rows, or neither does.
func even(kids []*edge) bool {
	var terms []bool
	for _, k := range kids {
		if k.rule >= 0 {
			terms = append(terms, gathers(k))
		}
	}
	return len(terms) != 2 || terms[0] == terms[1]
}

// gathers reports whether a word in a span sums up rows.
func gathers(e *edge) bool {
	if e.rule < 0 {
		return e.head.Is("agg") || e.head.Is("super") || e.head.Is("count") || e.head.Is("adjective")
	}
	return slices.ContainsFunc(e.kids[:], func(k *edge) bool { return k != nil && gathers(k) })
}

// unnamed reports whether the word for how long something lasts is no column itself.
func unnamed(kids []*edge) bool {
	var named func(e *edge) bool
	named = func(e *edge) bool {
		if e.rule < 0 {
			return e.head.Is("lasting") && len(e.head.Columns) > 0
		}
		return slices.ContainsFunc(e.kids[:], func(k *edge) bool { return k != nil && named(k) })
	}
	return !named(kids[len(kids)-1])
}

// tight reports whether nothing was passed over before the last part of a rule:
// columns of two sentences are not compared.
func tight(kids []*edge) bool {
	for _, k := range kids[:len(kids)-1] {
		if k.to-k.from > 1 {
			return false
		}
	}
	return true
}

// yearly reports whether a column is best taken for a year: no amount is compared
// with one.
func yearly(it *link.Item) bool {
	words := strings.Fields(strings.ToLower(it.Columns[0].Dim.Names.EN))
	return len(words) > 0 && slices.Contains(words, "year") && semantic.IsNumber(it.Columns[0].Dim.Type)
}
