package trino_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
)

// Whatever the text, From ends, keeps its bounds and places, and fails only as it
// says. What it gives is stable: as Presto it stays as it is, or changes once more
// by the habits that are left.
func FuzzFrom(f *testing.F) {
	names := dialectNames()
	for i, seed := range []string{
		"SELECT `a` FROM `b", "LIMIT 1,2", "((((", "a::b::c", "SELECT ifnull(ifnull(", "INTERVAL '9999999999999999999 weeks'", "; ;", "！，",
		"SELECT date_add(x, interval", "SELECT 1 ILIKE", "SELECT $$a$b$$, E'\\", "SELECT CASE WHEN", "FROM t SELECT", "SELECT * EXCEPT (", "SELECT DISTINCT ON (a",
		"SELECT a FROM t LATERAL VIEW explode(", "SELECT a QUALIFY b", "SELECT [1][", "WITH a AS (SELECT", "SELECT x->'a'->>", "GROUP BY ALL", "SELECT CAST(a AS ARRAY<",
		"SELECT a FROM t JOIN u JOIN v ON", "SELECT a /* x", "SELECT 1e", "SELECT f(DISTINCT a ORDER BY b SEPARATOR ','", "SELECT '\xff'", "SELECT lambda x: x", "SELECT strftime('%", "SELECT x IS",
	} {
		f.Add(byte(i%len(names)), seed)
	}
	f.Fuzz(func(t *testing.T, pick byte, sql string) {
		dialect := trino.Dialect(names[int(pick)%len(names)])
		if dialect == "unknown" {
			dialect = trino.DialectUnknown
		}
		res, err := trino.From(dialect, sql, trino.Options{Scope: tpchScope(), Repair: pick >= 128})
		if err != nil {
			var no *trino.NotSupported
			var unread *parser.Error
			require.True(t, errors.As(err, &no) || errors.As(err, &unread), err)
			return
		}
		require.LessOrEqual(t, len(res.Text), 8*len(sql)+(128<<10))
		require.Equal(t, res.Statement == nil, res.Unread != nil)
		for i := 0; i <= len(res.Text); i += 7 {
			at := res.Origin(i)
			require.True(t, at >= 0 && at <= len(sql))
		}
		for _, c := range res.Changes {
			require.True(t, c.Start >= 0 && c.Start <= c.End && c.End <= len(sql), c)
			require.Positive(t, c.Line)
		}
		if res.Statement != nil && strings.TrimSpace(sql) != "" {
			again, err := parser.Parse(res.Text)
			require.NoError(t, err)
			require.Equal(t, res.Statement.Kind, again.Kind)
		}
	})
}
