package rpc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/rpc"
)

// TestOneBrokenTextBreaksNoMessage: names and values of owners' files need not be
// UTF-8; a request, an answer and a message of a stream that hold one arrive, and all
// else in them is as it was.
func TestOneBrokenTextBreaksNoMessage(t *testing.T) {
	t.Parallel()
	sent := &fixsqlv1.CheckSQLResponse{}
	state := map[string]*structpb.Value{"caf\xe9": structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue("na\xefve")}})}
	var asked string
	f := &fake{
		check: func(_ context.Context, r *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
			asked = r.GetSql()
			return sent, nil
		},
		chat: func(_ *routerv1.ChatRequest, s grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
			call := &routerv1.ToolCall{ToolName: "t", Error: "file caf\xe9.csv", Arguments: &structpb.Struct{Fields: state}}
			return s.Send(&routerv1.ChatResponse{Event: &routerv1.ChatResponse_Answer{Answer: &routerv1.Answer{Text: "whole: é", ToolCalls: []*routerv1.ToolCall{call}}}})
		},
	}
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})

	request := &fixsqlv1.CheckSQLRequest{Sql: "select '\xe9 é'"}
	_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, "select '\xe9 é'", request.GetSql(), "what was sent is not changed")
	require.Equal(t, "select '\uFFFD é'", asked)

	stream, err := routerv1.NewRouterServiceClient(conn).Chat(t.Context(), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "x"}})
	require.NoError(t, err)
	event, err := stream.Recv()
	require.NoError(t, err)
	answer := event.GetAnswer()
	require.Equal(t, "whole: é", answer.GetText())
	require.Equal(t, "file caf\uFFFD.csv", answer.GetToolCalls()[0].GetError())
	require.Equal(t, "na\uFFFDve", answer.GetToolCalls()[0].GetArguments().GetFields()["caf\uFFFD"].GetListValue().GetValues()[0].GetStringValue())
	require.Contains(t, state, "caf\xe9", "what was sent is not changed: others may hold it")
}
