package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// members is a file whose columns of texts hold words for no value.
func members() string {
	var b strings.Builder
	b.WriteString("id,mail,town,region,plan,sign,phone,rest\n")
	for i := range 80 {
		mail, town, region, plan, sign, phone, rest := fmt.Sprintf("m%d@x.org", i), "Leith", "EMEA", "gold", "+", fmt.Sprintf("0131 %03d", i), "N/A"
		switch i % 4 {
		case 1:
			mail, town, region, plan, sign = "N/A", "-", "NA", "none", "-"
		case 2:
			mail, town, region, plan, phone = "none", "#N/A", "APAC", "n/a", "unknown"
		case 3:
			mail, town = "", "NA"
		}
		fmt.Fprintf(&b, "%d,%s,%s,%s,%s,%s,%s,%s\n", i, mail, town, region, plan, sign, phone, rest)
	}
	return b.String()
}

// TestWordsForNoValueInTexts: what is nothing else is NULL, other words where the column's
// values say so; each is counted and told, and so is what is kept.
func TestWordsForNoValueInTexts(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	report, err := ingest.CSV(t.Context(), store, "own", folder(t, map[string]string{"m.csv": members()}), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"20|20|80|60|80|60|0"}, rows(t, store, "SELECT count(mail), count(town), count(region), count(plan), count(sign), count(phone), count(rest) FROM m"))
	table := tables(t, store)["m"]
	told := map[string]string{}
	for _, c := range table.Columns {
		told[c.Name] = fmt.Sprintf("%d of %d missing: %s", c.Absent, c.Missing, c.Written)
	}
	require.Equal(t, map[string]string{
		"id":     "0 of 0 missing: ",
		"mail":   "40 of 60 missing: “N/A” (20), “none” (20) count as missing",
		"town":   "60 of 60 missing: “#N/A” (20), “-” (20), “NA” (20) count as missing",
		"region": "0 of 0 missing: ",
		"plan":   "20 of 20 missing: “n/a” (20) counts as missing",
		"sign":   "0 of 0 missing: ",
		"phone":  "20 of 20 missing: “unknown” (20) counts as missing",
		"rest":   "80 of 80 missing: “N/A” (80) counts as missing",
	}, told)
	notes := fmt.Sprint(report.Problems)
	require.Contains(t, notes, `column "mail" is read as varchar: “N/A” (20), “none” (20) count as missing`)
	require.Contains(t, notes, `column "plan": “none” (20) may say that there is no value, and is kept as one; otherwise: --null '' --null NULL --null 'none'`)
	require.Contains(t, notes, `column "region": “NA” (20) may say`)

	own := newStore(t)
	_, err = ingest.CSV(t.Context(), own, "own", folder(t, map[string]string{"m.csv": members()}), ingest.Options{NullTokens: []string{"", "none"}})
	require.NoError(t, err)
	require.Equal(t, []string{"40|80|60"}, rows(t, own, "SELECT count(mail), count(town), count(plan) FROM m"), "a person's own list is the list")
}

// TestWordsForNoValueInJSON: texts of JSON are read as those of CSV.
func TestWordsForNoValueInJSON(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 6 {
		fmt.Fprintf(&lines, `{"id": %d, "town": "%s"}`+"\n", i, []string{"Leith", "N/A"}[i%2])
	}
	store := newStore(t)
	report, err := ingest.Files(t.Context(), store, "own", folder(t, map[string]string{"m.jsonl": lines.String()}), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"3"}, rows(t, store, "SELECT count(town) FROM m"))
	table := tables(t, store)["m"]
	town, _ := table.Column("town")
	require.Equal(t, []int64{3, 3}, []int64{town.Absent, town.Missing})
	require.Contains(t, fmt.Sprint(report.Problems), "“N/A” (3) counts as missing")
}

// TestCountedTimes: whole numbers that are times since 1970 become times where the
// column's name speaks of time.
func TestCountedTimes(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	report, err := ingest.CSV(t.Context(), store, "own", folder(t, map[string]string{
		"a.csv": "id,createdAt,event_ts,下单时间,phone,station,updated\n" +
			"1,1700000000,1700000000123,1700000000000001,1700000000,1700000000,1700000000\n2,n/a,1700000001000,1700000001000000,1700000001,1700000001,7\n",
		"b.csv": "when~who\n1~x\n2~y\n",
	}), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, "id bigint, createdAt timestamp(6), event_ts timestamp(6), 下单时间 timestamp(6), phone bigint, station bigint, updated bigint", shape(tables(t, store)["a"]))
	require.Equal(t, []string{"2023-11-14 22:13:20|2023-11-14 22:13:20.123|2023-11-14 22:13:20.000001"},
		rows(t, store, "SELECT CAST(createdAt AS VARCHAR), CAST(event_ts AS VARCHAR), CAST(下单时间 AS VARCHAR) FROM a WHERE id = 1"))
	require.Equal(t, "when bigint, who varchar", shape(tables(t, store)["b"]))
	notes := fmt.Sprint(report.Problems)
	require.Contains(t, notes, `column "createdAt" is read as timestamp(6): seconds since 1970, shown in UTC; “n/a” (1) counts as missing`)
	require.Contains(t, notes, `'~' is taken for the delimiter`)
}

// TestRareDelimiters: a mark that few programs write is taken only where all lines have it
// alike and the first one names what is between.
func TestRareDelimiters(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	_, err := ingest.CSV(t.Context(), store, "own", folder(t, map[string]string{
		"a.csv": "name\nR#1\nS\n", "b.csv": "#rank#\n#1#\n", "c.csv": "a\x01b\n1\x012\n",
	}), ingest.Options{})
	require.NoError(t, err)
	all := tables(t, store)
	require.Len(t, all["a"].Columns, 1)
	require.Len(t, all["b"].Columns, 1)
	require.Equal(t, "a bigint, b bigint", shape(all["c"]))
}
