package text2sql_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql"
)

// TestMetricsOfHiddenPartsAreNotListed: a metric over a table or a column that the
// asker may not see does not exist for him, nor one made of it.
func TestMetricsOfHiddenPartsAreNotListed(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	layer := filepath.Join(semantic.OwnDir(data, "farm"), "farm.yaml")
	rules := filepath.Join(data, "policy.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(layer), 0o750))
	require.NoError(t, os.WriteFile(layer, []byte(`
metrics:
  - {id: eggs, names: {en: eggs}, table: main.hen, expr: SUM(eggs)}
  - {id: feed, names: {en: feed}, table: main.hen, expr: SUM(feed_cost)}
  - {id: pay, names: {en: pay}, table: main.wage, expr: SUM(amount)}
  - {id: pay_per_egg, names: {en: pay per egg}, type: ratio, numerator: pay, denominator: eggs}
`), 0o600))
	require.NoError(t, os.WriteFile(rules, []byte(`
rules:
  - {name: boss, user: boss}
  - {name: wages, table: wage, access: deny}
  - {name: hens, table: hen, columns: [{name: feed_cost, access: deny}]}
  - {name: rest}
`), 0o600))
	store, err := source.Open(data)
	require.NoError(t, err)
	column := func(name string) catalog.Column { return catalog.Column{Name: name, Type: "bigint"} }
	_, err = store.Make(context.Background(), "farm", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		table := func(name string, columns ...catalog.Column) catalog.Table {
			return catalog.Table{Name: catalog.Name{Region: "farm", Schema: "main", Table: name}, Columns: columns}
		}
		return source.Manifest{Engine: source.EngineDuckDB}, &catalog.Snapshot{Tables: []catalog.Table{
			table("hen", column("eggs"), column("feed_cost")), table("wage", column("amount")),
		}}, nil
	})
	require.NoError(t, err)
	file, err := policy.Open(rules, time.Now, nil)
	require.NoError(t, err)
	s, err := text2sql.New(text2sql.Config{DefaultSource: "farm"}, text2sql.Deps{Sources: store, Catalog: &catalogOf{}, DataDir: data, Policy: file})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for person, want := range map[string][]string{"boss": {"eggs", "feed", "pay", "pay_per_egg"}, "ann": {"eggs"}} {
		resp, err := s.ListMetrics(as(person), &text2sqlv1.ListMetricsRequest{})
		require.NoError(t, err)
		var ids []string
		for _, m := range resp.GetMetrics() {
			ids = append(ids, m.GetId())
		}
		require.Equal(t, want, ids, person)
	}
}
