package semantic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHostileFiles: each is refused with a message, and by the bound that is for it.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	var bomb, chain, deep strings.Builder
	bomb.WriteString("rules:\n- &a {id: x}\n")
	for c := 'b'; c < 'j'; c++ {
		fmt.Fprintf(&bomb, "- &%c {<<: [*%c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c]}\n", c, c-1)
	}
	chain.WriteString("metrics:\n")
	const links = 8000
	for i := range links {
		fmt.Fprintf(&chain, "- {id: m%d, names: {en: M%[1]d}, type: derived, expr: m%d + 1}\n", i, (i+1)%links)
	}
	deep.WriteString("metrics:\n- {id: a, names: {en: A}, table: s.t, expr: '" + strings.Repeat("(", 5000) + "SUM(x)" + strings.Repeat(")", 5000) + "'}\n")
	for name, c := range map[string]struct{ text, message string }{
		"ten megabytes":        {"rules:\n" + strings.Repeat("- {id: a, text: {en: x}}\n", 400_000), "split it by mart"},
		"aliases of aliases":   {bomb.String(), "excessive aliasing"},
		"a cycle of thousands": {chain.String(), "is made of itself"},
		"deep parentheses":     {deep.String(), "a.yaml:2"},
		"lists in lists":       {strings.Repeat("[", 20_000), "depth"},
		"no text":              {"\x00\x01\xff", "control characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "a.yaml", c.text)
			_, err := Load(dir)
			require.ErrorContains(t, err, c.message)
			require.Less(t, len(err.Error()), 64<<10, "a message that people can read")
		})
	}
}

// TestHintsAreAsManyAsAreShown: names like a wrong one are looked for among all, and
// only for the problems that a message lists.
func TestHintsAreAsManyAsAreShown(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("metrics:\n")
	const metrics = 4 * MaxListed
	for i := range metrics {
		fmt.Fprintf(&text, "- {id: metric_%d, names: {en: M%[1]d}, type: derived, expr: metrik_%[1]d + 1}\n", i)
	}
	dir := t.TempDir()
	write(t, dir, "a.yaml", text.String())
	_, problems := Check(dir, nil)
	hints, wrong := 0, 0
	for _, p := range problems {
		if strings.Contains(p.Message, "which is no metric") {
			wrong++
		}
		if strings.Contains(p.Message, "near it") {
			hints++
		}
	}
	require.Equal(t, metrics, wrong)
	require.Equal(t, MaxListed, hints)
}

// FuzzCheck: whatever a file holds, it is read or refused, and what is accepted
// can be told and written.
func FuzzCheck(f *testing.F) {
	for _, m := range mistakes {
		f.Add(m.text)
	}
	f.Add(metricB)
	f.Fuzz(func(t *testing.T, text string) {
		read, root, problems := parseFile("x.yaml", []byte(text))
		if read == nil || len(problems) > 0 {
			return
		}
		check := newChecker(shopTables())
		problems = append(check.file("x.yaml", read, root), check.references(&read.Layer)...)
		if len(problems.Errors()) > 0 {
			return
		}
		for i := range read.Metrics {
			read.Metrics[i].complete()
			_, err := read.SQL(read.Metrics[i].ID, "x")
			require.NoError(t, err)
		}
		var b strings.Builder
		require.NoError(t, Write(&b, "", &read.Layer))
	})
}
