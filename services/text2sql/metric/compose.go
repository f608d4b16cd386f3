package metric

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// composer puts what the tables give together. Each table, and each period, is
// aggregated on its own; their rows come one below the other and meet by what
// they are grouped by. Around that is computed, filtered, ordered and cut.
type composer struct {
	layer  *semantic.Layer
	in     *intent.Intent
	plan   Plan
	tables []catalog.Table
	read   []*catalog.Table

	names   []string // columns of the groups
	columns []string // columns of the values
	// steps is the column of time among names; empty for none.
	steps string
}

// block is one part over one period and one segment.
type block struct {
	part     Part
	previous bool
	segment  int // counted from one; 0: all rows
}

func (c *composer) query() (*tree.Query, error) {
	laid := *c.in
	laid.Time = dayByDay(c.in.Time)
	c.in = &laid
	if err := c.check(); err != nil {
		return nil, err
	}
	t, err := Spanned(c.layer, c.in)
	if err != nil {
		return nil, err
	}
	spanned := *c.in
	spanned.Time = t
	c.in = &spanned
	sel, err := c.body()
	if err != nil {
		return nil, err
	}
	q := tree.QueryOf(sel)
	switch {
	case c.in.Counted:
		return tree.QueryOf(c.counted(q)), nil
	case c.in.Limit > 0 && len(c.in.LimitPer) > 0:
		q = tree.QueryOf(c.ranked(sel, q))
	case c.in.Limit > 0:
		q.Limit = tree.LimitTo(c.in.Limit)
	}
	q.OrderBy = c.order(c.in.OrderBy)
	if len(c.in.Segments) > 0 {
		q.OrderBy = append(q.OrderBy, tree.By(tree.Col(segmentColumn), false))
	}
	return q, nil
}

// check refuses what would be wrong together.
func (c *composer) check() error {
	t := c.in.Time
	windows := len(c.windows()) > 0
	several := len(c.plan.Parts) > 1
	switch {
	case windows && (several || t != nil && t.Compare != nil), len(c.in.Segments) > 0 && slices.ContainsFunc(measured(c.in), func(o intent.Output) bool { return o.Agg == intent.AggShare || o.Agg == intent.AggWindow }):
		return &Problem{Code: "COMBINATION"}
	case t == nil || t.Compare == nil:
		return nil
	case t.From == "" && t.Grain == "":
		return &Problem{Code: "NO_PERIOD"}
	case t.Grain != "" && !steppable(t.Grain, t.Compare):
		return &Problem{Code: "COMBINATION"}
	}
	return nil
}

// body is the query without its order and limit.
func (c *composer) body() (*tree.Select, error) {
	blocks := c.blocks()
	if len(blocks) == 1 && c.flat() {
		w, err := c.writer(blocks[0], false)
		if err != nil {
			return nil, err
		}
		sel, names, err := w.selection()
		if err != nil {
			return nil, err
		}
		c.names = names
		if grain := w.grain(); grain != "" {
			c.steps = w.timeName(grain)
		}
		c.trim(sel, blocks[0].part)
		return sel, c.having(sel, blocks[0].part)
	}
	inner, err := c.joined(blocks)
	if err != nil {
		return nil, err
	}
	return c.outer(inner)
}

// flat reports whether one selection says it all.
func (c *composer) flat() bool {
	outputs := c.plan.Parts[0].Outputs
	over := slices.ContainsFunc(outputs, func(o intent.Output) bool { return o.Agg == intent.AggShare || o.Agg == intent.AggWindow })
	if over && len(c.in.Having) > 0 || c.leadIn() > 0 {
		return false // windows come after HAVING
	}
	for _, o := range measured(c.in) {
		if !slices.Contains(outputs, o) {
			return false
		}
	}
	return true
}

// leadIn is how many units before the period a window reaches; 0 for none.
func (c *composer) leadIn() int {
	most := 0
	for _, o := range c.windows() {
		if o.Window.N > 1 && c.in.Time != nil && c.in.Time.From != "" {
			most = max(most, o.Window.N-1)
		}
	}
	return most
}

// windows are the values over windows that tables are asked for.
func (c *composer) windows() []intent.Output {
	var out []intent.Output
	for _, p := range c.plan.Parts {
		for _, o := range p.Outputs {
			if o.Agg == intent.AggWindow {
				out = append(out, o)
			}
		}
	}
	return out
}

// trim leaves out of a selection what is only compared or ordered by.
func (c *composer) trim(sel *tree.Select, part Part) {
	var hidden []string
	for _, o := range part.Outputs {
		if !slices.Contains(c.in.Select, o) {
			hidden = append(hidden, Column(o))
		}
	}
	ordered := slices.ContainsFunc(c.in.OrderBy, func(o intent.Order) bool { return slices.Contains(hidden, Column(o.By)) })
	if ordered {
		return // its column is needed
	}
	c.columns = nil
	sel.Items = slices.DeleteFunc(slices.Clone(sel.Items), func(item tree.SelectItem) bool { return slices.Contains(hidden, itemName(item)) })
}

// having writes the conditions on results of one selection.
func (c *composer) having(sel *tree.Select, part Part) error {
	if len(c.in.Having) == 0 {
		return nil
	}
	w, err := c.writer(block{part: part}, false)
	if err != nil {
		return err
	}
	full, _, err := w.selection()
	if err != nil {
		return err
	}
	var conds []tree.Expr
	for _, h := range c.in.Having {
		for _, item := range full.Items {
			x, ok := item.(*tree.SelectExpr)
			if ok && itemName(item) == Column(*h.Left) {
				conds = append(conds, condition(x.Expr, h))
			}
		}
	}
	sel.Having = tree.And(conds...)
	return nil
}

func (c *composer) blocks() []block {
	var out []block
	for _, p := range c.plan.Parts {
		for segment := min(1, len(c.in.Segments)); segment <= len(c.in.Segments); segment++ {
			out = append(out, block{part: p, segment: segment})
			if c.in.Time != nil && c.in.Time.Compare != nil {
				out = append(out, block{part: p, previous: true, segment: segment})
			}
		}
	}
	return out
}

// writer writes a block; together says that others come below it.
func (c *composer) writer(b block, together bool) (*writer, error) {
	in := blockIntent(c.in, b.part.Outputs)
	w := &writer{layer: c.layer, in: in, c: b.part.Choice, sources: map[string]*source{}, together: together, segment: b.segment}
	if t := c.in.Time; t != nil {
		moved := *t
		moved.Compare = nil
		if b.previous {
			moved.From, moved.To = Before(t)
			if t.Grain != "" {
				w.later = months(t.Compare)
			}
		}
		if n := c.leadIn(); n > 0 {
			moved.From = earlier(t.From, t.Grain, n)
		}
		in.Time = &moved
	}
	if err := w.find(c.tables); err != nil {
		return nil, err
	}
	for _, t := range w.read {
		if !slices.Contains(c.read, t) {
			c.read = append(c.read, t)
		}
	}
	return w, nil
}

// joined is the query of all groups with all values.
func (c *composer) joined(blocks []block) (*tree.Query, error) {
	var body tree.QueryBody
	for _, b := range blocks {
		for _, o := range b.part.Outputs {
			if name := b.column(o); !slices.Contains(c.columns, name) {
				c.columns = append(c.columns, name)
			}
		}
	}
	several := len(blocks) > 1
	for _, b := range blocks {
		w, err := c.writer(b, several)
		if err != nil {
			return nil, err
		}
		sel, names, err := w.selection()
		if err != nil {
			return nil, err
		}
		if body != nil && !slices.Equal(names, c.names) {
			return nil, &Problem{Code: "COMBINATION"}
		}
		c.names = names
		if grain := w.grain(); grain != "" {
			c.steps = w.timeName(grain)
		}
		if !several {
			return tree.QueryOf(sel), nil
		}
		c.spread(sel, b, body == nil)
		if body == nil {
			body = sel
			continue
		}
		body = &tree.SetOp{Op: "UNION", Quantifier: tree.QuantifierAll, Left: body, Right: sel}
	}
	all := &tree.Select{From: []tree.Relation{tree.Alias(&tree.Derived{Query: tree.QueryOf(body)}, "parts")}}
	var groups []tree.Expr
	for _, name := range c.names {
		all.Items = append(all.Items, tree.Item(tree.Col(name), ""))
		groups = append(groups, tree.Col(name))
	}
	for _, name := range c.columns {
		all.Items = append(all.Items, tree.Item(tree.Fn("max", tree.Col(name)), name))
	}
	all.GroupBy = tree.GroupOn(groups...)
	return tree.QueryOf(all), nil
}

func (b block) column(o intent.Output) string {
	if b.previous {
		return previousColumn(Column(o))
	}
	return Column(o)
}

// spread gives a selection the columns of all blocks: NULL for those of others.
func (c *composer) spread(sel *tree.Select, b block, first bool) {
	groups, values := sel.Items[:len(c.names)], sel.Items[len(c.names):]
	mine := map[string]tree.Expr{}
	for i, o := range b.part.Outputs {
		if x, ok := values[i].(*tree.SelectExpr); ok {
			mine[b.column(o)] = x.Expr
		}
	}
	items := slices.Clone(groups)
	for _, name := range c.columns {
		var x tree.Expr = &tree.Null{}
		if own, ok := mine[name]; ok {
			x = own
		}
		if !first {
			items = append(items, tree.Item(x, ""))
			continue
		}
		items = append(items, tree.Item(x, name))
	}
	sel.Items = items
}
