package router_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestExportSession: all that a session holds, in the order in which it happened,
// and nothing for anybody else.
func TestExportSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	w.ask(t, &routerv1.Turn{Question: "hello", SessionId: a.GetSessionId()})

	stream, err := w.client.ExportSession(as(t.Context(), "alice"), &routerv1.ExportSessionRequest{SessionId: a.GetSessionId()})
	require.NoError(t, err)
	var parts []string
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch {
		case part.GetSession() != nil:
			parts = append(parts, "session "+part.GetSession().GetTitle())
		case part.GetRun() != nil:
			require.NotEmpty(t, part.GetRun().GetRecords())
			parts = append(parts, "run "+part.GetRun().GetQuestion())
		case part.GetToolCall() != nil:
			require.NotNil(t, part.GetToolCall().GetOutput())
			parts = append(parts, part.GetToolCall().GetToolName())
		case part.GetMessage() != nil:
			parts = append(parts, part.GetMessage().GetRole())
		}
	}
	require.Equal(t, []string{
		"session how many orders yesterday?",
		store.RoleUser, "run how many orders yesterday?", tools.DataDiscovery, tools.GenerateSQL, tools.Execute, store.RoleAssistant,
		store.RoleUser, "run hello", store.RoleAssistant,
	}, parts)

	other, err := w.client.ExportSession(as(t.Context(), "bob"), &routerv1.ExportSessionRequest{SessionId: a.GetSessionId()})
	require.NoError(t, err)
	_, err = other.Recv()
	require.Equal(t, codes.NotFound, status.Code(err))
}

// TestLongHistory: a session of ten thousand messages answers as any other, and
// can be read to its beginning.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	const many = 10_000
	w := newWorld(t)
	id := w.plant(t)
	l, err := w.store.Lock(t.Context(), alice, id, time.Minute)
	require.NoError(t, err)
	changes := store.Changes{Unlock: true}
	for i := range many {
		changes.Messages = append(changes.Messages, store.Message{ChatID: "main", Role: store.RoleUser, Content: fmt.Sprint("orders of shop ", i)})
	}
	require.NoError(t, w.store.Commit(t.Context(), alice, l, changes))
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", SessionId: id})
	require.Equal(t, "There were 42 orders.", a.GetText())

	stream, err := w.client.ExportSession(as(t.Context(), "alice"), &routerv1.ExportSessionRequest{SessionId: id})
	require.NoError(t, err)
	var first string
	messages := 0
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if m := part.GetMessage(); m != nil {
			if messages == 0 {
				first = m.GetContent()
			}
			messages++
		}
	}
	require.Equal(t, "orders of shop 0", first)
	require.Equal(t, many+2, messages)
}
