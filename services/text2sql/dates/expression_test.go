package dates

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates/datestest"
)

// What is looked for before an expression is tried is in each text that it matches.
func TestNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		needs []need
	}{
		{`(?:in )?(?:early|late)[ -]june`, []need{{"late june", "late-june", "early june", "early-june"}}},
		{`(?:mar(?:ch)?|may) (?:the )?\d+ ?x?`, []need{{"mar ", "may ", "march "}, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}}},
		{`(?:j(?:an|une)|\d+ may)y*|[0-9a-f]{2}- july`, []need{{"jan", "june", " may", "- july"}}}, // the rarest of each
		{`[a-f][a-f]`, []need{{"a", "b", "c", "d", "e", "f"}, {"a", "b", "c", "d", "e", "f"}}},     // too many together
		{`last (\d+) days?`, []need{{"last "}, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, {" day"}}},
		{`(?:上|本)月(?:初|底)?`, []need{{"上月", "本月"}}},
		{`x{2,3}|yes y*`, []need{{"x", "yes "}}},
		{`\pL+|x?`, nil},
		{`(?i)now`, nil},
		{`(?:in)?(?:the)?`, nil},
	} {
		e, err := compileExpression(c.text)
		require.NoError(t, err)
		require.Equal(t, c.needs, e.needs, c.text)
	}
	e, err := compileExpression(`(?:last|this) year`)
	require.NoError(t, err)
	require.False(t, e.mayMatch("last month"))
	require.False(t, e.mayMatch("next year"))
	require.Equal(t, [][]int{{3, 12}}, e.find("of this year"))
	require.Nil(t, e.find("of the year"))

	_, err = compileExpression(`(`)
	require.Error(t, err)
}

// TestNeedsHideNoMatch over every wording of the tests, whatever is said around it.
func TestNeedsHideNoMatch(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	all := []expression{r.comparisons, r.between, r.elliptic, r.current}
	for _, p := range slices.Concat(r.ranges, r.grains) {
		all = append(all, p.re)
	}
	texts := map[string]bool{}
	for _, c := range datestest.Cases(t) {
		texts[strings.ToLower(c.Text)] = true
		texts["gmv by week "+strings.ToLower(c.Text)+" 与上月比"] = true
	}
	known := 0
	for _, e := range all {
		for text := range texts {
			require.Equal(t, e.FindAllStringSubmatchIndex(text, -1), e.find(text), "%s in %q", e, text)
		}
		known += min(len(e.needs), 1)
	}
	require.Greater(t, known, len(all)*9/10, "of most expressions nothing is known")
}
