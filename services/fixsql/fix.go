package fixsql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Broken is a statement to repair.
type Broken struct {
	Source    string
	SQL       string
	ErrorInfo string // the engine's error text; empty: none
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

// Fix repairs a statement by pkg/sql/repair. What it could not repair is listed.
func (s *Service) Fix(ctx context.Context, p run.Principal, b Broken) (Repair, error) {
	desk, err := s.desk(ctx, b.Source, b.Tables)
	if err != nil {
		return Repair{}, err
	}
	result, err := repair.Run(ctx, b.SQL, repair.Options{
		Scopes: desk.scope, Known: b.Tables, Error: b.ErrorInfo, Step: b.Step,
		MaxRounds: s.config.MaxRounds, MaxChanges: s.config.MaxChanges, MaxCandidates: s.config.MaxSuggestions,
	})
	if err != nil {
		return Repair{}, err
	}
	return s.judge(ctx, p, desk, result, b.Language)
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
