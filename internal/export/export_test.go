package export_test

import (
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/dibrain/dibrain/internal/export"
	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/report"
	"github.com/dibrain/dibrain/pkg/result"
)

func config(t *testing.T) export.Config {
	t.Helper()
	c, err := export.Config{}.Complete()
	require.NoError(t, err)
	return c
}

func rowsOf(rows [][]any) export.Rows {
	return func(yield func([]any, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func resultOf(table result.Table) export.Result {
	return export.Result{
		Columns: table.Columns, Rows: rowsOf(table.Rows), Total: int64(len(table.Rows)),
		Document: report.Document{Title: "A title", Asked: report.Asked{Question: "=How many?"}, Sections: []report.Section{{SQL: []report.Statement{{Text: "SELECT 1"}}}}},
	}
}

// write exports a table and returns the file's path.
func write(t *testing.T, ending string, table result.Table, o export.Options) (string, export.Written) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out"+ending)
	written, err := export.File(t.Context(), path, resultOf(table), config(t), o)
	require.NoError(t, err)
	requireAlone(t, path)
	return path, written
}

// requireAlone holds that nothing but the file is left in its folder.
func requireAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	info, err := entries[0].Info()
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		require.EqualValues(t, 0o600, info.Mode().Perm(), "the rows are for their owner alone")
	}
}

// typed is a table with a column of each kind.
func typed() result.Table {
	return result.Table{
		Columns: []result.Column{
			{Name: "n", Type: "bigint"}, {Name: "amount", Type: "decimal(38,2)"}, {Name: "ratio", Type: "double"}, {Name: "name", Type: "varchar"}, {Name: "ok", Type: "boolean"},
			{Name: "day", Type: "date"}, {Name: "at", Type: "timestamp(3)"}, {Name: "zoned", Type: "timestamp(3) with time zone"}, {Name: "raw", Type: "varbinary"}, {Name: "list", Type: "array(varchar)"},
		},
		Rows: [][]any{
			{int64(42), "1234.50", 0.1, "Zürich 苏黎世", true, "2026-11-19", "2026-11-19 08:30:00.250", "2026-11-19 08:30:00.000 Asia/Singapore", "aGk=", []any{"a", 1.5, nil}},
			{int64(math.MaxInt64), "123456789012345678901234567890.12", 1e300, "", false, "1815-06-18", "9999-12-31 23:59:59.000", "2026-11-19 00:30:00.000 UTC", "", []any{}},
			{nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
		},
	}
}

func TestCSVHoldsEveryValue(t *testing.T) {
	t.Parallel()
	for ending, comma := range map[string]rune{".csv": ',', ".tsv": '\t'} {
		path, written := write(t, ending, typed(), export.Options{})
		require.EqualValues(t, 3, written.Rows)
		file, err := os.Open(path)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, file.Close()) })
		r := csv.NewReader(file)
		r.Comma = comma
		rows, err := r.ReadAll()
		require.NoError(t, err)
		require.Equal(t, [][]string{
			{"n", "amount", "ratio", "name", "ok", "day", "at", "zoned", "raw", "list"},
			{"42", "1234.50", "0.1", "Zürich 苏黎世", "true", "2026-11-19", "2026-11-19 08:30:00.250", "2026-11-19 08:30:00.000 Asia/Singapore", "aGk=", `["a",1.5,null]`},
			{"9223372036854775807", "123456789012345678901234567890.12", "1e+300", "", "false", "1815-06-18", "9999-12-31 23:59:59.000", "2026-11-19 00:30:00.000 UTC", "", "[]"},
			{"", "", "", "", "", "", "", "", "", ""},
		}, rows)
	}
}

func TestAMarkForExcelIsWrittenWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	with, _ := write(t, ".csv", typed(), export.Options{BOM: true})
	without, _ := write(t, ".csv", typed(), export.Options{})
	require.True(t, strings.HasPrefix(read(t, with), "\xef\xbb\xbfn,"))
	require.True(t, strings.HasPrefix(read(t, without), "n,"))
}

func TestJSONHoldsEveryValue(t *testing.T) {
	t.Parallel()
	path, _ := write(t, ".json", typed(), export.Options{})
	var got struct {
		Columns []result.Column `json:"columns"`
		Rows    [][]any         `json:"rows"`
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, path)), &got))
	require.Equal(t, typed().Columns, got.Columns)
	require.Len(t, got.Rows, 3)
	require.Equal(t, []any{float64(42), "1234.50", 0.1, "Zürich 苏黎世", true, "2026-11-19", "2026-11-19 08:30:00.250", "2026-11-19 08:30:00.000 Asia/Singapore", "aGk=", []any{"a", 1.5, nil}}, got.Rows[0])
	require.Equal(t, "9223372036854775807", got.Rows[1][0], "a double would lose digits")
}

func TestParquetHasTheTypes(t *testing.T) {
	t.Parallel()
	path, _ := write(t, ".parquet", typed(), export.Options{})
	db := parquet(t, path)
	var types, first, second string
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT string_agg(column_name || ' ' || column_type, ', ') FROM (DESCRIBE SELECT * FROM t)").Scan(&types))
	require.Equal(t, "n BIGINT, amount DECIMAL(38,2), ratio DOUBLE, name VARCHAR, ok BOOLEAN, day DATE, at TIMESTAMP, zoned TIMESTAMP WITH TIME ZONE, raw BLOB, list VARCHAR", types)
	const all = "SELECT concat_ws('|', n, amount, ratio, name, ok, day, \"at\", epoch(zoned)::BIGINT, decode(raw), list) FROM t LIMIT 1 OFFSET "
	require.NoError(t, db.QueryRowContext(t.Context(), all+"0").Scan(&first))
	require.NoError(t, db.QueryRowContext(t.Context(), all+"1").Scan(&second))
	require.Equal(t, `42|1234.50|0.1|Zürich 苏黎世|true|2026-11-19|2026-11-19 08:30:00.25|1795048200|hi|["a",1.5,null]`, first)
	require.Equal(t, "9223372036854775807|123456789012345678901234567890.12|1e+300||false|1815-06-18|9999-12-31 23:59:59|1795048200||[]", second)
}

func TestXLSXHasTheTypes(t *testing.T) {
	t.Parallel()
	path, written := write(t, ".xlsx", typed(), export.Options{})
	require.Contains(t, written.Notes, "2 numbers with more than 15 digits: written as text, since Excel would round them")
	f := workbook(t, path)
	require.Equal(t, []string{"Result", "About"}, f.GetSheetList())
	for cell, want := range map[string]struct {
		kind       excelize.CellType
		raw, shown string
	}{
		"A1": {excelize.CellTypeInlineString, "n", "n"}, "A2": {excelize.CellTypeUnset, "42", "42"}, "B2": {excelize.CellTypeUnset, "1234.5", "1234.50"}, "C2": {excelize.CellTypeUnset, "0.1", "0.1"},
		"D2": {excelize.CellTypeInlineString, "Zürich 苏黎世", "Zürich 苏黎世"}, "E2": {excelize.CellTypeBool, "1", "TRUE"}, "F2": {excelize.CellTypeUnset, "46345", "2026-11-19"},
		"G2": {excelize.CellTypeUnset, "46345.35416956018", "2026-11-19 08:30:00"}, "H2": {excelize.CellTypeInlineString, "2026-11-19 08:30:00.000 Asia/Singapore", "2026-11-19 08:30:00.000 Asia/Singapore"},
		"A3": {excelize.CellTypeInlineString, "9223372036854775807", "9223372036854775807"}, "B3": {excelize.CellTypeInlineString, "123456789012345678901234567890.12", "123456789012345678901234567890.12"},
		"F3": {excelize.CellTypeInlineString, "1815-06-18", "1815-06-18"}, "A4": {excelize.CellTypeUnset, "", ""},
	} {
		kind, err := f.GetCellType("Result", cell)
		require.NoError(t, err)
		require.Equal(t, want.kind, kind, cell)
		raw, err := f.GetCellValue("Result", cell, excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		require.Equal(t, want.raw, raw, cell)
		shown, err := f.GetCellValue("Result", cell)
		require.NoError(t, err)
		require.Equal(t, want.shown, shown, cell)
	}
	width, err := f.GetColWidth("Result", "H")
	require.NoError(t, err)
	require.InDelta(t, 40, width, .5, "as wide as its texts")
	about, err := f.GetRows("About")
	require.NoError(t, err)
	require.Contains(t, about, []string{"Question", "=How many?"})
	require.Contains(t, about, []string{"Presto SQL", "SELECT 1"})
}

// formulas are texts that a spreadsheet would run.
func formulas() []string {
	return []string{
		"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "=HYPERLINK(\"http://evil.test\")", "＝1+1", "－1", "+1 (555) 0100",
	}
}

func TestFormulasAreTexts(t *testing.T) {
	t.Parallel()
	table := result.Table{Columns: []result.Column{{Name: "=A1", Type: "varchar"}, {Name: "n", Type: "decimal(9,2)"}, {Name: "i", Type: "bigint"}}}
	for _, text := range formulas() {
		table.Rows = append(table.Rows, []any{text, "-1.50", int64(-3)})
	}
	for _, text := range []string{"-5", "+6512345678", "a=b", ""} { // nothing that could be run
		table.Rows = append(table.Rows, []any{text, nil, nil})
	}
	t.Run("csv", func(t *testing.T) {
		t.Parallel()
		path, written := write(t, ".csv", table, export.Options{})
		require.Contains(t, written.Notes[0], "13 texts would be read as formulas")
		rows, err := csv.NewReader(strings.NewReader(read(t, path))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, "'=A1", rows[0][0])
		for i, text := range formulas() {
			require.Equal(t, "'"+text, rows[i+1][0])
			require.Equal(t, []string{"-1.50", "-3"}, rows[i+1][1:], "numbers stay numbers")
		}
		require.Equal(t, "-5", rows[13][0])
		require.Equal(t, "a=b", rows[15][0])
	})
	t.Run("xlsx", func(t *testing.T) {
		t.Parallel()
		path, _ := write(t, ".xlsx", table, export.Options{})
		f := workbook(t, path)
		for i, text := range formulas() {
			cell := fmt.Sprintf("A%d", i+2)
			kind, err := f.GetCellType("Result", cell)
			require.NoError(t, err)
			require.Equal(t, excelize.CellTypeInlineString, kind, "%q", text)
			formula, err := f.GetCellFormula("Result", cell)
			require.NoError(t, err)
			require.Empty(t, formula, "%q", text)
			id, err := f.GetCellStyle("Result", cell)
			require.NoError(t, err)
			quoted := f.Styles.CellXfs.Xf[id].QuotePrefix
			require.True(t, quoted != nil && *quoted, "%q stays text when its cell is edited", text)
		}
		kind, err := f.GetCellType("Result", "B2")
		require.NoError(t, err)
		require.Equal(t, excelize.CellTypeUnset, kind, "a number")
	})
}

func TestAFileIsNeverReplacedUnasked(t *testing.T) {
	t.Parallel()
	for _, ending := range strings.Fields(export.Endings) {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "mine"+ending)
			require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
			_, err := export.File(t.Context(), path, resultOf(typed()), config(t), export.Options{})
			require.ErrorContains(t, err, "--force")
			require.Equal(t, "mine", read(t, path))
		})
	}
	path := filepath.Join(t.TempDir(), "mine.csv")
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	_, err := export.File(t.Context(), path, resultOf(typed()), config(t), export.Options{Force: true})
	require.NoError(t, err)
	require.Contains(t, read(t, path), "n,amount")
	requireAlone(t, path)
}

// TestAFileThatAppearsMeanwhileStays: somebody makes the file while the rows are read.
func TestAFileThatAppearsMeanwhileStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mine.csv")
	r := resultOf(typed())
	rows := r.Rows
	r.Rows = func(yield func([]any, error) bool) {
		rows(yield)
		require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	}
	_, err := export.File(t.Context(), path, r, config(t), export.Options{})
	require.Equal(t, "FILE_EXISTS", fault.ReasonOf(err))
	require.Equal(t, "mine", read(t, path))
	requireAlone(t, path)
}

// formatsOfRows are the endings of files that show rows.
func formatsOfRows() []string {
	return slices.DeleteFunc(strings.Fields(export.Endings), func(ending string) bool { return ending == ".svg" || ending == ".png" })
}

// TestChartsAreWrittenAsPictures: the chart of the answer, and nothing where it has none.
func TestChartsAreWrittenAsPictures(t *testing.T) {
	t.Parallel()
	spec := chart.Spec{Kind: chart.Bar, Title: "各城市的GMV", X: chart.Axis{Labels: []string{"Oslo", "<b>上海</b>"}}, Series: []chart.Series{{Name: "GMV", Values: []float64{3, 5}}}}
	for ending, begins := range map[string]string{".svg": "<svg", ".png": "\x89PNG"} {
		path := filepath.Join(t.TempDir(), "chart"+ending)
		r := resultOf(typed())
		r.Document.Sections[0].Chart = &report.Chart{Option: spec.Option()}
		written, err := export.File(t.Context(), path, r, config(t), export.Options{})
		require.NoError(t, err)
		require.True(t, written.Picture)
		requireAlone(t, path)
		text := read(t, path)
		require.True(t, strings.HasPrefix(text, begins), ending)
		if ending == ".svg" {
			require.Contains(t, text, "各城市的GMV")
			require.Contains(t, text, "&lt;b&gt;上海")
			require.Contains(t, text, "highest 5", "it is described")
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = export.File(cancelled, path, r, config(t), export.Options{Force: true})
		require.ErrorIs(t, err, context.Canceled)
		small := config(t)
		small.MaxBytes = 100
		_, err = export.File(t.Context(), path, r, small, export.Options{Force: true})
		require.Equal(t, "EXPORT_TOO_LARGE", fault.ReasonOf(err))
		require.Equal(t, text, read(t, path), "it stays as it was")

		none := filepath.Join(t.TempDir(), "none"+ending)
		_, err = export.File(t.Context(), none, resultOf(typed()), config(t), export.Options{})
		require.Equal(t, "CHART_EMPTY", fault.ReasonOf(err))
		require.NoFileExists(t, none)
	}
}

func TestAFileIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	gone := errors.New("it is gone")
	failing := func(yield func([]any, error) bool) {
		for _, row := range typed().Rows {
			if !yield(row, nil) {
				return
			}
		}
		yield(nil, gone)
	}
	for _, ending := range formatsOfRows() {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := resultOf(typed())
			r.Rows = failing
			_, err := export.File(t.Context(), filepath.Join(dir, "out"+ending), r, config(t), export.Options{})
			require.ErrorIs(t, err, gone)
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, entries)

			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = export.File(cancelled, filepath.Join(dir, "out"+ending), resultOf(typed()), config(t), export.Options{})
			require.ErrorIs(t, err, context.Canceled)
			entries, err = os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}

func TestAnExportIsBounded(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{".csv", ".tsv", ".json", ".parquet", ".xlsx"} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := config(t)
			c.MaxRows = 2
			for _, total := range []int64{3, 0} { // the server says how many, or does not
				r := resultOf(typed())
				r.Total = total
				_, err := export.File(t.Context(), filepath.Join(dir, "out"+ending), r, c, export.Options{})
				require.Equal(t, "EXPORT_TOO_LARGE", fault.ReasonOf(err))
				require.ErrorContains(t, err, "export.max_rows")
			}
			c = config(t)
			c.MaxBytes = 100
			_, err := export.File(t.Context(), filepath.Join(dir, "out"+ending), resultOf(typed()), c, export.Options{})
			require.ErrorContains(t, err, "export.max_bytes")
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}

func TestAPageTellsTheRowsThatItLeavesOut(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.DocumentRows = 1
	path := filepath.Join(t.TempDir(), "out.md")
	written, err := export.File(t.Context(), path, resultOf(typed()), c, export.Options{})
	require.NoError(t, err)
	require.Contains(t, read(t, path), "… 2 more rows")
	require.Contains(t, written.Notes[0], "first 1 of 3 rows")
}

func TestWhatCannotBeWrittenIsRefusedBeforehand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.csv"), 0o700))
	for path, reason := range map[string]string{
		"": "FILE_MISSING", filepath.Join(dir, "out.pdf"): "FILE_FORMAT_UNKNOWN", filepath.Join(dir, "out"): "FILE_FORMAT_UNKNOWN",
		filepath.Join(dir, "folder.csv"): "FILE_IS_FOLDER", filepath.Join(dir, "none", "out.csv"): "FOLDER_MISSING",
	} {
		require.Equal(t, reason, fault.ReasonOf(export.Check(path, export.Options{Force: true})), path)
	}
	require.Equal(t, "BOM_NOT_OF_TEXT", fault.ReasonOf(export.Check(filepath.Join(dir, "out.xlsx"), export.Options{BOM: true})))
	require.NoError(t, export.Check(filepath.Join(dir, "OUT.CSV"), export.Options{BOM: true}))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func parquet(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), "CREATE VIEW t AS SELECT * FROM read_parquet('"+path+"')")
	require.NoError(t, err)
	return db
}

func workbook(t *testing.T, path string) *excelize.File {
	t.Helper()
	f, err := excelize.OpenFile(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}
