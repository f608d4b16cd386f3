package trino_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
)

func TestWhatIsNotTouchedStays(t *testing.T) {
	t.Parallel()
	res, err := trino.From(trino.DialectMySQL, "SELECT  `name`, /* keep */ IFNULL( comment , 'x')\n\tFROM nation -- end\n WHERE  1=1", trino.Options{})
	require.NoError(t, err)
	require.Equal(t, "SELECT  \"name\", /* keep */ coalesce( comment , 'x')\n\tFROM nation -- end\n WHERE  1=1", res.Text)
	require.NoError(t, res.Unread)
	require.NotNil(t, res.Statement)
}

func TestChangesHaveTheirPlaceInTheOriginal(t *testing.T) {
	t.Parallel()
	sql := "SELECT `name`,\n  ifnull(nvl(comment, 'é'), '')::text\nFROM nation WHERE nationkey = '3' LIMIT 1, 2"
	res, err := trino.From(trino.DialectUnknown, sql, trino.Options{Scope: tpchScope()})
	require.NoError(t, err)
	require.Equal(t, "SELECT \"name\",\n  CAST(coalesce(coalesce(comment, 'é'), '') AS varchar)\nFROM nation WHERE nationkey = 3 OFFSET 1 LIMIT 2", res.Text)
	rules := map[string]string{}
	for _, c := range res.Changes {
		require.Equal(t, c.Before, sql[c.Start:c.End], c.Rule)
		rules[c.Rule] = c.After
		line := strings.Count(sql[:c.Start], "\n") + 1
		require.Equal(t, line, c.Line, c.Rule)
	}
	require.Equal(t, "3", rules["compare"])
	require.Equal(t, "OFFSET 1 LIMIT 2", rules["limit_offset"])
	at := strings.Index(res.Text, "'é'")
	require.Equal(t, strings.Index(sql, "'é'"), res.Origin(at))
}

func TestWithoutEquivalent(t *testing.T) {
	t.Parallel()
	_, err := trino.From(trino.DialectDuckDB, "SELECT 1,\n {'a': 1}", trino.Options{})
	var no *trino.NotSupported
	require.ErrorAs(t, err, &no)
	require.Equal(t, trino.NotSupported{Construct: "a literal in braces", Line: 2, Column: 2}, *no)
	require.Equal(t, codes.Unimplemented, status.Code(err))
	require.Equal(t, "NOT_SUPPORTED", fault.ReasonOf(err))

	_, err = trino.From(trino.DialectBigQuery, "SELECT * EXCEPT (a) FROM t", trino.Options{})
	require.ErrorContains(t, err, "tables are not known")
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	res, err := trino.From(trino.DialectMySQL, "SELECT FROM WHERE `a", trino.Options{})
	require.NoError(t, err)
	require.Error(t, res.Unread)
	require.Nil(t, res.Statement)
	_, err = trino.From(trino.DialectMySQL, "SELECT "+strings.Repeat("(", 5000), trino.Options{})
	require.Equal(t, "STATEMENT_TOO_DEEP", fault.ReasonOf(err))
	_, err = trino.From(trino.DialectMySQL, strings.Repeat("x", 2<<20), trino.Options{})
	require.Equal(t, "STATEMENT_TOO_LARGE", fault.ReasonOf(err))
	_, err = trino.From("cobol", "SELECT 1", trino.Options{})
	require.Error(t, err)
}

// Templates that hold an argument twice must not make a nested call grow by a
// power of its depth.
func TestNestedCallsAreBounded(t *testing.T) {
	t.Parallel()
	sql := "SELECT " + strings.Repeat("locate('a', 'b', ", 60) + "1" + strings.Repeat(")", 60)
	_, err := trino.From(trino.DialectMySQL, sql, trino.Options{})
	require.Equal(t, "STATEMENT_TOO_LARGE", fault.ReasonOf(err))
}

func TestRepair(t *testing.T) {
	t.Parallel()
	res, err := trino.From(trino.DialectUnknown, "; SELECT name, FROM nation; DROP TABLE nation", trino.Options{Repair: true})
	require.NoError(t, err)
	require.Equal(t, " SELECT name FROM nation", res.Text)
	require.Len(t, res.Changes, 3)
}

func TestValidPrestoStays(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT date_diff('day', orderdate, current_date), x -> x + 1 FROM orders",
		`SELECT transform(ARRAY[1], x -> x * 2), INTERVAL '1-2' YEAR TO MONTH, U&'\0041', "a b" FROM t -- LIMIT 1, 2`,
		"SELECT name FROM nation OFFSET 3 LIMIT 2",
		"SELECT regexp_replace(name, 'a', 'b'), repeat('a', 2), concat('a', 'b'), log(2, 8), to_char(current_timestamp, 'yyyy') FROM nation",
	} {
		res, err := trino.From(trino.DialectUnknown, sql, trino.Options{Scope: resolve.Scope{}})
		require.NoError(t, err)
		require.Equal(t, sql, res.Text)
		require.Empty(t, res.Changes)
	}
}

func TestParseDialect(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]trino.Dialect{"MySQL": trino.DialectMySQL, "postgres": trino.DialectPostgreSQL, "": trino.DialectUnknown, "sparksql": trino.DialectSpark} {
		got, err := trino.ParseDialect(name)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := trino.ParseDialect("cobol")
	require.ErrorContains(t, err, "mysql")
}
