package metric

import (
	"fmt"
	"slices"
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

// Write writes an intent with its choice as SQL. tables are those that are known
// to exist; a missing one gives a Problem TABLE_UNKNOWN with its name.
func Write(layer *semantic.Layer, in *intent.Intent, c Choice, tables []catalog.Table) (Written, error) {
	w := writer{layer: layer, in: in, c: c, aliases: map[string]string{}, stored: map[string]*catalog.Table{}}
	from, err := w.from(tables)
	if err != nil {
		return Written{}, err
	}
	q, err := w.query(from)
	if err != nil {
		return Written{}, err
	}
	return Written{Statement: tree.StatementOf(q), Tables: w.read}, nil
}

type writer struct {
	layer   *semantic.Layer
	in      *intent.Intent
	c       Choice
	aliases map[string]string // layer's table -> alias
	stored  map[string]*catalog.Table
	read    []*catalog.Table
}

// additive reports whether a metric may be summed over the days of an intent. A
// balance may not, but for one day or day by day.
func additive(m semantic.Metric, in *intent.Intent) bool {
	if m.Additivity != semantic.SemiAdditive {
		return true
	}
	t := in.Time
	return t != nil && (t.Grain == "day" || t.From != "" && t.To != "" && nextDay(t.From) == t.To)
}

func nextDay(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, 1).Format(time.DateOnly)
}

func (w *writer) from(tables []catalog.Table) (tree.Relation, error) {
	alone := len(w.c.Joins) == 0
	rel, region, err := w.relation(w.c.Table, "", alone, tables)
	if err != nil {
		return nil, err
	}
	for _, j := range w.c.Joins {
		right, _, err := w.relation(j.To, region, false, tables)
		if err != nil {
			return nil, err
		}
		var on []tree.Expr
		for i := range j.Columns {
			on = append(on, tree.Op(tree.OpEq, tree.Col(w.aliases[j.From], j.Columns[i]), tree.Col(w.aliases[j.To], j.ToColumns[i])))
		}
		rel = &tree.Join{Kind: tree.JoinLeft, Left: rel, Right: right, On: tree.And(on...)}
	}
	return rel, nil
}

func (w *writer) relation(table, region string, alone bool, tables []catalog.Table) (tree.Relation, string, error) {
	t, ok := w.c.find(table, region, tables)
	if !ok {
		return nil, "", &Problem{Code: "TABLE_UNKNOWN", What: []string{w.c.physical(w.layer, table)}}
	}
	w.stored[table] = t
	w.read = append(w.read, t)
	rel := tree.TableOf(t.Name.Region, t.Name.Schema, t.Name.Table)
	if alone {
		return rel, t.Name.Region, nil
	}
	w.aliases[table] = fmt.Sprintf("t%d", len(w.aliases)+1)
	return tree.Alias(rel, w.aliases[table]), t.Name.Region, nil
}

func (w *writer) query(from tree.Relation) (*tree.Query, error) {
	sel := &tree.Select{From: []tree.Relation{from}}
	var groups []tree.Expr
	if grain := w.grain(); grain != "" {
		x, err := w.timeCut(grain)
		if err != nil {
			return nil, err
		}
		alias := w.timeAlias(grain)
		if alias == w.c.Metrics[0].Time {
			alias = "" // the column itself
		}
		sel.Items = append(sel.Items, tree.Item(x, alias))
		groups = append(groups, x)
	}
	for _, f := range w.in.GroupBy {
		d, ok := w.c.Dimensions[f.ID]
		if !ok {
			continue // the country, where the table is one country's
		}
		x, err := w.dimension(d)
		if err != nil {
			return nil, err
		}
		alias := ""
		if d.Expr != "" && d.Expr != f.ID {
			alias = f.ID
		}
		sel.Items = append(sel.Items, tree.Item(x, alias))
		groups = append(groups, x)
	}
	for _, m := range w.c.Metrics {
		x, err := w.expr(m.Expr, m.Table)
		if err != nil {
			return nil, err
		}
		sel.Items = append(sel.Items, tree.Item(x, Base(m.ID)))
	}
	where, err := w.where()
	if err != nil {
		return nil, err
	}
	sel.Where = where
	sel.GroupBy = tree.GroupOn(groups...)
	q := tree.QueryOf(sel)
	for _, o := range w.in.OrderBy {
		q.OrderBy = append(q.OrderBy, tree.By(tree.Col(w.orderAlias(o)), o.Desc))
	}
	if w.in.Limit > 0 {
		q.Limit = tree.LimitTo(w.in.Limit)
	}
	return q, nil
}

func (w *writer) orderAlias(o intent.Order) string {
	if o.By.Kind == intent.KindTime {
		return w.timeAlias(w.grain())
	}
	return Base(o.By.ID)
}

func (w *writer) grain() string {
	if w.in.Time == nil {
		return ""
	}
	return w.in.Time.Grain
}

// timeAlias names the time column of the result: its own name for days.
func (w *writer) timeAlias(grain string) string {
	if m := w.c.Metrics[0]; grain == "day" && plainColumn(m.Time) {
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
	x, err := w.expr(m.Time, m.Table)
	if err != nil {
		return nil, "", err
	}
	typ := "date"
	if t, ok := w.stored[m.Table]; ok {
		if c, ok := t.Column(m.Time); ok {
			typ = c.Type
		}
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

// where is the range of time, the metrics' default filters, and the question's.
func (w *writer) where() (tree.Expr, error) {
	var conds []tree.Expr
	if t := w.in.Time; t != nil && (t.From != "" || t.To != "") {
		x, _, err := w.timeColumn()
		if err != nil {
			return nil, err
		}
		if t.From != "" {
			conds = append(conds, tree.Op(tree.OpGe, x, tree.TypedLit("date", t.From)))
		}
		if t.To != "" {
			conds = append(conds, tree.Op(tree.OpLt, x, tree.TypedLit("date", t.To)))
		}
	}
	if len(w.in.Country) > 0 && w.c.Country == "" {
		x, err := w.dimension(w.c.Dimensions[countryDimension])
		if err != nil {
			return nil, err
		}
		conds = append(conds, oneOf(x, w.in.Country, false))
	}
	defaults, err := w.defaults()
	if err != nil {
		return nil, err
	}
	conds = append(conds, defaults...)
	for _, f := range w.c.Named {
		x, err := w.expr(f.Expr, f.Table)
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	for _, f := range w.in.Filters {
		if f.Left == nil {
			continue
		}
		x, err := w.dimension(w.c.Dimensions[f.Left.ID])
		if err != nil {
			return nil, err
		}
		values := make([]string, len(f.Values))
		for i, v := range f.Values {
			values[i] = v.Text
		}
		conds = append(conds, oneOf(x, values, f.Op == intent.NotIn))
	}
	return tree.And(conds...), nil
}

// defaults are the conditions that the metrics always have. Metrics that do not
// share them cannot stand in one SELECT.
func (w *writer) defaults() ([]tree.Expr, error) {
	var conds []tree.Expr
	for i, m := range w.c.Metrics {
		if i > 0 && !slices.Equal(m.DefaultFilters, w.c.Metrics[0].DefaultFilters) {
			return nil, &Problem{Code: "NO_TABLE", What: []string{w.c.Metrics[0].ID, m.ID}}
		}
	}
	for _, f := range w.c.Metrics[0].DefaultFilters {
		x, err := w.expr(f, w.c.Table)
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	return conds, nil
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

func (w *writer) dimension(d semantic.Dimension) (tree.Expr, error) {
	expr := d.Expr
	if expr == "" {
		expr = Base(d.ID)
	}
	return w.expr(expr, d.Table)
}

// expr reads an expression of the layer and qualifies its columns.
func (w *writer) expr(text, table string) (tree.Expr, error) {
	x, err := semantic.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	alias := w.aliases[table]
	if alias == "" {
		return x, nil
	}
	out, err := tree.Rewrite(tree.Node(x), func(n tree.Node) tree.Node {
		if c, ok := n.(*tree.ColumnRef); ok && len(c.Parts) == 1 {
			return tree.Col(alias, c.Parts[0].Name)
		}
		return n
	})
	if err != nil {
		return nil, fmt.Errorf("qualify %q: %w", text, err)
	}
	qualified, ok := out.(tree.Expr)
	if !ok {
		return nil, fmt.Errorf("qualify %q: no expression", text)
	}
	return qualified, nil
}
