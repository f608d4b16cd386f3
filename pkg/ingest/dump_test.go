package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// counted are the tables of a report, as "schema.table rows skipped".
func counted(report ingest.Report) []string {
	var list []string
	for _, r := range report.Tables {
		list = append(list, fmt.Sprintf("%s.%s %d %d", r.Name.Schema, r.Name.Table, r.Rows, r.Skipped))
	}
	return list
}

// TestRowsOfDumps: each value comes to its column, by place or by name; a row that does not
// fit is left out, counted, and told once with its place.
func TestRowsOfDumps(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dump    string
		options ingest.Options
		counted []string
		query   string
		rows    []string
		told    []string
	}{
		"fewer values than columns": {
			dump:    "CREATE TABLE t (a int, b text, c int);\nINSERT INTO t VALUES (1, 'x', 2), (3, 'y');\n",
			counted: []string{"main.t 1 0"}, query: "SELECT * FROM t", rows: []string{"1|x|2"},
			told: []string{`note 2:35 a row of 2 values for the 3 columns of "t" is left out`},
		},
		"by name, in any case and order": {
			dump:    "CREATE TABLE t (a int, b text, c int);\nINSERT INTO t (C, b) VALUES (1, 'x');\nINSERT INTO T (b, A) VALUES ('y', 2);\n",
			counted: []string{"main.t 2 0"}, query: "SELECT * FROM t", rows: []string{"∅|x|1", "2|y|∅"},
		},
		"more values than columns": {
			dump:    "CREATE TABLE t (a int, b int);\nINSERT INTO t VALUES (1, 2),\n (3, 4, 5), (6, 7);\n",
			counted: []string{"main.t 2 0"}, query: "SELECT * FROM t", rows: []string{"1|2", "6|7"},
			told: []string{`note 3:2 a row of 3 values for the 2 columns of "t" is left out`},
		},
		"a name that the table does not have": {
			dump:    "CREATE TABLE t (a int, b int);\nINSERT INTO t (a, z) VALUES (1, 2);\nINSERT INTO t (a) VALUES (3);\n",
			counted: []string{"main.t 1 1"}, query: "SELECT * FROM t", rows: []string{"3|∅"},
			told: []string{`row_skipped 2:29 this row is left out: table "t" has no column for value 2`},
		},
		"an expression that is none": {
			dump:    "CREATE TABLE t (a int, b text);\nINSERT INTO t VALUES (1, 'x');\nINSERT INTO t VALUES (2, load_file('/x'));\n",
			counted: []string{"main.t 1 1"}, query: "SELECT * FROM t", rows: []string{"1|x"},
			told: []string{`row_skipped 3:22 this row is left out: value 2 of table "t": "load_file" is nothing that a value may use`},
		},
		"of a table that nothing declares, by place": {
			dump:    "INSERT INTO t VALUES (1, 'x');\nINSERT INTO t VALUES (2, 'y', 3.5);\nINSERT INTO t VALUES (4);\n",
			counted: []string{"main.t 3 0"}, query: "SELECT column_1, column_2, column_3 FROM t", rows: []string{"1|x|∅", "2|y|3.5", "4|∅|∅"},
		},
		"of a table that nothing declares, by name": {
			dump:    "INSERT INTO s.t (a, b) VALUES (1, 'x');\nINSERT INTO s.T (B, c) VALUES ('y', 3);\n",
			counted: []string{"s.t 2 0"}, query: "SELECT a, b, c FROM s.t", rows: []string{"1|x|∅", "∅|y|3"},
		},
		"bytes": {
			dump:    "CREATE TABLE t (a text, b text);\nINSERT INTO t VALUES (X'4f736c6f', 'plain'), (X'4f7', X'ff4f');\n",
			counted: []string{"main.t 2 0"}, query: "SELECT * FROM t", rows: []string{"Oslo|plain", "4f7|\uFFFDO"},
		},
		"texts that are empty, and none": {
			dump:    "CREATE TABLE t (a text, b int);\nINSERT INTO t VALUES ('', 1), (NULL, NULL);\n",
			counted: []string{"main.t 2 0"}, query: "SELECT * FROM t", rows: []string{"|1", "∅|∅"},
		},
		"of tables in turn": {
			dump:    "CREATE TABLE a (n int);\nCREATE TABLE b (n int);\nINSERT INTO a VALUES (1);\nINSERT INTO b VALUES (2);\nINSERT INTO a VALUES (3);\nINSERT INTO b VALUES (4), (sleep(6));\n",
			counted: []string{"main.a 2 0", "main.b 2 1"}, query: "SELECT 'a', n FROM a UNION ALL SELECT 'b', n FROM b ORDER BY n", rows: []string{"a|1", "b|2", "a|3", "b|4"},
			told: []string{`row_skipped 6:27 this row is left out: value 1 of table "b": "sleep" is nothing that a value may use`},
		},
		"two schemas with a table of one name": {
			dump:    "CREATE TABLE x.t (n int);\nCREATE TABLE y.t (n int);\nINSERT INTO x.t VALUES (1);\nINSERT INTO y.t VALUES (2), (3);\n",
			counted: []string{"x.t 1 0", "y.t 2 0"}, query: "SELECT (SELECT sum(n) FROM x.t), (SELECT sum(n) FROM y.t)", rows: []string{"1|5"},
		},
		"of a table without a column": {
			dump:    "CREATE TABLE none ();\nCREATE TABLE t (n int);\nINSERT INTO t VALUES (1);\n",
			counted: []string{"main.t 1 0"}, query: "SELECT * FROM t", rows: []string{"1"},
			told: []string{`table_skipped 0:0 table "none" has 0 columns and is left out: 1 to 4000 (MaxColumns)`},
		},
		"of a table with as many columns as there may be": {
			dump: "CREATE TABLE t (a int, b int);\nINSERT INTO t VALUES (1, 2);\n", options: ingest.Options{MaxColumns: 2},
			counted: []string{"main.t 1 0"}, query: "SELECT * FROM t", rows: []string{"1|2"},
		},
		"of a table with too many columns": {
			dump: "INSERT INTO wide (a, b) VALUES (1, 2);\nINSERT INTO wide (c) VALUES (3), (sleep(1));\nCREATE TABLE t (a int);\nINSERT INTO t VALUES (7);\n", options: ingest.Options{MaxColumns: 2},
			counted: []string{"main.t 1 0"}, query: "SELECT * FROM t", rows: []string{"7"},
			told: []string{
				`row_skipped 2:34 this row is left out: value 1 of table "wide": "sleep" is nothing that a value may use`,
				`table_skipped 0:0 table "wide" has 3 columns and is left out: 1 to 2 (MaxColumns)`,
			},
		},
		"of one table too many": {
			dump: "CREATE TABLE a (n int);\nINSERT INTO a VALUES (1);\nINSERT INTO b VALUES (2);\n", options: ingest.Options{MaxTables: 1},
			counted: []string{"main.a 1 0"}, query: "SELECT * FROM a", rows: []string{"1"},
			told: []string{`table_skipped 0:0 table "b" is left out: more than 1 tables (MaxTables)`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			path := filepath.Join(folder(t, map[string]string{"d.sql": test.dump}), "d.sql")
			report, err := ingest.SQLDump(t.Context(), s, "own", path, test.options)
			require.NoError(t, err)
			require.ElementsMatch(t, test.counted, counted(report))
			require.ElementsMatch(t, test.rows, rows(t, s, test.query))
			require.Equal(t, test.told, told(report))
		})
	}
}

// TestManyRowsOfDumps: rows come into their tables in batches and none is lost at the end of
// one; of faulty rows the first ten are told.
func TestManyRowsOfDumps(t *testing.T) {
	t.Parallel()
	const batch = 2048
	for _, n := range []int{batch, batch + 1} {
		var dump strings.Builder
		dump.WriteString("CREATE TABLE t (n int);\nCREATE TABLE u (m int);\n")
		dump.WriteString("INSERT INTO t VALUES (0)")
		for i := range n - 1 {
			fmt.Fprintf(&dump, ", (%d)", i+1)
		}
		dump.WriteString(";\n")
		dump.WriteString("INSERT INTO u VALUES (1);\n")
		for range 12 {
			dump.WriteString("INSERT INTO u VALUES (sleep(2));\n")
		}
		s := newStore(t)
		var progress []string
		report, err := ingest.SQLDump(t.Context(), s, "own", filepath.Join(folder(t, map[string]string{"d.sql": dump.String()}), "d.sql"), ingest.Options{
			Progress: func(done, total int, what string) {
				progress = append(progress, fmt.Sprintf("%d/%d %s", done, total, what))
			},
		})
		require.NoError(t, err)
		require.Equal(t, []string{fmt.Sprintf("main.t %d 0", n), "main.u 1 12"}, counted(report))
		require.Equal(t, []string{fmt.Sprintf("%d|%d|1", n, n)}, rows(t, s, "SELECT count(*), count(DISTINCT n), (SELECT count(*) FROM u) FROM t"))
		require.Len(t, report.Problems, 10)
		require.Equal(t, []string{"1/2 t", "2/2 "}, progress)
	}
}

// TestWhatDumpsSayOfTables: comments, keys and references of a dump are in the catalog, also
// between schemas; the day of the file is that of the tables.
func TestWhatDumpsSayOfTables(t *testing.T) {
	t.Parallel()
	const dump = "-- PostgreSQL database dump\nCREATE TABLE geo.city (id integer NOT NULL, name text);\nCREATE TABLE shop.sale (id integer, City_Id integer, n integer);\n" +
		"COMMENT ON TABLE geo.city IS 'Where people live';\nCOMMENT ON COLUMN shop.sale.n IS 'how many';\n" +
		"ALTER TABLE ONLY geo.city ADD CONSTRAINT p PRIMARY KEY (id);\nALTER TABLE ONLY shop.sale ADD CONSTRAINT f FOREIGN KEY (city_id) REFERENCES geo.city(id);\n" +
		"ALTER TABLE ONLY shop.sale ADD CONSTRAINT g FOREIGN KEY (n) REFERENCES geo.gone(id);\nINSERT INTO shop.sale VALUES (1, 2, 3);\n"
	path := filepath.Join(folder(t, map[string]string{"d.sql": dump}), "d.sql")
	written := time.Date(2024, 5, 6, 9, 8, 7, 0, time.FixedZone("", 3*3600))
	require.NoError(t, os.Chtimes(path, written, written))
	s := newStore(t)
	report, err := ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Len(t, report.Problems, 1)
	require.Contains(t, report.Problems[0].Message, "the foreign key of own.shop.sale (n) to own.geo.gone points to nothing and is left out")
	got := tables(t, s)
	require.Equal(t, "Where people live", got["city"].Description)
	require.Equal(t, []string{"id"}, tablePK(got["city"]))
	require.Equal(t, "how many", got["sale"].Columns[2].Comment)
	require.Equal(t, []catalog.ForeignKey{{Columns: []string{"City_Id"}, RefTable: catalog.Name{Region: "own", Schema: "geo", Table: "city"}, RefColumns: []string{"id"}}}, got["sale"].ForeignKeys)
	require.Equal(t, "2024-05-06T06:08:07Z", got["sale"].UpdatedAt.Format(time.RFC3339))
}

// TestDumpsThatCannotBeRead: each is refused with what to do, and the source stays.
func TestDumpsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"torn.sql.gz": packed(t, "gz", "CREATE TABLE t (n int);\n"+strings.Repeat("INSERT INTO t VALUES (1);\n", 9000))[:300],
		"big.sql":     "CREATE TABLE t (n int);\nINSERT INTO t VALUES (1);\n",
	})
	s := newStore(t)
	for path, want := range map[string]string{
		dir: "INPUT_NOT_A_FILE", filepath.Join(dir, "none.sql"): "INPUT_MISSING", filepath.Join(dir, "torn.sql.gz"): "INPUT_UNREADABLE",
	} {
		_, err := ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{})
		require.Equal(t, want, fault.ReasonOf(err), path)
		require.ErrorContains(t, err, path)
	}
	_, err := ingest.SQLDump(t.Context(), s, "own", filepath.Join(dir, "big.sql"), ingest.Options{MaxFileBytes: 10})
	require.Equal(t, "INPUT_TOO_LARGE", fault.ReasonOf(err))
	_, err = s.Current("own")
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))

	ctx, cancel := context.WithCancel(t.Context())
	_, err = ingest.SQLDump(ctx, s, "own", filepath.Join(dir, "big.sql"), ingest.Options{Progress: func(int, int, string) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
}

// TestViewsThatAreLeftOut: each view without a table is told with its line and why.
func TestViewsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	const dump = "-- PostgreSQL database dump\nCREATE TABLE t (n integer);\nINSERT INTO t VALUES (1), (2);\n" +
		"CREATE VIEW two AS SELECT n FROM one;\nCREATE VIEW one AS SELECT n + 1 AS n FROM t;\nCREATE VIEW lost AS SELECT n FROM gone;\nCREATE VIEW loop AS SELECT n FROM pool;\nCREATE VIEW pool AS SELECT n FROM loop;\n"
	path := filepath.Join(folder(t, map[string]string{"d.sql": dump}), "d.sql")
	s := newStore(t)
	report, err := ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{Views: true})
	require.NoError(t, err)
	require.Equal(t, []string{"main.t 2 0", "main.one 2 0", "main.two 2 0"}, counted(report))
	require.Equal(t, []string{"2", "3"}, rows(t, s, "SELECT n FROM two ORDER BY n"))
	require.Equal(t, catalog.KindView, tables(t, s)["two"].Kind)
	require.Len(t, report.Problems, 3)
	for i, want := range []string{`table_skipped 6:0 view "lost" is left out: `, `table_skipped 7:0 view "loop" is left out: `, `table_skipped 8:0 view "pool" is left out: `} {
		got := told(report)[i]
		require.True(t, strings.HasPrefix(strings.Replace(got, ":1 ", ":0 ", 1), want), got)
		require.Greater(t, len(got), len(want)+5, "it is told why")
	}

	report, err = ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"main.t 2 0"}, counted(report))
	require.Len(t, report.Problems, 5)
	require.True(t, slices.ContainsFunc(told(report), func(p string) bool {
		return p == `note 4:0 view "two" is left out: --views makes a table of what it shows`
	}), told(report))
}
