package decide_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestAnOptionToRunIsOneOfTheNewest: of three statements the last two were put to choice, so
// the first option is the second of them.
func TestAnOptionToRunIsOneOfTheNewest(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	var history []decide.Message
	for _, step := range [][3]string{
		{"call_1", "How many rides were there in May?", "SELECT count(*) FROM fleet.ride"},
		{"call_2", "What is the average fare per city?", "SELECT city, avg(fare) FROM fleet.ride GROUP BY city"},
		{"call_3", "Total tips by driver?", "SELECT driver, sum(tip) FROM fleet.ride GROUP BY driver"},
	} {
		history = append(history,
			decide.Message{Role: "user", Content: step[1]},
			decide.Message{Role: "assistant", Tool: tools.Execute, CallID: step[0], Content: "Here it is.", SQL: step[2], Tables: []string{"fleet.ride"}})
	}
	history = append(history,
		decide.Message{Role: "user", Content: "run it"},
		decide.Message{Role: "assistant", Tool: tools.AskHuman, CallID: "call_9", Content: "Which one shall I run? 1) average fare per city 2) total tips by driver", Asked: decide.AskedChoice})
	for reply, want := range map[string]string{"1": "call_2", "the second one": "call_3", "第一个": "call_2"} {
		d, err := rules.Decide(t.Context(), decide.In{Question: reply, Language: lang.Detect(reply), History: history})
		require.NoError(t, err)
		require.Equal(t, want, d.SQLCall, "%s: %s %v", reply, d.Kind, d.Plan)
	}
}
