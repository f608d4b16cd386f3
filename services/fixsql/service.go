// Package fixsql repairs, checks, translates, lays out and explains Presto SQL, as
// the asker may see the catalog. The repairs themselves are pkg/sql/repair.
//
// service.go and service_text.go speak gRPC; fix.go, explain.go and danger.go do the
// work; words.yaml has the sentences.
package fixsql

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/fixsql/llm"
)

// Service implements fixsqlv1.FixSQLServiceServer.
type Service struct {
	fixsqlv1.UnimplementedFixSQLServiceServer

	config Config
	deps   Deps
	guard  *guard.Guard
	words  words
	model  *llm.Repairer // nil: rules alone

	countries *facet.Reader
}

// New returns the service.
func New(config Config, deps Deps) (*Service, error) {
	config, err := config.Complete()
	if err != nil {
		return nil, err
	}
	if deps.Catalog == nil {
		return nil, errors.New("fixsql needs a catalog client")
	}
	s := &Service{config: config, deps: deps, guard: guard.New(guard.Config{})}
	if s.words, err = loadWords(); err != nil {
		return nil, err
	}
	if s.countries, err = facet.NewReader(); err != nil {
		return nil, err
	}
	if config.Strategy == StrategyLLM && deps.Model != nil {
		if s.model, err = llm.New(config.Model, deps.Model); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { fixsqlv1.RegisterFixSQLServiceServer(r, s) }

// Close is there because every service has it; this one holds nothing open.
func (s *Service) Close() error { return nil }

// FixSQL implements fixsqlv1.FixSQLServiceServer.
func (s *Service) FixSQL(ctx context.Context, req *fixsqlv1.FixSQLRequest) (*fixsqlv1.FixSQLResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	return s.fix(ctx, p, req, nil)
}

// FixSQLStream implements fixsqlv1.FixSQLServiceServer.
func (s *Service) FixSQLStream(req *fixsqlv1.FixSQLStreamRequest, stream grpc.ServerStreamingServer[fixsqlv1.FixSQLStreamResponse]) error {
	p, err := principal(stream.Context())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	round := int32(0)
	res, err := s.fix(ctx, p, req.GetQuery(), func(classes []string) {
		round++
		event := &fixsqlv1.FixSQLStreamResponse_Step{Step: &fixsqlv1.FixStep{Round: round, ClassIds: classes}}
		if err := stream.Send(&fixsqlv1.FixSQLStreamResponse{Event: event}); err != nil {
			cancel(err) // nobody listens any more
		}
	})
	if err != nil {
		return err
	}
	return stream.Send(&fixsqlv1.FixSQLStreamResponse{Event: &fixsqlv1.FixSQLStreamResponse_Result{Result: res}})
}

// fix repairs and says what came of it. step is told of each round; it may be nil.
func (s *Service) fix(ctx context.Context, p run.Principal, req *fixsqlv1.FixSQLRequest, step func(classes []string)) (*fixsqlv1.FixSQLResponse, error) {
	language := languageOf(req.GetUserContext(), req.GetUserQuestion()+req.GetInstruction())
	ctx, inner, recorder := begin(ctx, "fixsql.fix")
	repaired, err := s.Fix(ctx, p, Broken{
		Source: req.GetSource(), SQL: req.GetSql(), ErrorInfo: req.GetErrorInfo(), Tables: catalogpb.ToTables(req.GetTables()),
		Language: language, Step: step, Question: req.GetUserQuestion(), Instruction: req.GetInstruction(),
	})
	inner.End(err)
	if err != nil {
		return nil, err
	}
	if len(repaired.Remaining) > 0 {
		run.Conclude(ctx, run.OutcomeAbstained)
	}
	res := &fixsqlv1.FixSQLResponse{
		Fixed: &commonv1.SqlStatement{
			Sql: repaired.SQL, Reason: prose.Safe(repaired.Diagnosis), Tables: fromNames(repaired.Tables), Validated: repaired.Validated,
		},
		Changed: len(repaired.Changes) > 0, Diagnosis: prose.Safe(repaired.Diagnosis), Remaining: fromDiagnostics(repaired.Remaining),
		Confidence: repaired.Confidence, Certain: repaired.Certain, Diff: repaired.Diff, Trace: runpb.ToTrace(recorder),
	}
	res.Unmet, res.Dangers = repaired.Unmet, fromDiagnostics(repaired.Dangers)
	if repaired.Validated {
		res.ValidatedBy = fixsqlv1.SqlValidator_SQL_VALIDATOR_RESOLVER
		if repaired.Explained {
			res.ValidatedBy = fixsqlv1.SqlValidator_SQL_VALIDATOR_EXPLAIN
		}
	}
	for _, c := range repaired.Changes {
		res.Changes = append(res.Changes, &fixsqlv1.SqlChange{
			ErrorClass: c.Class.Code, ClassId: c.Class.ID, Message: prose.Safe(c.Message(language)), Before: c.Before, After: c.After,
			Position:   &commonv1.SqlPosition{Line: int32(c.Line), Column: int32(c.Column)},
			Confidence: c.Confidence, StartByte: int64(c.Start), EndByte: int64(c.End),
		})
	}
	for _, c := range repaired.Candidates {
		var messages []string
		for _, change := range c.Changes {
			messages = append(messages, change.Message(language))
		}
		res.Candidates = append(res.Candidates, &fixsqlv1.SqlCandidate{Sql: c.Text, Message: prose.Safe(strings.Join(messages, language.Pick(" ", "")))})
	}
	return res, nil
}

// ExplainSQL implements fixsqlv1.FixSQLServiceServer.
func (s *Service) ExplainSQL(ctx context.Context, req *fixsqlv1.ExplainSQLRequest) (*fixsqlv1.ExplainSQLResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	ctx, step, recorder := begin(ctx, "fixsql.explain")
	x, err := s.Explain(ctx, p, req.GetSource(), req.GetSql(), languageOf(req.GetUserContext(), ""))
	step.End(err)
	if err != nil {
		return nil, err
	}
	res := &fixsqlv1.ExplainSQLResponse{Explanation: prose.Safe(x.Markdown), Grain: x.Grain, Dangers: fromDiagnostics(x.Dangers), Trace: runpb.ToTrace(recorder)}
	for _, t := range x.Tables {
		res.Tables = append(res.Tables, t.String())
	}
	return res, nil
}

// CheckSQL implements fixsqlv1.FixSQLServiceServer.
func (s *Service) CheckSQL(ctx context.Context, req *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	desk, err := s.desk(ctx, req.GetSource(), nil)
	if err != nil {
		return nil, err
	}
	found, _, err := s.check(ctx, p, desk, req.GetSql())
	if err != nil {
		return nil, err
	}
	return &fixsqlv1.CheckSQLResponse{Diagnostics: fromDiagnostics(found)}, nil
}

func begin(ctx context.Context, name string) (context.Context, *run.Step, *run.Recorder) {
	recorder := run.NewRecorder(run.DefaultTraceBytes)
	ctx, step := run.Start(run.WithRecorder(ctx, recorder), name)
	return ctx, step, recorder
}

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

func fromNames(names []catalog.Name) []*commonv1.TableName {
	out := make([]*commonv1.TableName, 0, len(names))
	for _, n := range names {
		out = append(out, &commonv1.TableName{Name: n.String()})
	}
	return out
}

func fromDiagnostics(diagnostics []Diagnostic) []*commonv1.SqlDiagnostic {
	out := make([]*commonv1.SqlDiagnostic, 0, len(diagnostics))
	for _, d := range diagnostics {
		m := &commonv1.SqlDiagnostic{Code: d.Code, Message: prose.Safe(d.Message), Suggestions: d.Suggestions}
		if d.Line > 0 {
			m.Position = &commonv1.SqlPosition{Line: int32(d.Line), Column: int32(d.Column)}
		}
		out = append(out, m)
	}
	return out
}
