package dbt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/dbt"
)

// harbour is a project of three models, of which the data of one are not there.
const harbour = `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"},
"nodes": {
 "model.h.calls": {"resource_type": "model", "package_name": "h", "database": "dwh", "schema": "marts", "name": "calls", "alias": "calls", "description": "A ship's stay a row.",
  "meta": {"owner": "harbour office"}, "columns": {"AT_WALL": {"name": "AT_WALL", "description": "where the ship lies"}, "flag": {"name": "flag", "description": "the state of the ship"}}},
 "model.h.berths": {"resource_type": "model", "package_name": "h", "database": "dwh", "schema": "marts", "name": "berths", "alias": "berths", "columns": {"code": {"name": "code"}}},
 "model.h.fees": {"resource_type": "model", "package_name": "h", "database": "dwh", "schema": "marts", "name": "fees", "alias": "fees", "columns": {}},
 "test.h.u1": {"resource_type": "test", "package_name": "h", "attached_node": "model.h.berths", "column_name": "code", "test_metadata": {"name": "unique", "kwargs": {}}},
 "test.h.u2": {"resource_type": "test", "package_name": "h", "attached_node": "model.h.calls", "column_name": "flag", "test_metadata": {"name": "unique", "kwargs": {}}},
 "test.h.r": {"resource_type": "test", "package_name": "h", "attached_node": "model.h.calls", "column_name": "at_wall", "test_metadata": {"name": "relationships", "kwargs": {"to": "ref('berths')", "field": "code"}}},
 "test.h.f": {"resource_type": "test", "package_name": "h", "attached_node": "model.h.calls", "column_name": "at_wall", "test_metadata": {"name": "relationships", "kwargs": {"to": "ref('fees')", "field": "code"}}}
}, "sources": {}}`

// TestAProjectIsJoinedToItsData: descriptions and owners are those of the project, tests
// become keys where the data do not deny them, and what has no data is named.
func TestAProjectIsJoinedToItsData(t *testing.T) {
	t.Parallel()
	described, problems, err := dbt.Tables(t.Context(), target(t, harbour, ""), ingest.Options{})
	require.NoError(t, err)
	require.Empty(t, problems)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"calls.csv":  "call_no,at_wall,flag\n1,B1,NO\n2,B2,SE\n3,B1,NO\n4,B9,FI\n",
		"Berths.csv": "code,metres\nB1,120\nB2,80\nB9,200\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	s := store(t)
	report, err := ingest.CSV(t.Context(), s, "shop", dir, ingest.Options{Described: described})
	require.NoError(t, err)
	tables := byName(t, s)
	calls, berths := tables["shop.main.calls"], tables["shop.main.Berths"]
	require.Equal(t, "A ship's stay a row.", calls.Description)
	require.Equal(t, "harbour office", calls.Owner)
	berth, _ := calls.Column("at_wall")
	require.Equal(t, "where the ship lies", berth.Comment)
	require.Equal(t, []string{"code"}, berths.PrimaryKey())
	require.Equal(t, []catalog.ForeignKey{{Columns: []string{"at_wall"}, RefTable: berths.Name, RefColumns: []string{"code"}}}, calls.ForeignKeys)
	require.NotContains(t, calls.PrimaryKey(), "flag", "the data deny it")
	var said []string
	for _, p := range report.Problems {
		said = append(said, p.Message)
	}
	text := strings.Join(said, "\n")
	require.Contains(t, text, "shop.main.calls (flag) is described as a key and is none")
	require.Contains(t, text, "described, but not among the tables: dwh.marts.fees")
}

// TestDescriptionsFindTheirTables: by full name, by schema and name, or by a name that
// only one table has.
func TestDescriptionsFindTheirTables(t *testing.T) {
	t.Parallel()
	name := func(s string) catalog.Name {
		parts := strings.Split(s, ".")
		return catalog.Name{Region: parts[0], Schema: parts[1], Table: parts[2]}
	}
	for _, test := range []struct{ tables, described, want []string }{
		{[]string{"a.s.t", "b.s.t"}, []string{"b.s.t"}, []string{"b.s.t"}},
		{[]string{"a.s.t", "a.x.t"}, []string{"db.S.T"}, []string{"a.s.t"}},
		{[]string{"a.main.t"}, []string{"db.marts.t"}, []string{"a.main.t"}},
		{[]string{"a.x.t", "a.y.t"}, []string{"db.marts.t"}, []string{""}},
		{[]string{"a.main.t"}, []string{"db.raw.t", "db.marts.t"}, []string{"", ""}},
		{[]string{"a.main.t", "a.marts.t"}, []string{"db.raw.t", "db.marts.t"}, []string{"", "a.marts.t"}},
	} {
		var tables []*catalog.Table
		for _, n := range test.tables {
			tables = append(tables, &catalog.Table{Name: name(n)})
		}
		var described []catalog.Table
		for _, n := range test.described {
			described = append(described, catalog.Table{Name: name(n)})
		}
		j := ingest.Join(tables, described)
		for i, n := range test.described {
			found, ok := j.Table(name(n))
			require.Equal(t, test.want[i] != "", ok, "%v", test)
			if ok {
				require.Equal(t, test.want[i], found.Name.String(), "%v", test)
			}
		}
	}
}
