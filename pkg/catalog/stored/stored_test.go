package stored_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/stored"
)

// whole has every field set, so that one that is not written shows.
func whole() *catalog.Snapshot {
	name := catalog.Name{Region: "sg", Schema: "mp \"order\"", Table: "订单_🙂"}
	at := time.Date(2026, 11, 20, 13, 6, 40, 283_000_000, time.UTC)
	return &catalog.Snapshot{
		Tables: []catalog.Table{
			{
				Name: name, Kind: catalog.KindDataset, Description: "one order a row", Mart: "Order", Topic: "sales", Tags: []string{"core", "daily"},
				Layer: "dwd", Country: "SG", Manifest: "m_{cid}", Grain: "order", Owner: "ann", RowCount: 7, UnreadRows: 2, RowKey: []string{"city", "day"}, Dependencies: []catalog.Dependency{{Column: "city", Determines: []string{"region", "height"}}}, UpdatedAt: at, Quality: 0.75,
				QueryCount30d: 12, Successor: "sg.b.c", Upstream: []catalog.Name{name, {Schema: "raw", Table: "o"}}, ProfiledAt: at.Add(time.Hour),
				Columns: []catalog.Column{
					{Name: "id", Type: "bigint", PrimaryKey: true, NotNull: true, NotJoined: true, Distinct: 7, Personal: &catalog.Personal{Kind: "person_id", Reason: "its name"}},
					{Name: "dt", Type: "date", Comment: "day", Partition: true, Samples: []string{"a", "b"}, Unit: "%", Written: "w", Unread: 3, Resembles: "date", Absent: 5, Missing: 9, Low: "2024-01-02", High: "2025-03-04"},
				},
				ForeignKeys: []catalog.ForeignKey{{
					Columns: []string{"dt"}, RefTable: name, RefColumns: []string{"id"},
					Found: &catalog.Evidence{Reason: "names", Person: true, Values: 3, Sampled: true},
				}, {Columns: []string{"id"}, RefTable: name, RefColumns: []string{"id"}}},
				Usage: &catalog.Usage{
					Until: at, Uses: []catalog.Use{{Day: "2026-11-20", User: "bob", Queries: 3}},
					Columns:   []catalog.ColumnUse{{Column: "id", Queries: 2, Filters: 1, Groups: 2, LastDay: "2026-11-20"}},
					Joins:     []catalog.Join{{Table: name, Columns: []string{"id"}, RefColumns: []string{"id"}, Queries: 1, LastDay: "2026-11-19"}},
					Templates: []catalog.Template{{SQL: "SELECT id FROM t WHERE id = ?", Reads: []catalog.Read{{Table: name, Columns: []string{"id"}}}, Queries: 4, LastDay: "2026-11-18"}},
					Words:     []catalog.Word{{Text: "orders", Reads: []catalog.Read{{Table: name, Columns: []string{"id", "dt"}}}, Queries: 5, LastDay: "2026-11-17"}},
				},
			},
			{Name: catalog.Name{Table: "bare"}, RowCount: -1},
		},
		Marts:    []catalog.Mart{{Name: "Order", Description: "d", Synonyms: []string{"订单"}, Fallback: true}},
		Glossary: []catalog.Term{{Term: "GMV", Synonyms: []string{"sales"}, Definition: "d", Mart: "Order"}},
		Rules:    []catalog.Rule{{ID: "r", Text: "t", Mart: "Order"}},
	}
}

func written(t testing.TB, s *catalog.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, stored.Write(&b, s))
	return b.Bytes()
}

func TestReadGivesWhatWasWritten(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*catalog.Snapshot{"whole": whole(), "wide": wide(5_000)} {
		got, err := stored.Read(written(t, s))
		require.NoError(t, err, name)
		require.Equal(t, s, got, name)
	}
	got, err := stored.Read(written(t, &catalog.Snapshot{}))
	require.NoError(t, err)
	require.Empty(t, got.Tables)
}

// TestEqualColumnsAreOneList: a table by country or a copy adds a name and no columns to the
// memory, and one with another sample value has its own.
func TestEqualColumnsAreOneList(t *testing.T) {
	t.Parallel()
	columns := func(sample string) []catalog.Column {
		return []catalog.Column{{Name: "id", Type: "bigint"}, {Name: "city", Type: "varchar", Samples: []string{"Bern", sample}}}
	}
	s := &catalog.Snapshot{}
	for i, sample := range []string{"Basel", "Basel", "Chur", "Basel"} {
		s.Tables = append(s.Tables, catalog.Table{Name: catalog.Name{Table: fmt.Sprint("t", i)}, Columns: columns(sample)})
	}
	got, err := stored.Read(written(t, s))
	require.NoError(t, err)
	require.Equal(t, s, got)
	first := func(i int) *catalog.Column { return &got.Tables[i].Columns[0] }
	require.Same(t, first(0), first(1))
	require.Same(t, first(0), first(3))
	require.NotSame(t, first(0), first(2))
	got.Tables[0].OwnColumns()
	got.Tables[0].Columns[1].Samples = nil
	require.Equal(t, s.Tables[1:], got.Tables[1:])
}

// wide has a table of many columns with many values.
func wide(n int) *catalog.Snapshot {
	table := catalog.Table{Name: catalog.Name{Table: "wide"}}
	for i := range n {
		table.Columns = append(table.Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: "varchar", Samples: []string{fmt.Sprint(i), "x"}})
		table.Columns[0].Samples = append(table.Columns[0].Samples, fmt.Sprint("v", i))
	}
	return &catalog.Snapshot{Tables: []catalog.Table{table}}
}

func TestDamageIsToldApart(t *testing.T) {
	t.Parallel()
	raw := written(t, whole())
	changed := bytes.Clone(raw)
	changed[len(changed)-3]++
	newer := bytes.Clone(raw)
	newer[6] = 200
	// A body whose checksum is right, and that is none.
	forged := bytes.Clone(raw[:24])
	forged = append(forged, "no zstd"...)
	binary.LittleEndian.PutUint64(forged[8:], 7)
	binary.LittleEndian.PutUint64(forged[16:], xxhash.Sum64(forged[24:]))
	for name, c := range map[string]struct {
		raw  []byte
		want error
	}{
		"empty":    {nil, stored.ErrNotStored},
		"json":     {[]byte(`{"tables": [], "marts": [], "more": []}`), stored.ErrNotStored},
		"cut off":  {raw[:len(raw)-1], stored.ErrDamaged},
		"longer":   {append(bytes.Clone(raw), 0), stored.ErrDamaged},
		"changed":  {changed, stored.ErrDamaged},
		"no zstd":  {forged, stored.ErrDamaged},
		"a newer":  {newer, stored.ErrVersion},
		"mark off": {append([]byte("x"), raw[1:]...), stored.ErrNotStored},
	} {
		_, err := stored.Read(c.raw)
		require.ErrorIs(t, err, c.want, name)
	}
}

// TestTheFirstVersionIsRead reads a catalog that a program wrote before there were
// rows that could not be read.
func TestTheFirstVersionIsRead(t *testing.T) {
	t.Parallel()
	s, err := stored.ReadFile(filepath.Join("testdata", "v1.bin"))
	require.NoError(t, err)
	require.Len(t, s.Tables, 1)
	require.Equal(t, catalog.Name{Region: "old", Schema: "main", Table: "t"}, s.Tables[0].Name)
	require.EqualValues(t, 2, s.Tables[0].RowCount)
	require.Zero(t, s.Tables[0].UnreadRows)
	require.Equal(t, []string{"Bern", "Oslo"}, s.Tables[0].Columns[1].Samples)
}

// TestTheSecondVersionIsRead reads a catalog that a program wrote before usage had shapes
// of queries and words.
func TestTheSecondVersionIsRead(t *testing.T) {
	t.Parallel()
	s, err := stored.ReadFile(filepath.Join("testdata", "v2.bin"))
	require.NoError(t, err)
	require.Len(t, s.Tables, 2)
	require.EqualValues(t, 1, s.Tables[0].UnreadRows)
	usage := s.Tables[0].Usage
	require.Equal(t, []catalog.ColumnUse{{Column: "id", Queries: 2, LastDay: "2026-11-20"}}, usage.Columns)
	require.Equal(t, []string{"t_id"}, usage.Joins[0].RefColumns)
	require.Empty(t, usage.Templates)
	require.Empty(t, usage.Words)
	require.EqualValues(t, 5, s.Tables[1].RowCount, "what follows usage is read in its place")
}

// FuzzRead holds that no bytes make Read panic or take memory without end.
func FuzzRead(f *testing.F) {
	f.Add(written(f, whole()))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := stored.Read(raw)
		if err == nil {
			again, err := stored.Read(written(t, s))
			require.NoError(t, err)
			require.Equal(t, len(s.Tables), len(again.Tables))
		}
	})
}

func TestHashTellsTablesApart(t *testing.T) {
	t.Parallel()
	var h stored.Hasher
	a, b := whole().Tables[0], whole().Tables[0]
	require.Equal(t, h.Sum(&a), h.Sum(&b))
	b.Columns[1].Comment += "."
	require.NotEqual(t, h.Sum(&a), h.Sum(&b))
	// The border between two texts counts.
	x, y := catalog.Table{Mart: "ab", Topic: "c"}, catalog.Table{Mart: "a", Topic: "bc"}
	require.NotEqual(t, h.Sum(&x), h.Sum(&y))
}

func TestTableByItself(t *testing.T) {
	t.Parallel()
	raw := stored.AppendTable(stored.AppendTable([]byte(nil), &whole().Tables[0]), &whole().Tables[1])
	first, rest, err := stored.CutTable(raw)
	require.NoError(t, err)
	require.Equal(t, whole().Tables[0], first)
	second, rest, err := stored.CutTable(rest)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.Equal(t, whole().Tables[1], second)
	for n := range raw {
		_, _, err := stored.CutTable(raw[:min(n, 200)])
		require.ErrorIs(t, err, stored.ErrDamaged)
	}
}

// TestEveryFieldIsStored fails for a field that is added to the catalog and not to
// whole, where TestReadGivesWhatWasWritten would see that it is not written.
func TestEveryFieldIsStored(t *testing.T) {
	t.Parallel()
	s := whole()
	table := s.Tables[0]
	values := []any{
		*s, table, table.ForeignKeys[0], *table.Usage, table.Usage.Uses[0], table.Usage.Columns[0], table.Usage.Joins[0], table.Usage.Templates[0], table.Usage.Words[0], table.Usage.Words[0].Reads[0],
		s.Marts[0], s.Glossary[0], s.Rules[0],
	}
	for _, v := range values {
		value := reflect.ValueOf(v)
		for i := range value.NumField() {
			require.False(t, value.Field(i).IsZero(), "field %s of %T is not covered", value.Type().Field(i).Name, v)
		}
	}
	first, second := reflect.ValueOf(table.Columns[0]), reflect.ValueOf(table.Columns[1])
	for i := range first.NumField() {
		require.False(t, first.Field(i).IsZero() && second.Field(i).IsZero(), "field %s of a column is not covered", first.Type().Field(i).Name)
	}
}
