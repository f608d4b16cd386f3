package ingest_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestWorkbooksThatCountFrom1904: days of a workbook that counts from 1904 are those that it shows.
func TestWorkbooksThatCountFrom1904(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	format := "dd/mm/yyyy"
	id, err := book.NewStyle(&excelize.Style{CustomNumFmt: &format})
	require.NoError(t, err)
	yes := true
	require.NoError(t, book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}))
	for i, v := range []any{"day", 43919, 43920} { // of 2024, counted from 1904
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		require.NoError(t, err)
		require.NoError(t, book.SetCellValue("Sheet1", cell, v))
		cell, err = excelize.CoordinatesToCellName(2, i+1)
		require.NoError(t, err)
		require.NoError(t, book.SetCellValue("Sheet1", cell, []any{"n", 1, 2}[i]))
	}
	require.NoError(t, book.SetCellStyle("Sheet1", "A2", "A3", id))
	dir := t.TempDir()
	require.NoError(t, book.SaveAs(filepath.Join(dir, "book.xlsx")))
	s := newStore(t)
	_, err = ingest.Files(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"2024-03-30 00:00:00|1", "2024-03-31 00:00:00|2"}, rows(t, s, "SELECT * FROM book"))
}
