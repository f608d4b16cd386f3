// Package duckdb turns a Presto tree into SQL that gives the same rows on DuckDB.
// What has no equivalent is NotSupported, with the construct's name and place;
// functions that nobody wrote a mapping for are never passed through. Mappings
// are data (functions.tsv), and macros (macros.sql, nested.sql): the engine makes
// those that a statement calls before it runs it, see Calls and Macro.
//
// Known differences, all of them documented tolerances of Presto's own: the
// approx_ functions are exact or nearest-rank here; sums of doubles may differ in
// the last digits, as they do between two runs of Trino; NaN equals itself.
//
// What is written grows with the statement, never with a power of its nesting:
// see once.go. Texts and arrays that functions make are bounded: see growth.go.
package duckdb

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// NotSupported is the error for a construct that has no equivalent with the same
// rows on the embedded engine.
type NotSupported struct {
	Construct    string
	Line, Column int // from 1; 0 for a tree made by hand
}

// Error implements error.
func (e *NotSupported) Error() string {
	at := ""
	if e.Line > 0 {
		at = fmt.Sprintf("line %d:%d: ", e.Line, e.Column)
	}
	return at + e.Construct + " is not supported on the embedded engine: write it another way, or run it on Trino"
}

// GRPCStatus implements the interface that grpc's status package asks for.
func (e *NotSupported) GRPCStatus() *status.Status {
	return fault.New(codes.Unimplemented, "NOT_SUPPORTED", e.Error(), "construct", e.Construct).GRPCStatus()
}

// Transpile returns the DuckDB SQL of a statement whose tables are not known:
// what depends on the types of columns is NotSupported. Where there is a catalog,
// use TranspileResolved. The error is a *NotSupported or a *TooLarge.
func Transpile(stmt *tree.Statement) (string, error) {
	r, _ := resolve.Resolve(stmt, resolve.Scope{})
	return TranspileResolved(r)
}

// Options are what a statement's meaning depends on beside its text.
type Options struct {
	// Now is the one time of the run, which current_date and its like tell. The
	// zero value means the time of transpiling.
	Now time.Time
	// User, Catalog and Schema are those of current_user, current_catalog and
	// current_schema; where one is empty, its function is NotSupported.
	User, Catalog, Schema string
}

// TranspileResolved is TranspileWith without options.
func TranspileResolved(r *resolve.Resolution) (string, error) { return TranspileWith(r, Options{}) }

// TranspileWith returns the DuckDB SQL of a resolved statement. The error is a
// *NotSupported or a *TooLarge.
func TranspileWith(r *resolve.Resolution, options Options) (string, error) {
	if options.Now.IsZero() {
		options.Now = time.Now()
	}
	e := &emitter{
		r: r, options: options, limit: limitFor(r.Statement()), amplified: amplifies(r.Statement()),
		recursions: map[string]recursion{}, extra: map[*tree.Select]string{},
		stands: map[*tree.ColumnRef]string{}, given: map[tree.Expr]types.Type{}, leaves: map[tree.Relation]string{},
		anyOrder: map[*tree.Call]bool{},
	}
	q := r.Statement().Query
	if q == nil {
		return "", &NotSupported{Construct: string(r.Statement().Kind)}
	}
	e.checkZones(r.Statement())
	text := e.query(q)
	e.fits(len(text))
	if e.err != nil {
		return "", e.err
	}
	if strings.ContainsRune(text, 0) { // in a name: DuckDB would read no further
		return "", &NotSupported{Construct: "a name with a zero character"}
	}
	return text, nil
}

// emitter writes DuckDB SQL. The first construct without an equivalent ends up in
// err; what is written then is thrown away.
type emitter struct {
	r       *resolve.Resolution
	options Options
	err     error
	limit   int // of the text, in bytes
	hidden  int // bytes that the engine's parser adds to the text
	depth   int // of forms that need their arguments more than once
	trying  int // over 0: inside TRY, where mistakes give NULL
	names   int // of the emitter's own that were given out
	growth  int // bytes by which a row's texts can grow, see growth.go
	// amplified: || may give long texts.
	amplified  bool
	recursions map[string]recursion    // in scope, by key
	extra      map[*tree.Select]string // one more element of the SELECT list
	params     []map[string]string     // what stands for lambda parameters, innermost last, by key
	// stands are references that were made here: they stand for texts that are
	// written already; given are the types of what was made here.
	stands   map[*tree.ColumnRef]string
	given    map[tree.Expr]types.Type
	leaves   map[tree.Relation]string // names of our own for relations without one
	anyOrder map[*tree.Call]bool      // calls whose arrays' order nobody sees, see maporder.go
	// aliases are the columns that an ORDER BY can name in its expressions, by key.
	aliases map[string]tree.Expr
}

func (e *emitter) no(n tree.Node, format string, args ...any) string {
	if e.err == nil {
		line, column := n.Span().Position()
		e.err = &NotSupported{Construct: fmt.Sprintf(format, args...), Line: line, Column: column}
	}
	return "NULL"
}

func (e *emitter) typeOf(x tree.Expr) types.Type {
	if t, ok := e.given[x]; ok {
		return t
	}
	return e.r.TypeOf(x)
}

// stand returns an expression that stands for a text of a type.
func (e *emitter) stand(text string, t types.Type) tree.Expr {
	ref := &tree.ColumnRef{}
	e.stands[ref], e.given[ref] = text, t
	return ref
}

func name(id *tree.Ident) string { return printer.Quote(id.Name) }

func names(ids []*tree.Ident) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = name(id)
	}
	return strings.Join(parts, ", ")
}

func dotted(ids []*tree.Ident) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = name(id)
	}
	return strings.Join(parts, ".")
}

// join writes each element and puts a separator between them.
func join[T any](items []T, separator string, write func(T) string) string {
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = write(item)
	}
	return strings.Join(parts, separator)
}
