package duckdb_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse/warehousetest"
)

// TestPrestoSemantics holds queries on which DuckDB, asked with the same text,
// would answer otherwise. The values are those of Presto.
func TestPrestoSemantics(t *testing.T) {
	t.Parallel()
	e := open(t, duckdb.Config{Databases: map[string]string{"eu": database(t)}})
	scope := resolve.Scope{Catalog: resolve.NewTables(warehousetest.Tables("eu", "shop")), DefaultRegion: "eu", DefaultSchema: "shop"}
	who := run.Principal{ID: "someone"}
	ask := func(sql string) ([][]any, error) {
		approved, err := guard.New(guard.Config{}).Approve(t.Context(), who, sql, scope)
		require.NoError(t, err, sql)
		rows, err := e.Query(t.Context(), who, approved, warehouse.Options{})
		if err != nil {
			return nil, err
		}
		var all [][]any
		for {
			page, err := rows.Next(t.Context(), 100)
			if errors.Is(err, io.EOF) {
				return all, nil
			}
			if err != nil {
				return nil, err
			}
			all = append(all, page...)
		}
	}
	for sql, want := range map[string][]any{
		"select 7 / 2, -7 / 2, 7 % -3":                                                                                                                                              {int64(3), int64(-3), int64(1)},
		"select cast(2.5e0 as integer), cast(-2.5e0 as integer)":                                                                                                                    {int64(3), int64(-3)},
		"select cast(1.005e0 as decimal(5,2)), cast(2.345 as decimal(5,2))":                                                                                                         {"1.01", "2.35"},
		"select decimal '10.00' / decimal '3', 1.0 / 3, 2 / 3.0, -1.0 / 3":                                                                                                          {"3.33", "0.3", "0.7", "-0.3"},
		"select greatest(1, null), concat('a', null), least(2, 1)":                                                                                                                  {nil, nil, int64(1)},
		"select substr('hello', 0), substr('hello', -3), substr('hello', 9), substr('hello', 2, 2), substr('hello', 1, -1)":                                                         {"", "llo", "", "el", ""},
		"select try(1 / 0), try_cast('1.5' as bigint), try_cast('2024/01/01' as date), try_cast('yes' as boolean)":                                                                  {nil, nil, nil, nil},
		"select split_part('a-b', '-', 2), split_part('a-b', '-', 3)":                                                                                                               {"b", nil},
		"select date_diff('month', date '2024-01-31', date '2024-02-28'), date_diff('hour', timestamp '2024-01-01 00:30:00', timestamp '2024-01-01 02:00:00')":                      {int64(0), int64(1)},
		"select date '2024-01-31' + interval '1' month, date_add('day', -1, date '2024-03-01')":                                                                                     {"2024-02-29", "2024-02-29"},
		"select sum(id), avg(amount) from sales where id > 3":                                                                                                                       {int64(4), "5.00"},
		"select avg(amount), sum(amount), count(amount) from sales where id = 3":                                                                                                    {nil, nil, int64(0)},
		"select regexp_extract('abc', '[0-9]+'), regexp_like('abc', '^a.c$'), regexp_replace('a1b2', '[0-9]', '')":                                                                  {nil, true, "ab"},
		"select json_extract_scalar('{\"a\": {\"b\": 1}, \"c\": \"x\"}', '$.c'), json_extract_scalar('{\"a\": {}}', '$.a'), json_extract_scalar('{', '$.a')":                        {"x", nil, nil},
		"select date_format(timestamp '2024-02-09 15:04:05', '%Y/%c/%e %H:%i:%s %p %M'), cast(timestamp '2024-02-09 15:04:05' as varchar)":                                          {"2024/2/9 15:04:05 PM February", "2024-02-09 15:04:05"},
		"select corr(id, id), regr_slope(id, id), covar_samp(id, id), stddev(id) from sales where id = 1":                                                                           {nil, nil, nil, nil},
		"select trim('\u3000\u2003a\u00a0\t'), ltrim('\u3000a'), rtrim('a\u3000')":                                                                                                  {"a\u00a0", "a", "a"},
		"select lpad('a', 3, 'xy'), rpad('ab', 1, 'x'), lpad(null, 3, 'x'), lpad('a', null, 'x')":                                                                                   {"xya", "a", nil, nil},
		"select concat(max(region), '-', 'x') || min(region), concat_ws(',', 'a', null, 'b'), replace('aba', 'a', 'cc') from sales where region is not null":                        {"south-xnorth", "a,b", "ccbcc"},
		"select cardinality(sequence(1, 10000)), cardinality(array[1] || array[2, 3]), regexp_replace('a1', '[0-9]', 'xyz')":                                                        {int64(10000), int64(3), "axyz"},
		"select nullif(nullif(id, 7), 8), case nullif(id, 9) when 1 then 'one' else 'more' end from sales where id = 1":                                                             {int64(1), "one"},
		"select greatest(max(id), min(id) + 1), least(sum(id), 2), nullif(count(*), 0) from sales":                                                                                  {int64(4), int64(2), int64(4)},
		"select cast(cast(max(id) as varchar(3)) as bigint), max(sum(id)) over () / nullif(count(*), 0) from sales":                                                                 {int64(4), int64(2)},
		"select count(*) from (select substr(upper(region), 1, 1) r, count(*) from sales group by substr(upper(region), 1, 1))":                                                     {int64(3)},
		"select sum(greatest(id, 2) / (id + 0)) filter (where least(id, 3) > 1) from sales":                                                                                         {int64(3)},
		"select cardinality(transform(array['ab', 'c'], x -> substr(x || 'z', 2)))":                                                                                                 {int64(2)},
		"with recursive t(n) as (values 1 union all select n + 1 from t where n < 11) select count(*), max(u.n), (select min(n) from t) from t u":                                   {int64(11), int64(11), int64(1)},
		"with recursive t(n, m) as (select bigint '1', varchar 'a' union all select x.id, m || 'b' from t join sales x on x.id = t.n + 1) select max(t.n), max(length(t.m)) from t": {int64(4), int64(4)},
		// An alias that hides a column: GROUP BY and HAVING mean the column.
		"select count(*) from (select date_trunc('month', day) as day, count(*) n from sales group by day)": {int64(4)},
		"select count(*) from (select id / 10 as id from sales where id > 1)":                               {int64(3)},
		"select count(*) from (select -id as id, sum(score) s from sales group by id having id > 1)":        {int64(3)},
	} {
		got, err := ask(sql)
		require.NoError(t, err, sql)
		require.Equal(t, [][]any{want}, got, sql)
	}

	// Nested forms: one value each, in the time and memory of a short statement.
	for form, leaf := range map[string]string{
		"cast(cast(@ as integer) as varchar(9))": "'1'", "greatest(@, 2)": "1", "nullif(@, 3)": "1", "substr(@, 1)": "'12'",
		"(decimal '1.5' / @)": "1.5", "date_diff('year', date_add('day', @, date '2024-01-01'), date '2024-05-05')": "1", "(@ || 'a')": "'a'",
		"case @ when 1 then 2 when 3 then 4 else 5 end": "1", "split_part(@, ',', 1)": "'a,b'", "(1 / @)": "1",
	} {
		for _, levels := range []int{8, 30, 49} {
			x := leaf
			for range levels {
				x = strings.ReplaceAll(form, "@", x)
			}
			_, err := ask("select " + x)
			var large *transpile.TooLarge
			if status.Code(err) != codes.Unimplemented && !errors.As(err, &large) {
				require.NoError(t, err, form)
			} else {
				require.Greater(t, levels, 8, form)
			}
		}
	}

	ordered, err := ask("select region from sales order by amount desc")
	require.NoError(t, err)
	require.Equal(t, []any{nil}, ordered[3], "nulls come last in both directions")

	for _, sql := range []string{
		"select bar(0.5, 10)", "select regexp_like('a', 'a\\Kb')", "select uuid()",
		"select transform(array[1], x -> rpad('a', 9, 'b'))", "select presto_bound from (select 1 presto_bound)",
		"with recursive t(n) as (select 1 union select n + 1 from t) select * from t", "with recursive t(n) as (select 1 union all select * from t) select * from t",
		"select format_datetime(at_timezone(now(), 'Asia/Singapore'), 'z')", "select id from sales tablesample system (10)",
	} {
		_, err := ask(sql)
		require.Equal(t, codes.Unimplemented, status.Code(err), "%s: %v", sql, err)
	}

	for sql, name := range map[string]string{
		"select length(rpad('a', 2000000000, 'b'))": warehouse.NameInvalidArgument, "select lpad('a', -1, 'b')": warehouse.NameInvalidArgument,
		"select lpad(region, id * 100000, 'b') from sales": warehouse.NameInvalidArgument, "select lpad('a', 5, '')": warehouse.NameInvalidArgument,
		"select cardinality(sequence(1, 10001))":                                               warehouse.NameInvalidArgument,
		"select replace(rpad('a', 9999, 'a'), 'a', rpad('b', 99, 'b'))":                        warehouse.NameInvalidArgument,
		"select length(x || x || x || x || x || x || x) from (select rpad('a', 10000, 'b') x)": warehouse.NameInvalidArgument,
		"select cast('abc' as integer)":                                                        warehouse.NameInvalidCast, "select cast('2024-13-01' as date)": warehouse.NameInvalidCast,
		"select cast(12345 as varchar(3))": warehouse.NameInvalidCast, "select 9223372036854775807 + 1": warehouse.NameOutOfRange,
		"select cast(id * 100000000000 as integer) from sales": warehouse.NameOutOfRange, "select id / 0 from sales": warehouse.NameDivisionByZero,
		"select cast(decimal '12345.6' as decimal(4,1))":                                               warehouse.NameInvalidCast,
		"with recursive t(n) as (select 1 union all select n + 1 from t where n < 12) select * from t": "NOT_SUPPORTED", "with recursive t(n) as (select 1 union all select n from t) select count(*) from t": "NOT_SUPPORTED",
		"select split_part('a', 'b', 0)": warehouse.NameInvalidArgument, "select array[1][5]": warehouse.NameInvalidArgument,
	} {
		_, err := ask(sql)
		var failure *warehouse.Error
		require.ErrorAs(t, err, &failure, sql)
		require.Equal(t, name, failure.Name, "%s: %v: %v", sql, err, failure.Cause)
		for _, words := range []string{"Error:", "PRESTO", "INT32", "INT64", "VARCHAR"} {
			require.NotContains(t, failure.Message, words, sql)
		}
	}
}
