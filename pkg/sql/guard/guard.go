// Package guard decides whether a text may reach an engine. It reads the text
// into a tree, checks that rule by rule (rules.go), resolves it against what the
// asker may see, bounds it, and puts row filters and column masks in (cover.go);
// what passes becomes an Approved, which nothing else can make and which is the
// only thing an engine runs. What asks about the warehouse itself, SHOW and
// information_schema, becomes a query over the rows of its answer (answer.go).
package guard

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Config of a Guard. The zero value of a field means its default.
type Config struct {
	// DefaultLimit is added to a query without LIMIT; 0 means 1,000.
	DefaultLimit int64
	// MaxLimit is the largest LIMIT that stays; 0 means 10,000.
	MaxLimit int64
	// MaxAnswerRows bounds the rows that SHOW and information_schema are answered
	// with; 0 means 5,000.
	MaxAnswerRows int
	// PartitionDays is how many days up to now a range of a date partition may hold
	// to count as one; 0 means 3,660.
	PartitionDays int
	// Clock tells the day for that; nil means the wall clock.
	Clock func() time.Time
	// Bounds of a statement's shape.
	Bounds Bounds
}

// DefaultPartitionDays is ten years: who asks for more of a table by day asks for
// all of it.
const DefaultPartitionDays = 3_660

// Terms are what holds for the statements on one source.
type Terms struct {
	// Policy says who may read what; nil: everybody may read what the scope's
	// catalog knows.
	Policy *policy.Policy
	// Source is the name by which the policy knows the source.
	Source string
	// Stored knows the tables with all their columns, those too that the asker may
	// not see: conditions of the policy may be about them. nil: the scope's catalog
	// does.
	Stored resolve.Catalog
	// Directory lists what the asker may see, for SHOW, DESCRIBE and
	// information_schema; nil: those are refused.
	Directory Directory
}

// Guard approves statements.
type Guard struct {
	config Config
	terms  Terms
	// resolve is resolve.Resolve; tests put one in its place that overlooks things,
	// since what stands behind it has to notice.
	resolve func(*tree.Statement, resolve.Scope) (*resolve.Resolution, []resolve.Diagnostic)
}

// New returns a guard without a policy.
func New(config Config) *Guard {
	if config.DefaultLimit <= 0 {
		config.DefaultLimit = 1_000
	}
	if config.MaxLimit <= 0 {
		config.MaxLimit = 10_000
	}
	if config.MaxAnswerRows <= 0 {
		config.MaxAnswerRows = 5_000
	}
	if config.PartitionDays <= 0 {
		config.PartitionDays = DefaultPartitionDays
	}
	if config.Clock == nil {
		config.Clock = time.Now
	}
	config.Bounds = config.Bounds.WithDefaults()
	config.DefaultLimit = min(config.DefaultLimit, config.MaxLimit)
	return &Guard{config: config, resolve: resolve.Resolve}
}

// Under returns the guard for the statements on one source.
func (g *Guard) Under(terms Terms) *Guard {
	return &Guard{config: g.config, terms: terms, resolve: g.resolve}
}

// Approve checks text for principal. The error is a *Refusal, ctx's, or that of
// the directory.
func (g *Guard) Approve(ctx context.Context, principal run.Principal, text string, scope resolve.Scope) (Approved, error) {
	if err := ctx.Err(); err != nil {
		return Approved{}, err
	}
	stmt, err := parser.Parse(text)
	if err != nil {
		return Approved{}, unreadable(err)
	}
	a := &approval{Guard: g, principal: principal, scope: scope, stored: g.terms.Stored}
	if a.stored == nil {
		a.stored = scope.Catalog
	}
	a.grants = g.terms.Policy.For(principal, g.terms.Source)
	if scope.Catalog != nil {
		a.scope.Catalog = &visible{catalog: scope.Catalog, stored: a.stored, grants: a.grants, system: g.terms.Directory != nil}
	}
	return a.approve(ctx, stmt)
}

// approval is one statement on its way.
type approval struct {
	*Guard
	principal run.Principal
	grants    *policy.Grants
	scope     resolve.Scope   // with the catalog that the asker sees
	stored    resolve.Catalog // the whole one
	changes   []Change
}

func (a *approval) approve(ctx context.Context, stmt *tree.Statement) (Approved, error) {
	if refusal := a.config.Bounds.check(stmt); refusal != nil {
		return Approved{}, refusal
	}
	if asksAbout(stmt) && a.terms.Directory != nil {
		answered, err := a.answer(ctx, stmt)
		if err != nil {
			return Approved{}, err
		}
		stmt = answered
	}
	if refusal := checkTree(stmt, a.terms.Directory != nil); refusal != nil {
		return Approved{}, refusal
	}
	said := slices.Clip(a.changes)
	for _, covering := range []func(*tree.Derived) *tree.Table{a.coveringBehind, a.covering} {
		plain, covered, err := a.uncover(stmt, covering)
		if err != nil {
			return Approved{}, err
		}
		out, err := a.decide(ctx, plain, covered)
		if !errors.Is(err, errOtherCover) {
			return out, err
		}
		a.changes = said
	}
	return a.decide(ctx, stmt, nil)
}

// decide approves a statement in which covered are the tables that stand for
// covers which the text has already.
func (a *approval) decide(ctx context.Context, plain *tree.Statement, covered map[*tree.Table]*tree.Derived) (Approved, error) {
	asked, diagnostics := a.resolve(plain, a.scope)
	if len(diagnostics) > 0 {
		return Approved{}, unresolved(diagnostics)
	}
	if refusal := unaccounted(asked); refusal != nil {
		return Approved{}, refusal
	}
	if refusal := a.partitions(asked); refusal != nil {
		return Approved{}, refusal
	}
	limited, change, rowLimit := a.limit(plain)
	asked = asked.Rebind(limited)
	out := Approved{
		shown: printer.Print(limited), asked: asked, tables: storedTables(asked), rowLimit: rowLimit, principal: a.principal.ID,
	}
	out.sql, out.statement, out.resolution = out.shown, limited, asked
	if change != nil {
		// What was printed has to read as one statement again, whatever was in the
		// text around the change.
		if _, err := parser.Parse(out.shown); err != nil {
			return Approved{}, &Refusal{Rule: RuleLimit, Code: "SYNTAX_ERROR", Message: "a LIMIT cannot be added to this statement: add one yourself"}
		}
	}
	if err := a.cover(ctx, asked, covered, &out); err != nil {
		return Approved{}, err
	}
	if change != nil {
		a.changes = append(a.changes, *change)
	}
	out.changes = a.changes
	return out, nil
}

func unreadable(err error) *Refusal {
	var e *parser.Error
	if !errors.As(err, &e) {
		return &Refusal{Rule: "parse", Code: string(parser.CodeSyntax), Message: "the statement cannot be read"}
	}
	return &Refusal{Rule: "parse", Code: string(e.Code), Message: e.Message, Line: e.Line, Column: e.Column}
}

func unresolved(diagnostics []resolve.Diagnostic) *Refusal {
	first := diagnostics[0]
	return &Refusal{
		Rule: "resolve", Code: string(first.Code), Message: first.Message, Line: first.Line, Column: first.Column,
		Suggestions: first.Suggestions, Diagnostics: diagnostics,
	}
}
