package fixsql

import (
	"context"
	"errors"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/lint"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
)

// TranslateSQL implements fixsqlv1.FixSQLServiceServer. It translates twice: the tables
// whose types the second time needs can be read off the first outcome only.
func (s *Service) TranslateSQL(ctx context.Context, req *fixsqlv1.TranslateSQLRequest) (*fixsqlv1.TranslateSQLResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	dialect := trino.DialectUnknown
	if name := req.GetFromDialect(); name != "" {
		if dialect, err = trino.ParseDialect(name); err != nil {
			return nil, fault.Invalid("from_dialect", "DIALECT_UNKNOWN", "%v", err)
		}
	}
	desk, err := s.desk(ctx, req.GetSource(), nil)
	if err != nil {
		return nil, err
	}
	first, err := trino.From(dialect, req.GetSql(), trino.Options{})
	if err != nil {
		return nil, err
	}
	out := first
	if first.Statement != nil {
		scope, err := desk.scope(ctx, first.Statement)
		if err != nil {
			return nil, err
		}
		if out, err = trino.From(dialect, req.GetSql(), trino.Options{Scope: scope}); err != nil {
			return nil, err
		}
	}
	res := &fixsqlv1.TranslateSQLResponse{Sql: out.Text}
	for _, c := range out.Changes {
		res.Changes = append(res.Changes, remark(c.Rule, c.Message, c.Line, c.Column))
	}
	for _, w := range out.Warnings {
		res.Warnings = append(res.Warnings, remark(w.Rule, w.Message, w.Line, w.Column))
	}
	found, _, err := s.check(ctx, p, desk, out.Text)
	if err != nil {
		return nil, err
	}
	res.Diagnostics = fromDiagnostics(found)
	return res, nil
}

func remark(rule, message string, line, column int) *fixsqlv1.SqlRemark {
	return &fixsqlv1.SqlRemark{Rule: rule, Message: prose.Safe(message), Position: &commonv1.SqlPosition{Line: int32(line), Column: int32(column)}}
}

// FormatSQL implements fixsqlv1.FixSQLServiceServer.
func (s *Service) FormatSQL(ctx context.Context, req *fixsqlv1.FormatSQLRequest) (*fixsqlv1.FormatSQLResponse, error) {
	if _, err := principal(ctx); err != nil {
		return nil, err
	}
	stmt, err := parser.Parse(req.GetSql())
	if err != nil {
		return nil, err
	}
	text := req.GetSql()
	if stmt.Query != nil || stmt.Show != nil || stmt.Explain != nil {
		text = printer.Layout(stmt)
	}
	return &fixsqlv1.FormatSQLResponse{Sql: text, Changed: text != req.GetSql()}, nil
}

// LintSQL implements fixsqlv1.FixSQLServiceServer.
func (s *Service) LintSQL(ctx context.Context, req *fixsqlv1.LintSQLRequest) (*fixsqlv1.LintSQLResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	desk, err := s.desk(ctx, req.GetSource(), nil)
	if err != nil {
		return nil, err
	}
	wrong, _, err := s.check(ctx, p, desk, req.GetSql())
	if err != nil {
		return nil, err
	}
	res := &fixsqlv1.LintSQLResponse{Diagnostics: fromDiagnostics(wrong)}
	stmt, err := parser.Parse(req.GetSql())
	var unread *parser.Error
	if errors.As(err, &unread) {
		return res, nil // the diagnostics tell of it
	}
	if err != nil {
		return nil, err
	}
	scope, err := desk.scope(ctx, stmt)
	if err != nil {
		return nil, err
	}
	resolution, _ := resolve.Resolve(stmt, scope)
	findings, err := lint.Check(resolution, lint.Options{
		Enable: req.GetEnable(), Disable: req.GetDisable(), Catalog: len(wrong) == 0, Now: run.From(ctx).Now,
	})
	if err != nil {
		return nil, fault.Invalid("enable", "RULE_UNKNOWN", "%v: `dibrain sql check --rules` lists them", err)
	}
	for _, f := range findings[:min(len(findings), s.config.MaxDiagnostics)] {
		line, column := f.Node.Span().Position()
		res.Findings = append(res.Findings, fromFinding(f, line, column))
	}
	return res, nil
}

// fromFinding is a finding of the linter, which may name columns as they are stored.
func fromFinding(f lint.Finding, line, column int) *fixsqlv1.LintFinding {
	return &fixsqlv1.LintFinding{
		Rule: f.Rule.ID, Message: prose.Safe(f.Message), Instead: f.Rule.Instead,
		Position: &commonv1.SqlPosition{Line: int32(line), Column: int32(column)},
	}
}
