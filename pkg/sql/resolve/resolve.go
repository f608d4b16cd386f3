// Package resolve finds what the names of a statement stand for: tables in a
// catalog, columns in scopes, types of expressions. It reports all mistakes of a
// statement, each with Trino's error name, its place, and the nearest names.
package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Catalog is what resolving needs of a catalog. What the asker may not see is
// unknown here: wrap it before.
type Catalog interface {
	// Lookup finds a table by its full name, compared without case.
	Lookup(name catalog.Name) (*catalog.Table, bool)
	// Near returns up to n names that resemble name, best first.
	Near(name catalog.Name, n int) []catalog.Name
}

// Scope is where a statement's names are looked up.
type Scope struct {
	Catalog Catalog
	// DefaultRegion and DefaultSchema complete names of fewer than three parts.
	DefaultRegion string
	DefaultSchema string
}

// Code is Trino's error name.
type Code string

// Codes of diagnostics.
const (
	TableNotFound          Code = "TABLE_NOT_FOUND"
	ColumnNotFound         Code = "COLUMN_NOT_FOUND"
	AmbiguousName          Code = "AMBIGUOUS_NAME"
	FunctionNotFound       Code = "FUNCTION_NOT_FOUND"
	TypeMismatch           Code = "TYPE_MISMATCH"
	ExpressionNotAggregate Code = "EXPRESSION_NOT_AGGREGATE"
	DuplicateColumnName    Code = "DUPLICATE_COLUMN_NAME"
	DuplicateNamedQuery    Code = "DUPLICATE_NAMED_QUERY"
	MismatchedColumns      Code = "MISMATCHED_COLUMN_ALIASES"
	InvalidColumnReference Code = "INVALID_COLUMN_REFERENCE"
	NotSupported           Code = "NOT_SUPPORTED"
)

// Diagnostic is one mistake of a statement.
type Diagnostic struct {
	Code        Code
	Message     string
	Line        int // from 1; 0 for a tree made by hand
	Column      int
	Suggestions []string // names that may have been meant, best first
	Node        tree.Node
}

// Origin is a stored column.
type Origin struct {
	Table  catalog.Name
	Column string
}

// Output is a column of a query's result.
type Output struct {
	Name string // empty where Presto would name it _colN
	Type types.Type
	// Sources are the stored columns that the value is made from.
	Sources []Origin
}

// Resolution is what was found out about a statement.
type Resolution struct {
	statement *tree.Statement
	tables    []catalog.Name
	stored    map[*tree.Table]*catalog.Table
	types     map[tree.Expr]types.Type
	origins   map[tree.Expr][]Origin
	outputs   map[*tree.Query][]Output
	fields    map[tree.Expr]*field // what a column reference stands for
	merged    map[*tree.Join][][2]Origin
	passed    map[*tree.Select][]places // where the columns of a SELECT come from
}

// Statement is the statement that was resolved.
func (r *Resolution) Statement() *tree.Statement { return r.statement }

// Tables are the stored tables that the statement reads, each once, in order of
// appearance.
func (r *Resolution) Tables() []catalog.Name { return r.tables }

// Stored returns the catalog's table that a node names; false for a common table.
func (r *Resolution) Stored(t *tree.Table) (*catalog.Table, bool) {
	table, ok := r.stored[t]
	return table, ok
}

// TypeOf returns the type of an expression; types.Unknown where it is not known.
func (r *Resolution) TypeOf(x tree.Expr) types.Type { return r.types[x] }

// Origins returns the stored columns that an expression is made from.
func (r *Resolution) Origins(x tree.Expr) []Origin { return r.origins[x] }

// Output returns the result columns of the statement.
func (r *Resolution) Output() []Output { return r.outputs[r.statement.Query] }

// OutputOf returns the result columns of a query inside the statement.
func (r *Resolution) OutputOf(q *tree.Query) []Output { return r.outputs[q] }

// Rebind returns the resolution for a statement that was rewritten around the
// same query, such as with another LIMIT.
func (r *Resolution) Rebind(stmt *tree.Statement) *Resolution {
	c := *r
	c.statement = stmt
	c.outputs = maps.Clone(r.outputs)
	c.outputs[stmt.Query] = r.Output()
	return &c
}

// Resolve resolves a query. The Resolution is there even with mistakes, as far
// as it could be made; it can be relied on only where there is no Diagnostic.
func Resolve(stmt *tree.Statement, scope Scope) (*Resolution, []Diagnostic) {
	r := &resolver{
		scope: scope,
		out: &Resolution{
			statement: stmt,
			stored:    map[*tree.Table]*catalog.Table{},
			types:     map[tree.Expr]types.Type{},
			origins:   map[tree.Expr][]Origin{},
			outputs:   map[*tree.Query][]Output{},
			fields:    map[tree.Expr]*field{},
			merged:    map[*tree.Join][][2]Origin{},
			passed:    map[*tree.Select][]places{},
		},
	}
	if stmt.Query != nil {
		r.query(stmt.Query, nil)
	}
	slices.SortStableFunc(r.diagnostics, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r.out, r.diagnostics
}

type resolver struct {
	scope       Scope
	out         *Resolution
	diagnostics []Diagnostic
	quiet       int // over 0: mistakes are not noted (a part that is resolved twice)
}

func (r *resolver) mistake(code Code, at tree.Node, suggestions []string, format string, args ...any) {
	if r.quiet > 0 {
		return
	}
	line, column := at.Span().Position()
	r.diagnostics = append(r.diagnostics, Diagnostic{
		Code: code, Message: fmt.Sprintf(format, args...), Line: line, Column: column, Suggestions: suggestions, Node: at,
	})
}
