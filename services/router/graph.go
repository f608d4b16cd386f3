package router

import (
	"context"

	"github.com/dibrain/dibrain/pkg/flow"
)

// Nodes of the graph.
const (
	nodeIntentRoute    = "intent_route"
	nodeInvokeAgent    = "invoke_agent"
	nodeDirectTool     = "direct_tool"
	nodeActionDispatch = "action_dispatch"
	nodeToolCall       = "tool_call"
	nodeRespond        = "respond"
)

// newGraph returns the router's graph. What action_dispatch decides is in
// dispatch.go, rule by rule.
func newGraph(s *Service) (*flow.Graph[turn], error) {
	goes := func(to string) func(*turn) bool { return func(t *turn) bool { return t.next == to } }
	return flow.New("router", nodeIntentRoute,
		[]flow.Node[turn]{
			{Name: nodeIntentRoute, Do: s.intentRoute},
			{Name: nodeInvokeAgent, Do: s.invokeAgent},
			{Name: nodeDirectTool, Do: s.directTool},
			{Name: nodeActionDispatch, Do: s.actionDispatch},
			{Name: nodeToolCall, Do: s.toolCall},
			{Name: nodeRespond, Do: func(context.Context, *turn) error { return nil }},
		},
		[]flow.Edge[turn]{
			{From: nodeIntentRoute, To: nodeDirectTool, Label: "an agent is named", When: goes(nodeDirectTool)},
			{From: nodeIntentRoute, To: nodeActionDispatch, Label: "the answer to a tool's question", When: goes(nodeActionDispatch)},
			{From: nodeIntentRoute, To: nodeInvokeAgent},
			{From: nodeDirectTool, To: nodeToolCall},
			{From: nodeInvokeAgent, To: nodeActionDispatch},
			{From: nodeToolCall, To: nodeActionDispatch},
			{From: nodeActionDispatch, To: nodeToolCall, Label: "a tool is asked for", When: goes(nodeToolCall)},
			{From: nodeActionDispatch, To: nodeInvokeAgent, Label: "not there yet", When: goes(nodeInvokeAgent)},
			{From: nodeActionDispatch, To: nodeRespond, Label: "done, a question, or an error"},
			{From: nodeRespond, To: flow.End},
		})
}

// Diagram returns the graph as a Mermaid flowchart, for the documentation.
func Diagram() (string, error) {
	g, err := newGraph(&Service{})
	if err != nil {
		return "", err
	}
	return g.Mermaid(), nil
}
