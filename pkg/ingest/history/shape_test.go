package history_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/history"
	"github.com/dibrain/dibrain/pkg/source"
)

// bare is an event of a listener that does not tell tables, as other logs of queries
// are: id, person, moment and text.
func bare(t *testing.T, id, user, sql, info string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"queryId": id, "query": sql, "queryState": "FINISHED"},
		"context":  map[string]any{"user": user, "catalog": "hive", "schema": "sg_mart", "clientInfo": info},
		"endTime":  "2026-11-20T10:00:00Z",
	})
	require.NoError(t, err)
	return string(raw) + "\n"
}

func read(t *testing.T, s *source.Store, o history.Options, events ...string) history.Report {
	t.Helper()
	report, err := history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"a.jsonl": strings.Join(events, "")}), o)
	require.NoError(t, err)
	return report
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	report := read(
		t, s, history.Options{},
		bare(t, "a1", "ann", "SELECT city, count(*) AS inhabitants FROM customer WHERE city IN (1, 2, 3) AND id > -5 GROUP BY city LIMIT 10 -- for Ann", ""),
		bare(t, "a2", "bob", `select CITY, COUNT(*) as "Inhabitants" from hive.sg_mart.customer where City in (7) and id > 5 group by City limit 3`, ""),
		bare(t, "a3", "bob", "SELECT city, count(*) AS inhabitants FROM customer WHERE city IN (4, 5) AND id > 1 GROUP BY city LIMIT 20", ""),
		bare(t, "a4", "bob", "SELECT o.id FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.city = 3", ""),
		bare(t, "a5", "bob", "SELECT FROM", ""),
	)
	require.Equal(t, 4, report.Queries)
	require.Equal(t, 1, report.Elsewhere, "a text that cannot be read, without tables, is of nothing that is known")

	customer := tableOf(t, s, "customer").Usage
	mart := func(table string, columns ...string) catalog.Read {
		return catalog.Read{Table: name("mart", table), Columns: columns}
	}
	require.Equal(t, []catalog.Template{
		{SQL: "SELECT city, count(*) AS inhabitants FROM customer WHERE city IN (?) AND id > ? GROUP BY city LIMIT ?", Reads: []catalog.Read{mart("customer", "city", "id")}, Queries: 2, LastDay: "2026-11-20"},
		{SQL: "SELECT city, count(*) AS inhabitants FROM hive.sg_mart.customer WHERE city IN (?) AND id > ? GROUP BY city LIMIT ?", Reads: []catalog.Read{mart("customer", "city", "id")}, Queries: 1, LastDay: "2026-11-20"},
		{SQL: "SELECT o.id FROM orders AS o JOIN customer AS c ON o.customer_id = c.id WHERE c.city = ?", Reads: []catalog.Read{mart("customer", "city", "id"), mart("orders", "customer_id", "id")}, Queries: 1, LastDay: "2026-11-20"},
	}, customer.Templates)
	require.Equal(t, customer.Templates[2:], tableOf(t, s, "orders").Usage.Templates)
	require.Equal(t, []catalog.ColumnUse{
		{Column: "city", Queries: 4, Filters: 4, Groups: 3, LastDay: "2026-11-20"}, {Column: "id", Queries: 4, Filters: 3, LastDay: "2026-11-20"},
	}, customer.Columns)
	require.Equal(t, []catalog.Word{{Text: "inhabitants", Reads: []catalog.Read{mart("customer")}, Queries: 3, LastDay: "2026-11-20"}}, customer.Words)
	require.Len(t, customer.Joins, 1)

	s = warehouse(t)
	read(t, s, history.Options{NoShapes: true}, bare(t, "a1", "ann", "SELECT count(*) AS inhabitants FROM customer", ""), bare(t, "a2", "ann", "SELECT count(*) AS inhabitants FROM customer", ""))
	require.Empty(t, tableOf(t, s, "customer").Usage.Templates)
	require.Empty(t, tableOf(t, s, "customer").Usage.Words)
	require.EqualValues(t, 2, tableOf(t, s, "customer").QueryCount30d)
}

// TestWordsOfTitles: a tool that says what it asks for gives its tables words, not from
// one query alone, and none of the values that it asks for.
func TestWordsOfTitles(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	const info = `{"title": "Weekly retention of Meyer in 2026 – 复购", "user_id": 7}`
	read(
		t, s, history.Options{},
		bare(t, "b1", "ann", "SELECT c.id FROM customer c, orders WHERE customer_id = c.id AND c.city = 'Meyer'", info),
		bare(t, "b2", "bob", "SELECT c.id FROM customer c, orders WHERE customer_id = c.id AND c.city = 'Meyer'", info),
		bare(t, "b3", "bob", "SELECT c.id FROM customer c, orders WHERE customer_id = c.id AND c.city = 'Meyer'", `{"title": "once"}`),
		bare(t, "b4", "bob", "SELECT c.id FROM customer c, elsewhere.x.secret WHERE c.city = 'Meyer'", `{"title": "salaries"}`),
		bare(t, "b5", "bob", "SELECT c.id FROM customer c, elsewhere.x.secret WHERE c.city = 'Meyer'", `{"title": "salaries"}`),
	)
	var words []string
	for _, w := range tableOf(t, s, "orders").Usage.Words {
		words = append(words, w.Text)
		require.Len(t, w.Reads, 2, "who may not see both tables may not know what they were asked for together")
	}
	require.ElementsMatch(t, []string{"weekly", "retention", "复购"}, words)
	for _, w := range tableOf(t, s, "customer").Usage.Words {
		require.NotEqual(t, "salaries", w.Text, "of a table that is not here nothing can be known")
	}
}

func TestWhoIsNotCounted(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	report := read(t, s, history.Options{Exclude: []string{"etl"}}, bare(t, "c1", "etl", "SELECT id FROM orders", ""), bare(t, "c2", "ann", "SELECT id FROM orders", ""))
	require.Equal(t, 1, report.Excluded)
	require.Equal(t, 1, report.Queries)
	require.EqualValues(t, 1, tableOf(t, s, "orders").QueryCount30d)
}

// TestNoLiteralIsKept looks for each value that stands in a query in every byte of the
// source, packed and unpacked.
func TestNoLiteralIsKept(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	literals := []string{"Kowalski", "4111222233334444", "1987-06-05", "deadbeef77", "98765.25", "Zweibrücken", "kowalski", "13:14:15", "31 7"}
	events := []string{
		bare(t, "d1", "ann", "SELECT /* of Kowalski */ id FROM orders -- 98765.25\nWHERE day = 4111222233334444 AND id IN (SELECT id FROM city WHERE day <> 98765.25)", ""),
		bare(t, "d2", "ann", "SELECT count(*) AS kowalski_orders, 'Kowalski' AS who FROM orders WHERE CAST(id AS varchar) LIKE 'Kowalski%' /* Kowalski */", `{"question": "orders of Kowalski"}`),
		bare(t, "d3", "ann", `SELECT id AS "Zweibrücken" FROM customer WHERE CAST(city AS varchar) = 'Zweibrücken' OR day < DATE '1987-06-05' OR X'DEADBEEF77' = X'00'`, `{"question": "customers of Zweibrücken"}`),
		bare(t, "d4", "ann", "SELECT id FROM customer WHERE current_timestamp > TIMESTAMP '2026-01-01 13:14:15' - INTERVAL '31 7' DAY TO HOUR -- Kowalski", ""),
		bare(t, "d5", "ann", "SELECT json_value(CAST(id AS varchar), 'lax $.Kowalski') FROM customer", ""),
	}
	var twice []string
	for _, e := range events {
		twice = append(twice, e, strings.Replace(e, `"queryId":"d`, `"queryId":"e`, 1))
	}
	report := read(t, s, history.Options{}, twice...)
	require.Equal(t, 10, report.Queries)
	require.NotEmpty(t, tableOf(t, s, "orders").Usage.Templates)
	g, err := s.Current("wh")
	require.NoError(t, err)
	files := 0
	require.NoError(t, filepath.WalkDir(g.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		all := strings.ToLower(string(raw)) + unpacked(t, raw)
		for _, literal := range literals {
			require.NotContains(t, all, strings.ToLower(literal), path)
		}
		return nil
	}))
	require.GreaterOrEqual(t, files, 2, "the catalog and what was counted")
	require.Contains(t, allTexts(t, s), " join customer", "the test looks where the texts are")
}

// unpacked returns what is packed behind the header of a stored catalog.
func unpacked(t *testing.T, raw []byte) string {
	t.Helper()
	const header = 24
	if len(raw) < header || !strings.HasPrefix(string(raw), "dicat") {
		return ""
	}
	d, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer d.Close()
	plain, err := d.DecodeAll(raw[header:], nil)
	require.NoError(t, err)
	return strings.ToLower(string(plain))
}

// allTexts reads a template of a join into the source and returns its catalog unpacked.
func allTexts(t *testing.T, s *source.Store) string {
	t.Helper()
	read(t, s, history.Options{}, bare(t, "f1", "ann", "SELECT o.id FROM orders o JOIN customer c ON o.customer_id = c.id", ""))
	g, err := s.Current("wh")
	require.NoError(t, err)
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(g.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			all.WriteString(unpacked(t, raw))
		}
		return err
	}))
	return all.String()
}
