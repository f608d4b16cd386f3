// Package logql reads, checks, prints and evaluates LogQL, the query language of
// Grafana Loki. It knows the grammar from Loki's documentation and holds no code
// of Loki.
//
// Parse gives a tree, Print writes a tree back in one canonical form, Check tells
// what is wrong with a tree beyond its grammar, and Evaluate (eval.go) runs a tree
// over lines of logs. All errors carry the position of what is at fault.
package logql

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of what Parse takes.
const (
	// MaxBytes is the longest query.
	MaxBytes = 64 << 10
	// MaxDepth is how deep parentheses and calls may nest.
	MaxDepth = 64
)

// Pos is a place in a query's text, in bytes from 0.
type Pos int

// Error is a mistake in a query at a place.
type Error struct {
	// Pos is where the mistake is, in bytes from 0; Line and Column count from 1,
	// columns in characters.
	Pos          Pos
	Line, Column int
	// NotSupported names what LogQL has and this package does not; empty otherwise.
	NotSupported string
	// Message says what is wrong and, where that is known, what to write instead.
	Message string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

func errorAt(text string, at Pos, format string, args ...any) *Error {
	at = min(max(at, 0), Pos(len(text)))
	before := text[:at]
	line := strings.Count(before, "\n") + 1
	last := strings.LastIndexByte(before, '\n') + 1
	return &Error{Pos: at, Line: line, Column: utf8.RuneCountInString(before[last:]) + 1, Message: fmt.Sprintf(format, args...)}
}

// Expr is a query or a part of one: LogExpr, RangeAgg, VectorAgg, Binary, Number,
// VectorFunc or LabelReplace.
type Expr interface{ At() Pos }

// LogExpr selects streams and sends their lines through stages.
type LogExpr struct {
	Pos      Pos
	Matchers []Matcher
	Stages   []Stage
}

// MatchOp compares a label or a line: "=", "!=", "=~", "!~".
type MatchOp string

// Operators of matchers.
const (
	Equal    MatchOp = "="
	NotEqual MatchOp = "!="
	Match    MatchOp = "=~"
	NotMatch MatchOp = "!~"
)

// Matcher holds for streams whose label compares as Op says with Value.
type Matcher struct {
	Pos   Pos
	Label string
	Op    MatchOp
	Value string
}

// Stage is a step of a log pipeline: LineFilter, Parser, LabelFilter, LineFormat,
// LabelFormat, Decolorize, LabelList or Unwrap.
type Stage interface{ At() Pos }

// FilterOp is how a LineFilter compares: "|=", "!=", "|~", "!~", "|>", "!>".
type FilterOp string

// Operators of line filters.
const (
	Contains       FilterOp = "|="
	ContainsNot    FilterOp = "!="
	LineMatches    FilterOp = "|~"
	LineMatchesNot FilterOp = "!~"
	HasPattern     FilterOp = "|>"
	HasPatternNot  FilterOp = "!>"
)

// LineFilter keeps lines by their text. A line passes when one of Values does, for
// a negated operator when none does.
type LineFilter struct {
	Pos    Pos
	Op     FilterOp
	Values []LineValue
}

// LineValue is what a LineFilter looks for: a text, or an address or range of
// addresses when IP is set.
type LineValue struct {
	Text string
	IP   bool
}

// Parser extracts labels from the line: json, logfmt, regexp, pattern or unpack.
type Parser struct {
	Pos  Pos
	Kind string
	// Pattern is the argument of regexp and pattern.
	Pattern string
	// Strict and KeepEmpty are the flags of logfmt.
	Strict, KeepEmpty bool
	// Fields extract single labels, for json and logfmt; empty: all.
	Fields []Field
}

// Field is LABEL="EXPRESSION" of a json or logfmt stage.
type Field struct{ Label, Path string }

// LabelFilter keeps lines by their labels.
type LabelFilter struct {
	Pos  Pos
	Cond Cond
}

// Cond is a condition on labels: Compare or Both.
type Cond interface{ At() Pos }

// Both joins two conditions by "and" or "or".
type Both struct {
	Pos         Pos
	Op          string
	Left, Right Cond
}

// ValueKind is the type of what a label is compared with.
type ValueKind int

// Kinds of values.
const (
	TextValue ValueKind = iota
	NumberValue
	DurationValue
	BytesValue
	IPValue
)

// Compare compares a label. Op is one of = != =~ !~ for texts and addresses, and
// one of = != > >= < <= for the others.
type Compare struct {
	Pos   Pos
	Label string
	Op    string
	Kind  ValueKind
	Text  string // of TextValue and IPValue
	// Number is the value of the other kinds: seconds for a duration.
	Number float64
	// Raw is how a duration or an amount of bytes was written.
	Raw string
}

// LineFormat writes the line anew from a template.
type LineFormat struct {
	Pos      Pos
	Template string
}

// LabelFormat renames labels or writes them from templates.
type LabelFormat struct {
	Pos   Pos
	Items []FormatItem
}

// FormatItem is TO=FROM, or TO="TEMPLATE" when Template is set.
type FormatItem struct {
	To, From string
	Template bool
}

// Decolorize strips the colours of terminals from the line.
type Decolorize struct{ Pos Pos }

// LabelList is drop or keep: labels by name, or those that match.
type LabelList struct {
	Pos   Pos
	Keep  bool
	Items []ListItem
}

// ListItem is a label of drop or keep; Op is empty where the name alone decides.
type ListItem struct {
	Label string
	Op    MatchOp
	Value string
}

// Unwrap takes the number that a range aggregation works on from a label.
type Unwrap struct {
	Pos   Pos
	Label string
	// Convert is "duration", "duration_seconds" or "bytes"; empty: a plain number.
	Convert string
}

// Grouping is by (LABELS) or without (LABELS).
type Grouping struct {
	Without bool
	Labels  []string
}

// RangeAgg works on the lines of a time range: count_over_time({...}[5m]).
type RangeAgg struct {
	Pos Pos
	Op  string
	// Param is the quantile of quantile_over_time.
	Param  *float64
	Log    *LogExpr
	Range  time.Duration
	Offset time.Duration
	// By groups the result; nil: by all labels.
	By *Grouping
}

// VectorAgg works on series: sum by (app) (...).
type VectorAgg struct {
	Pos Pos
	Op  string
	// Param is the number of topk and bottomk.
	Param *float64
	By    *Grouping
	Inner Expr
}

// Matching says how a Binary pairs the series of its sides.
type Matching struct {
	// On pairs by Labels; otherwise all labels but those.
	On     bool
	Labels []string
	// Group is "left" or "right" where one side has many series; Include are the
	// labels that the other side gives.
	Group   string
	Include []string
}

// Binary is an arithmetic, comparison or set operation.
type Binary struct {
	Pos         Pos
	Op          string
	Bool        bool
	Matching    *Matching
	Left, Right Expr
}

// Number is a literal.
type Number struct {
	Pos   Pos
	Value float64
}

// VectorFunc is vector(NUMBER).
type VectorFunc struct {
	Pos   Pos
	Value float64
}

// LabelReplace writes a label of series from another by a regular expression.
type LabelReplace struct {
	Pos                      Pos
	Inner                    Expr
	Dst, Replacement, Source string
	Regex                    string
}

// At implements Expr or Stage.
func (e *LogExpr) At() Pos { return e.Pos }

// At implements Stage.
func (e *LineFilter) At() Pos { return e.Pos }

// At implements Stage.
func (e *Parser) At() Pos { return e.Pos }

// At implements Stage.
func (e *LabelFilter) At() Pos { return e.Pos }

// At implements Cond.
func (e *Both) At() Pos { return e.Pos }

// At implements Cond.
func (e *Compare) At() Pos { return e.Pos }

// At implements Stage.
func (e *LineFormat) At() Pos { return e.Pos }

// At implements Stage.
func (e *LabelFormat) At() Pos { return e.Pos }

// At implements Stage.
func (e *Decolorize) At() Pos { return e.Pos }

// At implements Stage.
func (e *LabelList) At() Pos { return e.Pos }

// At implements Stage.
func (e *Unwrap) At() Pos { return e.Pos }

// At implements Expr.
func (e *RangeAgg) At() Pos { return e.Pos }

// At implements Expr.
func (e *VectorAgg) At() Pos { return e.Pos }

// At implements Expr.
func (e *Binary) At() Pos { return e.Pos }

// At implements Expr.
func (e *Number) At() Pos { return e.Pos }

// At implements Expr.
func (e *VectorFunc) At() Pos { return e.Pos }

// At implements Expr.
func (e *LabelReplace) At() Pos { return e.Pos }

// Logs calls visit for every LogExpr of a query.
func Logs(e Expr, visit func(*LogExpr)) {
	switch e := e.(type) {
	case *LogExpr:
		visit(e)
	case *RangeAgg:
		visit(e.Log)
	case *VectorAgg:
		Logs(e.Inner, visit)
	case *LabelReplace:
		Logs(e.Inner, visit)
	case *Binary:
		Logs(e.Left, visit)
		Logs(e.Right, visit)
	}
}

// Ranges calls visit for every RangeAgg of a query.
func Ranges(e Expr, visit func(*RangeAgg)) {
	switch e := e.(type) {
	case *RangeAgg:
		visit(e)
	case *VectorAgg:
		Ranges(e.Inner, visit)
	case *LabelReplace:
		Ranges(e.Inner, visit)
	case *Binary:
		Ranges(e.Left, visit)
		Ranges(e.Right, visit)
	}
}
