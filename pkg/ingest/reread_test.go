package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestTextsOfJSONAreReadAsThoseOfCSV: JSON has no days and no currencies, so that texts of
// all values decide. A day in an order that nothing tells stays text and is told: the
// engine alone would take 01-05-24 for a day of 2001.
func TestTextsOfJSONAreReadAsThoseOfCSV(t *testing.T) {
	t.Parallel()
	var lines, unclear strings.Builder
	for i := range 24 {
		fmt.Fprintf(&unclear, "{\"day\": \"0%d-0%d-24\"}\n", 1+i%9, 1+(i*5)%9)
		price := fmt.Sprintf(`"$1,%03d.50"`, i)
		switch i {
		case 3:
			price = `"see note"`
		case 4:
			price = `"n/a"`
		case 5:
			price = `null`
		case 6:
			price = `""`
		}
		fmt.Fprintf(&lines, `{"id": %d, "clear": "%02d-01-24", "at": "2024-05-%02dT01:00:00+02:00", "utc": "2024-05-%02dT01:00:00Z", "price": %s, "zip": "%05d", "paid": "%s", "city": "Oslo", "in": {"x": "1,5"}}`+"\n",
			i, i+1, i+1, i+1, price, i, []string{"yes", "no"}[i%2])
	}
	s := newStore(t)
	report, err := ingest.Files(t.Context(), s, "own", folder(t, map[string]string{"t.jsonl": lines.String(), "u.jsonl": unclear.String()}), ingest.Options{})
	require.NoError(t, err)
	table := tables(t, s)["t"]
	require.Equal(t, "id bigint, clear date, at timestamp(6), utc timestamp(6), price double, zip varchar, paid boolean, city varchar, in_x double", shape(table))
	require.Equal(t, []string{"2024-01-03 00:00:00|2024-05-03 01:00:00|2024-05-03 01:00:00|1002.5|00002|true|Oslo|1.5"},
		rows(t, s, `SELECT clear, CAST("at" AS VARCHAR), CAST(utc AS VARCHAR), price, zip, paid, city, in_x FROM t WHERE id = 2`)[:1])
	require.Equal(t, []string{"20|20268"}, rows(t, s, "SELECT count(price), CAST(sum(price) AS BIGINT) FROM t"))
	price, _ := table.Column("price")
	require.Equal(t, []any{"$", int64(1)}, []any{price.Unit, price.Unread})
	u := tables(t, s)["u"]
	day, _ := u.Column("day")
	require.Equal(t, []any{"varchar", catalog.ResemblesDate}, []any{day.Type, day.Resembles})
	require.Equal(t, []string{`t 0 price: see note (not a double)`}, unread(t, s))
	require.Equal(t, []string{
		`note 0:0 column "in" holds objects: their fields are the columns in_x`,
		`changed 0:0 column "utc" of "t" is a text in which each value is a time: it becomes timestamp(6)`,
		`note 0:0 column "clear" has texts and is read as date: day/month/year; years of two digits are 1970 to 2069`,
		`note 0:0 column "at" has texts and is read as timestamp(6): as the clock at +02:00 shows`,
		`note 0:0 column "price" has texts and is read as double: “n/a” (1) counts as missing`,
		`value_unread 0:0 column "price": "see note" is no double; it is NULL in the table`,
		`note 0:0 column "paid" has texts and is read as boolean: yes or no`,
		`note 0:0 column "in_x" has texts and is read as double: decimals with a comma`,
		`text_like 0:0 column "day" looks like a date and stays text: no value tells the day from the month: say --date-order day or --date-order month`,
	}, told(report))
}

// TestManyTextsOfJSON: texts are read in batches, and none is lost between them.
func TestManyTextsOfJSON(t *testing.T) {
	t.Parallel()
	const many = 50_001
	var lines strings.Builder
	for i := range many {
		fmt.Fprintf(&lines, "{\"n\": \"%d €\"}\n", i)
	}
	s := newStore(t)
	_, err := ingest.Files(t.Context(), s, "own", folder(t, map[string]string{"t.jsonl": lines.String()}), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, "n bigint", shape(tables(t, s)["t"]))
	require.Equal(t, []string{fmt.Sprintf("%d|%d|%d", many, many, many*(many-1)/2)}, rows(t, s, "SELECT count(n), count(DISTINCT n), CAST(sum(n) AS BIGINT) FROM t"))
	require.Equal(t, []string{"0"}, rows(t, s, "SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'dibrain reread'"), "nothing is left behind")
}
