package team

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// Evaluator checks a draft, repairs it where the move says so, and chooses.
type Evaluator interface {
	Evaluate(ctx context.Context, b *Board) (Verdict, error)
}

// Fixer repairs a statement by rules. changed is false where it could do nothing;
// the statement that it returns may still be wrong.
type Fixer interface {
	Fix(ctx context.Context, task *Task, sql, errorText string) (fixed string, changed bool, err error)
}

// RulesEvaluator checks with the tools and repairs by rules.
type RulesEvaluator struct {
	Tools *tools.Set
	Fixer Fixer // nil: nothing is repaired but spellings of values
}

// Evaluate implements Evaluator.
func (e RulesEvaluator) Evaluate(ctx context.Context, b *Board) (Verdict, error) {
	if b.Move.Repair {
		b.Repairs++
		if err := e.Repair(ctx, b); err != nil {
			return Verdict{}, err
		}
	}
	if err := e.Check(ctx, b); err != nil {
		return Verdict{}, err
	}
	return Choose(b), nil
}

// Repair replaces candidates that have a problem by repaired ones, which are to be
// checked anew. One that rules cannot change stays.
func (e RulesEvaluator) Repair(ctx context.Context, b *Board) error {
	if e.Fixer == nil {
		return nil
	}
	for i := range b.Draft.Candidates {
		c := &b.Draft.Candidates[i]
		if c.Problem == nil {
			continue
		}
		fixed, changed, err := e.Fixer.Fix(ctx, &b.Task, c.SQL, c.Problem.Class+": "+c.Problem.Message)
		if err != nil {
			return err
		}
		if changed {
			c.Replace(fixed)
		}
	}
	return nil
}

// Replace puts another statement in the place of a candidate's.
func (c *Candidate) Replace(sql string) {
	*c = Candidate{SQL: sql, Reason: c.Reason, By: c.By, Confidence: c.Confidence * repairedFactor, Assumptions: c.Assumptions}
}

// repairedFactor is what a repaired statement keeps of its confidence.
const repairedFactor = 0.9

// Check looks at every candidate that was not looked at.
func (e RulesEvaluator) Check(ctx context.Context, b *Board) error {
	for i := range b.Draft.Candidates {
		if c := &b.Draft.Candidates[i]; !c.Checked {
			if err := e.check(ctx, b, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxRewrites of one statement before it is looked at: spellings of values, divisions, medians.
const maxRewrites = 3

func (e RulesEvaluator) check(ctx context.Context, b *Board, c *Candidate) error {
	c.Checked = true
	if b.Task.Mode == ModeNone {
		return nil
	}
	var last tools.Validation
	for rewrites := 0; ; rewrites++ {
		v, err := e.Tools.ValidateOver(ctx, tools.StatementArgs{Source: b.Task.Source, SQL: c.SQL}, b.Task.Tables)
		if err != nil {
			return err
		}
		if !v.Valid {
			c.Problem = b.problem(c.SQL, v.Problems)
			return nil
		}
		c.Tables, c.Canonical, c.Constants = v.Tables, strings.ToLower(printer.Print(v.Statement)), v.Constants
		last = v
		text, changed := b.spell(c)
		if !changed && c.By == ByModel && len(v.Exact) > 0 {
			text, changed = tools.Insert(c.SQL, v.Exact), true
		}
		if !changed && c.By == ByModel {
			text, changed = b.exactMedian(c.SQL, v.Statement, v.Tables)
		}
		if !changed || rewrites == maxRewrites {
			break
		}
		c.SQL = text // its values now are written as they are stored, it divides exactly, or its median is exact
	}
	if c.By == ByModel && len(last.Tables) == 0 {
		c.Problem = &Finding{Class: ClassReadsNothing, Message: b.say("reads_nothing"), SQL: c.SQL}
		return nil
	}
	for _, f := range last.FanOuts {
		c.Doubts = append(c.Doubts, Finding{Class: ClassFanOut, Message: b.say("fan_out", f.By, f.Table, f.Aggregate), SQL: c.SQL})
	}
	if c.By == ByModel {
		c.Doubts = append(c.Doubts, b.texts(c.SQL, last.Texts)...)
		if b.odd(c, last.Odds); c.Problem != nil {
			return nil
		}
	}
	if b.Task.Mode < ModeProbe {
		return nil
	}
	return e.try(ctx, b, c, &last)
}

// odd tells of places where a statement is hardly meant as it stands. What can be meant by
// nobody is a problem, the rest a doubt: which tables belong together, and by which columns,
// the catalog may not know.
func (b *Board) odd(c *Candidate, list []tools.Odd) {
	for _, o := range list {
		switch o.Kind {
		case tools.OddNull:
			c.Problem = &Finding{Class: ClassNullCompared, Message: b.say("null_compared", o.A), SQL: c.SQL}
		case tools.OddName:
			c.Problem = &Finding{Class: ClassNameAsText, Message: b.say("name_as_text", o.A), SQL: c.SQL}
		case tools.OddUnjoined:
			c.Doubts = append(c.Doubts, Finding{Class: ClassUnjoined, Message: b.say("unjoined", o.A, o.B), SQL: c.SQL})
		case tools.OddApart:
			c.Doubts = append(c.Doubts, Finding{Class: ClassApart, Message: b.say("apart", o.A, o.B), SQL: c.SQL})
		}
	}
}

// try runs a candidate and looks at what came.
func (e RulesEvaluator) try(ctx context.Context, b *Board, c *Candidate, v *tools.Validation) error {
	rows, err := e.Tools.Run(ctx, tools.ExecuteArgs{Source: b.Task.Source, SQL: c.SQL, MaxRows: b.cfg.ProbeRows})
	if err != nil {
		if errors.Is(err, tools.ErrNotRun) {
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		class, ok := classOf(err)
		if !ok {
			return err
		}
		c.Problem = &Finding{Class: class, Message: err.Error(), SQL: c.SQL}
		return nil
	}
	c.Result = &rows
	c.Doubts = append(c.Doubts, b.diagnose(c)...)
	if c.By == ByModel && len(rows.Rows) > 0 {
		return e.ties(ctx, b, c, v)
	}
	return nil
}

// ties looks whether rows beyond the limit of a ranking are equal to its last one. What
// cannot be tried says nothing.
func (e RulesEvaluator) ties(ctx context.Context, b *Board, c *Candidate, v *tools.Validation) error {
	all, ok := tools.WithTies(c.SQL, v.Statement)
	if !ok || c.Result.Truncated {
		return nil
	}
	rows, err := e.Tools.Run(ctx, tools.ExecuteArgs{Source: b.Task.Source, SQL: all, MaxRows: b.cfg.ProbeRows})
	if err != nil {
		return ctx.Err()
	}
	if n := len(rows.Rows); n > len(c.Result.Rows) {
		c.Doubts = append(c.Doubts, Finding{Class: ClassTies, Message: b.say("ties", n-len(c.Result.Rows)+1), SQL: c.SQL})
	}
	return nil
}

// problem makes one finding of what validation says.
func (b *Board) problem(sql string, problems []tools.Problem) *Finding {
	f := &Finding{Class: problems[0].Class, SQL: sql}
	var messages []string
	for i, p := range problems {
		if i == maxTold {
			break
		}
		text := p.Message
		if len(p.Suggestions) > 0 {
			text += " (" + strings.Join(p.Suggestions, ", ") + "?)"
			f.Near = append(f.Near, p.Suggestions...)
		}
		messages = append(messages, text)
	}
	f.Message = strings.Join(messages, "; ")
	return f
}

// maxTold bounds the mistakes of one statement that are told.
const maxTold = 5

// classOf is the class of an error of an engine or the guard; ok is false for
// errors that say nothing about the statement.
func classOf(err error) (class string, ok bool) {
	var engine *warehouse.Error
	if errors.As(err, &engine) {
		return engine.Name, true
	}
	var refusal *guard.Refusal
	if errors.As(err, &refusal) {
		return refusal.Code, true
	}
	if own := fault.FromStatus(err); own != nil && own.Reason != "" {
		return own.Reason, true
	}
	return "", false
}

// Choose compares the candidates that hold and takes the best: most agreement
// first, then the order in which they were written. Where none holds the first
// one's problem is the finding. Among candidates of a model those of rules have no
// vote: what the model is asked next follows from its own words alone, and is the
// same however rules come to read the question.
func Choose(b *Board) Verdict {
	list := b.Draft.Candidates
	var holding []int
	for i := range list {
		if list[i].holds() {
			holding = append(holding, i)
		}
	}
	problem := slices.IndexFunc(list, func(c Candidate) bool { return c.Problem != nil })
	if len(holding) == 0 {
		return Verdict{Finding: *list[problem].Problem}
	}
	votes := func(i int) bool { return b.Draft.By == ByRules || list[i].By == ByModel }
	if !slices.ContainsFunc(holding, votes) {
		// A candidate of rules does not stand in for those of a model while they can be
		// repaired: it may answer another question.
		if problem >= 0 && b.Repairs < b.cfg.MaxRepairs {
			return Verdict{Finding: *list[problem].Problem}
		}
		votes = func(int) bool { return true }
	}
	groups := grouped(list, holding)
	best, agreed := 0, 0
	for i, g := range groups {
		if n := count(g, votes); n > agreed {
			best, agreed = i, n
		}
	}
	v := Verdict{OK: true, Best: groups[best][0], Agreed: agreed, Summary: b.summary(&list[groups[best][0]])}
	for i, g := range groups {
		if i != best {
			v.Apart = append(v.Apart, g[0])
		}
	}
	return v
}

// count is how many candidates of a group have a vote.
func count(group []int, votes func(int) bool) int {
	n := 0
	for _, i := range group {
		if votes(i) {
			n++
		}
	}
	return n
}

// grouped puts candidates together that have the same result or, where they were
// not run, the same tree.
func grouped(list []Candidate, holding []int) [][]int {
	var groups [][]int
	for _, i := range holding {
		g := slices.IndexFunc(groups, func(g []int) bool { return Same(&list[g[0]], &list[i]) })
		if g < 0 {
			groups = append(groups, []int{i})
			continue
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// Same reports whether two candidates give one answer, as far as is known.
func Same(a, b *Candidate) bool {
	if a.Result != nil && b.Result != nil {
		return sameResult(a.Result, b.Result)
	}
	return a.Canonical == b.Canonical && a.SQL != ""
}

// summary says what a result looks like; empty where it was not run.
func (b *Board) summary(c *Candidate) string {
	if c.Result == nil {
		return ""
	}
	if len(c.Result.Rows) == 0 {
		return b.say("empty")
	}
	id := "summary_rows"
	if c.Result.Truncated {
		id = "summary_more"
	}
	return b.say(id, len(c.Result.Rows), len(c.Result.Columns))
}
