package decide_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// builtOn are the arguments that say which call a step builds on.
type builtOn struct {
	SQL      string `json:"sql"`
	Call     string `json:"tool_call_id"`
	Tables   string `json:"related_table_source_tool_call_id"`
	Previous string `json:"previous_tool_call_id"`
	Question string `json:"user_question"`
	Goal     string `json:"final_intent"`
}

// TestStepsBuildOnTheNewestCall: in whatever talk a message stands, each step of its
// turn builds on the newest call of the turn that holds what it needs, else on the call of
// the talk that the decision names; calls that came to nothing hold nothing. What comes by
// a call is not told twice.
func TestStepsBuildOnTheNewestCall(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	steps := map[string]int{}
	for talk, history := range talksOf(t) {
		for _, message := range said {
			in := decide.In{Question: message, Language: lang.Detect(message), History: history}
			d, err := rules.Decide(t.Context(), in)
			require.NoError(t, err)
			first := d
			in.Turn = &first
			held := map[string]string{} // tool -> newest call of the turn that ended well
			for n := 0; d.Tool != "" && n < 5; n++ {
				what := fmt.Sprintf("%s > %s, step %d: %s %s", talk, message, n, d.Tool, d.Arguments)
				var args builtOn
				require.NoError(t, json.Unmarshal(d.Arguments, &args), what)
				require.Equal(t, first.Goal, d.Goal, what)
				steps[d.Tool]++
				switch d.Tool {
				case tools.GenerateSQL:
					require.Equal(t, newestOf(held, first.TablesCall, tools.DataDiscovery), args.Tables, what)
					require.Equal(t, first.ChangesCall, args.Previous, what)
					require.Equal(t, first.Subject, args.Question, what)
					require.Equal(t, first.Goal, args.Goal, what)
				case tools.Execute:
					want := newestOf(held, first.SQLCall, tools.FixSQL, tools.GenerateSQL)
					require.Equal(t, want, args.Call, what)
					if want != "" {
						require.Empty(t, args.SQL, "%s: the call holds it", what)
					} else {
						require.Equal(t, first.SQL, args.SQL, what)
					}
					require.Equal(t, first.Rewritten, args.Question, what)
				case tools.FixSQL, tools.ExplainSQL:
					require.Equal(t, []string{first.SQLCall, first.SQL}, []string{args.Call, args.SQL}, what)
				case tools.DataDiscovery:
					require.Equal(t, first.Subject, args.Question, what)
				}
				if d.Tool == tools.AskHuman || d.Tool == tools.Reject {
					break
				}
				// One that failed stands between, whose id is nobody's to build on.
				id := fmt.Sprint("call_turn_", n)
				in.Calls = append(in.Calls, decide.Call{ID: id + "_failed", Tool: tools.GenerateSQL, Outcome: decide.Nothing}, decide.Call{ID: id, Tool: d.Tool, Outcome: decide.Done})
				held[d.Tool] = id
				d, err = rules.Decide(t.Context(), in)
				require.NoError(t, err)
			}
		}
	}
	for _, tool := range []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute, tools.FixSQL, tools.ExplainSQL} {
		require.Greater(t, steps[tool], 20, tool)
	}
}

// newestOf is the newest call of the turn of one of the tools: their ids rise.
func newestOf(held map[string]string, otherwise string, of ...string) string {
	var ids []string
	for _, tool := range of {
		if held[tool] != "" {
			ids = append(ids, held[tool])
		}
	}
	if len(ids) == 0 {
		return otherwise
	}
	return slices.Max(ids)
}
