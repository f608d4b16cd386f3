package decide_test

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router/decide"
)

// TestHowLongAMessageMayBe holds up to how many words a message is taken for what its
// first words say, in each talk: a long one is a request of its own. Words that mean
// nothing and words of politeness make it longer. Run it with -update after a change that
// is meant, and read the difference.
func TestHowLongAMessageMayBe(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	talks := talksOf(t)
	var b strings.Builder
	for _, talk := range []string{"aside", "choice_en", "faq_en", "found_en", "ran_en", "wrote_en"} {
		before := rules.Summarize(nil, talks[talk])
		for _, begin := range []string{
			"run it", "fix it", "explain it", "yes", "no", "thanks", "only the open ones", "and by month", "which of those", "why", "the second one", "both",
			"any of them", "the SQL please", "go back to the first one", "who owns the first one", "write a query on it", "remove the late ones", "call it off",
			"line 1:8: mismatched input 'FORM', fix it", "and for the other queue", "show the average",
		} {
			for _, fill := range []string{" zorb", " please"} {
				fmt.Fprintf(&b, "%s > %s +%s:%s\n", talk, begin, fill, lengths(t, rules, &before, begin, fill))
			}
		}
	}
	const path = "testdata/lengths.txt"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

// lengths writes what a message is taken for, and from how many further words on.
func lengths(t *testing.T, rules *decide.Rules, before *decide.Summary, begin, fill string) string {
	t.Helper()
	var b strings.Builder
	last := ""
	for n := range 27 {
		d, err := rules.Decide(t.Context(), decide.In{Question: begin + strings.Repeat(fill, n), Before: before})
		require.NoError(t, err)
		if now := d.Kind + "/" + cmp.Or(d.Goal, "-"); now != last {
			fmt.Fprintf(&b, " %d=%s", n, now)
			last = now
		}
	}
	return b.String()
}
