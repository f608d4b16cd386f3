package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// answers is a catalog that gives a table with each of its answers, found or not.
type answers struct {
	table *catalog.Table
	found bool
}

func (a answers) Lookup(catalog.Name) (*catalog.Table, bool) { return a.table, a.found }
func (a answers) Near(catalog.Name, int) []catalog.Name      { return nil }

// TestWhatIsNotFoundIsNotRead: a table that comes with the word that there is none stays
// unread wherever a statement may name one, and nothing of it is told.
func TestWhatIsNotFoundIsNotRead(t *testing.T) {
	t.Parallel()
	table := &catalog.Table{Name: catalog.Name{Region: "eu", Schema: "main", Table: "wage"}, Columns: []catalog.Column{{Name: "amount", Type: "bigint"}}}
	for _, sql := range []string{
		"SELECT amount FROM wage", "SELECT * FROM eu.main.wage AS w", "SELECT (SELECT max(amount) FROM wage)", "WITH x AS (SELECT * FROM wage) SELECT * FROM x",
		"SELECT 1 FROM (VALUES 1) AS v(a) JOIN wage ON amount = a", "TABLE wage", "SELECT 1 WHERE EXISTS (SELECT 1 FROM wage)",
		"SHOW COLUMNS FROM wage", "DESCRIBE wage", "SHOW CREATE TABLE wage",
	} {
		for _, found := range []bool{true, false} {
			stmt, err := parser.Parse(sql)
			if err != nil { // a statement that this grammar has not
				continue
			}
			got, mistakes := resolve.Resolve(stmt, resolve.Scope{Catalog: answers{table, found}, DefaultRegion: "eu", DefaultSchema: "main"})
			if found {
				require.Empty(t, mistakes, sql)
				continue
			}
			require.NotEmpty(t, mistakes, sql)
			require.Empty(t, got.Tables(), sql)
			for _, c := range got.Output() {
				require.Empty(t, c.Sources, sql)
			}
		}
	}
}
