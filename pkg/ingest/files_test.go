package ingest_test

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
	"github.com/xuri/excelize/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// packed packs a text in one of the ways that are read.
func packed(t *testing.T, how, text string) string {
	t.Helper()
	var b bytes.Buffer
	switch how {
	case "gz":
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	case "zst":
		w, err := zstd.NewWriter(&b)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	case "xz":
		w, err := xz.NewWriter(&b)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	return b.String()
}

func TestPackedFilesAndJSON(t *testing.T) {
	t.Parallel()
	content := "id,amount\n1,\"1,200.50\"\n2,$3\n"
	dir := folder(t, map[string]string{
		"a.csv.gz": packed(t, "gz", content), "b.csv.zst": packed(t, "zst", content), "c.csv.xz": packed(t, "xz", content),
		"d.jsonl": "{\"id\": 1, \"at\": \"2024-01-02\", \"more\": {\"x\": 1}}\n{\"id\": 2}\n", "e.json": `[{"n": 1.5}, {"n": 2}]`,
		"f.csv.gz": "no gzip", "g.parquet": "no parquet",
	})
	s := newStore(t)
	report, err := ingest.Files(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	for _, name := range []string{"a", "b", "c"} {
		require.Equal(t, []string{"1|1200.5", "2|3"}, rows(t, s, "SELECT * FROM "+name), name)
	}
	require.Equal(t, []string{"1|2024-01-02 00:00:00", "2|∅"}, rows(t, s, `SELECT id, "at" FROM d`))
	require.Equal(t, []string{"3.5"}, rows(t, s, "SELECT sum(n) FROM e"))
	require.Len(t, tables(t, s), 5)
	require.Contains(t, fmt.Sprint(report.Problems), "cannot be unpacked")
	require.Contains(t, fmt.Sprint(report.Problems), "g.parquet")

	report, err = ingest.CSV(t.Context(), s, "own", dir, ingest.Options{MaxFileBytes: 1000})
	require.NoError(t, err)
	require.Len(t, tables(t, s), 3)
	require.Contains(t, fmt.Sprint(report.Problems), "d.jsonl: this is passed over")

	bomb := folder(t, map[string]string{"bomb.csv.gz": packed(t, "gz", "a\n"+string(bytes.Repeat([]byte("1\n"), 1<<20)))})
	_, err = ingest.CSV(t.Context(), s, "own", bomb, ingest.Options{MaxFileBytes: 100_000})
	require.ErrorContains(t, err, "MaxFileBytes")
}

// formats returns what makes a style of a book by the format of its numbers, and returns its number.
func formats(t *testing.T, book *excelize.File) func(format string) int {
	t.Helper()
	return func(format string) int {
		id, err := book.NewStyle(&excelize.Style{CustomNumFmt: &format})
		require.NoError(t, err)
		return id
	}
}

func TestSheetsAreTables(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	style := formats(t, book)
	day, euros, rounded := style("dd/mm/yyyy"), style(`#,##0.00 "EUR"`), style("#,##0")
	require.NoError(t, book.SetSheetName("Sheet1", "Sales"))
	for at, v := range map[string]any{
		"A1": "Sales of the year", "A3": "day", "B3": "price", "C3": "qty", "D3": "who", "E3": "paid",
		"A4": time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC), "B4": 1234.5, "C4": 1.75, "D4": "Ann", "E4": true,
		"A5": time.Date(2024, 4, 1, 0, 0, 0, 0, time.UTC), "B5": 2.25, "C5": 1200.25, "E5": false,
		"A6": "Total", "B6": 1236.75,
	} {
		require.NoError(t, book.SetCellValue("Sales", at, v))
	}
	require.NoError(t, book.SetCellStyle("Sales", "A4", "A5", day))
	require.NoError(t, book.SetCellStyle("Sales", "B4", "B6", euros))
	require.NoError(t, book.SetCellStyle("Sales", "C4", "C5", rounded))
	_, err := book.NewSheet("Notes")
	require.NoError(t, err)
	_, err = book.NewSheet("People")
	require.NoError(t, err)
	require.NoError(t, book.SetSheetRow("People", "A1", &[]any{"name", "age"}))
	require.NoError(t, book.SetSheetRow("People", "A2", &[]any{"Ann", 33}))
	dir := t.TempDir()
	require.NoError(t, book.SaveAs(filepath.Join(dir, "book.xlsx")))
	s := newStore(t)
	report, err := ingest.Files(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	got := tables(t, s)
	require.Len(t, got, 2, report.Problems)
	require.Equal(t, "day date, price double, qty double, who varchar, paid boolean", shape(got["Sales"]))
	require.Equal(t, "EUR", got["Sales"].Columns[1].Unit)
	require.Equal(t, []string{"2024-03-31 00:00:00|1234.5|1.75|Ann|true", "2024-04-01 00:00:00|2.25|1200.25|∅|false"}, rows(t, s, "SELECT * FROM Sales"))
	require.Equal(t, []string{"Ann|33"}, rows(t, s, "SELECT * FROM People"))
	require.Contains(t, fmt.Sprint(report.Problems), "Notes]: this sheet is empty")
}

func TestViewsOnRequest(t *testing.T) {
	t.Parallel()
	path, outside := filepath.Join(t.TempDir(), "own.duckdb"), filepath.Join(folder(t, map[string]string{"secret.txt": "secret"}), "secret.txt")
	db, err := sql.Open("duckdb", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE town AS SELECT range AS id, 'n' || range AS name FROM range(40); CREATE TABLE visit AS SELECT range AS id, range % 40 AS town_id FROM range(200); CREATE VIEW towns AS SELECT id AS town_id, name FROM town; CREATE TABLE t AS SELECT range AS i FROM range(3); CREATE VIEW v AS SELECT i * 2 AS twice FROM t; CREATE TABLE gone (x int); CREATE VIEW broken AS SELECT x FROM gone; DROP TABLE gone; CREATE VIEW outside AS SELECT * FROM read_text('"+outside+"');")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	s := newStore(t)
	report, err := ingest.DuckDB(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.NotContains(t, tables(t, s), "v")
	require.Contains(t, fmt.Sprint(report.Problems), "--views")
	report, err = ingest.DuckDB(t.Context(), s, "own", path, ingest.Options{Views: true})
	require.NoError(t, err)
	require.Equal(t, []string{"0", "2", "4"}, rows(t, s, "SELECT twice FROM v"))
	require.Equal(t, catalog.KindView, tables(t, s)["v"].Kind, "rules for the rows of t do not reach it")
	require.Equal(t, catalog.KindTable, tables(t, s)["town"].Kind)
	for _, k := range tables(t, s)["visit"].ForeignKeys {
		require.Equal(t, "town", k.RefTable.Table, "nothing points to a view")
	}
	require.Len(t, tables(t, s)["visit"].ForeignKeys, 1)
	require.NotContains(t, tables(t, s), "broken")
	require.NotContains(t, tables(t, s), "outside", "a view reads no file of whoever ingests it")
	require.Contains(t, fmt.Sprint(report.Problems), `"broken" cannot be read`)
}
