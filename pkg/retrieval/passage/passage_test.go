package passage_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/passage"
)

func entries() []passage.Entry {
	return []passage.Entry{
		{Headings: []string{"Portal", "Parking"}, Text: "A parking permit is issued within five days. Bring your badge."},
		{Headings: []string{"Portal", "Badges"}, Text: "A lost badge is replaced at the desk. The desk is open in the morning."},
		{Headings: []string{"Portal", "Salary"}, Text: "Salaries are paid on the last working day of a month."},
		{Question: "How do I remove my account?", Headings: []string{"FAQ"}, Text: "Open the settings and press the red button."},
		{Headings: []string{"门户", "休假"}, Text: "员工每年有十五天假期。"},
	}
}

func open(t testing.TB, cfg passage.Config, list []passage.Entry) *passage.Index {
	t.Helper()
	words, err := passage.NewWords()
	require.NoError(t, err)
	x, err := passage.Build(t.Context(), cfg, words, list, nil)
	require.NoError(t, err)
	return x
}

func TestSearch(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]*passage.Index{"with vectors": open(t, passage.Config{}, entries()), "words alone": open(t, passage.Config{MaxVectors: 1}, entries())} {
		for question, want := range map[string]int{
			"how long until I have a permit for parking?": 0,
			"I lost my badge":        1,
			"when is my salary paid": 2,
			"delete an account":      3, // another word for remove
			"停车许可证":                  0, // Chinese over English
			"how many days of vacation does an employee have": 4, // English over Chinese
			"每年有几天假期":                                         4,
		} {
			r, err := x.Search(t.Context(), passage.Query{Text: question, Limit: 3})
			require.NoError(t, err)
			require.NotEmpty(t, r.Hits, "%s: %s", name, question)
			require.Equal(t, want, r.Hits[0].Entry, "%s: %s", name, question)
			require.GreaterOrEqual(t, r.Hits[0].Confidence(), passage.DefaultMinConfidence, "%s: %s", name, question)
		}
		r, err := x.Search(t.Context(), passage.Query{Text: "how do I descale the espresso machine", Limit: 3})
		require.NoError(t, err)
		require.Contains(t, r.Unknown, "espresso")
		if len(r.Hits) > 0 {
			require.Less(t, r.Hits[0].Confidence(), passage.DefaultMinConfidence, name)
		}
	}
}

func TestKeepIsAskedBeforeAnythingIsFound(t *testing.T) {
	t.Parallel()
	x := open(t, passage.Config{}, entries())
	r, err := x.Search(t.Context(), passage.Query{Text: "lost badge", Limit: 5, Keep: func(n int) bool { return n != 1 }})
	require.NoError(t, err)
	for _, h := range r.Hits {
		require.NotEqual(t, 1, h.Entry)
	}
	none, err := x.Search(t.Context(), passage.Query{Text: "the of and", Limit: 5})
	require.NoError(t, err)
	require.Empty(t, none.Hits)
	none, err = x.Search(t.Context(), passage.Query{Text: "badge"})
	require.NoError(t, err)
	require.Empty(t, none.Hits, "no limit, no hit")
}

func TestContextCountsLessThanTheQuestion(t *testing.T) {
	t.Parallel()
	x := open(t, passage.Config{}, entries())
	first := func(text string, before ...passage.Weighted) int {
		r, err := x.Search(t.Context(), passage.Query{Text: text, Context: before, Limit: 1})
		require.NoError(t, err)
		require.NotEmpty(t, r.Hits)
		return r.Hits[0].Entry
	}
	require.Equal(t, 1, first("where is the desk?", passage.Weighted{Text: "parking permit", Weight: 0.5}), "the question names its own subject")
	require.Equal(t, 0, first("how many days?", passage.Weighted{Text: "parking permit", Weight: 0.5}))
}

func TestBestOfAndAlike(t *testing.T) {
	t.Parallel()
	x := open(t, passage.Config{}, entries())
	require.Equal(t, 1, x.BestOf("where is a badge replaced?", []string{"Salaries are paid.", "The desk replaces a badge.", "Morning."}))
	require.Zero(t, x.BestOf("weather", []string{"a", "b"}))
	require.Greater(t, x.Alike("a permit is issued within days", "the permit is issued in days"), 0.8)
	require.Zero(t, x.Alike("salary", "badge"))
}

func TestBuildEndsWithItsContext(t *testing.T) {
	t.Parallel()
	words, err := passage.NewWords()
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = passage.Build(ended, passage.Config{}, words, entries(), nil)
	require.ErrorIs(t, err, context.Canceled)
	x, err := passage.Build(t.Context(), passage.Config{}, words, nil, nil)
	require.NoError(t, err)
	r, err := x.Search(t.Context(), passage.Query{Text: "badge", Limit: 1})
	require.NoError(t, err)
	require.Empty(t, r.Hits)
}

// vocabulary makes documents whose words are as frequent as those of a language: few
// of them very, most hardly (Zipf).
func vocabulary(r *rand.Rand) func(words int) string {
	z := rand.NewZipf(r, 1.1, 3, 40_000)
	return func(words int) string {
		var b strings.Builder
		for i := range words {
			n := z.Uint64()
			fmt.Fprintf(&b, "%s%s ", []string{"ka", "lo", "mi", "ner", "sta", "vo", "pra", "dun"}[n%8], fmt.Sprintf("%x", n))
			if i%14 == 13 {
				b.WriteString(". ")
			}
		}
		return b.String()
	}
}

func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	text := vocabulary(r)
	var list []passage.Entry
	for range 40_000 {
		list = append(list, passage.Entry{Headings: []string{text(4), text(5)}, Text: text(90)})
	}
	x := open(b, passage.Config{}, list)
	questions := make([]string, 200)
	for i := range questions {
		questions[i] = text(9)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := x.Search(b.Context(), passage.Query{Text: questions[i%len(questions)], Limit: 8}); err != nil {
			b.Fatal(err)
		}
	}
}
