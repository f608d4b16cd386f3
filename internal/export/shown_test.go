package export_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/dibrain/dibrain/internal/export"
	"github.com/dibrain/dibrain/pkg/result"
)

// TestPercentAndMonthsAreWrittenForTheirReader: people read percent and months, Excel has
// the number with its format, and programs get what the engine returned.
func TestPercentAndMonthsAreWrittenForTheirReader(t *testing.T) {
	t.Parallel()
	table := result.Table{
		Columns: []result.Column{{Name: "month", Type: "date", Period: "month"}, {Name: "paid", Type: "double", Unit: "%"}, {Name: "change", Type: "decimal(5,4)", Unit: "pp"}},
		Rows:    [][]any{{"2026-01-01", 0.9374, "-0.0205"}},
	}
	for _, ending := range []string{".html", ".md"} {
		path, _ := write(t, ending, table, export.Options{})
		text := read(t, path)
		require.Contains(t, text, "93.74%", ending)
		require.Contains(t, text, "2026-01", ending)
		require.NotContains(t, text, "2026-01-01", ending)
		require.True(t, strings.Contains(text, "-2.05 pp"), ending)
	}
	for _, ending := range []string{".csv", ".json"} {
		path, _ := write(t, ending, table, export.Options{})
		text := read(t, path)
		require.Contains(t, text, "0.9374", ending)
		require.Contains(t, text, "2026-01-01", ending)
	}
	path, _ := write(t, ".xlsx", table, export.Options{})
	f := workbook(t, path)
	for cell, want := range map[string]string{"A2": "2026-01", "B2": "93.74%"} {
		got, err := f.GetCellValue("Result", cell)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	raw, err := f.GetCellValue("Result", "B2", excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	require.Equal(t, "0.9374", raw)
	styleOf := func(cell string) string {
		id, err := f.GetCellStyle("Result", cell)
		require.NoError(t, err)
		style, err := f.GetStyle(id)
		require.NoError(t, err)
		require.NotNil(t, style.CustomNumFmt, cell)
		return *style.CustomNumFmt
	}
	require.Equal(t, `0.00%" points"`, styleOf("C2"))
}
