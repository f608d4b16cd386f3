package metric

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Written is the statement of an intent and where it reads.
type Written struct {
	Statement *tree.Statement
	Tables    []*catalog.Table
}

// Write writes an intent with its plan as SQL. tables are those that are known to
// exist; a missing one gives a Problem TABLE_UNKNOWN, which does not name it.
func Write(layer *semantic.Layer, in *intent.Intent, plan Plan, tables []catalog.Table) (Written, error) {
	c := composer{layer: layer, in: in, plan: plan, tables: tables}
	q, err := c.query()
	if err != nil {
		return Written{}, err
	}
	return Written{Statement: tree.StatementOf(q), Tables: c.read}, nil
}

// writer writes what one table gives.
type writer struct {
	layer   *semantic.Layer
	in      *intent.Intent
	c       Choice
	sources map[string]*source // by the layer's table name
	read    []*catalog.Table
	// together marks one of several selections whose columns must be alike.
	together bool
	// later moves the time of groups forward, so that it meets the period that it
	// is compared with; nil: not at all.
	later *intent.Compare
	// segment counts from one which of the intent's segments is written; 0: none.
	segment int
}

func nextDay(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, 1).Format(time.DateOnly)
}

// selection writes the groups and numbers of one table. names are those of the
// groups' columns.
func (w *writer) selection() (sel *tree.Select, names []string, err error) {
	sel = &tree.Select{}
	groups, err := w.groups(sel)
	if err != nil {
		return nil, nil, err
	}
	for _, item := range sel.Items {
		names = append(names, itemName(item))
	}
	if err := w.metrics(sel, groups); err != nil {
		return nil, nil, err
	}
	period, err := w.period()
	if err != nil {
		return nil, nil, err
	}
	where, err := w.where()
	if err != nil {
		return nil, nil, err
	}
	one, err := w.oneTime()
	if err != nil {
		return nil, nil, err
	}
	where = append(where, one...)
	if !w.sources[w.c.Table].several() {
		where, period = append(period, where...), nil
	}
	sel.Where = tree.And(where...)
	sel.GroupBy = tree.GroupOn(groups...)
	joins, err := w.from(sel, period)
	if err != nil {
		return nil, nil, err
	}
	sel.From = []tree.Relation{joins}
	return sel, names, nil
}

// itemName is the name of a result column that this package wrote.
func itemName(item tree.SelectItem) string {
	x, ok := item.(*tree.SelectExpr)
	if !ok {
		return ""
	}
	if x.Alias != nil {
		return x.Alias.Name
	}
	if c, ok := x.Expr.(*tree.ColumnRef); ok {
		return c.Parts[len(c.Parts)-1].Name
	}
	return ""
}

// groups writes the columns that are grouped by: time first.
func (w *writer) groups(sel *tree.Select) ([]tree.Expr, error) {
	var groups []tree.Expr
	add := func(x tree.Expr, name string) {
		if c, ok := x.(*tree.ColumnRef); ok && c.Parts[len(c.Parts)-1].Name == name {
			name = "" // the column itself
		}
		sel.Items = append(sel.Items, tree.Item(x, name))
		groups = append(groups, x)
	}
	for _, f := range w.c.Named {
		if f.Segment > 0 && f.Segment == w.segment {
			sel.Items = append(sel.Items, tree.Item(tree.Str(cmp.Or(f.Names.EN, f.Names.ZH)), segmentColumn))
		}
	}
	if grain := w.grain(); grain != "" {
		x, err := w.timeCut(grain)
		if err != nil {
			return nil, err
		}
		if w.later != nil {
			x = tree.Fn("date_add", tree.Str(w.later.Unit), tree.Int(int64(w.later.N)), x)
		}
		add(x, w.timeName(grain))
	}
	for _, f := range w.in.GroupBy {
		if f.Kind == intent.KindEntity {
			k := w.c.Entities[f.ID]
			for i, col := range k.Columns {
				add(w.column(k.Table, col), k.Name(k.Entity.Key[i]))
			}
			for _, l := range k.Entity.Label {
				add(w.column(k.Entity.Table, l), k.Name(l))
			}
			continue
		}
		x, ok, err := w.dimension(f.ID)
		if err != nil {
			return nil, err
		}
		switch {
		case ok:
			add(x, f.ID)
		case w.together && f.ID == countryDimension && len(w.c.Countries) == 1:
			sel.Items = append(sel.Items, tree.Item(tree.Str(w.c.Countries[0]), f.ID))
		}
	}
	return groups, nil
}

func (w *writer) grain() string {
	if w.in.Time == nil {
		return ""
	}
	return w.in.Time.Grain
}

// timeName names the time column of the result: its own name for days.
func (w *writer) timeName(grain string) string {
	if m := w.c.Metrics[0]; grain == "day" && plainColumn(m.Time) && !w.together {
		return m.Time
	}
	return grain
}

func plainColumn(expr string) bool { return expr != "" && !strings.ContainsAny(expr, " ()+-*/'\".,") }

func (w *writer) timeColumn() (tree.Expr, string, error) {
	m := w.c.Metrics[0]
	if m.Time == "" {
		return nil, "", &Problem{Code: "NO_DIMENSION", What: []string{"time"}}
	}
	of := cmp.Or(w.c.TimeAt, w.c.Table)
	x, err := w.expr(m.Time, of)
	if err != nil {
		return nil, "", err
	}
	typ := "date"
	if c, ok := w.sources[of].tables[0].Column(m.Time); ok {
		typ = c.Type
	}
	if semantic.IsText(typ) { // a text holding days: read as days, never compared as text
		return tree.CastTo(x, "date"), "date", nil
	}
	return x, typ, nil
}

func (w *writer) timeCut(grain string) (tree.Expr, error) {
	x, typ, err := w.timeColumn()
	if err != nil {
		return nil, err
	}
	own := w.c.Metrics[0].Grain
	if grain == "hour" && (own == "day" || typ == "date") || grain == "day" && (own == "week" || own == "month") {
		return nil, &Problem{Code: "NO_DIMENSION", What: []string{grain}}
	}
	if grain == "day" && typ == "date" {
		return x, nil
	}
	return tree.Fn("date_trunc", tree.Str(grain), x), nil
}

// period is the range of time.
func (w *writer) period() ([]tree.Expr, error) {
	t := w.in.Time
	if t == nil || t.From == "" && (t.To == "" || w.c.Metrics[0].Time == "") {
		return nil, nil // what is counted as of now is that up to yesterday too
	}
	x, _, err := w.timeColumn()
	if err != nil {
		return nil, err
	}
	var conds []tree.Expr
	if t.From != "" {
		conds = append(conds, tree.Op(tree.OpGe, x, tree.TypedLit("date", t.From)))
	}
	if t.To != "" {
		conds = append(conds, tree.Op(tree.OpLt, x, tree.TypedLit("date", t.To)))
	}
	return conds, nil
}

// named is the condition of a named filter. Denied, it leaves what is not known to be so.
func (w *writer) named(f Named) (tree.Expr, error) {
	x, err := w.expr(f.Expr, f.Table)
	if err != nil || !f.Not {
		return x, err
	}
	return &tree.Not{X: tree.Fn("coalesce", x, &tree.Bool{})}, nil
}

// where is the countries, the default filters of all metrics, and the
// conditions of the question.
func (w *writer) where() ([]tree.Expr, error) {
	var conds []tree.Expr
	if len(w.in.Country) > 0 && len(w.c.Countries) == 0 {
		x, _, err := w.dimension(countryDimension)
		if err != nil {
			return nil, err
		}
		conds = append(conds, oneOf(x, w.in.Country, false))
	}
	for _, f := range w.sharedFilters() {
		x, err := w.expr(f, w.c.Table)
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	for _, f := range w.c.Named {
		if f.Segment > 0 && f.Segment != w.segment || f.ID == w.in.Part {
			continue
		}
		x, err := w.named(f)
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	for _, f := range w.in.Filters {
		if f.Left == nil || f.Left.ID == w.in.Part {
			continue
		}
		x, err := w.condition(f)
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	return conds, nil
}

func (w *writer) condition(f intent.Cond) (tree.Expr, error) {
	x, ok, err := w.dimension(f.Left.ID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &Problem{Code: "NO_DIMENSION", What: []string{f.Left.ID}}
	}
	if f.Op == intent.NotNull {
		return &tree.IsNull{X: x, Not: true}, nil
	}
	values := make([]string, len(f.Values))
	for i, v := range f.Values {
		values[i] = v.Text
	}
	return oneOf(x, values, f.Op == intent.NotIn), nil
}

func oneOf(x tree.Expr, values []string, not bool) tree.Expr {
	if len(values) == 1 {
		op := tree.OpEq
		if not {
			op = tree.OpNe
		}
		return tree.Op(op, x, tree.Str(values[0]))
	}
	list := make([]tree.Expr, len(values))
	for i, v := range values {
		list[i] = tree.Str(v)
	}
	return &tree.InList{X: x, List: list, Not: not}
}

// dimension writes a dimension; false for the country where the table is one
// country's.
func (w *writer) dimension(id string) (tree.Expr, bool, error) {
	d, ok := w.c.Dimensions[id]
	if !ok {
		if id == countryDimension && len(w.c.Countries) > 1 {
			return w.column(w.c.Table, countryDimension), true, nil
		}
		return nil, false, nil
	}
	expr := d.Expr
	if expr == "" {
		expr = Base(d.ID)
	}
	x, err := w.expr(expr, d.Table)
	return x, true, err
}

func (w *writer) column(table, name string) tree.Expr {
	return tree.Col(w.sources[table].alias, name)
}

// expr reads an expression of the layer and qualifies its columns.
func (w *writer) expr(text, table string) (tree.Expr, error) {
	x, err := semantic.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	s, ok := w.sources[table]
	if !ok {
		return nil, fmt.Errorf("expression %q of the semantic layer: table %s is not read", text, table)
	}
	if s.alias == "" {
		return x, nil
	}
	out, err := tree.Rewrite(x, func(n tree.Node) tree.Node {
		if c, ok := n.(*tree.ColumnRef); ok && len(c.Parts) == 1 {
			return tree.Col(s.alias, c.Parts[0].Name)
		}
		return n
	})
	if err != nil {
		return nil, fmt.Errorf("qualify %q: %w", text, err)
	}
	return out, nil
}
