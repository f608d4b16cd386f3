package eval

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// TestSlips: each kind breaks a statement that has a place for it, the same way for the same
// seed, and leaves others alone.
func TestSlips(t *testing.T) {
	t.Parallel()
	table := func(name string, columns ...string) catalog.Table {
		t := catalog.Table{Name: catalog.Name{Region: "eu", Schema: "farm", Table: name}}
		for _, c := range columns {
			t.Columns = append(t.Columns, catalog.Column{Name: c, Type: "varchar"})
		}
		return t
	}
	scope := resolve.Scope{DefaultRegion: "eu", DefaultSchema: "farm", Catalog: resolve.NewTables([]catalog.Table{
		table("hens", "hen_id", "breed"), table("eggs", "egg_id", "hen_id", "size"),
	})}
	const joined = `SELECT h.breed, count(*) FROM hens h JOIN eggs e ON e.hen_id = h.hen_id WHERE e.size = 'XL' GROUP BY h.breed HAVING count(*) > 3 ORDER BY 2 LIMIT 5`
	for kind, want := range map[string]string{
		"qualifier": "", "alias": "", "join": "", "bare": "", "form": "", "dialect": "",
		"having": `SELECT h.breed, count(*) FROM hens h JOIN eggs e ON e.hen_id = h.hen_id WHERE e.size = 'XL' AND count(*) > 3 GROUP BY h.breed ORDER BY 2 LIMIT 5`,
		"group":  `SELECT h.breed, count(*) FROM hens h JOIN eggs e ON e.hen_id = h.hen_id WHERE e.size = 'XL' HAVING count(*) > 3 ORDER BY 2 LIMIT 5`,
		"quotes": `SELECT h.breed, count(*) FROM hens h JOIN eggs e ON e.hen_id = h.hen_id WHERE e.size = "XL" GROUP BY h.breed HAVING count(*) > 3 ORDER BY 2 LIMIT 5`,
		"nested": "",
	} {
		text := joined
		if kind == "nested" {
			text = "SELECT max(n) FROM (SELECT count(*) AS n FROM eggs GROUP BY hen_id)"
			want = "SELECT max(count(*)) FROM eggs GROUP BY hen_id"
		}
		_, sound := meaningOf(text, scope)
		require.True(t, sound)
		broke := false
		for _, s := range slips {
			if s.name != kind {
				continue
			}
			for seed := range uint64(20) {
				broken, ok := slip(rand.New(rand.NewPCG(seed, 1)), s, text, scope)
				again, _ := slip(rand.New(rand.NewPCG(seed, 1)), s, text, scope)
				require.True(t, ok, kind)
				require.NotEqual(t, text, broken)
				require.Equal(t, broken, again)
				if want != "" {
					require.Equal(t, want, broken)
				}
				_, valid := meaningOf(broken, scope)
				broke = broke || !valid
			}
			_, ok := slip(rand.New(rand.NewPCG(1, 1)), s, "SELECT 1", scope)
			require.False(t, ok, kind)
		}
		require.True(t, broke, kind)
	}
	require.Len(t, slips, 10)
}
