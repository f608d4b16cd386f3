package source_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/source"
)

// TestSamplesOfAServerWithRightsOfItsOwn: stored values of a Trino source are in its
// catalog only where it is known that they were read by somebody who saw no more
// than the askers do. Catalogs that were made before that was noted have none.
func TestSamplesOfAServerWithRightsOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		engine      source.EngineKind
		impersonate bool
		by          string
		shown       bool
	}{
		"own data":                            {engine: source.EngineDuckDB, shown: true},
		"described":                           {engine: source.EngineNone, shown: true},
		"one user, before it was noted":       {engine: source.EngineTrino},
		"one user, who read them":             {engine: source.EngineTrino, by: "svc_agent", shown: true},
		"one user, read by another":           {engine: source.EngineTrino, by: "admin"},
		"as the asker, before it was noted":   {engine: source.EngineTrino, impersonate: true},
		"as the asker, read by the service":   {engine: source.EngineTrino, impersonate: true, by: "svc_agent"},
		"as the asker, read by whom they say": {engine: source.EngineTrino, impersonate: true, by: "everybody", shown: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, _ := open(t)
			g, err := store.Make(t.Context(), "wh", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
				m := source.Manifest{Engine: tc.engine, SamplesBy: tc.by}
				if tc.engine == source.EngineTrino {
					c := connection()
					c.Impersonate = tc.impersonate
					m.Trino = &c
				}
				return m, &catalog.Snapshot{Tables: []catalog.Table{{Name: catalog.Name{Region: "sg", Schema: "s", Table: "t"}, RowCount: 9,
					Columns: []catalog.Column{{Name: "city", Type: "varchar", Distinct: 2, Samples: []string{"Bern", "Porto"}}}}}}, nil
			})
			require.NoError(t, err)
			require.Equal(t, tc.shown, g.SamplesShared())
			for range 2 { // and after a change of the catalog, which copies what it read
				s, err := g.Snapshot()
				require.NoError(t, err)
				require.Equal(t, tc.shown, len(s.Tables[0].Columns[0].Samples) > 0)
				require.EqualValues(t, 2, s.Tables[0].Columns[0].Distinct)
				require.EqualValues(t, 9, s.Tables[0].RowCount)
				g, err = store.Update(t.Context(), "wh", func(*source.Change) error { return nil })
				require.NoError(t, err)
			}
		})
	}
}
