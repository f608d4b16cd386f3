package tree

// MatchRecognize is relation MATCH_RECOGNIZE (...). Its expressions are in the
// tree; the pattern itself is text.
type MatchRecognize struct {
	Meta
	Relation     Relation
	PartitionBy  []Expr
	OrderBy      []*SortItem
	Measures     []*Measure
	RowsPerMatch string // "", "ONE ROW PER MATCH", "ALL ROWS PER MATCH SHOW EMPTY MATCHES", ...
	Skip         string // text after AFTER MATCH, empty: none
	Search       string // "", "INITIAL", "SEEK"
	Pattern      *RowPattern
	Subsets      []*Subset
	Define       []*Definition
}

// Measure is x AS name in MEASURES.
type Measure struct {
	Meta
	X    Expr
	Name *Ident
}

// RowPattern is what stands between the parentheses of PATTERN.
type RowPattern struct {
	Meta
	Text string // as written
}

// Subset is name = (variable, ...) in SUBSET.
type Subset struct {
	Meta
	Name      *Ident
	Variables []*Ident
}

// Definition is name AS condition in DEFINE.
type Definition struct {
	Meta
	Name *Ident
	Cond Expr
}

// WindowMeasure is name OVER window: a measure of a window that recognises
// patterns.
type WindowMeasure struct {
	Meta
	Name *Ident
	Over *Over
}

func (*MatchRecognize) relation() {}
func (*WindowMeasure) expr()      {}
