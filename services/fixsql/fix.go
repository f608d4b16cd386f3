package fixsql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/fixsql/llm"
)

// Broken is a statement to repair.
type Broken struct {
	Source    string
	SQL       string
	ErrorInfo string // the engine's error text; empty: none
	Question  string // that the statement should answer; empty: unknown
	Tables    []catalog.Table
	Language  lang.Language
	Step      func(classes []string) // is told of each round; nil: nobody is
}

// Diagnostic is an error, or a danger, of a statement.
type Diagnostic struct {
	Code         string
	Message      string
	Line, Column int // from 1; 0: none
	Suggestions  []string
}

// Repair is what came of a Broken.
type Repair struct {
	SQL        string
	Changes    []repair.Change
	Candidates []repair.Candidate
	Remaining  []Diagnostic
	Tables     []catalog.Name
	Diagnosis  string
	Confidence float64
	Certain    bool
	Validated  bool
	Diff       string
}

// Fix repairs a statement by pkg/sql/repair, and what rules leave by a model where one is
// configured. What could not be repaired is listed.
func (s *Service) Fix(ctx context.Context, p run.Principal, b Broken) (Repair, error) {
	desk, err := s.desk(ctx, b.Source, b.Tables)
	if err != nil {
		return Repair{}, err
	}
	options := repair.Options{
		Scopes: desk.scope, Known: b.Tables, Related: desk.related, Error: b.ErrorInfo, Step: b.Step,
		MaxRounds: s.config.MaxRounds, MaxChanges: s.config.MaxChanges, MaxCandidates: s.config.MaxSuggestions,
	}
	result, err := repair.Run(ctx, b.SQL, options)
	if err != nil {
		return Repair{}, err
	}
	said := ""
	if !result.Valid() && s.model != nil {
		if result, said, err = s.askModel(ctx, b, desk, result, options); err != nil {
			return Repair{}, err
		}
	}
	r, err := s.judge(ctx, p, desk, result, b.Language)
	if err == nil && said != "" {
		r.Diagnosis += b.Language.Pick(" ", "") + said
	}
	return r, err
}

// askModel has a model repair what rules left. said tells, in the asker's language, that
// it was not asked or gave nothing that can be used.
func (s *Service) askModel(ctx context.Context, b Broken, desk *desk, left repair.Result, o repair.Options) (_ repair.Result, said string, err error) {
	ctx, step := run.Start(budget.Ensure(ctx, s.deps.ModelBudget), "fixsql.model")
	result, why, changed, err := s.model.Repair(ctx, llm.Left{Result: left, Question: b.Question, Tables: desk.known, Language: b.Language}, o)
	step.End(err)
	switch reason, fallsBack := chat.FallBack(ctx, err); {
	case fallsBack && reason == chat.ReasonMalformed:
		return left, s.words.say(b.Language, "model_refused", nil), nil
	case fallsBack:
		return left, s.words.say(b.Language, "model_failed", nil), nil
	}
	if err != nil {
		return left, "", err
	}
	if !changed && why != "" {
		said = s.words.say(b.Language, "model_said", map[string]string{"why": why})
	}
	if changed { // the changes are those of the statement that came
		result.Diff = repair.Diff(b.SQL, result.Text)
	}
	return result, said, nil
}

// judge checks the repaired statement as it would be checked before it runs.
func (s *Service) judge(ctx context.Context, p run.Principal, desk *desk, result repair.Result, l lang.Language) (Repair, error) {
	r := Repair{SQL: result.Text, Confidence: result.Confidence, Diff: result.Diff, Changes: result.Changes, Candidates: result.Candidates}
	remaining, tables, err := s.check(ctx, p, desk, result.Text)
	if err != nil {
		return Repair{}, err
	}
	r.Remaining, r.Tables, r.Validated = remaining, tables, len(remaining) == 0
	if !r.Validated && result.Valid() && len(r.Changes) > 0 {
		r.Confidence /= 2 // the guard refuses what the resolver takes
	}
	r.Certain = r.Validated && r.Confidence >= repair.Certain
	var reasons []string
	for _, c := range r.Changes {
		if message := c.Message(l); !slices.Contains(reasons, message) {
			reasons = append(reasons, message)
		}
	}
	told := strings.Join(reasons, l.Pick(" ", ""))
	switch {
	case len(r.Changes) == 0 && r.Validated:
		r.Diagnosis = s.words.say(l, "nothing_wrong", nil)
	case len(r.Changes) == 0:
		r.Confidence = 0
		r.Diagnosis = s.words.say(l, "not_fixed", map[string]string{"first": remaining[0].Message}) + s.candidates(l, remaining[0])
	case r.Validated:
		r.Diagnosis = told
	default:
		r.Diagnosis = told + l.Pick(" ", "") + s.words.say(l, "still_wrong", map[string]string{"n": fmt.Sprint(len(remaining)), "first": remaining[0].Message}) + s.candidates(l, remaining[0])
	}
	if r.Validated && !r.Certain && len(r.Changes) > 0 {
		r.Diagnosis += l.Pick(" ", "") + s.words.say(l, "not_certain", nil)
	}
	return r, nil
}

// check returns every error of a statement, none for a valid one.
func (s *Service) check(ctx context.Context, p run.Principal, desk *desk, text string) ([]Diagnostic, []catalog.Name, error) {
	scope := resolve.Scope{}
	stmt, err := parser.Parse(text)
	if err == nil {
		if scope, err = desk.scope(ctx, stmt); err != nil {
			return nil, nil, err
		}
	}
	approved, err := s.guard.Approve(ctx, p, text, scope)
	if err == nil {
		return nil, approved.Tables(), nil
	}
	var refusal *guard.Refusal
	if !errors.As(err, &refusal) {
		return nil, nil, err
	}
	if len(refusal.Diagnostics) == 0 {
		return []Diagnostic{s.bounded(Diagnostic{
			Code: refusal.Code, Message: refusal.Message, Line: refusal.Line, Column: refusal.Column, Suggestions: refusal.Suggestions,
		})}, nil, nil
	}
	var out []Diagnostic
	var res *resolve.Resolution
	for _, d := range refusal.Diagnostics[:min(len(refusal.Diagnostics), s.config.MaxDiagnostics)] {
		if c, ok := d.Node.(*tree.ColumnRef); ok && d.Code == resolve.ColumnNotFound && len(d.Suggestions) == 0 && stmt != nil {
			if res == nil {
				res, _ = resolve.Resolve(stmt, scope)
			}
			d.Suggestions = repair.ColumnsNear(stmt, res, c.Parts[len(c.Parts)-1].Name)
		}
		out = append(out, s.bounded(Diagnostic{Code: string(d.Code), Message: d.Message, Line: d.Line, Column: d.Column, Suggestions: d.Suggestions}))
	}
	return out, nil, nil
}

// candidates names what may be meant by a name that is not there.
func (s *Service) candidates(l lang.Language, d Diagnostic) string {
	if len(d.Suggestions) == 0 {
		return ""
	}
	return l.Pick(" ", "") + s.words.say(l, "candidates", map[string]string{"names": strings.Join(d.Suggestions, l.Pick(", ", "、"))})
}

func (s *Service) bounded(d Diagnostic) Diagnostic {
	d.Suggestions = d.Suggestions[:min(len(d.Suggestions), s.config.MaxSuggestions)]
	return d
}
