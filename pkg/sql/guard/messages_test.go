package guard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// TestRefusalsOnTheWire: the status of a refusal has its code, its words and, where
// there are any, its place and what may have been meant.
func TestRefusalsOnTheWire(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]codes.Code{
		guard.CodeReadOnly: codes.FailedPrecondition, guard.CodeNotQuery: codes.FailedPrecondition, guard.CodeFunctionDenied: codes.FailedPrecondition,
		guard.CodeSystemTable: codes.FailedPrecondition, guard.CodeTableFunction: codes.FailedPrecondition, guard.CodeTableVersion: codes.FailedPrecondition,
		guard.CodePartitionRequired: codes.FailedPrecondition, guard.CodePolicyBroken: codes.FailedPrecondition, guard.CodePolicyNotApplicable: codes.FailedPrecondition,
		guard.CodeAnswerTooLong: codes.FailedPrecondition, guard.CodeTooComplex: codes.FailedPrecondition, string(resolve.TableNotFound): codes.NotFound,
		string(resolve.NotSupported): codes.Unimplemented, guard.CodeParameter: codes.InvalidArgument, "SYNTAX_ERROR": codes.InvalidArgument,
	} {
		for _, c := range []struct {
			refusal guard.Refusal
			text    string
			meta    map[string]string
		}{
			{guard.Refusal{Rule: "r", Message: "m"}, "m", map[string]string{"rule": "r"}},
			{guard.Refusal{Rule: "r", Message: "m", Line: 2, Column: 3}, "line 2:3: m", map[string]string{"rule": "r", "line": "2", "column": "3"}},
			{guard.Refusal{Rule: "r", Message: "m", Suggestions: []string{"a", "b"}}, "m; did you mean a, b?", map[string]string{"rule": "r", "suggestions": "a, b"}},
		} {
			c.refusal.Code = code
			require.Equal(t, c.text, c.refusal.Error())
			status := c.refusal.GRPCStatus()
			require.Equal(t, want, status.Code(), code)
			var info *errdetails.ErrorInfo
			for _, d := range status.Details() {
				if i, ok := d.(*errdetails.ErrorInfo); ok {
					info = i
				}
			}
			require.NotNil(t, info)
			require.Equal(t, code, info.GetReason())
			require.Equal(t, c.meta, info.GetMetadata())
		}
	}
}

// shelf is a small warehouse with a view, comments and a second region.
func shelf() []catalog.Table {
	name := func(region, schema, table string) catalog.Name {
		return catalog.Name{Region: region, Schema: schema, Table: table}
	}
	return []catalog.Table{
		{Name: name("sg", "a_b", "orders"), RowCount: 20, Description: "it's orders", Columns: []catalog.Column{
			{Name: "id", Type: "bigint", NotNull: true, Distinct: 20}, {Name: "Day", Type: "date", Comment: "of 'sale'", Partition: true, Distinct: 4}}},
		{Name: name("sg", "axb", "v"), Kind: catalog.KindView, RowCount: -1, Columns: []catalog.Column{{Name: "x", Type: "varchar"}}},
		{Name: name("us", "far", "away"), RowCount: 0, Columns: []catalog.Column{{Name: "y", Type: "double"}}},
	}
}

// TestAnswersAsWritten: what SHOW, DESCRIBE and information_schema are answered with, as
// the text that runs.
func TestAnswersAsWritten(t *testing.T) {
	t.Parallel()
	g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: [{views: allow}]"), Directory: &listing{tables: shelf()}, Stored: resolve.NewTables(shelf())})
	scope := resolve.Scope{Catalog: resolve.NewTables(shelf()), DefaultRegion: "SG", DefaultSchema: "A_B"}
	for sql, want := range map[string]string{
		"show catalogs":                       `VALUES CAST('sg' AS varchar), 'us') AS answer ("Catalog")`,
		"show schemas":                        `VALUES CAST('a_b' AS varchar), 'axb', 'information_schema') AS answer ("Schema")`,
		"show schemas from us":                `VALUES CAST('far' AS varchar), 'information_schema') AS answer ("Schema")`,
		"show schemas from nowhere":           `VALUES CAST(NULL AS varchar)) AS answer ("Schema") WHERE FALSE`,
		`show schemas like 'a\_b' escape '\'`: `WHERE Schema LIKE 'a\_b' ESCAPE '\'`,
		"show schemas like 'a_b'":             `WHERE Schema LIKE 'a_b'`,
		"show tables":                         `VALUES CAST('orders' AS varchar)) AS answer ("Table")`,
		"show tables from axb":                `VALUES CAST('v' AS varchar))`,
		"show tables from us.far":             `VALUES CAST('away' AS varchar))`,
		"show tables from far":                `VALUES CAST(NULL AS varchar)) AS answer ("Table") WHERE FALSE`,
		"describe orders":                     `VALUES (CAST('id' AS varchar), CAST('bigint' AS varchar), CAST('' AS varchar), CAST('' AS varchar)), ('Day', 'date', 'partition key', 'of ''sale''')) AS answer ("Column", "Type", "Extra", "Comment")`,
		"describe axb.v":                      `CAST('x' AS varchar)`,
		"describe us.far.away":                `CAST('y' AS varchar)`,
		"show stats for orders":               `VALUES (CAST('id' AS varchar), CAST(NULL AS double), CAST(2e+01 AS double), CAST(NULL AS double), CAST(NULL AS double), CAST(NULL AS varchar), CAST(NULL AS varchar)), ('Day', NULL, 4e+00, NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL, 2e+01, NULL, NULL)) AS answer (column_name, data_size, distinct_values_count, nulls_fraction, row_count, low_value, high_value)`,
		"show create table orders":            "'CREATE TABLE sg.a_b.orders (\n   id bigint NOT NULL,\n   Day date COMMENT ''of ''''sale''''''\n)\nCOMMENT ''it''''s orders'''",
		"select table_name, table_type from information_schema.tables where table_schema = 'axb'":                 `(VALUES (CAST('sg' AS varchar), CAST('axb' AS varchar), CAST('v' AS varchar), CAST('VIEW' AS varchar)))`,
		"select table_name from information_schema.tables where table_name = 'orders'":                            `(VALUES (CAST('sg' AS varchar), CAST('a_b' AS varchar), CAST('orders' AS varchar), CAST('BASE TABLE' AS varchar)))`,
		"select table_name from information_schema.views":                                                         `(VALUES (CAST('sg' AS varchar), CAST('axb' AS varchar), CAST('v' AS varchar), CAST(NULL AS varchar)))`,
		"select schema_name from us.information_schema.schemata":                                                  `(VALUES (CAST('us' AS varchar), CAST('far' AS varchar)), ('us', 'information_schema'))`,
		"select column_name from information_schema.columns where table_name = 'orders' and table_schema = 'a_b'": `CAST('id' AS varchar), CAST(1 AS bigint), CAST(NULL AS varchar), CAST('NO' AS varchar), CAST('bigint' AS varchar)), ('sg', 'a_b', 'orders', 'Day', 2, NULL, 'YES', 'date'))`,
		"select table_name from nowhere.information_schema.tables":                                                `WHERE FALSE`,
		"explain (type validate) select id from orders":                                                           `VALUES CAST(TRUE AS boolean)) AS answer ("Valid")`,
		"explain (type validate, format text) select id from orders":                                              `"Valid"`,
	} {
		approved, err := g.Approve(t.Context(), alice(), sql, scope)
		require.NoError(t, err, sql)
		if !strings.Contains(approved.SQL(), want) {
			t.Errorf("%s: %s", sql, approved.SQL())
		}
	}
	ruleOf := map[string]string{
		guard.CodeNotQuery: "read_only", guard.CodeReadOnly: "read_only", guard.CodeTableFunction: "table_functions", guard.CodeSystemTable: "system_tables",
		string(resolve.TableNotFound): "resolve", string(resolve.SchemaNotFound): "resolve",
	}
	for sql, want := range map[string]string{
		"select * from information_schema.roles":                      guard.CodeSystemTable,
		"select * from information_schema.a.tables":                   string(resolve.TableNotFound),
		"select * from sg.pg_temp.tables":                             guard.CodeSystemTable,
		"select * from sg.pg_catalog.tables":                          guard.CodeSystemTable,
		"select * from system.information_schema.tables":              guard.CodeSystemTable,
		"select * from table(system.sequence(1, 5))":                  guard.CodeTableFunction,
		"explain select id from orders":                               guard.CodeNotQuery,
		"explain (format text) select id from orders":                 guard.CodeNotQuery,
		"explain (type validate, type logical) select id from orders": guard.CodeNotQuery,
		"explain (type validate) show tables":                         guard.CodeNotQuery,
		"explain (type validate) delete from orders":                  guard.CodeReadOnly,
		"explain analyze select id from orders":                       guard.CodeReadOnly,
		"show stats for axb.v":                                        guard.CodeNotQuery,
		"describe none":                                               string(resolve.TableNotFound),
		"describe a.b.c.d":                                            string(resolve.TableNotFound),
		"describe axb.orders":                                         string(resolve.TableNotFound),
		"select * from table(sequence(-500001, 0))":                   guard.CodeTableFunction,
		"select * from table(sequence(0, 500001))":                    guard.CodeTableFunction,
	} {
		_, err := g.Approve(t.Context(), alice(), sql, scope)
		var refusal *guard.Refusal
		require.ErrorAs(t, err, &refusal, sql)
		require.Equal(t, want, refusal.Code, sql)
		if !strings.HasPrefix(sql, "show stats") {
			require.Equal(t, ruleOf[want], refusal.Rule, sql)
		}
		require.Positive(t, refusal.Line, sql)
		require.Positive(t, refusal.Column, sql)
	}
	_, err := g.Approve(t.Context(), alice(), "select * from table(sequence(-500000, 500000))", scope)
	require.NoError(t, err)
	_, err = g.Approve(t.Context(), alice(), "explain analyze select 1", scope)
	require.ErrorContains(t, err, "runs its statement")
}

// TestChangesInWords: what a policy leaves out or replaces is told once for a table,
// with the column, the reason, and the place.
func TestChangesInWords(t *testing.T) {
	t.Parallel()
	const rules = `
rules:
  - {name: own, table: orders, filter: id > 1, purpose: own orders, columns: [{name: day, mask: "current_date", purpose: a day}]}
  - {name: far, table: away, columns: [{name: y, mask: "0e0"}]}
  - {name: broken, table: v, views: allow, filter: gone = 1}
`
	g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, rules), Stored: resolve.NewTables(shelf())})
	scope := resolve.Scope{Catalog: resolve.NewTables(shelf()), DefaultRegion: "sg", DefaultSchema: "a_b"}
	approved, err := g.Approve(t.Context(), alice(), "select a.id, b.day, c.y\nfrom orders a, orders b, us.far.away c limit 3", scope)
	require.NoError(t, err)
	name := shelf()[0].Name
	require.Equal(t, []guard.Change{
		{Rule: guard.RuleRowFilter, Message: "only rows of sg.a_b.orders that you may read: own orders", Table: name, Purpose: "own orders", Line: 2, Column: 6},
		{Rule: guard.RuleMask, Message: "values of sg.a_b.orders.Day are replaced: a day", Table: name, Field: "Day", Purpose: "a day", Line: 2, Column: 6},
		{Rule: guard.RuleMask, Message: "values of us.far.away.y are replaced, by the access policy", Table: shelf()[2].Name, Field: "y", Line: 2, Column: 26},
	}, approved.Changes())
	var refusal *guard.Refusal
	_, err = g.Approve(t.Context(), alice(), "select\n x from axb.v", scope)
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, []any{"policy", guard.CodePolicyBroken, 2, 9}, []any{refusal.Rule, refusal.Code, refusal.Line, refusal.Column})
	require.ErrorContains(t, err, "sg.axb.v")

	hidden := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: [{columns: [{name: day, access: deny, if_present: true}]}]"), Stored: resolve.NewTables(shelf())})
	approved, err = hidden.Approve(t.Context(), alice(), "select id from orders limit 1", scope)
	require.NoError(t, err)
	require.Equal(t, []guard.Change{{Rule: guard.RuleColumns, Message: "only columns of sg.a_b.orders that you may read, by the access policy", Table: name, Line: 1, Column: 16}}, approved.Changes())
	approved, err = hidden.Approve(t.Context(), alice(), "select y from us.far.away limit 1", scope)
	require.NoError(t, err)
	require.Empty(t, approved.Changes(), "of a table that has none of them nothing is hidden")
}

// TestLimitsByDefault: without a configuration a statement gets a limit of 1,000 rows at
// first, and 10,000 at most.
func TestLimitsByDefault(t *testing.T) {
	t.Parallel()
	g := guard.New(guard.Config{})
	scope := resolve.Scope{Catalog: resolve.NewTables(shelf()), DefaultRegion: "sg", DefaultSchema: "a_b"}
	for sql, want := range map[string]int64{"select id from orders": 1_000, "select id from orders limit 10000": 10_000, "select id from orders limit 10001": 10_000, "select id from orders limit 7": 7, "select id from orders fetch first row only": 1, "select id from orders order by id fetch first row with ties": 1, "select id from orders order by id fetch first 5 rows with ties": 5, "select id from orders order by id fetch first 10001 rows with ties": 10_000, "select count(*) from orders": 1} {
		approved, err := g.Approve(t.Context(), alice(), sql, scope)
		require.NoError(t, err, sql)
		require.Equal(t, want, approved.RowLimit(), sql)
	}
	small := guard.New(guard.Config{MaxLimit: 50})
	for sql, want := range map[string]string{
		"select id from orders":                                           "added LIMIT 50",
		"select id from orders limit 51":                                  "lowered LIMIT 51 to 50",
		"select id from orders limit all":                                 "lowered LIMIT ALL to 50",
		"select id from orders fetch first 60 rows only":                  "lowered LIMIT 60 to 50",
		"select id from orders order by id fetch first row with ties":     "",
		"select id from orders order by id fetch first 60 rows with ties": "lowered LIMIT 60 to 50",
		"select id from orders fetch first row only":                      "",
		"select count(*) from orders":                                     "",
		"select count(*), id from orders group by id":                     "added LIMIT 50",
		"select 1":                            "",
		"select 1 union all select 2":         "added LIMIT 50",
		"select count(*) over () from orders": "added LIMIT 50",
		"select upper('a') from orders":       "added LIMIT 50",
	} {
		approved, err := small.Approve(t.Context(), alice(), sql, scope)
		require.NoError(t, err, sql)
		var said []string
		for _, c := range approved.Changes() {
			require.Equal(t, guard.RuleLimit, c.Rule)
			said = append(said, c.Message)
		}
		require.Equal(t, want, strings.Join(said, "; "), sql)
	}
}

// TestTableFunctionsByTheirOwnNames: a function that is let pass is the built-in one; of the
// same name in a schema or a catalog it is somebody's own.
func TestTableFunctionsByTheirOwnNames(t *testing.T) {
	t.Parallel()
	g := guard.New(guard.Config{})
	scope := resolve.Scope{Catalog: resolve.NewTables(shelf()), DefaultRegion: "sg", DefaultSchema: "a_b"}
	for from, refused := range map[string]bool{
		"TABLE(sequence(1, 5))": false, "TABLE(SEQUENCE(start => 1, stop => 5))": false, "TABLE(exclude_columns(input => TABLE(orders), columns => DESCRIPTOR(id)))": false,
		"TABLE(builtin.sequence(1, 5))": true, "TABLE(system.builtin.sequence(1, 5))": true, "TABLE(my.own.exclude_columns(input => TABLE(orders), columns => DESCRIPTOR(id)))": true,
		"TABLE(query(query => 'SELECT 1'))": true, "TABLE(system.query(query => 'SELECT 1'))": true, "TABLE(sequence(1, 500001))": true, "TABLE(sequence(-500001, 5))": true,
		"TABLE(sequence(1, 2 + 3))": true, "TABLE(sequence(start => 1, stop => (SELECT max(id) FROM orders)))": true,
	} {
		_, err := g.Approve(t.Context(), alice(), "SELECT 1 AS one FROM "+from, scope)
		var refusal *guard.Refusal
		got := errors.As(err, &refusal) && refusal.Code == guard.CodeTableFunction
		require.Equal(t, refused, got, "%s: %v", from, err)
	}
}
