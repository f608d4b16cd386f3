package knowledge_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// serve returns a client of the service for somebody.
func (l *library) serve(p run.Principal) knowledgev1.KnowledgeServiceClient {
	l.t.Helper()
	as := func(ctx context.Context) context.Context {
		return run.With(ctx, run.Context{Principal: p, Now: l.clock()})
	}
	server := grpc.NewServer(
		grpc.UnaryInterceptor(func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			return next(as(ctx), r)
		}),
		grpc.StreamInterceptor(func(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			return next(srv, signed{s, as(s.Context())})
		}))
	l.service.Register(server)
	pipe := bufconn.Listen(1 << 16)
	go func() { _ = server.Serve(pipe) }()
	l.t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:///x", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }))
	require.NoError(l.t, err)
	l.t.Cleanup(func() { _ = conn.Close() })
	return knowledgev1.NewKnowledgeServiceClient(conn)
}

type signed struct {
	grpc.ServerStream
	ctx context.Context
}

func (s signed) Context() context.Context { return s.ctx }

// all reads a stream to its end.
func all[M any](t *testing.T, stream grpc.ServerStreamingClient[M], err error) []*M {
	t.Helper()
	require.NoError(t, err)
	var out []*M
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out = append(out, m)
	}
}

func TestStreamsAndTheirTwinsSayTheSame(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "collections: [{name: desk, path: desk, product: Desk, url: 'https://x.example.com'}]")
	l.write("desk/a.md", "---\nupdated: 2025-02-03\n---\n# Desk\n\n## Badges\nA lost badge is replaced <b>here</b> at the desk.\n")
	client := l.serve(alice)
	query := &knowledgev1.FAQQuery{Question: "where is a lost badge replaced?"}
	one, err := client.AnswerFAQUnary(t.Context(), &knowledgev1.AnswerFAQUnaryRequest{Query: query})
	require.NoError(t, err)
	a := one.GetAnswer()
	require.True(t, a.GetAnswered())
	require.Equal(t, "Desk › Badges", a.GetCitations()[0].GetSection())
	require.Equal(t, "https://x.example.com/a.md#badges", a.GetCitations()[0].GetUrl())
	require.Equal(t, int64(1738540800), a.GetCitations()[0].GetChangedAt().GetSeconds())
	require.NotContains(t, a.GetText(), "<b>")
	require.Equal(t, "knowledge.faq", a.GetTrace().GetRecords()[0].GetName())
	stream, err := client.AnswerFAQ(t.Context(), &knowledgev1.AnswerFAQRequest{Query: query})
	events := all(t, stream, err)
	require.Len(t, events, 2)
	require.Equal(t, a.GetText(), events[0].GetText())
	require.Equal(t, a.GetText(), events[1].GetAnswer().GetText())

	none, err := client.AnswerFAQUnary(t.Context(), &knowledgev1.AnswerFAQUnaryRequest{Query: &knowledgev1.FAQQuery{
		Question: "how is bread baked near a desk?", UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_ZH}}})
	require.NoError(t, err)
	require.False(t, none.GetAnswer().GetAnswered())
	require.Contains(t, none.GetAnswer().GetText(), "文档中没有这个问题的答案", "in the language that the asker chose")
	require.Equal(t, "Desk › Badges", none.GetAnswer().GetNearestHeadings()[0].GetSection())

	expert, err := client.AskExpertUnary(t.Context(), &knowledgev1.AskExpertUnaryRequest{Query: &knowledgev1.ExpertQuery{UserQuestion: query.GetQuestion(), ProductName: "desk"}})
	require.NoError(t, err)
	require.Equal(t, a.GetText(), expert.GetAnswer().GetAnswer().GetText())
	turns, err := client.AskExpert(t.Context(), &knowledgev1.AskExpertRequest{Query: &knowledgev1.ExpertQuery{UserQuestion: "and where?", SessionId: expert.GetAnswer().GetSessionId()}})
	said := all(t, turns, err)
	require.Equal(t, "desk", said[1].GetAnswer().GetProductName())

	products, err := client.ListProducts(t.Context(), &knowledgev1.ListProductsRequest{})
	require.NoError(t, err)
	require.Equal(t, "Desk", products.GetProducts()[0].GetName())
	documents, err := client.ListDocuments(t.Context(), &knowledgev1.ListDocumentsRequest{})
	require.NoError(t, err)
	require.Equal(t, int32(1), documents.GetDocuments()[0].GetPassages())

	ingest, err := client.IngestDocuments(t.Context(), &knowledgev1.IngestDocumentsRequest{Collection: "desk"})
	require.NoError(t, err)
	_, err = ingest.Recv()
	require.Equal(t, "ADMIN_ONLY", fault.ReasonOf(err))
	ingest, err = l.serve(run.Principal{ID: "root", Admin: true}).IngestDocuments(t.Context(), &knowledgev1.IngestDocumentsRequest{Collection: "desk"})
	steps := all(t, ingest, err)
	require.Equal(t, int32(1), steps[len(steps)-1].GetPassages())

	_, err = l.serve(run.Principal{}).AnswerFAQUnary(t.Context(), &knowledgev1.AnswerFAQUnaryRequest{Query: query})
	require.Equal(t, "UNAUTHENTICATED", fault.ReasonOf(err))
}
