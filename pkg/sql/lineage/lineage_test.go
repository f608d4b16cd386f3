package lineage_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

func name(table string) catalog.Name {
	return catalog.Name{Region: "eu", Schema: "shop", Table: table}
}

func origin(table, column string) resolve.Origin {
	return resolve.Origin{Table: name(table), Column: column}
}

func of(t *testing.T, text string) lineage.Lineage {
	t.Helper()
	tables := resolve.NewTables([]catalog.Table{
		{Name: name("sales"), Columns: []catalog.Column{
			{Name: "id", Type: "bigint", PrimaryKey: true}, {Name: "city_id", Type: "bigint"}, {Name: "day", Type: "date"}, {Name: "amount", Type: "decimal(12,2)"},
		}},
		{Name: name("cities"), Columns: []catalog.Column{{Name: "city_id", Type: "bigint", PrimaryKey: true}, {Name: "city", Type: "varchar"}}},
		{Name: name("visits"), Columns: []catalog.Column{{Name: "city_id", Type: "bigint"}, {Name: "visitors", Type: "bigint"}}},
	})
	stmt, err := parser.Parse(text)
	require.NoError(t, err, text)
	r, mistakes := resolve.Resolve(stmt, resolve.Scope{Catalog: tables, DefaultRegion: "eu", DefaultSchema: "shop"})
	require.Empty(t, mistakes, text)
	return lineage.Of(r)
}

func TestColumns(t *testing.T) {
	t.Parallel()
	l := of(t, `select s.day d, s.amount * 2 twice, 1 one, sum(s.amount) over (order by s.id) running from sales s`)
	require.Equal(t, []lineage.Column{
		{Name: "d", Type: "date", Making: lineage.MakingCopy, Sources: []resolve.Origin{origin("sales", "day")}},
		{Name: "twice", Type: "decimal(22,2)", Making: lineage.MakingComputed, Sources: []resolve.Origin{origin("sales", "amount")}},
		{Name: "one", Type: "integer", Making: lineage.MakingConstant},
		{Name: "running", Type: "decimal(38,2)", Making: lineage.MakingWindow, Sources: []resolve.Origin{origin("sales", "amount")}},
	}, l.Columns)
	require.Equal(t, lineage.MakingAggregate, of(t, "select max(day) from sales").Columns[0].Making)
	require.Equal(t, lineage.MakingCopy, of(t, "select * from sales").Columns[3].Making)
}

func TestFiltersAndGroups(t *testing.T) {
	t.Parallel()
	l := of(t, `with s as (select day d, amount * 2 a from sales where city_id in (1, 2) and (amount > 1 and day is not null))
		select d, sum(a) total from s group by 1 having sum(a) >= 10`)
	require.Equal(t, []catalog.Name{name("sales")}, l.Tables)
	var texts []string
	for _, f := range l.Filters {
		texts = append(texts, f.Clause+" "+f.Text)
	}
	require.ElementsMatch(t, []string{"WHERE city_id is one of 1, 2", "WHERE amount is more than 1", "WHERE day is not missing", "HAVING sum(a) is at least 10"}, texts)
	for _, f := range l.Filters {
		if f.Clause == "WHERE" {
			require.Len(t, f.Columns, 1, f.SQL)
		}
	}
	require.Equal(t, []string{"d"}, l.GroupBy)
	require.Equal(t, "one row for each d", l.Grain.String())
}

func TestSubqueriesInWords(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]string{
		"exists (select 1 from sales s where s.city_id = c.city_id)":                       "there is a matching row in sales",
		"not exists (select 1 from sales s where s.city_id = c.city_id and s.amount > 10)": "there is no matching row in sales with s.amount is more than 10",
		"exists (select 1 from sales s join visits v on s.city_id = v.city_id)":            "there is a matching row in sales and visits",
		"exists (select city_id from sales s group by city_id having count(*) > 1)":        "there is a matching row in a subquery",
		"c.city_id not in (select city_id from visits where visitors > 5)":                 "c.city_id is not among the values of city_id in visits with visitors is more than 5",
		"c.city_id in (select city_id from visits order by visitors desc limit 3)":         "c.city_id is among the values of a subquery",
		"c.city_id in (select city_id from visits union all select city_id from sales)":    "c.city_id is among the values of a subquery",
		"not exists (select 1 from (values 1) v(x))":                                       "there is no matching row in a subquery",
	} {
		l := of(t, "select c.city from cities c where "+condition)
		outer := slices.DeleteFunc(l.Filters, func(f lineage.Filter) bool { return f.Within })
		require.Len(t, outer, 1, condition)
		require.Equal(t, want, outer[0].Text)
	}
}

// TestConditionsInChinese: what looks into a subquery is told in words, and all else as it is written.
func TestConditionsInChinese(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]string{
		"c.city_id > 3": "c.city_id > 3",
		"exists (select 1 from sales s where s.city_id = c.city_id)":                                        "在 sales 中有对应的记录",
		"not exists (select 1 from sales s where s.city_id = c.city_id and s.amount > 10 and s.id is null)": "在 sales （s.amount > 10，且 s.id IS NULL）中没有对应的记录",
		"not exists (select 1 from sales s join visits v on s.city_id = v.city_id)":                         "在 sales、visits 中没有对应的记录",
		"exists (select city_id from sales g group by city_id having count(*) > 1)":                         "在子查询中有对应的记录",
		"c.city_id not in (select city_id from visits)":                                                     "c.city_id 不在子查询的结果之中",
	} {
		l := of(t, "select c.city from cities c where "+condition)
		outer := slices.DeleteFunc(l.Filters, func(f lineage.Filter) bool { return f.Within })
		require.Equal(t, want, outer[0].Chinese)
	}
}

func TestUses(t *testing.T) {
	t.Parallel()
	uses := map[resolve.Origin][]lineage.Role{}
	for _, u := range of(t, `select c.city, array_agg(s.id order by s.amount) from sales s join cities c on s.city_id = c.city_id
		where s.day > date '2024-01-01' group by c.city`).Uses {
		uses[u.Column] = u.Roles
	}
	require.Equal(t, map[resolve.Origin][]lineage.Role{
		origin("cities", "city"):    {lineage.RoleOutput, lineage.RoleGroup},
		origin("sales", "id"):       {lineage.RoleOutput},
		origin("sales", "amount"):   {lineage.RoleOrder},
		origin("sales", "city_id"):  {lineage.RoleJoin},
		origin("cities", "city_id"): {lineage.RoleJoin},
		origin("sales", "day"):      {lineage.RoleFilter},
	}, uses)
}

func TestJoins(t *testing.T) {
	t.Parallel()
	want := [][2]resolve.Origin{{origin("sales", "city_id"), origin("cities", "city_id")}}
	for _, sql := range []string{
		"select 1 from sales s join cities c on s.city_id = c.city_id and s.amount > 1",
		"select 1 from sales join cities using (city_id)",
		"select 1 from sales s, cities c where s.city_id = c.city_id and s.amount > 1",
		"select 1 from (select city_id as k from sales) s join cities c on s.k = c.city_id",
	} {
		l := of(t, sql)
		require.Len(t, l.Joins, 1, sql)
		require.Equal(t, want, l.Joins[0].Keys, sql)
	}
	require.Empty(t, of(t, "select 1 from sales cross join cities").Joins[0].Keys)
}

func TestGrain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sql, want string }{
		{"select amount from sales", "one row of eu.shop.sales (id)"},
		{"select visitors from visits", "one row of eu.shop.visits"},
		{"select * from sales s join cities c on s.city_id = c.city_id", "one row of eu.shop.sales (id)"},
		{"select * from cities c join sales s on s.city_id = c.city_id", "one row of eu.shop.sales (id)"},
		{"select * from sales left join cities using (city_id)", "one row of eu.shop.sales (id)"},
		{"select * from sales s, cities c where s.city_id = c.city_id", "one row of eu.shop.sales (id)"},
		{"select * from sales s right join cities c on s.city_id = c.city_id", "one matching combination of rows of eu.shop.sales and eu.shop.cities"},
		{"select * from sales s join visits v on s.city_id = v.city_id", "one matching combination of rows of eu.shop.sales and eu.shop.visits"},
		{"select * from sales s join cities c on c.city_id = c.city_id", "one matching combination of rows of eu.shop.sales and eu.shop.cities"},
		{"select * from (select day, count(*) n from sales group by day) x where n > 1", "one row for each day"},
		{"with x as (select * from sales), y as (select * from x) select * from y", "one row of eu.shop.sales (id)"},
		{"select count(*) from sales", "one row for everything"},
		{"select distinct day from sales", "one distinct combination of the columns"},
		{"select day, city_id, sum(amount) from sales group by rollup (day, city_id)", "one row for each day, city_id, with subtotals"},
		{"select day from sales union select day from sales", "one row of a combined result"},
		{"select * from sales cross join (select max(visitors) m from visits) v", "one row of eu.shop.sales (id)"},
		{"select 1", "not known"},
	} {
		require.Equal(t, c.want, of(t, c.sql).Grain.String(), c.sql)
	}
}
