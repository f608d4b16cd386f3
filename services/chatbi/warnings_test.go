package chatbi

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

func saying(t *testing.T) *Service {
	t.Helper()
	analyst, err := analyse.New(analyse.Thresholds{})
	require.NoError(t, err)
	return serving(Config{LateAfter: 36 * time.Hour}, &Service{analyst: analyst})
}

// TestLateData: a range that goes on after the data has ended is told, once, and only
// over days that are past.
func TestLateData(t *testing.T) {
	t.Parallel()
	s := saying(t)
	for _, now := range []time.Time{
		time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 23, 59, 59, 0, time.UTC),
		time.Date(2026, 11, 20, 12, 0, 0, 0, time.FixedZone("", 9*3600)),
	} {
		y, m, d := now.Date()
		day := func(n int) time.Time { return time.Date(y, m, d+n, 0, 0, 0, 0, now.Location()) }
		table := catalog.Name{Region: "sg", Schema: "s", Table: "t"}
		for _, c := range []struct {
			name string
			to   time.Time
			f    Freshness
			want string // the last day of the range that has no data; empty: no warning
			last string
		}{
			{"no end", time.Time{}, Freshness{LatestPartition: day(-9).Format(time.DateOnly)}, "", ""},
			{"all there", day(0), Freshness{LatestPartition: day(-1).Format(time.DateOnly)}, "", ""},
			{"a day is missing", day(0), Freshness{LatestPartition: day(-2).Format(time.DateOnly)}, day(-1).Format("2 Jan 2006"), day(-2).Format("2 Jan 2006")},
			{"today need not be there", day(5), Freshness{LatestPartition: day(-1).Format(time.DateOnly)}, "", ""},
			{"yesterday has to", day(5), Freshness{LatestPartition: day(-2).Format(time.DateOnly)}, day(-1).Format("2 Jan 2006"), day(-2).Format("2 Jan 2006")},
			{"an old range is whole", day(-3), Freshness{LatestPartition: day(-4).Format(time.DateOnly)}, "", ""},
			{"an old range is not", day(-3), Freshness{LatestPartition: day(-5).Format(time.DateOnly)}, day(-4).Format("2 Jan 2006"), day(-5).Format("2 Jan 2006")},
			{"a time covers itself only", day(-3), Freshness{LatestPartition: day(-4).Format(time.DateTime)}, day(-4).Format("2 Jan 2006"), day(-4).Format("2 Jan 2006 15:04")},
			{"written lately", day(0), Freshness{UpdatedAt: day(0).Add(-36 * time.Hour)}, "", ""},
			{"written too long ago", day(0), Freshness{UpdatedAt: day(0).Add(-36*time.Hour - time.Second)}, day(-1).Format("2 Jan 2006"), day(-2).Format("2 Jan 2006")},
			{"a partition counts before the time of writing", day(0), Freshness{UpdatedAt: day(-9), LatestPartition: day(-1).Format(time.DateOnly)}, "", ""},
			{"nothing is known", day(0), Freshness{LatestPartition: "x"}, "", ""},
		} {
			c.f.Table = table
			var a Answer
			s.warnLate(Query{Now: now, Language: lang.English}, c.f, analyse.Range{To: c.to}, &a)
			if c.want == "" {
				require.Empty(t, a.Analysis.Warnings, "%s on %s", c.name, now)
				continue
			}
			require.Equal(t, []analyse.Warning{{Code: analyse.WarnLate, Message: fmt.Sprintf(
				"The data of sg.s.t ends with %s, before the end of the asked range (%s).", c.last, c.want)}}, a.Analysis.Warnings, "%s on %s", c.name, now)
			s.warnLate(Query{Now: now}, c.f, analyse.Range{To: c.to}, &a)
			require.Len(t, a.Analysis.Warnings, 1, "one table is enough")
		}
	}
}

// TestEarlyRange: a range that begins before the data does is told, unless it ends
// before it too.
func TestEarlyRange(t *testing.T) {
	t.Parallel()
	s := saying(t)
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		first string
		asked analyse.Range
		want  bool
	}{
		{"2026-03-05", analyse.Range{From: day(4)}, true}, {"2026-03-05", analyse.Range{From: day(5)}, false}, {"2026-03-05", analyse.Range{From: day(6)}, false},
		{"2026-03-05", analyse.Range{From: day(1), To: day(6)}, true}, {"2026-03-05", analyse.Range{From: day(1), To: day(5)}, false},
		{"x", analyse.Range{From: day(4)}, false}, {"", analyse.Range{From: day(4)}, false},
	} {
		var a Answer
		s.warnEarly(Query{Now: day(20), Language: lang.English}, catalog.Name{Region: "sg", Schema: "s", Table: "t"}, c.first, c.asked, &a)
		require.Equal(t, c.want, len(a.Analysis.Warnings) == 1, c)
		if c.want {
			require.Contains(t, a.Analysis.Warnings[0].Message, "sg.s.t begins with 5 Mar 2026")
			require.Equal(t, analyse.WarnEarly, a.Analysis.Warnings[0].Code)
		}
	}
}

// TestLimitsInWords: a limit that the guard added or lowered stands in the place of the
// general warning.
func TestLimitsInWords(t *testing.T) {
	t.Parallel()
	s := saying(t)
	other := analyse.Warning{Code: "OTHER"}
	for sql, key := range map[string]string{"select 1": "limit_added", "select 1 limit 5": "limit_lowered", "select": "limit_added"} {
		want := analyse.Warning{Code: "LIMIT_ADDED", Message: s.analyst.Sentence(lang.English, key, map[string]string{"rows": "1,234"})}
		var a Answer
		a.Analysis.Warnings = []analyse.Warning{other}
		s.warnLimit(Query{SQL: sql, Language: lang.English}, 1234, &a)
		require.Equal(t, []analyse.Warning{other, want}, a.Analysis.Warnings)
		a.Analysis.Warnings = []analyse.Warning{other, {Code: analyse.WarnTruncated}, other}
		s.warnLimit(Query{SQL: sql, Language: lang.English}, 1234, &a)
		require.Equal(t, []analyse.Warning{other, want, other}, a.Analysis.Warnings)
	}
}

// TestWhatIsRememberedOfTables: an embedded engine's data never changes and is the same
// for everybody; a remote one's is one person's, for a while, and not of large tables.
func TestWhatIsRememberedOfTables(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	table := &catalog.Table{Name: catalog.Name{Region: "sg", Schema: "s", Table: "T"}}
	ann, bob := run.Principal{ID: "ann"}, run.Principal{ID: "bob"}
	for kind, remote := range map[source.EngineKind]bool{source.EngineDuckDB: false, source.EngineTrino: true} {
		f := newFreshness(kind, time.Minute, clock)
		key := func(p run.Principal, first bool) edge {
			k, ok := f.edge(p, table, first)
			require.True(t, ok)
			return k
		}
		f.put(key(ann, false), "new")
		f.put(key(ann, true), "old")
		get := func(k edge) string { v, _ := f.get(k); return v }
		require.Equal(t, "new", get(key(ann, false)))
		require.Equal(t, "old", get(key(ann, true)))
		require.Equal(t, !remote, get(key(bob, false)) == "new")
		now = now.Add(time.Minute)
		require.Equal(t, "new", get(key(ann, false)))
		now = now.Add(1)
		require.Equal(t, !remote, get(key(ann, false)) == "new")
		for rows, want := range map[int64]bool{-1: false, 0: true, freshRows: true, freshRows + 1: false} {
			_, ok := f.edge(ann, &catalog.Table{RowCount: rows}, false)
			require.Equal(t, want || !remote, ok, rows)
		}
		for i := len(f.known); i < freshKnown; i++ {
			f.put(edge{table: fmt.Sprint(i)}, "x")
		}
		require.Len(t, f.known, freshKnown)
		f.put(edge{table: "one more"}, "x")
		require.Len(t, f.known, 1)
	}
	column := func(name, typ string, partition bool) catalog.Column {
		return catalog.Column{Name: name, Type: typ, Partition: partition}
	}
	for want, columns := range map[string][]catalog.Column{
		"":  {column("a", "date", false), column("b", "bigint", true)},
		"c": {column("a", "date", false), column("b", "bigint", true), column("c", "date", true), column("d", "date", true)},
		"t": {column("t", "timestamp(3)", true)}, "v": {column("v", "varchar", true)},
	} {
		require.Equal(t, want, datePartition(&catalog.Table{Columns: columns}))
	}
}

// TestMemoryOfValues: what is inside of lists and maps is counted, twice.
func TestMemoryOfValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  int64
	}{
		{nil, 16}, {true, 16}, {int64(1), 24}, {1.5, 24}, {"abc", 35}, {[]byte("abc"), 43}, {[]any{}, 40}, {[]any{"abc", nil}, 40 + 35 + 16},
		{map[string]any{}, 64}, {map[string]any{"ab": "abc", "c": nil}, 64 + 18 + 35 + 17 + 16},
	} {
		require.Equal(t, 2*(24+c.want), memoryOf([][]any{{c.value}}), "%v", c.value)
		require.Equal(t, 4*(24+c.want), memoryOf([][]any{{c.value}, {c.value}}))
	}
	require.Zero(t, memoryOf(nil))
}

// TestPickedGroups: groups are picked by what they come to where HAVING, or a condition
// or a limit on a query within, leaves some out.
func TestPickedGroups(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"select a, sum(b) from t where c = 1 group by a limit 5":                      false,
		"select a, sum(b) from t group by a having sum(b) > 1":                        true,
		"select * from (select a from t) where a = 1":                                 true,
		"select * from (select a from t)":                                             false,
		"select * from (select a from t limit 3)":                                     true,
		"select * from (select a from t) x join u on true where u.c = 1":              true,
		"with W as (select a from t) select * from w where a = 1":                     true,
		"with w as (select a from t) select * from w":                                 false,
		"with w as (select a from t) select * from t where a = 1":                     false,
		"with w as (select a from t limit 1) select * from t":                         true,
		"select a from t where a in (select a from u)":                                false,
		"select a from t where a in (select a from u group by a having count(*) > 1)": true,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, picksGroups(stmt.Query), sql)
	}
	for sql, want := range map[string]int64{
		"select 1": 0, "select 1 limit 5": 5, "select 1 limit all": 0, "(select 1 limit 3)": 3, "(select 1 limit 3) limit 2": 2, "((select 1) limit 4)": 4,
		"(select 1 limit 7) order by 1": 0, "select 1 limit 1125899906842624": 1 << 50, "select 1 limit 11258999068426240": 11258999068426240, "select 1 limit 999999999999999999": 0,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, limitOf(outermost(stmt.Query)), sql)
	}
}

// TestUnitsOfColumns: a metric's unit counts before the currency of the one stored
// column that an amount is made from; counts and quotients have none.
func TestUnitsOfColumns(t *testing.T) {
	t.Parallel()
	table := catalog.Table{Name: catalog.Name{Region: "r", Schema: "m", Table: "t"}, Columns: []catalog.Column{
		{Name: "gmv_usd", Type: "decimal(18,2)"}, {Name: "n", Type: "bigint"}, {Name: "name_usd", Type: "varchar"}}}
	currency := func(name string) string {
		if name == "gmv_usd" || name == "name_usd" {
			return "USD"
		}
		return ""
	}
	metrics := []string{"Average basket (EUR): sum / orders", "Total GMV: paid, unit: CNY; yes", "取消率：x", "margin （%）", "Plain", "客单价: 单位：元，含税", "n(n): x"}
	for item, want := range map[string]analyse.Column{
		"sum(gmv_usd) as x":               {Aggregate: analyse.AggregateSum, Unit: "USD"},
		"gmv_usd as x":                    {Unit: "USD"},
		"gmv_usd":                         {},
		"sum(gmv_usd) as gmv_usd":         {Aggregate: analyse.AggregateSum},
		"sum(gmv_usd) * 2 as x":           {Aggregate: analyse.AggregateSum, Unit: "USD"},
		"sum(gmv_usd) / 2 as x":           {Aggregate: analyse.AggregateSum},
		"sum(gmv_usd * n) as x":           {Aggregate: analyse.AggregateSum},
		"count(gmv_usd) as x":             {Aggregate: analyse.AggregateCount},
		"count(distinct gmv_usd) as x":    {Aggregate: analyse.AggregateCountDistinct},
		"max(name_usd) as x":              {Aggregate: analyse.AggregateOther},
		"sum(gmv_usd) as average_basket":  {Aggregate: analyse.AggregateSum, Label: "Average basket", Unit: "EUR"},
		"sum(n) as \"Total gmv\"":         {Aggregate: analyse.AggregateSum, Label: "Total GMV", Unit: "CNY"},
		"sum(gmv_usd) as plain":           {Aggregate: analyse.AggregateSum, Label: "Plain", Unit: "USD"},
		"sum(n) as margin":                {Aggregate: analyse.AggregateSum, Label: "margin", Unit: "%"},
		"sum(n) as \"客单价\"":               {Aggregate: analyse.AggregateSum, Label: "客单价", Unit: "元"},
		"sum(n) as \"_\"":                 {Aggregate: analyse.AggregateSum},
		"n":                               {Label: "n", Unit: "n"},
		"-(cast(sum(n) as double)) as x":  {Aggregate: analyse.AggregateSum},
		"2 * sum(n) as x":                 {Aggregate: analyse.AggregateSum},
		"2 / sum(n) as x":                 {Aggregate: analyse.AggregateOther},
		"sum(n) * n as x":                 {Aggregate: analyse.AggregateOther},
		"sum(n) + avg(n) as x":            {Aggregate: analyse.AggregateOther},
		"sum(n) + count(*) as x":          {Aggregate: analyse.AggregateSum},
		"count_if(n > 1) as x":            {Aggregate: analyse.AggregateCount},
		"upper(max(name_usd)) as x":       {Aggregate: analyse.AggregateOther},
		"upper(name_usd) as x":            {},
		"(select sum(n) from t) as x":     {},
		"n + (select sum(n) from t) as x": {},
	} {
		group := " group by gmv_usd, n, name_usd"
		stmt, err := parser.Parse("select " + item + " from t" + group)
		require.NoError(t, err, item)
		r, diagnostics := resolve.Resolve(stmt, resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{table}), DefaultRegion: "r", DefaultSchema: "m"})
		require.Empty(t, diagnostics, item)
		require.Equal(t, []analyse.Column{want}, describe(r, 1, metrics, currency, func(o resolve.Origin) string { return currency(o.Column) }, noKey).columns, item)
	}
}
