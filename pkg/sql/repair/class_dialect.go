package repair

import (
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
)

// translate takes out the habits of other dialects, and slips of no dialect. It
// reports whether the text changed. What has no equivalent in Presto stays as it
// is: the check of the statement names it.
func (d *draft) translate(scope resolve.Scope) bool {
	res, err := trino.From(trino.DialectUnknown, d.text, trino.Options{Scope: scope, Repair: true, KeepGroups: true})
	if err != nil || res.Text == d.text {
		return false
	}
	for _, c := range res.Changes {
		d.note(edit{
			start: c.Start, end: c.End, text: c.After, class: reasonOf(c.Rule), code: c.Class, certainty: certaintyOf(c.Rule),
			args: map[string]string{"name": c.Name, "before": c.Before},
		})
	}
	from := make([]int, len(res.Text)+1)
	for i := range from {
		from[i] = d.from[min(res.Origin(i), len(d.text))]
	}
	d.text, d.from = res.Text, from
	return true
}

// reasonOf is the class of a rule of the translation: its own, or that for all habits.
func reasonOf(rule string) string {
	switch rule {
	case "quotes", "name_quotes":
		return "backtick"
	case "semicolon", "second_statement", "limit_offset", "comma", "interval", "alias", "compare", "cast", "condition", "date_arithmetic":
		return rule
	case "function":
		return "function"
	}
	return "habit"
}

// certaintyOf says how sure a rule is, from 0 to 1.
func certaintyOf(rule string) float64 {
	switch rule {
	case "second_statement":
		return 0.6
	case "compare", "cast", "condition", "date_arithmetic":
		return 0.8
	case "function", "comma", "operator", "alias":
		return 0.93
	}
	return 0.97
}
