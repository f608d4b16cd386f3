package trino_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
)

// tables are some of tpch as the product's catalog has them in a region, with a
// column that the server does not have.
func tables(region, schema string) resolve.Scope {
	column := func(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }
	name := func(table string) catalog.Name { return catalog.Name{Region: region, Schema: schema, Table: table} }
	return resolve.Scope{DefaultRegion: region, DefaultSchema: schema, Catalog: resolve.NewTables([]catalog.Table{
		{Name: name("customer"), Columns: []catalog.Column{
			column("custkey", "bigint"), column("name", "varchar(25)"), column("nationkey", "bigint"),
			column("phone", "varchar(15)"), column("acctbal", "double"),
		}},
		{Name: name("nation"), Columns: []catalog.Column{column("nationkey", "bigint"), column("name", "varchar(25)"), column("regionkey", "bigint"), column("nope", "bigint")}},
		{Name: name("orders"), Columns: []catalog.Column{column("orderkey", "bigint"), column("custkey", "bigint"), column("orderdate", "date"), column("orderstatus", "varchar(1)"), column("totalprice", "double"), column("clerk", "varchar(15)")}},
		{Name: name("gone"), Columns: []catalog.Column{column("a", "bigint")}},
	})}
}

// run as somebody, to the end.
func runAs(t *testing.T, e *trino.Engine, who, sql string, scope resolve.Scope) ([][]any, error) {
	t.Helper()
	rows, err := e.Query(t.Context(), run.Principal{ID: who}, approve(t, who, sql, scope), warehouse.Options{Tag: "test"})
	if err != nil {
		return nil, err
	}
	return all(t, rows), nil
}

// TestPrincipals asks one question as several people. The server's rules decide
// what they get: test/servers/trino-start has them.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	e := open(t, trino.Config{Connection: trinotest.Secure(t, "tpch"), DefaultRegion: "tpch", DefaultSchema: "tiny"})
	scope := tables("tpch", "tiny")
	const question = "select count(*), min(nationkey), max(nationkey), count_if(phone like '***%') from customer"

	rows, err := runAs(t, e, "alice", question, scope)
	require.NoError(t, err)
	require.Equal(t, [][]any{{int64(1500), int64(0), int64(24), int64(0)}}, rows)

	rows, err = runAs(t, e, "bob", question, scope)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, []any{int64(7), int64(7)}, rows[0][1:3], "a row filter")
	require.Equal(t, rows[0][0], rows[0][3], "a mask")
	require.Less(t, rows[0][0], int64(1500))

	for who, sql := range map[string]string{"bob": "select acctbal from customer", "carol": question, "nobody": "select * from nation"} {
		_, err = runAs(t, e, who, sql, scope)
		var failure *warehouse.Error
		require.ErrorAs(t, err, &failure, who)
		require.Equal(t, warehouse.NamePermission, failure.Name)
		require.Equal(t, codes.PermissionDenied, status.Code(err))
		require.Contains(t, failure.Message, "Trino says: Access Denied")
	}
	_, err = runAs(t, e, "admin", question, scope)
	require.Equal(t, trino.ReasonImpersonation, fault.ReasonOf(err), "the rules do not let svc_agent be admin")

	count := meta.CountRows(catalog.Name{Region: "tpch", Schema: "tiny", Table: "customer"})
	for who, want := range map[string]bool{"": true, "bob": false} {
		got, err := e.Metadata(t.Context(), run.Principal{ID: who}, count, warehouse.Options{})
		require.NoError(t, err)
		require.Equal(t, want, all(t, got)[0][0] == int64(1500), "the product's own statements are for somebody, or for itself")
	}
}

func TestWrongPassword(t *testing.T) {
	t.Parallel()
	c := trinotest.Secure(t, "tpch")
	c.User = "nobody"
	_, err := runAs(t, open(t, trino.Config{Connection: c}), "alice", "select 1", resolve.Scope{})
	require.Equal(t, trino.ReasonLogin, fault.ReasonOf(err))
	require.Contains(t, fault.OperatorText(err), c.PasswordFile)
	c = trinotest.Secure(t, "tpch")
	c.CAFile = ""
	_, err = runAs(t, open(t, trino.Config{Connection: c}), "alice", "select 1", resolve.Scope{})
	require.Equal(t, trino.ReasonCertificate, fault.ReasonOf(err))
}

// ended returns how a statement with a tag ended on the server, and when; empty
// while it runs.
func ended(t *testing.T, tag string) (how string, at time.Time) {
	t.Helper()
	text, _ := trinotest.Value(t, `select state || ' ' || coalesce(error_code, '') || ' ' || format_datetime("end", 'yyyy-MM-dd''T''HH:mm:ss.SSSZZ')
		from system.runtime.queries where query like '%`+tag+`%' and query not like '%runtime%' and "end" is not null`)
	how, when, _ := strings.Cut(text, " 2")
	if text == "" {
		return "", at
	}
	at, err := time.Parse("2006-01-02T15:04:05.000-07:00", "2"+when)
	require.NoError(t, err, text)
	return how, at
}

// long runs for minutes. The tag is in its text, so that it can be found.
func long(tag string) string {
	return "select count(*) as " + tag + " from unnest(sequence(1, 10000)) a(x) cross join unnest(sequence(1, 10000)) b(y) cross join unnest(sequence(1, 10000)) c(z) where (a.x * b.y * c.z) % 7 = 3"
}

// TestEndsOnTheServer checks the server's own list of statements, for somebody who
// may only run them.
func TestEndsOnTheServer(t *testing.T) {
	t.Parallel()
	e := open(t, trino.Config{Connection: trinotest.Secure(t, "tpch")})
	for name, tc := range map[string]struct {
		sql func(tag string) string
		end func(rows func(func(warehouse.Progress)) (warehouse.Rows, error), cancel func())
	}{
		"cancelled while it runs": {long, func(rows func(func(warehouse.Progress)) (warehouse.Rows, error), cancel func()) {
			_, err := rows(func(p warehouse.Progress) {
				if p.State == "running" { // before, the server may not have it in its list yet
					cancel()
				}
			})
			require.Equal(t, codes.Canceled, status.Code(err))
		}},
		"closed half read": {
			func(tag string) string {
				return "select " + tag + ".x from unnest(sequence(1, 10000)) " + tag + "(x) cross join unnest(sequence(1, 10000)) b(y)"
			},
			func(rows func(func(warehouse.Progress)) (warehouse.Rows, error), _ func()) {
				r, err := rows(nil)
				require.NoError(t, err)
				_, err = r.Next(t.Context(), 5)
				require.NoError(t, err)
				require.NoError(t, r.Close())
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tag := fmt.Sprintf("t%d", time.Now().UnixNano())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tc.end(func(progress func(warehouse.Progress)) (warehouse.Rows, error) {
				return e.Query(ctx, run.Principal{ID: "bob"}, approve(t, "bob", tc.sql(tag), resolve.Scope{}), warehouse.Options{Progress: progress})
			}, cancel)
			returned := time.Now()
			var how string
			var at time.Time
			require.Eventually(t, func() bool {
				how, at = ended(t, tag)
				return how != ""
			}, time.Minute, 10*time.Millisecond)
			require.Equal(t, "FAILED USER_CANCELED", how)
			require.Less(t, at.Sub(returned), time.Second)
			t.Logf("ended on the server %s after the caller had its answer", at.Sub(returned))
		})
	}
}

// TestServerLimit lets the server end a statement at its own limit.
func TestServerLimit(t *testing.T) {
	t.Parallel()
	c := trinotest.Plain(t, "tpch")
	c.Session = map[string]string{"query_max_run_time": "300ms"}
	_, err := runAs(t, open(t, trino.Config{Connection: c}), "someone", long("x"), resolve.Scope{})
	var failure *warehouse.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, warehouse.NameTimeLimit, failure.Name)
	require.Equal(t, codes.DeadlineExceeded, status.Code(err))
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var seen []warehouse.Progress
	rows, err := plain(t).Query(t.Context(), someone(), approve(t, "someone", "select count(*) from unnest(sequence(1, 10000)) a(x) cross join unnest(sequence(1, 3000)) b(y) where (a.x * b.y) % 7 = 3", resolve.Scope{}),
		warehouse.Options{Progress: func(p warehouse.Progress) { seen = append(seen, p) }})
	require.NoError(t, err)
	require.Len(t, all(t, rows), 1)
	require.Equal(t, "queued", seen[0].State)
	require.Equal(t, warehouse.Progress{Fraction: 1, Rows: 1, Elapsed: seen[len(seen)-1].Elapsed, State: "finished"}, seen[len(seen)-1])
	for i, p := range seen {
		require.LessOrEqual(t, p.Fraction, 1.0)
		require.True(t, i == 0 || p.Elapsed >= seen[i-1].Elapsed)
	}
	require.NotZero(t, rows.Stats().Elapsed)
}

// TestStatementErrors are what only the server finds, through a region of another
// name than the catalog: names and places are those of the statement that was
// approved.
func TestStatementErrors(t *testing.T) {
	t.Parallel()
	c := trinotest.Plain(t)
	c.Regions = map[string]source.TrinoPlace{"a_region_with_a_long_name": {Catalog: "tpch"}, "short": {Catalog: "tpch", SchemaPrefix: "ti"}}
	e := open(t, trino.Config{Connection: c, DefaultRegion: "short", DefaultSchema: "ny"})
	for _, tc := range []struct {
		sql, name    string
		line, column int
	}{
		{"select name, nope from a_region_with_a_long_name.tiny.nation", "COLUMN_NOT_FOUND", 1, 14},
		{"select name from a_region_with_a_long_name.tiny.nation where nope = 1", "COLUMN_NOT_FOUND", 1, 62},
		{"select n.name,\n  a.nope\nfrom a_region_with_a_long_name.tiny.nation a,\n  a_region_with_a_long_name.tiny.nation n where n.nope > 1", "COLUMN_NOT_FOUND", 4, 49},
		{"select count(*) from a_region_with_a_long_name.tiny.nation n join a_region_with_a_long_name.tiny.nation m on n.nationkey = m.nope", "COLUMN_NOT_FOUND", 1, 124},
		{"select name from a_region_with_a_long_name.tiny.nation where '中文' = name and nope = 1", "COLUMN_NOT_FOUND", 1, 78},
		{"select * from a_region_with_a_long_name.tiny.gone", "TABLE_NOT_FOUND", 1, 15},
		{"select a_region_with_a_long_name.tiny.nation.nope from a_region_with_a_long_name.tiny.nation", "COLUMN_NOT_FOUND", 1, 8},
		{"select cast(name as bigint) from a_region_with_a_long_name.tiny.nation", "INVALID_CAST_ARGUMENT", 0, 0},
		{"select 1 / (nationkey - nationkey) from a_region_with_a_long_name.tiny.nation", "DIVISION_BY_ZERO", 0, 0},
	} {
		t.Run(tc.sql, func(t *testing.T) {
			t.Parallel()
			scope := tables("a_region_with_a_long_name", "tiny")
			_, err := runAs(t, e, "someone", tc.sql, scope)
			var failure *warehouse.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, tc.name, failure.Name, failure.Message)
			require.Equal(t, [2]int{tc.line, tc.column}, [2]int{failure.Line, failure.Column}, failure.Message)
			_, err = e.Explain(t.Context(), someone(), approve(t, "someone", tc.sql, scope))
			if tc.line > 0 { // the others show when it runs
				require.ErrorAs(t, err, &failure)
				require.Equal(t, [2]int{tc.line, tc.column}, [2]int{failure.Line, failure.Column}, "behind EXPLAIN")
			}
		})
	}
}

// TestRegions reads one table by all the ways of naming it.
func TestRegions(t *testing.T) {
	t.Parallel()
	c := trinotest.Plain(t)
	c.Regions = map[string]source.TrinoPlace{"SG": {Catalog: "tpch"}, "half": {Catalog: "tpch", SchemaPrefix: "ti"}}
	for region, schema := range map[string]string{"sg": "tiny", "half": "ny"} {
		e := open(t, trino.Config{Connection: c, DefaultRegion: region, DefaultSchema: schema})
		full := region + "." + schema + ".nation"
		for _, sql := range []string{
			"select count(*) from nation",
			"select count(*) from " + schema + ".nation",
			"select count(*) from " + full,
			"select count(*) from " + strings.ToUpper(full),
			`select count(*) from "` + region + `"."` + schema + `"."nation"`,
			"select count(" + full + ".name) from " + full,
			"select count(" + schema + ".nation.name) from " + full,
			"select count(nation.name) from " + full + " where " + full + ".nationkey >= 0 group by " + full + ".regionkey * 0",
			"select count(*) from (select " + full + ".* from " + full + ")",
			"with nation as (select * from " + full + ") select count(*) from nation",
			"with c as (select nationkey from nation) select count(*) from c where exists (select 1 from " + full + " x where x.nationkey = c.nationkey)",
			"select count(*) from nation -- of " + full + "\n/* " + full + " */ where '" + full + "' is not null",
			"select count(*) as \"" + full + "\" from nation",
			"select sum(n) from (select count(*) n from " + full + " where nationkey < 5 union all select count(*) from nation where nationkey >= 5)",
		} {
			// a column that only the product's catalog has must not be asked for by a star
			rows, err := runAs(t, e, "someone", sql, tables(region, schema))
			require.NoError(t, err, sql)
			require.Equal(t, [][]any{{int64(25)}}, rows, sql)
		}
		rows, err := e.Metadata(t.Context(), run.Principal{}, meta.CountRows(catalog.Name{Region: region, Schema: schema, Table: "nation"}), warehouse.Options{})
		require.NoError(t, err)
		require.Equal(t, [][]any{{int64(25)}}, all(t, rows))
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	c := trinotest.Plain(t)
	c.Regions = map[string]source.TrinoPlace{"sg": {Catalog: "tpch"}}
	e := open(t, trino.Config{Connection: c, DefaultRegion: "sg", DefaultSchema: "tiny"})
	plan, err := e.Explain(t.Context(), someone(), approve(t, "someone",
		"select o.orderkey from orders o join customer c on c.custkey = o.orderkey where orderdate >= date '1995-03-01' and orderdate < date '1995-04-01' and orderstatus in ('F', 'O')", tables("sg", "tiny")))
	require.NoError(t, err)
	require.Len(t, plan.Scans, 2)
	byName := map[string]warehouse.Scan{}
	for _, scan := range plan.Scans {
		byName[scan.Table] = scan
	}
	orders, customer := byName["sg.tiny.orders"], byName["sg.tiny.customer"]
	require.InDelta(t, 1500, customer.Rows, 0)
	require.Positive(t, customer.Bytes)
	require.Empty(t, customer.Constraints)
	constraints := map[string]warehouse.Constraint{}
	for _, c := range orders.Constraints {
		constraints[c.Column] = c
	}
	exactly := func(v string) warehouse.Range {
		b := warehouse.Bound{Value: v, Bounded: true, Inclusive: true}
		return warehouse.Range{Low: b, High: b}
	}
	require.Equal(t, warehouse.Constraint{Column: "orderstatus", Type: "varchar(1)", Ranges: []warehouse.Range{exactly("F"), exactly("O")}}, constraints["orderstatus"])
	require.Equal(t, "date", constraints["orderdate"].Type)
	require.Equal(t, "1995-03-01", constraints["orderdate"].Ranges[0].Low.Value)
	require.NotEmpty(t, plan.Text)
}
