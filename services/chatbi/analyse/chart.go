package analyse

import (
	"math"

	"github.com/dibrain/dibrain/pkg/result"
)

// ChartKind is the shape of a chart.
type ChartKind int

// Kinds of charts, in the contract's order.
const (
	ChartNone ChartKind = iota
	ChartLine
	ChartBar
	ChartStackedBar
	ChartPie
	ChartScatter
	ChartHeatmap
	ChartBigNumber
	ChartTable
)

// Bounds within which a chart can be read.
const (
	maxBars     = 50
	maxSlices   = 8
	maxLines    = 12
	minScatter  = 3
	maxHeatSide = 50
)

// Chart is advice on how to draw a result.
type Chart struct {
	Kind   ChartKind
	Title  string
	X      string
	Y      []string
	Series string
	// Option is the ECharts option as JSON; empty for a table.
	Option string
}

// chart takes the kind that was asked for where the result can be drawn so, else
// the one that fits its shape best.
func (w *work) chart() Chart {
	kind := w.advised()
	if w.Wanted != ChartNone && w.drawable(w.Wanted) {
		kind = w.Wanted
	}
	return w.draw(kind)
}

func (w *work) advised() ChartKind {
	rows := len(w.Table.Rows)
	switch w.shape.kind {
	case shapeSingle:
		if len(w.shape.measures) == 1 && w.Table.Rows[0][0] != nil {
			return ChartBigNumber
		}
	case shapeSeries:
		return ChartLine
	case shapeSeriesBy:
		if w.categoryCount() <= maxLines {
			return ChartLine
		}
	case shapeRanking:
		if rows >= 2 && rows <= maxBars {
			return ChartBar
		}
	case shapeTable:
		if w.drawable(ChartHeatmap) {
			return ChartHeatmap
		}
		if w.drawable(ChartScatter) {
			return ChartScatter
		}
	}
	return ChartTable
}

// drawable reports whether a chart of the kind shows the result rightly.
func (w *work) drawable(kind ChartKind) bool {
	rows, s := len(w.Table.Rows), w.shape
	isTime := s.kind == shapeSeries || s.kind == shapeSeriesBy
	switch kind {
	case ChartTable:
		return true
	case ChartBigNumber:
		return s.kind == shapeSingle && len(s.measures) == 1 && w.Table.Rows[0][0] != nil
	case ChartLine:
		return isTime && (s.kind == shapeSeries || w.categoryCount() <= maxLines)
	case ChartBar:
		return s.kind == shapeSeries || s.kind == shapeRanking && rows <= maxBars
	case ChartStackedBar:
		return s.kind == shapeSeriesBy && w.categoryCount() <= maxLines && w.additive(s.measures[0]) && !w.negative(s.measures[0])
	case ChartPie:
		return s.kind == shapeRanking && rows >= 2 && rows <= maxSlices && !w.partial() &&
			w.additive(s.measures[0]) && !w.negative(s.measures[0])
	case ChartScatter:
		return !isTime && len(s.measures) == 2 && len(s.categories) <= 1 && rows >= minScatter && (s.kind == shapeTable || s.kind == shapeRanking)
	case ChartHeatmap:
		return s.kind == shapeTable && s.time < 0 && len(s.categories) == 2 && len(s.measures) == 1 && w.isGrid()
	}
	return false
}

func (w *work) negative(measure int) bool {
	m := w.measure(measure)
	if len(m.numbers) == 0 {
		return true
	}
	low, _ := extremes(m.numbers)
	return m.numbers[low].Sign() < 0
}

func (w *work) categoryCount() int { return len(w.distinct(w.shape.category)) }

// distinct are the values of a column as text, in order of appearance.
func (w *work) distinct(column int) []string {
	seen := map[string]bool{}
	var values []string
	for _, row := range w.Table.Rows {
		if v := w.value(row[column], column); !seen[v] {
			seen[v], values = true, append(values, v)
		}
	}
	return values
}

// isGrid reports whether two categories cross, each pair at most once as it is
// written: two values that are cut to the same text have one place in a chart.
func (w *work) isGrid() bool {
	first, second := w.shape.categories[0], w.shape.categories[1]
	seen := map[[2]string]bool{}
	for _, row := range w.Table.Rows {
		key := [2]string{w.value(row[first], first), w.value(row[second], second)}
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	x, y := len(w.distinct(first)), len(w.distinct(second))
	return x >= 2 && y >= 2 && x <= maxHeatSide && y <= maxHeatSide && len(seen)*3 >= x*y
}

func (w *work) draw(kind ChartKind) Chart {
	c := Chart{Kind: kind}
	s := w.shape
	switch kind {
	case ChartTable, ChartNone:
		c.Kind = ChartTable
		return c
	case ChartBigNumber:
		c.Y, c.Title = []string{w.Table.Columns[0].Name}, w.label(0)
		return c
	case ChartScatter:
		x, y := s.measures[0], s.measures[1]
		c.X, c.Y = w.Table.Columns[x].Name, []string{w.Table.Columns[y].Name}
		c.Title = w.say.text("title_against", args{"x": w.label(x), "y": w.label(y)})
	case ChartHeatmap:
		c.X, c.Series = w.Table.Columns[s.categories[0]].Name, w.Table.Columns[s.categories[1]].Name
		c.Y = []string{w.Table.Columns[s.measures[0]].Name}
		c.Title = w.say.text("title_by", args{"measure": w.label(s.measures[0]), "category": w.say.list([]string{w.label(s.categories[0]), w.label(s.categories[1])})})
	default:
		c.X, c.Y, c.Series, c.Title = w.axes()
	}
	c.Option = w.option(c)
	return c
}

// axes of lines, bars and pies.
func (w *work) axes() (x string, y []string, series, title string) {
	s := w.shape
	for _, m := range w.together(s.measures) {
		y = append(y, w.Table.Columns[m].Name)
	}
	a := args{"measure": w.label(s.measures[0])}
	if s.category >= 0 {
		a["category"] = w.label(s.category)
	}
	switch s.kind {
	case shapeSeries:
		return w.Table.Columns[s.time].Name, y, "", w.say.text("title_over_time", a)
	case shapeSeriesBy:
		return w.Table.Columns[s.time].Name, y[:1], w.Table.Columns[s.category].Name, w.say.text("title_time_by", a)
	default:
		return w.Table.Columns[s.category].Name, y, "", w.say.text("title_by", a)
	}
}

// together are the measures that can share an axis with the first: those of its
// order of magnitude.
func (w *work) together(measures []int) []int {
	const factor = 50
	out := measures[:1:1]
	first := w.peak(measures[0])
	for _, m := range measures[1:] {
		if p := w.peak(m); len(out) < maxLines && p > 0 && first > 0 && p/first < factor && first/p < factor && w.Columns[m].Unit == w.Columns[measures[0]].Unit {
			out = append(out, m)
		}
	}
	return out
}

func (w *work) peak(measure int) float64 {
	peak := 0.0
	for _, n := range w.measure(measure).numbers {
		peak = max(peak, math.Abs(n.Float64()))
	}
	return peak
}

func (w *work) float(v any, column int) any {
	n, ok := result.NumberOf(v, w.Table.Columns[column])
	if !ok {
		return nil
	}
	return n.Float64()
}
