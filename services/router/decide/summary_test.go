package decide_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestSummariesAreBounded: however long the talk and its messages, what is kept of
// it stays small, and still knows the newest.
func TestSummariesAreBounded(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	var s *decide.Summary
	for i := range 300 {
		said := "and only for shop " + strings.Repeat("x", 200)
		if i%50 == 0 {
			said = fmt.Sprintf("How many orders were there in week %d?", i/50) + strings.Repeat(" please", 2000)
		}
		next := rules.Summarize(s, []decide.Message{
			{Role: store.RoleUser, Content: said},
			{Role: store.RoleAssistant, Tool: tools.DataDiscovery, CallID: fmt.Sprint("call_d", i), Tables: []string{"shop.orders"}},
			{Role: store.RoleAssistant, Tool: tools.GenerateSQL, CallID: fmt.Sprint("call_g", i), SQL: fmt.Sprint("SELECT ", i), Content: strings.Repeat("long ", 5000)},
		})
		s = &next
	}
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	require.Less(t, len(raw), 24<<10)
	require.Equal(t, "SELECT 299", s.SQL.SQL)
	require.Equal(t, "call_d299", s.Tables.CallID)
	require.Len(t, s.Steps, 8)
	require.Len(t, s.Discoveries, 8)

	var read decide.Summary
	require.NoError(t, json.Unmarshal(raw, &read))
	require.Equal(t, *s, read, "it can be stored")
}
