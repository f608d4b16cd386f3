// Package chart is the specification of a chart: what is drawn, apart from who draws
// it. Chat BI makes one of a result; Option writes it for ECharts, and ReadOption reads
// it back on the other side of the wire, where only what a chart may hold is taken over.
package chart

import (
	"math"
	"slices"
)

// Kind is the shape of a chart.
type Kind int

// Kinds of charts, in the contract's order.
const (
	None Kind = iota
	Line
	Bar
	StackedBar
	Pie
	Scatter
	Heatmap
	BigNumber
	Table
)

// kindNames are the kinds as data files call them.
var kindNames = [...]string{Line: "line", Bar: "bar", StackedBar: "stacked_bar", Pie: "pie", Scatter: "scatter", Heatmap: "heatmap", BigNumber: "big_number", Table: "table"}

// Name is the kind as data files call it; empty for None.
func (k Kind) Name() string {
	if k < 0 || int(k) >= len(kindNames) {
		return ""
	}
	return kindNames[k]
}

// KindNamed is the kind of a name; None where there is none.
func KindNamed(name string) Kind {
	if name == "" {
		return None
	}
	return Kind(max(0, slices.Index(kindNames[:], name)))
}

// Percent is the name of a value axis whose numbers are percent.
const Percent = "%"

// MaxSeries is how many series a chart shows: more cannot be told apart.
const MaxSeries = 12

// Spec is a chart. The zero value draws nothing.
type Spec struct {
	Kind  Kind
	Title string
	// Alt says in a sentence or two what the chart shows, for whoever does not see it.
	Alt string
	// X has the labels of a category or time axis, of a pie's slices, and of a heat
	// map's columns. Y has those of a heat map's rows alone.
	X, Y   Axis
	Series []Series
	// Cells of a heat map, which has no series.
	Cells []Cell
	// Horizontal bars lie, the first on top: for long names.
	Horizontal bool
}

// Axis of a chart. One without labels is of numbers.
type Axis struct {
	Name   string
	Labels []string
}

// Series is one line, one colour of bars, or one cloud of points.
type Series struct {
	Name string
	// Values in the order of the labels of X, in the measure's unit; NaN: there is none.
	Values []float64
	// Points of a scatter chart, which has no values.
	Points []Point
}

// Point of a scatter chart. NaN: there is no such coordinate.
type Point struct{ X, Y float64 }

// Cell of a heat map: Column counts the labels of X, Row those of Y, from 0.
type Cell struct {
	Column, Row int
	Value       float64 // NaN: there is none
}

// Drawn reports whether a chart has axes or slices: a number or a table has none.
func (s Spec) Drawn() bool {
	switch s.Kind {
	case Line, Bar, StackedBar, Pie, Scatter, Heatmap:
		return len(s.Series)+len(s.Cells) > 0
	}
	return false
}

// Range are the least and the greatest finite number of a chart; false: it has none.
func (s Spec) Range() (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	take := func(v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	for _, series := range s.Series {
		for _, v := range series.Values {
			take(v)
		}
		for _, p := range series.Points {
			take(p.Y)
		}
	}
	for _, c := range s.Cells {
		take(c.Value)
	}
	return low, high, low <= high
}

// FromZero reports whether the axis of values begins at zero: bars always do, since their
// lengths are compared, and lines do unless they are so far from it that their course
// would be flat.
func (s Spec) FromZero() bool {
	low, high, ok := s.Range()
	if s.Kind != Line || !ok {
		return true
	}
	const flat = 0.2 // of the way from zero
	return low <= 0 && high >= 0 || high-low >= flat*max(high, -low)
}

// Tall is how many pixels those things of a chart take that lie below one another: bars from
// left to right, and the rows of a heat map.
func (s Spec) Tall() int {
	switch {
	case s.Kind == Heatmap:
		return 22 * len(s.Y.Labels)
	case s.Horizontal && s.Kind == Bar:
		return max(26, 12*len(s.Series)+8) * len(s.X.Labels)
	case s.Horizontal:
		return 26 * len(s.X.Labels)
	}
	return 0
}

// Scale is what the colours of a heat map go over: from low to high, from the first of the shades
// to the last. Where numbers are below zero it is as long on both sides of it.
func (s Spec) Scale() (low, high float64, shades []string) {
	low, high, ok := s.Range()
	switch {
	case !ok:
		return 0, 0, Shades()
	case low < 0:
		most := max(high, -low)
		return -most, most, ShadesOfBoth()
	}
	return 0, high, Shades()
}

// Copy is a chart whose texts can be replaced without changing this one's.
func (s Spec) Copy() Spec {
	s.X.Labels, s.Y.Labels, s.Series = slices.Clone(s.X.Labels), slices.Clone(s.Y.Labels), slices.Clone(s.Series)
	return s
}

// Visible replaces every text of a chart by what clean, such as prose.Line, makes of it.
func (s *Spec) Visible(clean func(string) string) {
	s.Title, s.Alt, s.X.Name, s.Y.Name = clean(s.Title), clean(s.Alt), clean(s.X.Name), clean(s.Y.Name)
	for i := range s.X.Labels {
		s.X.Labels[i] = clean(s.X.Labels[i])
	}
	for i := range s.Y.Labels {
		s.Y.Labels[i] = clean(s.Y.Labels[i])
	}
	for i := range s.Series {
		s.Series[i].Name = clean(s.Series[i].Name)
	}
}
