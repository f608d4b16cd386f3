package outside_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dibrain/dibrain/services/router/outside"
)

const whole = `
agents:
  - tool: forecast
    agent: Weather Agent
    description: Tells the weather.
    target: weather.example:443
    method: weather.v1.Weather/Ask
    words: [weather, 天气]
    answer: summary
`

func TestRead(t *testing.T) {
	t.Parallel()
	agents, err := outside.Read(strings.NewReader(whole))
	require.NoError(t, err)
	require.Equal(t, []outside.Agent{{
		Tool: "forecast", Name: "Weather Agent", Description: "Tells the weather.", Target: "weather.example:443",
		Method: "weather.v1.Weather/Ask", Words: []string{"weather", "天气"}, Question: "question", Answer: "summary",
	}}, agents)
	none, err := outside.Read(strings.NewReader(""))
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for want, change := range map[string][2]string{
		"tool needs a name":      {"tool: forecast", "tool: Fore Cast"},
		"agent and description":  {"description: Tells the weather.", "description: ''"},
		"target is needed":       {"target: weather.example:443", "target: ''"},
		"package.Service/Method": {"weather.v1.Weather/Ask", "Weather.Ask"},
		"none empty":             {"[weather, 天气]", "[' ']"},
		"field colour not found": {"answer: summary", "colour: red"},
		"more than":              {"Tells", strings.Repeat("x", 1<<20)},
	} {
		_, err := outside.Read(strings.NewReader(strings.Replace(whole, change[0], change[1], 1)))
		require.ErrorContains(t, err, want)
	}
}

// TestAnswersOfOthersAreText: what another team's agent says, and its whole answer
// where it has no text, is fit to be shown.
func TestAnswersOfOthersAreText(t *testing.T) {
	t.Parallel()
	const active = "[here](http://evil.example/a) ![x](http://evil.example/b)<img src=x>\u202e\x1b[31m"
	tool := outside.New(outside.Agent{Answer: "summary"}, nil)
	output, err := structpb.NewStruct(map[string]any{"summary": active})
	require.NoError(t, err)
	require.Equal(t, "here (http://evil.example/a) x (http://evil.example/b)‹img src=x>", tool.TextOf(output))

	output, err = structpb.NewStruct(map[string]any{"other": "[here](http://evil.example/a)<img src=x>\u202e"})
	require.NoError(t, err)
	text := tool.TextOf(output)
	require.Contains(t, text, "here (http://evil.example/a)‹img src=x>")
	require.NotContains(t, text, "\u202e")
}

// TestHowManyAgentsMayBeAdded: as many as the bound, and not one more.
func TestHowManyAgentsMayBeAdded(t *testing.T) {
	t.Parallel()
	for n, fits := range map[int]bool{1: true, 64: true, 65: false, 200: false} {
		var text strings.Builder
		text.WriteString("agents:\n")
		for i := range n {
			fmt.Fprintf(&text, "- {tool: agent_%d, agent: Agent %d, description: d, target: 'h:1', method: a.B/C}\n", i, i)
		}
		agents, err := outside.Read(strings.NewReader(text.String()))
		if fits {
			require.NoError(t, err)
			require.Len(t, agents, n)
			continue
		}
		require.ErrorContains(t, err, fmt.Sprintf("%d agents: at most 64 can be added", n))
		require.Empty(t, agents)
	}
}
