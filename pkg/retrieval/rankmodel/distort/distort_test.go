package distort_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/distort"
)

// shops returns schemas of two tables each, with descriptions and a key.
func shops(n int) []catalog.Table {
	var tables []catalog.Table
	for i := range n {
		schema := fmt.Sprint("shop", i)
		customer := catalog.Name{Region: "r", Schema: schema, Table: fmt.Sprint("customer_address", i)}
		tables = append(tables,
			catalog.Table{Name: customer, Description: "where customers live", Columns: []catalog.Column{{Name: "customer_id", Type: "bigint"}, {Name: "streetName", Type: "varchar", Comment: "street"}}},
			catalog.Table{
				Name: catalog.Name{Region: "r", Schema: schema, Table: fmt.Sprint("purchaseOrder", i)}, Columns: []catalog.Column{{Name: "customer_id", Type: "bigint"}},
				ForeignKeys: []catalog.ForeignKey{{Columns: []string{"customer_id"}, RefTable: customer, RefColumns: []string{"customer_id"}}},
			})
	}
	return tables
}

func recipe(t *testing.T, name string) distort.Recipe {
	t.Helper()
	for _, r := range distort.Recipes() {
		if r.Name == name {
			return r
		}
	}
	require.FailNow(t, "no recipe", name)
	return distort.Recipe{}
}

func TestEachRecipeKeepsTheOrderAndMakesDistinctNames(t *testing.T) {
	t.Parallel()
	for _, r := range distort.Recipes() {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			from := shops(60)
			to := distort.Apply(from, r, 1)
			require.Len(t, to, len(from))
			names := make(map[string]bool)
			for i := range to {
				require.False(t, names[to[i].Name.Key()], "%v twice", to[i].Name)
				names[to[i].Name.Key()] = true
				require.GreaterOrEqual(t, len(to[i].Columns), len(from[i].Columns))
				require.Equal(t, from[i].Columns[0].Type, to[i].Columns[0].Type)
			}
			require.Equal(t, to, distort.Apply(shops(60), r, 1), "the same seed, the same copy")
			require.Equal(t, shops(60), from, "what is copied stays what it is")
			if r.Name != distort.Plain && r.Name != "undescribed" && r.Name != "glued" {
				require.NotEqual(t, to, distort.Apply(from, r, 2))
			}
		})
	}
}

func TestWhatIsChanged(t *testing.T) {
	t.Parallel()
	from := shops(20)
	glued := distort.Apply(from, recipe(t, "glued"), 1)
	require.Equal(t, "customeraddress0", glued[0].Name.Table)
	require.Equal(t, "streetname", glued[0].Columns[1].Name)
	require.Empty(t, glued[0].Description)

	undescribed := distort.Apply(from, recipe(t, "undescribed"), 1)
	require.Equal(t, from[1].ForeignKeys, undescribed[1].ForeignKeys)
	require.Empty(t, undescribed[0].Columns[1].Comment)
	require.Equal(t, "streetName", undescribed[0].Columns[1].Name)

	described := distort.Apply(from, recipe(t, "cryptic-described"), 1)
	require.Equal(t, "where customers live", described[0].Description)
	shortened := 0
	for i := range described {
		require.Empty(t, described[i].ForeignKeys, "the names that they tell are gone")
		if !strings.Contains(strings.ToLower(described[i].Columns[0].Name), "customer") {
			shortened++
			require.Regexp(t, `(?i)^c[a-z]{2,4}_?id$`, described[i].Columns[0].Name)
		}
	}
	require.Greater(t, shortened, 10)
	require.Less(t, shortened, len(described))

	schemas := make(map[string]int)
	for _, m := range distort.Apply(from, recipe(t, "merged"), 1) {
		schemas[m.Name.Schema]++
	}
	require.Less(t, len(schemas), 15)
}
