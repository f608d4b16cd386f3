package fixsql

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// sentence says in one sentence what a query answers: for whom the lines behind it are
// too many.
func (r reader) sentence(q *tree.Query, tables []catalog.Name) string {
	var names []string
	for _, t := range tables {
		names = append(names, code(t.Table))
	}
	sel := q.Outermost()
	if sel == nil {
		if len(names) == 0 {
			return ""
		}
		return r.say("says_set", map[string]string{"tables": list(r.language, names)}) + r.stop()
	}
	f := r.facts(q)
	text := r.subject(sel, f)
	part := func(key, arg string, items []string) {
		if len(items) > 0 {
			text += r.say(key, map[string]string{arg: list(r.language, items)})
		}
	}
	part("says_of", "tables", names)
	var filters []string
	for _, c := range tree.Conjuncts(sel.Where) { // those of subqueries are in the lines
		filters = append(filters, code(c.Span().Text()))
	}
	part("says_where", "filters", filters)
	part("says_having", "having", f.having)
	part("says_sorted", "keys", f.sorts)
	if f.limit != "" {
		text += r.say("says_limit", map[string]string{"n": f.limit})
	}
	return text + r.stop()
}

func (r reader) stop() string { return r.language.Pick(".", "。") }

// subject says what a SELECT shows, and for what.
func (r reader) subject(sel *tree.Select, f facts) string {
	grouped := sel.Groups()
	var what []string
	aggregates := false
	for _, item := range sel.Items {
		x, ok := item.(*tree.SelectExpr)
		if !ok {
			what = append(what, r.say("says_all", nil))
			continue
		}
		aggregates = aggregates || resolve.Aggregates(x.Expr)
		text := code(x.Expr.Span().Text())
		if slices.Contains(f.groups, text) {
			continue // said with the groups
		}
		what = append(what, r.worded(x.Expr))
	}
	args := map[string]string{"what": list(r.language, what), "groups": list(r.language, f.groups)}
	switch {
	case len(grouped) > 0 && len(what) > 0:
		return r.say("says_groups", args)
	case len(grouped) > 0:
		return r.say("says_distinct", map[string]string{"what": list(r.language, f.groups)})
	case sel.Quantifier == tree.QuantifierDistinct:
		return r.say("says_distinct", args)
	case aggregates:
		return r.say("says_total", args)
	}
	return r.say("says_rows", args)
}

// worded is an expression in words, where it is a common aggregate, else as it is written.
func (r reader) worded(x tree.Expr) string {
	c, ok := tree.Unparen(x).(*tree.Call)
	if !ok || c.Over != nil || c.Filter != nil || len(c.Args) > 1 {
		return code(x.Span().Text())
	}
	name := c.Name.Key()
	if name == "count" && len(c.Args) == 0 {
		return r.say("fn_count", nil)
	}
	if len(c.Args) != 1 {
		return code(x.Span().Text())
	}
	of := map[string]string{"x": code(c.Args[0].Span().Text())}
	switch distinct := c.Quantifier == tree.QuantifierDistinct; {
	case name == "count" && distinct:
		return r.say("fn_distinct", of)
	case name == "count":
		return r.say("fn_count_of", of)
	case slices.Contains([]string{"sum", "avg", "min", "max"}, name) && !distinct:
		return r.say("fn_"+name, of)
	}
	return code(x.Span().Text())
}
