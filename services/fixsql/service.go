// Package fixsql repairs, checks and explains Presto SQL. A repair is the
// smallest change that makes a statement valid: each rule edits the text in
// place, and all that no rule touches stays byte for byte.
//
// service.go speaks gRPC; fix.go, explain.go and the rule_ and danger_ files do
// the work, a class of errors a file; rules/ and words.yaml are the data.
package fixsql

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/pkg/sql/guard"
)

// Service implements fixsqlv1.FixSQLServiceServer.
type Service struct {
	fixsqlv1.UnimplementedFixSQLServiceServer

	config Config
	deps   Deps
	guard  *guard.Guard
	words  words
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
	ctx, step, recorder := begin(ctx, "fixsql.fix")
	repair, err := s.Fix(ctx, p, Broken{
		Source: req.GetSource(), SQL: req.GetSql(), ErrorInfo: req.GetErrorInfo(), Tables: catalogpb.ToTables(req.GetTables()),
		Language: languageOf(req.GetUserContext(), req.GetUserQuestion()),
	})
	step.End(err)
	if err != nil {
		return nil, err
	}
	if len(repair.Remaining) > 0 {
		run.Conclude(ctx, run.OutcomeAbstained)
	}
	res := &fixsqlv1.FixSQLResponse{
		Fixed: &commonv1.SqlStatement{
			Sql: repair.SQL, Reason: prose.Safe(repair.Diagnosis), Tables: fromNames(repair.Tables), Validated: repair.Validated,
		},
		Changed: len(repair.Changes) > 0, Diagnosis: prose.Safe(repair.Diagnosis), Remaining: fromDiagnostics(repair.Remaining),
		Confidence: repair.Confidence, Diff: repair.Diff, Trace: runpb.ToTrace(recorder),
	}
	for _, c := range repair.Changes {
		res.Changes = append(res.Changes, &fixsqlv1.SqlChange{
			ErrorClass: c.Class, Message: prose.Safe(c.Message), Before: c.Before, After: c.After,
			Position: &commonv1.SqlPosition{Line: int32(c.Line), Column: int32(c.Column)},
		})
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
