package router_test

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/router/decide"
)

// team is the specialist services as a test wants them: each function may be
// replaced. It notes the calls that it gets.
type team struct {
	findatav1.UnimplementedFindDataServiceServer
	text2sqlv1.UnimplementedText2SQLServiceServer
	fixsqlv1.UnimplementedFixSQLServiceServer
	chatbiv1.UnimplementedChatBIServiceServer
	knowledgev1.UnimplementedKnowledgeServiceServer
	logifyv1.UnimplementedLogifyServiceServer
	analysisv1.UnimplementedAnalysisServiceServer

	discover func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error)
	generate func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error)
	fix      func(context.Context, *fixsqlv1.FixSQLRequest) (*fixsqlv1.FixSQLResponse, error)
	execute  func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error)
	rows     []*chatbiv1.ExecuteProgress // what execute tells before its result
	know     func(context.Context, *knowledgev1.FAQQuery) (*knowledgev1.KnowledgeAnswer, error)
	// Those below are unimplemented where they are nil.
	logs    func(*logifyv1.GenerateLogQLRequest) (*logifyv1.GenerateLogQLResponse, error)
	advise  func(*chatbiv1.AdviseChartRequest) (*chatbiv1.AdviseChartResponse, error)
	analyse []*analysisv1.Analysis
	broke   error // that the stream of an analysis ends with
	// Those below plan a change and look into it.
	planChange func(*text2sqlv1.GenerateQuery) *text2sqlv1.PlanChangeResponse
	explain    func(*chatbiv1.ExplainQuery) *chatbiv1.ExplainResult
	// Those below fail where they are set.
	feed       func(*findatav1.FeedbackRequest) error
	addExample func(*text2sqlv1.AddExampleRequest) error

	mu       sync.Mutex
	seen     []seenCall
	feedback []*findatav1.FeedbackRequest
	examples []*text2sqlv1.AddExampleRequest
}

type seenCall struct {
	tool    string
	context run.Context
	request any
}

const theSQL = "SELECT count(*) FROM sg.shop.orders"

func newTeam() *team {
	return &team{
		discover: func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
			return tablesResult(), nil
		},
		generate: func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
			return sqlResult(theSQL), nil
		},
		fix: func(_ context.Context, r *fixsqlv1.FixSQLRequest) (*fixsqlv1.FixSQLResponse, error) {
			return &fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: r.GetSql() + " -- fixed"}, Changed: true, Diagnosis: "a typo",
				Changes: []*fixsqlv1.SqlChange{{Message: "ordrs became orders"}}}, nil
		},
		execute: func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
			return doneResult(), nil
		},
	}
}

func tablesResult() *findatav1.DiscoverResult {
	return &findatav1.DiscoverResult{
		Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		RelatedTables: []*findatav1.TableCandidate{{Table: &commonv1.TableDetail{
			Ref: &commonv1.TableRef{IdcRegion: "sg", Schema: "shop", Table: "orders"}, Description: "one order per row",
			Columns: []*commonv1.Column{{Name: "order_id", Type: "bigint"}}}, Reasons: []string{"names orders"}}},
		GlossaryTerms: []*commonv1.GlossaryTerm{{Term: "GMV"}},
		Warnings:      []*commonv1.Warning{{Code: "DATA_LATE", Message: "late"}},
	}
}

func sqlResult(sql string) *text2sqlv1.GenerateResult {
	return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, Confidence: 0.9, Metrics: []string{"orders: count"},
		Candidates: []*commonv1.SqlStatement{{Sql: sql, Assumptions: []string{"all orders"}, Tables: []*commonv1.TableName{{Name: "sg.shop.orders"}}}},
		Warnings:   []*commonv1.Warning{{Code: "DATA_LATE", Message: "late"}}}
}

func doneResult() *chatbiv1.ExecuteResult {
	return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Answer: "There were 42 orders.",
		Certificate: &commonv1.Certificate{BytesScanned: 1000}, ExecutedSql: theSQL}
}

func failedResult(code string) *chatbiv1.ExecuteResult {
	return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED,
		Error: &commonv1.SqlDiagnostic{Code: code, Message: "Column 'ordrs' cannot be resolved"}}
}

// note keeps a call and returns the trace of a service that did one step.
func (f *team) note(ctx context.Context, tool string, request any) (context.Context, func() *commonv1.RunTrace) {
	rc, err := run.Incoming(ctx)
	if err != nil {
		return ctx, func() *commonv1.RunTrace { return nil }
	}
	f.mu.Lock()
	f.seen = append(f.seen, seenCall{tool, rc, request})
	f.mu.Unlock()
	rec := run.NewRecorder(0)
	ctx = run.WithRecorder(run.WithTracker(run.With(ctx, rc), &run.Tracker{Service: tool}), rec)
	ctx, step := run.Start(ctx, "inner."+tool)
	return ctx, func() *commonv1.RunTrace { step.End(nil); return runpb.ToTrace(rec) }
}

func (f *team) tools() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, c := range f.seen {
		out = append(out, c.tool)
	}
	return out
}

func (f *team) call(i int) seenCall {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[i]
}

func (f *team) Discover(r *findatav1.DiscoverRequest, s grpc.ServerStreamingServer[findatav1.DiscoverResponse]) error {
	ctx, done := f.note(s.Context(), "discover", r.GetQuery())
	if err := s.Send(&findatav1.DiscoverResponse{Event: &findatav1.DiscoverResponse_Stage{Stage: &findatav1.DiscoverStage{Name: "retrieve", Message: "looking"}}}); err != nil {
		return err
	}
	out, err := f.discover(ctx, r.GetQuery())
	if err != nil {
		return err
	}
	return s.Send(&findatav1.DiscoverResponse{Event: &findatav1.DiscoverResponse_Result{Result: out}, Trace: done()})
}

func (f *team) Feedback(_ context.Context, r *findatav1.FeedbackRequest) (*findatav1.FeedbackResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.feed != nil {
		return nil, f.feed(r)
	}
	f.feedback = append(f.feedback, r)
	return &findatav1.FeedbackResponse{}, nil
}

func (f *team) GenerateSQL(r *text2sqlv1.GenerateSQLRequest, s grpc.ServerStreamingServer[text2sqlv1.GenerateSQLResponse]) error {
	ctx, done := f.note(s.Context(), "generate", r.GetQuery())
	out, err := f.generate(ctx, r.GetQuery())
	if err != nil {
		return err
	}
	return s.Send(&text2sqlv1.GenerateSQLResponse{Event: &text2sqlv1.GenerateSQLResponse_Result{Result: out}, Trace: done()})
}

func (f *team) FixSQL(ctx context.Context, r *fixsqlv1.FixSQLRequest) (*fixsqlv1.FixSQLResponse, error) {
	ctx, done := f.note(ctx, "fix", r)
	out, err := f.fix(ctx, r)
	if out != nil {
		out.Trace = done()
	}
	return out, err
}

func (f *team) ExplainSQL(ctx context.Context, r *fixsqlv1.ExplainSQLRequest) (*fixsqlv1.ExplainSQLResponse, error) {
	_, done := f.note(ctx, "explain", r)
	return &fixsqlv1.ExplainSQLResponse{Explanation: "It counts.", Trace: done()}, nil
}

func (f *team) ExecuteAndAnalyze(r *chatbiv1.ExecuteAndAnalyzeRequest, s grpc.ServerStreamingServer[chatbiv1.ExecuteAndAnalyzeResponse]) error {
	ctx, done := f.note(s.Context(), "execute", r.GetQuery())
	out, err := f.execute(ctx, r.GetQuery())
	if err != nil {
		return err
	}
	for _, p := range f.rows {
		if err := s.Send(&chatbiv1.ExecuteAndAnalyzeResponse{Event: &chatbiv1.ExecuteAndAnalyzeResponse_Progress{Progress: p}}); err != nil {
			return err
		}
	}
	return s.Send(&chatbiv1.ExecuteAndAnalyzeResponse{Event: &chatbiv1.ExecuteAndAnalyzeResponse_Result{Result: out}, Trace: done()})
}

// AnswerFAQUnary is not served unless a test says what is known.
func (f *team) AnswerFAQUnary(ctx context.Context, r *knowledgev1.AnswerFAQUnaryRequest) (*knowledgev1.AnswerFAQUnaryResponse, error) {
	if f.know == nil {
		return f.UnimplementedKnowledgeServiceServer.AnswerFAQUnary(ctx, r)
	}
	ctx, trace := f.note(ctx, "faq", r.GetQuery())
	a, err := f.know(ctx, r.GetQuery())
	if a != nil {
		a.Trace = trace()
	}
	return &knowledgev1.AnswerFAQUnaryResponse{Answer: a}, err
}

// AskExpertUnary answers as the FAQ does.
func (f *team) AskExpertUnary(ctx context.Context, r *knowledgev1.AskExpertUnaryRequest) (*knowledgev1.AskExpertUnaryResponse, error) {
	ctx, trace := f.note(ctx, "expert", r.GetQuery())
	a, err := f.know(ctx, &knowledgev1.FAQQuery{Question: r.GetQuery().GetUserQuestion()})
	if a != nil {
		a.Trace = trace()
	}
	return &knowledgev1.AskExpertUnaryResponse{Answer: &knowledgev1.ExpertAnswer{Answer: a, SessionId: r.GetQuery().GetSessionId()}}, err
}

func (f *team) AdviseChart(ctx context.Context, r *chatbiv1.AdviseChartRequest) (*chatbiv1.AdviseChartResponse, error) {
	if f.advise == nil {
		return f.UnimplementedChatBIServiceServer.AdviseChart(ctx, r)
	}
	f.note(ctx, "advise", r)
	return f.advise(r)
}

func (f *team) GenerateLogQL(ctx context.Context, r *logifyv1.GenerateLogQLRequest) (*logifyv1.GenerateLogQLResponse, error) {
	if f.logs == nil {
		return f.UnimplementedLogifyServiceServer.GenerateLogQL(ctx, r)
	}
	f.note(ctx, "logs", r)
	return f.logs(r)
}

func (f *team) StartAnalysis(r *analysisv1.StartAnalysisRequest, s grpc.ServerStreamingServer[analysisv1.StartAnalysisResponse]) error {
	if f.analyse == nil {
		return f.UnimplementedAnalysisServiceServer.StartAnalysis(r, s)
	}
	f.note(s.Context(), "analyse", r)
	for _, event := range f.analyse {
		if err := s.Send(&analysisv1.StartAnalysisResponse{Analysis: event}); err != nil {
			return err
		}
	}
	return f.broke
}

func (f *team) register(r grpc.ServiceRegistrar) {
	findatav1.RegisterFindDataServiceServer(r, f)
	text2sqlv1.RegisterText2SQLServiceServer(r, f)
	fixsqlv1.RegisterFixSQLServiceServer(r, f)
	chatbiv1.RegisterChatBIServiceServer(r, f)
	knowledgev1.RegisterKnowledgeServiceServer(r, f)
	logifyv1.RegisterLogifyServiceServer(r, f)
	analysisv1.RegisterAnalysisServiceServer(r, f)
}

// pipe serves over bufconn and returns a connection whose calls carry the run
// context, as those of pkg/rpc do.
func pipe(t testing.TB, register func(grpc.ServiceRegistrar), opts ...grpc.ServerOption) *grpc.ClientConn {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	server := grpc.NewServer(opts...)
	register(server)
	go func() { _ = server.Serve(lis) }()
	conn, err := grpc.NewClient("passthrough:///pipe", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return lis.Dial() }),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			return invoke(run.Outgoing(ctx), method, req, reply, cc, opts...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			return open(run.Outgoing(ctx), desc, cc, method, opts...)
		}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(); server.Stop() })
	return conn
}

// world is a router over a team, with its store.
type world struct {
	team    *team
	service *router.Service
	store   *sqlite.Store
	deps    router.Deps
	client  routerv1.RouterServiceClient
}

type setting func(*router.Config, *router.Deps)

func withStrategy(s decide.Strategy) setting {
	return func(_ *router.Config, d *router.Deps) { d.Strategy = s }
}

func newWorld(t testing.TB, settings ...setting) *world {
	return newWorldIn(t, t.TempDir(), settings...)
}

func newWorldIn(t testing.TB, dir string, settings ...setting) *world {
	t.Helper()
	w := &world{team: newTeam()}
	db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	w.store = db
	t.Cleanup(func() { _ = db.Close() })
	conn := pipe(t, w.team.register)
	cfg, deps := router.Config{ValidationRetryWait: time.Millisecond}, router.Deps{
		Store: db, FindData: findatav1.NewFindDataServiceClient(conn), Catalog: findatav1.NewCatalogServiceClient(conn),
		Text2SQL: text2sqlv1.NewText2SQLServiceClient(conn), FixSQL: fixsqlv1.NewFixSQLServiceClient(conn), ChatBI: chatbiv1.NewChatBIServiceClient(conn),
		Knowledge: knowledgev1.NewKnowledgeServiceClient(conn), Logify: logifyv1.NewLogifyServiceClient(conn),
		Analysis: analysisv1.NewAnalysisServiceClient(conn),
		Log:      slog.New(slog.DiscardHandler),
	}
	for _, set := range settings {
		set(&cfg, &deps)
	}
	w.deps = deps
	w.service, err = router.New(cfg, deps)
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.service.Close() })
	signIn := func(ctx context.Context) context.Context {
		md, _ := metadata.FromIncomingContext(ctx)
		rc, _ := run.Incoming(ctx)
		if user := md.Get("x-test-user"); len(user) > 0 {
			rc.Principal = run.Principal{ID: user[0]}
		}
		return run.With(run.WithTracker(ctx, &run.Tracker{Service: "router"}), rc)
	}
	edge := pipe(t, w.service.Register,
		grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
			return h(signIn(ctx), req)
		}),
		grpc.StreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) error {
			return h(srv, signedStream{ss, signIn(ss.Context())})
		}))
	w.client = routerv1.NewRouterServiceClient(edge)
	return w
}

type signedStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s signedStream) Context() context.Context { return s.ctx }

func as(ctx context.Context, user string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "x-test-user", user)
}

func (w *world) ask(t testing.TB, turn *routerv1.Turn) *routerv1.Answer {
	t.Helper()
	resp, err := w.client.Ask(as(t.Context(), "alice"), &routerv1.AskRequest{Turn: turn})
	require.NoError(t, err)
	return resp.GetAnswer()
}

func called(a *routerv1.Answer) []string {
	var out []string
	for _, c := range a.GetToolCalls() {
		out = append(out, c.GetToolName())
	}
	return out
}

type (
	routerConfig = router.Config
	routerDeps   = router.Deps
)
