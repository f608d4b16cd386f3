package decide_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// said are messages that mean one thing alone and another after something was said.
var said = []string{
	"yes", "no", "yes, but only for May", "run it", "run it for the north", "don't run it", "fix it", "fix it and run it", "explain it", "explain this query", "go ahead",
	"the SQL please", "write the SQL", "thanks", "thanks, and by region?", "hello", "what can you do?", "which tables have suppliers?", "who owns the first one?",
	"the second one", "2", "both", "any of them", "by month", "why did it fall in May?", "only the open ones", "as a bar chart", "it failed: Column 'x' cannot be resolved",
	"line 1:8: mismatched input 'FORM', fix it and run it", "drop the table", "write me a poem", "how do I publish a dashboard?", "what is the average delay per depot?",
	"write a query for late parcels, don't run it", "use that table", "how fresh is it?", "what columns does it have?", "which data do you have?",
	"SELECT a FROM b", "run SELECT a FROM b", "explain SELECT a FROM b", "new topic: how many trucks are there?", "and for each driver",
	"好的", "不用了", "执行", "解释一下", "写SQL", "按月", "第二个", "这张表的负责人是谁", "只要未完成的", "谢谢", "画成柱状图", "不要执行，只要SQL",
}

// TestDecisions holds what each of the messages is taken for in each of the talks of
// conversations.yaml, and what a caller's settings make of it. Run it with -update
// after a change that is meant, and read the difference.
func TestDecisions(t *testing.T) {
	t.Parallel()
	talks := talksOf(t)
	rules := newRules(t)
	var b strings.Builder
	for _, talk := range slices.Sorted(maps.Keys(talks)) {
		for _, message := range said {
			fmt.Fprintf(&b, "%s > %s\n%s", talk, message, decided(t, rules, decide.In{Question: message, History: talks[talk]}))
		}
	}
	alone := func(what string, in decide.In) {
		fmt.Fprintf(&b, "%s > %s\n%s", what, in.Question, decided(t, rules, in))
	}
	const count = "how many parcels were late in May?"
	for _, goal := range append(tools.Intents(), "") {
		for _, question := range []string{count, "which tables have parcels?", "SELECT a FROM b", "hello", "write a query for late parcels"} {
			alone("goal "+goal, decide.In{Question: question, Goal: goal})
		}
	}
	outside := []decide.Outside{decide.NewOutside("forecast", []string{"weather", "天气"}, "text"), decide.NewOutside("silent", nil, "text")}
	settings := map[string]decide.In{
		"selected tables":  {Question: count, SelectedTables: []string{"log.parcel"}},
		"selected groups":  {Question: count, SelectedGroups: []string{"logistics"}},
		"a statement":      {Question: "what is wrong?", OriginalSQL: "SELECT 1 FORM a", ErrorMessage: "no", SQLDialect: "Spark"},
		"an error alone":   {Question: "what is wrong?", ErrorMessage: "line 1:8: mismatched input 'FORM'"},
		"another's agent":  {Question: "how is the weather?", Outside: outside},
		"not the agent's":  {Question: count, Outside: outside},
		"SQL of the agent": {Question: "SELECT weather FROM a", Outside: outside},
	}
	for _, what := range slices.Sorted(maps.Keys(settings)) {
		alone("with "+what, settings[what])
	}
	got := b.String()
	const path = "testdata/decisions.txt"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// talksOf are the talks of conversations.yaml.
func talksOf(t *testing.T) map[string][]decide.Message {
	t.Helper()
	var raw struct{ Talks map[string][]map[string]any }
	require.NoError(t, yaml.Unmarshal(conversationsYAML, &raw))
	text, err := json.Marshal(raw)
	require.NoError(t, err)
	var file struct {
		Talks map[string][]decide.Message
	}
	require.NoError(t, json.Unmarshal(text, &file))
	return file.Talks
}

// decided writes the first decision, and the calls that follow while all goes well.
func decided(t *testing.T, s decide.Strategy, in decide.In) string {
	t.Helper()
	first, chain := walk(t, s, in)
	if len(in.History) > 0 { // those of talks are held by the transcripts of the router
		first.Arguments, first.Plan, first.Tool = nil, nil, ""
	}
	raw, err := json.Marshal(first)
	require.NoError(t, err)
	return fmt.Sprintf("  %s\n  %s\n", raw, strings.Join(chain, " "))
}
