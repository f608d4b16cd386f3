package fixsql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/cost"
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
	// Instruction is what to change about it, in English or Chinese; empty: nothing.
	Instruction string
	Step        func(classes []string) // is told of each round; nil: nobody is
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
	Explained  bool // the engine explained it too
	Diff       string
	Unmet      []string // of the instruction
	Dangers    []Diagnostic
}

// Fix repairs a statement by pkg/sql/repair, and what rules leave by a model where one is
// configured. What could not be repaired is listed.
func (s *Service) Fix(ctx context.Context, p run.Principal, b Broken) (Repair, error) {
	desk, err := s.desk(ctx, b.Source, b.Tables)
	if err != nil {
		return Repair{}, err
	}
	options := repair.Options{
		Scopes: desk.scope, Known: b.Tables, Related: desk.related, Terms: s.repairTerms(desk), Error: b.ErrorInfo, Step: b.Step,
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
	var unmet []string
	if asked := b.asks(); asked != "" {
		if result, unmet, err = s.amend(ctx, b, asked, result, options); err != nil {
			return Repair{}, err
		}
	}
	r, err := s.judge(ctx, p, desk, result, b.Language)
	if err != nil {
		return Repair{}, err
	}
	if r.Unmet = unmet; len(unmet) > 0 {
		r.Certain, r.Confidence = false, r.Confidence/2
		told := s.words.say(b.Language, "not_changed", map[string]string{"clauses": list(b.Language, quoted(unmet))})
		if len(r.Changes) == 0 && r.Validated {
			r.Diagnosis = told
		} else {
			r.Diagnosis += b.Language.Pick(" ", "") + told
		}
	}
	if said != "" {
		r.Diagnosis += b.Language.Pick(" ", "") + said
	}
	if r.Validated && len(r.Changes) > 0 {
		s.explained(ctx, b, &r)
	}
	if r.Validated {
		r.Dangers, err = s.told(ctx, desk, r.SQL, b.Language)
	}
	return r, err
}

// explained has the engine explain a repaired statement where chat BI is there, as the
// asker. An engine that refuses it, though the catalog has no objection, makes it one that
// is still wrong; one that is away or slow changes nothing.
func (s *Service) explained(ctx context.Context, b Broken, r *Repair) {
	if s.deps.ChatBI == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ExplainTimeout)
	defer cancel()
	ctx, step := run.Start(ctx, "fixsql.explain_plan")
	source := b.Source
	if source == "" {
		source = s.config.DefaultSource
	}
	res, err := s.deps.ChatBI.EstimateCost(ctx, &chatbiv1.EstimateCostRequest{Source: source, Sql: r.SQL})
	step.End(err)
	switch status.Code(err) {
	case codes.OK:
		r.Explained = res.GetMethod() == explainMethod
	case codes.InvalidArgument:
		r.Validated, r.Certain, r.Confidence = false, false, r.Confidence/2
		said := prose.Safe(status.Convert(err).Message())
		r.Remaining = append(r.Remaining, Diagnostic{Code: fault.ReasonOf(err), Message: said})
		r.Diagnosis += b.Language.Pick(" ", "") + s.words.say(b.Language, "still_wrong", map[string]string{"n": "1", "first": said})
	}
}

// explainMethod is what chat BI calls an estimate that an engine's EXPLAIN gave.
const explainMethod = "explain"

func quoted(clauses []string) []string {
	out := make([]string, len(clauses))
	for i, c := range clauses {
		out[i] = code(c)
	}
	return out
}

// asks is what to change about the statement: the instruction, or what a message says that
// holds the statement and asks for such a change.
func (b Broken) asks() string {
	if b.Instruction != "" || b.ErrorInfo != "" {
		return b.Instruction
	}
	before, after, holds := strings.Cut(b.Question, strings.TrimSpace(b.SQL))
	if !holds || strings.TrimSpace(b.SQL) == "" {
		return ""
	}
	rest := strings.TrimSpace(strings.NewReplacer("```sql", " ", "```", " ").Replace(before + "\n" + after))
	rest = strings.Join(strings.Fields(rest), " ")
	if !repair.Asks(rest) {
		return ""
	}
	return rest
}

// amend carries an instruction out on the outcome of a repair.
func (s *Service) amend(ctx context.Context, b Broken, asked string, fixed repair.Result, o repair.Options) (repair.Result, []string, error) {
	o.Step = nil
	amended, err := repair.Amend(ctx, fixed.Text, asked, repair.AmendOptions{Options: o, Names: s.namesOf})
	if err != nil {
		return fixed, nil, err
	}
	if len(amended.Changes) == 0 {
		return fixed, amended.Unmet, nil
	}
	result := amended.Result
	result.Changes = append(slices.Clone(fixed.Changes), result.Changes...)
	result.Confidence = min(fixed.Confidence, result.Confidence)
	result.Diff = repair.Diff(b.SQL, result.Text)
	return result, amended.Unmet, nil
}

// namesOf are the codes of a country, by which it is mostly stored.
func (s *Service) namesOf(value string) []string {
	var out []string
	for _, m := range s.countries.Countries(value, nil) {
		if m.Start == 0 && m.End == len(value) && facet.IsCountry(m.Value) {
			out = append(out, m.Value)
		}
	}
	return out
}

// told are the dangers of a valid statement that a repair is asked about.
func (s *Service) told(ctx context.Context, desk *desk, sql string, l lang.Language) ([]Diagnostic, error) {
	stmt, err := parser.Parse(sql)
	if err != nil || stmt.Query == nil {
		return nil, nil //nolint:nilerr // the check has told of it
	}
	scope, err := desk.scope(ctx, stmt)
	if err != nil {
		return nil, err
	}
	resolution, _ := resolve.Resolve(stmt, scope)
	r := reader{words: s.words, language: l, resolution: resolution, options: cost.Options{Now: run.From(ctx).Now}}
	dangers, err := r.dangers(true)
	if err != nil {
		return nil, err
	}
	lacking, err := s.lacking(ctx, desk, stmt, r)
	dangers = append(dangers, lacking...)
	return dangers[:min(len(dangers), s.config.MaxDiagnostics)], err
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
