package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/source"
)

// reading is one over n tables t0, t1, … of a source without a Trino server.
func reading(t *testing.T, n int, o Options) (*reader, []used) {
	t.Helper()
	s := &catalog.Snapshot{}
	for i := range n {
		s.Tables = append(s.Tables, catalog.Table{Name: catalog.Name{Region: "r", Schema: "s", Table: fmt.Sprint("t", i)}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}, {Name: "x", Type: "bigint"}}})
	}
	r := newReader(o.complete(), source.Manifest{DefaultRegion: "r", DefaultSchema: "s"}, s, newSeen())
	var list []used
	for i := range s.Tables {
		found, ok := r.names.Lookup(s.Tables[i].Name)
		require.True(t, ok)
		list = append(list, used{table: found})
	}
	return r, list
}

func asked(text string) *event {
	var e event
	e.Context.Catalog, e.Context.Schema, e.Metadata.Query = "r", "s", text
	return &e
}

// TestTablesOfOneQueryBelongTogether: in pairs where the text does not say how, up to a
// number of tables; of more nothing is said. Where the text says how, only what it joins.
func TestTablesOfOneQueryBelongTogether(t *testing.T) {
	t.Parallel()
	for n := range 12 {
		r, tables := reading(t, n, Options{})
		r.join(r.shapeOf(asked("no query at all")), tables, "2026-01-02")
		pairs := 0
		for _, c := range r.counts {
			for _, j := range c.joins {
				require.Empty(t, j.Columns)
				require.EqualValues(t, 1, j.Queries)
				pairs++
			}
		}
		want := n * (n - 1)
		if n > 8 {
			want = 0
		}
		require.Equal(t, want, pairs, "%d tables", n)
	}
	r, tables := reading(t, 3, Options{})
	r.join(r.shapeOf(asked("SELECT count(*) FROM t0 JOIN t1 ON t0.x = t1.id, t2")), tables, "2026-01-02")
	require.Len(t, r.countsOf(tables[0].table).joins, 1)
	require.Len(t, r.countsOf(tables[1].table).joins, 1)
	require.Empty(t, r.countsOf(tables[2].table).joins)
	for _, j := range r.countsOf(tables[0].table).joins {
		require.Equal(t, []string{"x"}, j.Columns)
		require.Equal(t, []string{"id"}, j.RefColumns)
		require.Equal(t, tables[1].table.Name, j.Table)
	}
}

// TestTextsAreToldApart: by all that says what they mean, and not by how it is cut.
func TestTextsAreToldApart(t *testing.T) {
	t.Parallel()
	keys := map[uint64]string{}
	for _, c := range []string{"", "a", "ab", "b"} {
		for _, s := range []string{"", "a", "ab", "b"} {
			for _, q := range []string{"", "a", "ab", "b"} {
				e := asked(q)
				e.Context.Catalog, e.Context.Schema = c, s
				name := fmt.Sprintf("%q %q %q", c, s, q)
				require.Empty(t, keys[shapeKey(e)], name)
				keys[shapeKey(e)] = name
			}
		}
	}
	require.Equal(t, shapeKey(asked("x")), shapeKey(asked("x")))
}

// TestTextsThatAreRememberedAreBounded: as many as allowed, and one that is forgotten is
// read again as it was.
func TestTextsThatAreRememberedAreBounded(t *testing.T) {
	t.Parallel()
	r, tables := reading(t, 2, Options{MaxShapes: 3})
	for round := range 3 {
		for i := range 10 {
			r.join(r.shapeOf(asked(fmt.Sprintf("SELECT %d FROM t0 JOIN t1 ON t0.x = t1.id", i))), tables, "2026-01-02")
			require.LessOrEqual(t, len(r.shapes), 3)
			for _, j := range r.countsOf(tables[0].table).joins {
				require.EqualValues(t, round*10+i+1, j.Queries)
			}
		}
	}
}

// TestWhatAQueryNamed: the tables that it names itself; what the engine read for it counts
// only where the event does not say what was named.
func TestWhatAQueryNamed(t *testing.T) {
	t.Parallel()
	r, tables := reading(t, 3, Options{})
	yes, no := true, false
	type named = struct {
		Catalog string `json:"catalog"`
		Schema  string `json:"schema"`
		Table   string `json:"table"`
		Columns []struct {
			Column string `json:"column"`
		} `json:"columns"`
		Directly *bool `json:"directlyReferenced"`
	}
	type input = struct {
		Catalog string `json:"catalogName"`
		Schema  string `json:"schema"`
		Table   string `json:"table"`
		Columns []struct {
			Name string `json:"name"`
		} `json:"columns"`
	}
	col := func(name string) []struct {
		Column string `json:"column"`
	} {
		return []struct {
			Column string `json:"column"`
		}{{name}}
	}
	for name, c := range map[string]struct {
		named  []named
		inputs []input
		want   string
	}{
		"named":                  {[]named{{Schema: "s", Table: "t0", Columns: col("x")}}, nil, "t0[x]"},
		"named twice":            {[]named{{Schema: "s", Table: "t0", Columns: col("x")}, {Schema: "s", Table: "T0", Columns: col("id")}}, nil, "t0[x id]"},
		"read by a view":         {[]named{{Schema: "s", Table: "t0", Directly: &no}, {Schema: "s", Table: "t1", Directly: &yes}}, nil, "t1[]"},
		"read for it":            {nil, []input{{Schema: "s", Table: "t2"}}, "t2[]"},
		"named, and others read": {[]named{{Schema: "s", Table: "t0"}}, []input{{Schema: "s", Table: "t0"}, {Schema: "s", Table: "t2"}}, "t0[]"},
		"a view, and its table":  {[]named{{Schema: "s", Table: "view"}}, []input{{Schema: "s", Table: "t2"}}, ""},
		"of another source":      {[]named{{Catalog: "x", Schema: "y", Table: "t0"}}, nil, ""},
	} {
		var e event
		e.Metadata.Tables, e.IO.Inputs = c.named, c.inputs
		got := ""
		for _, u := range r.names.used(&e) {
			columns := make([]string, 0, len(u.columns))
			for _, c := range u.columns {
				columns = append(columns, c.name)
			}
			got += fmt.Sprint(u.table.Name.Table, columns)
		}
		require.Equal(t, c.want, got, name)
	}
	require.Len(t, tables, 3)
}

// TestATableDoesNotJoinItself: rows of one table that a query compares with each other are
// no join of two tables; what else it names belongs together all the same.
func TestATableDoesNotJoinItself(t *testing.T) {
	t.Parallel()
	r, tables := reading(t, 2, Options{})
	r.join(r.shapeOf(asked("SELECT count(*) FROM t0 a JOIN t0 b ON a.x = b.id CROSS JOIN t1")), tables, "2026-01-02")
	for i, other := range []int{1, 0} {
		joins := r.countsOf(tables[i].table).joins
		require.Len(t, joins, 1)
		for _, j := range joins {
			require.Equal(t, tables[other].table.Name, j.Table)
			require.Empty(t, j.Columns)
		}
	}
}

// TestAQueryIsOfTheDayItWasMade: not of the one on which it ended, but where only that is
// known.
func TestAQueryIsOfTheDayItWasMade(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 8*3600)
	made, ended := time.Date(2026, 11, 20, 7, 59, 0, 0, east), time.Date(2026, 11, 20, 8, 1, 0, 0, east)
	e := event{CreateTime: moment{made}, EndTime: moment{ended}}
	require.Equal(t, "2026-11-19", e.at().Format(time.DateOnly))
	e.CreateTime = moment{}
	require.Equal(t, "2026-11-20", e.at().Format(time.DateOnly))
}
