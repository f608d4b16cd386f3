package export_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/dibrain/dibrain/internal/export"
	"github.com/dibrain/dibrain/pkg/result"
)

// odd are results that writers stumble over.
func odd() map[string]result.Table {
	text := func(values ...any) result.Table {
		t := result.Table{Columns: []result.Column{{Name: "v", Type: "varchar"}}}
		for _, v := range values {
			t.Rows = append(t.Rows, []any{v})
		}
		return t
	}
	wide := result.Table{Rows: [][]any{make([]any, 500)}}
	for i := range 500 {
		wide.Columns = append(wide.Columns, result.Column{Name: fmt.Sprintf("c%d", i), Type: "bigint"})
		wide.Rows[0][i] = int64(i)
	}
	return map[string]result.Table{
		"empty":     text(),
		"one row":   text("one"),
		"all nulls": text(nil, nil, nil),
		"wide":      wide,
		"endless":   {Columns: []result.Column{{Name: "v", Type: "double"}}, Rows: [][]any{{math.NaN()}, {math.Inf(1)}, {math.Inf(-1)}}},
		"nested": {Columns: []result.Column{{Name: "a", Type: "array(row(x double))"}, {Name: "m", Type: "map(varchar, bigint)"}},
			Rows: [][]any{{[]any{map[string]any{"x": math.NaN()}}, map[string]any{"=k": "</script>"}}}},
		"names alike":        {Columns: []result.Column{{Name: "a", Type: "bigint"}, {Name: "A", Type: "bigint"}, {Name: "a_2", Type: "bigint"}, {Name: "", Type: "bigint"}, {Name: "a", Type: "bigint"}}, Rows: [][]any{{int64(1), int64(2), int64(3), int64(4), int64(5)}}},
		"HTML":               text(`<script>alert(1)</script>`, `</script><b>`, `"><img src=x>`),
		"not UTF-8":          {Columns: []result.Column{{Name: "bad\xff\xfename", Type: "varchar"}}, Rows: [][]any{{"bad\xffvalue"}}},
		"right to left":      text("مرحبا بالعالم", "שלום abc", "a\u202etxt.exe"),
		"control":            text("a\x00b\x01c", "tab\there", "line\nfeed", `quote"s`),
		"longer than a cell": text(strings.Repeat("长", 40_000)),
	}
}

func TestOddResultsAreWrittenInEveryFormat(t *testing.T) {
	t.Parallel()
	for name, table := range odd() {
		for _, ending := range formatsOfRows() {
			t.Run(name+ending, func(t *testing.T) {
				t.Parallel()
				path, written := write(t, ending, table, export.Options{})
				require.EqualValues(t, len(table.Rows), written.Rows)
				rows, columns := sizeOf(t, ending, path)
				require.Equal(t, len(table.Rows), rows)
				require.Equal(t, len(table.Columns), columns)
			})
		}
	}
}

// sizeOf reads a file back by the reader of its format.
func sizeOf(t *testing.T, ending, path string) (rows, columns int) {
	t.Helper()
	switch ending {
	case ".csv", ".tsv":
		r := csv.NewReader(strings.NewReader(read(t, path)))
		if ending == ".tsv" {
			r.Comma = '\t'
		}
		all, err := r.ReadAll()
		require.NoError(t, err)
		if len(all[0]) == 1 { // a line of one empty cell is no line for this reader
			return len(strings.Split(strings.TrimSuffix(unquoted(read(t, path)), "\n"), "\n")) - 1, 1
		}
		return len(all) - 1, len(all[0])
	case ".json":
		var got struct{ Columns, Rows []any }
		require.NoError(t, json.Unmarshal([]byte(read(t, path)), &got))
		return len(got.Rows), len(got.Columns)
	case ".parquet":
		db := parquet(t, path)
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&rows))
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM (DESCRIBE SELECT * FROM t)").Scan(&columns))
	case ".xlsx":
		all, err := workbook(t, path).Rows("Result")
		require.NoError(t, err)
		for rows = -1; all.Next(); rows++ {
			cells, err := all.Columns()
			require.NoError(t, err)
			columns = max(columns, len(cells))
		}
	case ".html":
		root, err := html.Parse(strings.NewReader(read(t, path)))
		require.NoError(t, err)
		for node := range root.Descendants() {
			switch node.Data {
			case "th":
				columns++
			case "tr":
				rows++
			case "b", "img", "script":
				require.Fail(t, "a value became a part of the page")
			}
		}
		rows--
	case ".md":
		for line := range strings.SplitSeq(read(t, path), "\n") {
			if strings.HasPrefix(line, "| ") {
				rows++
				columns = strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") - 1
			}
		}
		rows -= 2
	}
	return rows, columns
}

// unquoted is CSV without the line feeds inside of its quotes.
func unquoted(text string) string {
	parts := strings.Split(text, `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], "\n", " ")
	}
	return strings.Join(parts, `"`)
}

func TestNamesOfParquetAreUnique(t *testing.T) {
	t.Parallel()
	path, written := write(t, ".parquet", odd()["names alike"], export.Options{})
	var names string
	require.NoError(t, parquet(t, path).QueryRowContext(t.Context(), "SELECT string_agg(column_name, ' ') FROM (DESCRIBE SELECT * FROM t)").Scan(&names))
	require.Equal(t, "a A_3 a_2 column_4 a_4", names)
	require.Contains(t, written.Notes[0], "A_3")
}
