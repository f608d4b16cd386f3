package text2sql_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql"
)

func hotelOf(t *testing.T, rules, layerText string) *text2sql.Service {
	t.Helper()
	data := t.TempDir()
	layer, file := filepath.Join(semantic.OwnDir(data, "hotel"), "hotel.yaml"), filepath.Join(data, "policy.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(layer), 0o750))
	require.NoError(t, os.WriteFile(layer, []byte(layerText), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(rules), 0o600))
	text := func(name string) catalog.Column { return catalog.Column{Name: name, Type: "varchar"} }
	table := func(name string, columns ...catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "eu", Schema: "main", Table: name}, RowCount: 70, Columns: append(columns, catalog.Column{Name: "amount", Type: "bigint"})}
	}
	tables := []catalog.Table{table("booking", text("guest"), text("remark"), text("town"), catalog.Column{Name: "age", Type: "bigint"}), table("payroll", text("person"))}
	store, err := source.Open(data)
	require.NoError(t, err)
	_, err = store.Make(t.Context(), "hotel", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "eu", DefaultSchema: "main"}, &catalog.Snapshot{Tables: tables}, nil
	})
	require.NoError(t, err)
	permitted, err := policy.Open(file, time.Now, nil)
	require.NoError(t, err)
	s, err := text2sql.New(text2sql.Config{DefaultSource: "hotel"}, text2sql.Deps{
		Sources: store, Catalog: permittedTables{policy: permitted, tables: tables}, DataDir: data, Policy: permitted,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestALayerWithoutWithheldValues: a layer of which only the values of a dimension are withheld is given without them.
func TestALayerWithoutWithheldValues(t *testing.T) {
	t.Parallel()
	s := hotelOf(t, "rules:\n  - {name: boss, user: boss}\n  - {name: rooms, columns: [{name: guest, mask: \"'***'\", if_present: true}]}\n", `
metrics:
  - {id: revenue, names: {en: revenue}, table: main.booking, expr: SUM(amount), unit: USD}
dimensions:
  - {id: guest, names: {en: guest}, table: main.booking, expr: guest, values: [{value: Maskwrit, synonyms: [captain]}]}
`)
	require.Contains(t, said(t, s, "boss", "revenue of the captain"), "Maskwrit")
	require.NotContains(t, said(t, s, "ann", "revenue of the captain"), "Maskwrit")
}
