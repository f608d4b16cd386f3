package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestTheModelDecidesSoOftenAtMost: a turn asks the model so often, and then the rules end it.
func TestTheModelDecidesSoOftenAtMost(t *testing.T) {
	t.Parallel()
	d, s := decider(t, llmtest.Answer{Text: "one more"})
	ask := in(t, "orders by day")
	ask.Turn = &decide.Decision{Goal: tools.GenerateSQL, Kind: "model"}
	for range 5 {
		ask.Calls = append(ask.Calls, decide.Call{ID: "call", Tool: tools.DataDiscovery, Outcome: decide.Nothing})
	}
	_, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Empty(t, s.Requests(), "the model has decided often enough")
}
