package joni

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The answers are those of a Trino server; see also the recorded ones of
// pkg/sql/transpile/duckdb.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, text string
		want          []int // nil: no match
	}{
		{`\d+`, "a12b", []int{1, 3}},
		{`(a|ab)(c|bcd)?`, "abcd", []int{0, 4, 0, 1, 1, 4}},
		{`^b`, "abc", nil},
		{`a$`, "a\n", []int{0, 1}},
		{`a$`, "a\nb", nil},
		{`(?m)a$`, "a\nb", []int{0, 1}},
		{`(?s)a.b`, "a\nb", []int{0, 3}},
		{`a.b`, "a\nb", nil},
		{`foo(?=bar)`, "foobar", []int{0, 3}},
		{`foo(?!bar)`, "foobar", nil},
		{`(?<=foo|x)bar`, "foobar", []int{3, 6}},
		{`(?<!o)bar`, "foobar", nil},
		{`(a)\1`, "aa", []int{0, 2, 0, 1}},
		{`(?<n>ab)\k<n>`, "abab", []int{0, 4, 0, 2}},
		{`a*+a`, "aaa", nil},
		{`(?>a+)ab`, "aaab", nil},
		{`a{2}`, "aaa", []int{0, 2}},
		{`a+?`, "aaa", []int{0, 1}},
		{`a{1`, "a{1", []int{0, 3}},
		{`[a-z&&[^aeiou]]`, "ab", []int{1, 2}},
		{`[^\w]`, "é", []int{0, 2}},
		{`\p{L}`, "1é", []int{1, 3}},
		{`(?i)[^a]`, "A", nil},
		{`(?i)é`, "É", []int{0, 2}},
		{`\Qa+b\E`, "a+b", []int{0, 3}},
		{`éa|\ba`, "éa", []int{0, 3}},
		{`\ba`, "éa", nil},
		{`(x)?abc`, "abc", []int{0, 3, -1, -1}},
		{``, "a", []int{0, 0}},
	} {
		re, err := Compile(tc.pattern)
		require.NoError(t, err, tc.pattern)
		got, err := re.Find(tc.text, 0)
		require.NoError(t, err, tc.pattern)
		require.Equal(t, tc.want, got, "%s on %s", tc.pattern, tc.text)
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]error{
		`(`: ErrPattern, `)`: ErrPattern, `[`: ErrPattern, `*`: ErrPattern, `a{2,1}`: ErrPattern, `[z-a]`: ErrPattern,
		`\`: ErrPattern, `(?<=fo+)bar`: ErrPattern, `\p{Nope}`: ErrPattern, `\2`: ErrPattern, `\k<x>`: ErrPattern,
		`\G`: ErrUnsupported, `a\Kb`: ErrUnsupported, `a**`: ErrUnsupported, `\x{`: ErrPattern, `(?i)ß`: ErrUnsupported,
		strings.Repeat("(", 300): ErrUnsupported,
	} {
		_, err := Compile(pattern)
		require.ErrorIs(t, err, want, pattern)
	}
}

// A pattern that would take exponential time ends with an error.
func TestFindEnds(t *testing.T) {
	t.Parallel()
	re, err := Compile(`(a+)+c`)
	require.NoError(t, err)
	_, err = re.Find(strings.Repeat("a", 60), 0)
	require.ErrorIs(t, err, ErrTooLong)
	re, err = Compile(`(?:a|b)*c`)
	require.NoError(t, err)
	_, err = re.Find(strings.Repeat("ab", 500_000), 0)
	require.ErrorIs(t, err, ErrTooLong)
}

func FuzzFind(f *testing.F) {
	for _, seed := range [][2]string{{`(\d+)-(?<x>[a-z&&[^b]]*)\b`, "12-ac"}, {`(?i)(?<=a|b)c{2,3}+$`, "bcC"}, {`\p{Lu}|\x41|[[:alpha:]]`, "Ab"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := Compile(pattern)
		if err != nil || len(text) > 1000 {
			return
		}
		got, err := re.Find(text, 0)
		if err != nil || got == nil {
			return
		}
		require.Len(t, got, 2*(re.Groups()+1))
		for i := 0; i < len(got); i += 2 {
			require.LessOrEqual(t, got[i], got[i+1])
			require.LessOrEqual(t, got[i+1], len(text))
		}
	})
}
