package ingest_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestLengthsOfTime: lengths of time are numbers of minutes or seconds where nothing else can be meant, and that is
// told; what may be a time of day, or minutes and seconds as well as hours and minutes, stays text and is told.
func TestLengthsOfTime(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	report, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"calls.csv": "id,talk,wait,ride,duration,starts,lap,stay\n" +
		"a,1h 20m,45s,26:15:00,0:05:00,09:15:00,3:45,2 h\nb,45m,2 min 5 s,1:00:30,1:30:00,10:30:00,4:10,30 min\nc,n/a,1.5min,0:10:00,0:45:00,11:00:00,3:59,1 h\n"}), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, "id varchar, talk bigint, wait bigint, ride bigint, duration bigint, starts varchar, lap varchar, stay bigint", shape(tables(t, s)["calls"]))
	require.Equal(t, []string{"a|80|45|94500|5|120", "b|45|125|3630|90|30", "c|∅|90|600|45|60"}, rows(t, s, "SELECT id, talk, wait, ride, duration, stay FROM calls ORDER BY id"))
	of := tables(t, s)["calls"]
	for name, unit := range map[string]string{"talk": "min", "wait": "s", "ride": "s", "duration": "min"} {
		c, _ := of.Column(name)
		require.Equal(t, unit, c.Unit, name)
		require.Contains(t, c.Written, "lengths of time, in ", name)
	}
	for _, name := range []string{"starts", "lap"} {
		c, _ := of.Column(name)
		require.Equal(t, catalog.ResemblesTime, c.Resembles, name)
	}
	require.Contains(t, fmt.Sprint(report.Problems), `column "talk" is read as bigint: lengths of time, in minutes`)
}

// TestTimesOfSheets: cells that are shown as hours and minutes are read with their seconds, and are lengths of time as
// those of files are.
func TestTimesOfSheets(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	style := formats(t, book)
	styles := []int{0, style("h:mm"), style("[h]:mm"), style("mm:ss"), style("h:mm AM/PM")}
	for i, row := range [][]any{{"who", "starts", "total", "lap duration", "ends"}, {"Ann", 0.375, 1.09375, 0.0026041666666666665, 0.75}, {"Ben", 0.4375, 0.25, 0.003472222222222222, 0.7708333333333334}, {"Cleo", 0.5, 0.5, 0.0030092592592592593, 0.8}} {
		for j, v := range row {
			cell, err := excelize.CoordinatesToCellName(j+1, i+1)
			require.NoError(t, err)
			require.NoError(t, book.SetCellValue("Sheet1", cell, v))
			if i > 0 {
				require.NoError(t, book.SetCellStyle("Sheet1", cell, cell, styles[j]))
			}
		}
	}
	dir := t.TempDir()
	require.NoError(t, book.SaveAs(filepath.Join(dir, "shifts.xlsx")))
	s := newStore(t)
	_, err := ingest.Files(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, "who varchar, starts varchar, total bigint, lap duration bigint, ends varchar", shape(tables(t, s)["shifts"]))
	require.Equal(t, []string{"Ann|09:00:00|1575|225|18:00:00", "Ben|10:30:00|360|300|18:30:00", "Cleo|12:00:00|720|260|19:12:00"}, rows(t, s, "SELECT * FROM shifts ORDER BY who"))
}
