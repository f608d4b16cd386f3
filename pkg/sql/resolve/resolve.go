// Package resolve finds what the names of a statement stand for: tables in a
// catalog, columns in scopes, types of expressions, the functions that calls mean.
// It reports all mistakes of a statement, each with Trino's error name, at the
// place where Trino reports it, and with the nearest names. Parts are looked at in
// the order in which Trino looks at them, so that the first mistake is Trino's.
package resolve

import (
	"fmt"
	"maps"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// mostDiagnostics bounds the mistakes that are reported of a statement.
const mostDiagnostics = 200

// Scope is where a statement's names are looked up.
type Scope struct {
	Catalog Catalog
	// DefaultRegion and DefaultSchema complete names of fewer than three parts.
	DefaultRegion string
	DefaultSchema string
}

// Diagnostic is one mistake of a statement.
type Diagnostic struct {
	Code        Code
	Message     string
	Line        int // from 1; 0 for a tree made by hand
	Column      int
	Suggestions []string // names that may have been meant, best first
	// Node is what the mistake is about. Line and Column may be those of a node
	// around it: an ungrouped column is reported where its expression is.
	Node tree.Node
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
	exprs     map[tree.Expr]*info
	outputs   map[*tree.Query][]Output
	merged    map[*tree.Join][][2]Origin
	passed    map[*tree.Select][]places // where the columns of a SELECT come from
	// corresponding are the columns that both sides of a set operation have.
	corresponding map[*tree.SetOp][]string
	steps         int // expressions that were resolved, each as often as it was
}

// info is what is known of an expression.
type info struct {
	typ     types.Type
	origins []Origin
	field   *field    // what a column reference stands for
	level   *level    // where that was found
	parts   int       // how many parts of the reference name it; the others are fields of a row
	call    *Function // what a call means
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
func (r *Resolution) TypeOf(x tree.Expr) types.Type {
	if i := r.exprs[x]; i != nil {
		return i.typ
	}
	return types.Unknown()
}

// Origins returns the stored columns that an expression is made from.
func (r *Resolution) Origins(x tree.Expr) []Origin {
	if i := r.exprs[x]; i != nil {
		return i.origins
	}
	return nil
}

// Output returns the result columns of the statement; none for a statement that is
// no query.
func (r *Resolution) Output() []Output { return r.outputs[r.statement.Query] }

// OutputOf returns the result columns of a query inside the statement.
func (r *Resolution) OutputOf(q *tree.Query) []Output { return r.outputs[q] }

// Corresponding returns the names of the columns that a set operation with
// CORRESPONDING matches, in their order on the left; "" for one that is not known.
func (r *Resolution) Corresponding(s *tree.SetOp) []string { return r.corresponding[s] }

// Rebind returns the resolution for a statement that was rewritten around the
// same query, such as with another LIMIT.
func (r *Resolution) Rebind(stmt *tree.Statement) *Resolution {
	c := *r
	c.statement = stmt
	c.outputs = maps.Clone(r.outputs)
	c.outputs[stmt.Query] = r.Output()
	return &c
}

// Resolve resolves a statement: a query, or the one that EXPLAIN or SHOW STATS is
// about, or the names that SHOW asks about. The Resolution is there even with
// mistakes, as far as it could be made; it can be relied on only where there is no
// Diagnostic. Diagnostics come in the order in which Trino would meet them.
func Resolve(stmt *tree.Statement, scope Scope) (*Resolution, []Diagnostic) {
	r := &resolver{
		scope: scope,
		out: &Resolution{
			statement: stmt,
			stored:    map[*tree.Table]*catalog.Table{},
			exprs:     make(map[tree.Expr]*info, len(stmt.Span().Text())/8),
			outputs:   map[*tree.Query][]Output{},
			passed:    map[*tree.Select][]places{},

			corresponding: map[*tree.SetOp][]string{},
		},
	}
	r.parameters(stmt)
	r.statement(stmt)
	return r.out, r.diagnostics
}

type resolver struct {
	tooWide     bool // more columns than maxColumns were told of
	scope       Scope
	out         *Resolution
	diagnostics []Diagnostic
	quiet       int    // over 0: mistakes are not noted (a lambda that is tried on a signature)
	failed      bool   // a mistake was met while quiet
	slab        []info // memory for infos
	windows     map[*tree.Over]*window
	trials      map[string]types.Type // results of lambdas for types of parameters
}

// parameters notes question marks: there are no values for them.
func (r *resolver) parameters(stmt *tree.Statement) {
	if text := stmt.Span().Text(); text != "" && !strings.Contains(text, "?") {
		return
	}
	tree.Walk(stmt, func(n tree.Node) bool {
		if p, ok := n.(*tree.Param); ok {
			r.mistakeAt(InvalidParameterUsage, startOf(stmt), p, nil, "the statement has no parameters: write a value for ?")
			return false
		}
		return true
	})
}

func (r *resolver) statement(stmt *tree.Statement) {
	switch {
	case stmt.Query != nil:
		r.query(stmt.Query, nil)
	case stmt.Explain != nil && stmt.Explain.Statement != nil:
		r.statement(stmt.Explain.Statement)
	case stmt.Show != nil:
		r.show(stmt)
	}
}

// info returns the place where what is known of an expression is kept.
func (r *resolver) info(x tree.Expr) *info {
	if i := r.out.exprs[x]; i != nil {
		return i
	}
	if len(r.slab) == 0 {
		r.slab = make([]info, 64)
	}
	i := &r.slab[0]
	r.slab = r.slab[1:]
	r.out.exprs[x] = i
	return i
}

func (r *resolver) typeOf(x tree.Expr) types.Type  { return r.out.TypeOf(x) }
func (r *resolver) originsOf(x tree.Expr) []Origin { return r.out.Origins(x) }

// mistake notes a mistake at the place of a node.
func (r *resolver) mistake(code Code, at tree.Node, suggestions []string, format string, args ...any) {
	r.mistakeAt(code, spotOf(at), at, suggestions, format, args...)
}

// mistakeAt notes a mistake about a node that is reported at another place.
func (r *resolver) mistakeAt(code Code, at spot, about tree.Node, suggestions []string, format string, args ...any) {
	if r.quiet > 0 {
		r.failed = true
		return
	}
	if len(r.diagnostics) >= mostDiagnostics {
		return
	}
	line, column := at.position()
	for _, d := range r.diagnostics {
		if d.Code == code && d.Line == line && d.Column == column && line > 0 && sameSpan(d.Node, about) {
			return // once is enough
		}
	}
	r.diagnostics = append(r.diagnostics, Diagnostic{
		Code: code, Message: fmt.Sprintf(format, args...), Line: line, Column: column, Suggestions: suggestions, Node: about,
	})
}

func sameSpan(a, b tree.Node) bool {
	return a.Span().Start == b.Span().Start && a.Span().End == b.Span().End
}
