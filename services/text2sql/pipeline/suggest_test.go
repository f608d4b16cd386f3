package pipeline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestSuggestionsAreChanges: what is suggested beside an answer fits its shape, keeps all
// its conditions, and gives the very SQL when it is said.
func TestSuggestionsAreChanges(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	for _, c := range []struct {
		question string
		want     []string
		holds    string // in the SQL of each
	}{
		{"How many appointments were there in 2025?", []string{"by species", "by specialty", "by month", "list them"}, "2025-01-01"},
		{"How many appointments were there?", []string{"by species", "by month"}, "appointments"},
		{"How many owners are there in Bern?", []string{"by newsletter", "list them"}, "Bern"},
		{"total fee by species", []string{"the lowest instead", "as a share", "by specialty", "by month"}, "fee"},
		{"total fee per month in 2025", []string{"by species"}, "2025-01-01"},
		{"total fee per month", []string{"by year", "by species"}, "fee"},
		{"Which species has the most appointments?", []string{"the lowest instead"}, "LIMIT 1"},
		{"2025年有多少次appointments？", []string{"按月", "列出明细"}, "2025-01-01"},
		{"Which owners live in Bern?", nil, ""},
	} {
		l := lang.Detect(c.question)
		first := p.Answer(pipeline.Input{Question: c.question, Schema: schema, Language: l})
		require.Equal(t, pipeline.Answered, first.Outcome, "%s: %s", c.question, first.Reason)
		in := pipeline.Input{Schema: schema, Language: l}
		list := p.Suggestions(in, first.Intent, 10)
		var texts []string
		for _, s := range list {
			texts = append(texts, s.Text)
			require.Contains(t, s.SQL, c.holds, "%s: %s", c.question, s.Text)
			require.NotEqual(t, first.SQL, s.SQL)
			said := p.Answer(pipeline.Input{Question: c.question + "; " + s.Text, FollowUp: s.Text, Previous: first.Intent, Schema: schema, Language: l})
			require.Equal(t, s.SQL, said.SQL, "%s: %s", c.question, s.Text)
		}
		if c.holds == "2025-01-01" { // of one year there is nothing to tell apart by years
			require.NotContains(t, texts, "by year", c.question)
			require.NotContains(t, texts, "按年", c.question)
		}
		for _, w := range c.want {
			require.Contains(t, texts, w, "%s: %s", c.question, strings.Join(texts, ", "))
		}
		if c.want == nil {
			require.Empty(t, texts, c.question)
		}
		require.LessOrEqual(t, len(p.Suggestions(in, first.Intent, 1)), 1)
	}
}
