package chart

import (
	"fmt"
	"math"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

// Title is what people call a kind of chart.
func (k Kind) Title(l lang.Language) string {
	switch k {
	case Line:
		return l.Pick("line chart", "折线图")
	case Bar:
		return l.Pick("bar chart", "柱状图")
	case StackedBar:
		return l.Pick("stacked bar chart", "堆叠柱状图")
	case Pie:
		return l.Pick("pie chart", "饼图")
	case Scatter:
		return l.Pick("scatter chart", "散点图")
	case Heatmap:
		return l.Pick("heat map", "热力图")
	case BigNumber:
		return l.Pick("number", "数字")
	}
	return l.Pick("table", "表格")
}

func (s Spec) kindName(l lang.Language) string {
	if s.Kind == Bar && s.Horizontal {
		return l.Pick("Horizontal bar chart", "条形图")
	}
	return lang.Capital(s.Kind.Title(l))
}

// Describe says what a chart shows, for whoever does not see it: its kind and title, how
// much of what it draws, from where to where, and its least and greatest number with
// their places. Example: "Line chart: GMV by day. 30 points from 2026-10-20 to
// 2026-11-18. Lowest 8,210 (2026-10-24), highest 15,332 (2026-11-11)."
func (s Spec) Describe(l lang.Language) string {
	end := l.Pick(".", "。")
	head := s.kindName(l)
	if s.Title != "" {
		head += l.Pick(": ", "：") + s.Title
	}
	parts := []string{head + end}
	if text := s.extent(l); text != "" {
		parts = append(parts, text+end)
	}
	if text := s.ends(l); text != "" {
		parts = append(parts, text+end)
	}
	return strings.Join(parts, l.Pick(" ", ""))
}

// extent says how much is drawn.
func (s Spec) extent(l lang.Language) string {
	first, last, n := "", "", len(s.X.Labels)
	if n > 0 {
		first, last = s.X.Labels[0], s.X.Labels[n-1]
	}
	switch s.Kind {
	case Line:
		if n == 0 {
			return ""
		}
		text := fmt.Sprintf(l.Pick("%s from %s to %s", "%s，从%s到%s"), counted(n, l, "point", "points", "个点"), first, last)
		return text + s.seriesOf(l)
	case Bar, StackedBar:
		return counted(n, l, "group", "groups", "组") + s.seriesOf(l)
	case Pie:
		return counted(n, l, "slice", "slices", "个扇区")
	case Scatter:
		points := 0
		for _, one := range s.Series {
			points += len(one.Points)
		}
		text := counted(points, l, "point", "points", "个点") + s.seriesOf(l)
		if s.X.Name != "" && s.Y.Name != "" {
			text += fmt.Sprintf(l.Pick(", %s against %s", "，%s对%s"), s.Y.Name, s.X.Name)
		}
		return text
	case Heatmap:
		return fmt.Sprintf(l.Pick("%s columns by %s rows", "%s列，%s行"), result.Int(int64(n)), result.Int(int64(len(s.Y.Labels))))
	}
	return ""
}

// maxNamed is how many series are named.
const maxNamed = 4

func (s Spec) seriesOf(l lang.Language) string {
	if len(s.Series) < 2 {
		return ""
	}
	var names []string
	for _, one := range s.Series[:min(len(s.Series), maxNamed)] {
		names = append(names, one.Name)
	}
	text := counted(len(s.Series), l, "series", "series", "个系列") + l.Pick(": ", "：") + strings.Join(names, l.Pick(", ", "、"))
	if len(s.Series) > maxNamed {
		text += l.Pick(" and others", "等")
	}
	return l.Pick(", ", "，") + text
}

func counted(n int, l lang.Language, one, many, zh string) string {
	number := result.Int(int64(n)).String()
	if l == lang.Chinese {
		return number + zh
	}
	if n == 1 {
		return number + " " + one
	}
	return number + " " + many
}

// ends are the least and the greatest number with their places.
func (s Spec) ends(l lang.Language) string {
	low, high := extreme{value: math.Inf(1)}, extreme{value: math.Inf(-1)}
	take := func(v float64, place string) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		if v < low.value {
			low = extreme{v, place}
		}
		if v > high.value {
			high = extreme{v, place}
		}
	}
	for _, one := range s.Series {
		for i, v := range one.Values {
			if i < len(s.X.Labels) {
				take(v, s.place(s.X.Labels[i], one.Name, l))
			}
		}
		for _, p := range one.Points {
			take(p.Y, "")
		}
	}
	for _, c := range s.Cells {
		if c.Column < len(s.X.Labels) && c.Row < len(s.Y.Labels) {
			take(c.Value, s.X.Labels[c.Column]+l.Pick(", ", "，")+s.Y.Labels[c.Row])
		}
	}
	switch {
	case math.IsInf(low.value, 0):
		return l.Pick("It has no numbers", "没有数值")
	case low.value == high.value:
		return fmt.Sprintf(l.Pick("All values are %s", "数值均为%s"), s.figure(low.value))
	}
	return fmt.Sprintf(l.Pick("Lowest %s, highest %s", "最低%s，最高%s"), s.text(low, l), s.text(high, l))
}

// place of a value: its label, and its series where there are several.
func (s Spec) place(label, series string, l lang.Language) string {
	if len(s.Series) > 1 {
		return label + l.Pick(", ", "，") + series
	}
	return label
}

type extreme struct {
	value float64
	place string
}

func (s Spec) text(e extreme, l lang.Language) string {
	if e.place == "" {
		return s.figure(e.value)
	}
	return s.figure(e.value) + l.Pick(" (", "（") + e.place + l.Pick(")", "）")
}

// figure writes a number with its unit, which the value axis of lines and bars has as its
// name.
func (s Spec) figure(v float64) string {
	n, ok := result.Float(v)
	switch {
	case !ok:
		return ""
	case s.Y.Name == Percent:
		return n.String() + Percent
	case s.Y.Name != "" && (s.Kind == Line || s.Kind == Bar || s.Kind == StackedBar):
		return n.String() + " " + s.Y.Name
	}
	return n.String()
}
