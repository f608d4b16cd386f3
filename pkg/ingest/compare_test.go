package ingest_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestCompareTables: whatever was added, changed and removed is counted, and what people
// asked is no change.
func TestCompareTables(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for range 100 {
		var before, after catalog.Snapshot
		var want ingest.Changes
		for i := range random.IntN(20) {
			one := catalog.Table{Name: catalog.Name{Region: "r", Schema: "s", Table: fmt.Sprint("t", i)}, Description: "d", RowCount: int64(i)}
			switch random.IntN(5) {
			case 0:
				after.Tables = append(after.Tables, one)
				want.Added++
			case 1:
				before.Tables = append(before.Tables, one)
				want.Removed++
			case 2:
				before.Tables = append(before.Tables, one)
				one.Description = "another"
				after.Tables = append(after.Tables, one)
				want.Changed++
			default:
				before.Tables = append(before.Tables, one)
				one.QueryCount30d, one.Usage = 9, &catalog.Usage{Uses: []catalog.Use{{Day: "2026-11-20", Queries: 9}}}
				after.Tables = append(after.Tables, one)
				want.Same++
			}
		}
		random.Shuffle(len(after.Tables), func(i, j int) { after.Tables[i], after.Tables[j] = after.Tables[j], after.Tables[i] })
		require.Equal(t, want, ingest.CompareTables(&before, &after))
	}
}

func TestMostTables(t *testing.T) {
	t.Parallel()
	of := func(names ...string) (s catalog.Snapshot) {
		for i, n := range names {
			region, schema, _ := strings.Cut(n, ".")
			s.Tables = append(s.Tables, catalog.Table{Name: catalog.Name{Region: region, Schema: schema, Table: fmt.Sprint("t", i)}})
		}
		return s
	}
	for want, s := range map[string]catalog.Snapshot{
		".": of(), "a.x": of("a.x"), "b.y": of("a.x", "b.y", "b.y"), "a.y": of("b.x", "a.y", "a.z"), "b.x": of("a.x", "a.y", "b.x", "b.x", "c.x"),
	} {
		for range 20 { // in every order of the tables
			rand.Shuffle(len(s.Tables), func(i, j int) { s.Tables[i], s.Tables[j] = s.Tables[j], s.Tables[i] })
			region, schema := ingest.MostTables(&s)
			require.Equal(t, want, region+"."+schema)
		}
	}
}

// TestRandomDumps: the rows of a dump are in their tables, however many there are and
// however those of one table stand among those of others; rows that do not fit their
// table are counted, and keys that point to nothing are told.
func TestRandomDumps(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 31))
		var text strings.Builder
		const tableCount = 3
		want, skipped := make([][]string, tableCount), make([]int64, tableCount)
		for i := range tableCount {
			fmt.Fprintf(&text, "CREATE TABLE t%d (id int PRIMARY KEY, label varchar(20) NOT NULL, other int REFERENCES t%d);\n", i, i+1) // t3 is not there
		}
		for range 12 {
			i, size := random.IntN(tableCount), 1+random.IntN(400)
			if random.IntN(6) == 0 {
				size = 2048 + random.IntN(3) // a batch, and a few more
			}
			fmt.Fprintf(&text, "INSERT INTO t%d (label, id) VALUES ", i)
			for n := range size {
				if n > 0 {
					text.WriteString(", ")
				}
				if random.IntN(300) == 0 {
					text.WriteString("('too', 1, 'many')")
					skipped[i]++
					continue
				}
				id := len(want[i])
				fmt.Fprintf(&text, "('label %d''s', %d)", id, id)
				want[i] = append(want[i], fmt.Sprintf("%d|label %d's|∅", id, id))
			}
			text.WriteString(";\n")
		}
		var told []string
		s := newStore(t)
		report, err := ingest.SQLDump(t.Context(), s, "own", filepath.Join(folder(t, map[string]string{"d.sql": text.String()}), "d.sql"),
			ingest.Options{Progress: func(done, total int, what string) { told = append(told, fmt.Sprint(done, total, what)) }})
		require.NoError(t, err)
		got := tables(t, s)
		require.Len(t, got, tableCount)
		for i := range tableCount {
			name := fmt.Sprint("t", i)
			require.Equal(t, want[i], rows(t, s, "SELECT * FROM "+name+" ORDER BY id"), "seed %d", seed)
			require.EqualValues(t, len(want[i]), got[name].RowCount)
			require.Equal(t, []string{"id"}, tablePK(got[name]))
			column, ok := tableColumn(got[name], "label")
			require.True(t, ok)
			require.True(t, column.NotNull)
			if i+1 < tableCount {
				require.Equal(t, []catalog.ForeignKey{{Columns: []string{"other"}, RefTable: got[fmt.Sprint("t", i+1)].Name, RefColumns: []string{"id"}}}, got[name].ForeignKeys)
			} else {
				require.Empty(t, got[name].ForeignKeys)
			}
			at := slices.IndexFunc(report.Tables, func(r ingest.TableReport) bool { return r.Name.Table == name })
			require.GreaterOrEqual(t, at, 0)
			require.EqualValues(t, len(want[i]), report.Tables[at].Rows)
		}
		dangling := slices.IndexFunc(report.Problems, func(p ingest.Problem) bool { return strings.Contains(p.Message, "points to nothing") })
		require.GreaterOrEqual(t, dangling, 0)
		left := slices.DeleteFunc(slices.Clone(report.Problems), func(p ingest.Problem) bool { return !strings.Contains(p.Message, "a row of 3 values") })
		require.Len(t, left, int(skipped[0]+skipped[1]+skipped[2]), "seed %d", seed)
		require.True(t, slices.IsSortedFunc(left, func(a, b ingest.Problem) int { return cmp.Compare(a.Line, b.Line) }))
		require.Equal(t, fmt.Sprint(tableCount, tableCount, ""), told[len(told)-1])
	}
}
