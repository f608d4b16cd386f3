package fixsql

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
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
	Changes    []Change
	Remaining  []Diagnostic
	Tables     []catalog.Name
	Diagnosis  string
	Confidence float64
	Validated  bool
	Diff       string
}

// Change is one change, in terms of the original text.
type Change struct {
	Class, Message, Before, After string
	Line, Column                  int
}

// Fix repairs a statement: marks and functions of other dialects first, which may
// keep it from being read at all, then what the resolver finds, until nothing is
// left or nothing helps. What it could not repair is listed.
func (s *Service) Fix(ctx context.Context, p run.Principal, b Broken) (Repair, error) {
	d := newDraft(b.SQL)
	desk, err := s.desk(ctx, b.Source, b.Tables)
	if err != nil {
		return Repair{}, err
	}
	runtimeDone := false
	for range s.config.MaxRounds {
		if len(d.changes) >= s.config.MaxChanges || ctx.Err() != nil {
			break
		}
		if d.translate(resolve.Scope{}) {
			continue
		}
		stmt, res, diagnostics, scope, err := s.read(ctx, desk, d.text)
		if err != nil {
			return Repair{}, err
		}
		if stmt == nil {
			break
		}
		if len(diagnostics) > 0 && d.translate(scope) {
			continue
		}
		if d.apply(treeEdits(stmt, res, scope, diagnostics)) {
			continue
		}
		// The engine's own error is about a statement that is valid otherwise.
		if class := errorName(b.ErrorInfo); class != "" && !runtimeDone {
			runtimeDone = true
			if d.apply(runtimeEdits(stmt, class)) {
				continue
			}
		}
		break
	}
	return s.judge(ctx, p, desk, d, b.Language)
}

// read parses and resolves. The statement is nil where the text cannot be read.
func (s *Service) read(ctx context.Context, desk *desk, text string) (*tree.Statement, *resolve.Resolution, []resolve.Diagnostic, resolve.Scope, error) {
	stmt, err := parser.Parse(text)
	if err != nil || stmt.Kind != tree.KindQuery {
		return nil, nil, nil, resolve.Scope{}, nil //nolint:nilerr // the guard tells of it in judge
	}
	scope, err := desk.scope(ctx, stmt)
	if err != nil {
		return nil, nil, nil, scope, err
	}
	res, diagnostics := resolve.Resolve(stmt, scope)
	return stmt, res, diagnostics, scope, nil
}

// judge checks the repaired statement as it would be checked before it runs.
func (s *Service) judge(ctx context.Context, p run.Principal, desk *desk, d *draft, l lang.Language) (Repair, error) {
	r := Repair{SQL: d.text, Confidence: 1, Diff: unifiedDiff(d.original.Text(), d.text)}
	remaining, tables, err := s.check(ctx, p, desk, d.text)
	if err != nil {
		return Repair{}, err
	}
	r.Remaining, r.Tables, r.Validated = remaining, tables, len(remaining) == 0
	var reasons []string
	for _, c := range d.sorted() {
		args := map[string]string{"before": c.before, "after": c.text}
		for k, v := range c.args {
			args[k] = v
		}
		message := s.words.say(l, c.why, args)
		r.Changes = append(r.Changes, Change{Class: c.class, Message: message, Before: c.before, After: c.text, Line: c.line, Column: c.column})
		r.Confidence = min(r.Confidence, c.certainty)
		reasons = append(reasons, message)
	}
	switch {
	case len(r.Changes) == 0 && r.Validated:
		r.Diagnosis = s.words.say(l, "nothing_wrong", nil)
	case len(r.Changes) == 0:
		r.Confidence = 0
		r.Diagnosis = s.words.say(l, "not_fixed", map[string]string{"first": remaining[0].Message}) + s.candidates(l, remaining[0])
	case r.Validated:
		r.Diagnosis = strings.Join(reasons, l.Pick(" ", ""))
	default:
		r.Confidence /= 2
		r.Diagnosis = strings.Join(reasons, l.Pick(" ", "")) + l.Pick(" ", "") + s.words.say(l, "still_wrong", map[string]string{"n": fmt.Sprint(len(remaining)), "first": remaining[0].Message}) + s.candidates(l, remaining[0])
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
			d.Suggestions = columnsNear(stmt, res, c.Parts[len(c.Parts)-1].Name)
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
