// Package analyse reads a result the way an analyst would: what shape it has, the
// answer in a sentence, the findings with the numbers that prove them, a chart,
// and what to ask next. It works on values alone; it knows no engine and no wire.
// All sentences are in messages.yaml and all words in lexicon.yaml, English and
// Chinese side by side.
package analyse

import (
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/chart/advise"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

// Aggregates of a result column, as far as analysis tells them apart.
const (
	AggregateSum           = "sum"
	AggregateCount         = "count"
	AggregateCountDistinct = "count_distinct"
	AggregateOther         = "other" // average, minimum, ...: values do not add up
)

// Column is what the statement tells of a result column.
type Column struct {
	// Aggregate that the column is; empty: none, or not known.
	Aggregate string
	// Label for people; empty: made from the column's name.
	Label string
	// Unit of the values, such as "USD"; empty: none or not known.
	Unit string
	// Figure says that whoever wrote the statement calls the column a figure: its
	// name is not asked what else it may be.
	Figure bool
	// Better is above 0 where more is better, below where less is; 0: not known.
	Better int
	// Level says that the values are levels, such as a stock or the visitors of a day: they
	// add up over groups and not over time.
	Level bool
	// Key says that the values are those of a stored key, which name rows and measure nothing,
	// whatever the column is called.
	Key bool
}

// UnitFraction is the unit of shares and rates that are fractions of 1; people
// read them as percentages.
const UnitFraction = "fraction"

// UnitPoints is the unit of differences of such shares and rates: 0.02 is two
// percentage points, not two percent.
const UnitPoints = "points of percentage"

// Range is a half-open range of time, [From, To). A zero end is open.
type Range struct{ From, To time.Time }

// Order is a column that rows are sorted by.
type Order struct {
	Column int
	Desc   bool
}

// Input is a result and what is known of it.
type Input struct {
	Table    result.Table
	Columns  []Column // as many as the table has, or none
	Language lang.Language
	// Now is the run's now in the asker's time zone.
	Now time.Time
	// Asked is the range of time that the statement asks for.
	Asked Range
	// Begin is the first day that the data read have; zero: not known. Of a longer period that
	// has it, what was before is missing.
	Begin time.Time
	// End is the last day that the data read have; zero: not known.
	End time.Time
	// Compared are the two periods that the statement sets beside each other; nil: none,
	// or they are not known.
	Compared *Compared
	// Filters of the statement in words, for an empty result.
	Filters []string
	// Countries are the ISO 3166 codes of those whose tables were read; none: not known,
	// or all.
	Countries []string
	// Conditions are the Filters but for those that Asked tells.
	Conditions []string
	// Limited is true when the statement has a LIMIT that may have cut rows off.
	Limited bool
	// Picked is true when the statement picks groups by what they come to. As behind a
	// LIMIT the rows are not the whole, and shares of the whole are not known; but they
	// are all that was asked for.
	Picked bool
	// Order is the result column that the statement sorts by first; nil: none.
	Order *Order
	// Beyond are some of the rows that a LIMIT of the statement cuts off, in its order.
	Beyond [][]any
	// Question that the result answers; empty: none. The chart follows what it says.
	Question string
	// Wanted is the kind of chart that the person asked for.
	Wanted chart.Kind
	// MaxPoints bounds the points of the chart.
	MaxPoints int
	// Named asks for Output.Names.
	Named bool
}

// Output is the analysis.
type Output struct {
	Answer   string
	Findings []Finding // most important first
	Chart    Chart
	Warnings []Warning
	// Names are the labels of the columns and the values that the sentences have.
	Names []string
	// Columns of the table with what is known of how people read their values.
	Columns []result.Column
}

// Finding is a sentence with its proof.
type Finding struct {
	Kind     string
	Text     string
	Evidence map[string]float64
}

// Warning is something to know before relying on the answer.
type Warning struct{ Code, Message string }

// Codes of warnings.
const (
	WarnTruncated  = "RESULT_TRUNCATED"
	WarnIncomplete = "PERIOD_INCOMPLETE"
	WarnMissing    = "MISSING_PERIODS"
	WarnLate       = "DATA_LATE"
	WarnEarly      = "DATA_BEGINS_LATER"
)

// Thresholds below which a difference is not worth a finding.
type Thresholds struct {
	// Change is the least relative change between two levels, and over the whole range
	// for a trend.
	Change float64
	// Spread is the least distance of an outlier from the usual, and of the days of a
	// week from each other, relative.
	Spread float64
	// NullShare is the least share of nulls in a column.
	NullShare float64
	// TopShare is the least share of the whole that few items make together in a
	// concentration.
	TopShare float64
}

// DefaultThresholds are those of the product.
func DefaultThresholds() Thresholds {
	return Thresholds{Change: 0.05, Spread: 0.10, NullShare: 0.01, TopShare: 0.8}
}

// Analyst analyses results. It is safe for concurrent use.
type Analyst struct {
	words      lexicon
	messages   messages
	thresholds Thresholds
	adviser    *advise.Adviser
}

// New returns an analyst. An error means that its embedded files are broken.
func New(thresholds Thresholds) (*Analyst, error) {
	words, err := loadLexicon()
	if err != nil {
		return nil, err
	}
	m, err := loadMessages()
	if err != nil {
		return nil, err
	}
	adviser, err := advise.New()
	if err != nil {
		return nil, err
	}
	return &Analyst{words: words, messages: m, thresholds: thresholds, adviser: adviser}, nil
}

// Analyse reads a result.
func (a *Analyst) Analyse(in Input) Output {
	if len(in.Columns) != len(in.Table.Columns) {
		in.Columns = make([]Column, len(in.Table.Columns))
	}
	in, names := joinNames(in)
	w := &work{Analyst: a, Input: in, say: a.messages.in(in.Language), read: map[int]measured{}, columns: make([]columnRead, len(in.Table.Columns))}
	w.say.scope = w.scope()
	w.shape = w.findShape()
	w.unitsOfChanges()
	w.sortedFirst()
	w.describe()
	w.tellBeyond()
	w.tellWhole()
	w.likeForLike()
	w.nulls()
	if in.Table.Truncated {
		w.warn(WarnTruncated, "warn_truncated", args{"rows": count(len(in.Table.Rows))})
	}
	w.sortFindings()
	w.out.Answer = result.Alike(w.out.Answer)
	w.out.Chart = w.chart()
	if in.Named {
		w.out.Names = w.namesTold()
	}
	w.out.Columns = names.apart(w.columnsShown())
	return w.out
}

// namesTold are the labels of the columns and the values of categories that are in the
// sentences, in any letters' case.
func (w *work) namesTold() []string {
	said := strings.ToLower(w.out.Answer)
	for _, f := range w.out.Findings {
		said += "\n" + strings.ToLower(f.Text)
	}
	var out []string
	take := func(name string) {
		if name != "" && strings.Contains(said, strings.ToLower(name)) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if w.Compared != nil {
		take(result.CountryName(w.Compared.Country, w.Language))
	}
	for i := range w.Table.Columns {
		take(w.label(i))
		if w.roles[i] == roleCategory {
			for _, name := range w.names(i) {
				take(name)
			}
			for _, row := range w.Beyond {
				take(w.named(row[i], i))
			}
		}
	}
	return out
}

// work is one analysis.
type work struct {
	*Analyst
	Input
	say   speaker
	roles []role // of the columns
	shape shape
	out   Output
	// measures that were read already, by column
	read map[int]measured
	// columns as far as they were read already: findings and chart share them
	columns []columnRead
	pairs   map[[2]int]bool // of columns, whether their values are unique together
	// ascending is true when the statement sorts a measure upwards: then the least
	// is what was asked for.
	ascending bool
	// told is the comparison that the answer leads with; the chart draws its change.
	told *comparison
	// whole is the figure of both periods that the answer leads with; nil: none.
	whole *wholeChange
	// datesTold says that a sentence has named the two periods.
	datesTold bool
}

// columns are those of the table, with units and with the periods that their values are.
func (w *work) columnsShown() []result.Column {
	columns := slices.Clone(w.Table.Columns)
	for i := range columns {
		switch unit := w.Columns[i].Unit; {
		case unit == UnitFraction:
			columns[i].Unit = result.UnitPercent
		case unit == UnitPoints:
			columns[i].Unit = result.UnitPoints
		case unit != result.UnitPercent && unit != "％": // of numbers that are percent already
			columns[i].Unit = unit
		}
		columns[i].Period = result.PeriodOf(w.periodIn(i))
	}
	return columns
}

// periodIn is the period that all values of a column are the first days of, where the
// rows stand for such; GrainNone: they do not.
func (w *work) periodIn(column int) result.Grain {
	if column == w.shape.time {
		return w.shape.grain
	}
	if kind := w.Table.Columns[column].Kind(); kind != result.KindDate && kind != result.KindTimestamp {
		return result.GrainNone
	}
	named := periodNamed(w.Table.Columns[column].Name)
	period := result.GrainNone
	for r, m := range w.moments(column) {
		if w.Table.Rows[r][column] == nil {
			continue
		}
		grain := m.grain
		if named != result.GrainNone && m.ok && midnight(m.at) && starts(m.at, named) {
			grain = named
		}
		if !m.ok || period != result.GrainNone && grain != period {
			return result.GrainNone
		}
		period = grain
	}
	return period
}

func (w *work) describe() {
	switch w.shape.kind {
	case shapeEmpty:
		w.empty()
	case shapeSingle:
		w.single()
	case shapeRow:
		w.oneRow()
	case shapeSeries:
		w.series()
	case shapeSeriesBy:
		w.seriesBy()
	case shapeRanking:
		w.ranking()
	case shapeList:
		w.list()
	default:
		w.table()
	}
}

// sortedFirst puts the measure that the statement sorts by before the others: it
// is what the question is about.
func (w *work) sortedFirst() {
	if w.Order == nil {
		return
	}
	if i := slices.Index(w.shape.measures, w.Order.Column); i >= 0 && w.shape.kind == shapeRanking {
		w.shape.measures = slices.Insert(slices.Delete(slices.Clone(w.shape.measures), i, i+1), 0, w.Order.Column)
		w.ascending = !w.Order.Desc
	}
}

// told first: what stands out, then what accounts for a change, then what the course
// does, then what is missing, and last plain figures of other columns.
var findingOrder = []string{
	"outlier", "contributor", "against", "shift", "trend", "season", "concentration", "difference", "together", "correlation",
	"missing", "zero_periods", "nulls", "total", "average", "range",
}

func (w *work) sortFindings() {
	rank := func(f Finding) int {
		kind := f.Kind
		if strings.HasPrefix(kind, "missing_") {
			kind = "missing"
		}
		if i := slices.Index(findingOrder, kind); i >= 0 {
			return i
		}
		return len(findingOrder)
	}
	slices.SortStableFunc(w.out.Findings, func(a, b Finding) int { return rank(a) - rank(b) })
}

func (w *work) find(kind, message string, a args, evidence map[string]float64) {
	w.out.Findings = append(w.out.Findings, Finding{Kind: kind, Text: result.Alike(w.say.text(message, a)), Evidence: evidence})
}

func (w *work) warn(code, message string, a args) {
	warning := Warning{Code: code, Message: result.Alike(w.say.text(message, a))}
	if !slices.Contains(w.out.Warnings, warning) { // two of one code may say different things
		w.out.Warnings = append(w.out.Warnings, warning)
	}
}

// partial reports whether the rows may not be the whole.
func (w *work) partial() bool { return w.cutOff() || w.Picked }

// cutOff reports whether there may be more rows of what was asked for than are here.
func (w *work) cutOff() bool { return w.Table.Truncated || w.Limited }
