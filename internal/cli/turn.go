package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/internal/term"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// runTurn sends a turn and returns its answer; progress goes to steps, a line a
// step, when steps is not nil.
func runTurn(ctx context.Context, router routerv1.RouterServiceClient, turn *routerv1.Turn, steps func(string)) (*routerv1.Answer, error) {
	stream, err := router.Chat(ctx, &routerv1.ChatRequest{Turn: turn})
	if err != nil {
		return nil, err
	}
	said := ""
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil, status.Error(codes.Internal, "the server ended the turn without an answer; ask again")
		}
		if err != nil {
			return nil, err
		}
		if answer := event.GetAnswer(); answer != nil {
			return answer, nil
		}
		if text := stepText(event); text != "" && text != said && steps != nil {
			said = text // a long statement says many times that it runs
			steps(text)
		}
	}
}

// stepText says in a line what an event tells; "" for events that tell nothing
// new to a person.
func stepText(event *routerv1.ChatResponse) string {
	switch e := event.GetEvent().(type) {
	case *routerv1.ChatResponse_RunStarted:
		if q := e.RunStarted.GetRewrittenQuestion(); q != "" {
			return "understood as: " + term.Clean(q)
		}
	case *routerv1.ChatResponse_ToolStarted:
		return e.ToolStarted.GetAgentName() + " …"
	case *routerv1.ChatResponse_ToolProgress:
		return "  " + term.Clean(e.ToolProgress.GetMessage()) + percent(e.ToolProgress.GetFraction())
	case *routerv1.ChatResponse_ToolFinished:
		call := e.ToolFinished.GetToolCall()
		if call.GetError() != "" {
			return fmt.Sprintf("  %s failed: %s", call.GetToolName(), term.Clean(call.GetError()))
		}
		if call.GetEndedAt() != nil && call.GetStartedAt() != nil {
			return fmt.Sprintf("  done in %s", term.Duration(call.GetEndedAt().AsTime().Sub(call.GetStartedAt().AsTime())))
		}
	}
	return ""
}

// percent tells how much is done, in tenths; nothing where that is not known or
// nothing is.
func percent(fraction float64) string {
	tenths := int(fraction * 10)
	if tenths <= 0 {
		return ""
	}
	return fmt.Sprintf(" %d %%", min(tenths, 10)*10)
}
