// Package sqlgen writes an intent as a Presto SQL tree. Names are quoted and
// texts escaped by the printer; nothing here joins strings into SQL.
package sqlgen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

// Errors of intents that cannot be written rightly.
var (
	ErrFanOut = errors.New("a sum or an average would count rows more than once")
	ErrJoin   = errors.New("the tables have no join")
	ErrShape  = errors.New("this combination cannot be written yet")
)

// Generator writes intents over one derived layer and its tables.
type Generator struct {
	Layer  *semantic.Layer
	Graph  *plan.Graph
	Tables []catalog.Table

	dims     map[string]*semantic.Dimension
	entities map[string]*semantic.Entity
	tables   map[string]*catalog.Table
}

// New returns a generator.
func New(layer *semantic.Layer, graph *plan.Graph, tables []catalog.Table) *Generator {
	g := &Generator{Layer: layer, Graph: graph, Tables: tables, dims: map[string]*semantic.Dimension{}, entities: map[string]*semantic.Entity{}, tables: map[string]*catalog.Table{}}
	for i := range layer.Dimensions {
		g.dims[layer.Dimensions[i].ID] = &layer.Dimensions[i]
	}
	for i := range layer.Entities {
		g.entities[layer.Entities[i].ID] = &layer.Entities[i]
	}
	for i := range tables {
		g.tables[tables[i].Name.String()] = &tables[i]
	}
	return g
}

// Statement returns the statement of an intent over a derived layer.
func (g *Generator) Statement(in *intent.Intent) (*tree.Statement, error) {
	q, err := g.query(in)
	if err != nil {
		return nil, err
	}
	return tree.StatementOf(q), nil
}

// through is the generator that joins over the columns an intent names for it.
func (g *Generator) through(via []string) *Generator {
	var columns []plan.Column
	for _, id := range via {
		if d := g.dims[id]; d != nil {
			columns = append(columns, plan.Column{Table: d.Table, Name: d.Expr})
		}
	}
	if len(columns) == 0 {
		return g
	}
	n := *g
	n.Graph = g.Graph.Through(columns)
	return &n
}

func (g *Generator) query(in *intent.Intent) (*tree.Query, error) {
	g = g.through(in.Via)
	switch {
	case len(in.LimitPer) > 0:
		return g.perGroup(in)
	case in.Counted:
		return g.counted(in)
	case len(in.Select) == 1 && in.Select[0].Base != "" && in.Select[0].Per.ID != "":
		return g.aggregated(in)
	}
	if own, previous, ok := periodsOf(in); ok {
		return g.compared(in, own, previous)
	}
	if q, err := g.apart(in); err == nil {
		return q, nil
	}
	w := &writer{g: g, in: in}
	sel, err := w.sel()
	if err != nil {
		return nil, err
	}
	q := tree.QueryOf(sel)
	if in.Set != nil {
		if len(in.OrderBy) > 0 || in.Limit > 0 {
			return nil, fmt.Errorf("%w: order of a set operation", ErrShape)
		}
		right := in.Set.Right
		right.Set = nil
		rw := &writer{g: g, in: &right}
		rs, err := rw.sel()
		if err != nil {
			return nil, err
		}
		q.Body = &tree.SetOp{Op: strings.ToUpper(in.Set.Op), Left: sel, Right: rs}
		return q, nil
	}
	for _, o := range in.OrderBy {
		if in.HasAggregate() && len(in.GroupBy) == 0 && !o.By.Aggregates() {
			return nil, fmt.Errorf("%w: one row of aggregates ordered by a column", ErrShape)
		}
		if o.By.Aggregates() && len(in.GroupBy) == 0 && !in.HasAggregate() {
			return nil, fmt.Errorf("%w: single rows ordered by an aggregate", ErrShape)
		}
		x, err := w.orderKey(o.By, sel)
		if err != nil {
			return nil, err
		}
		if in.Distinct && !slices.Contains(in.Select, o.By) {
			return nil, fmt.Errorf("%w: distinct rows ordered by what is not shown", ErrShape)
		}
		q.OrderBy = append(q.OrderBy, tree.By(x, o.Desc))
	}
	if in.Limit > 0 {
		q.Limit = tree.LimitTo(in.Limit)
	}
	return q, nil
}

// writer writes one SELECT.
type writer struct {
	g       *Generator
	in      *intent.Intent
	aliases map[string]string // table -> alias; empty alias: alone
	joined  []string
	outer   int // numbering of aliases starts after it
	// correlated marks that a subquery refers to this SELECT's tables: they all
	// get an alias, as a bare table name may also be the name of a column inside.
	correlated bool
	ready      map[intent.Output]tree.Expr // outputs that were computed before
	// own and previous are the conditions of the periods that are compared; nil: none are.
	own, previous *intent.Cond
}

func correlated(c intent.Cond) bool {
	return c.Op == intent.Exists || c.Op == intent.NotExists || slices.ContainsFunc(c.Args, correlated)
}

func (w *writer) sel() (*tree.Select, error) {
	keep, filtering := w.tables()
	semi := map[string]bool{}
	if len(keep) > 0 {
		for _, t := range filtering {
			if w.multiplies(keep, t) {
				semi[t] = true
			}
		}
	}
	if len(keep) == 0 {
		keep, filtering = filtering, nil
	}
	for _, t := range filtering {
		if !semi[t] {
			keep = append(keep, t)
		}
	}
	w.unneeded(keep, semi)
	w.correlated = len(semi) > 0 || slices.ContainsFunc(w.in.Filters, correlated)
	from, err := w.from(keep)
	if err != nil {
		return nil, err
	}
	s := &tree.Select{From: []tree.Relation{from}}
	if w.in.Distinct {
		s.Quantifier = tree.QuantifierDistinct
	}
	if err := w.fanOut(); err != nil {
		return nil, err
	}
	if err := w.items(s); err != nil {
		return nil, err
	}
	if s.Where, err = w.where(semi); err != nil {
		return nil, err
	}
	var groups []tree.Expr
	for _, f := range w.in.GroupBy {
		x, err := w.field(f)
		if err != nil {
			return nil, err
		}
		groups = append(groups, x)
	}
	s.GroupBy = tree.GroupOn(groups...)
	var having []tree.Expr
	for _, c := range w.in.Having {
		x, err := w.cond(c)
		if err != nil {
			return nil, err
		}
		having = append(having, x)
	}
	s.Having = tree.And(having...)
	return s, nil
}

// unneeded takes tables out of semi that the joins of what is shown pass through
// anyway: their rows are there, and conditions on them hold of those rows.
func (w *writer) unneeded(keep []string, semi map[string]bool) {
	jt, ok := w.g.Graph.Join(keep)
	if !ok {
		return
	}
	for _, e := range jt.Edges {
		delete(semi, e.To)
	}
}

// tables splits the tables into those whose rows are shown, grouped or ordered,
// and those that only filter. The entity comes first.
func (w *writer) tables() (keep, filtering []string) {
	add := func(list *[]string, t string) {
		if t != "" && !slices.Contains(keep, t) && !slices.Contains(*list, t) {
			*list = append(*list, t)
		}
	}
	figure := func(o intent.Output) {
		for _, l := range o.Leaves() {
			add(&keep, w.g.tableOf(l.Field))
			if l.When != nil {
				w.condTables(*l.When, func(t string) { add(&keep, t) })
			}
		}
	}
	for _, o := range w.in.Select {
		figure(o)
	}
	for _, f := range w.in.GroupBy {
		add(&keep, w.g.tableOf(f))
	}
	for _, c := range w.in.Having {
		add(&keep, w.g.tableOf(c.Left.Field))
	}
	for _, o := range w.in.OrderBy {
		figure(o.By)
	}
	for _, f := range w.in.LimitPer {
		add(&keep, w.g.tableOf(f))
	}
	for _, c := range w.in.Filters {
		w.condTables(c, func(t string) { add(&filtering, t) })
	}
	if w.own != nil {
		add(&keep, w.g.tableOf(w.own.Args[0].Left.Field))
	}
	for _, id := range w.in.With {
		add(&filtering, w.g.tableOf(intent.Field{Kind: intent.KindEntity, ID: id}))
	}
	if e := w.g.tableOf(intent.Field{Kind: intent.KindEntity, ID: w.in.Entity}); len(keep) == 0 && e != "" {
		keep = []string{e}
		filtering = slices.DeleteFunc(filtering, func(t string) bool { return t == e })
	} else if i := slices.Index(keep, e); i > 0 {
		keep = append([]string{e}, slices.Delete(keep, i, i+1)...)
	}
	return keep, filtering
}

func (w *writer) condTables(c intent.Cond, add func(string)) {
	for _, o := range []*intent.Output{c.Left, c.Right} {
		if o == nil {
			continue
		}
		for _, l := range o.Leaves() {
			add(w.g.tableOf(l.Field))
		}
	}
	for _, a := range c.Args {
		w.condTables(a, add)
	}
}

func (g *Generator) tableOf(f intent.Field) string {
	if f.Kind == intent.KindEntity {
		if e, ok := g.entities[f.ID]; ok {
			return e.Table
		}
		return ""
	}
	if d, ok := g.dims[f.ID]; ok {
		return d.Table
	}
	return ""
}

func (w *writer) multiplies(keep []string, t string) bool {
	nearest, best := "", plan.Unreachable+1
	for _, k := range keep {
		if d := w.g.Graph.Distance(k, t); d < best {
			nearest, best = k, d
		}
	}
	return w.g.Graph.Multiplies(nearest, t)
}

// from writes FROM with its joins and gives the tables their aliases.
func (w *writer) from(tables []string) (tree.Relation, error) {
	jt, ok := w.g.Graph.Join(tables)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrJoin, strings.Join(tables, ", "))
	}
	w.aliases = map[string]string{}
	w.joined = []string{jt.Root}
	for _, e := range jt.Edges {
		w.joined = append(w.joined, e.To)
	}
	for i, t := range w.joined {
		if len(w.joined) > 1 || w.outer > 0 || w.correlated {
			w.aliases[t] = fmt.Sprintf("t%d", w.outer+i+1)
		} else {
			w.aliases[t] = ""
		}
	}
	rel, err := w.relation(jt.Root)
	if err != nil {
		return nil, err
	}
	for _, e := range jt.Edges {
		right, err := w.relation(e.To)
		if err != nil {
			return nil, err
		}
		rel = &tree.Join{Kind: tree.JoinInner, Left: rel, Right: right, On: w.on(e, w.aliases[e.From], w.aliases[e.To])}
	}
	return rel, nil
}

func (w *writer) on(e plan.Edge, from, to string) tree.Expr {
	var conds []tree.Expr
	for i := range e.Columns {
		left, right := tree.Expr(tree.Col(from, e.Columns[i])), tree.Expr(tree.Col(to, e.ToCols[i]))
		left, right = w.g.alike(e, i, left, right)
		conds = append(conds, tree.Op(tree.OpEq, left, right))
	}
	return tree.And(conds...)
}

// alike casts both sides of a join to text where their types cannot be compared.
func (g *Generator) alike(e plan.Edge, i int, left, right tree.Expr) (tree.Expr, tree.Expr) {
	ft, okF := g.tables[e.From]
	tt, okT := g.tables[e.To]
	if !okF || !okT {
		return left, right
	}
	fc, _ := ft.Column(e.Columns[i])
	tc, _ := tt.Column(e.ToCols[i])
	if semantic.IsText(fc.Type) == semantic.IsText(tc.Type) {
		return left, right
	}
	if !semantic.IsText(fc.Type) {
		left = tree.CastTo(left, "varchar")
	} else {
		right = tree.CastTo(right, "varchar")
	}
	return left, right
}

func (w *writer) relation(table string) (tree.Relation, error) {
	t, ok := w.g.tables[table]
	if !ok {
		return nil, fmt.Errorf("table %s of the layer is not among the tables", table)
	}
	rel := tree.TableOf(t.Name.Region, t.Name.Schema, t.Name.Table)
	if alias := w.aliases[table]; alias != "" {
		return tree.Alias(rel, alias), nil
	}
	return rel, nil
}

func (w *writer) items(s *tree.Select) error {
	if len(w.in.Select) == 0 {
		return fmt.Errorf("%w: nothing is shown", ErrShape)
	}
	names := w.g.Columns(w.in)
	for i, o := range w.in.Select {
		x, err := w.output(o)
		if err != nil {
			return err
		}
		if x, err = rounded(x, o.Round); err != nil {
			return err
		}
		alias := ""
		if w.computed(o) {
			alias = names[i]
		}
		s.Items = append(s.Items, tree.Item(x, alias))
	}
	return nil
}

// computed reports whether an output is more than a column, so that it needs a name.
func (w *writer) computed(o intent.Output) bool {
	d := w.g.dims[o.ID]
	return o.Agg != "" || o.Grain != "" || o.Calc != nil || d != nil && d.Elapsed != nil
}

// orderKey is what the rows are ordered by: an aggregate or a period that is
// shown is named, anything else is written out.
func (w *writer) orderKey(o intent.Output, sel *tree.Select) (tree.Expr, error) {
	if i := slices.Index(w.in.Select, o); i >= 0 && w.computed(o) {
		if item, ok := sel.Items[i].(*tree.SelectExpr); ok && item.Alias != nil {
			return tree.Col(item.Alias.Name), nil
		}
	}
	return w.output(o)
}
