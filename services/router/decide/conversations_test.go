package decide_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

//go:embed testdata/conversations.yaml
var conversationsYAML []byte

var toolOf = map[rune]string{
	'D': tools.DataDiscovery, 'G': tools.GenerateSQL, 'E': tools.Execute, 'F': tools.FixSQL, 'X': tools.ExplainSQL,
	'Q': tools.DatasuiteFAQ, 'L': tools.SearchLog, 'R': tools.Reject, 'H': tools.AskHuman, 'W': tools.ExplainChange, 'A': tools.Analyze,
}

// TestConversations holds the rules to messages of many trades in talks of every
// kind.
func TestConversations(t *testing.T) {
	t.Parallel()
	var file struct {
		Talks map[string][]struct {
			Role, Content, Tool, SQL, Asked string
			CallID                          string `yaml:"tool_call_id"`
			Tables                          []string
		}
		Messages map[string][]string
	}
	require.NoError(t, yaml.Unmarshal(conversationsYAML, &file))
	require.NotEmpty(t, file.Messages)
	rules := newRules(t)
	for talk, lines := range file.Messages {
		var history []decide.Message
		for _, m := range file.Talks[talk] {
			history = append(history, decide.Message{Role: m.Role, Content: m.Content, Tool: m.Tool, CallID: m.CallID, SQL: m.SQL, Tables: m.Tables, Asked: m.Asked})
		}
		for _, line := range lines {
			parts := append(strings.Split(line, " | "), "")
			var want []string
			for _, c := range parts[0] {
				if c != '-' {
					want = append(want, toolOf[c])
				}
			}
			t.Run(talk+"/"+parts[1], func(t *testing.T) {
				t.Parallel()
				first, chain := walk(t, rules, decide.In{Question: parts[1], History: history})
				// However much of the talk is a summary, it is taken the same way.
				for n := range history {
					before := rules.Summarize(nil, history[:n+1])
					again, _ := walk(t, rules, decide.In{Question: parts[1], Before: &before, Known: 1, History: history[n:]})
					require.Equal(t, first, again, "the first %d messages are summed up", n+1)
				}
				require.Equal(t, want, chain, "taken for %s, rewritten %q", first.Kind, first.Rewritten)
				for _, word := range strings.FieldsFunc(parts[2], func(r rune) bool { return r == ',' }) {
					require.Contains(t, strings.ToLower(first.Rewritten), strings.TrimSpace(word))
				}
			})
		}
	}
}
