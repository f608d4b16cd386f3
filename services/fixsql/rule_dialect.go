package fixsql

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
		origin := d.from[c.Start]
		line, column := d.original.Position(origin)
		d.changes = append(d.changes, change{
			edit: edit{text: c.After, class: c.Class, why: reasonOf(c.Rule), certainty: certaintyOf(c.Rule),
				args: map[string]string{"name": c.Name, "dialect": c.Dialect}},
			before: c.Before, line: line, column: column, offset: origin,
		})
	}
	from := make([]int, len(res.Text)+1)
	for i := range from {
		from[i] = d.from[min(res.Origin(i), len(d.text))]
	}
	d.text, d.from = res.Text, from
	return true
}

// reasonOf is the key of the sentence for a rule: its own, or that for all habits.
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
