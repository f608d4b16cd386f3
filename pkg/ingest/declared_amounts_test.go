package ingest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestDeclaredDecimalsAreKept: amounts with a currency are of the decimal type that is declared, where they fit.
func TestDeclaredDecimalsAreKept(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	report, err := ingest.CSV(t.Context(), store, "own", folder(t, map[string]string{
		"schema.sql": "CREATE TABLE sales (id INTEGER PRIMARY KEY, price DECIMAL(12,2), fee DECIMAL(5,1), share DECIMAL(5,2));",
		"sales.csv":  "id,price,fee,share\n1,\"€ 1,200.00\",€ 1.25,15%\n2,€ 80.50,€ 2.5,5%\n3,€ 9.00,€ 3.5,20%\n",
	}), ingest.Options{})
	require.NoError(t, err)
	table := tables(t, store)["sales"]
	types := map[string]string{}
	for _, c := range table.Columns {
		types[c.Name] = c.Type
	}
	require.Equal(t, map[string]string{"id": "integer", "price": "decimal(12,2)", "fee": "double", "share": "double"}, types, "%v", report.Problems)
	require.Equal(t, []string{"1289.5|7.25"}, rows(t, store, "SELECT sum(price), sum(fee) FROM sales"))
}

// TestTextsWithTimesRatiosAndUnits: what holds an amount in a form that is not read stays text and is told, by all
// values of the column; measures are read, also right at the digits.
func TestTextsWithTimesRatiosAndUnits(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	_, err := ingest.CSV(t.Context(), store, "own", folder(t, map[string]string{
		"races.csv": "start,took,rating,height,bulb,weight,mixed,seat,code\n" +
			"07h19,1h 20m,3/5,\"5'11\"\"\",60W,4kg,4kg,12A,1/22\n" +
			"10h05,45 min,4/5,\"6'\",100W,12 kg,300 g,14C,x\n" +
			"9h30,2h,5/5,\"5'2\"\"\",40W,7.5kg,2kg,3B,y\n",
	}), ingest.Options{})
	require.NoError(t, err)
	got := map[string][3]string{}
	for _, c := range tables(t, store)["races"].Columns {
		got[c.Name] = [3]string{c.Type, c.Unit, c.Resembles}
	}
	text := func(like string) [3]string { return [3]string{"varchar", "", like} }
	require.Equal(t, map[string][3]string{
		"start": text(catalog.ResemblesTime), "took": {"bigint", "min", ""}, "rating": text(catalog.ResemblesNumber), "height": text(catalog.ResemblesNumber),
		"bulb": text(catalog.ResemblesNumber), "weight": {"double", "kg", ""}, "mixed": text(catalog.ResemblesNumber), "seat": text(""), "code": text(""),
	}, got)
}

// TestSpellingsAreReported: values that differ by case alone are told at the ingest; words for no value are not.
func TestSpellingsAreReported(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	report, err := ingest.CSV(t.Context(), store, "own", folder(t, map[string]string{
		"pay.csv": "id,method,kind\n1,Card,lead\n2,card,unknown\n3,cash,Unknown\n",
	}), ingest.Options{})
	require.NoError(t, err)
	var told []string
	for _, p := range report.Problems {
		if strings.Contains(p.Message, "several ways") {
			told = append(told, p.Message)
		}
	}
	require.Len(t, told, 1)
	require.Contains(t, told[0], `column "method" writes some values in several ways, as “Card” and “card”`)
}
