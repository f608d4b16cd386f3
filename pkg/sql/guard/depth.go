package guard

import (
	"cmp"
	"fmt"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of a statement's shape. An engine may need time or memory that doubles with
// each of these, before it looks at its deadline for the first time. The parser has
// wider bounds of its own, beyond which nothing is read at all. The zero value of a
// field means its default.
type Bounds struct {
	// MaxLambdas is how deep lambdas may be nested in each other; 0 means 6.
	MaxLambdas int `koanf:"max_lambdas"`
	// MaxNesting is how deep calls, casts, cases, parentheses and subqueries may be
	// nested in each other; 0 means 100.
	MaxNesting int `koanf:"max_nesting"`
	// MaxJoins is the number of joins of one statement, commas in FROM included; 0
	// means 100.
	MaxJoins int `koanf:"max_joins"`
	// MaxConditions is the number of conditions joined by AND and OR in one statement;
	// 0 means 1,000.
	MaxConditions int `koanf:"max_conditions"`
	// MaxList is the number of items of one list of IN; 0 means 5,000.
	MaxList int `koanf:"max_list"`
	// MaxWindows is the number of window functions of one statement; 0 means 100.
	MaxWindows int `koanf:"max_windows"`
}

// WithDefaults fills in what is not set.
func (b Bounds) WithDefaults() Bounds {
	return Bounds{
		MaxLambdas: cmp.Or(max(b.MaxLambdas, 0), 6), MaxNesting: cmp.Or(max(b.MaxNesting, 0), 100),
		MaxJoins: cmp.Or(max(b.MaxJoins, 0), 100), MaxConditions: cmp.Or(max(b.MaxConditions, 0), 1_000),
		MaxList: cmp.Or(max(b.MaxList, 0), 5_000), MaxWindows: cmp.Or(max(b.MaxWindows, 0), 100),
	}
}

// shape counts what Bounds bound while it walks a statement. The first thing over
// its bound is the refusal.
type shape struct {
	bounds                     Bounds
	lambdas, nesting           int // at the node that is looked at
	joins, conditions, windows int // so far
	refusal                    *Refusal
}

// check refuses a statement that is out of bounds.
func (b Bounds) check(stmt *tree.Statement) *Refusal {
	s := &shape{bounds: b}
	s.walk(stmt)
	return s.refusal
}

func (s *shape) walk(n tree.Node) {
	if s.refusal != nil || n == nil { // absent children, and ends of lists
		return
	}
	lambdas, nesting := s.lambdas, s.nesting
	s.count(n)
	for _, child := range tree.Children(n) {
		s.walk(child)
	}
	s.lambdas, s.nesting = lambdas, nesting
}

func (s *shape) count(n tree.Node) {
	if nests(n) {
		s.nesting++
		s.bound(n, s.nesting, s.bounds.MaxNesting, "the statement is nested %d levels deep, and %d are allowed: name its parts in a WITH, or leave some out")
	}
	switch n := n.(type) {
	case *tree.Lambda:
		s.lambdas++
		s.bound(n, s.lambdas, s.bounds.MaxLambdas, "%d lambdas are nested in each other, and %d are allowed: unnest the array instead")
	case *tree.Join:
		s.joins++
	case *tree.Select:
		s.joins += max(len(n.From)-1, 0)
	case *tree.Binary:
		if n.Op == tree.OpAnd || n.Op == tree.OpOr {
			s.conditions++
			s.bound(n, s.conditions+1, s.bounds.MaxConditions, "the statement joins %d conditions by AND and OR, and %d are allowed: use IN with a list, or join a table of the values")
		}
	case *tree.InList:
		s.bound(n, len(n.List), s.bounds.MaxList, "a list of IN has %d items, and %d are allowed: use a range, or join a table of the values")
	case *tree.Over:
		s.windows++
		s.bound(n, s.windows, s.bounds.MaxWindows, "the statement has %d window functions, and %d are allowed: ask for fewer at a time")
	}
	s.bound(n, s.joins, s.bounds.MaxJoins, "the statement has %d joins, and %d are allowed: ask for fewer tables at a time")
}

// nests reports a node in which others are nested. Chains of operators, joins and
// UNIONs are none: they are as long as they are deep.
func nests(n tree.Node) bool {
	switch n.(type) {
	case *tree.Call, *tree.Lambda, *tree.Case, *tree.Cast, *tree.Paren, *tree.Not, *tree.Unary, *tree.Array, *tree.Row, *tree.Subscript,
		*tree.ScalarQuery, *tree.InQuery, *tree.Exists, *tree.Derived, *tree.Lateral, *tree.ParenQuery, *tree.ParenRelation:
		return true
	}
	return false
}

func (s *shape) bound(n tree.Node, count, limit int, message string) {
	if s.refusal != nil || count <= limit {
		return
	}
	s.refusal = &Refusal{Rule: "bounds", Code: CodeTooComplex, Message: fmt.Sprintf(message, count, limit)}
	s.refusal.Line, s.refusal.Column = n.Span().Position()
}
