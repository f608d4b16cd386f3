package sqlgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

func (w *writer) field(f intent.Field) (tree.Expr, error) {
	d, ok := w.g.dims[f.ID]
	if !ok {
		return nil, fmt.Errorf("no dimension %q in the layer", f.ID)
	}
	if d.Elapsed != nil {
		return w.elapsed(d)
	}
	x := tree.Expr(tree.Col(w.aliases[d.Table], d.Expr))
	if f.Grain == "" {
		return x, nil
	}
	if kind := daytext.Kind(d); kind != "" {
		c := tree.CastTo(x, kind) // a text that is no day after all is left out
		c.Try = true
		x = c
	}
	switch f.Grain {
	case intent.Weekday:
		return tree.Fn("date_format", x, tree.Str("%W")), nil
	case intent.WeekdayNumber:
		return tree.Fn("day_of_week", x), nil
	case intent.HourOfDay:
		return tree.Fn("hour", x), nil
	case intent.MonthOfYear:
		return tree.Fn("month", x), nil
	}
	return tree.Fn("date_trunc", tree.Str(f.Grain), x), nil
}

var functions = map[intent.Agg]string{intent.AggSum: "sum", intent.AggAvg: "avg", intent.AggMin: "min", intent.AggMax: "max", intent.AggCount: "count"}

// aggregate is an aggregate of a number.
func (w *writer) aggregate(o intent.Output, x tree.Expr) tree.Expr {
	if o.Agg == intent.AggMedian {
		t := w.g.tables[w.g.tableOf(o.Field)]
		return median(x, t != nil && t.RowCount >= 0 && t.RowCount <= MaxExactMedian)
	}
	return tree.Fn(functions[o.Agg], x)
}

// MaxExactMedian is of how many rows the median is computed from all values: a group of
// them takes 8 MB.
const MaxExactMedian = 1_000_000

// median is the value in the middle, or the mean of the two there; about so where it is not
// to be exact. There is no function of that name.
func median(x tree.Expr, exact bool) tree.Expr {
	if !exact {
		return tree.Fn("approx_percentile", tree.CastTo(x, "double"), &tree.Number{Text: "0.5"})
	}
	return ExactMedian(x)
}

// ExactMedian is the value in the middle of a group, or the mean of the two there, as a
// double; NULL where no row has a value. Any engine of Presto SQL gives the same.
func ExactMedian(x tree.Expr) tree.Expr {
	sorted, n := tree.Fn("array_sort", tree.Fn("array_agg", x)), tree.Fn("count", x)
	// Rows without a value come last. There may be none with one, and no element 0.
	low := tree.Fn("nullif", tree.Op(tree.OpDiv, tree.Op(tree.OpAdd, n, tree.Int(1)), tree.Int(2)), tree.Int(0))
	high := tree.Op(tree.OpAdd, tree.Op(tree.OpDiv, n, tree.Int(2)), tree.Int(1))
	middle := tree.Op(tree.OpAdd, tree.Fn("element_at", sorted, low), tree.Fn("element_at", sorted, high))
	return tree.Op(tree.OpDiv, tree.CastTo(middle, "double"), tree.Int(2))
}

func (w *writer) output(o intent.Output) (tree.Expr, error) {
	if x, ok := w.ready[o]; ok {
		return x, nil
	}
	switch {
	case w.own != nil && o.Aggregates():
		return w.during(o)
	case o.Calc != nil:
		return w.calc(o)
	case o.When != nil && o.Kind == intent.KindDimension && o.Agg != intent.AggRate:
		return w.aggregateWhen(o)
	case o.When != nil:
		return w.countWhen(o)
	case o.Kind == intent.KindEntity && o.Agg == intent.AggShare:
		return w.shareOfRows(o)
	case o.Kind == intent.KindEntity:
		return w.countRows(o)
	}
	x, err := w.field(o.Field)
	if err != nil || o.Agg == "" {
		return x, err
	}
	d := w.g.dims[o.ID]
	switch o.Agg {
	case intent.AggRate:
		return w.rate(o, d, x)
	case intent.AggShare:
		return w.share(o, x)
	case intent.AggCountDistinct:
		return tree.FnDistinct("count", x), nil
	case intent.AggCount:
		return tree.Fn("count", x), nil
	case intent.AggSum, intent.AggAvg, intent.AggMedian, intent.AggMin, intent.AggMax:
		if semantic.IsText(d.Type) && numbersOnly(d) {
			x = tryNumber(x)
		} else if !semantic.IsNumber(d.Type) && (o.Agg == intent.AggSum || o.Agg == intent.AggAvg || o.Agg == intent.AggMedian) {
			return nil, fmt.Errorf("%w: %s of %s, which holds no numbers", ErrShape, o.Agg, d.ID)
		}
		if o.Agg == intent.AggAvg && strings.HasPrefix(strings.ToLower(d.Type), "decimal") {
			x = tree.CastTo(x, "double") // the mean of decimals has no more digits than they have
		}
		return w.aggregate(o, x), nil
	}
	return nil, fmt.Errorf("%w: aggregate %s", ErrShape, o.Agg)
}

// rate is the part of the rows whose column has a value; none of no rows.
func (w *writer) rate(o intent.Output, d *semantic.Dimension, x tree.Expr) (tree.Expr, error) {
	value, err := constantOf(d, intent.Literal{Text: o.Value})
	if err != nil {
		return nil, err
	}
	return part(tree.Fn("count_if", tree.Op(tree.OpEq, x, value)), tree.CountStar(), o.Times)
}

// countRows counts rows of an entity; distinct ones where a join repeats them.
func (w *writer) countRows(o intent.Output) (tree.Expr, error) {
	e, ok := w.g.entities[o.ID]
	if !ok {
		return nil, fmt.Errorf("no entity %q in the layer", o.ID)
	}
	repeats := slices.ContainsFunc(w.joined, func(t string) bool { return t != e.Table && w.g.Graph.Multiplies(e.Table, t) })
	if !repeats {
		return tree.CountStar(), nil
	}
	if len(e.Key) != 1 {
		return nil, fmt.Errorf("%w: %s has no single key to count by", ErrShape, e.Table)
	}
	return tree.FnDistinct("count", tree.Col(w.aliases[e.Table], e.Key[0])), nil
}

func tryNumber(x tree.Expr) tree.Expr {
	c := tree.CastTo(x, "double")
	c.Try = true
	return c
}

func numbersOnly(d *semantic.Dimension) bool {
	for _, v := range d.Values {
		if strings.Trim(v.Value, "0123456789.,-+ ") != "" {
			return false
		}
	}
	return len(d.Values) > 0
}

// where writes the filters; those on the tables of semi go into EXISTS.
func (w *writer) where(semi map[string]bool) (tree.Expr, error) {
	var conds []tree.Expr
	inner := map[string][]intent.Cond{}
	for _, c := range w.in.Filters {
		if t := w.semiTable(c, semi); t != "" {
			inner[t] = append(inner[t], c)
			continue
		}
		x, err := w.cond(c)
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	for _, t := range sortedKeys(semi) {
		x, err := w.exists(&intent.Intent{Entity: t, Filters: inner[t]}, false)
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	return tree.And(conds...), nil
}

func sortedKeys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (w *writer) semiTable(c intent.Cond, semi map[string]bool) string {
	found := ""
	w.condTables(c, func(t string) {
		if semi[t] {
			found = t
		}
	})
	return found
}

// exists writes [NOT] EXISTS over the path from the entity to sub's entity.
func (w *writer) exists(sub *intent.Intent, not bool) (tree.Expr, error) {
	target := w.g.tableOf(intent.Field{Kind: intent.KindEntity, ID: sub.Entity})
	var path []plan.Edge
	for _, t := range w.joined {
		if p := w.g.Graph.Path(t, target); p != nil && (path == nil || len(p) < len(path)) {
			path = p
		}
	}
	if path == nil {
		return nil, fmt.Errorf("%w: %s", ErrJoin, target)
	}
	in := *sub
	in.Select, in.With = nil, nil
	sw := &writer{g: w.g, in: &in, outer: w.outer + len(w.joined)}
	tables := []string{path[0].To}
	for _, e := range path[1:] {
		tables = append(tables, e.To)
	}
	for _, c := range in.Filters {
		sw.condTables(c, func(t string) {
			if !slices.Contains(tables, t) {
				tables = append(tables, t)
			}
		})
	}
	from, err := sw.from(tables)
	if err != nil {
		return nil, err
	}
	conds := []tree.Expr{sw.on(path[0], w.aliases[path[0].From], sw.aliases[path[0].To])}
	for _, c := range in.Filters {
		x, err := sw.cond(c)
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	q := tree.QueryOf(&tree.Select{Items: []tree.SelectItem{tree.Item(tree.Int(1), "")}, From: []tree.Relation{from}, Where: tree.And(conds...)})
	var x tree.Expr = &tree.Exists{Query: q}
	if not {
		x = &tree.Not{X: x}
	}
	return x, nil
}

var compareOps = map[intent.Op]string{intent.Eq: tree.OpEq, intent.Ne: tree.OpNe, intent.Lt: tree.OpLt, intent.Le: tree.OpLe, intent.Gt: tree.OpGt, intent.Ge: tree.OpGe}

func (w *writer) cond(c intent.Cond) (tree.Expr, error) {
	switch c.Op {
	case intent.Or, intent.And, intent.Not:
		return w.logic(c)
	case intent.Exists, intent.NotExists:
		return w.exists(c.Sub, c.Op == intent.NotExists)
	}
	if c.Left == nil {
		return nil, fmt.Errorf("%w: condition %s without a column", ErrShape, c.Op)
	}
	left, err := w.output(*c.Left)
	if err != nil {
		return nil, err
	}
	if c.Sub != nil {
		return w.compareSub(c, left)
	}
	if c.Right != nil {
		return w.compareColumn(c, left)
	}
	d := w.g.dims[c.Left.ID]
	if c.Left.Agg != "" || c.Left.Calc != nil {
		d = nil
	}
	if c.Left.Agg == "" && recurs(c.Left.Grain) {
		return step(c, left)
	}
	if d != nil {
		if x, ok := w.beyond(c, d); ok {
			return x, nil
		}
	}
	if d != nil && (semantic.IsTime(d.Type) || daytext.Kind(d) != "" && periods(c)) {
		return w.timeCond(c, left, d)
	}
	if d != nil && d.Type == "boolean" && len(c.Values) == 1 {
		return flag(c, left)
	}
	return w.compare(c, left, d)
}

// recurs reports whether steps of time come again.
func recurs(grain string) bool {
	return slices.Contains([]string{intent.Weekday, intent.WeekdayNumber, intent.HourOfDay, intent.MonthOfYear}, grain)
}

// step compares a step of time that comes again with some of them: the names of days, the numbers of
// hours.
func step(c intent.Cond, left tree.Expr) (tree.Expr, error) {
	values := make([]tree.Expr, 0, len(c.Values))
	for _, v := range c.Values {
		x, err := constantFor(v, c.Left.Grain != intent.Weekday)
		if err != nil {
			return nil, err
		}
		values = append(values, x)
	}
	switch {
	case c.Op == intent.In || c.Op == intent.NotIn:
		return &tree.InList{X: left, List: values, Not: c.Op == intent.NotIn}, nil
	case len(values) == 1 && compareOps[c.Op] != "":
		return tree.Op(compareOps[c.Op], left, values[0]), nil
	}
	return nil, fmt.Errorf("%w: %s with %d steps of time", ErrShape, c.Op, len(values))
}

func (w *writer) logic(c intent.Cond) (tree.Expr, error) {
	args := make([]tree.Expr, 0, len(c.Args))
	for _, a := range c.Args {
		x, err := w.cond(a)
		if err != nil {
			return nil, err
		}
		args = append(args, x)
	}
	switch c.Op {
	case intent.Or:
		return tree.Or(args...), nil
	case intent.Not:
		if len(args) != 1 {
			return nil, fmt.Errorf("%w: NOT of %d conditions", ErrShape, len(args))
		}
		return &tree.Not{X: args[0]}, nil
	}
	return tree.And(args...), nil
}

func (w *writer) compareSub(c intent.Cond, left tree.Expr) (tree.Expr, error) {
	q, err := w.g.query(c.Sub)
	if err != nil {
		return nil, err
	}
	if c.Op == intent.In || c.Op == intent.NotIn {
		return &tree.InQuery{X: left, Query: q, Not: c.Op == intent.NotIn}, nil
	}
	op, ok := compareOps[c.Op]
	if !ok {
		return nil, fmt.Errorf("%w: %s with an aggregate", ErrShape, c.Op)
	}
	if d := w.g.dims[c.Left.ID]; d != nil && semantic.IsText(d.Type) && numbersOnly(d) {
		left = tryNumber(left)
	}
	return tree.Op(op, left, &tree.ScalarQuery{Query: q}), nil
}

// compare writes a comparison with constants. d is nil for an aggregate.
func (w *writer) compare(c intent.Cond, left tree.Expr, d *semantic.Dimension) (tree.Expr, error) {
	switch c.Op {
	case intent.IsNull, intent.NotNull:
		return &tree.IsNull{X: left, Not: c.Op == intent.NotNull}, nil
	case intent.Contains, intent.StartsWith, intent.EndsWith:
		if len(c.Values) != 1 {
			return nil, fmt.Errorf("%w: pattern", ErrShape)
		}
		if d != nil && !semantic.IsText(d.Type) {
			left = tree.CastTo(left, "varchar")
		}
		return like(left, c), nil
	}
	numeric := d == nil || semantic.IsNumber(d.Type)
	if !numeric && len(c.Values) > 0 && c.Values[0].Number && c.Op != intent.Eq && c.Op != intent.Ne {
		left, numeric = tryNumber(left), true
	}
	values := make([]tree.Expr, 0, len(c.Values))
	for _, v := range c.Values {
		x, err := constantFor(v, numeric)
		if err != nil {
			return nil, err
		}
		values = append(values, x)
	}
	switch {
	case c.Op == intent.Between && len(values) == 2:
		return &tree.Between{X: left, Low: values[0], High: values[1]}, nil
	case c.Op == intent.In || c.Op == intent.NotIn:
		return &tree.InList{X: left, List: values, Not: c.Op == intent.NotIn}, nil
	case len(values) == 1 && compareOps[c.Op] != "":
		if !numeric && (c.Op == intent.Eq || c.Op == intent.Ne) && !known(d, c.Values[0].Text) {
			left = tree.Fn("lower", left)
			values[0] = tree.Str(strings.ToLower(c.Values[0].Text))
		}
		return tree.Op(compareOps[c.Op], left, values[0]), nil
	}
	return nil, fmt.Errorf("%w: %s with %d constants", ErrShape, c.Op, len(values))
}

// known reports whether a text is stored as it is written.
func known(d *semantic.Dimension, text string) bool {
	return slices.ContainsFunc(d.Values, func(v semantic.Value) bool { return v.Value == text })
}

func constantFor(v intent.Literal, numeric bool) (tree.Expr, error) {
	if !numeric {
		return tree.Str(v.Text), nil
	}
	if _, err := strconv.ParseFloat(v.Text, 64); err != nil {
		return nil, fmt.Errorf("%w: %q is no number", ErrShape, v.Text)
	}
	return &tree.Number{Text: v.Text}, nil
}

func like(left tree.Expr, c intent.Cond) tree.Expr {
	text := strings.ToLower(c.Values[0].Text)
	var escape tree.Expr
	if strings.ContainsAny(text, `%_\`) {
		text = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
		escape = tree.Str(`\`)
	}
	switch c.Op {
	case intent.StartsWith:
		text += "%"
	case intent.EndsWith:
		text = "%" + text
	default:
		text = "%" + text + "%"
	}
	return &tree.Like{X: tree.Fn("lower", left), Pattern: tree.Str(text), Escape: escape}
}
