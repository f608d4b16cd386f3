package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/agent"
)

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agents.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestExamplesNearAQuestion: the same question whatever its case and signs, and the nearest
// ones by their words, in both languages.
func TestExamplesNearAQuestion(t *testing.T) {
	t.Parallel()
	a, err := agent.Open(file(t, `
agents:
  - id: b
    groups: [x, y]
    examples:
      - {question: "How is the harbour club doing?", steps: [{id: s1, kind: sql, instruction: visits}]}
      - {question: "Which club earns most?", steps: [{id: s1, kind: sql, instruction: takings}]}
      - {question: "各门店的会员情况如何？", steps: [{id: s1, kind: sql, instruction: members}]}
  - id: a
`))
	require.NoError(t, err)
	member := run.Principal{ID: "ann", Groups: []string{"y"}}
	require.Equal(t, []string{"a", "b"}, a.Names(member))
	require.Equal(t, []string{"a"}, a.Names(run.Principal{ID: "bob", Groups: []string{"z"}}))
	for question, want := range map[string]struct {
		same    string
		nearest []string
	}{
		"how is the HARBOUR club doing": {"visits", []string{"visits", "takings"}},
		"which is the harbour":          {"", []string{"visits", "takings"}},
		"各门店的会员情况如何":                    {"members", []string{"members"}},
		"门店怎么样":                         {"", []string{"members"}},
		"weather":                       {"", nil},
	} {
		c, ok := a.For(member, "b", question)
		require.True(t, ok)
		same := ""
		if c.Plan != nil {
			same = c.Plan.Steps[0].Instruction
		}
		require.Equal(t, want.same, same, question)
		var nearest []string
		for _, e := range c.Examples {
			nearest = append(nearest, e.Steps[0].Instruction)
		}
		require.Equal(t, want.nearest, nearest, question)
	}
	_, ok := a.For(run.Principal{ID: "bob"}, "b", "which club")
	require.False(t, ok, "he is in none of its groups")
}

// TestFilesThatAreNone are refused with the place and what to do.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	none, err := agent.Open("")
	require.NoError(t, err)
	require.Empty(t, none.Names(run.Principal{ID: "ann"}))
	for says, text := range map[string]string{
		"letters, digits":        `agents: [{id: "../a"}]`,
		"is there twice":         `agents: [{id: a}, {id: a}]`,
		"field colour":           `agents: [{id: a, colour: red}]`,
		"more than 4000":         `agents: [{id: a, instructions: "` + strings.Repeat("x", 4001) + `"}]`,
		"names 21 knowledge":     `agents: [{id: a, documents: [` + strings.TrimSuffix(strings.Repeat("d,", 21), ",") + `]}]`,
		"no question":            `agents: [{id: a, examples: [{question: "?", steps: [{id: s, kind: sql, instruction: x}]}]}]`,
		"does not hold together": `agents: [{id: a, examples: [{question: q, steps: [{id: s, kind: magic, instruction: x}]}]}]`,
		`"Q!", is there twice`:   `agents: [{id: a, examples: [{question: q, steps: [{id: s, kind: sql, instruction: x}]}, {question: "Q!", steps: [{id: s, kind: sql, instruction: x}]}]}]`,
		"more than 4194304":      "# " + strings.Repeat("x", 4<<20),
	} {
		_, err := agent.Open(file(t, text))
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, "analysis.agents_file")
	}
	_, err = agent.Open(filepath.Join(t.TempDir(), "none.yaml"))
	require.ErrorContains(t, err, "analysis.agents_file")
}
