package parser

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHostile checks that bad input is refused, and that no more is done for it than
// its size allows. The work is counted, so that it is the same on every machine.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"parentheses":  "select " + strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000),
		"signs":        "select " + strings.Repeat("- ", 1<<18) + "1",
		"nots":         "select " + strings.Repeat("not ", 10_000) + "true",
		"cases":        "select " + strings.Repeat("case when ", 10_000),
		"joins":        "select 1 from a" + strings.Repeat(" join a", 10_000),
		"items":        "select " + strings.Repeat("1,", 1<<18) + "1",
		"operators":    "select 1" + strings.Repeat(" + 1", 100_000),
		"explains":     strings.Repeat("explain ", 10_000) + "select 1",
		"one word":     strings.Repeat("a", 1<<20),
		"too large":    strings.Repeat("a", 1<<20+1),
		"open quote":   "select '" + strings.Repeat("a", 1<<19),
		"binary":       strings.Repeat("\x01", 1<<18),
		"not UTF-8":    "select '\xff'",
		"statements":   strings.Repeat("select 1;", 1<<16),
		"brackets":     "select " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"arrays":       "select " + strings.Repeat("array[", 10_000) + "1",
		"types":        "select cast(a as " + strings.Repeat("array<", 10_000) + "int)",
		"rows":         "select cast(a as " + strings.Repeat("row(x ", 10_000) + "int)",
		"lambdas":      "select f(" + strings.Repeat("x -> ", 10_000) + "1)",
		"positions":    "select " + strings.Repeat("position(a in b and ", 400) + "1",
		"trims":        "select " + strings.Repeat("trim(leading trim(both ", 200) + "1",
		"anys":         "select " + strings.Repeat("a = any ((", 200) + "1",
		"keys":         "select " + strings.Repeat("json_object(key key(", 200) + "1",
		"froms":        "select * from " + strings.Repeat("((", 240) + "a b c",
		"dots":         "select a" + strings.Repeat(".a", 90_000) + " b c",
		"quotes":       strings.Repeat("'a''", 100_001),
		"comments":     strings.Repeat("/* ", 100_000),
		"dollars":      strings.Repeat("$$ $", 50_000),
		"mistake":      "select " + strings.Repeat("a, ", maxJudged/2-10) + ", b",
		"deep mistake": "select " + strings.Repeat("(a + f(", maxJudgedNesting/2-1) + "1 from",
		"many deep":    "select " + strings.Repeat(strings.Repeat("(", maxJudgedNesting-2)+"1"+strings.Repeat(")", maxJudgedNesting-2)+", ", 40) + "from from",
		"dollar signs": strings.Repeat("$$$ ", 50_001),
		"binaries":     strings.Repeat("x'", 50_001),
		"unicodes":     strings.Repeat("u&'", 50_001),
		"patterns":     "select * from t match_recognize (pattern (" + strings.Repeat("a (", 400) + ") define a as true)",
	} {
		var w work
		_, err := parse(text, &w)
		require.Error(t, err, name)
		words := len(lex(text, &work{}))
		require.LessOrEqual(t, w.searched, 2*len(text), name)
		require.LessOrEqual(t, w.reread, 110*words, name)
		require.LessOrEqual(t, w.judged, 80*words, name)
		require.Less(t, len(err.Error()), 500, name)
	}
}
