package duckdb_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
)

// forms wrap an expression of their type in one more; @ is where it goes.
func forms() map[string][]string {
	return map[string][]string{
		"text": {
			"cast(cast(@ as integer) as varchar(9))", "substr(@, 1)", "substr(@, 1, 5)", "split_part(@, ',', 1)", "substring(@ from 1 for 4)",
			"regexp_extract(@, '[0-9]+')", "greatest(@, '1')", "nullif(@, 'x')", "trim(@)", "coalesce(@, '1')", "@ || 'a'", "concat(@, 'a', 'b')",
			"json_extract_scalar(@, '$.a')", "case @ when '1' then '2' else '3' end", "lpad(@, 5, '0')", "replace(@, 'a', 'bc')", "try_cast(try_cast(@ as date) as varchar(10))",
		},
		"integer": {
			"greatest(@, 2)", "least(1, @, 3)", "nullif(@, 7)", "(7 / @)", "(7 % @)", "(@ / (@ + 0))", "mod(9, @)", "cast(cast(@ as varchar(20)) as integer)",
			"date_diff('month', date_add('day', @, date '2024-01-01'), date '2024-05-05')", "case @ when 1 then 2 when 3 then 4 else 5 end", "abs(@)", "if(@ > 1, 2, 3)",
			"cast(sqrt(@) as integer)", "cast(ln(@) as integer)", "cast((decimal '1.5' / @) as integer)", "sequence(1, @)[1]", "try(1 / @)",
		},
	}
}

// TestOutputIsLinear is the property that keeps a short statement from becoming a
// long one: what is written is at most MaxGrowth times the statement, or refused.
func TestOutputIsLinear(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	written := 0
	for range 150 {
		kind, x := "integer", "1"
		if random.IntN(2) == 0 {
			kind, x = "text", "'1'"
		}
		all := forms()[kind]
		for range 1 + random.IntN(20) {
			form := all[random.IntN(len(all))]
			if len(x) > 1_000 { // a form that names it twice makes the statement itself long
				break
			}
			x = strings.ReplaceAll(form, "@", x)
		}
		text := "SELECT " + x
		stmt, err := parser.Parse(text)
		require.NoError(t, err, text)
		out, err := transpile.Transpile(stmt)
		if err != nil {
			var unsupported *transpile.NotSupported
			var large *transpile.TooLarge
			require.True(t, errors.As(err, &unsupported) || errors.As(err, &large), "%v", err)
			continue
		}
		written++
		require.LessOrEqual(t, len(out), 12*len(text)+1000, text)
	}
	require.Greater(t, written, 75, "most of the expressions are written")
}

// TestEveryFormIsLinear nests each form in itself: the step from one level to the
// next is always the same.
func TestEveryFormIsLinear(t *testing.T) {
	t.Parallel()
	size := func(form, leaf string, levels int) int {
		x := leaf
		for range levels {
			x = strings.ReplaceAll(form, "@", x)
		}
		stmt, err := parser.Parse("SELECT " + x)
		require.NoError(t, err)
		out, err := transpile.Transpile(stmt)
		var unsupported *transpile.NotSupported
		if errors.As(err, &unsupported) {
			return 0
		}
		require.NoError(t, err, x)
		return len(out)
	}
	grown := 0 // forms that this dialect has, and that hold their argument
	for kind, all := range forms() {
		leaf := map[string]string{"text": "'1'", "integer": "1"}[kind]
		for _, form := range all {
			if strings.Count(form, "@") > 1 {
				continue
			}
			first := size(form, leaf, 4) - size(form, leaf, 3)
			require.LessOrEqual(t, size(form, leaf, 10)-size(form, leaf, 9), first+20, form)
			if first > 0 {
				grown++
			}
		}
	}
	require.Greater(t, grown, 20)
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	for form, leaf := range map[string]string{
		"cast(cast(@ as integer) as varchar(9))":                      "'1'",
		"greatest(@, 1)":                                              "1",
		"case @ when 1 then 2 when 3 then 4 else 5 end":               "1",
		"(select avg(x) filter (where x > @) from (values 1.5) t(x))": "1.5",
	} {
		x := leaf
		for range 120 {
			x = strings.ReplaceAll(form, "@", x)
		}
		stmt, err := parser.Parse("SELECT " + x)
		require.NoError(t, err)
		_, err = transpile.Transpile(stmt)
		require.Error(t, err, form)
	}
}
