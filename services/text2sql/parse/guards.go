package parse

import "slices"

// guard refuses a rule for what its parts are, not only for their symbols.
type guard func(kids []*edge) bool

// guards are tests on the parts of a rule, by the names that the grammar uses.
func guards() map[string]guard {
	return map[string]guard{
		"sharesColumn": func(kids []*edge) bool { return sharesAny(kids[0], kids[len(kids)-1]) },
		"sameColumn":   func(kids []*edge) bool { return sameValues(kids[0], kids[len(kids)-1]) },
		"apart":        func(kids []*edge) bool { return !overlap(kids[0], kids[len(kids)-1]) },
		"lastNumber": func(kids []*edge) bool {
			return isNumber(kids[len(kids)-1].head) && !slices.ContainsFunc(kids, multiplies)
		},
		"lastCounted":  func(kids []*edge) bool { return !isMeasureItem(kids[len(kids)-1].head) },
		"lastMeasured": func(kids []*edge) bool { return !anyMost(kids) || isMeasureItem(kids[len(kids)-1].head) },
		"most":         anyMost,
		"numbers":      allNumbers,
		"days":         allDated,
		"comparable":   comparable,
		"counting":     counting,
		"tight":        tight,
		"rowwise":      rowwise,
		"even":         even,
		"measured":     func(kids []*edge) bool { return isAmount(kids[len(kids)-1].head) },
		"unnamed":      unnamed,
		"kinds":        func(kids []*edge) bool { return !isMeasureItem(kids[len(kids)-1].head) },
		"yearOp":       func(kids []*edge) bool { return kids[0].head != nil && !kids[0].head.Is("cmp") },
	}
}

func sharesAny(a, b *edge) bool {
	if sharesColumn(a.head, b.head) || sharesColumn(b.head, a.head) {
		return true
	}
	// A quoted text that no sample holds fits any column.
	return b.head.Quoted && len(b.head.Values) == 0 || a.head.Quoted && len(a.head.Values) == 0
}

func sameValues(a, b *edge) bool {
	if a.head.Quoted && b.head.Quoted {
		return true
	}
	for _, x := range a.head.Values {
		for _, y := range b.head.Values {
			if x.Dim == y.Dim {
				return true
			}
		}
	}
	return false
}

// multiplies reports whether a number says how many times an amount is meant: "twice
// the cost" is no cost of 2.
func multiplies(k *edge) bool { return k.head != nil && multiples[lower(k.head)] != "" }

func overlap(a, b *edge) bool { return a.head == b.head }

func anyMost(kids []*edge) bool {
	for _, k := range kids {
		if k.rule < 0 && k.head.Is("super") && isMost(k.head.Text) {
			return true
		}
	}
	return false
}
