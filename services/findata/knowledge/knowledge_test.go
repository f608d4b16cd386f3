package knowledge_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/findata/knowledge"
)

type base struct {
	name   string
	search func(context.Context) ([]knowledge.Passage, error)
}

func (b base) Name() string { return b.name }
func (b base) Search(ctx context.Context, _ knowledge.Query) ([]knowledge.Passage, error) {
	return b.search(ctx)
}

func TestOneThatFailsIsMissingAndTheRestGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		passage := func(base string, score float64) []knowledge.Passage {
			return []knowledge.Passage{{Base: base, ID: "1", Score: score}}
		}
		bases := []knowledge.Base{
			base{"slow", func(ctx context.Context) ([]knowledge.Passage, error) { <-ctx.Done(); return nil, ctx.Err() }},
			base{"good", func(context.Context) ([]knowledge.Passage, error) { return passage("good", 0.5), nil }},
			base{"better", func(context.Context) ([]knowledge.Passage, error) { return passage("better", 0.9), nil }},
			base{"broken", func(context.Context) ([]knowledge.Passage, error) { return nil, errors.New("no route") }},
			base{"wild", func(context.Context) ([]knowledge.Passage, error) { panic("index out of range") }},
			base{"left out", func(context.Context) ([]knowledge.Passage, error) { return passage("left out", 1), nil }},
		}
		logged := 0
		found := knowledge.Ask(t.Context(), bases, []string{"slow", "good", "better", "broken", "wild", "none"}, knowledge.Query{Limit: 5, Language: lang.English},
			time.Second, func(string, error) { logged++ })
		require.Equal(t, append(passage("better", 0.9), passage("good", 0.5)...), found.Passages)
		require.Equal(t, []knowledge.Missing{
			{"broken", "it failed"}, {"none", "there is no such knowledge base"}, {"slow", "it took too long"}, {"wild", "it failed"},
		}, found.Missing)
		require.GreaterOrEqual(t, logged, 2)
		synctest.Wait()
	})
}

// TestPassagesAreOrderedAndBounded: the best first, of equals by their base and their id,
// whichever base was faster, and no more than asked for over all of them.
func TestPassagesAreOrderedAndBounded(t *testing.T) {
	t.Parallel()
	of := func(base string, score float64, ids ...string) (out []knowledge.Passage) {
		for _, id := range ids {
			out = append(out, knowledge.Passage{Base: base, ID: id, Score: score})
		}
		return out
	}
	answering := func(name string, passages []knowledge.Passage) base {
		return base{name, func(context.Context) ([]knowledge.Passage, error) { return passages, nil }}
	}
	bases := []knowledge.Base{answering("b", append(of("b", 0.5, "2", "1"), of("b", 0.9, "3")...)), answering("a", of("a", 0.5, "9", "8"))}
	all := append(append(of("b", 0.9, "3"), of("a", 0.5, "8", "9")...), of("b", 0.5, "1", "2")...)
	for limit := range len(all) + 2 {
		found := knowledge.Ask(t.Context(), bases, nil, knowledge.Query{Limit: limit, Language: lang.English}, time.Hour, func(string, error) {})
		require.Equal(t, len(all[:min(limit, len(all))]), len(found.Passages))
		for i, p := range found.Passages {
			require.Equal(t, all[i], p)
		}
		require.Empty(t, found.Missing)
	}
	pages := make([]knowledge.Page, 12)
	for i := range pages {
		pages[i] = knowledge.Page{ID: strings.Repeat("x", i+1), Title: "Delays", Text: "parcels are late" + strings.Repeat(" for other reasons", i), Words: []string{"tardy"}}
	}
	p, err := knowledge.NewPages(t.Context(), "docs", pages)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	for text, want := range map[string]int{"late parcels": 5, "tardy": 5, "late zzzz yyyy xxxx wwww": 0, "the of": 0} {
		found, err := p.Search(t.Context(), knowledge.Query{Text: text, Limit: 5, Language: lang.English})
		require.NoError(t, err)
		require.Len(t, found, want, text)
		for _, one := range found {
			require.Equal(t, "docs", one.Base)
			require.InDelta(t, 1, one.Score, 1e-9, "all words are there")
		}
	}
}

func TestFolderFindsPassagesAndSeesChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("returns.md", "# Returns\nHow goods come back.\n\n## Deadline\nA buyer may send goods back within 15 days.\n\n```\n# no heading\n```\n")
	write("deep/退款.md", "# 退款规则\n退款在七天内到账。\n")
	write("notes.txt", "deadline deadline")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f := knowledge.NewFolder("docs", dir, time.Minute, func() time.Time { return now })
	defer func() { require.NoError(t, f.Close()) }()
	search := func(text string, may func(string) bool) []knowledge.Passage {
		found, err := f.Search(t.Context(), knowledge.Query{Text: text, Limit: 3, May: may})
		require.NoError(t, err)
		return found
	}
	found := search("what is the deadline for a buyer", nil)
	require.Len(t, found, 1)
	require.Equal(t, "Returns › Deadline", found[0].Title)
	require.Contains(t, found[0].Text, "# no heading")
	require.Equal(t, []string{"matches deadline, buyer"}, found[0].Reasons)
	require.Empty(t, search("deadline", func(text string) bool { return !strings.Contains(text, "15 days") }), "what may not be read is not found")
	require.Equal(t, "退款规则", search("退款多久到账", nil)[0].Title)
	require.Empty(t, search("weather", nil))

	write("weather.md", "# Weather\nWeather delays parcels.\n")
	require.Empty(t, search("weather", nil), "not looked at again so soon")
	now = now.Add(time.Minute)
	require.Len(t, search("weather", nil), 1)
}

func TestSplitBoundsPassages(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"one line": strings.Repeat("长", 10_000), "paragraphs": strings.Repeat("word word word\n\n", 2_000), "no blank": strings.Repeat("word\n", 5_000)} {
		pages, err := knowledge.Split(t.Context(), "a.md", text)
		require.NoError(t, err)
		require.Greater(t, len(pages), 5, name)
		for _, p := range pages {
			require.LessOrEqual(t, len([]rune(p.Text)), 5_000, name)
		}
	}
	pages, err := knowledge.Split(t.Context(), "a.md", "# Only a heading\n")
	require.NoError(t, err)
	require.Empty(t, pages)
}
