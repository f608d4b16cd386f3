package chatbi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/services/chatbi"
)

// TestDataOfPersonsAreSaid: an answer that shows stored values of a column with data of
// persons says which; numbers of them show none, nor do values that a policy replaces.
func TestDataOfPersonsAreSaid(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`rules: [{user: bob, columns: [{name: country, mask: "'XX'"}]}, {}]`), 0o600))
	rules, err := policy.Open(path, func() time.Time { return now }, nil)
	require.NoError(t, err)
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
		known := tables()
		for i := range known[0].Columns {
			switch c := &known[0].Columns[i]; c.Name {
			case "country", "note": // as if they were addresses and names
				c.Personal = &catalog.Personal{Kind: "name", Reason: "a test says so"}
			}
		}
		d.Policy = rules
		d.Catalog = fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: known}, catalog.Defaults{Region: "sg", Schema: "shop"})}
	})
	for sql, want := range map[string]string{
		"SELECT order_id, amount FROM orders LIMIT 3":                       "",
		"SELECT country FROM orders LIMIT 3":                                "country",
		"SELECT country AS c, order_id FROM orders LIMIT 3":                 "country",
		"SELECT note, country FROM orders LIMIT 3":                          "note, country",
		"SELECT country, country AS again FROM orders LIMIT 3":              "country",
		"SELECT count(country) AS n FROM orders":                            "",
		"SELECT count(DISTINCT country) AS n FROM orders":                   "",
		"SELECT approx_distinct(country) AS n FROM orders":                  "",
		"SELECT max(country) AS last FROM orders":                           "country",
		"SELECT upper(country) AS c FROM orders LIMIT 3":                    "country",
		"SELECT length(country) AS n, order_id FROM orders LIMIT 3":         "",
		"SELECT order_id FROM orders WHERE country = 'SG' LIMIT 3":          "",
		"SELECT country, count(*) AS n FROM orders GROUP BY country":        "country",
		"SELECT n FROM (SELECT country AS n FROM orders) LIMIT 3":           "country",
		"SELECT count(*) AS n FROM orders GROUP BY country":                 "",
		"SELECT max(note || country) AS both FROM orders GROUP BY order_id": "note, country",
	} {
		for who, hidden := range map[string]string{"alice": "", "bob": "country"} {
			shown := ""
			for _, w := range executeAs(t, s, who, sql).GetWarnings() {
				if w.GetCode() == "PERSONAL_DATA" {
					shown = w.GetMessage()
				}
			}
			said := []string{}
			for _, column := range strings.Split(want, ", ") {
				if column != "" && column != hidden {
					said = append(said, column)
				}
			}
			if len(said) == 0 {
				require.Empty(t, shown, "%s asks %s", who, sql)
				continue
			}
			require.Equal(t, "The result shows data of persons: "+strings.Join(said, ", ")+".", shown, "%s asks %s", who, sql)
		}
	}
}
