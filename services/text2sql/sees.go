package text2sql

import (
	"context"
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// seesMetrics returns what tells whether the asker may know of a metric: of all
// that it is computed from he sees a table with the columns.
func (s *Service) seesMetrics(ctx context.Context, source string, layer *semantic.Layer) (func(*semantic.Metric) bool, error) {
	rules, err := s.deps.Policy.Current()
	if err != nil {
		return nil, err
	}
	grants := rules.For(run.From(ctx).Principal, source)
	if grants == nil || layer == nil {
		return func(*semantic.Metric) bool { return true }, nil
	}
	g, err := s.layers.store.Current(source)
	if err != nil {
		return nil, err
	}
	snapshot, err := g.Snapshot()
	if err != nil {
		return nil, err
	}
	seen := func(t *catalog.Table, columns []string) bool {
		access := grants.Access(t.Name)
		if !access.Permits(t) {
			return false
		}
		shown := access.Visible(t)
		return !slices.ContainsFunc(columns, func(name string) bool {
			_, stored := t.Column(name)
			_, visible := shown.Column(name)
			return stored && !visible
		})
	}
	return func(m *semantic.Metric) bool {
		reads := layer.Reads(m)
		return len(reads) > 0 && !slices.ContainsFunc(reads, func(r semantic.Read) bool {
			return !slices.ContainsFunc(semantic.Tables(r.Table, snapshot.Tables), func(t *catalog.Table) bool { return seen(t, r.Columns) })
		})
	}, nil
}
