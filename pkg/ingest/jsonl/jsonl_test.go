package jsonl_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/jsonl"
	"github.com/dibrain/dibrain/pkg/source"
)

const lines = `
{"id": "x.1", "db": "shop", "schema": "", "table": "orders", "description": "an order a row", "columns": [["id", "bigint", "number"], ["customer_id", "bigint", null], ["city", "varchar", "", "Bern", "Thun"], ["email", "varchar", "", "a@b.c"]], "foreign_keys": ["customer_id->customer.id", "customer_id->nowhere.id", "no key"], "mart": "Order", "topic": "sales", "tags": ["core"], "owner": "ann", "quality": 0.9, "row_count": 12, "updated_at": "2026-11-20T10:00:00+02:00", "query_count_30d": 4, "partitions": ["CITY"], "primary_key": ["id"]}
{"db": "shop", "table": "customer", "columns": [{"name": "id", "type": "bigint", "primary_key": true}, {"name": "name", "type": "varchar", "samples": ["Ann"]}], "kind": "dataset"}
{"region": "sg", "db": "erp", "schema": "dbo", "table": "order \"🙂\" 订单", "columns": [["id", "bigint"]], "foreign_keys": [{"columns": ["id"], "ref_table": "shop.orders", "ref_columns": ["id"]}]}
{"marts": [{"name": "Order", "description": "what people buy", "synonyms": ["订单"]}], "glossary": [{"term": "GMV", "definition": "sum of orders"}], "rules": [{"id": "r1", "text": "no test orders"}]}
`

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func store(t *testing.T) *source.Store {
	t.Helper()
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	return s
}

func snapshot(t *testing.T, s *source.Store) (*source.Generation, *catalog.Snapshot) {
	t.Helper()
	g, err := s.Current("wh")
	require.NoError(t, err)
	c, err := g.Snapshot()
	require.NoError(t, err)
	return g, c
}

func TestIngest(t *testing.T) {
	t.Parallel()
	s := store(t)
	report, err := jsonl.Ingest(t.Context(), s, "wh", write(t, "tables.jsonl", lines), ingest.Options{})
	require.NoError(t, err)
	require.Len(t, report.Tables, 3)
	require.Equal(t, ingest.TableReport{Name: catalog.Name{Region: "wh", Schema: "shop", Table: "orders"}, Rows: 12}, report.Tables[0])
	require.Len(t, report.Problems, 2, "a key to nowhere, and one across regions: %v", report.Problems)

	g, c := snapshot(t, s)
	require.Equal(t, source.EngineNone, g.Engine)
	require.Equal(t, "shop", g.DefaultSchema)
	want := catalog.Table{
		Name: catalog.Name{Region: "wh", Schema: "shop", Table: "orders"}, Kind: catalog.KindTable, Description: "an order a row",
		Mart: "Order", Topic: "sales", Tags: []string{"core"}, Owner: "ann", Quality: 0.9, RowCount: 12, QueryCount30d: 4,
		UpdatedAt: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC),
		Columns: []catalog.Column{
			{Name: "id", Type: "bigint", Comment: "number", PrimaryKey: true, NotNull: true}, {Name: "customer_id", Type: "bigint"},
			{Name: "city", Type: "varchar", Partition: true, Samples: []string{"Bern", "Thun"}}, {Name: "email", Type: "varchar", Personal: &catalog.Personal{Kind: "email", Reason: "its name says that it holds e-mail addresses"}},
		},
		ForeignKeys: []catalog.ForeignKey{{Columns: []string{"customer_id"}, RefTable: catalog.Name{Region: "wh", Schema: "shop", Table: "customer"}, RefColumns: []string{"id"}}},
	}
	require.Equal(t, want, c.Tables[0])
	require.Equal(t, catalog.KindDataset, c.Tables[1].Kind)
	require.EqualValues(t, -1, c.Tables[1].RowCount)
	require.Equal(t, catalog.Name{Region: "sg", Schema: "erp.dbo", Table: `order "🙂" 订单`}, c.Tables[2].Name)
	require.Equal(t, "订单", c.Marts[0].Synonyms[0])
	require.Len(t, c.Glossary, 1)
	require.Len(t, c.Rules, 1)
}

// TestANegativeRowCountIsUnknown holds that a collector's "-7" or the like is
// told as unknown: a cost gate that reads it as a number lets everything pass.
func TestANegativeRowCountIsUnknown(t *testing.T) {
	t.Parallel()
	s := store(t)
	_, err := jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl", `
{"db": "shop", "table": "a", "columns": [["id", "bigint"]], "row_count": -7}
{"db": "shop", "table": "b", "columns": [["id", "bigint"]], "row_count": 0}
`), ingest.Options{})
	require.NoError(t, err)
	_, c := snapshot(t, s)
	require.EqualValues(t, -1, c.Tables[0].RowCount)
	require.Zero(t, c.Tables[1].RowCount, "an empty table is known to be empty")
}

func TestPrivacy(t *testing.T) {
	t.Parallel()
	s := store(t)
	_, err := jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl", lines), ingest.Options{Personal: []string{"city"}})
	require.NoError(t, err)
	_, c := snapshot(t, s)
	require.Nil(t, c.Tables[0].Columns[2].Samples)
	require.NotEmpty(t, c.Tables[1].Columns[1].Samples)
	_, err = jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl", lines), ingest.Options{NoSamples: true})
	require.NoError(t, err)
	_, c = snapshot(t, s)
	require.Nil(t, c.Tables[1].Columns[1].Samples)
}

// TestOnlyChangesAreSwappedIn holds that what is as it was makes no work for
// those who read.
func TestOnlyChangesAreSwappedIn(t *testing.T) {
	t.Parallel()
	s := store(t)
	report, err := jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl", lines), ingest.Options{})
	require.NoError(t, err)
	require.Nil(t, report.Changes)
	first, _ := snapshot(t, s)

	report, err = jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl", lines), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, &ingest.Changes{Same: 3}, report.Changes)
	second, _ := snapshot(t, s)
	require.Equal(t, first.Generation, second.Generation)

	changed := strings.Replace(lines, "an order a row", "one order", 1) + `{"table": "new"}`
	changed = strings.Replace(changed, `"table": "customer"`, `"table": "client"`, 1)
	report, err = jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl", changed), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, &ingest.Changes{Added: 2, Changed: 1, Removed: 1, Same: 1}, report.Changes)
	third, _ := snapshot(t, s)
	require.NotEqual(t, first.Generation, third.Generation)

	words := strings.Replace(changed, "sum of orders", "sum of all orders", 1)
	_, err = jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl", words), ingest.Options{})
	require.NoError(t, err)
	_, c := snapshot(t, s)
	require.Equal(t, "sum of all orders", c.Glossary[0].Definition, "a new meaning of a word is a change too")
}

func TestBrokenLinesAreNamed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("名", 513)
	var wide strings.Builder
	for i := range 3_000 {
		fmt.Fprintf(&wide, `,["c%d", "varchar"]`, i)
	}
	text := `{"table": "a"` + "\n" + `{"table": ""}` + "\n" + `{"table": "` + long + `"}` + "\n" + `{"table": "` + long[:500*3] + `"}` + "\n" +
		`{"table": "wide", "columns": [["id", "bigint"]` + wide.String() + `]}` + "\n" + `{"table": "WIDE"}` + "\n[1]\n"
	s := store(t)
	report, err := jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl", text), ingest.Options{})
	require.NoError(t, err)
	_, c := snapshot(t, s)
	require.Len(t, c.Tables, 2, "a name of 500 characters and a table of 3,000 columns fit")
	require.Len(t, c.Tables[1].Columns, 3_001)
	var at []int
	for _, p := range report.Problems {
		require.Equal(t, ingest.KindTableSkipped, p.Kind)
		at = append(at, p.Line)
	}
	require.Equal(t, []int{1, 2, 3, 6, 7}, at)

	_, err = jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl", "no json\n"), ingest.Options{})
	require.Equal(t, "INGEST_NOTHING", fault.ReasonOf(err))
	require.ErrorContains(t, err, "t.jsonl:1")
	_, err = jsonl.Ingest(t.Context(), s, "wh", t.TempDir(), ingest.Options{})
	require.Equal(t, "INPUT_NOT_A_FILE", fault.ReasonOf(err))
	_, err = jsonl.Ingest(t.Context(), s, "wh", "/nowhere", ingest.Options{})
	require.Equal(t, "INPUT_MISSING", fault.ReasonOf(err))
	_, c = snapshot(t, s)
	require.Len(t, c.Tables, 2, "a failure changes nothing")
}

func TestPacked(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(lines))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	s := store(t)
	report, err := jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl.gz", packed.String()), ingest.Options{})
	require.NoError(t, err)
	require.Len(t, report.Tables, 3)
	_, err = jsonl.Ingest(t.Context(), s, "wh", write(t, "t.jsonl.gz", packed.String()[:packed.Len()/2]), ingest.Options{})
	require.Equal(t, "INPUT_UNREADABLE", fault.ReasonOf(err), "half a file is not taken for the whole")
	_, c := snapshot(t, s)
	require.Len(t, c.Tables, 3)
}

// TestAnIngestThatIsEnded is no file that cannot be read.
func TestAnIngestThatIsEnded(t *testing.T) {
	t.Parallel()
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var text strings.Builder
	for i := range 600 {
		fmt.Fprintf(&text, "{\"table\": \"t%d\"}\n", i)
	}
	_, err = jsonl.Ingest(ctx, s, "own", write(t, "x.jsonl", text.String()), ingest.Options{Progress: func(int, int, string) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	require.NotEqual(t, "INPUT_UNREADABLE", fault.ReasonOf(err))
	_, err = s.Current("own")
	require.Equal(t, source.ReasonUnknown, fault.ReasonOf(err), "no half source is made")
}
