package metric_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// TestRandomQuestions strings together words that mean something to the reader,
// names of the layer, dates and numbers, without sense: nothing may panic, and a
// SQL that comes out must be one that the guard lets run.
func TestRandomQuestions(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	words := vocabulary(t, a)
	index := catalog.NewIndex(&catalog.Snapshot{Tables: a.tables}, catalog.Defaults{})
	g := guard.New(guard.Config{})
	answered, questions := 0, 600
	if testing.Short() {
		questions = 200
	}
	for seed := range uint64(questions) {
		random := rand.New(rand.NewPCG(seed, 1))
		question := sentence(random, words[random.IntN(len(words))])
		var sql string
		assert.NotPanics(t, func() { sql = a.ask(question).SQL }, question)
		if sql == "" {
			continue
		}
		answered++
		_, err := g.Approve(t.Context(), run.Principal{ID: "test"}, sql, resolve.Scope{Catalog: index})
		assert.NoError(t, err, "%s\n%s", question, sql)
	}
	require.Greater(t, answered, questions/100, "the questions are too odd to say anything")
}

// vocabulary lists per language what questions are made of: phrases by their tag,
// names of the layer, dates, numbers.
func vocabulary(t *testing.T, a *asker) [][][]string {
	t.Helper()
	text, err := os.ReadFile("words.yaml")
	require.NoError(t, err)
	var phrases map[string][][]string
	require.NoError(t, yaml.Unmarshal(text, &phrases))
	out := [][][]string{
		{{"last month", "this year", "in October 2026", "from September to October", "on 11 November", "in the last 7 days", "yesterday", "since June", "today"}, {"3", "10", "100", "5%", "-2", "0"}},
		{{"上个月", "今年", "2026年10月", "9月到10月", "最近7天", "昨天", "双十一"}, {"3", "十", "100", "5%", "两"}},
	}
	for _, tag := range slices.Sorted(maps.Keys(phrases)) {
		for i, list := range phrases[tag] {
			if i = min(i, 1); len(list) > 0 {
				if list[0] != "" && list[0][0] < 0x80 {
					i = 0
				}
				out[i] = append(out[i], list)
			}
		}
	}
	var names [2][]string
	for _, m := range a.layer.Metrics {
		names[0], names[1] = append(names[0], m.Names.EN), append(names[1], m.Names.ZH)
	}
	var dimensions [2][]string
	for _, d := range a.layer.Dimensions {
		dimensions[0], dimensions[1] = append(dimensions[0], d.Names.EN), append(dimensions[1], d.Names.ZH)
	}
	for i := range out {
		for range 12 { // as often as all the words of one kind together
			out[i] = append(out[i], names[i], dimensions[i])
		}
		out[i] = append(out[i], []string{"SG", "Indonesia", "新加坡", "PH"})
	}
	return out
}

func sentence(random *rand.Rand, words [][]string) string {
	parts := make([]string, 1+random.IntN(7))
	for i := range parts {
		list := words[random.IntN(len(words))]
		parts[i] = list[random.IntN(len(list))]
	}
	return strings.Join(parts, " ")
}
