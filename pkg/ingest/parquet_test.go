package ingest_test

import (
	"fmt"
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

// parquetFiles writes files of Parquet, by name, with the rows of queries.
func parquetFiles(t *testing.T, queries map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	var statements []string
	for name, query := range queries {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		statements = append(statements, "COPY ("+query+") TO '"+path+"' (FORMAT parquet)")
	}
	script(t, t.TempDir(), statements...)
	return dir
}

// TestWhatParquetFoldersHold: each file and each folder with files is a table, in order, with
// what the declarations beside them say; parts of a path are partitions where the files do
// not have them themselves.
func TestWhatParquetFoldersHold(t *testing.T) {
	t.Parallel()
	dir := parquetFiles(t, map[string]string{
		"city.parquet":            "SELECT 1 AS id, 'Oslo' AS name UNION ALL SELECT 2, 'Bergen'",
		"data/more.parquet":       "SELECT 7 AS n",
		"sale/day=1/a.parquet":    "SELECT 1 AS sale_id, 1 AS city_id",
		"sale/day=2/b.PARQUET":    "SELECT 2 AS sale_id, 2 AS city_id, 9 AS extra",
		"own/day=1/own.parquet":   "SELECT 5 AS n, 1 AS day",
		"no/data.csv.parquet.txt": "SELECT 1 AS n",
	})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "schema.sql"), []byte("-- where people live\nCREATE TABLE CITY (id int PRIMARY KEY, name text COMMENT 'as people say it') COMMENT='Places';\n"+
		"CREATE TABLE sale (sale_id int, city_id int REFERENCES city (id), day int);\n"), 0o600))
	written := time.Date(2023, 4, 5, 6, 7, 8, 0, time.FixedZone("", -2*3600))
	require.NoError(t, os.Chtimes(filepath.Join(dir, "city.parquet"), written, written))
	s := newStore(t)
	var progress []string
	report, err := ingest.Parquet(t.Context(), s, "own", dir, ingest.Options{Progress: func(done, total int, what string) {
		progress = append(progress, fmt.Sprintf("%d/%d %s", done, total, what))
	}})
	require.NoError(t, err)
	require.Equal(t, []string{"main.CITY 2 0", "main.more 1 0", "main.own 1 0", "main.sale 2 0"}, counted(report))
	require.Equal(t, []string{"1/4 city", "2/4 more", "3/4 own", "4/4 sale"}, progress)
	got := tables(t, s)
	require.Equal(t, "2023-04-05T08:07:08Z", got["CITY"].UpdatedAt.Format(time.RFC3339))
	require.Equal(t, "as people say it", got["CITY"].Columns[1].Comment)
	require.Equal(t, "Places", got["CITY"].Description)
	require.Equal(t, []string{"id"}, tablePK(got["CITY"]))
	require.Equal(t, []catalog.ForeignKey{{Columns: []string{"city_id"}, RefTable: got["CITY"].Name, RefColumns: []string{"id"}}}, got["sale"].ForeignKeys)
	require.Equal(t, "sale_id integer, city_id integer, extra integer, day bigint", shape(got["sale"]))
	require.Equal(t, []string{"day"}, partitions(got["sale"]))
	require.Empty(t, partitions(got["own"]), "the files have it themselves")
	require.Equal(t, []string{"1|∅|1", "2|9|2"}, rows(t, s, "SELECT sale_id, extra, day FROM sale ORDER BY 1"))

	_, err = ingest.Parquet(t.Context(), s, "own", filepath.Join(dir, "sale", "day=1", "a.parquet"), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, "sale_id integer, city_id integer", shape(tables(t, s)["a"]), "of one file the path says nothing")
}

func partitions(t catalog.Table) []string { return t.PartitionColumns() }

// TestBoundsOfParquet: as many files as there may be are read; one more is refused with what
// there is.
func TestBoundsOfParquet(t *testing.T) {
	t.Parallel()
	const n = "SELECT 1 AS n"
	flat := parquetFiles(t, map[string]string{"a.parquet": n, "b.parquet": n})
	deep := parquetFiles(t, map[string]string{"t/a.parquet": n, "t/b.parquet": n, "t/x/c.parquet": n})
	mixed := parquetFiles(t, map[string]string{"a.parquet": n, "t/b.parquet": n})
	s := newStore(t)
	for _, c := range []struct {
		dir  string
		most int
		told string
	}{
		{flat, 2, ""}, {flat, 1, "holds 2 files: at most 1 (MaxFiles)"}, {deep, 3, ""}, {deep, 2, "holds 3 files: at most 2 (MaxFiles)"},
		{mixed, 2, ""}, {mixed, 1, "holds 2 tables: at most 1 (MaxFiles)"},
	} {
		_, err := ingest.Parquet(t.Context(), s, "own", c.dir, ingest.Options{MaxFiles: c.most})
		if c.told == "" {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, "INPUT_TOO_MANY_FILES", fault.ReasonOf(err))
		require.ErrorContains(t, err, c.told)
	}
	empty := folder(t, map[string]string{"data.txt": "x", "sub/data.txt": "x"})
	_, err := ingest.Parquet(t.Context(), s, "own", empty, ingest.Options{})
	require.Equal(t, "INPUT_EMPTY", fault.ReasonOf(err))
	require.ErrorContains(t, err, empty)
	_, err = ingest.Parquet(t.Context(), s, "own", filepath.Join(empty, "none"), ingest.Options{})
	require.Equal(t, "INPUT_MISSING", fault.ReasonOf(err))

	report, err := ingest.Parquet(t.Context(), s, "own", parquetFiles(t, map[string]string{"a.parquet": n, "w.parquet": "SELECT 1 AS a, 2 AS b, 3 AS c"}), ingest.Options{MaxColumns: 2})
	require.NoError(t, err)
	require.Equal(t, []string{"main.a 1 0"}, counted(report))
	require.Equal(t, []string{`table_skipped 0:0 table "w" has 3 columns and is left out: at most 2 (MaxColumns)`}, told(report))
	report, err = ingest.Parquet(t.Context(), s, "own", flat, ingest.Options{MaxTables: 1})
	require.NoError(t, err)
	require.Equal(t, []string{`table_skipped 0:0 table "b" is left out: more than 1 tables (MaxTables)`}, told(report))
}

// TestPathsThatLookLikePatterns: a name with the signs of a pattern is that one file.
func TestPathsThatLookLikePatterns(t *testing.T) {
	t.Parallel()
	dir := parquetFiles(t, map[string]string{"a*.parquet": "SELECT 1 AS n", "ab.parquet": "SELECT 2 AS n", "q?.parquet": "SELECT 3 AS n", "qx.parquet": "SELECT 4 AS n", "[z].parquet": "SELECT 5 AS n", "z.parquet": "SELECT 6 AS n"})
	s := newStore(t)
	_, err := ingest.Parquet(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"1|3|5"}, rows(t, s, `SELECT (SELECT sum(n) FROM "a*"), (SELECT sum(n) FROM "q?"), (SELECT sum(n) FROM "[z]")`))
}

// TestTypesOfCopies: values of types that the catalog does not have are stored as ones that
// it has.
func TestTypesOfCopies(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	_, err := ingest.Parquet(t.Context(), s, "own", parquetFiles(t, map[string]string{
		"t.parquet": "SELECT 1::UTINYINT AS a, 1::UBIGINT AS b, 1.5::FLOAT AS c, '10:20:30'::TIME AS d, 'x'::BLOB AS e, '2024-01-02'::DATE AS f, NULL::VARCHAR AS g, 12.5::DECIMAL(6,2) AS h, true AS i",
	}), ingest.Options{})
	require.NoError(t, err)
	got := strings.Split(shape(tables(t, s)["t"]), ", ")
	require.Len(t, got, 9)
	require.Equal(t, []string{"f date", "g varchar", "h decimal(6,2)", "i boolean"}, got[5:])
}
