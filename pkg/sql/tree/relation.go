package tree

// Table is a table, view or common table, by name.
type Table struct {
	Meta
	Name    *Name
	Version *TableVersion // nil: the newest
}

// TableVersion is FOR TIMESTAMP AS OF x or FOR VERSION AS OF x.
type TableVersion struct {
	Meta
	Kind string // "TIMESTAMP", "VERSION"
	X    Expr
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

// TableFunction is TABLE(function(argument, ...)).
type TableFunction struct {
	Meta
	Name        *Name
	Args        []*TableArgument
	Copartition []*Copartition
}

// TableArgument is an argument of a table function: a value, a relation or a
// descriptor.
type TableArgument struct {
	Meta
	Name        *Ident   // name => ...; nil: by position
	Value       Expr     // nil: another kind
	Relation    Relation // TABLE(...): *Table, *Derived, or either *Aliased
	Partitioned bool     // PARTITION BY was written, if only with ()
	PartitionBy []Expr
	Empty       string // "", "PRUNE", "KEEP" WHEN EMPTY
	OrderBy     []*SortItem
	Descriptor  []*DescriptorField
	NoColumns   bool // CAST(NULL AS DESCRIPTOR)
}

// DescriptorField is name [type] in DESCRIPTOR(...).
type DescriptorField struct {
	Meta
	Name *Ident
	Type *TypeName // nil: none
}

// Copartition names arguments that are partitioned together.
type Copartition struct {
	Meta
	Tables []*Name
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
