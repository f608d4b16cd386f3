package metric

import (
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// source is what a layer's table is read from: one stored table, or several that
// are one below the other.
type source struct {
	alias     string
	tables    []*catalog.Table
	countries []string // of the tables, where each is one country's
}

func (s *source) several() bool { return len(s.tables) > 1 }

// find picks the stored tables and gives each layer's table a name in the
// statement, unless it is the only one.
func (w *writer) find(tables []catalog.Table) error {
	region := ""
	names := append([]string{w.c.Table}, w.c.joined()...)
	for i, name := range names {
		s := &source{}
		for _, code := range w.c.each(name) {
			found := find(stored(name), code, region, tables)
			if len(found) == 0 {
				// Its name would tell of a table that the asker may not know of.
				return &Problem{Code: "TABLE_UNKNOWN"}
			}
			for _, t := range found {
				s.tables = append(s.tables, t)
				s.countries = append(s.countries, code)
				if code != "" {
					break
				}
			}
		}
		if i == 0 && !s.several() {
			region = s.tables[0].Name.Region
		}
		if len(names) > 1 || s.several() {
			s.alias = fmt.Sprintf("t%d", i+1)
		}
		w.sources[name] = s
		w.read = append(w.read, s.tables...)
	}
	return nil
}

// from writes the tables with their joins. period is what the rows of several
// tables are cut to before they come together.
func (w *writer) from(sel *tree.Select, period []tree.Expr) (tree.Relation, error) {
	used := map[string][]string{} // alias -> columns
	collect := func(n tree.Node) bool {
		if c, ok := n.(*tree.ColumnRef); ok && len(c.Parts) == 2 {
			alias, name := c.Parts[0].Name, c.Parts[1].Name
			if !slices.Contains(used[alias], name) {
				used[alias] = append(used[alias], name)
			}
		}
		return true
	}
	tree.Walk(sel, collect)
	var on [][]tree.Expr
	for _, j := range w.c.Joins {
		var conds []tree.Expr
		for i := range j.Columns {
			x := tree.Op(tree.OpEq, w.column(j.From, j.Columns[i]), w.column(j.To, j.ToColumns[i]))
			tree.Walk(x, collect)
			conds = append(conds, x)
		}
		if w.sources[j.From].several() && w.sources[j.To].several() && len(w.c.Countries) > 1 && len(w.c.each(j.To)) > 1 {
			x := tree.Op(tree.OpEq, w.column(j.From, countryDimension), w.column(j.To, countryDimension))
			tree.Walk(x, collect)
			conds = append(conds, x)
		}
		on = append(on, conds)
	}
	rel, err := w.relation(w.c.Table, used, period)
	if err != nil {
		return nil, err
	}
	for i, j := range w.c.Joins {
		right, err := w.relation(j.To, used, nil)
		if err != nil {
			return nil, err
		}
		rel = &tree.Join{Kind: tree.JoinLeft, Left: rel, Right: right, On: tree.And(on[i]...)}
	}
	return rel, nil
}

func (w *writer) relation(table string, used map[string][]string, period []tree.Expr) (tree.Relation, error) {
	s := w.sources[table]
	if !s.several() {
		rel := tree.TableOf(s.tables[0].Name.Region, s.tables[0].Name.Schema, s.tables[0].Name.Table)
		if s.alias == "" {
			return rel, nil
		}
		return tree.Alias(rel, s.alias), nil
	}
	inner, err := unqualified(period)
	if err != nil {
		return nil, err
	}
	var body tree.QueryBody
	for i, t := range s.tables {
		sel := &tree.Select{From: []tree.Relation{tree.TableOf(t.Name.Region, t.Name.Schema, t.Name.Table)}, Where: tree.And(inner...)}
		for _, c := range used[s.alias] {
			if c == countryDimension && s.countries[i] != "" {
				sel.Items = append(sel.Items, tree.Item(tree.Str(s.countries[i]), countryDimension))
				continue
			}
			sel.Items = append(sel.Items, tree.Item(tree.Col(c), ""))
		}
		if len(sel.Items) == 0 {
			sel.Items = append(sel.Items, tree.Item(tree.Int(1), "one")) // rows are counted
		}
		if body == nil {
			body = sel
			continue
		}
		body = &tree.SetOp{Op: "UNION", Quantifier: tree.QuantifierAll, Left: body, Right: sel}
	}
	return tree.Alias(&tree.Derived{Query: tree.QueryOf(body)}, s.alias), nil
}

// unqualified takes the tables' names off columns.
func unqualified(conds []tree.Expr) ([]tree.Expr, error) {
	out := make([]tree.Expr, len(conds))
	for i, x := range conds {
		bare, err := tree.Rewrite(x, func(n tree.Node) tree.Node {
			if c, ok := n.(*tree.ColumnRef); ok && len(c.Parts) == 2 {
				return tree.Col(c.Parts[1].Name)
			}
			return n
		})
		if err != nil {
			return nil, fmt.Errorf("unqualify: %w", err)
		}
		out[i] = bare
	}
	return out, nil
}
