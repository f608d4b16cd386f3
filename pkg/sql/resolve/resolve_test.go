package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

func scope() resolve.Scope {
	column := func(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }
	return resolve.Scope{DefaultRegion: "eu", DefaultSchema: "shop", Catalog: resolve.NewTables([]catalog.Table{
		{Name: catalog.Name{Region: "eu", Schema: "shop", Table: "orders"}, Columns: []catalog.Column{
			column("id", "bigint"), column("buyer", "integer"), column("amount", "decimal(12,2)"), column("day", "date"), column("note", "varchar"),
		}},
		{Name: catalog.Name{Region: "eu", Schema: "shop", Table: "buyers"}, Columns: []catalog.Column{
			column("id", "bigint"), column("name", "varchar"), column("tags", "array(varchar)"),
		}},
	})}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"id / 2": "bigint", "buyer / 2": "integer", "amount * 2": "decimal(22,2)", "amount / 3": "decimal(12,2)", "amount + 1e0": "double",
		"sum(id)": "bigint", "sum(amount)": "decimal(38,2)", "avg(amount)": "decimal(12,2)", "avg(id)": "double", "count(*)": "bigint",
		"max(day)": "date", "day + interval '1' day": "date", "date_trunc('month', day)": "date", "date_diff('day', day, day)": "bigint",
		"cast(day as timestamp)": "timestamp(3)", "timestamp '2024-01-01 00:00:00.12'": "timestamp(2)", "1.50": "decimal(3,2)", "3000000000": "bigint",
		"coalesce(id, 1)": "bigint", "if(id > 1, 'a')": "varchar(1)", "case when id > 1 then 1 else 2.5 end": "decimal(11,1)", "array[1, 2]": "array(integer)",
		"round(amount, 1)": "decimal(13,2)", "round(1.5e0)": "double", "row_number() over (order by id)": "bigint", "lag(amount) over (order by id)": "decimal(12,2)",
		"transform(array[1, 2], x -> x * 2.5e0)": "array(double)", "greatest(1, id)": "bigint", "concat('a', note)": "varchar", "note || 'x'": "varchar",
		"current_date": "date", "year(day)": "bigint", "(select max(name) from buyers)": "varchar", "id > 1": "boolean",
	} {
		stmt, err := parser.Parse("select " + text + " as x from orders group by grouping sets ((id, buyer, amount, day, note))")
		require.NoError(t, err, text)
		r, mistakes := resolve.Resolve(stmt, scope())
		require.Empty(t, mistakes, text)
		require.Equal(t, want, r.Output()[0].Type.String(), text)
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	type at struct {
		code         resolve.Code
		line, column int
	}
	for text, want := range map[string][]at{
		"select idd from orders":        {{resolve.ColumnNotFound, 1, 8}},
		"select id from order_s":        {{resolve.TableNotFound, 1, 16}},
		"select id from orders, buyers": {{resolve.AmbiguousName, 1, 8}},
		"select o.name,\n b.amount from orders o join buyers b on o.buyer = b.id": {{resolve.ColumnNotFound, 1, 8}, {resolve.ColumnNotFound, 2, 2}},
		"select orders.id from orders o":                                          {{resolve.ColumnNotFound, 1, 8}},
		"select summ(id) from orders":                                             {{resolve.FunctionNotFound, 1, 8}},
		"select day, sum(amount) from orders":                                     {{resolve.ExpressionNotAggregate, 1, 8}},
		"select day + 1 from orders":                                              {{resolve.TypeMismatch, 1, 12}},
		"select id from orders where (note) /* = */ = 1":                          {{resolve.TypeMismatch, 1, 44}},
		"select id from orders where note":                                        {{resolve.TypeMismatch, 1, 29}},
		"select id from orders where sum(id) > 1":                                 {{resolve.ExpressionNotScalar, 1, 37}},
		"select id from orders order by 2":                                        {{resolve.InvalidColumnReference, 1, 32}},
		"with a as (select 1 x), a as (select 2 x) select x from a":               {{resolve.DuplicateNamedQuery, 1, 25}},
		"select x from (select 1) t(x, y)":                                        {{resolve.MismatchedColumns, 1, 15}},
		"select id from orders union select name from buyers":                     {{resolve.TypeMismatch, 1, 23}},
		"select id from orders group by 0":                                        {{resolve.InvalidColumnReference, 1, 32}, {resolve.ExpressionNotAggregate, 1, 8}},
		"select amount a from orders where a > 1":                                 {{resolve.ColumnNotFound, 1, 35}},
		// The first is the one that Trino meets first, not the one that stands first.
		"select nope from orders where id in (select idd from buyers) and x = 1": {
			{resolve.ColumnNotFound, 1, 45}, {resolve.ColumnNotFound, 1, 66}, {resolve.ColumnNotFound, 1, 8},
		},
		// One mistake each for two columns of an expression, both at the expression.
		"select buyer + id from orders group by day": {{resolve.ExpressionNotAggregate, 1, 14}, {resolve.ExpressionNotAggregate, 1, 14}},
	} {
		stmt, err := parser.Parse(text)
		require.NoError(t, err, text)
		_, mistakes := resolve.Resolve(stmt, scope())
		var got []at
		for _, m := range mistakes {
			got = append(got, at{m.Code, m.Line, m.Column})
		}
		require.Equal(t, want, got, "%s: %v", text, mistakes)
	}
}

func TestResolves(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"select (select max(b.id + o.buyer) from buyers b) from orders o",
		"select o.* from orders o cross join unnest(array[1]) t(x) where x = o.id",
		"select name, tag from buyers cross join unnest(tags) t(tag)",
		"select id from orders o join buyers using (id) order by name",
		"select date_trunc('month', o.day), count(*) from orders o group by date_trunc('month', day)",
		"select amount * 2 x from orders order by x, note",
		"select buyer, sum(amount) s from orders group by buyer having sum(amount) > avg(amount) order by s, count(*)",
		"select eu.shop.orders.id, shop.orders.id, orders.id from eu.shop.orders",
		"with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) select n from t",
		"select x from (values (1, 'a')) t(x, y) where y = 'a'",
		"select * from orders o where exists (select 1 from buyers b where b.id = o.buyer)",
		"select reduce(array[1, 2], 0, (s, x) -> s + x, s -> s)",
		"select count(*) from (select id from orders union all select id from buyers)",
	} {
		stmt, err := parser.Parse(text)
		require.NoError(t, err, text)
		_, mistakes := resolve.Resolve(stmt, scope())
		require.Empty(t, mistakes, text)
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	stmt, err := parser.Parse("select amunt from order")
	require.Error(t, err, "order is reserved")
	require.Nil(t, stmt)
	stmt, err = parser.Parse("select id from oders")
	require.NoError(t, err)
	_, mistakes := resolve.Resolve(stmt, scope())
	require.Equal(t, []string{"eu.shop.orders"}, mistakes[0].Suggestions)
}
