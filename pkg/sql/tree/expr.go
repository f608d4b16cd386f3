package tree

// ColumnRef is a column by name, qualified or not: c, t.c, s.t.c. Whether the
// last parts are fields of a row is for the resolver to say.
type ColumnRef struct {
	Meta
	Parts []*Ident
}

// Field is base.name where base is no plain name.
type Field struct {
	Meta
	Base Expr
	Name *Ident
}

// Unary is a sign: "-" or "+".
type Unary struct {
	Meta
	Op string
	X  Expr
}

// Operators of Binary.
const (
	OpOr          = "OR"
	OpAnd         = "AND"
	OpEq          = "="
	OpNe          = "<>"
	OpLt          = "<"
	OpLe          = "<="
	OpGt          = ">"
	OpGe          = ">="
	OpDistinct    = "IS DISTINCT FROM"
	OpNotDistinct = "IS NOT DISTINCT FROM"
	OpAdd         = "+"
	OpSub         = "-"
	OpMul         = "*"
	OpDiv         = "/"
	OpMod         = "%"
	OpConcat      = "||"
)

// Binary is left op right, for logic, comparison, arithmetic and concatenation.
type Binary struct {
	Meta
	Op          string
	Left, Right Expr
}

// Not is NOT x.
type Not struct {
	Meta
	X Expr
}

// IsNull is x IS [NOT] NULL.
type IsNull struct {
	Meta
	X   Expr
	Not bool
}

// Between is x [NOT] BETWEEN low AND high.
type Between struct {
	Meta
	X, Low, High Expr
	Not          bool
}

// InList is x [NOT] IN (item, ...).
type InList struct {
	Meta
	X    Expr
	List []Expr
	Not  bool
}

// InQuery is x [NOT] IN (query).
type InQuery struct {
	Meta
	X     Expr
	Query *Query
	Not   bool
}

// Like is x [NOT] LIKE pattern [ESCAPE escape].
type Like struct {
	Meta
	X, Pattern, Escape Expr // Escape may be nil
	Not                bool
}

// Quantified is x op ALL|ANY|SOME (query).
type Quantified struct {
	Meta
	X          Expr
	Op         string
	Quantifier string // "ALL", "ANY", "SOME"
	Query      *Query
}

// Exists is EXISTS (query).
type Exists struct {
	Meta
	Query *Query
}

// ScalarQuery is a query in parentheses that stands for a value.
type ScalarQuery struct {
	Meta
	Query *Query
}

// Case is CASE, simple (with Operand) or searched.
type Case struct {
	Meta
	Operand Expr // nil: searched
	Whens   []*When
	Else    Expr // nil: none
}

// When is WHEN cond THEN result.
type When struct {
	Meta
	Cond, Result Expr
}

// Cast is CAST or TRY_CAST.
type Cast struct {
	Meta
	X    Expr
	Type *TypeName
	Try  bool
}

// TypeName is a type as Presto's own canonical text, lower case:
// "decimal(12,2)", "array(row(id integer, nm varchar))",
// "timestamp(3) with time zone".
type TypeName struct {
	Meta
	Text string
}

// Call is a function call: scalar, aggregate or window.
type Call struct {
	Meta
	Name       *Name
	Quantifier Quantifier
	Args       []Expr
	Star       bool   // count(*)
	Label      *Ident // of a row pattern's variable: count(A.*); nil: none
	Mode       string // of row pattern recognition: "", "RUNNING", "FINAL"
	OrderBy    []*SortItem
	Filter     Expr   // FILTER (WHERE ...)
	Nulls      string // "", "IGNORE", "RESPECT"
	Over       *Over  // nil: no window
}

// ListAgg is LISTAGG(x, separator) WITHIN GROUP (ORDER BY ...).
type ListAgg struct {
	Meta
	Quantifier Quantifier
	X          Expr
	Separator  Expr   // nil: none
	Overflow   string // text of ON OVERFLOW ..., empty: none
	OrderBy    []*SortItem
	Filter     Expr
	Over       *Over // nil: no window
}

// Over is the window of a call: a name or a specification.
type Over struct {
	Meta
	Name *Ident
	Spec *Window
}

// NamedWindow is an element of the WINDOW clause.
type NamedWindow struct {
	Meta
	Name *Ident
	Spec *Window
}

// Window is a window specification.
type Window struct {
	Meta
	Base        *Ident // an existing window that this one extends; nil: none
	PartitionBy []Expr
	OrderBy     []*SortItem
	Frame       *Frame // nil: the default
}

// Frame of a window, with what recognises patterns in it.
type Frame struct {
	Meta
	Unit       string // "ROWS", "RANGE", "GROUPS"
	Start, End *Bound // End nil: CURRENT ROW
	Measures   []*Measure
	Skip       string // as in MatchRecognize, and so on
	Search     string
	Pattern    *RowPattern // nil: none
	Subsets    []*Subset
	Define     []*Definition
}

// Bound of a frame.
type Bound struct {
	Meta
	Kind string // "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"
	X    Expr   // for PRECEDING and FOLLOWING
}

// Special is a function without parentheses: CURRENT_DATE, LOCALTIMESTAMP,
// CURRENT_USER, CURRENT_CATALOG and their like.
type Special struct {
	Meta
	Name      string // upper case
	Precision Expr   // nil: none
}

// Extract is EXTRACT(field FROM x).
type Extract struct {
	Meta
	Field string // upper case
	X     Expr
}

// AtTimeZone is x AT TIME ZONE zone; zone is a *String or an *Interval.
type AtTimeZone struct {
	Meta
	X, Zone Expr
}

// Position is POSITION(sub IN x).
type Position struct {
	Meta
	Sub, X Expr
}

// Trim is TRIM([LEADING|TRAILING|BOTH] [chars] FROM x).
type Trim struct {
	Meta
	Side  string // "", "LEADING", "TRAILING", "BOTH"
	Chars Expr   // nil: blanks
	X     Expr
}

// Substring is SUBSTRING(x FROM from FOR count).
type Substring struct {
	Meta
	X, From, For Expr // For may be nil
}

// Normalize is NORMALIZE(x, form).
type Normalize struct {
	Meta
	X    Expr
	Form string // "NFC" where none is written
}

// Array is ARRAY[item, ...] or [item, ...].
type Array struct {
	Meta
	Items []Expr
}

// Row is ROW(item, ...) or (item, item, ...).
type Row struct {
	Meta
	Items   []Expr
	Keyword bool // written with ROW
}

// Subscript is x[index].
type Subscript struct {
	Meta
	X, Index Expr
}

// Lambda is (param, ...) -> body.
type Lambda struct {
	Meta
	Params []*Ident
	Body   Expr
}

// Grouping is GROUPING(column, ...).
type Grouping struct {
	Meta
	Columns []*ColumnRef
}

// Paren is an expression in parentheses, kept so that text and tree agree.
type Paren struct {
	Meta
	X Expr
}

func (*ColumnRef) expr()   {}
func (*Field) expr()       {}
func (*Unary) expr()       {}
func (*Binary) expr()      {}
func (*Not) expr()         {}
func (*IsNull) expr()      {}
func (*Between) expr()     {}
func (*InList) expr()      {}
func (*InQuery) expr()     {}
func (*Like) expr()        {}
func (*Quantified) expr()  {}
func (*Exists) expr()      {}
func (*ScalarQuery) expr() {}
func (*Case) expr()        {}
func (*Cast) expr()        {}
func (*Call) expr()        {}
func (*ListAgg) expr()     {}
func (*Special) expr()     {}
func (*Extract) expr()     {}
func (*AtTimeZone) expr()  {}
func (*Position) expr()    {}
func (*Trim) expr()        {}
func (*Substring) expr()   {}
func (*Normalize) expr()   {}
func (*Array) expr()       {}
func (*Row) expr()         {}
func (*Subscript) expr()   {}
func (*Lambda) expr()      {}
func (*Grouping) expr()    {}
func (*Paren) expr()       {}
