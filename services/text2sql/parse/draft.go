// Package parse reads the items of a question by a small grammar into drafts:
// what is shown, which rows, how grouped and ordered. A draft names spans, not
// columns; package bind picks what each span stands for.
package parse

import (
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// Expr is a value: a span that names a column, rows of a table, or an attribute
// that an adjective orders by.
type Expr struct {
	Agg      intent.Agg
	Distinct bool
	Item     *link.Item         // nil: rows of the draft's entity
	Owner    *link.Item         // table that the column should be of; nil: any
	Near     *link.Item         // table named next to it, a weaker hint
	Adj      *lexicon.Adjective // instead of Item
	Table    bool               // Item is meant as a table: its rows
	Prep     string             // preposition before it; of groups the word that grouped
	Grain    string             // of a group: how its time is cut
	Rows     bool               // names of the rows that the conditions are about
	Total    bool               // "the most fees": of all rows that belong together
	Rate     *Pred              // of intent.AggRate: what the rows counted fulfil
	Percent  bool               // of intent.AggRate: of a hundred
	Calc     *Calc              // instead of Item
	When     *Pred              // of a count or a sum: what the rows fulfil
	Per      *Expr              // the groups whose Inner is aggregated once more
	Inner    intent.Agg
}

// Calc combines two values.
type Calc struct {
	Op          intent.CalcOp
	Left, Right *Expr
}

// Pred is a condition.
type Pred struct {
	Left   *Expr // nil: found by the value
	Op     intent.Op
	Values []Value
	// Aggregate of Left over Of's rows to compare with, instead of Values.
	SubAgg intent.Agg
	SubOf  *Expr
	Right  *Expr  // another column, instead of Values
	Times  string // multiplies Right, a number; empty: 1
	// Table that must be related, or must not: Exists, NotExists.
	Related *link.Item
	Inner   []*Pred // conditions on the related rows
	Neg     bool
	OrPrev  bool   // joined to the predicate before by OR
	Both    bool   // one of two that must both hold over related rows
	Prep    string // preposition before it
}

// Value is a constant, with the item that it came from.
type Value struct {
	Item   *link.Item
	Text   string
	Number bool
	Date   bool // a day, "2006-01-02"
}

// Order is an element of the order.
type Order struct {
	By    *Expr // nil: what is aggregated, else the first column
	Desc  bool
	Alpha bool // by the alphabet
}

// Draft is a question as read.
type Draft struct {
	Outputs  []*Expr
	Distinct bool
	Tables   []*link.Item // tables named, first the one whose rows are meant
	Preds    []*Pred
	Groups   []*Expr
	Having   []*Pred
	Orders   []Order
	Limit    int64
	// Superlative marks that Orders and Limit pick out rows.
	Superlative bool
	// Unclear says why the draft must not be answered with, though it is likely the
	// best: the question has another reading that is as good. Empty: nothing.
	Unclear string
	// Unread are items that no rule took.
	Unread []*link.Item
	// Doubts are reasons why the reading may be wrong, each with its weight.
	Doubts []Doubt
	Star   bool // all columns were asked for

	// Score is how good the draft is among those of its question: the sum of its
	// features, each times its weight. Higher is better; only differences mean
	// anything.
	Score float64
	// Features are what the score is made of and what a ranking of bound readings
	// may weigh anew: "rule/NAME" counts uses of a rule, "skip/CLASS" items that
	// were passed over, by what they might have been (name, value, number, unknown,
	// or the tag), "shape/NAME" parts of the whole ("shape/group", "shape/pick").
	Features map[string]float64
}

// Doubt lowers the confidence by a factor.
type Doubt struct {
	Why    string
	Factor float64
}

func (d *Draft) doubt(factor float64, why string) {
	d.Doubts = append(d.Doubts, Doubt{Why: why, Factor: factor})
}

// Aggregates reports whether a value is of groups and not of rows.
func (e *Expr) Aggregates() bool {
	return e.Agg != "" || e.Calc != nil && (e.Calc.Left.Aggregates() || e.Calc.Right.Aggregates())
}
