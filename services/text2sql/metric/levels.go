package metric

import (
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// oneTime keeps the rows of the last, or the first, of the table's times in each
// step of time, or in the period, where that is what the metrics are over it.
func (w *writer) oneTime() ([]tree.Expr, error) {
	m := w.c.Metrics[0]
	if !takesOne(m) || w.grain() == m.Grain {
		return nil, nil
	}
	if w.sources[w.c.Table].several() {
		return nil, &Problem{Code: "COMBINATION"}
	}
	column, _, err := w.timeColumn()
	if err != nil {
		return nil, err
	}
	inner := *w
	inner.sources = map[string]*source{w.c.Table: {tables: w.sources[w.c.Table].tables, countries: w.sources[w.c.Table].countries}}
	t, _, err := inner.timeColumn()
	if err != nil {
		return nil, err
	}
	conds, err := inner.period()
	if err != nil {
		return nil, err
	}
	for _, f := range inner.sharedFilters() {
		x, err := inner.expr(f, w.c.Table)
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	which := map[semantic.OverTime]string{semantic.TakeLast: "max", semantic.TakeFirst: "min"}[m.OverTime]
	sel := &tree.Select{Items: []tree.SelectItem{tree.Item(tree.Fn(which, t), "")}, Where: tree.And(conds...)}
	name := w.sources[w.c.Table].tables[0].Name
	sel.From = []tree.Relation{tree.TableOf(name.Region, name.Schema, name.Table)}
	if grain := w.grain(); grain != "" {
		cut, err := inner.timeCut(grain)
		if err != nil {
			return nil, err
		}
		sel.GroupBy = tree.GroupOn(cut)
	}
	return []tree.Expr{&tree.InQuery{X: column, Query: tree.QueryOf(sel)}}, nil
}
