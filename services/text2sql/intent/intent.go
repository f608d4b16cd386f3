// Package intent holds the structured intent: what a question asks for, over ids
// of a semantic layer and with no SQL in it. It is a value that can be written
// as JSON, shown, edited by a follow-up and turned into SQL again.
package intent

import "slices"

// Type of a question.
type Type string

// Types of questions.
const (
	Basic     Type = "basic"     // a number or a list
	Trend     Type = "trend"     // over time
	Dimension Type = "dimension" // by category
	Complex   Type = "complex"   // nested, set operations
)

// Intent is what a question asks for.
type Intent struct {
	Type    Type     `json:"intent_type"`
	Country []string `json:"country,omitempty"` // codes; which tables of a family are read
	// ShareOf are the groups that each are a whole for AggShare; empty: all together.
	ShareOf []Field `json:"share_of,omitempty"`
	// AllCountries asks for every country where none is named.
	AllCountries bool `json:"all_countries,omitempty"`
	// Part is the dimension whose filtered values are the part of AggShare, or the
	// named filter that is.
	Part     string   `json:"part,omitempty"`
	Select   []Output `json:"select"`
	Distinct bool     `json:"distinct,omitempty"`
	// Entity is the id of the entity whose rows are counted or listed.
	Entity string `json:"entity,omitempty"`
	// With are ids of further entities that rows must be related to.
	With    []string `json:"with,omitempty"`
	Filters []Cond   `json:"filters,omitempty"` // all must hold
	// Via are ids of columns that point to another table, over which it is joined where others
	// point to it too: the reviewer of a job, and not who wrote it.
	Via []string `json:"via,omitempty"`
	// Segments are named filters whose rows are each shown on their own; a row may
	// be in several.
	Segments []Cond  `json:"segments,omitempty"`
	GroupBy  []Field `json:"group_by,omitempty"`
	Having   []Cond  `json:"having,omitempty"` // all must hold
	OrderBy  []Order `json:"order_by,omitempty"`
	Limit    int64   `json:"limit,omitempty"`
	// LimitPer are the groups that each have Limit rows; empty: all together.
	LimitPer []Field `json:"limit_per,omitempty"`
	Time     *Time   `json:"time,omitempty"`
	Set      *Set    `json:"set,omitempty"`
	// Counted asks for the number of the rows, not for the rows.
	Counted bool `json:"counted,omitempty"`
	// Unconfirmed tells that the person was asked whether this is meant, or what it was changed from, and did not say.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
}

// Shape is the type of a question that nests nothing: over time with a grain or beside another
// period, by category with groups, else a number or a list.
func (in *Intent) Shape() Type {
	switch {
	case in.Time != nil && in.Time.Grain != "":
		return Trend
	case len(in.GroupBy) > 0:
		return Dimension
	case in.Time != nil && in.Time.Compare != nil:
		return Trend
	}
	return Basic
}

// Kind of a field.
type Kind string

// Kinds of fields.
const (
	KindMetric    Kind = "metric"
	KindDimension Kind = "dimension"
	KindEntity    Kind = "entity" // rows of an entity, for counting
	KindTime      Kind = "time"   // the metric's time column, cut to a grain
)

// Field is an item of the semantic layer.
type Field struct {
	Kind  Kind   `json:"kind"`
	ID    string `json:"id"`
	Grain string `json:"grain,omitempty"` // hour day week month quarter year weekday hour_of_day month_of_year
}

// Steps that come again, beside those of time that goes on.
const (
	Weekday       = "weekday"        // the day of the week by its name
	WeekdayNumber = "weekday_number" // 1 for Monday: the order of the names
	HourOfDay     = "hour_of_day"    // 0 to 23
	MonthOfYear   = "month_of_year"  // 1 to 12
)

// Agg is an aggregate.
type Agg string

// Aggregates.
const (
	AggNone          Agg = ""
	AggCount         Agg = "count"
	AggCountDistinct Agg = "count_distinct"
	AggSum           Agg = "sum"
	AggAvg           Agg = "avg"
	AggMin           Agg = "min"
	AggMax           Agg = "max"
	AggMedian        Agg = "median" // the one in the middle, or the mean of the two there
	// AggShare of a metric is its part in the whole: of each group, or of Part.
	// AggAvg of a metric is its mean over days.
	AggShare Agg = "share"
	// AggRate is the part of the rows for which the field has Output.Value.
	AggRate Agg = "rate"
)

// Output is something that is shown, compared or ordered by.
type Output struct {
	Agg Agg `json:"agg,omitempty"`
	Field
	// Value is the stored value that AggRate counts.
	Value string `json:"value,omitempty"`
	// Per is the metric that AggRatio divides by, and the entity or the unit of
	// time over which AggAvg of a metric is the mean; empty: days. Of a layer without
	// metrics it is the group whose Base is averaged: "visits per vet, on average".
	Per Field `json:"per,omitzero"`
	// Base is the aggregate of what AggPrevious, AggChange and AggChangeRate compare;
	// empty: the metric as it is.
	Base Agg `json:"base,omitempty"`
	// Times multiplies AggRatio, "tickets per 100 orders", AggRate, which is a
	// percentage with 100, and what a column is compared with, "twice the cost". A
	// number; empty: 1.
	Times string `json:"times,omitempty"`
	// Window is that of AggWindow.
	Window Window `json:"window,omitzero"`
	// Calc is arithmetic instead of Field; Agg is taken of its result.
	Calc *Calc `json:"calc,omitempty"`
	// Round is how many digits after the point are shown; empty: all.
	Round string `json:"round,omitempty"`
	// When is what the rows fulfil that AggCount counts and AggSum sums up, and the
	// part that AggRate is, of the entity's rows.
	When *Cond `json:"when,omitempty"`
}

// Op is the operator of a condition.
type Op string

// Operators. Compare takes Left and Values, Right or Sub.
const (
	Eq         Op = "="
	Ne         Op = "<>"
	Lt         Op = "<"
	Le         Op = "<="
	Gt         Op = ">"
	Ge         Op = ">="
	Between    Op = "between"
	In         Op = "in"
	NotIn      Op = "not_in"
	Contains   Op = "contains"
	StartsWith Op = "starts_with"
	EndsWith   Op = "ends_with"
	IsNull     Op = "is_null"
	NotNull    Op = "not_null"
	Or         Op = "or"         // Args
	And        Op = "and"        // Args
	Not        Op = "not"        // Args[0]
	Exists     Op = "exists"     // Sub's entity is related to Entity
	NotExists  Op = "not_exists" // Sub's entity is not
	Named      Op = "filter"     // ID of a named filter or exclusion
)

// Cond is a condition.
type Cond struct {
	Op     Op        `json:"op"`
	Left   *Output   `json:"left,omitempty"`
	Values []Literal `json:"values,omitempty"`
	Sub    *Intent   `json:"sub,omitempty"`
	Right  *Output   `json:"right,omitempty"` // instead of Values
	Args   []Cond    `json:"args,omitempty"`
	ID     string    `json:"id,omitempty"`
}

// Literal is a constant from the question.
type Literal struct {
	Text   string `json:"text"`
	Number bool   `json:"number,omitempty"`
	// Date marks a day, "2006-01-02".
	Date bool `json:"date,omitempty"`
}

// Order is an element of the order.
type Order struct {
	By   Output `json:"by"`
	Desc bool   `json:"desc,omitempty"`
}

// Time is a half-open range of days in the asker's time zone, and the grain in
// which the answer is cut.
type Time struct {
	From  string `json:"from,omitempty"` // day, inclusive
	To    string `json:"to,omitempty"`   // day, exclusive
	Grain string `json:"grain,omitempty"`
	Text  string `json:"text,omitempty"` // the words of the question
	// By is the id of the layer's date that From, To and Grain are of, such as that of
	// shipping; empty: the metric's own time.
	By string `json:"by,omitempty"`
	// Compare is the period to compare with; nil: none.
	Compare *Compare `json:"compare,omitempty"`
}

// Set combines the intent with another of the same columns.
type Set struct {
	Op    string `json:"op"` // intersect, union, except
	Right Intent `json:"right"`
}

// HasAggregate reports whether the select list has an aggregate or a metric.
func (in *Intent) HasAggregate() bool {
	return slices.ContainsFunc(in.Select, func(o Output) bool { return o.Aggregates() || o.Kind == KindMetric })
}

// Fields returns every field that the intent itself names, without sub-intents.
func (in *Intent) Fields() []Field {
	var out []Field
	var cond func(c Cond)
	var value func(o Output)
	value = func(o Output) {
		if o.Calc != nil {
			value(o.Calc.Left)
			value(o.Calc.Right)
			return
		}
		out = append(out, o.Field)
		if o.When != nil {
			cond(*o.When)
		}
	}
	cond = func(c Cond) {
		if c.Left != nil {
			value(*c.Left)
		}
		if c.Right != nil {
			value(*c.Right)
		}
		for _, a := range c.Args {
			cond(a)
		}
	}
	for _, o := range in.Select {
		value(o)
	}
	for _, c := range in.Filters {
		cond(c)
	}
	out = append(out, in.GroupBy...)
	for _, c := range in.Having {
		cond(c)
	}
	for _, o := range in.OrderBy {
		value(o.By)
	}
	return out
}
