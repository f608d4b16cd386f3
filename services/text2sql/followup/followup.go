// Package followup changes the intent of an earlier question by what was said next:
// "by week", "only Brazil", "那泰国呢". What was said becomes typed edits (Read), each
// of which is applied to the intent or refused with a reason (Apply): a change that
// cannot be made is told, never left out. Names, values and dates are linked by the
// reader of whole questions, which hands over Pieces; the words that say what to do
// with them are this package's own (words.yaml).
package followup

import (
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// NameKind is what a name stands for.
type NameKind string

// Kinds of names.
const (
	Metric    NameKind = "metric"
	Dimension NameKind = "dimension"
	Entity    NameKind = "entity"
	Filter    NameKind = "filter"
	Exclusion NameKind = "exclusion"
	Country   NameKind = "country"
	Value     NameKind = "value"
)

// Name is one thing that words may stand for.
type Name struct {
	Kind  NameKind
	ID    string // of the layer; of a Value its dimension's; of a Country its code
	Value string // stored value, of a Value
}

// Piece is a part of what was said that names something or a time.
type Piece struct {
	Start, End int // bytes
	Names      []Name
	Date       *dates.Found // nil: no time
	Bound      *intent.Cond // on a figure: "more than 50 orders"; nil: none
}

// Do is what an edit does.
type Do string

// What edits do. Set replaces what there was of the same kind.
const (
	SetCountry   Do = "set_country" // Values
	AddCountry   Do = "add_country"
	DropCountry  Do = "drop_country"
	AllCountries Do = "all_countries"
	SetValue     Do = "set_value" // Field, Values
	AddValue     Do = "add_value"
	DropValue    Do = "drop_value"
	KeepNamed    Do = "keep_named" // ID of a named filter or exclusion
	DropNamed    Do = "drop_named"
	SetMetric    Do = "set_metric" // Values: ids
	AddMetric    Do = "add_metric"
	DropMetric   Do = "drop_metric"
	SetGroup     Do = "set_group" // Field
	AddGroup     Do = "add_group"
	DropGroup    Do = "drop_group"
	SetRange     Do = "set_range"   // Date
	ShiftRange   Do = "shift_range" // Unit
	AllTime      Do = "all_time"
	SetGrain     Do = "set_grain" // Unit
	DropGrain    Do = "drop_grain"
	Limit        Do = "limit" // N, Desc
	NoLimit      Do = "no_limit"
	OrderBy      Do = "order_by" // Field, Desc; no Field: the order turns
	Compare      Do = "compare"  // Unit, or Date
	NoCompare    Do = "no_compare"
	Moved        Do = "moved"   // Desc: of a comparison, only what rose; else what fell; Direction: ranked
	Bound        Do = "bound"   // Cond: a condition on the figures of rows
	Explain      Do = "explain" // why a figure is as it is: no change of an intent
	Share        Do = "share"
	Total        Do = "total"
	Chart        Do = "chart" // nothing of the intent

	// Over tables, where columns are named instead of metrics.
	SetFigure     Do = "set_figure" // Output
	AddFigure     Do = "add_figure"
	DropFigure    Do = "drop_figure"
	AddColumn     Do = "add_column" // Field: shown of a list
	DropColumn    Do = "drop_column"
	DropFilter    Do = "drop_filter"    // Field: no condition on it any more
	DropCondition Do = "drop_condition" // Cond
	ListRows      Do = "list_rows"      // N: at most
	ListValues    Do = "list_values"    // Field: the different values that were counted
	ShareOf       Do = "share_of"       // Cond: of the figure, the part of the rows that meet it
	OfFirst       Do = "of_first"       // Field, N: only what belongs to the groups that were shown
	Turn          Do = "turn"           // Desc
)

// Edit is one change of an intent.
type Edit struct {
	Do     Do
	Field  intent.Field
	Values []string
	Unit   string // day week month quarter year; "previous" for the period before
	N      int64
	Desc   bool
	Date   *dates.Found
	Cond   *intent.Cond
	Output *intent.Output
	// Quality says that Desc is best or worst, which need not be high or low.
	Quality bool
	// Direction says that Desc was said.
	Direction bool
}

// Reading is what was said, as edits in order.
type Reading struct {
	Edits []Edit
	// NotUnderstood are words that no edit and no name covers.
	NotUnderstood []string
	// Either are two edits of which one is meant, where a name alone does not say
	// which; nothing was read then.
	Either []Edit
	// Whole says that it is a question of its own rather than a change.
	Whole bool
}
