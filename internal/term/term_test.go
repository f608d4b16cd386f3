package term

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run with -update to make it")
	require.Equal(t, string(want), got)
}

func TestTable(t *testing.T) {
	t.Parallel()
	columns := []Column{{Title: "国家"}, {Title: "gmv_usd", Right: true}, {Title: "note"}}
	rows := [][]string{
		{"新加坡", "1,234,567.89", "plain"},
		{"Brazil", "98.10", "a long remark that has to be cut somewhere because the terminal ends"},
		{"Việt Nam", "NULL", "ctrl \x1b[31m characters\nare harmless"},
	}
	golden(t, "table_wide", Table(columns, rows, 120, Style{}))
	narrow := Table(columns, rows, 50, Style{})
	golden(t, "table_narrow", narrow)
	for line := range strings.SplitSeq(strings.TrimSpace(narrow), "\n") {
		require.LessOrEqual(t, cells(line), 50)
	}
	require.NotContains(t, narrow, "\x1b")
}

func TestBars(t *testing.T) {
	t.Parallel()
	golden(t, "bars", Bars([]Bar{{"Electronics", 1200, "1,200"}, {"时尚", 611, "611"}, {"Toys", -40, "-40"}, {"Books", 0, "0"}}, 60))
	require.Empty(t, Bars([]Bar{{"one", 1, "1"}}, 60), "one bar compares nothing")
	require.Empty(t, Bars([]Bar{{"a", 0, "0"}, {"b", 0, "0"}}, 60))
}

func TestLine(t *testing.T) {
	t.Parallel()
	golden(t, "line", Line([]string{"2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"}, []float64{10, 40, 20, 80}, 60))
	require.Empty(t, Line([]string{"a", "b"}, []float64{1, 2}, 60))
}

// The highest and the lowest value stand at the axis, wherever they are and however
// many others there are.
func TestLineShowsItsExtremes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 7, 30, 69, 70, 71, 365, 3000} {
		for _, peak := range []int{0, 1, n / 3, n / 2, n - 2, n - 1} {
			values, labels := make([]float64, n), make([]string, n)
			for i := range values {
				values[i] = 500 + float64(i%7)
			}
			values[peak], values[(peak+1)%n] = 1234, 111
			text := Line(labels, values, 100)
			require.Contains(t, text, "1234 ", "%d values, peak at %d", n, peak)
			require.Contains(t, text, "111 ", "%d values, peak at %d", n, peak)
		}
	}
}

// A value that is missing is a gap, not a fault.
func TestLineWithGaps(t *testing.T) {
	t.Parallel()
	values, labels := make([]float64, 200), make([]string, 200)
	for i := range values {
		values[i] = math.NaN()
	}
	values[3], values[150] = 7, 900
	require.Contains(t, Line(labels, values, 100), "900 ")
}

func TestTree(t *testing.T) {
	t.Parallel()
	zero := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return zero.Add(time.Duration(ms) * time.Millisecond) }
	golden(t, "tree", Tree([]Node{
		{ID: "r", Label: "router.ask", Status: "succeeded", Start: at(0), End: at(1500)},
		{ID: "a", Parent: "r", Label: "data_discovery", Status: "succeeded", Start: at(3), End: at(20), Note: "4 tables"},
		{ID: "b", Parent: "a", Label: "retrieve", Status: "succeeded", Start: at(5), End: at(9)},
		{ID: "c", Parent: "r", Label: "执行", Status: "failed", Failed: true, Start: at(30), End: at(1490), Note: "TABLE_NOT_FOUND"},
		{ID: "d", Parent: "r", Label: "open", Status: "running", Start: at(1495)},
	}, Style{}))
	cycle := Tree([]Node{{ID: "x", Parent: "y", Label: "x"}, {ID: "y", Parent: "x", Label: "y"}, {ID: "z", Parent: "z", Label: "z"}}, Style{})
	require.Contains(t, cycle, "z")
}

func TestShorten(t *testing.T) {
	t.Parallel()
	require.Equal(t, "新加…", Shorten("新加坡的订单", 5))
	require.Equal(t, "abc", Shorten("abc", 3))
	require.Equal(t, "…", Shorten("abcdef", 1))
}

func TestDuration(t *testing.T) {
	t.Parallel()
	require.Equal(t, "0.4 ms", Duration(400*time.Microsecond))
	require.Equal(t, "12 ms", Duration(12*time.Millisecond))
	require.Equal(t, "2m05s", Duration(125*time.Second))
}

func TestWrap(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"one two", "three"}, Wrap("one two three", 8))
	require.Equal(t, []string{"按日期", "分区的", "表"}, Wrap("按日期分区的表", 6))
	require.Equal(t, []string{"a 按", "日期", "x"}, Wrap("a 按日期 x", 4))
	require.Empty(t, Wrap("  ", 10))
	require.Equal(t, []string{"sold for", "12 $ per", "month"}, Wrap("sold for 12 $ per month", 11))
	require.Equal(t, []string{"it was", "€ 12 then"}, Wrap("it was € 12 then", 9))
	require.Equal(t, []string{"in", "1 €", "2 €"}, Wrap("in 1 € 2 €", 5))
	require.Equal(t, []string{"in $", "or €"}, Wrap("in $ or €", 5))
}

// TestWholeColumnsAreNotCut: an id that is copied stays whole however narrow the
// terminal is, and a width of 0 cuts nothing.
func TestWholeColumnsAreNotCut(t *testing.T) {
	t.Parallel()
	columns := []Column{{Title: "run", Whole: true}, {Title: "question"}}
	rows := [][]string{{"run_0123456789abcdef", "how many orders were there in all the shops"}}
	narrow := Table(columns, rows, 30, Style{})
	require.Contains(t, narrow, "run_0123456789abcdef")
	require.Contains(t, narrow, "…")
	require.NotContains(t, narrow, "shops")
	require.NotContains(t, Table(columns, rows, 0, Style{}), "…")
	require.Contains(t, Table(columns, rows, 3, Style{}), "run_0123456789abcdef", "it comes to its end")
}

// TestBarsOfLongNamesAreToldApart where there is no room for all of them.
func TestBarsOfLongNamesAreToldApart(t *testing.T) {
	t.Parallel()
	drawn := Bars([]Bar{{"The shop around the corner no. 1", 2, "2"}, {"The shop around the corner no. 2", 1, "1"}}, 40)
	require.Contains(t, drawn, "o. 1 █")
	require.Contains(t, drawn, "o. 2 █")
}
