package ddl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// TestTablesOfOneName: a name with its schema means that one table, one without means the
// table that was declared so, or the first of that name; none takes the place of another,
// nor does a view.
func TestTablesOfOneName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		tables string
		means  map[string]string // names, as schema.table, and the first column of what they mean
	}{
		"two schemas": {"CREATE TABLE a.t (one int); CREATE TABLE b.T (two int);", "a.t b.T",
			map[string]string{"t": "one", "T": "one", "a.t": "one", "B.t": "two", "no.t": "one", "a.u": ""}},
		"one without a schema, last":  {"CREATE TABLE a.t (one int); CREATE TABLE t (two int);", "a.t t", map[string]string{"t": "two", "a.t": "one", "no.t": "one"}},
		"one without a schema, first": {"CREATE TABLE t (one int); CREATE TABLE a.t (two int);", "t a.t", map[string]string{"t": "one", "a.t": "two", "no.t": "one"}},
		"one twice":                   {"CREATE TABLE a.t (one int); CREATE TABLE IF NOT EXISTS A.T (two int);", "a.t", map[string]string{"t": "one", "a.t": "one"}},
		"a view in the place of one": {"CREATE TABLE a.t (one int); CREATE TABLE b.t (two int); CREATE VIEW a.t AS SELECT 1;", "b.t",
			map[string]string{"t": "two", "b.t": "two", "a.t": "two"}},
		"a view beside one": {"CREATE TABLE a.t (one int); CREATE VIEW t AS SELECT 1;", "a.t", map[string]string{"a.t": "one"}},
	} {
		schema, err := ddl.Read(strings.NewReader(c.script), ddl.Config{})
		require.NoError(t, err, name)
		require.Empty(t, schema.Problems, name)
		var names []string
		for _, table := range schema.Tables {
			names = append(names, strings.TrimPrefix(table.Name.Schema+"."+table.Name.Table, "."))
		}
		require.Equal(t, c.tables, strings.Join(names, " "), name)
		for written, want := range c.means {
			at, table, qualified := strings.Cut(written, ".")
			if !qualified {
				at, table = "", written
			}
			found, ok := schema.Table(ddl.Name{Schema: at, Table: table})
			require.Equal(t, want != "", ok, "%s: %s", name, written)
			if ok {
				require.Equal(t, want, found.Columns[0].Name, "%s: %s", name, written)
			}
		}
	}
}
