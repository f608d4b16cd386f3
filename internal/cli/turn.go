package cli

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// watcher is told what a turn is at.
type watcher interface {
	// show tells the step that is at work, in a line.
	show(step string)
	// firstRows tells the first rows of a result of which more are still to come.
	firstRows(page *commonv1.ResultPage)
}

// runTurn sends a turn and returns its answer. Who watches is told of its progress; nil:
// nobody does.
func runTurn(ctx context.Context, router routerv1.RouterServiceClient, turn *routerv1.Turn, watching watcher) (*routerv1.Answer, error) {
	stream, err := router.Chat(ctx, &routerv1.ChatRequest{Turn: turn})
	if err != nil {
		return nil, err
	}
	told := newNarrator(turn.GetQuestion())
	said := ""
	var first *commonv1.ResultPage
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
		if watching == nil {
			continue
		}
		if page := event.GetToolProgress().GetFirstPage(); page != nil {
			first = page
		}
		// The first page of a small result is all of it, and its answer comes at once.
		if first != nil && event.GetToolProgress().GetRows() > int64(len(first.GetRows())) {
			watching.firstRows(first)
			first = nil
		}
		if text := told.say(event); text != "" && text != said {
			said = text // a long statement says many times that it runs
			watching.show(text)
		}
	}
}
