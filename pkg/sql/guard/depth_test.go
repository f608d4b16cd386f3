package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// TestBounds has for each bound the largest statement that passes and the smallest
// that does not.
func TestBounds(t *testing.T) {
	t.Parallel()
	nested := func(n int, before, inner, after string) string {
		return "select " + strings.Repeat(before, n) + inner + strings.Repeat(after, n)
	}
	repeated := func(n int, item, between string) string {
		return strings.TrimSuffix(strings.Repeat(item+between, n), between)
	}
	for name, tc := range map[string]struct {
		bounds guard.Bounds
		limit  int
		text   func(n int) string
		says   string
	}{
		"lambdas": {guard.Bounds{MaxLambdas: 3}, 3, func(n int) string {
			text := "1"
			for i := range n {
				text = fmt.Sprintf("transform(array[1], x%d -> %s)", i, text)
			}
			return "select " + text
		}, "4 lambdas"},
		"lambdas beside each other": {guard.Bounds{MaxLambdas: 1}, 1000, func(n int) string {
			return "select transform(array[1], x -> x), transform(array[1], x -> x)" + strings.Repeat(", transform(array[1], y -> y + 1)", min(n, 1000)/100) +
				strings.Repeat(", transform(array[1], x -> transform(array[1], y -> y))", max(0, n-1000))
		}, "2 lambdas"},
		"parentheses": {guard.Bounds{MaxNesting: 9}, 9, func(n int) string { return nested(n, "(", "1", ")") }, "10 levels"},
		"calls":       {guard.Bounds{MaxNesting: 9}, 9, func(n int) string { return nested(n, "abs(", "1", ")") }, "10 levels"},
		"cases":       {guard.Bounds{MaxNesting: 9}, 9, func(n int) string { return nested(n, "case when true then ", "1", " end") }, "10 levels"},
		"subqueries":  {guard.Bounds{MaxNesting: 9}, 9, func(n int) string { return nested(n, "x from (select ", "1 as x", ")") }, "10 levels"},
		"joins": {guard.Bounds{MaxJoins: 4}, 4, func(n int) string {
			return "select 1 from (values 1) t(x)" + strings.Repeat(" cross join (values 1) t(x)", n)
		}, "5 joins"},
		"commas": {guard.Bounds{MaxJoins: 4}, 4, func(n int) string { return "select 1 from " + repeated(n+1, "(values 1) t(x)", ", ") }, "5 joins"},
		"joins of parts": {guard.Bounds{MaxJoins: 4}, 4, func(n int) string {
			return repeated(n, "select 1 from (values 1) a(x), (values 1) b(y)", " union all ")
		}, "5 joins"},
		"or":         {guard.Bounds{MaxConditions: 7}, 7, func(n int) string { return "select " + repeated(n, "1 = 1", " or ") }, "8 conditions"},
		"and":        {guard.Bounds{MaxConditions: 7}, 7, func(n int) string { return "select 1 where " + repeated(n, "true", " and ") }, "8 conditions"},
		"in":         {guard.Bounds{MaxList: 5}, 5, func(n int) string { return "select 1 in (" + repeated(n, "1", ", ") + ")" }, "6 items"},
		"windows":    {guard.Bounds{MaxWindows: 2}, 2, func(n int) string { return "select " + repeated(n, "count(*) over ()", ", ") }, "3 window"},
		"of default": {guard.Bounds{}, 5_000, func(n int) string { return "select 1 in (" + repeated(n, "1", ", ") + ")" }, "5001 items"},
	} {
		g := guard.New(guard.Config{Bounds: tc.bounds})
		approve := func(n int) error {
			_, err := g.Approve(t.Context(), run.Principal{ID: "someone"}, tc.text(n), resolve.Scope{})
			return err
		}
		require.NoError(t, approve(tc.limit), name)
		var refusal *guard.Refusal
		require.ErrorAs(t, approve(tc.limit+1), &refusal, name)
		require.Equal(t, guard.CodeTooComplex, refusal.Code, "%s: %s", name, refusal.Message)
		require.Contains(t, refusal.Message, tc.says, name)
		require.Positive(t, refusal.Line, name)
	}
}

// TestLongChainsAreNotDeep: what is long need not be nested.
func TestLongChainsAreNotDeep(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"select 1" + strings.Repeat(" + 1", 500),
		"select 'a'" + strings.Repeat(" || 'a'", 500),
		"select 1" + strings.Repeat(" union all select 1", 200),
	} {
		_, err := guard.New(guard.Config{}).Approve(t.Context(), run.Principal{ID: "someone"}, text, resolve.Scope{})
		require.NoError(t, err)
	}
}
