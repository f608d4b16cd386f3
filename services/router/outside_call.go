package router

import (
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/outside"
	"github.com/dibrain/dibrain/services/router/tools"
)

// addOutside makes the table of tools: the router's own and those of others.
func (s *Service) addOutside(agents []*outside.Tool) (err error) {
	s.outside = make(map[string]*outside.Tool, len(agents))
	further := make([]tools.Definition, 0, len(agents))
	for _, a := range agents {
		s.outside[a.Tool] = a
		further = append(further, a.Definition())
		s.others = append(s.others, decide.NewOutside(a.Tool, a.Words, a.Question))
	}
	s.tools, err = tools.New(further...)
	return err
}

// callOutside calls an agent that the configuration added.
func (s *Service) callOutside(ctx context.Context, t *turn, c *call, request *dynamicpb.Message) (proto.Message, error) {
	answer, err := s.outside[c.ToolName].Call(ctx, request, func(text string) error {
		return t.send(&routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolProgress{
			ToolProgress: &routerv1.ToolProgress{ToolCallId: c.ID, Message: text, Fraction: -1}}})
	})
	if err != nil {
		return nil, err
	}
	return answer.Output, nil
}

// directOutside are the arguments of an agent that a request names.
func (s *Service) directOutside(tool, question string) (json.RawMessage, error) {
	a, ok := s.outside[tool]
	if !ok {
		return nil, fmt.Errorf("direct tool %s has no arguments", tool)
	}
	return json.Marshal(map[string]string{a.Question: question})
}
