package ingest_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// script runs statements in a new DuckDB file and returns its path.
func script(t *testing.T, dir string, statements ...string) string {
	t.Helper()
	path := filepath.Join(dir, "input.duckdb")
	db, err := sql.Open("duckdb", path)
	require.NoError(t, err)
	for _, s := range statements {
		_, err := db.ExecContext(t.Context(), s)
		require.NoError(t, err, s)
	}
	require.NoError(t, db.Close())
	return path
}

func TestDuckDBFile(t *testing.T) {
	t.Parallel()
	path := script(t, t.TempDir(),
		"CREATE TABLE o (id INTEGER PRIMARY KEY, n VARCHAR NOT NULL)",
		"CREATE TABLE t (id BIGINT, o_id INTEGER REFERENCES o (id), e ENUM ('x', 'y'), h HUGEINT, u UINTEGER, l INTEGER[], s STRUCT(a INTEGER, b VARCHAR), m MAP(VARCHAR, DOUBLE), d DECIMAL(8,2), moment TIMESTAMP)",
		"INSERT INTO o VALUES (1, 'one')", "INSERT INTO t VALUES (1, 1, 'x', 5, 6, [1,2], {a: 1, b: 'b'}, MAP {'k': 1.5}, 1.25, '2024-01-02 03:04:05')",
		"COMMENT ON TABLE t IS 'T'", "COMMENT ON COLUMN t.d IS 'D'",
		"CREATE SCHEMA \"Other\"", "CREATE TABLE \"Other\".\"Odd \"\"one\"\"\" (a INTEGER)", "CREATE VIEW v AS SELECT 1")
	s := newStore(t)
	report, err := ingest.DuckDB(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Len(t, report.Tables, 3)
	require.Len(t, report.Problems, 1)
	require.Contains(t, report.Problems[0].Message, `view "v"`)
	got := tables(t, s)
	require.Equal(t, "id bigint, o_id integer, e varchar, h decimal(38,0), u bigint, l array(integer), s row(a integer, b varchar), m map(varchar, double), d decimal(8,2), moment timestamp(6)", shape(got["t"]))
	require.Equal(t, "T", got["t"].Description)
	d, _ := tableColumn(got["t"], "d")
	require.Equal(t, "D", d.Comment)
	require.Equal(t, []string{"id"}, tablePK(got["o"]))
	require.Equal(t, []catalog.ForeignKey{{Columns: []string{"o_id"}, RefTable: got["o"].Name, RefColumns: []string{"id"}}}, got["t"].ForeignKeys)
	require.Equal(t, "Other", got[`Odd "one"`].Name.Schema)
	require.Equal(t, []string{"1|x|5|1.25|2024-01-02 03:04:05"}, rows(t, s, "SELECT id, e, CAST(h AS BIGINT), CAST(d AS DOUBLE), moment FROM t"))

	broken := filepath.Join(t.TempDir(), "x.duckdb")
	require.NoError(t, os.WriteFile(broken, []byte(strings.Repeat("no database ", 2000)), 0o600))
	_, err = ingest.DuckDB(t.Context(), s, "own", broken, ingest.Options{})
	require.Equal(t, "INPUT_NOT_DUCKDB", fault.ReasonOf(err))
	require.Contains(t, tables(t, s), "t", "the old generation stays")
}

// TestAFileOfANewerDuckDB: who wrote the file is told, and how it is written so that it is
// read. The header is that of DuckDB 2.0.0.
func TestAFileOfANewerDuckDB(t *testing.T) {
	t.Parallel()
	head, err := os.ReadFile("testdata/duckdb-2.0.0.header")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "two.duckdb")
	require.NoError(t, os.WriteFile(path, append(head, make([]byte, 3*4096)...), 0o600))
	_, err = ingest.DuckDB(t.Context(), newStore(t), "own", path, ingest.Options{})
	require.Equal(t, "INPUT_NOT_DUCKDB", fault.ReasonOf(err))
	require.ErrorContains(t, err, "was written by DuckDB v2.0.0")
	require.ErrorContains(t, err, "ATTACH '"+path+"' AS old (READ_ONLY); ATTACH 'older.duckdb' AS older (STORAGE_VERSION 'v1.2.0'); COPY FROM DATABASE old TO older;")
}

// TestAFormThatNewerVersionsAreToldToWrite: a file of the form that the error names is read.
func TestAFormThatNewerVersionsAreToldToWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script(t, dir, "CREATE TABLE t AS SELECT 7 AS n", "ATTACH '"+dir+"/older.duckdb' AS older (STORAGE_VERSION 'v1.2.0')", "COPY FROM DATABASE input TO older")
	s := newStore(t)
	_, err := ingest.DuckDB(t.Context(), s, "own", filepath.Join(dir, "older.duckdb"), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"7"}, rows(t, s, "SELECT n FROM t"))
}

func tableColumn(t catalog.Table, name string) (catalog.Column, bool) { return t.Column(name) }
func tablePK(t catalog.Table) []string                                { return t.PrimaryKey() }

func TestParquetFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "in"), 0o700))
	in := filepath.Join(dir, "in")
	script(t, dir,
		"COPY (SELECT 1 AS id, 'a' AS n UNION ALL SELECT 2, 'b') TO '"+in+"/one.parquet'",
		"COPY (SELECT x AS id, '2024-01-0' || x AS day FROM range(1, 4) r(x)) TO '"+in+"/parts' (FORMAT parquet, PARTITION_BY (day))")
	require.NoError(t, os.WriteFile(filepath.Join(in, "bad.parquet"), []byte("PAR1 no"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(in, "schema.sql"), []byte("CREATE TABLE ONE (id int PRIMARY KEY, n text -- a name\n);"), 0o600))
	s := newStore(t)
	report, err := ingest.Parquet(t.Context(), s, "own", in, ingest.Options{})
	require.NoError(t, err)
	require.Len(t, report.Problems, 1)
	require.Equal(t, filepath.Join(in, "bad.parquet"), report.Problems[0].File)
	got := tables(t, s)
	require.Len(t, got, 2)
	require.Equal(t, "id integer, n varchar", shape(got["ONE"]))
	require.Equal(t, []string{"id"}, tablePK(got["ONE"]))
	require.Equal(t, "a name", got["ONE"].Columns[1].Comment)
	parts := got["parts"]
	require.Equal(t, []string{"day"}, parts.PartitionColumns())
	require.Equal(t, int64(3), parts.RowCount)

	_, err = ingest.Parquet(t.Context(), s, "own", filepath.Join(in, "one.parquet"), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"1|a", "2|b"}, rows(t, s, "SELECT * FROM one"))
	_, err = ingest.Parquet(t.Context(), s, "own", filepath.Join(in, "bad.parquet"), ingest.Options{})
	require.Equal(t, "INGEST_NOTHING", fault.ReasonOf(err))
}

func TestDumps(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 5, 10, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		dump, schema string
		shapes       map[string]string
		query        string
		rows         []string
		problem      string
	}{
		"pg_dump": {
			dump: "-- PostgreSQL database dump\nSET x = 1;\nCREATE SCHEMA app;\nCREATE TABLE app.t (id integer NOT NULL, n text, ok boolean, at timestamp);\n" +
				"COPY app.t (id, n, ok, at) FROM stdin;\n1\ta\\nb\tt\t2024-01-02 03:04:05\n2\t\\N\tf\t\\N\n\\.\nALTER TABLE ONLY app.t ADD CONSTRAINT k PRIMARY KEY (id);\n",
			schema: "app", shapes: map[string]string{"t": "id integer, n varchar, ok boolean, at timestamp(6)"},
			query: "SELECT * FROM app.t", rows: []string{"1|a\nb|true|2024-01-02 03:04:05", "2|∅|false|∅"},
		},
		"a pg_dump that was cut": {
			dump:   "-- PostgreSQL database dump\nCREATE TABLE t (id integer, n text);\nCOPY t (id, n) FROM stdin;\n1\tone\n2\ttw",
			schema: "main", shapes: map[string]string{"t": "id integer, n varchar"}, query: "SELECT * FROM t", rows: []string{"1|one"}, problem: "the dump was cut here, and this line is left out",
		},
		"mysqldump": {
			dump: "-- MySQL dump\n/*!40101 SET NAMES utf8 */;\nDROP TABLE IF EXISTS `t`;\nCREATE TABLE `t` (`id` int(11) NOT NULL, `n` varchar(20), `b` tinyint(1), PRIMARY KEY (`id`)) ENGINE=InnoDB;\n" +
				"LOCK TABLES `t` WRITE;\nINSERT INTO `t` VALUES (1,'it\\'s',0),(2,NULL,1);\nUNLOCK TABLES;\n",
			schema: "main", shapes: map[string]string{"t": "id integer, n varchar, b integer"},
			query: "SELECT * FROM t", rows: []string{"1|it's|0", "2|∅|1"},
		},
		"sqlite": {
			dump:   "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, x);\nINSERT INTO t VALUES(1,'many',2.5);\nINSERT INTO \"t\" VALUES(2,7,3);\nCOMMIT;\n",
			schema: "main", shapes: map[string]string{"t": "id integer, n varchar, x double"},
			query: "SELECT * FROM t", rows: []string{"1|many|2.5", "2|7|3"}, problem: `"n" is declared as integer`,
		},
		"times relative to now": {
			dump:   "CREATE TABLE t (d date, at timestamp, m text, n int);\nINSERT INTO t VALUES (CURRENT_DATE - INTERVAL '1 day', DATE_TRUNC('month', NOW()), TO_CHAR(NOW(), 'YYYY-MM'), EXTRACT(YEAR FROM NOW()));\n",
			schema: "main", shapes: map[string]string{"t": "d date, at timestamp(6), m varchar, n integer"},
			query: "SELECT * FROM t", rows: []string{"2030-05-09 00:00:00|2030-05-01 00:00:00|2030-05|2030"},
		},
		"texts joined": {
			dump:   "CREATE TABLE t (m text);\nINSERT INTO t VALUES ('month ' || TO_CHAR(NOW(), 'YYYY-MM') || '.');\n",
			schema: "main", shapes: map[string]string{"t": "m varchar"}, query: "SELECT * FROM t", rows: []string{"month 2030-05."},
		},
		"no function beyond the list": {
			dump:   "CREATE TABLE t (a text);\nINSERT INTO t VALUES (read_text('/etc/hostname')), ((SELECT 1)), ('fine');\n",
			schema: "main", shapes: map[string]string{"t": "a varchar"}, query: "SELECT * FROM t", rows: []string{"fine"}, problem: `"read_text"`,
		},
		"declarations only": {
			dump: "CREATE TABLE a (id int primary key);\nCREATE TABLE b (a_id int REFERENCES a);\n", schema: "main",
			shapes: map[string]string{"a": "id integer", "b": "a_id integer"}, query: "SELECT * FROM b",
		},
		"rows only": {
			dump: "INSERT INTO t (a, b) VALUES (1, 'x');\nINSERT INTO t (b, a) VALUES ('y', 2);\n", schema: "main",
			shapes: map[string]string{"t": "a bigint, b varchar"}, query: "SELECT * FROM t", rows: []string{"1|x", "2|y"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(folder(t, map[string]string{"d.sql": test.dump}), "d.sql")
			s := newStore(t)
			report, err := ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{Clock: func() time.Time { return now }})
			require.NoError(t, err)
			got := tables(t, s)
			require.Len(t, got, len(test.shapes))
			for name, want := range test.shapes {
				require.Equal(t, want, shape(got[name]))
			}
			require.Equal(t, test.rows, rows(t, s, test.query))
			g, err := s.Current("own")
			require.NoError(t, err)
			require.Equal(t, test.schema, g.DefaultSchema)
			if test.problem == "" {
				require.Empty(t, report.Problems)
				return
			}
			require.NotEmpty(t, report.Problems)
			require.Contains(t, report.Problems[0].Message, test.problem)
		})
	}
	_, err := ingest.SQLDump(t.Context(), newStore(t), "own", filepath.Join(folder(t, map[string]string{"d.sql": "SELECT 1;"}), "d.sql"), ingest.Options{})
	require.Equal(t, "INGEST_NOTHING", fault.ReasonOf(err))
}

// TestDaysInTextsOfFiles: a text column of a typed file whose values are all days of ISO
// 8601 holds days; one value that is none, and digits, leave a text.
func TestDaysInTextsOfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := script(t, dir, "CREATE TABLE t (day VARCHAR, since VARCHAR, mixed VARCHAR, zip VARCHAR, nothing VARCHAR, wrong VARCHAR, zoned VARCHAR)",
		"INSERT INTO t SELECT '2024-02-' || lpad(CAST(x AS VARCHAR), 2, '0'), '2024-02-01T0' || x % 10 || ':30:00Z', CASE x WHEN 7 THEN 'soon' ELSE '2024-01-01' END, 1000 + x, NULL, '2024-02-3' || x % 10, '2024-02-01 10:00:00+08' FROM range(1, 20) r(x)",
		"INSERT INTO t VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL)")
	s := newStore(t)
	report, err := ingest.DuckDB(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, "day date, since timestamp(6), mixed varchar, zip varchar, nothing varchar, wrong varchar, zoned varchar", shape(tables(t, s)["t"]))
	require.Equal(t, []string{"2024-02-01 00:30:00|20"}, rows(t, s, "SELECT min(since), count(*) FROM t WHERE day = '2024-02-01' OR TRUE"))
	require.Len(t, report.Problems, 2)
	require.Contains(t, report.Problems[0].Message, `column "day" of "t" is a text in which each value is a day: it becomes date`)
}
