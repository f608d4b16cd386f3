package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// allPairs is the environment variable that has TestDirtyFilesAreRightOrTold make the files of all pairs
// of messes, and not of some that are drawn.
const allPairs = "DIBRAIN_TEST_ALL_PAIRS"

// drawnPairs is how many pairs are drawn else.
const drawnPairs = 40

// TestDirtyFilesAreRightOrTold makes files with each mess by itself and with pairs of
// them. Every value that is read is the right one, and of what is not read the catalog
// tells; most files are read whole.
func TestDirtyFilesAreRightOrTold(t *testing.T) {
	t.Parallel()
	all := append(messes(), exportMesses()...)
	var cases [][]mess
	for i, m := range all {
		cases = append(cases, []mess{m})
		for _, other := range all[i+1:] {
			if os.Getenv(allPairs) != "" {
				cases = append(cases, []mess{m, other})
			}
		}
	}
	pairs := rand.New(rand.NewPCG(13, 16))
	for len(cases) < len(all)+drawnPairs {
		i := pairs.IntN(len(all))
		j := (i + 1 + pairs.IntN(len(all)-1)) % len(all)
		cases = append(cases, []mess{all[i], all[j]})
	}
	var lock sync.Mutex
	right, told := 0, 0
	t.Cleanup(func() {
		t.Logf("%d of %d files are right, %d told", right, len(cases), told)
		require.GreaterOrEqual(t, right*10, len(cases)*8)
	})
	for n, messes := range cases {
		var names []string
		for _, m := range messes {
			names = append(names, m.name)
		}
		t.Run(strings.Join(names, " + "), func(t *testing.T) {
			t.Parallel()
			s := newSheet(uint64(n))
			for _, m := range messes {
				m.make(s)
			}
			store := newStore(t)
			report, err := ingest.CSV(t.Context(), store, "own", folder(t, map[string]string{"sales.csv": s.write()}), ingest.Options{})
			require.NoError(t, err)
			missing, silent := s.compare(tables(t, store)["sales"], func(query string) []string { return rows(t, store, query) })
			require.Empty(t, silent, "%s\n%v", s.write(), report.Problems)
			lock.Lock()
			defer lock.Unlock()
			if len(missing) == 0 {
				right++
				return
			}
			told++
			t.Logf("told: %v: %v", missing, report.Problems)
		})
	}
}

// measured are the columns that a sheet's truth is known of, and what they resemble where they stay text.
func measured() map[string]string {
	return map[string]string{
		"id": catalog.ResemblesNumber, "day": catalog.ResemblesDate, "region": "", "qty": catalog.ResemblesNumber,
		"discount": catalog.ResemblesNumber, "amount": catalog.ResemblesNumber,
	}
}

// truth is what a column of a row holds, as compare reads it.
func (row sale) truth(column string) string {
	switch column {
	case "id":
		return strconv.Itoa(row.id)
	case "day":
		return row.day.Format(time.DateOnly)
	case "region":
		return row.region
	case "qty":
		return strconv.Itoa(row.qty)
	case "discount":
		return strconv.Itoa(row.discount)
	}
	if row.absent {
		return "∅"
	}
	return strconv.FormatInt(row.cents, 10)
}

// compare tells what of the truth is not in the table, and people are told of it (missing), and
// what is there in a wrong way or is missing without a word (silent).
func (s *sheet) compare(table catalog.Table, query func(string) []string) (missing, silent []string) {
	shown := map[string]string{
		"discount": "CAST(round(%s * 100) AS BIGINT)", "amount": "CAST(round(%s * 100) AS BIGINT)", "qty": "CAST(round(%s) AS BIGINT)",
		"day": "CAST(%s AS DATE)", "id": "%s", "region": "%s",
	}
	idColumn := s.column("id")
	byID := make(map[string]sale)
	for _, row := range s.sales {
		byID[strconv.Itoa(row.id)] = row
	}
	for name, resembles := range measured() {
		c, found := table.Column(s.column(name))
		if !found {
			silent = append(silent, name+" is no column")
			continue
		}
		isDay := resembles == catalog.ResemblesDate
		switch {
		case c.Type == "varchar" && resembles != "":
			if c.Resembles != resembles {
				silent = append(silent, name+" is a text")
			} else {
				missing = append(missing, name)
			}
			continue
		case isDay != (c.Type == "date" || strings.HasPrefix(c.Type, "timestamp")):
			silent = append(silent, name+" is a "+c.Type)
			continue
		}
		var wrong []string
		lost := len(s.sales)
		for _, line := range query(fmt.Sprintf(`SELECT "%s", %s FROM sales`, idColumn, fmt.Sprintf(shown[name], `"`+s.column(name)+`"`))) {
			id, value, _ := strings.Cut(line, "|")
			value, _, _ = strings.Cut(value, " 00:00:00")
			row, known := byID[id]
			switch want := row.truth(name); {
			case known && value == want:
				lost--
			case !known || value != "∅":
				if known {
					lost--
				}
				wrong = append(wrong, fmt.Sprintf("%s: %s of row %s, want %s", name, value, id, want))
			}
		}
		if len(wrong) > 0 {
			silent = append(silent, wrong[:min(len(wrong), 3)]...)
		}
		if lost > 0 {
			if told := c.Unread + table.UnreadRows; int64(lost) > told {
				silent = append(silent, fmt.Sprintf("%s: %d values are missing, %d are told", name, lost, told))
			} else {
				missing = append(missing, fmt.Sprintf("%d of %s", lost, name))
			}
		}
	}
	return missing, silent
}

// TestComparingTellsWhatIsWrong holds the judge of dirty files: a wrong value, one that is missing without a
// word, a row too many and a text that nobody is told of are each silent.
func TestComparingTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSheet(1)
	s.sales = s.sales[:2]
	s.sales[0].cents, s.sales[1].cents = 150, 250
	of := func(c catalog.Column, answer ...string) (missing, silent []string) {
		table := catalog.Table{Columns: []catalog.Column{c}}
		for name := range measured() {
			if name != "amount" {
				table.Columns = append(table.Columns, catalog.Column{Name: name, Type: map[bool]string{true: "date", false: "bigint"}[name == "day"]})
			}
		}
		return s.compare(table, func(query string) []string {
			if strings.Contains(query, "amount") {
				return answer
			}
			var good []string
			for _, row := range s.sales {
				_, column, _ := strings.Cut(query, ", ")
				for name := range measured() {
					if strings.Contains(column, `"`+name+`"`) {
						good = append(good, strconv.Itoa(row.id)+"|"+row.truth(name))
					}
				}
			}
			return good
		})
	}
	number := catalog.Column{Name: "amount", Type: "double"}
	missing, silent := of(number, "1000|150", "1001|250")
	require.Empty(t, append(missing, silent...))
	for _, wrong := range [][]string{{"1000|150", "1001|251"}, {"1000|150", "1001|∅"}, {"1000|150"}, {"1000|150", "1001|250", "∅|400"}} {
		_, silent = of(number, wrong...)
		require.Len(t, silent, 1, wrong)
	}
	_, silent = of(catalog.Column{Name: "amount", Type: "varchar"})
	require.Equal(t, []string{"amount is a text"}, silent)
	missing, silent = of(catalog.Column{Name: "amount", Type: "double", Unread: 1}, "1000|150", "1001|∅")
	require.Equal(t, []string{"1 of amount"}, missing)
	require.Empty(t, silent)
	missing, silent = of(catalog.Column{Name: "amount", Type: "varchar", Resembles: catalog.ResemblesNumber})
	require.Equal(t, []string{"amount"}, missing)
	require.Empty(t, silent)
}
