// Package guard decides whether a text may reach an engine. It reads the text
// into a tree, resolves it against what the asker may see, and checks it rule by
// rule; what passes becomes an Approved, which nothing else can make and which is
// the only thing an engine runs.
package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Approved is a statement that passed the guard. Its zero value is no approval:
// engines refuse it.
type Approved struct {
	sql        string
	statement  *tree.Statement
	resolution *resolve.Resolution
	tables     []catalog.Name
	changes    []Change
	rowLimit   int64
	principal  string
}

// IsZero reports whether nothing was approved.
func (a Approved) IsZero() bool { return a.statement == nil }

// SQL is the Presto text to run, with the guard's changes, without a semicolon.
func (a Approved) SQL() string { return a.sql }

// Statement is the tree of SQL.
func (a Approved) Statement() *tree.Statement { return a.statement }

// Resolution tells what the names and types of the statement are.
func (a Approved) Resolution() *resolve.Resolution { return a.resolution }

// Tables are the stored tables that are read.
func (a Approved) Tables() []catalog.Name { return a.tables }

// Changes are what the guard changed, in order.
func (a Approved) Changes() []Change { return a.changes }

// RowLimit is the most rows that the statement returns; 0: not bounded.
func (a Approved) RowLimit() int64 { return a.rowLimit }

// PrincipalID is who it was approved for. Engines refuse to run it for another.
func (a Approved) PrincipalID() string { return a.principal }

// SHA256 is the hash of SQL in hex, for logs and caches.
func (a Approved) SHA256() string {
	sum := sha256.Sum256([]byte(a.sql))
	return hex.EncodeToString(sum[:])
}

// Change is something that the guard changed in a statement.
type Change struct {
	Rule    string
	Message string
}

// Policy says which tables a principal may read.
type Policy interface {
	Permitted(principal run.Principal, table catalog.Name) bool
}

// PartitionPolicy may also be implemented by a Policy. RequiredPartitions names
// the columns of which at least one has to be restricted by a predicate.
type PartitionPolicy interface {
	RequiredPartitions(table *catalog.Table) []string
}

// AllowAll permits every table of the catalog.
type AllowAll struct{}

// Permitted implements Policy.
func (AllowAll) Permitted(run.Principal, catalog.Name) bool { return true }

// Config of a Guard.
type Config struct {
	// Policy decides on tables; nil permits every table that the catalog knows.
	Policy Policy
	// DefaultLimit is added to a query without LIMIT; 0 means 1,000.
	DefaultLimit int64
	// MaxLimit is the largest LIMIT that stays; 0 means 10,000.
	MaxLimit int64
}

// Guard approves statements.
type Guard struct{ config Config }

// New returns a guard.
func New(config Config) *Guard {
	if config.Policy == nil {
		config.Policy = AllowAll{}
	}
	if config.DefaultLimit <= 0 {
		config.DefaultLimit = 1_000
	}
	if config.MaxLimit <= 0 {
		config.MaxLimit = 10_000
	}
	config.DefaultLimit = min(config.DefaultLimit, config.MaxLimit)
	return &Guard{config: config}
}

// Approve checks text for principal. The error is a *Refusal, or ctx's.
func (g *Guard) Approve(ctx context.Context, principal run.Principal, text string, scope resolve.Scope) (Approved, error) {
	if err := ctx.Err(); err != nil {
		return Approved{}, err
	}
	stmt, err := parser.Parse(text)
	if err != nil {
		return Approved{}, unreadable(err)
	}
	for _, rule := range treeRules() {
		if refusal := rule.check(stmt); refusal != nil {
			refusal.Rule = rule.id
			return Approved{}, refusal
		}
	}
	if scope.Catalog != nil {
		scope.Catalog = visible{catalog: scope.Catalog, policy: g.config.Policy, principal: principal}
	}
	resolution, diagnostics := resolve.Resolve(stmt, scope)
	if len(diagnostics) > 0 {
		return Approved{}, unresolved(diagnostics)
	}
	if refusal := g.partitions(resolution); refusal != nil {
		return Approved{}, refusal
	}
	limited, change, rowLimit := g.limit(stmt)
	approved := Approved{
		sql: printer.Print(limited), statement: limited, resolution: resolution.Rebind(limited),
		tables: resolution.Tables(), rowLimit: rowLimit, principal: principal.ID,
	}
	if change != nil {
		approved.changes = append(approved.changes, *change)
		// What was printed has to read as one statement again, whatever was in the
		// text around the change.
		if _, err := parser.Parse(approved.sql); err != nil {
			return Approved{}, &Refusal{Rule: "limit", Code: "SYNTAX_ERROR", Message: "a LIMIT cannot be added to this statement: add one yourself"}
		}
	}
	return approved, nil
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

// visible is a catalog as the principal sees it: what is not permitted is unknown.
type visible struct {
	catalog   resolve.Catalog
	policy    Policy
	principal run.Principal
}

// Lookup implements resolve.Catalog.
func (v visible) Lookup(name catalog.Name) (*catalog.Table, bool) {
	table, ok := v.catalog.Lookup(name)
	if !ok || !v.policy.Permitted(v.principal, table.Name) {
		return nil, false
	}
	return table, true
}

// Near implements resolve.Catalog.
func (v visible) Near(name catalog.Name, n int) []catalog.Name {
	var out []catalog.Name
	for _, near := range v.catalog.Near(name, n+20) {
		if len(out) < n && v.policy.Permitted(v.principal, near) {
			out = append(out, near)
		}
	}
	return out
}
