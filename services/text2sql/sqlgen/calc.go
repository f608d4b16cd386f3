package sqlgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
)

// calcOps are the operators of arithmetic on numbers.
var calcOps = map[intent.CalcOp]string{intent.Minus: tree.OpSub, intent.Plus: tree.OpAdd, intent.Product: tree.OpMul, intent.Over: tree.OpDiv}

// Seconds of the units that a duration is told in.
var unitSeconds = map[intent.CalcOp]int64{intent.Hours: 3600, intent.Minutes: 60}

// calc writes arithmetic of rows, or of groups where its parts are aggregates, and
// the aggregate of it.
func (w *writer) calc(o intent.Output) (tree.Expr, error) {
	x, err := w.arithmetic(o.Calc)
	if err != nil || o.Agg == "" {
		return x, err
	}
	if _, ok := functions[o.Agg]; !ok && o.Agg != intent.AggMedian || o.Agg == intent.AggCount {
		return nil, fmt.Errorf("%w: %s of arithmetic", ErrShape, o.Agg)
	}
	return w.aggregate(intent.Output{Agg: o.Agg, Field: o.Leaves()[0].Field}, x), nil
}

func (w *writer) arithmetic(c *intent.Calc) (tree.Expr, error) {
	timed := w.timed(c.Left) || w.timed(c.Right)
	if c.Op == intent.Minus && w.timed(c.Left) && w.timed(c.Right) {
		c = &intent.Calc{Op: intent.Days, Left: c.Right, Right: c.Left}
	}
	left, err := w.output(c.Left)
	if err != nil {
		return nil, err
	}
	right, err := w.output(c.Right)
	if err != nil {
		return nil, err
	}
	switch c.Op {
	case intent.Days, intent.Hours, intent.Minutes:
		if w.untimed(c.Left) || w.untimed(c.Right) {
			return nil, fmt.Errorf("%w: %s between what are no times", ErrShape, c.Op)
		}
	case intent.Percent:
		if timed {
			return nil, fmt.Errorf("%w: %s of times", ErrShape, c.Op)
		}
	}
	switch c.Op {
	case intent.Days:
		if w.clocked(c.Left) && w.clocked(c.Right) { // parts of days, as a ride is over within one
			seconds := tree.Fn("date_diff", tree.Str("second"), w.moment(c.Left, left, "timestamp"), w.moment(c.Right, right, "timestamp"))
			return tree.Op(tree.OpDiv, tree.CastTo(seconds, "double"), tree.Int(elapsedSeconds["days"])), nil
		}
		return tree.Fn("date_diff", tree.Str("day"), w.moment(c.Left, left, "date"), w.moment(c.Right, right, "date")), nil
	case intent.Hours, intent.Minutes:
		seconds := tree.Fn("date_diff", tree.Str("second"), w.moment(c.Left, left, "timestamp"), w.moment(c.Right, right, "timestamp"))
		return tree.Op(tree.OpDiv, tree.CastTo(seconds, "double"), tree.Int(unitSeconds[c.Op])), nil
	case intent.Percent:
		return part(left, right, "100")
	case intent.Over:
		left, right = tree.CastTo(left, "double"), tree.Fn("nullif", right, tree.Int(0))
	}
	op, ok := calcOps[c.Op]
	if !ok || timed {
		return nil, fmt.Errorf("%w: %s", ErrShape, c.Op)
	}
	return tree.Op(op, left, right), nil
}

// timed reports whether a value is a day or a time.
func (w *writer) timed(o intent.Output) bool {
	d, ok := w.g.dims[o.ID]
	return ok && o.Calc == nil && o.Agg != intent.AggCount && o.Agg != intent.AggCountDistinct && (semantic.IsTime(d.Type) || daytext.Kind(d) != "")
}

// clocked reports whether a value is a time of a day, and not a day.
func (w *writer) clocked(o intent.Output) bool {
	d, ok := w.g.dims[o.ID]
	return ok && o.Calc == nil && (strings.HasPrefix(strings.ToLower(d.Type), "timestamp") || daytext.Kind(d) == "timestamp")
}

// untimed reports whether an output is surely no time: a number, or yes or no. Texts
// may hold times.
func (w *writer) untimed(o intent.Output) bool {
	d, ok := w.g.dims[o.ID]
	return ok && o.Calc == nil && (semantic.IsNumber(d.Type) || d.Type == "boolean")
}

// moment is a day or a time as the type in which durations are counted.
func (w *writer) moment(o intent.Output, x tree.Expr, kind string) tree.Expr {
	d, ok := w.g.dims[o.ID]
	if ok && d.Type == kind {
		return x
	}
	c := tree.CastTo(x, kind)
	c.Try = ok && daytext.Kind(d) != ""
	return c
}

// calcFanOut refuses aggregates of arithmetic over rows that a join repeats: one
// of its tables has to have every row once.
func (w *writer) calcFanOut(o intent.Output, check func(intent.Output) error) error {
	leaves := o.Leaves()
	if o.Agg == "" {
		for _, l := range leaves {
			if err := check(l); err != nil {
				return err
			}
		}
		return nil
	}
	for _, l := range leaves {
		t := w.g.tableOf(l.Field)
		if !slices.ContainsFunc(w.joined, func(other string) bool { return other != t && w.g.Graph.Multiplies(t, other) }) {
			return nil
		}
	}
	return fmt.Errorf("%w: arithmetic over repeated rows", ErrFanOut)
}

// countWhen counts the rows of the entity that fulfil a condition, or says which
// part of them does.
func (w *writer) countWhen(o intent.Output) (tree.Expr, error) {
	e, ok := w.g.entities[o.ID]
	if !ok {
		return nil, fmt.Errorf("no entity %q in the layer", o.ID)
	}
	if slices.ContainsFunc(w.joined, func(t string) bool { return t != e.Table && w.g.Graph.Multiplies(e.Table, t) }) {
		return nil, fmt.Errorf("%w: %s is counted under a condition", ErrFanOut, e.Table)
	}
	x, err := w.cond(*o.When)
	if err != nil {
		return nil, err
	}
	count := tree.Fn("count_if", x)
	if o.Agg == intent.AggRate {
		return part(count, tree.CountStar(), o.Times)
	}
	return count, nil
}

// aggregateWhen is an aggregate of the rows that fulfil a condition.
func (w *writer) aggregateWhen(o intent.Output) (tree.Expr, error) {
	when, err := w.cond(*o.When)
	if err != nil {
		return nil, err
	}
	o.When = nil
	x, err := w.output(o)
	if err != nil {
		return nil, err
	}
	call, ok := x.(*tree.Call)
	if !ok {
		return nil, fmt.Errorf("%w: %s under a condition", ErrShape, o.Agg)
	}
	call.Filter = when
	return call, nil
}

// part is a count as a part of another one, or of a sum; none of nothing.
func part(of, whole tree.Expr, times string) (tree.Expr, error) {
	x := tree.Expr(tree.CastTo(of, "double"))
	if times != "" {
		n, err := constantFor(intent.Literal{Text: times, Number: true}, true)
		if err != nil {
			return nil, err
		}
		x = tree.Op(tree.OpMul, n, x)
	}
	return tree.Op(tree.OpDiv, x, tree.Fn("nullif", whole, tree.Int(0))), nil
}

// share is a group's part of the sum over all groups.
func (w *writer) share(o intent.Output, x tree.Expr) (tree.Expr, error) {
	all := tree.Fn("sum", tree.Fn("sum", x))
	all.Over = &tree.Over{Spec: &tree.Window{}}
	return part(tree.Fn("sum", x), all, o.Times)
}

// shareOfRows is the part that each group's rows are of the rows of all groups.
func (w *writer) shareOfRows(o intent.Output) (tree.Expr, error) {
	rows, err := w.countRows(o)
	if err != nil {
		return nil, err
	}
	call, ok := rows.(*tree.Call)
	if !ok || !call.Star {
		return nil, fmt.Errorf("%w: a share of rows that a join repeats", ErrShape)
	}
	all := tree.Fn("sum", tree.CountStar())
	all.Over = &tree.Over{Spec: &tree.Window{}}
	return part(rows, all, o.Times)
}

// compareColumn compares two columns.
func (w *writer) compareColumn(c intent.Cond, left tree.Expr) (tree.Expr, error) {
	right, err := w.output(*c.Right)
	if err != nil {
		return nil, err
	}
	if c.Right.Times != "" {
		n, err := constantFor(intent.Literal{Text: c.Right.Times, Number: true}, true)
		if err != nil {
			return nil, err
		}
		right = tree.Op(tree.OpMul, n, right)
	}
	op, ok := compareOps[c.Op]
	if !ok || w.timed(*c.Left) != w.timed(*c.Right) {
		return nil, fmt.Errorf("%w: %s of two columns", ErrShape, c.Op)
	}
	return tree.Op(op, left, right), nil
}

// Names inside a query that aggregates or counts groups.
const (
	innerName  = "value_of_group"
	innerAlias = "grouped"
)

// aggregated is an aggregate of an aggregate: an inner query has a row a group.
func (g *Generator) aggregated(in *intent.Intent) (*tree.Query, error) {
	o := in.Select[0]
	_, ok := functions[o.Agg]
	if !ok && o.Agg != intent.AggMedian || len(in.GroupBy) > 0 || len(in.Having) > 0 || len(in.OrderBy) > 0 || in.Set != nil {
		return nil, fmt.Errorf("%w: an aggregate of an aggregate and more", ErrShape)
	}
	inner := *in
	base := intent.Output{Agg: o.Base, Field: o.Field}
	inner.Select, inner.GroupBy, inner.Distinct = []intent.Output{base}, []intent.Field{o.Per}, false
	inner.Limit = 0
	w := &writer{g: g, in: &inner}
	sel, err := w.sel()
	if err != nil {
		return nil, err
	}
	if item, ok := sel.Items[0].(*tree.SelectExpr); ok {
		sel.Items[0] = tree.Item(item.Expr, innerName)
	}
	value := tree.Expr(tree.Col(innerName))
	if o.Agg == intent.AggAvg {
		value = tree.CastTo(value, "double")
	}
	x, err := rounded(w.aggregate(intent.Output{Agg: o.Agg, Field: o.Field}, value), o.Round)
	if err != nil {
		return nil, err
	}
	return overGroups(x, g.Columns(in)[0], sel), nil
}

// rounded is a number with so many digits after the point, all where none is said.
func rounded(x tree.Expr, digits string) (tree.Expr, error) {
	if digits == "" {
		return x, nil
	}
	n, err := constantFor(intent.Literal{Text: digits, Number: true}, true)
	if err != nil {
		return nil, err
	}
	return tree.Fn("round", x, n), nil
}

// counted is how many rows or groups an intent has.
func (g *Generator) counted(in *intent.Intent) (*tree.Query, error) {
	inner := *in
	inner.Counted = false
	if len(in.OrderBy) > 0 || in.Set != nil || in.Limit > 0 {
		return nil, fmt.Errorf("%w: a count of ordered rows", ErrShape)
	}
	sel, err := (&writer{g: g, in: &inner}).sel()
	if err != nil {
		return nil, err
	}
	name := "number_of_groups"
	if e, ok := g.entities[in.Entity]; ok {
		name = identifier("number_of_" + lexicon.Plural(e.Names.EN))
	}
	return overGroups(tree.CountStar(), name, sel), nil
}

func overGroups(x tree.Expr, name string, inner *tree.Select) *tree.Query {
	return tree.QueryOf(&tree.Select{
		Items: []tree.SelectItem{tree.Item(x, name)},
		From:  []tree.Relation{tree.Alias(&tree.Derived{Query: tree.QueryOf(inner)}, innerAlias)},
	})
}

// calcWords are how a computed column is called.
var calcWords = map[intent.CalcOp]string{
	intent.Minus: "difference", intent.Plus: "sum", intent.Product: "product", intent.Over: "ratio", intent.Percent: "percentage",
	intent.Days: "days", intent.Hours: "hours", intent.Minutes: "minutes",
}

// computedName names an output that is more than one aggregate of one column.
func (g *Generator) computedName(o intent.Output) string {
	switch {
	case o.Calc != nil && o.Agg != "":
		return prefixes[o.Agg] + "_" + calcWords[o.Calc.Op]
	case o.Calc != nil:
		return calcWords[o.Calc.Op]
	case o.Agg == intent.AggRate && o.Times != "":
		return g.Words(o) + "_percentage"
	case o.Agg == intent.AggShare && o.Times != "":
		return g.Words(o) + "_percentage_of_total"
	case o.Agg == intent.AggShare:
		return g.Words(o) + "_share_of_total"
	case o.Agg == intent.AggRate:
		return g.Words(o) + "_share"
	case o.Per.ID != "" && o.Base == o.Agg: // of what is the same in all rows of each
		return prefixes[o.Agg] + "_" + g.Words(o)
	case o.Per.ID != "":
		return prefixes[o.Agg] + "_" + prefixes[o.Base] + "_" + g.Words(o)
	}
	if o.When != nil && o.When.Op == intent.Eq && len(o.When.Values) == 1 {
		return prefixes[o.Agg] + "_" + g.Words(o) + "_" + o.When.Values[0].Text
	}
	return prefixes[o.Agg] + "_" + g.Words(o)
}
