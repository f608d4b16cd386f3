// Package logify searches logs: it turns questions into LogQL by rules, checks and
// explains queries, and runs them on Loki or over files, under limits and as the
// person who asks.
//
// service.go speaks gRPC, search.go does the work. The packages below: rules reads
// questions with the forms of lines that drain mines, model has a chat model write
// queries instead and checks them, guard stands before the logs,
// backend is where logs come from, explain says queries in words.
package logify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/logify/explain"
	"github.com/dibrain/dibrain/services/logify/guard"
	"github.com/dibrain/dibrain/services/logify/model"
	"github.com/dibrain/dibrain/services/logify/rules"
)

// Service implements logifyv1.LogifyServiceServer.
type Service struct {
	logifyv1.UnimplementedLogifyServiceServer

	config Config
	deps   Deps
	rules  *rules.Generator
	model  *model.Writer // nil: the rules write all queries
	source source        // nil: there are no logs
	known  *knowledge
	// policyFile and masksFile are read again when they change; nil: there is none.
	policyFile *guard.File[*guard.Policy]
	masksFile  *guard.File[*guard.Masks]
	ownMasks   *guard.Masks // of the product
}

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { logifyv1.RegisterLogifyServiceServer(r, s) }

// Ready tells that Loki does not answer: then logs are not searched, and all else goes on.
func (s *Service) Ready(context.Context) error {
	if told, ok := s.source.(interface{ Health() error }); ok {
		return rpc.Degraded(told.Health())
	}
	return nil
}

// Close is there because every service has it; this one holds nothing open.
func (s *Service) Close() error { return nil }

func principal(ctx context.Context) (run.Principal, error) {
	p := run.From(ctx).Principal
	if p.IsZero() {
		return p, fault.New(codes.Unauthenticated, "UNAUTHENTICATED", "nobody is signed in: give a token")
	}
	return p, nil
}

// languageOf is the language that the asker chose, else that of the question.
func languageOf(u *commonv1.UserContext, question string) lang.Language {
	switch u.GetLanguage() {
	case commonv1.Language_LANGUAGE_EN:
		return lang.English
	case commonv1.Language_LANGUAGE_ZH:
		return lang.Chinese
	}
	return lang.Detect(question)
}

func strategyOf(s logifyv1.Strategy) string {
	return map[logifyv1.Strategy]string{logifyv1.Strategy_STRATEGY_RULES: StrategyRules, logifyv1.Strategy_STRATEGY_LLM: StrategyLLM}[s]
}

func toStrategy(s string) logifyv1.Strategy {
	return map[string]logifyv1.Strategy{StrategyRules: logifyv1.Strategy_STRATEGY_RULES, StrategyLLM: logifyv1.Strategy_STRATEGY_LLM}[s]
}

// zoneOf is the asker's time zone; UTC where it is unknown.
func zoneOf(ctx context.Context, u *commonv1.UserContext) *time.Location {
	for _, name := range []string{u.GetTimeZone(), run.From(ctx).TimeZone} {
		if zone, err := time.LoadLocation(name); err == nil && name != "" && run.ValidTimeZone(name) {
			return zone
		}
	}
	return time.UTC
}

// GenerateLogQL implements logifyv1.LogifyServiceServer.
func (s *Service) GenerateLogQL(ctx context.Context, req *logifyv1.GenerateLogQLRequest) (*logifyv1.GenerateLogQLResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	ctx, step := run.Start(ctx, "logify.generate")
	out, err := s.generate(ctx, p, asked{
		Question: req.GetUserQuestion(), Execute: req.GetExecute(), Limit: int(req.GetLimit()),
		Language: languageOf(req.GetUserContext(), req.GetUserQuestion()), Zone: zoneOf(ctx, req.GetUserContext()),
		Strategy: strategyOf(req.GetStrategy()),
	})
	step.End(err)
	if err != nil {
		return nil, err
	}
	if ask := out.Query.Ask; ask != nil {
		run.Conclude(ctx, run.OutcomeAbstained)
		q := &commonv1.Question{Text: prose.Safe(ask.Text)}
		for _, o := range ask.Options {
			q.Options = append(q.Options, &commonv1.Option{Id: ask.Label + "=" + o, Label: prose.Safe(prose.Line(o))})
		}
		return &logifyv1.GenerateLogQLResponse{Question: q, Strategy: toStrategy(out.Strategy)}, nil
	}
	res := &logifyv1.GenerateLogQLResponse{
		Logql: out.LogQL, Explanation: prose.Safe(out.Explanation), Validated: true, Answer: prose.Safe(out.Answer),
		Start: timestamppb.New(out.Window.From), End: timestamppb.New(out.Window.To), Strategy: toStrategy(out.Strategy),
	}
	if out.Window.Step > 0 {
		res.Step = durationpb.New(out.Window.Step)
	}
	for _, note := range out.Query.Notes {
		res.Assumptions = append(res.Assumptions, prose.Safe(note))
	}
	if out.Output != nil {
		res.Lines, res.Samples, res.Truncated = toLines(out.Output.Lines), toSamples(out.Output.Points), out.Output.Cut
		if res.Page, err = pageOf(out.Output.Points, out.Window.Step > 0); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// ExplainLogQL implements logifyv1.LogifyServiceServer.
func (s *Service) ExplainLogQL(ctx context.Context, req *logifyv1.ExplainLogQLRequest) (*logifyv1.ExplainLogQLResponse, error) {
	if _, err := principal(ctx); err != nil {
		return nil, err
	}
	e, err := guard.Read(req.GetLogql())
	if err != nil {
		return nil, err
	}
	return &logifyv1.ExplainLogQLResponse{Explanation: prose.Safe(explain.Query(e, 0, languageOf(req.GetUserContext(), ""))), Logql: logql.Print(e)}, nil
}

// ValidateLogQL implements logifyv1.LogifyServiceServer.
func (s *Service) ValidateLogQL(ctx context.Context, req *logifyv1.ValidateLogQLRequest) (*logifyv1.ValidateLogQLResponse, error) {
	if _, err := principal(ctx); err != nil {
		return nil, err
	}
	res := &logifyv1.ValidateLogQLResponse{}
	add := func(wrong *logql.Error) {
		res.Problems = append(res.Problems, &logifyv1.LogQLProblem{
			Line: int32(wrong.Line), Column: int32(wrong.Column), Message: prose.Safe(wrong.Message), NotSupported: wrong.NotSupported, //nolint:gosec // a query has 64 KiB
		})
	}
	e, err := logql.Parse(req.GetLogql())
	if wrong := (*logql.Error)(nil); errors.As(err, &wrong) {
		add(wrong) // that it cannot be read is the answer
		return res, nil
	} else if err != nil {
		return nil, fmt.Errorf("read a query: %w", err)
	}
	for _, wrong := range logql.Check(req.GetLogql(), e) {
		add(wrong)
	}
	res.Logql = logql.Print(e)
	return res, nil
}

// ListLabels implements logifyv1.LogifyServiceServer.
func (s *Service) ListLabels(ctx context.Context, _ *logifyv1.ListLabelsRequest) (*logifyv1.ListLabelsResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	scope, err := s.scope(p)
	if err != nil {
		return nil, err
	}
	masks, err := s.masks()
	if err != nil {
		return nil, err
	}
	known, err := s.known.of(ctx, scope, masks, run.Now(ctx))
	if err != nil {
		return nil, err
	}
	res := &logifyv1.ListLabelsResponse{}
	for _, l := range known.labels {
		label := &logifyv1.Label{Name: l.Name}
		for _, v := range l.Values {
			label.Values = append(label.Values, masks.Text(strings.ToValidUTF8(v, "�")))
		}
		res.Labels = append(res.Labels, label)
	}
	return res, nil
}

// streamPart is how many lines or numbers one message of a stream has.
const streamPart = 200

// RunLogQL implements logifyv1.LogifyServiceServer.
func (s *Service) RunLogQL(req *logifyv1.RunLogQLRequest, stream grpc.ServerStreamingServer[logifyv1.RunLogQLResponse]) error {
	res, err := s.runQuery(stream.Context(), req)
	if err != nil {
		return err
	}
	for from := 0; from < len(res.GetLines()); from += streamPart {
		part := &logifyv1.LogLines{Lines: res.GetLines()[from:min(from+streamPart, len(res.GetLines()))]}
		if err := stream.Send(&logifyv1.RunLogQLResponse{Event: &logifyv1.RunLogQLResponse_Lines{Lines: part}}); err != nil {
			return err
		}
	}
	for from := 0; from < len(res.GetSamples()); from += streamPart {
		part := &logifyv1.LogSamples{Samples: res.GetSamples()[from:min(from+streamPart, len(res.GetSamples()))]}
		if err := stream.Send(&logifyv1.RunLogQLResponse{Event: &logifyv1.RunLogQLResponse_Samples{Samples: part}}); err != nil {
			return err
		}
	}
	return stream.Send(&logifyv1.RunLogQLResponse{Event: &logifyv1.RunLogQLResponse_Summary{Summary: res.GetSummary()}})
}

// RunLogQLUnary implements logifyv1.LogifyServiceServer.
func (s *Service) RunLogQLUnary(ctx context.Context, req *logifyv1.RunLogQLUnaryRequest) (*logifyv1.RunLogQLUnaryResponse, error) {
	return s.runQuery(ctx, req.GetQuery())
}

func (s *Service) runQuery(ctx context.Context, req *logifyv1.RunLogQLRequest) (*logifyv1.RunLogQLUnaryResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	scope, err := s.scope(p)
	if err != nil {
		return nil, err
	}
	e, err := guard.Read(req.GetLogql())
	if err != nil {
		return nil, err
	}
	w := logql.Window{To: run.Now(ctx), Limit: s.limit(int(req.GetLimit()), 0)}
	if req.GetEnd() != nil {
		w.To = req.GetEnd().AsTime()
	}
	w.From = w.To.Add(-s.config.DefaultRange)
	if req.GetStart() != nil {
		w.From = req.GetStart().AsTime()
	}
	if req.GetStep() != nil && metric(e) {
		w.Step = req.GetStep().AsDuration()
	}
	if w.From.After(w.To) {
		return nil, fault.Invalid("start", "LOGS_RANGE_INVALID", "start is after end: swap them.")
	}
	ctx, step := run.Start(ctx, "logify.run")
	out, ran, err := s.run(ctx, scope, e, w)
	step.End(err)
	if err != nil {
		return nil, err
	}
	page, err := pageOf(out.Points, w.Step > 0)
	if err != nil {
		return nil, err
	}
	return &logifyv1.RunLogQLUnaryResponse{Lines: toLines(out.Lines), Samples: toSamples(out.Points), Page: page, Summary: &logifyv1.RunSummary{
		Logql: ran, Truncated: out.Cut, Returned: int64(len(out.Lines) + len(out.Points)),
	}}, nil
}

func toLabels(labels map[string]string) map[string]string {
	out := make(map[string]string, len(labels))
	for name, value := range labels {
		out[name] = strings.ToValidUTF8(value, "�")
	}
	return out
}

func toLines(lines []logql.Entry) []*logifyv1.LogLine {
	out := make([]*logifyv1.LogLine, len(lines))
	for i, l := range lines {
		out[i] = &logifyv1.LogLine{Time: timestamppb.New(l.Time), Labels: toLabels(l.Labels), Line: strings.ToValidUTF8(l.Line, "�")}
	}
	return out
}

func toSamples(points []logql.Point) []*logifyv1.LogSample {
	out := make([]*logifyv1.LogSample, len(points))
	for i, p := range points {
		out[i] = &logifyv1.LogSample{Time: timestamppb.New(p.Time), Labels: toLabels(p.Labels), Value: p.Value}
	}
	return out
}
