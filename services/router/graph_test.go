package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router"
)

func TestDiagram(t *testing.T) {
	t.Parallel()
	got, err := router.Diagram()
	require.NoError(t, err)
	require.Equal(t, `flowchart TD
    START([START]) --> intent_route
    intent_route -->|"an agent is named"| direct_tool
    intent_route -->|"the answer to a tool's question"| action_dispatch
    intent_route --> invoke_agent
    invoke_agent --> action_dispatch
    direct_tool --> tool_call
    action_dispatch -->|"a tool is asked for"| tool_call
    action_dispatch -->|"not there yet"| invoke_agent
    action_dispatch -->|"done, a question, or an error"| respond
    tool_call --> action_dispatch
    respond --> END([END])
`, got)
}
