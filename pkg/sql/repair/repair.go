// Package repair makes broken SQL valid Presto SQL by the smallest change. Each
// class of mistakes has a line in classes.yaml and a function in a class_ file,
// which edits the text in place: what no class touches stays byte for byte.
//
// Run works in rounds, because a repair may uncover what the first mistake hid: it
// takes out habits of other dialects, corrects what cannot be read (class_syntax.go),
// then mends what the resolver finds, all mistakes of a round at once. It ends where
// nothing is wrong, where no class helps, or at a bound.
//
// A repair is certain where no other repair of the same size is valid. Otherwise it
// is likely, and the others are its candidates; or there is none, and what is wrong
// is told.
package repair

import (
	"context"
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Certain is the least confidence of a repair that is called certain.
const Certain = 0.9

// Defaults of Options.
const (
	DefaultRounds     = 8
	DefaultChanges    = 200
	DefaultCandidates = 5
)

// Scopes describes the tables that a statement names. It is asked again in each
// round, because a repair may name other tables.
type Scopes func(ctx context.Context, stmt *tree.Statement) (resolve.Scope, error)

// Fixed is a Scopes that always gives the same.
func Fixed(scope resolve.Scope) Scopes {
	return func(context.Context, *tree.Statement) (resolve.Scope, error) { return scope, nil }
}

// Options of Run. Zero values are the defaults.
type Options struct {
	Scopes Scopes // required
	// Known are tables that a missing join may go to, beside those of the statement.
	Known []catalog.Table
	// Related is asked once, where a column is in no table of the statement, for the tables
	// that keys lead to from the statement's own; nil: Known are all.
	Related func(ctx context.Context, tables []catalog.Table) ([]catalog.Table, error)
	// Terms is asked for the terms of the statement's tables where a column is in none of
	// them; nil: there are none.
	Terms func(ctx context.Context, tables []catalog.Table) ([]Term, error)
	// Error is the text of an engine's error; empty: none.
	Error string
	// MaxRounds, MaxChanges and MaxCandidates bound the work and the answer.
	MaxRounds, MaxChanges, MaxCandidates int
	// Counts says whether something that the resolver finds is wrong; nil: all of it is.
	// Who has no catalog leaves out what only a catalog could tell.
	Counts func(resolve.Diagnostic) bool
	// Step is told of the classes of each round that changed something; nil: nobody is.
	Step func(classes []string)
}

// Change is one edit, in terms of the original text.
type Change struct {
	Class         Class
	Start, End    int // bytes of the original; of a later round those that it stands for
	Line, Column  int // of Start, from 1
	Before, After string
	Confidence    float64 // from 0 to 1
	args          map[string]string
}

// Message says what was changed and why.
func (c Change) Message(l lang.Language) string { return c.Class.say(l, c.args) }

// Candidate is a whole statement that may have been meant.
type Candidate struct {
	Text    string
	Changes []Change
}

// Result is what came of a statement.
type Result struct {
	Text    string
	Changes []Change // in the order of the original text
	// Statement and Resolution are those of Text; nil where it cannot be read, and then
	// Unread says why.
	Statement  *tree.Statement
	Resolution *resolve.Resolution
	Unread     error
	// Remaining are the mistakes that the resolver still finds.
	Remaining []resolve.Diagnostic
	// Confidence is that of the least sure change, 1 where nothing was changed; halved
	// where something is still wrong.
	Confidence float64
	// Candidates are other repairs of about the same size.
	Candidates []Candidate
	// Diff is the change as a unified diff.
	Diff string
}

// Valid reports whether nothing is wrong with the text, as far as the resolver knows.
func (r Result) Valid() bool { return r.Unread == nil && len(r.Remaining) == 0 }

// Certain reports a valid text that nothing else of the same size could have been.
func (r Result) Certain() bool { return r.Valid() && r.Confidence >= Certain }

// Run repairs one statement. The error is that of Scopes, or of the context.
func Run(ctx context.Context, text string, o Options) (Result, error) {
	o = o.complete()
	e := &engine{Options: o, draft: newDraft(text)}
	for range o.MaxRounds {
		if err := ctx.Err(); err != nil {
			return Result{}, fmt.Errorf("repair a statement: %w", err)
		}
		before := len(e.draft.changes)
		changed, err := e.round(ctx)
		if err != nil {
			return Result{}, err
		}
		if !changed || len(e.draft.changes) >= o.MaxChanges {
			break
		}
		e.tell(e.draft.changes[before:])
	}
	return e.result(ctx)
}

func (o Options) complete() Options {
	if o.MaxRounds == 0 {
		o.MaxRounds = DefaultRounds
	}
	if o.MaxChanges == 0 {
		o.MaxChanges = DefaultChanges
	}
	if o.MaxCandidates == 0 {
		o.MaxCandidates = DefaultCandidates
	}
	return o
}

// engine is one statement under repair.
type engine struct {
	Options
	draft      *draft
	candidates []Candidate
	related    bool // Related was asked
	terms      []Term
	learned    []catalog.Name // tables whose terms are known
	runtime    bool           // the engine's own error was looked at
	asked      bool           // whether the text is a statement of another kind
	corrected  bool           // the text was corrected until it could be read
}

// reading is a text that was read.
type reading struct {
	stmt        *tree.Statement
	resolution  *resolve.Resolution
	diagnostics []resolve.Diagnostic // those that count
	found       int                  // how many there are with the others
	scope       resolve.Scope
}

// read parses and resolves; nil for what is no query.
func (e *engine) read(ctx context.Context, text string) (*reading, error) {
	if _, ok := parser.Probe(text); !ok {
		return nil, nil //nolint:nilnil // result tells of it
	}
	stmt, err := parser.Parse(text)
	if err != nil || stmt.Query == nil {
		return nil, nil //nolint:nilerr,nilnil // result tells of it
	}
	scope, err := e.Scopes(ctx, stmt)
	if err != nil {
		return nil, err
	}
	r := &reading{stmt: stmt, scope: scope}
	r.resolution, r.diagnostics = resolve.Resolve(stmt, scope)
	r.found = len(r.diagnostics)
	r.diagnostics = e.counted(r.diagnostics)
	return r, nil
}

// counted are the diagnostics that count.
func (o Options) counted(all []resolve.Diagnostic) []resolve.Diagnostic {
	if o.Counts == nil {
		return all
	}
	var out []resolve.Diagnostic
	for _, d := range all {
		if o.Counts(d) {
			out = append(out, d)
		}
	}
	return out
}

// round makes the repairs of one round and reports whether there were any.
func (e *engine) round(ctx context.Context) (bool, error) {
	now, err := e.read(ctx, e.draft.text)
	switch {
	case err != nil:
		return false, err
	case now == nil:
		return e.unread(ctx)
	case len(now.diagnostics) > 0 && e.draft.apply(unitEdits(now)):
		return true, nil
	case len(now.diagnostics) > 0 && e.draft.translate(now):
		return true, nil
	case len(now.diagnostics) == 0 && e.draft.translate(nil):
		return true, nil
	}
	if err := e.learn(ctx, now); err != nil {
		return false, err
	}
	if e.draft.apply(e.termEdits(now)) {
		return true, nil
	}
	if err := e.relate(ctx, now); err != nil {
		return false, err
	}
	if e.draft.apply(e.edits(now)) {
		return true, nil
	}
	if len(now.diagnostics) > 0 && !e.corrected {
		if changed, err := e.rearrange(ctx, now); changed || err != nil {
			return changed, err
		}
	}
	if class := ErrorClass(e.Error); class != "" && !e.runtime {
		// The engine's own error is about a statement that is valid otherwise.
		e.runtime = true
		return e.draft.apply(runtimeEdits(now, class)), nil
	}
	return false, nil
}

// relate gets to know the tables that a missing join may go to.
func (e *engine) relate(ctx context.Context, now *reading) error {
	if e.Related == nil || e.related || len(now.unknownColumns()) == 0 {
		return nil
	}
	e.related = true
	var tables []catalog.Table
	for _, name := range now.resolution.Tables() {
		if t, ok := now.scope.Catalog.Lookup(name); ok {
			tables = append(tables, *t)
		}
	}
	known, err := e.Related(ctx, tables)
	for _, t := range known {
		if !slices.ContainsFunc(e.Known, func(k catalog.Table) bool { return k.Name == t.Name }) {
			e.Known = append(e.Known[:len(e.Known):len(e.Known)], t)
		}
	}
	return err
}

// unread repairs what cannot be read: signs of typography, then habits of another
// dialect, else word by word. What only looks like another dialect's is left where the
// correction of the text as it stands is enough.
func (e *engine) unread(ctx context.Context) (bool, error) {
	if !e.asked {
		e.asked = true
		if stmt, err := parser.Parse(e.draft.text); err == nil && stmt.Query == nil {
			return false, nil // a statement of another kind, which is nothing to repair
		}
	}
	if e.draft.apply(typographic(e.draft.text)) {
		return true, nil
	}
	if e.draft.apply(qualifyEdits(e.draft.text)) {
		return true, nil
	}
	if e.draft.apply(bigNumberEdits(e.draft.text)) {
		return true, nil
	}
	was := e.draft.clone()
	if !e.draft.translate(nil) {
		return e.correct(ctx)
	}
	if _, ok := parser.Probe(e.draft.text); ok || e.corrected {
		return true, nil
	}
	translated := e.draft
	e.draft = was
	if changed, err := e.correct(ctx); changed || err != nil {
		return changed, err
	}
	e.draft, e.corrected = translated, false // both are needed
	return true, nil
}

// edits are the repairs of all that the resolver finds.
func (e *engine) edits(now *reading) []edit {
	var out []edit
	for _, class := range resolved {
		out = append(out, class(e, now)...)
	}
	return out
}

// resolved are the classes of what the resolver finds, in the order of their right of
// way: of two edits of one place the first is made.
var resolved = []func(*engine, *reading) []edit{
	nameEdits, tableEdits, functionEdits, typeEdits, quoteEdits, joinEdits, ambiguousEdits, windowEdits, havingEdits, nestedEdits, unionEdits, recursiveEdits, groupEdits,
}

func (e *engine) tell(changes []Change) {
	if e.Step == nil {
		return
	}
	var classes []string
	for _, c := range changes {
		if !slices.Contains(classes, c.Class.ID) {
			classes = append(classes, c.Class.ID)
		}
	}
	e.Step(classes)
}

func (e *engine) result(ctx context.Context) (Result, error) {
	d := e.draft
	r := Result{Text: d.text, Changes: d.sorted(), Confidence: 1, Diff: unifiedDiff(d.original.Text(), d.text), Candidates: e.candidates}
	for _, c := range r.Changes {
		r.Confidence = min(r.Confidence, c.Confidence)
	}
	stmt, err := parser.Parse(d.text)
	if err != nil {
		r.Unread = err
	} else {
		r.Statement = stmt
		scope, err := e.Scopes(ctx, stmt)
		if err != nil {
			return Result{}, err
		}
		var found []resolve.Diagnostic
		r.Resolution, found = resolve.Resolve(stmt, scope)
		r.Remaining = e.counted(found)
	}
	if !r.Valid() && len(r.Changes) > 0 {
		r.Confidence /= 2
	}
	return r, nil
}
