package text2sql

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/services/text2sql/examples"
	"github.com/dibrain/dibrain/services/text2sql/metric"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/study"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// Service implements text2sqlv1.Text2SQLServiceServer.
type Service struct {
	text2sqlv1.UnimplementedText2SQLServiceServer

	config   Config
	deps     Deps
	pipeline *pipeline.Pipeline
	studies  *study.Planner
	guard    *guard.Guard
	layers   *layers
	schemas  *schemas
	byRights *permitted
	examples *verifiedQueries
	tools    *tools.Set
	team     *team.Team
}

// New returns the service.
func New(config Config, deps Deps) (*Service, error) {
	config, err := config.Complete()
	if err != nil {
		return nil, err
	}
	if err := deps.check(); err != nil {
		return nil, err
	}
	p, err := pipeline.New(pipeline.Config{Threshold: config.Threshold})
	if err != nil {
		return nil, fmt.Errorf("text2sql: %w", err)
	}
	if deps.Clock == nil {
		deps.Clock = time.Now
	}
	if deps.Shared == nil {
		deps.Shared = small.InFile(examples.File(deps.DataDir))
	}
	verified, err := newVerifiedQueries(examples.NewStore(deps.Shared, config.MaxExamples))
	if err != nil {
		return nil, fmt.Errorf("text2sql: %w", err)
	}
	if deps.Log == nil {
		deps.Log = slog.Default()
	}
	s := &Service{
		config: config, deps: deps, pipeline: p, guard: guard.New(guard.Config{}),
		layers:  newLayers(deps, p),
		schemas: newSchemas(p), examples: verified, byRights: newPermitted(),
	}
	if s.studies, err = study.New(); err != nil {
		return nil, fmt.Errorf("text2sql: %w", err)
	}
	if err := s.assemble(); err != nil {
		return nil, fmt.Errorf("text2sql: %w", err)
	}
	return s, nil
}

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) {
	text2sqlv1.RegisterText2SQLServiceServer(r, s)
}

// Tools lists the tools that the team works with, for clients that call them
// themselves.
func (s *Service) Tools() *tools.Set { return s.tools }

// Close closes the store of verified queries.
func (s *Service) Close() error { return s.examples.store.Close() }

func (s *Service) now() time.Time { return s.deps.Clock() }

// maxTraceBytes bounds the run records that an answer carries.
const maxTraceBytes = 64 << 10

// GenerateSQL implements the rpc.
func (s *Service) GenerateSQL(req *text2sqlv1.GenerateSQLRequest, stream grpc.ServerStreamingServer[text2sqlv1.GenerateSQLResponse]) error {
	recorder := run.NewRecorder(maxTraceBytes)
	ctx := run.WithRecorder(stream.Context(), recorder)
	var sendErr error
	out, err := s.Execute(ctx, fromQuery(req.GetQuery()), func(member, message string, took time.Duration) {
		if sendErr == nil {
			sendErr = stream.Send(&text2sqlv1.GenerateSQLResponse{Event: &text2sqlv1.GenerateSQLResponse_Step{Step: &text2sqlv1.TeamStep{
				Member: member, Message: message, Milliseconds: float64(took) / float64(time.Millisecond),
			}}})
		}
	})
	if err != nil {
		return err
	}
	if sendErr != nil {
		return sendErr
	}
	result, err := s.toResult(ctx, req.GetQuery(), out)
	if err != nil {
		return err
	}
	return stream.Send(&text2sqlv1.GenerateSQLResponse{
		Event: &text2sqlv1.GenerateSQLResponse_Result{Result: result}, Trace: runpb.ToTrace(recorder),
	})
}

// GenerateSQLUnary implements the rpc.
func (s *Service) GenerateSQLUnary(ctx context.Context, req *text2sqlv1.GenerateSQLUnaryRequest) (*text2sqlv1.GenerateSQLUnaryResponse, error) {
	recorder := run.NewRecorder(maxTraceBytes)
	out, err := s.Execute(run.WithRecorder(ctx, recorder), fromQuery(req.GetQuery()), nil)
	if err != nil {
		return nil, err
	}
	result, err := s.toResult(ctx, req.GetQuery(), out)
	if err != nil {
		return nil, err
	}
	return &text2sqlv1.GenerateSQLUnaryResponse{Result: result, Trace: runpb.ToTrace(recorder)}, nil
}

// ParseQuestion implements the rpc.
func (s *Service) ParseQuestion(ctx context.Context, req *text2sqlv1.ParseQuestionRequest) (*text2sqlv1.ParseQuestionResponse, error) {
	in := fromQuery(req.GetQuery())
	in.Validate = false
	out, err := s.Execute(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	result, err := s.toResult(ctx, req.GetQuery(), out)
	if err != nil {
		return nil, err
	}
	return &text2sqlv1.ParseQuestionResponse{
		IntentJson: result.GetIntentJson(), Understood: result.GetUnderstood(),
		NotUnderstood: result.GetNotUnderstood(), Confidence: result.GetConfidence(),
	}, nil
}

// ListMetrics implements the rpc.
func (s *Service) ListMetrics(ctx context.Context, req *text2sqlv1.ListMetricsRequest) (*text2sqlv1.ListMetricsResponse, error) {
	source := cmp.Or(req.GetSource(), s.config.DefaultSource)
	held, err := s.layers.get(source)
	if err != nil {
		return nil, err
	}
	if held, err = s.permitted(ctx, source, held); err != nil {
		return nil, err
	}
	sees, err := s.seesMetrics(ctx, source, held.written)
	if err != nil {
		return nil, err
	}
	resp := &text2sqlv1.ListMetricsResponse{}
	if held.written == nil {
		return resp, nil
	}
	for _, m := range held.written.Metrics {
		if metric.Base(m.ID) == m.ID && sees(&m) { // the others are the same metrics in other tables
			resp.Metrics = append(resp.Metrics, toMetric(m))
		}
	}
	slices.SortFunc(resp.Metrics, func(a, b *text2sqlv1.Metric) int { return strings.Compare(a.GetId(), b.GetId()) })
	return resp, nil
}

func toMetric(m semantic.Metric) *text2sqlv1.Metric {
	return &text2sqlv1.Metric{
		Id: m.ID, NameEn: m.Names.EN, NameZh: m.Names.ZH, Description: cmp.Or(m.Description.EN, m.Description.ZH),
		Unit: m.Unit, Mart: m.Mart, Synonyms: m.Synonyms,
	}
}

func fromQuery(q *text2sqlv1.GenerateQuery) In {
	who := q.GetUserContext()
	in := In{
		Person: prompt.Asker(who.GetBackground(), who.GetDepartment(), who.GetEmail(), who.GetRegion()),
		Source: q.GetSource(), Question: q.GetUserQuestion(), Tables: catalogpb.ToTables(q.GetTables()), Chosen: q.GetChosenOptionId(),
		Previous: q.GetPreviousIntentJson(), FollowUp: cmp.Or(q.GetFollowUp(), q.GetUserQuestion()),
		Alone:     q.GetFollowUp() != "" && len(q.GetUserQuestion()) <= len(q.GetFollowUp()),
		ShowBasis: q.GetShowBasis(), Offer: q.GetOfferReadings(), Suggest: int(q.GetMaxSuggestions()),
		Validate: q.GetExecution() != text2sqlv1.Execution_EXECUTION_NONE,
		Probe:    q.GetExecution() == text2sqlv1.Execution_EXECUTION_PROBE, Candidates: int(q.GetMaxCandidates()),
		Unsaid: q.GetExecution() == text2sqlv1.Execution_EXECUTION_UNSPECIFIED,
	}
	for _, t := range q.GetGlossaryTerms() {
		in.Terms = append(in.Terms, catalogpb.ToTerm(t))
	}
	for _, r := range q.GetRules() {
		in.Rules = append(in.Rules, catalogpb.ToRule(r))
	}
	for _, t := range q.GetTried() {
		in.Tried = append(in.Tried, team.Finding{Class: team.ClassTried, SQL: t.GetSql(), Message: t.GetReason()})
	}
	switch q.GetStrategy() {
	case text2sqlv1.Strategy_STRATEGY_RULES:
		in.Strategy = StrategyRules
	case text2sqlv1.Strategy_STRATEGY_LLM:
		in.Strategy = StrategyLLM
	}
	switch who.GetLanguage() {
	case commonv1.Language_LANGUAGE_EN:
		in.Language = lang.English
	case commonv1.Language_LANGUAGE_ZH:
		in.Language = lang.Chinese
	}
	return in
}

// toResult translates, and tells metrics and spans what came of the question: one
// that was not answered is no error of the call.
func (s *Service) toResult(ctx context.Context, q *text2sqlv1.GenerateQuery, out Out) (*text2sqlv1.GenerateResult, error) {
	res := &text2sqlv1.GenerateResult{
		NotUnderstood: out.NotUnderstood, Confidence: min(max(out.Confidence, 0), 1), Metrics: prose.SafeAll(out.Metrics),
		Verified: toVerified(out.Verified), Changes: prose.SafeAll(out.Changes), Restatement: prose.Safe(out.Restatement), Suggestions: toSuggestions(out.Suggestions),
	}
	for _, w := range out.Warnings {
		res.Warnings = append(res.Warnings, &commonv1.Warning{Code: w.Code, Message: prose.Safe(w.Message)})
	}
	if out.Intent != nil {
		text, err := json.Marshal(out.Intent)
		if err != nil {
			return nil, fmt.Errorf("write intent: %w", err)
		}
		res.IntentJson = string(text)
	}
	for _, u := range out.Understood {
		res.Understood = append(res.Understood, &text2sqlv1.UnderstoodSpan{Text: u.Text, Kind: u.Kind, Meaning: prose.Safe(u.Meaning), Score: u.Score})
	}
	switch out.Outcome {
	case pipeline.Answered:
		res.Outcome = text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL
		res.Candidates = s.candidates(q, out)
	case pipeline.Asked:
		run.Conclude(ctx, run.OutcomeAsked)
		res.Outcome = text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK
		res.Question = toQuestion(out.Result, "generate_sql")
	default:
		run.Conclude(ctx, run.OutcomeAbstained)
		res.Outcome = text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN
		res.AbstainedReason = prose.Safe(out.Reason)
	}
	return res, nil
}

// betterEnds are the good ends of figures in the contract.
var betterEnds = map[semantic.Better]commonv1.BetterEnd{
	semantic.BetterHigh: commonv1.BetterEnd_BETTER_END_HIGH, semantic.BetterLow: commonv1.BetterEnd_BETTER_END_LOW,
}

func (s *Service) candidates(q *text2sqlv1.GenerateQuery, out Out) []*commonv1.SqlStatement {
	first := &commonv1.SqlStatement{Sql: out.SQL, Dialect: "presto", Reason: prose.Safe(out.Reason), Validated: out.Validated, Assumptions: prose.SafeAll(out.Assumptions)}
	for _, l := range out.Labels {
		first.Labels = append(first.Labels, &commonv1.ColumnLabel{Column: l.Column, Label: prose.Safe(prose.Line(l.Label)), Unit: prose.Safe(prose.Line(l.Unit)), Better: betterEnds[l.Better], Level: l.Level})
	}
	for _, t := range out.Tables {
		first.Tables = append(first.Tables, &commonv1.TableName{Name: t})
	}
	list := []*commonv1.SqlStatement{first}
	for i, c := range out.Further {
		if i >= s.config.MaxAlternatives || len(list) >= int(max(q.GetMaxCandidates(), 1)) {
			break
		}
		further := &commonv1.SqlStatement{Sql: c.SQL, Dialect: "presto", Reason: prose.Safe(c.Reason), Validated: c.Checked && out.Validated, Assumptions: prose.SafeAll(c.Assumptions)}
		for _, t := range c.Tables {
			further.Tables = append(further.Tables, &commonv1.TableName{Name: t})
		}
		list = append(list, further)
	}
	return list
}
