package parser

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// FuzzAgree holds the reader against the grammar: both read the same queries,
// where a text has nothing that the grammar lacks.
func FuzzAgree(f *testing.F) {
	for _, s := range []string{
		"select 1", "with a as (select 1 x) select * from a order by 1 limit 5", "values (1, 'a'), (2, null)", "select ((select 1) union select 2)",
		"select a.b[1].c, (x, y) -> x, count(distinct a) filter (where b) over (partition by c rows 1 preceding) from t x join u using (i)",
		"select case when a then b end, cast(a as row(b int)), interval '1' day, date 'x', x in (1, 2), y between 1 and 2 group by rollup (a), ()",
		"select json_value(a, 'lax $' null on empty), trim(both 'x' from a), position(a in b), a at time zone 'UTC'", "explain (type io) show tables from a",
		"select * from t match_recognize (pattern (a b*) define a as true)", "select all, t.* from lateral (select 1) t tablesample system (1), unnest(a) with ordinality",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		source := tree.NewSource(text)
		tokens, err := oneStatement(source, lex(text, &work{}))
		if err != nil || checkText(text) != nil || len(tokens) > 200 || bringsFunction(tokens) {
			return
		}
		if deepest, err := checkBounds(source, tokens); err != nil || deepest > maxJudgedNesting {
			return
		}
		r := newReader(source, tokens, &work{})
		s := r.statement()
		if r.peek() != kEnd {
			r.fail()
		}
		if r.beyond || mentions(tokens, tExecute, kCorresponding) {
			return
		}
		v := judge(text, tokens, &work{})
		switch {
		case !r.failed:
			require.NotNil(t, v.statement, "only the reader reads %q", text)
			require.Equal(t, s.Kind, kindOf(v.statement))
		case v.statement != nil:
			require.False(t, readsKind(kindOf(v.statement)), "only the grammar reads %q", text)
		}
	})
}

func mentions(tokens []token, kinds ...kind) bool {
	for _, t := range tokens {
		for _, k := range kinds {
			if t.kind == k {
				return true
			}
		}
	}
	return false
}

func TestLexer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]kind{
		"1 1.5 .5 1e5 1.e-5 1_000 0xFf 0b1 0o7":   {tIntegerValue, tDecimalValue, tDecimalValue, tDoubleValue, tDoubleValue, tIntegerValue, tIntegerValue, tIntegerValue, tIntegerValue},
		"1a 1_ 0xg 1_0e5 1e5x":                    {tDigitIdentifier, tDigitIdentifier, tDigitIdentifier, tDigitIdentifier, tDigitIdentifier},
		"1.5abc 1..2":                             {tDecimalValue, tIdentifier, tDecimalValue, tDecimalValue},
		"a<-1 a->b a=>b a<>b a!=b a||b a|b {- -}": {tIdentifier, tLt, tMinus, tIntegerValue, tIdentifier, tArrow, tIdentifier, tIdentifier, tDoubleArrow, tIdentifier, tIdentifier, tNeq, tIdentifier, tIdentifier, tNeq, tIdentifier, tIdentifier, tConcat, tIdentifier, tIdentifier, tVBar, tIdentifier, tLCurlyHyphen, tRCurlyHyphen},
		"'a''b' u&'x' x'0' X 'y' U":               {tString, tUnicodeString, tBinaryLiteral, tIdentifier, tString, tIdentifier},
		"\"a\"\"b\" `c` $$d$$ $ @ é":              {tQuotedIdentifier, tBackquotedIdentifier, kDollarString, tDollar, tUnrecognized, tUnrecognized},
		"a -- b\nc /* d */ e /* f":                {tIdentifier, tIdentifier, tIdentifier, tSlash, tAsterisk, tIdentifier},
		"SeLeCt auto corresponding string":        {tSelect, kAuto, kCorresponding, tTextString},
	} {
		var got []kind
		for _, token := range lex(text, &work{}) {
			got = append(got, token.kind)
		}
		require.Equal(t, append(want, kEnd), got, text)
	}
}

func TestStrayQuotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"'a'' b":   {"'a'", "'", "b"},
		"'a''b'":   {"'a''b'"},
		"'a":       {"'", "a"},
		"u&'a' u&": {"u&'a'", "u", "&"},
		"x'0":      {"x", "'", "0"},
		"X'0'":     {"X'0'"},
		"\"a":      {"\"", "a"},
	} {
		var got []string
		for _, token := range lex(text, &work{}) {
			if token.kind != kEnd {
				got = append(got, text[token.start:token.end])
			}
		}
		require.Equal(t, want, got, text)
	}
}
