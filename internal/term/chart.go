package term

import (
	"fmt"
	"math"
	"strings"

	"github.com/guptarohit/asciigraph"

	"github.com/dibrain/dibrain/pkg/chart"
)

// Limits of charts: what is larger is no longer small.
const (
	maxBars    = 20
	lineHeight = 8
)

// Bar is one bar of a chart.
type Bar struct {
	Label string
	Value float64
	Text  string // the value as people read it
}

// Bars draws horizontal bars, in the order given, at most maxBars of them, and says how
// many more there are. A negative value is drawn as its size with a "-" in front. Returns
// "" when there is nothing to compare.
func Bars(bars []Bar, width int) string {
	if len(bars) < 2 {
		return ""
	}
	return BarsBeside(bars, Largest(bars), width)
}

// Largest is the greatest size of the bars that are drawn.
func Largest(bars []Bar) (largest float64) {
	for _, bar := range bars[:min(len(bars), maxBars)] {
		largest = math.Max(largest, math.Abs(bar.Value))
	}
	return largest
}

// BarsBeside draws bars as Bars does, on the scale of others: largest is as long as a bar
// can be.
func BarsBeside(bars []Bar, largest float64, width int) string {
	left := len(bars) - maxBars
	bars = bars[:min(len(bars), maxBars)]
	labelWidth, textWidth := 0, 0
	labels := make([]string, len(bars))
	for i, bar := range bars {
		labels[i] = Clean(bar.Label)
		labelWidth = max(labelWidth, cells(labels[i]))
		textWidth = max(textWidth, cells(bar.Text))
	}
	if largest == 0 || math.IsInf(largest, 0) || math.IsNaN(largest) {
		return ""
	}
	labelWidth = min(labelWidth, max(8, width/3))
	room := max(8, min(50, width-labelWidth-textWidth-3))
	labels = chart.ShortNames(labels, labelWidth)
	var b strings.Builder
	for i, bar := range bars {
		b.WriteString(pad(labels[i], labelWidth, false))
		b.WriteByte(' ')
		b.WriteString(barOf(bar.Value/largest, room))
		b.WriteByte(' ')
		b.WriteString(bar.Text)
		b.WriteByte('\n')
	}
	if left > 0 {
		fmt.Fprintf(&b, "… +%d\n", left)
	}
	return b.String()
}

// eighths are the block characters from one eighth to seven eighths.
const eighths = "▏▎▍▌▋▊▉"

func barOf(share float64, room int) string {
	sign := ""
	if share < 0 {
		sign, share = "-", -share
	}
	units := int(math.Round(share * float64(room) * 8))
	if units == 0 && share > 0 {
		units = 1
	}
	text := sign + strings.Repeat("█", units/8)
	if rest := units % 8; rest > 0 {
		text += string([]rune(eighths)[rest-1])
	}
	return text
}

// HugeNumber is where doubles are longer than they have digits, and an axis has no room for them.
const HugeNumber = 1e15

// Line draws values over an ordered axis, with the first and the last label
// beneath. Returns "" for fewer than three values, and where one is endless or of more than
// fifteen digits.
func Line(labels []string, values []float64, width int) string {
	if len(values) < 3 || len(values) != len(labels) {
		return ""
	}
	for _, v := range values {
		if math.Abs(v) >= HugeNumber {
			return ""
		}
	}
	precision := uint(0)
	if span := largestOf(values); span < 100 {
		precision = 2
	}
	drawn := thinned(values, max(20, min(70, width-16)))
	plot := asciigraph.Plot(drawn.values,
		asciigraph.Height(lineHeight),
		asciigraph.Width(drawn.width),
		asciigraph.Precision(precision))
	axis := 0
	for line := range strings.SplitSeq(plot, "\n") {
		if i := strings.IndexAny(line, "┤┼"); i >= 0 {
			axis = cells(line[:i]) + 1
			break
		}
	}
	span := 0
	for line := range strings.SplitSeq(plot, "\n") {
		span = max(span, cells(line))
	}
	first, last := Clean(labels[0]), Clean(labels[len(labels)-1])
	gap := max(1, span-axis-cells(first)-cells(last))
	return plot + "\n" + strings.Repeat(" ", axis) + first + strings.Repeat(" ", gap) + last + "\n"
}

// drawing is what stands in a line's columns: each of its values in a column of its
// own, the columns between them on the straight line from one to the next.
type drawing struct {
	values []float64
	width  int
}

// thinned fits values into at most room columns. Where there are more values than
// columns, two columns have the lowest and the highest of their share, in the order
// in which they come, so that no peak is lost.
func thinned(values []float64, room int) drawing {
	if len(values) <= room {
		between := (room - 1) / (len(values) - 1)
		return drawing{values: values, width: between*(len(values)-1) + 1}
	}
	kept := chart.Thin(values, room)
	out := make([]float64, len(kept))
	for i, at := range kept {
		out[i] = values[at]
	}
	return drawing{values: out, width: len(out)}
}

func largestOf(values []float64) float64 {
	largest := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	return largest
}
