package cost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/cost"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

func tables() []catalog.Table {
	days := make([]string, 31)
	for i := range days {
		days[i] = fmt.Sprintf("2024-01-%02d", i+1)
	}
	columns := []catalog.Column{
		{Name: "k", Type: "bigint"},
		{Name: "d", Type: "date", Partition: true, Distinct: 31, Samples: days},
		{Name: "s", Type: "varchar", Partition: true, Distinct: 10},
		{Name: "ts", Type: "timestamp(3)"},
		{Name: "f", Type: "double"},
		{Name: "c", Type: "char(5)"},
		{Name: "b", Type: "boolean"},
		{Name: "n", Type: "decimal(10,2)"},
	}
	table := func(name string) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "r", Schema: "m", Table: name}, Columns: columns, RowCount: 3_100}
	}
	return []catalog.Table{table("t"), table("u")}
}

func resolved(t testing.TB, text string) *resolve.Resolution {
	t.Helper()
	stmt, err := parser.Parse(text)
	require.NoError(t, err, text)
	r, diagnostics := resolve.Resolve(stmt, resolve.Scope{Catalog: resolve.NewTables(tables()), DefaultRegion: "r", DefaultSchema: "m"})
	require.Empty(t, diagnostics, text)
	return r
}

var now = time.Date(2024, 3, 31, 10, 30, 0, 0, time.UTC)

// Each case gives the domain of one column of the first read.
func TestDomains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sql, column, want string }{
		// Comparisons.
		{"select * from t where k = 1", "k", "= 1"},
		{"select * from t where 1 < k and k <= 10", "k", "> 1 and <= 10"},
		{"select * from t where not (k < 1 or k > 10)", "k", ">= 1 and <= 10"},
		{"select * from t where k between 3 and 5 or k = 9", "k", ">= 3 and <= 5 or = 9"},
		{"select * from t where k in (3, 1, 2 + 2)", "k", "one of 1, 3, 4"},
		{"select * from t where k not in (1, 2)", "k", "< 1 or > 1 and < 2 or > 2"},
		{"select * from t where k <> 1", "k", "< 1 or > 1"},
		{"select * from t where k is null", "k", "NULL"},
		{"select * from t where k is not null", "k", "not NULL"},
		{"select * from t where k = 1 or k is null", "k", "= 1 or NULL"},
		{"select * from t where k is distinct from 1", "k", "< 1 or > 1 or NULL"},
		{"select * from t where k = 1 and k = 2", "k", "nothing"},
		{"select * from t where k = 1 or s = 'x'", "k", "everything"},
		{"select * from t where k = 1 or 1 = 0", "k", "everything"},
		{"select * from t where k = 1 or false", "k", "= 1"},
		{"select * from t where n >= 1.50", "n", ">= 1.5"},
		{"select * from t where b", "b", "= true"},
		{"select * from t where not b", "b", "= false"},
		{"select * from t where s >= 'a' and s < 'b'", "s", ">= 'a' and < 'b'"},
		{"select * from t where coalesce(k, 1) = 1", "k", "everything"},
		{"select * from t where k + 1 = 2", "k", "everything"},
		{"select * from t where s like 'a%'", "s", "everything"},
		{"select * from t where date_format(d, '%Y') = '2024'", "d", "everything"},
		// A cast that cuts a text off makes others of it the same.
		{"select * from t where cast(s as varchar) = 'abc'", "s", "= 'abc'"},
		{"select * from t where cast(s as varchar(3)) = 'abc'", "s", "everything"},
		// Texts of char are padded, doubles rounded: a bound of unknown value.
		{"select * from t where c = 'a'", "c", "bounded by a value known when it runs"},
		{"select * from t where f > 1.5", "f", "bounded by a value known when it runs"},
		// Dates.
		{"select * from t where d = date '2024-01-31'", "d", "= 2024-01-31"},
		{"select * from t where d >= current_date - interval '1' month", "d", ">= 2024-02-29"},
		{"select * from t where d >= date_add('day', -30, current_date) and d < current_date", "d", ">= 2024-03-01 and < 2024-03-31"},
		{"select * from t where d >= date_trunc('month', current_date)", "d", ">= 2024-03-01"},
		{"select * from t where d = date(now())", "d", "= 2024-03-31"},
		{"select * from t where s = date_format(current_date - interval '1' day, '%Y-%m-%d')", "s", "= '2024-03-30'"},
		{"select * from t where s = cast(current_date as varchar)", "s", "= '2024-03-31'"},
		{"select * from t where s = upper('x')", "s", "bounded by a value known when it runs"},
		{"select * from t where k = random()", "k", "everything"},
		{"select * from t where year(d) = 2024", "d", ">= 2024-01-01 and < 2025-01-01"},
		{"select * from t where extract(year from d) < 2024", "d", "< 2024-01-01"},
		{"select * from t where date_trunc('month', d) = date '2024-01-01'", "d", ">= 2024-01-01 and < 2024-02-01"},
		{"select * from t where date_trunc('month', d) = date '2024-01-02'", "d", "nothing"},
		{"select * from t where date_trunc('month', d) > date '2024-01-02'", "d", ">= 2024-02-01"},
		{"select * from t where cast(ts as date) = date '2024-01-02'", "ts", ">= 2024-01-02 and < 2024-01-03"},
		{"select * from t where date(ts) between date '2024-01-02' and date '2024-01-03'", "ts", ">= 2024-01-02 and < 2024-01-04"},
		{"select * from t where d < timestamp '2024-01-02 12:00:00'", "d", "< 2024-01-02 12:00:00"},
		// Joins.
		{"select * from t join u on t.d = u.d where u.d = date '2024-01-02'", "d", "= 2024-01-02"},
		{"select * from t, u where t.d = u.d and u.d < date '2024-01-02'", "d", "< 2024-01-02"},
		{"select * from t join u on t.k = 1 and t.k = u.k", "k", "= 1"},
		{"select * from t left join u on t.k = 1", "k", "everything"},
		{"select * from t right join u on t.k = 1", "k", "= 1"},
		{"select * from t right join u on t.k = u.k where t.k is null", "k", "not NULL"},
		{"select * from t right join u on t.k = u.k where t.k > 1", "k", "> 1"},
		{"select * from t full join u on t.k = u.k where t.k > 1", "k", "> 1"},
		{"select * from t full join u on t.k = u.k and t.k = 3", "k", "everything"},
		{"select * from t join u using (k) where k = 3", "k", "= 3"},
		{"select * from t left join u using (k) where k = 3", "k", "= 3"},
		{"select * from t right join (select 5 as k) using (k) where k = 3", "k", "= 3"},
		// Queries around the table.
		{"select * from (select d as day from t) where day = date '2024-01-02'", "d", "= 2024-01-02"},
		{"select * from (select * from t limit 10) x where d = date '2024-01-02'", "d", "everything"},
		{"select * from (select t.*, row_number() over (order by k) n from t) x where d = date '2024-01-02'", "d", "everything"},
		{"select * from (select d, count(*) n from t group by d) x where d = date '2024-01-02'", "d", "= 2024-01-02"},
		{"select * from (select d, count(*) n from t group by 1) x where d = date '2024-01-02'", "d", "= 2024-01-02"},
		{"select * from (select max(d) d from t) x where d = date '2024-01-02'", "d", "everything"},
		{"select * from (select d from t group by rollup (d)) x where d = date '2024-01-02'", "d", "everything"},
		{"select d from t group by d having d < date '2024-01-02'", "d", "< 2024-01-02"},
		{"select * from (select distinct d from t) x where d < date '2024-01-02'", "d", "< 2024-01-02"},
		{"select * from (select d from t union all select d from u) x where d < date '2024-01-02'", "d", "< 2024-01-02"},
		{"with x as (select * from t) select * from x where d = date '2024-01-02'", "d", "= 2024-01-02"},
		{"with x as (select * from t) select * from x a join x b on a.k = b.k where a.k = 1 and b.d = date '2024-01-02'", "d", "everything"},
		{"with x as (select * from t) select * from x where k = 1 union all select * from x where k = 5", "k", "one of 1, 5"},
		{"with x as (select * from t), y as (select * from x where k > 1) select * from y where k < 9", "k", "> 1 and < 9"},
		{"with recursive x(k) as (select k from t union all select k + 1 from x where k < 3) select * from x where k = 1", "k", "everything"},
		{"select * from u where exists (select 1 from t where t.k = 1 and t.d = u.d)", "d", "everything"},
		{"select (select max(t.k) from t where t.k < 3) from u", "k", "< 3"},
	} {
		reads := cost.Reads(resolved(t, c.sql), cost.Options{Now: now})
		require.NotEmpty(t, reads, c.sql)
		require.Equal(t, c.want, reads[0].Domain(c.column).String(), c.sql)
	}
}

func TestSubqueriesAreLookedAt(t *testing.T) {
	t.Parallel()
	reads := cost.Reads(resolved(t, "select * from u where k in (select k from t where t.d = date '2024-01-02')"), cost.Options{})
	require.Len(t, reads, 2)
	require.False(t, reads[0].Restricted("d"))
	require.True(t, reads[1].Restricted("d"))
}

func TestWithoutAClockDatesStillBound(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"select * from t where d >= current_date - interval '7' day":                               true,
		"select * from t where d <> current_date":                                                  false,
		"select * from t where d >= current_date or d < current_date":                              false,
		"select * from t where d >= current_date or d = date '2024-01-01'":                         true,
		"select * from t where d is not null":                                                      false,
		"select * from t where d = (select max(d) from u)":                                         false,
		"select * from t where d >= current_date and k = 1 or d > current_date - interval '1' day": true,
	} {
		require.Equal(t, want, cost.Reads(resolved(t, sql), cost.Options{})[0].Restricted("D"), sql)
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	of := func(sql string) cost.Estimate { return cost.Of(resolved(t, sql), cost.Options{Now: now}) }

	whole := of("select k, f from t")
	require.EqualValues(t, 3_100, whole.Rows)
	require.EqualValues(t, 3_100*16, whole.Bytes)
	require.True(t, whole.Scans[0].Whole)
	require.Equal(t, []string{"k", "f"}, whole.Scans[0].Columns)

	day := of("select k from t where d between date '2024-01-30' and date '2024-02-15'")
	require.EqualValues(t, 200, day.Rows, "two of the 31 stored days")
	require.False(t, day.Scans[0].Whole)
	require.Equal(t, "d", day.Scans[0].Partitions[0].Column)

	require.EqualValues(t, 620, of("select k from t where s in ('a', 'b')").Rows, "two of ten values")
	require.EqualValues(t, 3_100, of("select k from t where s > 'a'").Rows, "how many values are above is not known")
	require.EqualValues(t, 0, of("select k from t where d = date '2030-01-01'").Rows)
	require.EqualValues(t, 6_200, of("select 1 from t a join t b on a.k = b.k").Rows)
	require.EqualValues(t, 0, of("select 1").Rows)
}

// Long lists and chains are a matter of milliseconds; what is too long to keep is
// widened to its hull.
func TestLongListsAreQuick(t *testing.T) {
	t.Parallel()
	list, chain := "0", "k = 0"
	for i := 1; i < 8_000; i++ {
		list += fmt.Sprintf(", %d", 2*i)
		chain += fmt.Sprintf(" or k = %d", 2*i)
	}
	for _, condition := range []string{"k in (" + list + ")", chain} {
		d := cost.Reads(resolved(t, "select * from t where "+condition), cost.Options{})[0].Domain("k")
		require.True(t, d.Bounded() && d.Contains("0") && d.Contains("15998"))
		require.False(t, d.Contains("-1") || d.Contains("16000"))
	}
	require.True(t, cost.Reads(resolved(t, "select * from t where k not in ("+list+")"), cost.Options{})[0].Domain("k").Contains("7"))
}
