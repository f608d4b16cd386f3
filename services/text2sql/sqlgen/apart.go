package sqlgen

import (
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Bounds and names of a query that aggregates tables apart before it joins them.
const (
	maxParts  = 4
	partName  = "part" // alias of a table's own query: part1
	groupName = "group"
	valueName = "value"
)

// ownPart is what is aggregated of one table.
type ownPart struct {
	table  string
	alias  string
	values []intent.Output
	counts bool // all values count rows
}

// fanOut refuses sums and averages over rows that a join repeats.
func (w *writer) fanOut() error {
	var check func(o intent.Output) error
	check = func(o intent.Output) error {
		o = o.Compared()
		if o.Calc != nil {
			return w.calcFanOut(o, check)
		}
		if o.Agg != intent.AggShare && o.Agg != intent.AggSum && o.Agg != intent.AggAvg && o.Agg != intent.AggMedian && o.Agg != intent.AggRate {
			return nil
		}
		t := w.g.tableOf(o.Field)
		for _, other := range w.joined {
			if other != t && w.g.Graph.Multiplies(t, other) {
				return fmt.Errorf("%w: %s repeats for each %s", ErrFanOut, t, other)
			}
		}
		return nil
	}
	for _, o := range w.in.Select {
		if err := check(o); err != nil {
			return err
		}
	}
	for _, o := range w.in.OrderBy {
		if err := check(o.By); err != nil {
			return err
		}
	}
	for _, c := range w.in.Having {
		if err := check(*c.Left); err != nil {
			return err
		}
	}
	return nil
}

// apart is a query whose aggregates are of tables that repeat each other's rows, or
// of which one has rows that the other knows nothing of: each is aggregated in a
// query of its own, by the same groups, and then they are joined. The error is
// ErrFanOut where there are no such tables, or where that would not mean the same.
func (g *Generator) apart(in *intent.Intent) (*tree.Query, error) {
	if len(in.Having) > 0 || in.Set != nil || in.Distinct || len(in.LimitPer) > 0 || in.Counted {
		return nil, fmt.Errorf("%w: groups of several tables", ErrFanOut)
	}
	parts, err := g.parts(in)
	if err != nil {
		return nil, err
	}
	ratio := slices.ContainsFunc(in.Select, func(o intent.Output) bool { return o.Calc != nil && o.Agg == "" })
	if !ratio && len(in.GroupBy) > 0 && len(parts) > 2 {
		return nil, fmt.Errorf("%w: groups of %d tables", ErrFanOut, len(parts))
	}
	w := &writer{g: g, in: in, ready: map[intent.Output]tree.Expr{}}
	var from tree.Relation
	for i := range parts {
		p := &parts[i]
		sel, err := g.ownQuery(in, p)
		if err != nil {
			return nil, err
		}
		own := tree.Alias(&tree.Derived{Query: tree.QueryOf(sel)}, p.alias)
		kind := tree.JoinInner // sums of none are not known, and make no ratio
		switch {
		case len(in.GroupBy) == 0:
			kind = tree.JoinCross
		case !ratio:
			kind = tree.JoinFull
		case p.counts:
			kind = tree.JoinLeft
		}
		from = joinPart(in, from, own, kind, parts[0].alias, p.alias)
		for j, v := range p.values {
			x := tree.Expr(tree.Col(p.alias, numbered(valueName, j)))
			if (i > 0 || !ratio) && p.counts && len(in.GroupBy) > 0 {
				x = tree.Fn("coalesce", x, tree.Int(0))
			}
			w.ready[v] = x
		}
	}
	for j, f := range in.GroupBy {
		x := tree.Expr(tree.Col(parts[0].alias, numbered(groupName, j)))
		if !ratio {
			x = tree.Fn("coalesce", x, tree.Col(parts[1].alias, numbered(groupName, j)))
		}
		w.ready[intent.Output{Field: f}] = x
	}
	sel := &tree.Select{From: []tree.Relation{from}}
	if err := w.items(sel); err != nil {
		return nil, err
	}
	names := g.Columns(in)
	for i, item := range sel.Items {
		if x, ok := item.(*tree.SelectExpr); ok {
			sel.Items[i] = tree.Item(x.Expr, names[i])
		}
	}
	q := tree.QueryOf(sel)
	for _, o := range in.OrderBy {
		x, err := w.orderKey(o.By, sel)
		if err != nil {
			return nil, err
		}
		q.OrderBy = append(q.OrderBy, tree.By(x, o.Desc))
	}
	if in.Limit > 0 {
		q.Limit = tree.LimitTo(in.Limit)
	}
	return q, nil
}

func numbered(name string, i int) string { return fmt.Sprintf("%s%d", name, i+1) }

// parts sorts what is aggregated by table. The first part is the one whose groups
// are all kept: what a ratio is divided by.
func (g *Generator) parts(in *intent.Intent) ([]ownPart, error) {
	var out []ownPart
	add := func(o intent.Output) bool {
		for _, v := range aggregates(o) {
			t := g.finest(v)
			i := slices.IndexFunc(out, func(p ownPart) bool { return p.table == t })
			if i < 0 {
				out = append(out, ownPart{table: t, counts: true})
				i = len(out) - 1
			}
			if !slices.Contains(out[i].values, v) {
				out[i].values = append(out[i].values, v)
				out[i].counts = out[i].counts && v.Agg == intent.AggCount
			}
			if t == "" {
				return false
			}
		}
		return true
	}
	for _, o := range in.Select {
		if !add(o) || !o.Aggregates() && !slices.Contains(in.GroupBy, o.Field) {
			return nil, fmt.Errorf("%w: what is not grouped", ErrFanOut)
		}
	}
	for _, o := range in.OrderBy {
		if !add(o.By) {
			return nil, fmt.Errorf("%w: an order of other groups", ErrFanOut)
		}
	}
	if len(out) < 2 || len(out) > maxParts {
		return nil, fmt.Errorf("%w: aggregates of %d tables", ErrFanOut, len(out))
	}
	if !slices.ContainsFunc(out, func(p ownPart) bool {
		return slices.ContainsFunc(out, func(o ownPart) bool { return g.Graph.Multiplies(p.table, o.table) })
	}) {
		return nil, fmt.Errorf("%w: no rows are repeated", ErrFanOut)
	}
	slices.Reverse(out) // a ratio names what it is divided by last
	for i := range out {
		out[i].alias = numbered(partName, i)
	}
	return out, g.separable(in, out)
}

// aggregates are the aggregates that an output is made of.
func aggregates(o intent.Output) []intent.Output {
	switch {
	case o.Agg != "":
		return []intent.Output{o}
	case o.Calc != nil:
		return append(aggregates(o.Calc.Left), aggregates(o.Calc.Right)...)
	}
	return nil
}

// finest is the table of an aggregate: of several that of which the others have one
// row each. Empty where there is none, or where it is a part of a whole.
func (g *Generator) finest(o intent.Output) string {
	if o.Agg == intent.AggShare || o.Agg == intent.AggRate || o.Base != "" {
		return ""
	}
	var tables []string
	for _, l := range o.Leaves() {
		tables = append(tables, g.tableOf(l.Field))
	}
	for _, t := range tables {
		if !slices.ContainsFunc(tables, func(other string) bool { return other != t && g.Graph.Multiplies(t, other) }) {
			return t
		}
	}
	return ""
}

// separable reports why parts cannot be aggregated apart: each has to belong to one
// group, and a condition that says nothing of a part leaves only its count as it is.
func (g *Generator) separable(in *intent.Intent, parts []ownPart) error {
	for _, f := range in.GroupBy {
		t := g.tableOf(f)
		if slices.ContainsFunc(parts, func(p ownPart) bool { return p.table != t && g.Graph.Multiplies(p.table, t) }) {
			return fmt.Errorf("%w: groups of %s", ErrFanOut, t)
		}
	}
	for _, id := range in.With {
		t := g.tableOf(intent.Field{Kind: intent.KindEntity, ID: id})
		grouped := slices.ContainsFunc(in.GroupBy, func(f intent.Field) bool { return g.tableOf(f) == t })
		if !grouped && !slices.ContainsFunc(parts, func(p ownPart) bool { return p.table == t || !g.Graph.Multiplies(p.table, t) }) {
			return fmt.Errorf("%w: rows of %s", ErrFanOut, t)
		}
	}
	for _, c := range in.Filters {
		applies := 0
		for _, p := range parts {
			switch {
			case c.Sub != nil || len(c.Args) > 0:
				return fmt.Errorf("%w: a nested condition", ErrFanOut)
			case g.applies(c, p.table):
				applies++
			case !p.counts:
				return fmt.Errorf("%w: a condition that says nothing of %s", ErrFanOut, p.table)
			}
		}
		if applies == 0 {
			return fmt.Errorf("%w: a condition of none", ErrFanOut)
		}
	}
	return nil
}

// applies reports whether a condition tells of each row of a table whether it holds.
func (g *Generator) applies(c intent.Cond, table string) bool {
	for _, o := range []*intent.Output{c.Left, c.Right} {
		if o == nil {
			continue
		}
		for _, l := range o.Leaves() {
			if t := g.tableOf(l.Field); t != table && g.Graph.Multiplies(table, t) {
				return false
			}
		}
	}
	return true
}

// ownQuery aggregates the values of one part by the groups.
func (g *Generator) ownQuery(in *intent.Intent, p *ownPart) (*tree.Select, error) {
	own := &intent.Intent{Type: in.Type, Entity: p.table, GroupBy: in.GroupBy}
	for _, f := range in.GroupBy {
		own.Select = append(own.Select, intent.Output{Field: f})
	}
	own.Select = append(own.Select, p.values...)
	for _, c := range in.Filters {
		if g.applies(c, p.table) {
			own.Filters = append(own.Filters, c)
		}
	}
	sel, err := (&writer{g: g, in: own}).sel()
	if err != nil {
		return nil, err
	}
	for i, item := range sel.Items {
		name := numbered(groupName, i)
		if n := len(in.GroupBy); i >= n {
			name = numbered(valueName, i-n)
		}
		if x, ok := item.(*tree.SelectExpr); ok {
			sel.Items[i] = tree.Item(x.Expr, name)
		}
	}
	return sel, nil
}

// joinPart joins a part by the groups.
func joinPart(in *intent.Intent, from, own tree.Relation, kind tree.JoinKind, first, alias string) tree.Relation {
	if from == nil {
		return own
	}
	var on []tree.Expr
	for j := range in.GroupBy {
		name := numbered(groupName, j)
		on = append(on, tree.Op(tree.OpEq, tree.Col(first, name), tree.Col(alias, name)))
	}
	return &tree.Join{Kind: kind, Left: from, Right: own, On: tree.And(on...)}
}
