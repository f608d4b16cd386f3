package policy

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
)

// TestWhatIsKeptIsBounded: what is remembered of askers and tables is thrown away when
// it is full, and not before; what is decided stays the same.
func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("rules:\n")
	for i := range 2 * maxDeciders {
		fmt.Fprintf(&text, "  - {name: r%d, user: u%d, table: t%d}\n", i, i, i)
	}
	p, err := Parse("p", []byte(text.String()))
	require.NoError(t, err)
	who := func(i int) run.Principal { return run.Principal{ID: fmt.Sprintf("u%d", i)} }
	table := func(i int) catalog.Name { return catalog.Name{Region: "sg", Schema: "s", Table: fmt.Sprintf("t%d", i)} }
	for i := range maxDeciders {
		require.True(t, p.For(who(i), "").Access(table(i)).Read)
		require.False(t, p.For(who(i), "").Access(table(i+1)).Read)
	}
	require.Len(t, p.deciders, maxDeciders)
	require.Len(t, p.grants, maxDeciders)
	require.Same(t, p.For(who(0), "").decider, p.For(who(0), "other").decider, "those to whom the same rules apply share them")
	require.True(t, p.For(who(maxDeciders), "").Access(table(maxDeciders)).Read)
	require.Len(t, p.deciders, 1)

	for i := len(p.grants); i < maxGrants; i++ {
		p.For(run.Principal{ID: fmt.Sprintf("x%d", i)}, "")
	}
	require.Len(t, p.grants, maxGrants)
	first := p.For(who(0), "")
	require.Same(t, first, p.For(who(0), ""))
	p.For(run.Principal{ID: "one more"}, "")
	require.Len(t, p.grants, 1)
	require.True(t, p.For(who(0), "").Access(table(0)).Read)

	d := p.For(who(1), "").decider
	clear(d.decided)
	for i := range maxDecided {
		d.decided[fmt.Sprint(i)] = nil
	}
	require.NotNil(t, d.rule(table(1)))
	require.Len(t, d.decided, 1)
	require.NotNil(t, d.rule(table(1)))
	require.Nil(t, d.rule(table(2)))
	require.Len(t, d.decided, 2)
}

// TestSizeOfAPolicy: a file and its rules are bounded, and the bounds are within.
func TestSizeOfAPolicy(t *testing.T) {
	t.Parallel()
	const rule = "rules: []\n#"
	whole := rule + strings.Repeat("x", maxBytes-len(rule))
	_, err := Parse("p", []byte(whole))
	require.NoError(t, err)
	_, err = Parse("p", []byte(whole+"x"))
	require.EqualError(t, err, fmt.Sprintf("p: it is larger than %d bytes", maxBytes))
	rules := func(n int) []byte { return []byte("rules:\n" + strings.Repeat("  - {}\n", n)) }
	p, err := Parse("p", rules(maxRules))
	require.NoError(t, err)
	require.Len(t, p.rules, maxRules)
	_, err = Parse("p", rules(maxRules+1))
	require.EqualError(t, err, fmt.Sprintf("p: it has %d rules: at most %d", maxRules+1, maxRules))
}

// TestWhatIsNoFileSaysSo: a policy that cannot be read is not taken for an empty one.
func TestWhatIsNoFileSaysSo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Open(dir, nil, nil)
	require.ErrorContains(t, err, "read the access policy (policy.file): ")
	require.ErrorContains(t, err, "is a directory")
	_, err = Open(dir+"/none", nil, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
