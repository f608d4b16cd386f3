package metric

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Columns of the statements of a change, in the contract's order (ChangeRole).
const (
	wholeColumn  = "whole"
	periodColumn = "period"
	valueColumn  = "value"
	baseColumn   = "base"
	daysColumn   = "days"
	dayColumn    = "day"
)

// Several is the value of a dimension of a thing that has more than one, as the contract
// says at ChangeRole.
const Several = "(several)"

// Names of the two periods in the column of periods.
const (
	beforePeriod = "before"
	afterPeriod  = "after"
)

// changeWriter writes one statement of a change. Its rows come from an inner selection
// that computes periods, days and dimensions, because GROUPING SETS take columns only.
type changeWriter struct {
	*writer

	inner  *tree.Select
	middle *tree.Select      // rows of things over inner; nil: there are none
	thing  tree.Expr         // what a distinct count counts, a column of inner; nil: the metric is none
	shares *sharesOfThings   // what each thing adds to a ratio; nil: the metric is none over things
	names  map[string]string // column of a table as printed -> its name outside
	before Range
	after  Range
}

// Range is a half-open range of days, as an intent has them.
type Range struct{ From, To string }

// Periods are the two periods of an intent that is compared.
func Periods(t *intent.Time) (before, after Range) {
	after = Range{t.From, t.To}
	before.From, before.To = Before(&intent.Time{From: t.From, To: t.To, Compare: t.Compare})
	return before, after
}

func (p *changePlanner) writer(c Choice, in *intent.Intent) (*changeWriter, error) {
	w := &writer{layer: p.layer, in: in, c: c, sources: map[string]*source{}}
	if err := w.find(p.tables); err != nil {
		return nil, err
	}
	out := &changeWriter{writer: w, inner: &tree.Select{}, names: map[string]string{}}
	out.before, out.after = Periods(p.in.Time)
	return out, nil
}

// cells writes both periods as a whole and, in the same statement, by the cells of all
// dimensions together.
func (p *changePlanner) cells(c Choice, dims []semantic.Dimension, outputs []intent.Output) (Written, Adds, error) {
	w, err := p.writer(c, p.block(outputs, dims))
	if err != nil {
		return Written{}, AddsNot, err
	}
	value, base, adds, err := w.figures()
	if err != nil {
		return Written{}, AddsNot, err
	}
	t, typ, err := w.timeColumn()
	if err != nil {
		return Written{}, AddsNot, err
	}
	w.compute(w.periodOf(t), periodColumn)
	w.compute(dayOf(t, typ), dayColumn)
	names := []string{periodColumn}
	for _, d := range dims {
		x, ok, err := w.dimension(Base(d.ID))
		if err != nil {
			return Written{}, AddsNot, err
		}
		if !ok {
			return Written{}, AddsNot, &Problem{Code: "NO_DIMENSION", What: []string{d.ID}}
		}
		names = append(names, w.compute(x, dimensionColumn(d.ID)))
	}
	sel := &tree.Select{Items: []tree.SelectItem{
		tree.Item(whole(names[1:]), wholeColumn), tree.Item(tree.Col(periodColumn), ""), tree.Item(value, valueColumn),
		tree.Item(base, baseColumn), tree.Item(tree.FnDistinct("count", tree.Col(dayColumn)), daysColumn),
	}}
	for _, name := range names[1:] {
		sel.Items = append(sel.Items, tree.Item(tree.Col(name), ""))
	}
	sel.GroupBy = groupingSets(names)
	if w.thing != nil && len(dims) > 0 {
		w.ofThings(sel, names)
	}
	out, err := w.around(sel, w.during(t, w.before, w.after))
	if err != nil {
		return out, adds, err
	}
	q := tree.QueryOf(sel) // the wholes and the largest cells come first, should the guard cut them
	q.OrderBy = []*tree.SortItem{tree.By(tree.Col(wholeColumn), true), tree.By(tree.Fn("abs", tree.Col(valueColumn)), true)}
	q.Limit = tree.LimitTo(2 * (p.limits.Cells + 1))
	out.Statement = tree.StatementOf(q)
	return out, adds, nil
}

// sharesOfThings are what each thing adds to both sides of a ratio.
type sharesOfThings struct {
	items       []tree.SelectItem // by thing
	value, base tree.Expr         // over items
}

// overThings tells how the sides of a ratio are summed over things, where one of them
// counts different things: a rate of orders over the rows of their items is that of the orders.
// Where they count things of two kinds, or hold what is no sum over things, it is left as it is.
func (w *changeWriter) overThings(value, base tree.Expr) {
	thing := thingOf(value, base)
	if thing == nil {
		return
	}
	var s sharesOfThings
	var ok, also bool
	s.value, ok = s.sums(value)
	s.base, also = s.sums(base)
	if ok && also {
		w.thing, w.shares = thing, &s
	}
}

// sums writes an expression over aggregates as one over the sums of what each thing adds
// to them; false where one of them is no sum over things.
func (s *sharesOfThings) sums(x tree.Expr) (tree.Expr, bool) {
	sums := true
	out, err := tree.Rewrite(x, func(n tree.Node) tree.Node {
		c, ok := n.(*tree.Call)
		if !ok || !aggregated(c) {
			return n
		}
		var share tree.Expr = c
		thing, conds := thingIn(c)
		switch {
		case c.Over != nil:
			sums = false
		case thing != nil:
			counts := tree.And(append(conds, &tree.IsNull{X: thing, Not: true})...)
			share = tree.Fn("max", &tree.Case{Whens: []*tree.When{{Cond: counts, Result: tree.Int(1)}}, Else: tree.Int(0)})
		case c.Quantifier == tree.QuantifierDistinct, !isCall(c, "sum") && !isCall(c, "count") && !isCall(c, "count_if"):
			sums = false
		}
		name := fmt.Sprintf("share_%d", len(s.items)+1)
		s.items = append(s.items, tree.Item(share, name))
		return tree.Fn("sum", tree.Col(name))
	})
	return out, sums && err == nil
}

// thingOf is the one column whose different values expressions count; nil where they count
// none, or those of two columns.
func thingOf(xs ...tree.Expr) tree.Expr {
	var thing tree.Expr
	one := true
	for _, x := range xs {
		tree.Walk(x, func(n tree.Node) bool {
			if c, ok := n.(*tree.Call); ok && distinct(c) && aggregated(c) {
				of, _ := thingIn(c)
				one = one && of != nil && (thing == nil || printed(of) == printed(thing))
				thing = of
				return false
			}
			return one
		})
	}
	if !one {
		return nil
	}
	return thing
}

// thingIn is the column whose different values an aggregate counts, and under which
// conditions: count(DISTINCT order_id), count(DISTINCT CASE WHEN late THEN order_id END), either
// with a FILTER; nil where it is none of them.
func thingIn(c *tree.Call) (thing tree.Expr, conds []tree.Expr) {
	if !isCall(c, "count") || c.Quantifier != tree.QuantifierDistinct || len(c.Args) != 1 || c.Over != nil {
		return nil, nil
	}
	if c.Filter != nil {
		conds = append(conds, c.Filter)
	}
	x := bareOf(c.Args[0])
	switch n := x.(type) {
	case *tree.Case:
		if n.Operand != nil || len(n.Whens) != 1 || n.Else != nil {
			return nil, nil
		}
		conds, x = append(conds, n.Whens[0].Cond), bareOf(n.Whens[0].Result)
	case *tree.Call:
		if isCall(n, "if") && len(n.Args) == 2 {
			conds, x = append(conds, n.Args[0]), bareOf(n.Args[1])
		}
	}
	if col, is := x.(*tree.ColumnRef); is {
		return col, conds
	}
	return nil, nil
}

// ofThings counts things by the one value that each has of a dimension over a period, so
// that cells add up: a thing with more than one is told apart as Several, and how many
// there are of these stands in a column more for each dimension.
func (w *changeWriter) ofThings(sel *tree.Select, names []string) {
	const one = "several_"
	w.middle = &tree.Select{
		Items:   []tree.SelectItem{tree.Item(tree.Col(periodColumn), "")},
		GroupBy: tree.GroupOn(tree.Col(periodColumn), w.thing),
	}
	if w.shares == nil {
		w.middle.Where = &tree.IsNull{X: w.thing, Not: true}
		sel.Items[2] = tree.Item(tree.CastTo(tree.CountStar(), "double"), valueColumn)
	} else { // rows of no thing stay, for a sum has them
		w.middle.Items = append(w.middle.Items, w.shares.items...)
		sel.Items[2] = tree.Item(tree.CastTo(w.shares.value, "double"), valueColumn)
		sel.Items[3] = tree.Item(tree.CastTo(w.shares.base, "double"), baseColumn)
	}
	for _, name := range names[1:] {
		d := tree.Col(name)
		differ := tree.Op(tree.OpLt, tree.Fn("min", d), tree.Fn("max", d))
		w.middle.Items = append(w.middle.Items,
			tree.Item(&tree.Case{
				Whens: []*tree.When{{Cond: differ, Result: tree.Str(Several)}},
				Else:  tree.CastTo(tree.Fn("min", d), "varchar"),
			}, name),
			tree.Item(&tree.Case{Whens: []*tree.When{{Cond: differ, Result: tree.Int(1)}}, Else: tree.Int(0)}, one+name))
		sel.Items = append(sel.Items, tree.Item(tree.Fn("sum", tree.Col(one+name)), one+name))
	}
	sel.Items[4] = tree.Item(tree.CastTo(&tree.Null{}, "bigint"), daysColumn)
}

// daily writes the course by days, from a history before the earlier period on.
func (p *changePlanner) daily(outputs []intent.Output) (Written, error) {
	in := p.block(outputs, nil)
	c, err := chooseOne(p.layer, in)
	if err != nil {
		return Written{}, err
	}
	w, err := p.writer(c, in)
	if err != nil {
		return Written{}, err
	}
	value, base, _, err := w.figures()
	if err != nil {
		return Written{}, err
	}
	t, err := w.onDays()
	if err != nil {
		return Written{}, err
	}
	span := Range{min(w.before.From, w.after.From), max(w.before.To, w.after.To)}
	span.From = earlier(span.From, "day", p.limits.History)
	sel := &tree.Select{
		Items:   []tree.SelectItem{tree.Item(tree.Col(dayColumn), ""), tree.Item(value, valueColumn), tree.Item(base, baseColumn)},
		GroupBy: tree.GroupOn(tree.Col(dayColumn)),
	}
	out, err := w.around(sel, w.during(t, span))
	if err != nil {
		return out, err
	}
	out.Statement = tree.StatementOf(ordered(sel, dayColumn))
	return out, nil
}

// ofDays writes by day the one value that all rows of the day have of a dimension: empty
// where they have none, NULL where they differ. A dimension that is the same all day long,
// such as a campaign, tells of the day and not of its rows.
func (p *changePlanner) ofDays(c Choice, dims []semantic.Dimension, outputs []intent.Output) (Written, error) {
	w, err := p.writer(c, p.block(outputs, dims))
	if err != nil {
		return Written{}, err
	}
	t, err := w.onDays()
	if err != nil {
		return Written{}, err
	}
	sel := &tree.Select{Items: []tree.SelectItem{tree.Item(tree.Col(dayColumn), "")}, GroupBy: tree.GroupOn(tree.Col(dayColumn))}
	for _, d := range dims {
		x, _, err := w.dimension(Base(d.ID))
		if err != nil {
			return Written{}, err
		}
		name := w.compute(x, dimensionColumn(d.ID))
		sel.Items = append(sel.Items, tree.Item(oneValue(tree.Col(name)), name))
	}
	out, err := w.around(sel, w.during(t, w.closed()...))
	out.Statement = tree.StatementOf(ordered(sel, dayColumn))
	return out, err
}

// closed are both periods with the days between them, on which a value may begin or end; without
// these where they are more than the periods have, as of the same month of the year before.
func (w *changeWriter) closed() []Range {
	first, last := w.before, w.after
	if last.From < first.From {
		first, last = last, first
	}
	if between := (Range{From: first.To, To: last.From}); between.Days() > first.Days()+last.Days() {
		return []Range{w.before, w.after}
	}
	return []Range{{From: first.From, To: max(first.To, last.To)}}
}

// oneValue is the value that all rows of a group have: empty where all are NULL, NULL
// where they differ.
func oneValue(x tree.Expr) tree.Expr {
	return &tree.Case{Whens: []*tree.When{
		{Cond: tree.Op(tree.OpEq, tree.Fn("count", x), tree.Int(0)), Result: tree.Str("")},
		{
			Cond: tree.And(tree.Op(tree.OpEq, tree.Fn("count", x), tree.CountStar()),
				tree.Op(tree.OpEq, tree.Fn("min", x), tree.Fn("max", x))),
			Result: tree.CastTo(tree.Fn("max", x), "varchar"),
		},
	}}
}

// days writes which days of both periods the metric's table has rows of, whatever the
// conditions. It is nil where the course by days has no conditions but the country.
func (p *changePlanner) days(outputs []intent.Output) (*Written, error) {
	in := p.block(outputs, nil)
	c, err := chooseOne(p.layer, in)
	if err != nil {
		return nil, err
	}
	narrowed := slices.ContainsFunc(c.Metrics, func(m semantic.Metric) bool { return len(m.DefaultFilters) > 0 })
	if len(in.Filters) == 0 && !narrowed {
		return nil, nil //nolint:nilnil // none is needed
	}
	for i := range c.Metrics {
		c.Metrics[i].DefaultFilters = nil
	}
	in.Filters, c.Named = nil, nil
	w, err := p.writer(c, in)
	if err != nil {
		return nil, err
	}
	t, err := w.onDays()
	if err != nil {
		return nil, err
	}
	sel := &tree.Select{
		Items:   []tree.SelectItem{tree.Item(tree.Col(dayColumn), ""), tree.Item(tree.CountStar(), "rows_there")},
		GroupBy: tree.GroupOn(tree.Col(dayColumn)),
	}
	out, err := w.around(sel, w.during(t, w.before, w.after))
	out.Statement = tree.StatementOf(ordered(sel, dayColumn))
	return &out, err
}

// factors writes a count and a metric divided by it in both periods, from one table.
func (p *changePlanner) factors(count, m *semantic.Metric) (Written, error) {
	in := p.block([]intent.Output{plain(count.ID), plain(m.ID)}, nil)
	c, err := chooseOne(p.layer, in)
	if err != nil {
		return Written{}, err
	}
	w, err := p.writer(c, in)
	if err != nil {
		return Written{}, err
	}
	figures, err := w.each()
	if err != nil {
		return Written{}, err
	}
	t, _, err := w.timeColumn()
	if err != nil {
		return Written{}, err
	}
	w.compute(w.periodOf(t), periodColumn)
	sel := &tree.Select{
		Items: []tree.SelectItem{
			tree.Item(tree.Col(periodColumn), ""), tree.Item(figures[0], Base(count.ID)),
			tree.Item(quotient(figures[1], figures[0]), Base(m.ID)+"_per_"+Base(count.ID)),
		},
		GroupBy: tree.GroupOn(tree.Col(periodColumn)),
	}
	return w.around(sel, w.during(t, w.before, w.after))
}

// around puts the inner selection below a selection over its columns.
func (w *changeWriter) around(sel *tree.Select, period []tree.Expr) (Written, error) {
	where, err := w.where()
	if err != nil {
		return Written{}, err
	}
	if !w.sources[w.c.Table].several() {
		where, period = append(slices.Clone(period), where...), nil
	}
	w.inner.Where = tree.And(where...)
	from, err := w.from(w.inner, period)
	if err != nil {
		return Written{}, err
	}
	w.inner.From = []tree.Relation{from}
	rows := w.inner
	if w.middle != nil {
		w.middle.From = []tree.Relation{tree.Alias(&tree.Derived{Query: tree.QueryOf(rows)}, "rows_of_both")}
		rows = w.middle
	}
	sel.From = []tree.Relation{tree.Alias(&tree.Derived{Query: tree.QueryOf(rows)}, "days_of_both")}
	return Written{Statement: tree.StatementOf(tree.QueryOf(sel)), Tables: w.read}, nil
}

// onDays computes the day of each row and returns the column that it is told by.
func (w *changeWriter) onDays() (tree.Expr, error) {
	t, typ, err := w.timeColumn()
	if err != nil {
		return nil, err
	}
	w.compute(dayOf(t, typ), dayColumn)
	return t, nil
}

// compute adds a value of each row to the inner selection and returns its name.
func (w *changeWriter) compute(x tree.Expr, name string) string {
	if c, ok := x.(*tree.ColumnRef); ok && c.Parts[len(c.Parts)-1].Name == name {
		w.inner.Items = append(w.inner.Items, tree.Item(x, ""))
		return name
	}
	w.inner.Items = append(w.inner.Items, tree.Item(x, name))
	return name
}

// each are the aggregates of the choice's metrics over columns of the inner selection.
func (w *changeWriter) each() ([]tree.Expr, error) {
	shared := w.sharedFilters()
	out := make([]tree.Expr, len(w.c.Metrics))
	for i, m := range w.c.Metrics {
		x, err := w.figure(m, shared)
		if err != nil {
			return nil, err
		}
		if out[i], err = w.outside(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// figures are the value of a metric and, of a ratio, its base.
func (w *changeWriter) figures() (value, base tree.Expr, adds Adds, err error) {
	each, err := w.each()
	if err != nil {
		return nil, nil, AddsNot, err
	}
	if len(each) == 2 {
		w.overThings(each[0], each[1])
		return tree.CastTo(each[0], "double"), tree.CastTo(each[1], "double"), AddsRatio, nil
	}
	m := w.c.Metrics[0]
	none := tree.CastTo(&tree.Null{}, "double")
	if above, below, ok := divided(each[0]); ok {
		w.overThings(above, below)
		return tree.CastTo(above, "double"), tree.CastTo(below, "double"), AddsRatio, nil
	}
	value = tree.CastTo(each[0], "double")
	switch {
	case m.Kind() == semantic.DistinctCount, distinct(each[0]):
		w.thing = counted(each[0])
		return value, none, AddsNever, nil
	case m.Additivity == "" || m.Additivity == semantic.Additive:
		return value, none, AddsUp, nil
	case m.Additivity == semantic.SemiAdditive && (m.OverTime == "" || m.OverTime == semantic.TakeMean):
		return value, none, AddsLevel, nil
	}
	return value, none, AddsNot, nil
}

// outside gives the columns of an expression names in the inner selection and writes it
// over those.
func (w *changeWriter) outside(x tree.Expr) (tree.Expr, error) {
	out, err := tree.Rewrite(x, func(n tree.Node) tree.Node {
		c, ok := n.(*tree.ColumnRef)
		if !ok {
			return n
		}
		key := printer.Print(c)
		name, known := w.names[key]
		if !known {
			name = fmt.Sprintf("v%d", len(w.names)+1)
			w.names[key] = name
			w.inner.Items = append(w.inner.Items, tree.Item(c, name))
		}
		return tree.Col(name)
	})
	if err != nil {
		return nil, fmt.Errorf("write a figure over its rows: %w", err)
	}
	return out, nil
}

// periodOf tells in which of the two periods a row is.
func (w *changeWriter) periodOf(t tree.Expr) tree.Expr {
	return &tree.Case{
		Whens: []*tree.When{{Cond: tree.And(inRange(t, w.after)...), Result: tree.Str(afterPeriod)}},
		Else:  tree.Str(beforePeriod),
	}
}

// during is the condition that a row is in one of some ranges. All are within one range
// that is written first, by which partitions are left out.
func (w *changeWriter) during(t tree.Expr, ranges ...Range) []tree.Expr {
	hull, either := ranges[0], make([]tree.Expr, len(ranges))
	for i, r := range ranges {
		hull.From, hull.To = min(hull.From, r.From), max(hull.To, r.To)
		either[i] = tree.And(inRange(t, r)...)
	}
	conds := inRange(t, hull)
	if len(ranges) == 2 && ranges[0].To != ranges[1].From && ranges[1].To != ranges[0].From {
		conds = append(conds, tree.Or(either...))
	}
	return conds
}

func inRange(t tree.Expr, r Range) []tree.Expr {
	return []tree.Expr{tree.Op(tree.OpGe, t, tree.TypedLit("date", r.From)), tree.Op(tree.OpLt, t, tree.TypedLit("date", r.To))}
}

func dayOf(t tree.Expr, typ string) tree.Expr {
	if typ == "date" {
		return t
	}
	return tree.CastTo(t, "date")
}

// groupingSets groups by the first name alone and by all of them.
func groupingSets(names []string) *tree.GroupBy {
	if len(names) == 1 {
		return tree.GroupOn(tree.Col(names[0]))
	}
	all := &tree.GroupingSet{Parens: true}
	for _, name := range names {
		all.Exprs = append(all.Exprs, tree.Col(name))
	}
	return &tree.GroupBy{Elements: []*tree.GroupingElement{{
		Kind: tree.GroupingSets,
		Sets: []*tree.GroupingSet{{Exprs: []tree.Expr{tree.Col(names[0])}, Parens: true}, all},
	}}}
}

// whole marks the rows of a period as a whole with 1, its cells with 0.
func whole(dims []string) tree.Expr {
	if len(dims) == 0 {
		return tree.Int(1)
	}
	return &tree.Grouping{Columns: []*tree.ColumnRef{tree.Col(dims[0])}}
}

// dimensionColumn is the name of a dimension's column, other than those of the rest.
func dimensionColumn(id string) string {
	name := Base(id)
	if slices.Contains([]string{wholeColumn, periodColumn, valueColumn, baseColumn, daysColumn, dayColumn}, name) {
		return "dimension_" + name
	}
	return name
}

func ordered(sel *tree.Select, by string) *tree.Query {
	q := tree.QueryOf(sel)
	q.OrderBy = []*tree.SortItem{tree.By(tree.Col(by), false)}
	return q
}

// quotientOf are the two sides of an expression of the layer that divides, printed;
// false where it does not.
func quotientOf(expr string) (above, below string, ok bool) {
	x, err := semantic.ParseExpr(expr)
	if err != nil {
		return "", "", false
	}
	a, b, ok := divided(x)
	if !ok {
		return "", "", false
	}
	return strings.ToLower(printed(a)), strings.ToLower(printed(b)), true
}

func printed(x tree.Expr) string { return printer.Print(x) }

// divided takes a quotient of aggregates, or a mean, apart: what is divided, and what it
// is divided by without its NULLIF(..., 0).
func divided(x tree.Expr) (above, below tree.Expr, ok bool) {
	x = bareOf(x)
	if c, is := x.(*tree.Call); is && isCall(c, "avg") && len(c.Args) == 1 && c.Over == nil && c.Quantifier != tree.QuantifierDistinct {
		sum := &tree.Call{Name: tree.NameOf("sum"), Args: []tree.Expr{tree.CastTo(c.Args[0], "double")}, Filter: c.Filter}
		n := &tree.Call{Name: tree.NameOf("count"), Args: c.Args, Filter: c.Filter}
		return sum, n, true
	}
	b, is := x.(*tree.Binary)
	if !is || b.Op != tree.OpDiv || !aggregated(b.Left) || !aggregated(b.Right) {
		return nil, nil, false
	}
	above, below = bareOf(b.Left), bareOf(b.Right)
	if c, is := below.(*tree.Call); is && isCall(c, "nullif") && len(c.Args) == 2 {
		below = bareOf(c.Args[0])
	}
	return above, below, true
}

// bareOf takes parentheses and casts to double off an expression.
func bareOf(x tree.Expr) tree.Expr {
	for {
		switch n := x.(type) {
		case *tree.Paren:
			x = n.X
		case *tree.Cast:
			if !strings.EqualFold(n.Type.Text, "double") {
				return x
			}
			x = n.X
		default:
			return x
		}
	}
}

func isCall(c *tree.Call, name string) bool {
	return len(c.Name.Parts) == 1 && strings.EqualFold(c.Name.Parts[0].Name, name)
}

func aggregated(x tree.Expr) (has bool) {
	tree.Walk(x, func(n tree.Node) bool {
		c, ok := n.(*tree.Call)
		has = has || ok && len(c.Name.Parts) == 1 && slices.Contains(aggregates, strings.ToLower(c.Name.Parts[0].Name))
		return !has
	})
	return has
}

func distinct(x tree.Expr) (has bool) {
	tree.Walk(x, func(n tree.Node) bool {
		c, ok := n.(*tree.Call)
		has = has || ok && (c.Quantifier == tree.QuantifierDistinct || isCall(c, "approx_distinct"))
		return !has
	})
	return has
}

// counted is the column whose different values an aggregate counts; nil where it is not
// just that count of just a column.
func counted(x tree.Expr) tree.Expr {
	c, is := bareOf(x).(*tree.Call)
	if !is || !isCall(c, "count") || c.Quantifier != tree.QuantifierDistinct || len(c.Args) != 1 || c.Filter != nil || c.Over != nil {
		return nil
	}
	if col, is := bareOf(c.Args[0]).(*tree.ColumnRef); is {
		return col
	}
	return nil
}

// Days is how many days a range has; 0 where one of its ends is no day.
func (r Range) Days() int {
	from, err := time.Parse(time.DateOnly, r.From)
	to, other := time.Parse(time.DateOnly, r.To)
	if err != nil || other != nil {
		return 0
	}
	return int(to.Sub(from).Hours() / 24)
}
