package repair

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// translate takes out the habits of other dialects, and slips of no dialect. It
// reports whether the text changed. What has no equivalent in Presto stays as it
// is: the check of the statement names it. Where the text could be read, now says what is
// wrong with it: nothing else may be changed then, as it may be meant. now is nil for what
// cannot be read, or has nothing wrong.
func (d *draft) translate(now *reading) bool {
	if openQuote(d.text) >= 0 {
		return false // what stands behind it would be read as a text
	}
	var scope resolve.Scope
	var wrong []resolve.Diagnostic
	if now != nil {
		scope, wrong = now.scope, now.diagnostics
	}
	res, err := trino.From(trino.DialectUnknown, d.text, trino.Options{Scope: scope, Repair: true, KeepGroups: true, TextOnly: true})
	if err != nil || res.Text == d.text {
		return false
	}
	if len(wrong) > 0 && slices.ContainsFunc(res.Changes, func(c trino.Change) bool { return !touches(c, wrong) }) {
		return false
	}
	for _, c := range res.Changes {
		d.note(edit{
			start: c.Start, end: c.End, text: c.After, class: reasonOf(c.Rule), code: c.Class, certainty: certaintyOf(c, now),
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

// touches reports whether a change is about something that is wrong.
func touches(c trino.Change, wrong []resolve.Diagnostic) bool {
	return slices.ContainsFunc(wrong, func(d resolve.Diagnostic) bool {
		span := d.Node.Span()
		return c.Start < span.End && span.Start < c.End
	})
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

// readsOneWay reports whether what stands at a place is an integer, a date or a truth
// value: it is written as a text in one way, and every such value can be. In a comparison
// the other side may be what is wrong.
func (now *reading) readsOneWay(start, end int) bool {
	if now == nil {
		return false
	}
	found, compared := false, false
	tree.Walk(now.stmt, func(n tree.Node) bool {
		if x, ok := n.(tree.Expr); ok && x.Span().Start == start && x.Span().End == end {
			t := now.resolution.TypeOf(x)
			found = found || t.IsInteger() || t.Base == "date" || t.Base == "boolean"
		}
		if b, ok := n.(*tree.Binary); ok && isComparison(b.Op) {
			for _, side := range []tree.Expr{b.Left, b.Right} {
				compared = compared || side.Span().Start == start && side.Span().End == end
			}
		}
		return true
	})
	return found && !compared
}

func isComparison(op string) bool {
	return slices.Contains([]string{tree.OpEq, tree.OpNe, tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe}, op)
}

// certaintyOf says how sure a change is, from 0 to 1. A text that is compared with a date
// can only be that date; other conversions may fail, or be meant the other way round.
func certaintyOf(c trino.Change, now *reading) float64 {
	switch c.Rule {
	case "second_statement":
		return 0.6
	case "compare", "cast":
		if strings.HasPrefix(c.After, "DATE '") || strings.HasPrefix(c.After, "TIMESTAMP '") {
			return 0.95
		}
		if c.Rule == "cast" && strings.HasSuffix(c.After, " AS varchar)") && now.readsOneWay(c.Start, c.End) {
			return 0.93
		}
		return 0.8
	case "condition", "date_arithmetic":
		return 0.8
	case "comma":
		return 0.85 // what the comma was for may be missing behind it
	case "function", "operator", "alias":
		return 0.93
	}
	return 0.97
}
