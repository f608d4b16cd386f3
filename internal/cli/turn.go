package cli

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// runTurn sends a turn and returns its answer; progress goes to steps, a line a
// step, when steps is not nil.
func runTurn(ctx context.Context, router routerv1.RouterServiceClient, turn *routerv1.Turn, steps func(string)) (*routerv1.Answer, error) {
	stream, err := router.Chat(ctx, &routerv1.ChatRequest{Turn: turn})
	if err != nil {
		return nil, err
	}
	told := newNarrator(turn.GetQuestion())
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
		if text := told.say(event); text != "" && text != said && steps != nil {
			said = text // a long statement says many times that it runs
			steps(text)
		}
	}
}
