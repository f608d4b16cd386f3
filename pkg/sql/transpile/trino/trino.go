// Package trino turns SQL of other dialects into Presto SQL: of MySQL, Hive,
// Spark, PostgreSQL, BigQuery, SQLite and DuckDB, and of people who mix them.
//
// It works in two steps. The first reads any text into nodes (reader), by the
// dialect's quotes, escapes and comments (dialects.yaml), and writes it anew where
// a rule says so: clauses, operators, literals, and functions by functions.tsv.
// What no rule touches stays byte for byte as it was, comments too. The second
// step reads the outcome as Presto and resolves it: it finds what depends on
// types and on stored columns, such as division, comparisons of text with numbers
// and names of the SELECT list in GROUP BY.
//
// What has no equivalent is NotSupported, with its name and place. What means
// something else, or cannot be known without types, is a Warning.
package trino

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Options of From.
type Options struct {
	// Scope is where tables are looked up; without a Catalog only what shows in
	// the text is known.
	Scope resolve.Scope
	// Repair takes out slips of no dialect too: commas and semicolons too many, and
	// statements behind the first.
	Repair bool
	// KeepGroups leaves a column beside an aggregate that is not in GROUP BY as it
	// is, for a caller that repairs it in another way.
	KeepGroups bool
	// TextOnly leaves Statement and Unread out of the result: where a text cannot be
	// read, saying why takes longer than translating it.
	TextOnly bool
}

// Result is a statement in Presto SQL.
type Result struct {
	Text string
	// Statement is the tree of Text; nil where Presto cannot read it, and then
	// Unread says why.
	Statement *tree.Statement
	Unread    error
	// Changes and Warnings are in the order of the original text.
	Changes  []Change
	Warnings []Warning
	origins  []int32
}

// Change is one change. Start and End are byte offsets in the original text.
type Change struct {
	Rule          string // an id, such as "limit_offset"
	Class         string // Trino's error name for what was there
	Message       string // for people, in English
	Name          string // of the function; empty for other rules
	Dialect       string // whose habit it is; empty: of many
	Start, End    int
	Line, Column  int // of Start, from 1
	Before, After string
}

// Warning is a difference in meaning that the translation cannot take away.
type Warning struct {
	Rule         string
	Message      string
	Line, Column int // in the original, from 1
}

// Origin returns the byte offset in the original text that the byte at offset of
// Text comes from; for bytes that were made, that of what they stand for.
func (r Result) Origin(offset int) int {
	if len(r.origins) == 0 { // nothing was changed
		return offset
	}
	return int(r.origins[min(max(offset, 0), len(r.origins)-1)])
}

// NotSupported is the error for a construct without an equivalent in Presto.
type NotSupported struct {
	Construct    string
	Line, Column int // in the original, from 1
}

// Error implements error.
func (e *NotSupported) Error() string {
	return fmt.Sprintf("line %d:%d: %s has no equivalent in Presto: write it another way", e.Line, e.Column, e.Construct)
}

// GRPCStatus implements the interface that grpc's status package asks for.
func (e *NotSupported) GRPCStatus() *status.Status {
	return fault.New(codes.Unimplemented, "NOT_SUPPORTED", e.Error(), "construct", e.Construct).GRPCStatus()
}

// From translates one statement. The error is a *NotSupported, or a
// *parser.Error for a text that is too large or no text at all. A text that
// Presto cannot read even after translation is no error: see Result.Unread.
func From(dialect Dialect, text string, opt Options) (Result, error) {
	table, err := dialectTable()
	if err != nil {
		return Result{}, err
	}
	tr, ok := table[dialect]
	if !ok {
		return Result{}, fmt.Errorf("no dialect %q: one of %v", dialect, Dialects())
	}
	if len(text) > parser.MaxBytes {
		return Result{}, &parser.Error{Code: parser.CodeTooLarge, Message: fmt.Sprintf("the statement has %d bytes; at most %d are read", len(text), parser.MaxBytes)}
	}
	rules, err := functionTable()
	if err != nil {
		return Result{}, err
	}
	t := newTranslator(dialect, tr, text, rules, opt)
	if t.isPresto() {
		return Result{Text: text, Statement: t.presto}, nil
	}
	t.translate()
	if t.err == nil {
		t.settle()
	}
	if t.err != nil {
		return Result{}, t.err
	}
	return t.result(), nil
}

// isPresto reports a text of an unknown dialect that is valid as it is. Names that
// are not found are nobody's habit.
func (t *translator) isPresto() bool {
	if t.dialect != DialectUnknown {
		return false
	}
	if _, ok := parser.Probe(t.text); !ok {
		return false // and it takes no grammar to say where
	}
	stmt, err := parser.Parse(t.text)
	if err != nil || stmt.Query == nil {
		return false
	}
	_, mistakes := resolve.Resolve(stmt, t.opt.Scope)
	t.presto = stmt
	refused := false // what Presto reads, and refuses
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Join:
			refused = refused || n.Natural
		case *tree.Typed:
			refused = refused || n.Type == "interval"
		}
		return !refused
	})
	return !refused && !slices.ContainsFunc(mistakes, func(m resolve.Diagnostic) bool {
		_, table := m.Node.(*tree.Table)
		return !table
	})
}

// classOf is the error that Trino gives for what a rule changes.
func classOf(rule string) string {
	switch rule {
	case "function":
		return string(resolve.FunctionNotFound)
	case "alias", "using":
		return string(resolve.ColumnNotFound)
	case "database":
		return string(resolve.TableNotFound)
	case "bare_column":
		return string(resolve.ExpressionNotAggregate)
	case "compare", "cast", "condition", "date_arithmetic", "division":
		return string(resolve.TypeMismatch)
	case "division_by_zero":
		return "DIVISION_BY_ZERO"
	}
	return "SYNTAX_ERROR"
}

func (t *translator) result() Result {
	res := Result{Text: string(t.out), origins: append(t.from, int32(len(t.text))), Changes: t.changes, Warnings: t.warnings}
	if !t.opt.TextOnly {
		res.Statement, res.Unread = parser.Parse(res.Text)
	}
	slices.SortStableFunc(res.Changes, func(a, b Change) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortStableFunc(res.Warnings, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	res.Warnings = slices.Compact(res.Warnings)
	return res
}
