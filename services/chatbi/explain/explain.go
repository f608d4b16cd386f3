// Package explain computes what a change of a metric from one period to another
// is made of: the factors of the metric, the places (cells over dimensions) that
// account for it, and the day on which it set in. It works on values alone; it
// knows no engine, no wire and no language. Its results are the same for the same
// input: what is random takes its seed from the input.
//
// It never says what caused a change. It says what accounts for it.
package explain

import "time"

// Kind is how the values of a metric add up, which decides how its change may be
// split.
type Kind string

// Kinds of metrics.
const (
	// Additive values add up over dimensions and over time: sums, counts.
	Additive Kind = "additive"
	// SemiAdditive values add up over dimensions, but not over time: stock, balances.
	// Both values of a pair are of one moment, such as the last day of the period.
	SemiAdditive Kind = "semi_additive"
	// Ratio is a sum divided by a sum. Value holds the numerators and Base the
	// denominators; both add up over dimensions.
	Ratio Kind = "ratio"
	// Distinct counts different things. It is split over cells only where no thing is
	// in two cells, which is so exactly where the cells add up to the whole.
	Distinct Kind = "distinct"
	// Opaque values do not add up at all: medians, extremes, means without their sums.
	// Only their course over time is looked at.
	Opaque Kind = "opaque"
)

// Values of a dimension that are none of the data's own.
const (
	ValueNull    = "(null)"    // what has no value
	ValueSeveral = "(several)" // things that have more than one
)

// Pair is a figure in the two periods.
type Pair struct{ Before, After float64 }

// Change is After less Before.
func (p Pair) Change() float64 { return p.After - p.Before }

// Amount is what a cell or the whole comes to in the two periods. Value is in the
// metric's unit; of a Ratio it is the numerator and Base the denominator. Base is not
// read for other kinds.
type Amount struct{ Value, Base Pair }

// Cell is one group of the finest grouping over all dimensions.
type Cell struct {
	// Keys has one value for each of Input.Dimensions, in the same order. Values are
	// compared as they are; what stands for NULL is the caller's choice.
	Keys []string
	Amount
}

// Factor is one factor of a metric that is a product, such as orders and average order
// value of GMV.
type Factor struct {
	ID string // for the caller, who knows its label and unit
	Pair
}

// Day is one day of the metric's course. Of a Ratio Value is the numerator and Base the
// denominator.
type Day struct {
	Date        time.Time // midnight UTC of the calendar day
	Value, Base float64
}

// Period is a half-open range of whole days, [From, To), both midnight UTC.
type Period struct{ From, To time.Time }

// Event is something known that fell on days: a campaign, a holiday.
type Event struct {
	Name string
	Period
}

// Input is a change and all that is known of it. Total is needed. Everything else may
// be missing; what cannot be computed without it is left out.
type Input struct {
	Kind Kind
	// Total is the whole of both periods, from a statement of its own and not as the
	// sum of the cells.
	Total Amount
	// Before and After are the periods. They are needed where Daily is given.
	Before, After Period
	// Factors multiply to Total.Value in both periods; none: the metric is no product.
	Factors []Factor
	// Dimensions are the ids of what Cells are grouped by.
	Dimensions []string
	Cells      []Cell
	// Truncated says that groups are missing from Cells because there were too many.
	Truncated bool
	// Daily is the course by days, ascending, up to the end of After, with as much
	// history before Before as there is. A day that is not in it has no value: a caller
	// that knows a missing day of a complete table to be a zero puts the zero in.
	Daily []Day
	// Events are those that may matter; the explanation names those at the onset.
	Events []Event
	// Seed of what is random: the permutations of Onset's test.
	Seed uint64
}

// Outcome is what an explanation comes to.
type Outcome string

// Outcomes.
const (
	// OneCause: one set of cells of one grouping accounts for most of what is unusual.
	OneCause Outcome = "one_cause"
	// SeveralCauses: more than one set of cells does.
	SeveralCauses Outcome = "several_causes"
	// EvenlySpread: the cells moved alike, and none stands out.
	EvenlySpread Outcome = "evenly_spread"
	// Offsetting: cells moved much in both directions, and the whole hides it.
	Offsetting Outcome = "offsetting"
	// NotDecomposable: the metric or its groups cannot be split; Refusals tell why.
	NotDecomposable Outcome = "not_decomposable"
	// NothingUnusual: the change is within what such changes usually are, and no cells
	// stand out.
	NothingUnusual Outcome = "nothing_unusual"
	// NoChange: both periods are the same, and no cells stand out.
	NoChange Outcome = "no_change"
)

// Explanation is what a change is made of.
type Explanation struct {
	Outcome Outcome
	Kind    Kind
	// Metric is the metric itself in both periods: of a Ratio the quotients, as fractions.
	Metric Pair
	// Total is Input.Total.
	Total Amount
	// Relative is the change as a fraction of |Metric.Before|. Nil: that is zero.
	Relative *float64
	// Usual is what changes between such periods usually are. Nil: not enough history.
	Usual *Usual
	// Factors are the parts that the factors account for, in the order of Input.Factors,
	// of a Ratio the part of its numerator and of its denominator (PartValue, PartBase).
	// Their changes add up to Metric.Change(). Empty: none, or refused.
	Factors []Part
	// Mix splits a Ratio over the one dimension that tells most. Nil: no Ratio, no
	// cells, or refused.
	Mix *Mix
	// Growth is the background: what the cells that do not stand out were multiplied by.
	// 1: as before. Of a Ratio it is what their quotients were multiplied by, each at its
	// base after. 0 where nothing was split.
	Growth float64
	// Causes are the sets of cells that account for the change, most first.
	Causes []Cause
	// Unexplained is the part of Metric.Change() that neither Causes nor Growth account
	// for. In the metric's unit.
	Unexplained float64
	// Telling are the at most three most telling elements: those of the causes, else the
	// values of single dimensions that contribute most.
	Telling []Element
	// Onset is when it set in. Nil: the course shows no break, or there is no course.
	Onset *Onset
	// Events are those of Input.Events at the onset or, without an onset, those in After
	// or in Before alone.
	Events []Event
	// Refusals are the splits that were not made, each with the reason.
	Refusals []Refusal
}

// Usual is how the metric changed between other pairs of periods that are as long and
// as far apart.
type Usual struct {
	// Low and High bound the usual relative changes, as fractions.
	Low, High float64
	// Pairs is how many earlier pairs of periods were compared.
	Pairs int
}

// Part is what a factor accounts for of the metric's change.
type Part struct {
	ID string
	Pair
	// Accounts is in the metric's unit, and Share is its part of the whole change. Share
	// is 0 where the whole did not change.
	Accounts, Share float64
}

// Ids of the parts of a ratio.
const (
	PartValue = "numerator"
	PartBase  = "denominator"
)

// Mix is the change of a ratio over the values of one dimension: what each value's own
// rate accounts for, and what the shares of the values in the base account for.
type Mix struct {
	Dimension string
	// Rate and Shift add up to the change of the ratio; in its unit, a fraction.
	Rate, Shift float64
	// Values are those that account for most, at most Limits.Values of them; Rest is what
	// the others account for.
	Values []MixValue
	Rest   float64
}

// MixValue is one value of a dimension.
type MixValue struct {
	Value string
	Amount
	// Rate and Shift are what the value's own quotient and its share in the base account
	// for, in the ratio's unit.
	Rate, Shift float64
}

// Place is one value of one dimension.
type Place struct{ Dimension, Value string }

// Element is a group of cells: those that have all its places, without those that belong
// to the elements of Without.
type Element struct {
	Places []Place // in the order of Input.Dimensions
	// Without are elements of other causes that have cells in common with this one. Those
	// cells are theirs: no figure of this element has them, so that the figures of
	// different elements add up.
	Without [][]Place
	Amount
	// Metric is the metric of the element in both periods: of a Ratio the quotients.
	Metric Pair
	// Expected is what Metric.After were, had the element moved as the background.
	Expected float64
	// Accounts is the part of the whole metric's change that the element accounts for,
	// in the metric's unit: of sums Metric.Change(). Excess is the part of it that
	// is beyond the background's movement.
	Accounts, Excess float64
	// Share is Accounts as a part of the whole change; 0 where the whole did not change.
	Share float64
	// New: nothing before. Gone: nothing after.
	New, Gone bool
}

// Cause is a set of elements of one grouping that moved the same way beyond the
// background. No two elements of causes have a cell in common.
type Cause struct {
	Dimensions []string // in the order of Input.Dimensions
	Elements   []Element
	// Accounts, Excess and Share are the sums of the elements'.
	Accounts, Excess, Share float64
	// Score is from 0 to 1: the part of the cells, each weighted by how sure its deviation
	// is, that moved as their element did, less the part that did not.
	Score float64
}

// Onset is the day on which a course broke.
type Onset struct {
	Date time.Time // the first day of the new level
	// Before and After are the typical levels by day, without the week's season; of a
	// Ratio as fractions.
	Before, After float64
	// Size is the step in units of the days' usual spread around their level; negative: down.
	Size float64
	// P is the probability of a break as large in a course without one.
	P float64
	// Ended is the first day on which the old level was back. Nil: it lasts.
	Ended *time.Time
}

// Split names what a refusal is about.
type Split string

// Splits.
const (
	ByFactors    Split = "factors"
	ByDimensions Split = "dimensions"
	ByMix        Split = "mix"
	ByTime       Split = "time"
)

// Reason is why a change cannot be split so.
type Reason string

// Reasons.
const (
	// ReasonKind: values of this kind of metric do not add up.
	ReasonKind Reason = "kind_does_not_add_up"
	// ReasonOverlap: things are counted in more than one cell, so that the cells do not
	// add up to the whole. Of one dimension it is found by who counts the things.
	ReasonOverlap Reason = "cells_overlap"
	// ReasonTruncated: too much of the whole is not in the cells that are known.
	ReasonTruncated Reason = "groups_cut_off"
	// ReasonIncomplete: the cells do not add up to the whole, though none were cut off.
	ReasonIncomplete Reason = "cells_do_not_add_up"
	// ReasonZero: a factor or a denominator is zero.
	ReasonZero Reason = "zero_factor"
	// ReasonNegative: a factor, a denominator or the base of a share is below zero.
	ReasonNegative Reason = "negative_factor"
	// ReasonProduct: the factors do not multiply to the metric.
	ReasonProduct Reason = "factors_do_not_multiply"
	// ReasonDays: days are missing in one of the periods, and the parts are of all days. It
	// is found by who reads the days, not by Explain.
	ReasonDays Reason = "days_missing"
	// ReasonFewDays: there are too few days to tell a break from chance.
	ReasonFewDays Reason = "too_few_days"
	// ReasonFlat: the course has no spread to measure a break by.
	ReasonFlat Reason = "no_spread"
)

// Refusal is a split that was not made: it "cannot be split so".
type Refusal struct {
	Split  Split
	Reason Reason
	// Subject is the factor that is at fault or, of a split by dimensions, the one dimension
	// that it is about; empty where none is, or all are.
	Subject string
}

// Limits bound the computing. A field that is zero takes its default.
type Limits struct {
	// Cells is the most cells, Dimensions the most dimensions, Days the most days of an
	// input, and Factors the most factors: more is an error.
	Cells, Dimensions, Days, Factors int
	// Causes is the most causes, Elements the most elements of all of them, Values the most
	// values of a Mix.
	Causes, Elements, Values int
	// Permutations of the test of an onset.
	Permutations int
}

// DefaultLimits are those of the product.
func DefaultLimits() Limits {
	return Limits{
		Cells: 100_000, Dimensions: 6, Days: 1_500, Factors: 6,
		Causes: 3, Elements: 20, Values: 10, Permutations: 599,
	}
}
