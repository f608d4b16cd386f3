package presto

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Values are compared with Trino's by the conformance tests of the transpiler; this
// is about what must not happen.
func TestPathsAreBounded(t *testing.T) {
	t.Parallel()
	array := "[" + strings.Repeat("1,", 5000) + "1]"
	for _, path := range []string{
		"lax $ ? (exists($[*] ? (@ == 1)))",                 // items within items
		"strict $[*] + 1",                                   // fails, does not hang
		"lax $[" + strings.Repeat("0 to last,", 500) + "0]", // many copies
	} {
		_, err := sqlJSONQuery(array, path, WrapAlways|ErrorOnError)
		var e *Error
		require.ErrorAs(t, err, &e, path)
		require.Contains(t, []string{"NOT_SUPPORTED", "PATH_EVALUATION_ERROR"}, e.Name, path)
	}
	_, err := sqlJSONQuery(array, "lax $ ? ($[*] == 2)", WrapAlways)
	require.ErrorContains(t, err, "NOT_SUPPORTED", "no clause hides that it was too much")
}

func TestCheckJSONPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"lax $", "strict $.a.\"b c\"[0, 1 to last].size()", "lax $ ? ((@.a) > 1 && !(@.b == 2))", "lax $..a",
	} {
		require.NoError(t, CheckJSONPath(path), path)
	}
	for _, path := range []string{
		"", "$", "LAX $", "lax", "lax $.", "lax $.a.", "lax $.a == 1", "lax $ ? (@)", "lax $ ? (!@.a == 1)", "lax \"a",
		"lax $.datetime()", "lax $ ? (@ like_regex \"a\")", "lax \"a\".abs()", "lax true + 1", "lax 99999999999999999999",
		"lax -1.abs()", // 1. is a number
		"lax $[]", "lax $ #", "lax é", "lax $ ? (exists @)",
		"lax " + strings.Repeat("(", 5000), "lax $ ? " + strings.Repeat("(", 5000), "lax " + strings.Repeat("-", 5000) + "1",
		"lax $ ? " + strings.Repeat("((", 40) + "@" + strings.Repeat("))", 40),
		"lax $" + strings.Repeat(".a", 20_000),
	} {
		require.ErrorContains(t, CheckJSONPath(path), "NOT_SUPPORTED", Short(path))
	}
}

func TestJSONPathMistake(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{ // as Trino counts them
		"a.b": 0, "lax $.": 6, "lax $[": 6, "$.a": 0, "lax $.a.foo()": 11,
		"lax $": -1, "strict $.a ? (@ like_regex \"x\")": -1, "lax $.a.datetime()": -1, "lax $ ? (@.b == $x)": -1,
	} {
		at, found := JSONPathMistake(path)
		require.Equal(t, want >= 0, found, path)
		if found {
			require.Equal(t, want, at, path)
		}
	}
	require.Equal(t, []string{"a", "B"}, JSONPathVariables("lax $.x ? (@ > $a && @ < $B)"))
}

func FuzzJSONPath(f *testing.F) {
	f.Add(`{"a":[1,2.5,{"b":null}]}`, `lax $.a[*] ? (@ > 1 || exists(@.b)).type()`)
	f.Add(`[1]`, `strict -$[last - 0 to last].abs() * 2.5 % 3`)
	f.Fuzz(func(t *testing.T, input, path string) {
		for _, flags := range []int64{0, ErrorOnEmpty | ErrorOnError, WrapSome} {
			_, _ = sqlJSONQuery(input, path, flags)
			_, _ = sqlJSONValue(input, path, "decimal", [2]int64{10, 2}, flags)
		}
	})
}
