package ingest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestFieldsOfObjectsAreColumns: each field of an object within an object is a column, whose texts are read as
// others are; a name that is taken gets a number, a list stays a list, and what is missing is NULL.
func TestFieldsOfObjectsAreColumns(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	dir := folder(t, map[string]string{"sales.jsonl": `{"id": 1, "buyer": {"city": "Bern", "plan": {"fee": "€ 1,200.50", "since": "31.01.2024"}}, "buyer_city": "x", "tags": ["a"], "by \"x\"": {"it's": 7}}
{"id": 2, "buyer": null, "buyer_city": "y", "tags": [], "by \"x\"": {"it's": 8}}
{"id": 3, "buyer": {"city": "Basel", "plan": {"fee": "€ 80.00", "since": "01.02.2024"}}, "buyer_city": "z", "tags": [], "by \"x\"": {"it's": 9}}
`})
	report, err := ingest.Files(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, `id bigint, buyer_city_2 varchar, buyer_plan_fee double, buyer_plan_since date, buyer_city varchar, tags array(varchar), by "x"_it's bigint`, shape(tables(t, s)["sales"]))
	require.Equal(t, []string{"1|Bern|1200.5|2024-01-31 00:00:00|x|7", "2|∅|∅|∅|y|8", "3|Basel|80|2024-02-01 00:00:00|z|9"},
		rows(t, s, `SELECT id, buyer_city_2, buyer_plan_fee, buyer_plan_since, buyer_city, "by ""x""_it's" FROM sales ORDER BY id`))
	require.Contains(t, fmt.Sprint(report.Problems), `column "buyer" holds objects: their fields are the columns buyer_city_2, buyer_plan_fee, buyer_plan_since`)

	_, err = ingest.Files(t.Context(), s, "own", dir, ingest.Options{MaxColumns: 5})
	require.NoError(t, err)
	require.Len(t, tables(t, s)["sales"].Columns, 5, "more columns than may be: the object stays whole")
}

// TestRowsWithinAnObject: the file that a program answers with has its rows in a list. Lists in several rows, and two
// lists in an object, are tables of their own.
func TestRowsWithinAnObject(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	report, err := ingest.Files(t.Context(), s, "own", folder(t, map[string]string{
		"answer.json": `{"total": 2, "next": null, "items": [{"id": 1, "who": {"name": "Ann"}}, {"id": 2, "who": {"name": "Ben"}}]}`,
		"rows.jsonl":  `{"id": 1, "lines": [{"n": 1}, {"n": 2}]}` + "\n" + `{"id": 2, "lines": []}` + "\n",
		"both.json":   `{"a": [{"n": 1}, {"n": 2}], "b": [{"n": 1}, {"n": 2}]}`,
	}), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"1|Ann", "2|Ben"}, rows(t, s, "SELECT id, who_name FROM answer ORDER BY id"))
	require.Equal(t, []string{"1|1", "1|2"}, rows(t, s, "SELECT * FROM rows_lines ORDER BY n"))
	require.Equal(t, []string{"1|1|1", "1|2|2"}, rows(t, s, "SELECT a.*, b.n FROM both_a a JOIN both_b b USING (both_number, n) ORDER BY n"))
	require.Contains(t, fmt.Sprint(report.Problems), `the file is one object: its rows are those of the list "items"`)
}
