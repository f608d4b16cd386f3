package tree

// Query is a query with all that may surround its body.
type Query struct {
	Meta
	With    *With // nil: none
	Body    QueryBody
	OrderBy []*SortItem
	Offset  Expr   // nil: none; *Number or *Param
	Limit   *Limit // nil: none
}

// With is a WITH clause.
type With struct {
	Meta
	Recursive bool
	Queries   []*CommonTable
}

// CommonTable is one named query of a WITH clause.
type CommonTable struct {
	Meta
	Name    *Ident
	Columns []*Ident // empty: the query's own names
	Query   *Query
}

// Limit is LIMIT or FETCH FIRST.
type Limit struct {
	Meta
	Count    Expr // nil: LIMIT ALL, or FETCH FIRST ROW (one row)
	Fetch    bool // written as FETCH FIRST
	WithTies bool // FETCH FIRST ... WITH TIES
}

// SortItem is an element of ORDER BY.
type SortItem struct {
	Meta
	Expr  Expr
	Desc  bool
	Asc   bool   // ASC was written
	Nulls string // "", "FIRST", "LAST"
}

// Select is SELECT ... FROM ... WHERE ... GROUP BY ... HAVING ... WINDOW.
type Select struct {
	Meta
	Quantifier Quantifier
	Items      []SelectItem
	From       []Relation // more than one: an implicit cross join
	Where      Expr
	GroupBy    *GroupBy
	Having     Expr
	Windows    []*NamedWindow
}

// SelectExpr is an expression of the SELECT list.
type SelectExpr struct {
	Meta
	Expr  Expr
	Alias *Ident // nil: none
}

// Star is * or qualifier.*.
type Star struct {
	Meta
	Qualifier Expr // nil: all of FROM
	Aliases   []*Ident
}

// SetOp is UNION, INTERSECT or EXCEPT.
type SetOp struct {
	Meta
	Op              string // "UNION", "INTERSECT", "EXCEPT"
	Quantifier      Quantifier
	Corresponding   bool     // columns are matched by name
	CorrespondingBy []*Ident // CORRESPONDING BY (column, ...); empty: all that both sides have
	Left, Right     QueryBody
}

// Values is VALUES row, row. A row of more than one column is a *Row.
type Values struct {
	Meta
	Rows []Expr
}

// TableQuery is TABLE name.
type TableQuery struct {
	Meta
	Table *Table
}

// ParenQuery is a query in parentheses that stands as a query body.
type ParenQuery struct {
	Meta
	Query *Query
}

// GroupBy is a GROUP BY clause.
type GroupBy struct {
	Meta
	Quantifier Quantifier
	Elements   []*GroupingElement
}

// GroupingKind says how an element of GROUP BY makes grouping sets.
type GroupingKind string

// Kinds of grouping elements.
const (
	GroupingSimple GroupingKind = ""
	GroupingRollup GroupingKind = "ROLLUP"
	GroupingCube   GroupingKind = "CUBE"
	GroupingSets   GroupingKind = "GROUPING SETS"
	GroupingAuto   GroupingKind = "AUTO" // by all that is no aggregate
)

// GroupingElement is one element of GROUP BY. Simple has one set; ROLLUP and CUBE
// have a set for each of their steps, mostly of one expression; GROUPING SETS has
// its sets; AUTO has none.
type GroupingElement struct {
	Meta
	Kind GroupingKind
	Sets []*GroupingSet
}

// GroupingSet is a list of expressions grouped together.
type GroupingSet struct {
	Meta
	Exprs  []Expr
	Parens bool // written in parentheses
}

func (*Select) queryBody()     {}
func (*SetOp) queryBody()      {}
func (*Values) queryBody()     {}
func (*TableQuery) queryBody() {}
func (*ParenQuery) queryBody() {}

func (*SelectExpr) selectItem() {}
func (*Star) selectItem()       {}

// WithLimit returns the query with another limit; all else is shared.
func (q *Query) WithLimit(limit *Limit) *Query {
	c := *q
	c.Meta = q.rewritten(q)
	c.Limit = limit
	return &c
}

// WithQuery returns the statement with another query in it.
func (n *Statement) WithQuery(q *Query) *Statement {
	c := *n
	c.Meta = n.rewritten(n)
	c.Query = q
	return &c
}
