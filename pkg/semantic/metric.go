package semantic

import (
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// MetricType says how a metric is computed. In the SQL below G stands for the
// columns that a question groups by, P for its bucket of time (date_trunc of its
// grain over the metric's time column), W for its conditions.
type MetricType string

const (
	// Simple is an aggregate over one table:
	//
	//	SELECT G, P, expr FROM table WHERE default_filters AND W GROUP BY G, P
	Simple MetricType = "simple"
	// DistinctCount counts different values, and is simple otherwise; loading
	// fills Expr with COUNT(DISTINCT distinct). It is never summed: a coarser
	// bucket counts anew.
	DistinctCount MetricType = "distinct_count"
	// Ratio divides two metrics, each aggregated on its own over the same G, P
	// and W, then joined on G and P; rows of one side alone stay, with NULL:
	//
	//	CAST(numerator AS double) / NULLIF(denominator, 0)
	//
	// So no row is counted twice where the two are in different tables, and a
	// ratio of sums is never a mean of ratios.
	Ratio MetricType = "ratio"
	// Derived computes with metrics: its Expr holds ids of metrics in the place
	// of columns. Each input is aggregated on its own, as for Ratio. An input
	// without rows is NULL, and so is then the result, unless Expr has COALESCE.
	Derived MetricType = "derived"
	// Cumulative accumulates the metric Of over time. A bucket P of it holds Of
	// over all rows with
	//
	//	window:   time >= end of P - window  AND time < end of P
	//	to_date:  time >= date_trunc(to_date, start of P) AND time < end of P
	//	neither:  time < end of P
	//
	// where the end of the last bucket is that of the question's period. Buckets
	// before the period count in, too. Where Of is additive this equals
	//
	//	SUM(of) OVER (PARTITION BY G [, date_trunc(to_date, P)] ORDER BY P ROWS ...)
	//
	// over buckets without gaps; where it is not (a distinct count), rows are
	// joined to the buckets by the conditions above. Without a grain in the
	// question it is one number, at the end of the question's period.
	Cumulative MetricType = "cumulative"
)

// Additivity says over what a metric may be summed.
type Additivity string

// Additivities.
const (
	Additive     Additivity = "additive"
	SemiAdditive Additivity = "semi_additive" // not over time
	NonAdditive  Additivity = "non_additive"  // ratios, distinct counts
)

// OverTime says what a semi-additive metric is over a bucket of several of its
// own times. Expr is first computed for each time t that has rows under the
// default filters; over the bucket that gives
//
//	last, first   the value of the latest, earliest t of the bucket
//	mean          the mean over the bucket's t
//	min, max      the smallest, biggest over the bucket's t
//
// The t are those of the table, not of a group: a group without rows at the last
// t has nothing at the end of the bucket.
type OverTime string

// What a level is over several times. Without one the metric has no value over
// more than one of its times, and says so.
const (
	TakeLast  OverTime = "last"
	TakeFirst OverTime = "first"
	TakeMean  OverTime = "mean"
	TakeMin   OverTime = "min"
	TakeMax   OverTime = "max"
)

// Comparison is a way to compare a metric with itself at another time.
type Comparison string

// Comparisons with: the year, quarter, month, week or day before; the time since
// the beginning of the year; a moving mean or sum over the last buckets.
const (
	CompareYoY     Comparison = "yoy"
	CompareQoQ     Comparison = "qoq"
	CompareMoM     Comparison = "mom"
	CompareWoW     Comparison = "wow"
	CompareDoD     Comparison = "dod"
	CompareYTD     Comparison = "ytd"
	CompareRolling Comparison = "rolling"
	CompareNone    Comparison = "none" // alone: the metric is not compared over time
)

// Better is the good direction of a metric.
type Better string

// Directions.
const (
	BetterHigh Better = "high"
	BetterLow  Better = "low"
)

// Window is a length of time up to the end of a bucket.
type Window struct {
	Count int    `yaml:"count,omitempty" json:"count"` // at least 1
	Unit  string `yaml:"unit,omitempty" json:"unit"`   // day week month quarter year
}

// Metric is a number with a definition.
type Metric struct {
	ID          string     `yaml:"id,omitempty" json:"id"`
	Names       Text       `yaml:"names,omitempty,flow" json:"names"`
	Synonyms    []string   `yaml:"synonyms,omitempty,flow" json:"synonyms,omitempty"`
	Description Text       `yaml:"description,omitempty,flow" json:"description,omitzero"`
	Type        MetricType `yaml:"type,omitempty" json:"type,omitempty"` // empty: Simple
	// Table and Expr: of Simple and DistinctCount the table and its aggregate. Of
	// Derived Expr is over ids of metrics. Empty otherwise.
	Table string `yaml:"table,omitempty" json:"table,omitempty"`
	Expr  string `yaml:"expr,omitempty" json:"expr,omitempty"`
	// Distinct is what a DistinctCount counts: a column or an expression.
	Distinct string `yaml:"distinct,omitempty" json:"distinct,omitempty"`
	// Numerator and Denominator are the ids of the metrics of a Ratio.
	Numerator   string `yaml:"numerator,omitempty" json:"numerator,omitempty"`
	Denominator string `yaml:"denominator,omitempty" json:"denominator,omitempty"`
	// Of is the id of the metric that a Cumulative accumulates; over a Window, or
	// since the beginning of the week, month, quarter or year (ToDate), or over
	// all time.
	Of     string  `yaml:"of,omitempty" json:"of,omitempty"`
	Window *Window `yaml:"window,omitempty,flow" json:"window,omitempty"`
	ToDate string  `yaml:"to_date,omitempty" json:"to_date,omitempty"`

	Unit string `yaml:"unit,omitempty" json:"unit,omitempty"` // "USD", "ratio", "orders"; free text
	// Time is the column or expression that dates are compared with; of a metric
	// made of others each input has its own.
	Time string `yaml:"time,omitempty" json:"time,omitempty"`
	// TimeTable is the table of Time where that is not Table: the day is in the order,
	// the amount in its lines. It is reached along joins that repeat no row.
	TimeTable  string     `yaml:"time_table,omitempty" json:"time_table,omitempty"`
	Grain      string     `yaml:"grain,omitempty" json:"grain,omitempty"`
	Additivity Additivity `yaml:"additivity,omitempty" json:"additivity"` // empty: additive; what is not Simple: non_additive
	// OverTime completes SemiAdditive.
	OverTime OverTime `yaml:"over_time,omitempty" json:"over_time,omitempty"`
	// Comparisons are those that make sense. Empty: all.
	Comparisons []Comparison `yaml:"comparisons,omitempty,flow" json:"comparisons,omitempty"`
	// DefaultFilters are Presto conditions that always apply, and are told. Only
	// of Simple and DistinctCount: inputs bring their own.
	DefaultFilters []string `yaml:"default_filters,omitempty,flow" json:"default_filters,omitempty"`
	// Better says which way is good: high, low, or empty where neither is. "The
	// worst" cannot be found without it.
	Better Better `yaml:"better,omitempty" json:"better,omitempty"`
	Mart   string `yaml:"mart,omitempty" json:"mart,omitempty"`
}

// complete fills in what follows from a metric's type.
func (m *Metric) complete() {
	if m.Kind() == DistinctCount {
		m.Expr = "COUNT(DISTINCT " + m.Distinct + ")"
	}
	if m.Additivity == "" && m.Kind() != Simple {
		m.Additivity = NonAdditive
	}
}

// Kind is the metric's type, with the default put in.
func (m *Metric) Kind() MetricType {
	if m.Type == "" {
		return Simple
	}
	return m.Type
}

// Composed reports whether a metric is made of others and has no table.
func (m *Metric) Composed() bool {
	k := m.Kind()
	return k == Ratio || k == Derived || k == Cumulative
}

// Inputs are the ids of the metrics that a metric is made of, each once, in the
// order of its formula; nil for one that is an aggregate itself.
func (m *Metric) Inputs() ([]string, error) {
	if m.Kind() == Cumulative {
		return []string{m.Of}, nil
	}
	if !m.Composed() {
		return nil, nil
	}
	formula, err := m.Formula()
	if err != nil {
		return nil, err
	}
	var ids []string
	tree.Walk(formula, func(n tree.Node) bool {
		if c, ok := n.(*tree.ColumnRef); ok && len(c.Parts) == 1 && !slices.Contains(ids, c.Parts[0].Name) {
			ids = append(ids, c.Parts[0].Name)
		}
		return true
	})
	return ids, nil
}

// Formula is how the inputs of a Ratio or a Derived are put together: their ids
// stand as columns of one part. Each call gives a tree of its own.
func (m *Metric) Formula() (tree.Expr, error) {
	switch m.Kind() {
	case Ratio:
		return tree.Op(tree.OpDiv, tree.CastTo(tree.Col(m.Numerator), "double"),
			tree.Fn("nullif", tree.Col(m.Denominator), tree.Int(0))), nil
	case Derived:
		return ParseExpr(m.Expr)
	}
	return nil, fmt.Errorf("metric %s is %s: it has no formula over metrics", m.ID, m.Kind())
}

// Metric returns the metric of that id.
func (l *Layer) Metric(id string) (*Metric, bool) {
	for i := range l.Metrics {
		if l.Metrics[i].ID == id {
			return &l.Metrics[i], true
		}
	}
	return nil, false
}
