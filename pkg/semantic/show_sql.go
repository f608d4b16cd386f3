package semantic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// timeName is the column of a shown query that holds the time.
const timeName = "time"

// SQL writes what a metric means as one Presto query: its value by its own time,
// or one number where it has none. It is made to be read, and runs; a question's
// query has the question's groups and period besides. cid stands for {cid} in
// names of tables; names have no data centre.
func (l *Layer) SQL(id, cid string) (*tree.Statement, error) {
	m, ok := l.Metric(id)
	if !ok {
		return nil, fmt.Errorf("there is no metric %q", id)
	}
	s := shower{layer: l, cid: cid}
	q, dated, err := s.query(m)
	if err != nil {
		return nil, fmt.Errorf("write metric %q as SQL: %w", id, err)
	}
	if dated {
		q.OrderBy = []*tree.SortItem{tree.By(tree.Col(timeName), false)}
	}
	return tree.StatementOf(q), nil
}

type shower struct {
	layer *Layer
	cid   string
	depth int
}

// maxShown bounds how deep metrics are made of others; a layer without cycles may
// still be deeper than anybody reads.
const maxShown = 20

// query returns the metric's query; dated: it has a column of time.
func (s *shower) query(m *Metric) (q *tree.Query, dated bool, err error) {
	if s.depth++; s.depth > maxShown {
		return nil, false, fmt.Errorf("metrics are made of others more than %d times", maxShown)
	}
	defer func() { s.depth-- }()
	switch m.Kind() {
	case Ratio, Derived:
		return s.composed(m)
	case Cumulative:
		return s.cumulative(m)
	}
	return s.simple(m)
}

func (s *shower) simple(m *Metric) (*tree.Query, bool, error) {
	expr, err := ParseExpr(m.Expr)
	if err != nil {
		return nil, false, err
	}
	where, err := parseAll(m.DefaultFilters)
	if err != nil {
		return nil, false, err
	}
	rows, dated, err := s.rows(m)
	if err != nil {
		return nil, false, err
	}
	sel := &tree.Select{From: []tree.Relation{rows}, Where: tree.And(where...)}
	if dated != "" {
		time, err := ParseExpr(dated)
		if err != nil {
			return nil, false, err
		}
		sel.Items = append(sel.Items, tree.Item(time, timeName))
		sel.GroupBy = tree.GroupOn(time)
	}
	sel.Items = append(sel.Items, tree.Item(expr, m.ID))
	return tree.QueryOf(sel), m.Time != "", nil
}

// joinedTime is the column of time of rows whose time is in another table.
const joinedTime = "joined_time"

// rows is what a metric reads, and its column or expression of time there: its table,
// or, where its time is in another one, both joined.
func (s *shower) rows(m *Metric) (tree.Relation, string, error) {
	if m.TimeOf() == m.Table {
		return s.table(m.Table), m.Time, nil
	}
	path, ok := s.layer.Path(m.Table, m.TimeTable, "")
	if !ok {
		return nil, "", fmt.Errorf("no join leads from %s to %s", m.Table, m.TimeTable)
	}
	alias := map[string]string{m.Table: "t1"}
	var from tree.Relation = tree.Alias(s.table(m.Table), "t1")
	for i, j := range path {
		alias[j.To] = fmt.Sprintf("t%d", i+2)
		on := make([]tree.Expr, len(j.Columns))
		for c := range j.Columns {
			on[c] = tree.Op(tree.OpEq, tree.Col(alias[j.From], j.Columns[c]), tree.Col(alias[j.To], j.ToColumns[c]))
		}
		from = &tree.Join{Kind: tree.JoinLeft, Left: from, Right: tree.Alias(s.table(j.To), alias[j.To]), On: tree.And(on...)}
	}
	time, err := ParseExpr(m.Time)
	if err != nil {
		return nil, "", err
	}
	time, err = tree.Rewrite(time, func(n tree.Node) tree.Node {
		if c, ok := n.(*tree.ColumnRef); ok {
			return tree.Col(alias[m.TimeTable], c.Parts[len(c.Parts)-1].Name)
		}
		return n
	})
	if err != nil {
		return nil, "", err
	}
	sel := &tree.Select{From: []tree.Relation{from}, Items: []tree.SelectItem{&tree.Star{Qualifier: tree.Col("t1")}, tree.Item(time, joinedTime)}}
	return tree.Alias(&tree.Derived{Query: tree.QueryOf(sel)}, "joined"), joinedTime, nil
}

// composed joins the inputs, each aggregated on its own, on their time.
func (s *shower) composed(m *Metric) (*tree.Query, bool, error) {
	formula, err := m.Formula()
	if err != nil {
		return nil, false, err
	}
	inputs, err := m.Inputs()
	if err != nil {
		return nil, false, err
	}
	var (
		with  = &tree.With{}
		from  tree.Relation
		dated bool
	)
	for _, id := range inputs {
		in, ok := s.layer.Metric(id)
		if !ok {
			return nil, false, fmt.Errorf("there is no metric %q", id)
		}
		q, has, err := s.query(in)
		if err != nil {
			return nil, false, err
		}
		with.Queries = append(with.Queries, &tree.CommonTable{Name: tree.ID(id), Query: q})
		switch {
		case from == nil:
			from = tree.TableOf(id)
		case dated && has:
			from = &tree.Join{Kind: tree.JoinFull, Left: from, Right: tree.TableOf(id), Using: []*tree.Ident{tree.ID(timeName)}}
		default:
			from = &tree.Join{Kind: tree.JoinCross, Left: from, Right: tree.TableOf(id)}
		}
		dated = dated || has
	}
	sel := &tree.Select{From: []tree.Relation{from}}
	if dated {
		sel.Items = append(sel.Items, tree.Item(tree.Col(timeName), ""))
	}
	sel.Items = append(sel.Items, tree.Item(formula, m.ID))
	q := tree.QueryOf(sel)
	q.With = with
	return q, dated, nil
}

// cumulative joins to each time all rows up to it.
func (s *shower) cumulative(m *Metric) (*tree.Query, bool, error) {
	of, ok := s.layer.Metric(m.Of)
	if !ok || of.Composed() || of.Time == "" {
		return nil, false, fmt.Errorf("metric %q cannot be accumulated", m.Of)
	}
	const each, rows = "days", "t"
	table, time, err := s.rows(of)
	if err != nil {
		return nil, false, err
	}
	parts, err := parseAll(append([]string{of.Expr, time}, of.DefaultFilters...))
	if err != nil {
		return nil, false, err
	}
	spine := &tree.Select{
		Quantifier: tree.QuantifierDistinct, Items: []tree.SelectItem{tree.Item(parts[1], timeName)},
		From: []tree.Relation{table}, Where: tree.And(parts[2:]...),
	}
	inRows := make([]tree.Expr, len(parts))
	for i, x := range parts {
		if inRows[i], err = tree.Rewrite(x, func(n tree.Node) tree.Node {
			if c, ok := n.(*tree.ColumnRef); ok {
				return tree.Col(rows, c.Parts[len(c.Parts)-1].Name)
			}
			return n
		}); err != nil {
			return nil, false, err
		}
	}
	at, now := inRows[1], tree.Col(each, timeName)
	on := []tree.Expr{tree.Op(tree.OpLe, at, now)}
	if m.Window != nil {
		on = append(on, tree.Op(tree.OpGt, at, tree.Op(tree.OpSub, now, interval(*m.Window))))
	}
	if m.ToDate != "" {
		on = append(on, tree.Op(tree.OpGe, at, tree.Fn("date_trunc", tree.Str(m.ToDate), now)))
	}
	sel := &tree.Select{
		Items: []tree.SelectItem{tree.Item(now, ""), tree.Item(inRows[0], m.ID)},
		From: []tree.Relation{&tree.Join{
			Kind: tree.JoinInner, Left: tree.Alias(&tree.Derived{Query: tree.QueryOf(spine)}, each),
			Right: tree.Alias(unnamed(table), rows), On: tree.And(on...),
		}},
		Where: tree.And(inRows[2:]...), GroupBy: tree.GroupOn(now),
	}
	return tree.QueryOf(sel), true, nil
}

// unnamed is a relation without the name that it was given.
func unnamed(r tree.Relation) tree.Relation {
	if a, ok := r.(*tree.Aliased); ok {
		return a.Relation
	}
	return r
}

// interval is a window as Presto writes it, which has no quarters and weeks.
func interval(w Window) tree.Expr {
	count, unit := w.Count, w.Unit
	switch unit {
	case "quarter":
		count, unit = 3*count, "month"
	case "week":
		count, unit = 7*count, "day"
	}
	return &tree.Interval{Value: strconv.Itoa(count), From: strings.ToUpper(unit)}
}

func (s *shower) table(name string) tree.Relation {
	return tree.TableOf(strings.Split(strings.ReplaceAll(name, CIDPlaceholder, s.cid), ".")...)
}

func parseAll(texts []string) ([]tree.Expr, error) {
	out := make([]tree.Expr, len(texts))
	for i, t := range texts {
		x, err := ParseExpr(t)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}
