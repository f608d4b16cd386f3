package duckdb_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// FuzzTranspile: what parses is refused by name, or becomes SQL within the bounds
// that DuckDB parses.
func FuzzTranspile(f *testing.F) {
	for _, seed := range []string{
		"select 1 + 2.5, -7 / 2, 1e0 % 3, cast('1' as decimal(5,2)), try_cast('x' as date), try(1 / 0)",
		"select date_trunc('month', timestamp '2024-02-29 01:02:03'), date '2024-01-31' + interval '1' month, extract(year from date '2024-01-01')",
		"select timestamp '2024-01-01 12:00:00 UTC' at time zone 'Asia/Tokyo', from_unixtime(0), current_timestamp, localtime",
		"select regexp_replace('abc', '(b)', '[$1]'), 'a%' like 'a#%' escape '#', format('%5.2f', 1.5e0), json_object('a': 1)",
		"select cast(row(1, 'x') as row(a integer, b varchar)).a, map(array['k'], array[1])['k'], transform(array[1, 2], x -> x + 1)[1]",
		"with recursive t(n) as (select 1 union all select n + 1 from t where n < 3) select n, sum(n) over (order by n) from t group by grouping sets ((n), ())",
		"select case x when 1e0 then 'a' else null end, x between 1 and nan(), greatest(x, 2), nullif(x, 0) from (values 1e0, null) t(x) where x in (1, 2)",
		"select u.a, u.b from unnest(array[1, 2], array['a']) u(a, b) cross join lateral (select 1) fetch first 1 row with ties",
	} {
		f.Add(seed)
	}
	db, err := sql.Open("duckdb", "")
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, db.Close()) })
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		stmt, err := parser.Parse(text)
		if err != nil || stmt.Query == nil || namesWindows(stmt) {
			return
		}
		written, err := transpile.Transpile(stmt)
		var unsupported *transpile.NotSupported
		var large *transpile.TooLarge
		if err != nil {
			require.True(t, errors.As(err, &unsupported) || errors.As(err, &large), "%v", err)
			return
		}
		require.LessOrEqual(t, len(written), transpile.MaxOutput)
		var answer string
		require.NoError(t, db.QueryRow("SELECT CAST(json_serialize_sql(CAST($1 AS VARCHAR)) AS VARCHAR)", written).Scan(&answer), written)
		var parsed struct {
			Error   bool   `json:"error"`
			Message string `json:"error_message"`
		}
		require.NoError(t, json.Unmarshal([]byte(answer), &parsed))
		require.False(t, parsed.Error, "%s\n%s", parsed.Message, written)
	})
}

// namesWindows reports a window that is named and not there, or there twice: the
// resolver refuses it before anything is translated.
func namesWindows(stmt *tree.Statement) bool {
	_, mistakes := resolve.Resolve(stmt, resolve.Scope{})
	return slices.ContainsFunc(mistakes, func(d resolve.Diagnostic) bool {
		return d.Code == resolve.InvalidWindowReference || d.Code == resolve.DuplicateWindowName
	})
}
