package study

import (
	"strconv"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of the check of values.
const (
	maxUsual       = 50   // different values of a column that has a usual set
	maxValueChecks = 10   // columns of which the values are looked at
	maxUnusual     = 200  // values that are listed
	rareShare      = 0.01 // of the rows: rarer values are outside of the usual set
)

// firstDay is before the days that people record: earlier ones are slips or stand for
// "unknown".
const firstDay = "1900-01-01"

func derived(q *tree.Query, alias string) tree.Relation {
	return tree.Alias(&tree.Derived{Query: q}, alias)
}

// share is part / whole as a double; NULL of nothing.
func share(part, whole tree.Expr) tree.Expr {
	return tree.Op(tree.OpDiv, tree.CastTo(part, "double"), tree.Fn("nullif", whole, tree.Int(0)))
}

// countIf counts the rows for which a condition holds: 0 where there are none.
func countIf(cond tree.Expr) tree.Expr {
	one := &tree.Case{Whens: []*tree.When{{Cond: cond, Result: tree.Int(1)}}}
	return tree.Fn("count", one)
}

// rows counts rows, keys, and rows beyond the first of each key.
func (w *work) rows() (*tree.Query, error) {
	key := w.key()
	if len(key) > 0 {
		w.take("by_key", "columns", w.names(key))
	} else {
		key = w.columns(func(catalog.Column) bool { return true })
		w.take("by_row")
	}
	inner := &tree.Select{From: w.from()}
	var by []tree.Expr
	var missing tree.Expr
	for i, c := range key {
		name := "k" + strconv.Itoa(i+1)
		inner.Items = append(inner.Items, tree.Item(tree.Col(c.Name), name))
		by = append(by, tree.Col(c.Name))
		missing = tree.Or(missing, &tree.IsNull{X: tree.Col(name)})
	}
	inner.Items = append(inner.Items, tree.Item(tree.CountStar(), "n"))
	inner.GroupBy = tree.GroupOn(by...)
	n, zero := tree.Col("n"), tree.Int(0)
	when := func(cond, x tree.Expr) tree.Expr {
		return tree.Fn("coalesce", tree.Fn("sum", &tree.Case{Whens: []*tree.When{{Cond: cond, Result: x}}}), zero)
	}
	whole := len(w.key()) == 0
	items := []tree.SelectItem{
		tree.Item(tree.Fn("coalesce", tree.Fn("sum", n), zero), "rows"), tree.Item(tree.CountStar(), "distinct_keys"),
	}
	has := tree.Op(tree.OpGt, n, tree.Int(1))
	if !whole { // a row without a key is no copy of another one
		items[1] = tree.Item(tree.Fn("count", &tree.Case{Whens: []*tree.When{{Cond: &tree.Not{X: paren(missing)}, Result: tree.Int(1)}}}), "distinct_keys")
		items = append(items, tree.Item(when(missing, n), "rows_without_key"))
		has = tree.Op(tree.OpAnd, has, &tree.Not{X: paren(missing)})
		w.label("rows", "distinct_keys", "rows_without_key", "surplus_rows")
	} else {
		w.labels = []Label{{Column: "distinct_keys", Label: w.planner.say(w.in.Language, "column_distinct_rows")}}
		w.label("rows", "surplus_rows")
	}
	items = append(items, tree.Item(when(has, tree.Op(tree.OpSub, n, tree.Int(1))), "surplus_rows"))
	return tree.QueryOf(&tree.Select{Items: items, From: []tree.Relation{derived(tree.QueryOf(inner), "by_key")}}), nil
}

func paren(x tree.Expr) tree.Expr { return &tree.Paren{X: x} }

// measure is an aggregate of each column that is looked at.
type measure struct {
	name string
	of   func(c catalog.Column) tree.Expr
}

// perColumn writes aggregates of several columns as a row a column, in one pass over the
// table. The aggregates of one measure have one type.
func (w *work) perColumn(columns []catalog.Column, measures []measure) *tree.Query {
	inner := &tree.Select{From: w.from(), Items: []tree.SelectItem{tree.Item(tree.CountStar(), "rows")}}
	names := &tree.Values{}
	picks := make([]*tree.Case, len(measures))
	for i := range picks {
		picks[i] = &tree.Case{Operand: tree.Col("place")}
	}
	for i, c := range columns {
		place := int64(i + 1)
		names.Rows = append(names.Rows, &tree.Row{Items: []tree.Expr{tree.Int(place), tree.Str(c.Name)}})
		for j, m := range measures {
			name := m.name + "_" + strconv.Itoa(i+1)
			inner.Items = append(inner.Items, tree.Item(m.of(c), name))
			picks[j].Whens = append(picks[j].Whens, &tree.When{Cond: tree.Int(place), Result: tree.Col(name)})
		}
	}
	outer := &tree.Select{
		Items: []tree.SelectItem{tree.Item(tree.Col("place"), ""), tree.Item(tree.Col("column_name"), ""), tree.Item(tree.Col("rows"), "")},
		From: []tree.Relation{&tree.Join{
			Kind: tree.JoinCross, Left: derived(tree.QueryOf(inner), "whole"),
			Right: tree.Alias(&tree.Derived{Query: tree.QueryOf(names)}, "listed", "place", "column_name"),
		}},
	}
	for j, m := range measures {
		outer.Items = append(outer.Items, tree.Item(picks[j], m.name))
	}
	return tree.QueryOf(outer)
}

// listed orders the rows of perColumn by how the table stores the columns.
func (w *work) listed(q *tree.Query, items ...tree.SelectItem) *tree.Query {
	out := tree.QueryOf(&tree.Select{
		Items: append([]tree.SelectItem{tree.Item(tree.Col("column_name"), "")}, items...), From: []tree.Relation{derived(q, "by_column")},
	})
	out.OrderBy = []*tree.SortItem{tree.By(tree.Col("place"), false)}
	return out
}

func plain(names ...string) []tree.SelectItem {
	var items []tree.SelectItem
	for _, n := range names {
		items = append(items, tree.Item(tree.Col(n), ""))
	}
	return items
}

func (w *work) nulls() (*tree.Query, error) {
	columns := w.columns(func(catalog.Column) bool { return true })
	q := w.perColumn(columns, []measure{
		{"nulls", func(c catalog.Column) tree.Expr {
			return tree.Op(tree.OpSub, tree.CountStar(), tree.Fn("count", tree.Col(c.Name)))
		}},
		{"blanks", func(c catalog.Column) tree.Expr {
			if !semantic.IsText(c.Type) {
				return tree.CastTo(tree.Int(0), "bigint")
			}
			return countIf(tree.Op(tree.OpEq, tree.Fn("trim", tree.Col(c.Name)), tree.Str("")))
		}},
	})
	w.label("column_name", "nulls", "blanks", "missing_share")
	missing := share(paren(tree.Op(tree.OpAdd, tree.Col("nulls"), tree.Col("blanks"))), tree.Col("rows"))
	return w.listed(q, append(plain("nulls", "blanks"), tree.Item(missing, "missing_share"))...), nil
}

func (w *work) ranges() (*tree.Query, error) {
	own := w.key()
	columns := w.columns(func(c catalog.Column) bool {
		return semantic.IsNumber(c.Type) && c.Personal == nil && !(len(own) == 1 && own[0].Name == c.Name)
	})
	if len(columns) == 0 {
		return nil, w.cannot("no_numbers")
	}
	number := func(fn string) func(catalog.Column) tree.Expr {
		return func(c catalog.Column) tree.Expr { return tree.CastTo(tree.Fn(fn, tree.Col(c.Name)), "double") }
	}
	count := func(op string) func(catalog.Column) tree.Expr {
		return func(c catalog.Column) tree.Expr { return countIf(tree.Op(op, tree.Col(c.Name), tree.Int(0))) }
	}
	q := w.perColumn(columns, []measure{
		{"least", number("min")}, {"greatest", number("max")}, {"mean", number("avg")}, {"negatives", count(tree.OpLt)}, {"zeros", count(tree.OpEq)},
	})
	w.label("column_name", "least", "greatest", "mean", "negatives", "zeros")
	return w.listed(q, plain("least", "greatest", "mean", "negatives", "zeros")...), nil
}

func asDay(name string) tree.Expr { return tree.CastTo(tree.Col(name), "date") }

func (w *work) dates() (*tree.Query, error) {
	columns := w.columns(isMoment)
	if len(columns) == 0 {
		return nil, w.cannot("no_days")
	}
	day := func(fn string) func(catalog.Column) tree.Expr {
		return func(c catalog.Column) tree.Expr { return tree.Fn(fn, asDay(c.Name)) }
	}
	q := w.perColumn(columns, []measure{
		{"earliest", day("min")}, {"latest", day("max")},
		{"in_future", func(c catalog.Column) tree.Expr { return countIf(tree.Op(tree.OpGt, asDay(c.Name), w.today())) }},
		{"too_early", func(c catalog.Column) tree.Expr {
			return countIf(tree.Op(tree.OpLt, asDay(c.Name), tree.TypedLit("date", firstDay)))
		}},
	})
	w.label("column_name", "earliest", "latest", "in_future", "too_early")
	return w.listed(q, plain("earliest", "latest", "in_future", "too_early")...), nil
}

func (w *work) freshness() (*tree.Query, error) {
	c, ok := w.day()
	if !ok {
		return nil, w.cannot("no_days")
	}
	w.take("dated_by", "column", c.Name)
	past := &tree.Case{Whens: []*tree.When{{Cond: tree.Op(tree.OpLe, asDay(c.Name), w.today()), Result: asDay(c.Name)}}}
	inner := &tree.Select{Items: []tree.SelectItem{tree.Item(tree.Fn("max", past), "latest")}, From: w.from()}
	w.label("latest", "days_behind")
	return tree.QueryOf(&tree.Select{
		Items: []tree.SelectItem{tree.Item(tree.Col("latest"), ""), tree.Item(tree.Fn("date_diff", tree.Str("day"), tree.Col("latest"), w.today()), "days_behind")},
		From:  []tree.Relation{derived(tree.QueryOf(inner), "newest")},
	}), nil
}

// values lists what is outside of the usual set of a column of few values: what is rare,
// and other spellings of what is common.
func (w *work) values() (*tree.Query, error) {
	columns := w.columns(func(c catalog.Column) bool {
		return semantic.IsText(c.Type) && c.Personal == nil && c.Distinct > 1 && c.Distinct <= maxUsual
	})
	if len(columns) == 0 {
		return nil, w.cannot("no_sets", "n", strconv.Itoa(maxUsual))
	}
	if len(columns) > maxValueChecks {
		columns = columns[:maxValueChecks]
		w.take("columns_cut", "last", columns[maxValueChecks-1].Name)
	}
	w.take("looked_at", "columns", w.names(columns))
	window := func(by []tree.Expr, order ...*tree.SortItem) *tree.Over {
		return &tree.Over{Spec: &tree.Window{PartitionBy: by, OrderBy: order}}
	}
	var union tree.QueryBody
	for _, c := range columns {
		inner := &tree.Select{
			Items: []tree.SelectItem{tree.Item(tree.CastTo(tree.Col(c.Name), "varchar"), "value"), tree.Item(tree.CountStar(), "rows")},
			From:  w.from(), Where: &tree.IsNull{X: tree.Col(c.Name), Not: true}, GroupBy: tree.GroupOn(tree.Col(c.Name)),
		}
		total := tree.Fn("sum", tree.Col("rows"))
		total.Over = window(nil)
		usual := tree.Fn("first_value", tree.Col("value"))
		usual.Over = window([]tree.Expr{tree.Fn("lower", tree.Fn("trim", tree.Col("value")))}, tree.By(tree.Col("rows"), true), tree.By(tree.Col("value"), false))
		one := &tree.Select{
			Items: []tree.SelectItem{
				tree.Item(tree.Str(c.Name), "column_name"), tree.Item(tree.Col("value"), ""), tree.Item(tree.Col("rows"), ""),
				tree.Item(share(tree.Col("rows"), total), "share"), tree.Item(usual, "usual_spelling"),
			},
			From: []tree.Relation{derived(tree.QueryOf(inner), "counted")},
		}
		if union == nil {
			union = one
			continue
		}
		union = &tree.SetOp{Op: "UNION", Quantifier: tree.QuantifierAll, Left: union, Right: one}
	}
	outer := &tree.Select{
		Items: plain("column_name", "value", "rows", "share", "usual_spelling"),
		From:  []tree.Relation{derived(tree.QueryOf(union), "spelled")},
		Where: tree.Or(tree.Op(tree.OpLt, tree.Col("share"), tree.Float(rareShare)), tree.Op(tree.OpNe, tree.Col("value"), tree.Col("usual_spelling"))),
	}
	q := tree.QueryOf(outer)
	q.OrderBy = []*tree.SortItem{tree.By(tree.Col("rows"), false), tree.By(tree.Col("column_name"), false), tree.By(tree.Col("value"), false)}
	q.Limit = tree.LimitTo(maxUnusual)
	w.label("column_name", "value", "rows", "share", "usual_spelling")
	return q, nil
}
