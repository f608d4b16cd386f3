package history_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/history"
	"github.com/dibrain/dibrain/pkg/source"
)

func name(schema, table string) catalog.Name {
	return catalog.Name{Region: "sg", Schema: schema, Table: table}
}

func columns(names ...string) []catalog.Column {
	var out []catalog.Column
	for _, n := range names {
		out = append(out, catalog.Column{Name: n, Type: "bigint"})
	}
	return out
}

// warehouse is a Trino source whose region sg is the schemas of the catalog hive
// that begin with sg_.
func warehouse(t *testing.T) *source.Store {
	t.Helper()
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	_, err = s.Make(t.Context(), "wh", tables)
	require.NoError(t, err)
	return s
}

func tables(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
	return source.Manifest{
			Engine: source.EngineTrino, DefaultRegion: "sg", DefaultSchema: "mart",
			Trino: &source.TrinoConnection{URL: "http://127.0.0.1:1", User: "svc", Regions: map[string]source.TrinoPlace{"sg": {Catalog: "hive", SchemaPrefix: "sg_"}}},
		}, &catalog.Snapshot{Tables: []catalog.Table{
			{Name: name("mart", "orders"), Columns: columns("id", "customer_id", "day")},
			{Name: name("mart", "customer"), Columns: columns("id", "city")},
			{Name: name("mart", "city"), Columns: columns("id", "day")},
			{Name: name("mart", "lonely"), Columns: columns("id"), QueryCount30d: 7},
		}}, nil
}

// query is an event as Trino's HTTP listener sends it.
type query struct {
	id, user, at, sql, state string
	tables                   []string // "orders(id,day)"; "-orders" is read by a view
}

func (q query) json(t *testing.T, indent bool) string {
	t.Helper()
	if q.state == "" {
		q.state = "FINISHED"
	}
	var used []map[string]any
	for _, text := range q.tables {
		table, rest, _ := strings.Cut(strings.TrimPrefix(text, "-"), "(")
		entry := map[string]any{"catalog": "hive", "schema": "sg_mart", "table": table, "directlyReferenced": !strings.HasPrefix(text, "-")}
		var columns []map[string]string
		for _, c := range strings.FieldsFunc(strings.TrimSuffix(rest, ")"), func(r rune) bool { return r == ',' }) {
			columns = append(columns, map[string]string{"column": c})
		}
		entry["columns"] = columns
		used = append(used, entry)
	}
	e := map[string]any{
		"metadata":   map[string]any{"queryId": q.id, "query": q.sql, "queryState": q.state, "tables": used, "plan": "<5451 chars>"},
		"context":    map[string]any{"user": q.user, "catalog": "hive", "schema": "sg_mart", "source": "trino-cli", "clientTags": []string{}},
		"statistics": map[string]any{"cpuTime": 1.3}, "ioMetadata": map[string]any{"inputs": []any{}},
		"createTime": q.at, "endTime": q.at,
	}
	raw, err := json.Marshal(e)
	if indent {
		raw, err = json.MarshalIndent(e, "", " ")
	}
	require.NoError(t, err)
	return string(raw) + "\n"
}

var asked = []query{
	{id: "q1", user: "ann", at: "2026-11-20T10:00:00Z", tables: []string{"orders(id,day)"}, sql: "SELECT id, day FROM orders"},
	{id: "q2", user: "bob", at: "2026-11-20T11:00:00.5Z", tables: []string{"orders(customer_id)", "customer(id)"}, sql: "SELECT count(*) FROM orders o JOIN customer c ON o.customer_id = c.id"},
	{id: "q3", user: "ann", at: "2026-10-01T10:00:00Z", tables: []string{"customer(id,city)", "orders(customer_id)", "city(id)"}, sql: "SELECT c.id FROM hive.sg_mart.customer c, orders, city WHERE customer_id = c.id AND city.id = c.city"},
	{id: "q4", user: "ann", at: "2026-11-19T10:00:00Z", state: "FAILED", tables: []string{"orders(id)"}, sql: "SELECT id FROM orders"},
	{id: "q5", user: "ann", at: "2026-11-19T10:00:00Z", tables: []string{"unknown(id)"}, sql: "SELECT id FROM unknown"},
	{id: "q6", user: "ann", at: "2026-11-19T10:00:00Z", tables: []string{"orders(id)", "city(id)", "-customer(id)"}, sql: "SELECT id FROM orders WHERE … cut"},
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for file, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
	}
	return dir
}

func all(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, q := range asked {
		text.WriteString(q.json(t, false))
	}
	return text.String()
}

func tableOf(t *testing.T, s *source.Store, table string) catalog.Table {
	t.Helper()
	g, err := s.Current("wh")
	require.NoError(t, err)
	c, err := g.Snapshot()
	require.NoError(t, err)
	for _, one := range c.Tables {
		if one.Name.Table == table {
			return one
		}
	}
	require.Fail(t, "no table", table)
	return catalog.Table{}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	report, err := history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"a.jsonl": all(t) + "no json\n", "readme.txt": "x"}), history.Options{})
	require.NoError(t, err)
	require.Equal(t, 1, len(report.Problems), report.Problems)
	require.Contains(t, report.Problems[0].String(), "a.jsonl:7")
	report.Problems = nil
	require.Equal(t, history.Report{Queries: 4, Failed: 1, Elsewhere: 1, Broken: 1, Unread: 1, Tables: 3, Until: time.Date(2026, 11, 20, 11, 0, 0, 5e8, time.UTC)}, report)

	orders := tableOf(t, s, "orders")
	require.EqualValues(t, 3, orders.QueryCount30d, "q3 is older than 30 days")
	require.Equal(t, []catalog.Use{
		{Day: "2026-11-20", User: "ann", Queries: 1}, {Day: "2026-11-20", User: "bob", Queries: 1},
		{Day: "2026-11-19", User: "ann", Queries: 1}, {Day: "2026-10-01", User: "ann", Queries: 1},
	}, orders.Usage.Uses)
	require.Equal(t, []catalog.ColumnUse{
		{Column: "customer_id", Queries: 2, LastDay: "2026-11-20"}, {Column: "id", Queries: 2, LastDay: "2026-11-20"}, {Column: "day", Queries: 1, LastDay: "2026-11-20"},
	}, orders.Usage.Columns)
	require.Equal(t, []catalog.Join{
		{Table: name("mart", "customer"), Columns: []string{"customer_id"}, RefColumns: []string{"id"}, Queries: 2, LastDay: "2026-11-20"},
		{Table: name("mart", "city"), Queries: 1, LastDay: "2026-11-19"}, // the text of q6 is cut off
	}, orders.Usage.Joins)
	require.Equal(t, 2, orders.Usage.People())

	customer := tableOf(t, s, "customer")
	require.Equal(t, []catalog.Join{
		{Table: name("mart", "orders"), Columns: []string{"id"}, RefColumns: []string{"customer_id"}, Queries: 2, LastDay: "2026-11-20"},
		{Table: name("mart", "city"), Columns: []string{"city"}, RefColumns: []string{"id"}, Queries: 1, LastDay: "2026-10-01"},
	}, customer.Usage.Joins)
	require.EqualValues(t, 1, customer.QueryCount30d, "what a view reads is not asked for")

	require.EqualValues(t, 7, tableOf(t, s, "lonely").QueryCount30d)
	require.Nil(t, tableOf(t, s, "lonely").Usage)
}

// TestNoTextIsKept holds that what people wrote is nowhere in the source.
func TestNoTextIsKept(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	const secret = "4111-1111-1111-1111"
	q := query{id: "q9", user: "ann", at: "2026-11-20T10:00:00Z", tables: []string{"orders(id)"}, sql: "SELECT id FROM orders WHERE card = '" + secret + "'"}
	_, err := history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"a.json": q.json(t, false)}), history.Options{NoUsers: true})
	require.NoError(t, err)
	g, err := s.Current("wh")
	require.NoError(t, err)
	c, err := g.Snapshot()
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprintf("%+v %+v", c, c.Tables[0].Usage), secret)
	require.Equal(t, []catalog.Use{{Day: "2026-11-20", Queries: 1}}, c.Tables[0].Usage.Uses, "nor who it was")
}

func TestNothingIsCountedTwice(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	dir := folder(t, map[string]string{"a.jsonl": all(t), "b.jsonl": all(t)})
	report, err := history.Ingest(t.Context(), s, "wh", dir, history.Options{})
	require.NoError(t, err)
	require.Equal(t, 4, report.Queries)
	require.Equal(t, 4, report.Known)
	first, err := s.Current("wh")
	require.NoError(t, err)

	report, err = history.Ingest(t.Context(), s, "wh", dir, history.Options{})
	require.NoError(t, err)
	require.Equal(t, 8, report.Known)
	again, err := s.Current("wh")
	require.NoError(t, err)
	require.Equal(t, first.Generation, again.Generation, "nothing new is no new generation")

	// Another ingest of the tables keeps the use, and what was counted.
	_, err = s.Make(t.Context(), "wh", tables)
	require.NoError(t, err)
	next := query{id: "q10", user: "eve", at: "2026-11-21T10:00:00Z", tables: []string{"orders(id)"}, sql: "SELECT id FROM orders"}
	report, err = history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"c.jsonl": all(t) + next.json(t, false)}), history.Options{})
	require.NoError(t, err)
	require.Equal(t, 1, report.Queries)
	require.EqualValues(t, 4, tableOf(t, s, "orders").QueryCount30d)

	// 90 days later all but the latest are forgotten.
	late := query{id: "q11", user: "eve", at: "2027-02-18T10:00:00Z", tables: []string{"city(id)"}, sql: "SELECT id FROM city"}
	_, err = history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"d.jsonl": late.json(t, false)}), history.Options{})
	require.NoError(t, err)
	orders := tableOf(t, s, "orders")
	require.Zero(t, orders.QueryCount30d)
	require.Equal(t, []catalog.Use{{Day: "2026-11-21", User: "eve", Queries: 1}, {Day: "2026-11-20", User: "ann", Queries: 1}, {Day: "2026-11-20", User: "bob", Queries: 1}}, orders.Usage.Uses)

	report, err = history.Ingest(t.Context(), s, "wh", dir, history.Options{Anew: true})
	require.NoError(t, err)
	require.Equal(t, 4, report.Queries)
	require.EqualValues(t, 3, tableOf(t, s, "orders").QueryCount30d)
}

// TestShapesOfFiles reads the same events however they are written down.
func TestShapesOfFiles(t *testing.T) {
	t.Parallel()
	var stretched, list strings.Builder
	list.WriteString(" [\n")
	for i, q := range asked {
		stretched.WriteString(q.json(t, true))
		if i > 0 {
			list.WriteString(",")
		}
		list.WriteString(q.json(t, true))
	}
	list.WriteString("]")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(stretched.String()))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	seconds := strings.ReplaceAll(all(t), `"2026-11-20T10:00:00Z"`, "1795168800.25")
	for file, content := range map[string]string{
		"stretched.json": stretched.String(), "list.json": list.String(), "packed.json.gz": packed.String(), "seconds.jsonl": seconds,
		"empty lines.jsonl": "\n\n" + strings.ReplaceAll(all(t), "\n", "\r\n\r\n"),
	} {
		s := warehouse(t)
		report, err := history.Ingest(t.Context(), s, "wh", filepath.Join(folder(t, map[string]string{file: content}), file), history.Options{})
		require.NoError(t, err, file)
		require.Equal(t, 4, report.Queries, file)
		require.Zero(t, report.Broken, file)
		require.EqualValues(t, 3, tableOf(t, s, "orders").QueryCount30d, file)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 60 {
		q := query{id: fmt.Sprint("u", i), user: fmt.Sprint("user", i%20), at: fmt.Sprintf("2026-11-%02dT10:00:00Z", 1+i%3), tables: []string{"orders(id,day,customer_id)"}, sql: "SELECT 1"}
		text.WriteString(q.json(t, false))
	}
	dir := folder(t, map[string]string{"a.jsonl": text.String()})
	s := warehouse(t)
	_, err := history.Ingest(t.Context(), s, "wh", dir, history.Options{MaxUses: 10, MaxColumns: 2})
	require.NoError(t, err)
	orders := tableOf(t, s, "orders")
	require.LessOrEqual(t, len(orders.Usage.Uses), 10)
	require.EqualValues(t, 60, orders.Usage.Since(""), "who is put together is counted still")
	require.Len(t, orders.Usage.Columns, 2)

	s = warehouse(t)
	before, err := s.Current("wh")
	require.NoError(t, err)
	_, err = history.Ingest(t.Context(), s, "wh", dir, history.Options{MaxQueries: 50})
	require.Equal(t, "HISTORY_TOO_LARGE", fault.ReasonOf(err))
	_, err = history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"a.jsonl": "{}\nx\n"}), history.Options{})
	require.Equal(t, "HISTORY_NOTHING", fault.ReasonOf(err))
	_, err = history.Ingest(t.Context(), s, "other", dir, history.Options{})
	require.Equal(t, source.ReasonUnknown, fault.ReasonOf(err))
	after, err := s.Current("wh")
	require.NoError(t, err)
	require.Equal(t, before.Generation, after.Generation)
}

// TestThirtyDaysAreThirty: the day of the latest query and the 29 before it.
func TestThirtyDaysAreThirty(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	var text strings.Builder
	for i, day := range []string{"2026-10-21", "2026-10-22", "2026-11-19", "2026-11-20"} {
		text.WriteString(query{id: fmt.Sprint("d", i), user: "ann", at: day + "T10:00:00Z", tables: []string{"orders(id)"}, sql: "SELECT id FROM orders"}.json(t, false))
	}
	_, err := history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"a.jsonl": text.String()}), history.Options{})
	require.NoError(t, err)
	require.EqualValues(t, 3, tableOf(t, s, "orders").QueryCount30d, "the 30th day before is none of them")
	require.Len(t, tableOf(t, s, "orders").Usage.Uses, 4)
}

// TestAnewForgetsWhatIsNotUsedAnyMore: of a table that the history does not name any more
// nothing is left, and what was never counted here stays.
func TestAnewForgetsWhatIsNotUsedAnyMore(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	_, err := history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"a.jsonl": all(t)}), history.Options{})
	require.NoError(t, err)
	require.Positive(t, tableOf(t, s, "city").QueryCount30d)
	only := query{id: "q20", user: "ann", at: "2026-11-20T10:00:00Z", tables: []string{"orders(id)"}, sql: "SELECT id FROM orders"}
	_, err = history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"b.jsonl": only.json(t, false)}), history.Options{Anew: true})
	require.NoError(t, err)
	require.EqualValues(t, 1, tableOf(t, s, "orders").QueryCount30d)
	city := tableOf(t, s, "city")
	require.Zero(t, city.QueryCount30d)
	require.Nil(t, city.Usage)
	require.EqualValues(t, 7, tableOf(t, s, "lonely").QueryCount30d)
}
