package ingest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// told are the problems of a report, as "kind line:column message".
func told(report ingest.Report) []string {
	var list []string
	for _, p := range report.Problems {
		list = append(list, fmt.Sprintf("%s %d:%d %s", p.Kind, p.Line, p.Column, p.Message))
	}
	return list
}

// unread are the texts that an ingest kept, as "line column: text (why)".
func unread(t *testing.T, s *source.Store) []string {
	t.Helper()
	g, err := s.Current("own")
	require.NoError(t, err)
	texts, err := ingest.ReadUnread(g.Dir)
	require.NoError(t, err)
	var list []string
	for _, u := range texts {
		list = append(list, fmt.Sprintf("%s %d %s: %s (%s)", u.Table, u.Line, u.Column, u.Text, u.Why))
	}
	return list
}

// TestWhatFilesLose: each line and value that its table does not have as it was written is
// told with its place, and kept with its text; a line that is there is not.
func TestWhatFilesLose(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content string
		options ingest.Options
		rows    []string
		report  [2]int64 // rows and rows left out
		told    []string
		unread  []string
	}{
		"nothing": {content: "a,b\nx,1\ny,2\n", rows: []string{"x|1", "y|2"}, report: [2]int64{2, 0}},
		"a total that is a sum": {
			content: "city,n\nOslo,400\nBergen,600\nTotal,1000\n", rows: []string{"Oslo|400", "Bergen|600"}, report: [2]int64{2, 0},
			told:   []string{"note 4:0 this line is a total or an average of others and is left out: --keep-totals keeps it"},
			unread: []string{"t 4 : Total,1000 (a total or an average of other lines)"},
		},
		"a total that was rounded": {
			content: "city,n\nOslo,400.4\nBergen,600.4\nTotal,1000\n", rows: []string{"Oslo|400.4", "Bergen|600.4"}, report: [2]int64{2, 0},
			told:   []string{"note 4:0 this line is a total or an average of others and is left out: --keep-totals keeps it"},
			unread: []string{"t 4 : Total,1000 (a total or an average of other lines)"},
		},
		"a total that is further from the sum than rounding brings it": {
			content: "city,n\nOslo,400\nBergen,600\nTotal,1002\n", rows: []string{"Oslo|400", "Bergen|600", "Total|1002"}, report: [2]int64{3, 0},
			told: []string{"note 4:0 this line is called a total or an average, but it has all that the rows have, and its numbers are not their sums: it is kept as a row"},
		},
		"a total of one of its columns": {
			content: "city,n,m\nOslo,1,5\nBergen,2,9\nTotal,3,7\n", rows: []string{"Oslo|1|5", "Bergen|2|9"}, report: [2]int64{2, 0},
			told:   []string{"note 4:0 this line is a total or an average of others and is left out: --keep-totals keeps it"},
			unread: []string{"t 4 : Total,3,7 (a total or an average of other lines)"},
		},
		"a total of nothing": {
			content: "city,n\nOslo,3\nBergen,-3\nTotal,0\n", rows: []string{"Oslo|3", "Bergen|-3", "Total|0"}, report: [2]int64{3, 0},
			told: []string{"note 4:0 this line is called a total or an average, but it has all that the rows have, and its numbers are not their sums: it is kept as a row"},
		},
		"a total that lacks what rows have": {
			content: "day,city,n\n2024-01-01,Oslo,3\n2024-01-02,Bergen,4\n,Total,99\n", rows: []string{"2024-01-01 00:00:00|Oslo|3", "2024-01-02 00:00:00|Bergen|4"}, report: [2]int64{2, 0},
			told:   []string{"note 4:0 this line is a total or an average of others and is left out: --keep-totals keeps it"},
			unread: []string{"t 4 : ,Total,99 (a total or an average of other lines)"},
		},
		"a total of fewer values than there are columns": {
			content: "city,n,m\nOslo,1.5,2.5\nBergen,2.5,3.5\nTotal,99\n", rows: []string{"Oslo|1.5|2.5", "Bergen|2.5|3.5"}, report: [2]int64{2, 0},
			told:   []string{"note 4:0 this line is a total or an average of others and is left out: --keep-totals keeps it"},
			unread: []string{"t 4 : Total,99 (a total or an average of other lines)"},
		},
		"a total that a person keeps": {
			content: "city,n\nOslo,4\nBergen,6\nTotal,10\n", options: ingest.Options{KeepTotals: true}, rows: []string{"Oslo|4", "Bergen|6", "Total|10"}, report: [2]int64{3, 0},
		},
		"an average that lacks what rows have": {
			content: "day,city,n\n2024-01-01,Oslo,3\n2024-01-02,Bergen,4\n,Average:,3.5\n", rows: []string{"2024-01-01 00:00:00|Oslo|3", "2024-01-02 00:00:00|Bergen|4"}, report: [2]int64{2, 0},
			told:   []string{"note 4:0 this line is a total or an average of others and is left out: --keep-totals keeps it"},
			unread: []string{"t 4 : ,Average:,3.5 (a total or an average of other lines)"},
		},
		"a place that is called so, with words": {
			content: "city,n,remark\nOslo,4,a\nTotal,4,a shop\n", rows: []string{"Oslo|4|a", "Total|4|a shop"}, report: [2]int64{2, 0},
		},
		"a row of too many values": {
			content: "a;b\n1;2\n3;\"4;\"\"5\";6;7\n8;9\n8;9\n", rows: []string{"1|2", "8|9", "8|9"}, report: [2]int64{3, 1},
			told:   []string{"row_skipped 3:1 this row is left out: it has 4 values for 2 columns"},
			unread: []string{`t 3 : 3;"4;""5";6;7 (left out: it has 4 values for 2 columns)`},
		},
		"rows that are laid under the columns": {
			content: "a,b\n1,x\n2,y,z\n3\n4,w\n5,\n", rows: []string{"1|x", "2|y", "3|∅", "4|w", "5|∅"}, report: [2]int64{5, 0},
			told: []string{
				"changed 3:1 this row is kept: it has 3 values for 2 columns, and 1 values stand behind the last column and are left out",
				"changed 4:1 this row is kept: it has 1 values for 2 columns, and the values of 1 columns are missing",
			},
			unread: []string{"t 3 : 2,y,z (kept as a row: 1 values stand behind the last column and are left out)", "t 4 : 3 (kept as a row: the values of 1 columns are missing)"},
		},
		"lines of one value each": {
			content: "x,,\ny,,\nz,,\n", rows: []string{"y", "z"}, report: [2]int64{2, 0},
		},
		"a title below the lines that a person passes over": {
			content: "passed over\nTitle,,\n1,2,3\n4,5,6\n7,8,9\n", options: ingest.Options{SkipRows: 1}, rows: []string{"1|2|3", "4|5|6", "7|8|9"}, report: [2]int64{3, 0},
			told: []string{`changed 2:0 column 2 is named "", which is empty or taken: it becomes "column_2"`, `changed 2:0 column 3 is named "", which is empty or taken: it becomes "column_3"`},
		},
		"a header again": {
			content: "a,b\n1,2\na,b\n3,4\na,b\n", rows: []string{"1|2", "3|4"}, report: [2]int64{2, 0},
			told: []string{"note 0:0 the header comes again 2 times among the rows and is left out there"},
		},
		"a column of nothing": {
			content: "a,,b\n1,,2\n3,,4\n", rows: []string{"1|2", "3|4"}, report: [2]int64{2, 0},
			told: []string{"note 1:0 column 2 has neither a name nor a value and is left out"},
		},
		"names that are taken": {
			content: "a,A,\n1,2,3\n", rows: []string{"1|2|3"}, report: [2]int64{1, 0},
			told: []string{`changed 1:0 column 2 is named "A", which is empty or taken: it becomes "A_2"`, `changed 1:0 column 3 is named "", which is empty or taken: it becomes "column_3"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			report, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"t.csv": test.content}), test.options)
			require.NoError(t, err)
			require.Equal(t, test.told, told(report))
			require.Equal(t, test.rows, rows(t, s, "SELECT * FROM t"))
			require.Equal(t, test.report, [2]int64{report.Tables[0].Rows, report.Tables[0].Skipped})
			require.Equal(t, test.unread, unread(t, s))
			require.Equal(t, len(test.unread), report.Unread)
			require.Equal(t, test.report[1], tables(t, s)["t"].UnreadRows)
		})
	}
}

// TestLinesBelowTheRows: lines below the last row that lack what the rows have, and have
// words where those have numbers, are left out and told. Such lines among the rows, and
// lines that have all of it, are rows.
func TestLinesBelowTheRows(t *testing.T) {
	t.Parallel()
	plain := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "%d,2024-01-%02d,%d\n", i, 1+i%28, 10)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		content string
		options ingest.Options
		sum     string
		left    int64
	}{
		"remarks at the end":          {content: plain(0, 40) + "Best,,99\nPlan,,77\n", sum: "400", left: 2},
		"among the rows":              {content: plain(0, 30) + "Best,,99\n" + plain(30, 60), sum: "699"},
		"among the rows and below":    {content: plain(0, 30) + "Best,,99\n" + plain(30, 60) + "Plan,,77\n", sum: "699", left: 1},
		"with all that the rows have": {content: plain(0, 40) + "Best,2024-02-01,99\n", sum: "499"},
		"without words":               {content: plain(0, 40) + "41,,99\n", sum: "499"},
		"no value as a word":          {content: plain(0, 40) + "n/a,,99\n", sum: "499"},
		"kept by a person":            {content: plain(0, 40) + "Best,,99\n", options: ingest.Options{KeepTotals: true}, sum: "499"},
		"more than may wait":          {content: plain(0, 4000) + strings.Repeat("Best,,1\n", 103), sum: "40103"},
		"as many as may wait":         {content: plain(0, 4000) + strings.Repeat("Best,,1\n", 100), sum: "40000", left: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			report, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"t.csv": "id,day,n\n" + c.content}), c.options)
			require.NoError(t, err)
			require.Equal(t, []string{c.sum}, rows(t, s, "SELECT CAST(sum(n) AS BIGINT) FROM t"))
			require.Equal(t, c.left, report.Tables[0].Skipped)
			require.Equal(t, c.left, tables(t, s)["t"].UnreadRows, "answers tell it")
			require.Equal(t, min(c.left, 10), int64(strings.Count(strings.Join(told(report), "\n"), "stands below the last row")), "the first ten one by one")
		})
	}
}

// TestManyLossesOfAFile: the first ten of a kind are told one by one, the others by their
// number, and all are kept.
func TestManyLossesOfAFile(t *testing.T) {
	t.Parallel()
	for _, many := range []int{9, 10, 11, 13} {
		var values, laid strings.Builder
		values.WriteString("id,50%\n")
		laid.WriteString("id,city\n")
		for i := range 200 {
			fmt.Fprintf(&values, "%d,\"$1,%03d.5\"\n", i, i)
			fmt.Fprintf(&laid, "%d,Oslo\n", i)
		}
		for i := range many {
			fmt.Fprintf(&values, "%d,see note\n", 200+i)
			fmt.Fprintf(&laid, "%d,Oslo,more\n", 200+i)
		}
		s := newStore(t)
		report, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"laid.csv": laid.String(), "values.csv": values.String()}), ingest.Options{})
		require.NoError(t, err)
		require.Equal(t, []string{fmt.Sprint(200 + many)}, rows(t, s, "SELECT count(*) FROM laid"))
		require.Equal(t, []string{fmt.Sprintf("%d|200", 200+many)}, rows(t, s, `SELECT count(*), count("50%") FROM "values"`))
		require.EqualValues(t, many, tables(t, s)["values"].Columns[1].Unread)
		require.Equal(t, 2*many, report.Unread)
		count := map[string]int{}
		var sums []string
		for _, p := range report.Problems {
			switch {
			case p.Line > 0:
				count[filepath.Base(p.File)+" "+string(p.Kind)]++
				if p.Kind == ingest.KindValueUnread {
					require.Equal(t, `column "50%": "see note" is no double; it is NULL in the table`, p.Message)
				}
			case p.Kind != ingest.KindNote:
				sums = append(sums, filepath.Base(p.File)+" "+string(p.Kind)+": "+p.Message)
			}
		}
		require.Equal(t, map[string]int{"laid.csv changed": min(many, 10), "values.csv value_unread": min(many, 10)}, count)
		if many <= 10 {
			require.Empty(t, sums)
			continue
		}
		require.Equal(t, []string{
			fmt.Sprintf("laid.csv changed: %d more rows with too few or too many values are kept", many-10),
			fmt.Sprintf("values.csv value_unread: column 50%%: %d more values do not fit", many-10),
		}, sums)
		require.Equal(t, fmt.Sprintf("values %d 50%%: see note (not a double)", 202+many-1), unread(t, s)[2*many-1])
	}
}
