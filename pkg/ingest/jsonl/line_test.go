package jsonl_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/jsonl"
	ingestlines "github.com/dibrain/dibrain/pkg/ingest/lines"
)

func read(t *testing.T, text string) catalog.Table {
	t.Helper()
	var l jsonl.Line
	require.NoError(t, json.Unmarshal([]byte(text), &l), text)
	return l.CatalogTable("wh")
}

// TestLineByLine: each part of a line has its place in the catalog.
func TestLineByLine(t *testing.T) {
	t.Parallel()
	whole := read(t, `{"region": "sg", "db": "erp", "schema": "dbo", "table": "t", "kind": "VIEW", "description": "d", "mart": "m", "topic": "to",
		"tags": ["x"], "layer": "dwd", "country": "SG", "manifest": "ma", "grain": "g", "owner": "o", "row_count": 0, "updated_at": "2026-11-20T10:00:00+02:00",
		"quality": 0.5, "query_count_30d": 1, "successor": "s", "upstream": ["raw", "ods.lines", ""], "primary_key": ["A", "none"], "partitions": ["b"],
		"columns": [["a", "int"], ["b", "date", "c", "s1", null, "", 7], ["c"], [], [null, "int", null], {"name": "e", "type": "int", "comment": "co", "primary_key": true, "partition": true, "not_null": true, "distinct": 4, "samples": ["z"]}],
		"foreign_keys": ["a->t2.x", "a->t2", "a.t2.x", "", {"columns": ["a", "b"], "ref_table": "s2.t3", "ref_columns": ["x", "y"]}, {"columns": ["a"]}, {"columns": ["a"], "ref_table": "sg.s3.t4", "ref_columns": ["x"]}]}`)
	require.Equal(t, catalog.Table{
		Name: catalog.Name{Region: "sg", Schema: "erp.dbo", Table: "t"}, Kind: catalog.KindView, Description: "d", Mart: "m", Topic: "to", Tags: []string{"x"},
		Layer: "dwd", Country: "SG", Manifest: "ma", Grain: "g", Owner: "o", RowCount: 0, UpdatedAt: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC),
		Quality: .5, QueryCount30d: 1, Successor: "s", Upstream: []catalog.Name{{Region: "sg", Schema: "erp.dbo", Table: "raw"}, {Region: "sg", Schema: "ods", Table: "lines"}},
		Columns: []catalog.Column{
			{Name: "a", Type: "int", PrimaryKey: true, NotNull: true}, {Name: "b", Type: "date", Comment: "c", Samples: []string{"s1", "7"}, Partition: true}, {Name: "c"}, {}, {Type: "int"},
			{Name: "e", Type: "int", Comment: "co", PrimaryKey: true, Partition: true, NotNull: true, Distinct: 4, Samples: []string{"z"}},
		},
		ForeignKeys: []catalog.ForeignKey{
			{Columns: []string{"a"}, RefTable: catalog.Name{Region: "sg", Schema: "erp.dbo", Table: "t2"}, RefColumns: []string{"x"}},
			{Columns: []string{"a", "b"}, RefTable: catalog.Name{Region: "sg", Schema: "s2", Table: "t3"}, RefColumns: []string{"x", "y"}},
			{Columns: []string{"a"}, RefTable: catalog.Name{Region: "sg", Schema: "s3", Table: "t4"}, RefColumns: []string{"x"}},
		},
	}, whole)
	least := read(t, `{"table": "t"}`)
	require.Equal(t, catalog.Table{Name: catalog.Name{Region: "wh", Table: "t"}, Kind: catalog.KindTable, RowCount: -1, Columns: []catalog.Column{}}, least)

	for text, want := range map[string]string{`{"db": "a", "table": "t"}`: "a", `{"schema": "b", "table": "t"}`: "b", `{"db": "a", "schema": "b", "table": "t"}`: "a.b"} {
		require.Equal(t, want, read(t, text).Name.Schema)
	}
	for text, want := range map[string]catalog.Kind{"view": catalog.KindView, "Dataset": catalog.KindDataset, "table": catalog.KindTable, "index": catalog.KindTable, "": catalog.KindTable} {
		require.Equal(t, want, read(t, `{"table": "t", "kind": "`+text+`"}`).Kind, text)
	}
	for text, want := range map[string]float64{"-0.1": 0, "0": 0, "0.25": .25, "1": 1, "1.5": 1} {
		require.InDelta(t, want, read(t, `{"table": "t", "quality": `+text+`}`).Quality, 0, text)
	}
	for text, want := range map[string]int64{"-3": 0, "0": 0, "3": 3} {
		require.Equal(t, want, read(t, `{"table": "t", "query_count_30d": `+text+`}`).QueryCount30d, text)
	}
}

// TestLinesOfOtherShapes: a line that is no table is told with what is wrong, and what
// take says ends the reading.
func TestLinesOfOtherShapes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[]`, `"t"`, `{"table": 1}`, `{"columns": "a"}`, `{"columns": [1]}`, `{"columns": ["a"]}`, `{"columns": [{"name": 1}]}`, `{"foreign_keys": [1]}`, `{"foreign_keys": [{"columns": "a"}]}`, `{`} {
		path := write(t, "x.jsonl", text+"\n")
		calls := 0
		require.NoError(t, jsonl.Each(t.Context(), path, ingestlines.Limits{}, func(n int, line *jsonl.Line, err error) error {
			calls++
			require.ErrorContains(t, err, "it is no JSON object that describes a table", text)
			require.Nil(t, line)
			require.Equal(t, 1, n)
			return nil
		}))
		require.Equal(t, 1, calls, text)
	}
	stop := errors.New("enough")
	for _, text := range []string{"{}\n{}\n", "no\nno\n", "123456\n"} {
		calls := 0
		err := jsonl.Each(t.Context(), write(t, "x.jsonl", text), ingestlines.Limits{MaxLine: 5}, func(int, *jsonl.Line, error) error {
			calls++
			return stop
		})
		require.ErrorIs(t, err, stop)
		require.Equal(t, 1, calls)
	}
	long := 0
	require.NoError(t, jsonl.Each(t.Context(), write(t, "x.jsonl", "{}\n{     }\n"), ingestlines.Limits{MaxLine: 5}, func(n int, line *jsonl.Line, err error) error {
		if n == 2 {
			long++
			require.ErrorIs(t, err, ingestlines.ErrTooLong)
			require.Nil(t, line)
		}
		return nil
	}))
	require.Equal(t, 1, long)
}
