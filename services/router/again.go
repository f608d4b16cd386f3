package router

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
)

// Reasons of a run that cannot be run again.
const (
	reasonRunNoStatement  = "RUN_WITHOUT_STATEMENT"
	reasonRunOtherSession = "RUN_OF_OTHER_SESSION"
	reasonRunAgainAgent   = "RUN_AGAIN_WITH_AGENT"
)

// again reads the run whose statement a request wants run again: the request goes on with
// that run's session and, where it has none of its own, its question. The arguments are
// those of the run's newest execution; nil where nothing is run again. Somebody else's run
// is as one that is not there.
func (s *Service) again(ctx context.Context, request *routerv1.Turn) (*routerv1.Turn, []byte, error) {
	id := request.GetRunAgain()
	if id == "" {
		return request, nil, nil
	}
	if request.GetAgentName() != "" {
		return nil, nil, fault.Invalid("turn.agent_name", reasonRunAgainAgent, "A run that is run again calls no agent by name. Leave agent_name or run_again empty.")
	}
	of, _, err := s.deps.Store.Run(ctx, principal(ctx), id)
	if err != nil {
		return nil, nil, err
	}
	if own := request.GetSessionId(); own != "" && own != of.SessionID {
		return nil, nil, fault.Invalid("turn.session_id", reasonRunOtherSession, "Run %s is of another session. Leave session_id empty, and the turn goes on with that one.", id)
	}
	arguments, err := s.executionOf(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	request = proto.CloneOf(request)
	request.SessionId, request.ChatId = of.SessionID, of.ChatID
	if request.GetQuestion() == "" {
		request.Question = of.Question
	}
	return request, arguments, nil
}

// executionOf returns the arguments of a run's newest execution. The calls of a run stand
// in its message; a session has a bound of turns, so that it is found in few pages.
func (s *Service) executionOf(ctx context.Context, of store.Run) ([]byte, error) {
	none := fault.New(codes.FailedPrecondition, reasonRunNoStatement,
		fmt.Sprintf("Run %s ran no SQL, so there is nothing to run again. Ask the question anew.", of.Record.RunID), "run_id", of.Record.RunID)
	for token := ""; ; {
		messages, next, err := s.deps.Store.Messages(ctx, principal(ctx), of.SessionID, of.ChatID, store.Page{Size: defaultMessages, Token: token})
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			if m.RunID != of.Record.RunID || m.Role != store.RoleAssistant {
				continue
			}
			for i := len(m.ToolCallIDs) - 1; i >= 0; i-- {
				c, err := s.deps.Store.ToolCall(ctx, principal(ctx), m.ToolCallIDs[i])
				if fault.ReasonOf(err) == store.ReasonToolCallUnknown {
					continue // dropped, as one that its tool did not accept
				}
				if err != nil {
					return nil, err
				}
				if c.ToolName == tools.Execute && len(c.Arguments) > 0 {
					return c.Arguments, nil
				}
			}
			return nil, none
		}
		if token = next; token == "" {
			return nil, none
		}
	}
}
