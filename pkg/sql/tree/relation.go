package tree

// Table is a table, view or common table, by name.
type Table struct {
	Meta
	Name *Name
}

// Aliased is a relation with an alias.
type Aliased struct {
	Meta
	Relation Relation
	Alias    *Ident
	Columns  []*Ident // empty: the relation's own names
}

// Derived is a query in parentheses in FROM.
type Derived struct {
	Meta
	Query *Query
}

// Lateral is LATERAL (query): the query sees the columns to its left.
type Lateral struct {
	Meta
	Query *Query
}

// Unnest is UNNEST(array, ...) [WITH ORDINALITY].
type Unnest struct {
	Meta
	Exprs      []Expr
	Ordinality bool
}

// JoinKind is the kind of a join.
type JoinKind string

// Kinds of joins.
const (
	JoinInner JoinKind = "INNER"
	JoinLeft  JoinKind = "LEFT"
	JoinRight JoinKind = "RIGHT"
	JoinFull  JoinKind = "FULL"
	JoinCross JoinKind = "CROSS"
)

// Join of two relations. On and Using are both empty for CROSS and NATURAL.
type Join struct {
	Meta
	Kind        JoinKind
	Natural     bool
	Left, Right Relation
	On          Expr
	Using       []*Ident
}

// ParenRelation is a relation in parentheses.
type ParenRelation struct {
	Meta
	Relation Relation
}

// Sampled is relation TABLESAMPLE method (percentage).
type Sampled struct {
	Meta
	Relation   Relation
	Method     string // "BERNOULLI" or "SYSTEM"
	Percentage Expr
}

// TableFunction is TABLE(function(...)). It is recognised so that it can be
// refused by name; its arguments stay text.
type TableFunction struct {
	Meta
	Name *Name
}

func (*Table) relation()         {}
func (*Aliased) relation()       {}
func (*Derived) relation()       {}
func (*Lateral) relation()       {}
func (*Unnest) relation()        {}
func (*Join) relation()          {}
func (*ParenRelation) relation() {}
func (*Sampled) relation()       {}
func (*TableFunction) relation() {}
