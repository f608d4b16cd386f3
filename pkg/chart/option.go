package chart

import (
	"encoding/json"
	"math"

	"github.com/mattn/go-runewidth"
)

type object = map[string]any

// Option writes a chart as an ECharts option; "" for one that has nothing to draw. It
// renders as it is, fetches nothing, and holds texts and finite numbers only.
func (s Spec) Option() string {
	if !s.Drawn() {
		return ""
	}
	o := object{
		"title": object{"text": s.Title}, "color": Palette(s.colours()),
		"tooltip": object{"trigger": "axis", "confine": true},
	}
	if s.Alt != "" {
		o["aria"] = object{"enabled": true, "label": object{"description": s.Alt}}
	}
	switch s.Kind {
	case Pie:
		s.pie(o)
	case Scatter:
		s.scatter(o)
	case Heatmap:
		s.heatmap(o)
	default:
		s.axes(o)
	}
	text, err := json.Marshal(o)
	if err != nil { // texts and finite numbers only
		return ""
	}
	return string(text)
}

// number is a value in JSON, which has no NaN and no infinities.
func number(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

func numbers(values []float64) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = number(v)
	}
	return out
}

// axes of lines and bars.
func (s Spec) axes(o object) {
	labels := object{"type": "category", "data": s.X.Labels}
	values := object{"type": "value"}
	if !s.FromZero() {
		values["scale"] = true
	}
	if s.Y.Name == Percent {
		values["axisLabel"] = object{"formatter": percentLabel}
	}
	named(labels, s.X.Name)
	if s.Y.Name != Percent {
		named(values, s.Y.Name)
	}
	x, y := labels, values
	if s.Horizontal {
		labels["inverse"] = true
		x, y = values, labels
	}
	o["xAxis"], o["yAxis"] = x, upright(y)
	kind := "bar"
	if s.Kind == Line {
		kind = "line"
	} else if len(s.X.Labels) <= maxNames {
		// Each bar has its name: left to itself, ECharts leaves those out that touch.
		labels["axisLabel"] = object{"interval": 0, "rotate": s.slant(), "width": s.nameWidth(), "overflow": "truncate"}
	}
	var series []object
	var names []string
	for _, one := range s.Series {
		names = append(names, one.Name)
		it := object{"type": kind, "name": one.Name, "data": numbers(one.Values)}
		if s.Kind == StackedBar {
			it["stack"] = "total"
		}
		series = append(series, it)
	}
	if len(series) > 1 {
		o["legend"] = object{"data": names}
	}
	o["series"] = series
}

// percentLabel writes a number of an axis as ECharts fills it in.
const percentLabel = "{value}" + Percent

const (
	// maxNames is how many bars have all of their names written.
	maxNames = 60
	// level is how many characters fit beside each other under the axis of a page.
	level = 90
	// shortName is how many characters fit in the middle above an upright axis.
	shortName = 8
)

// nameWidth is how many pixels a name has; what is longer is cut. Beside a bar there is more
// room than aslant below it.
func (s Spec) nameWidth() int {
	if s.Horizontal {
		return 280
	}
	return 160
}

// slant is how far names under upright bars are turned, in degrees.
func (s Spec) slant() int {
	longest := 0
	for _, label := range s.X.Labels {
		longest = max(longest, runewidth.StringWidth(label))
	}
	if s.Horizontal || (longest+2)*len(s.X.Labels) <= level {
		return 0
	}
	return 45
}

// colours is how many things have a colour of their own.
func (s Spec) colours() int {
	if s.Kind == Pie {
		return len(s.X.Labels)
	}
	return len(s.Series)
}

func named(axis object, name string) {
	if name != "" {
		axis["name"] = name
	}
}

// upright has a long name of an upright axis begin at the axis: in the middle above it, as
// ECharts writes names, its beginning would be outside the picture.
func upright(axis object) object {
	if name, ok := axis["name"].(string); ok && runewidth.StringWidth(name) > shortName {
		axis["nameTextStyle"] = object{"align": "left"}
	}
	return axis
}

func (s Spec) pie(o object) {
	o["tooltip"] = object{"trigger": "item", "confine": true}
	one := s.Series[0]
	var data []object
	for i, v := range one.Values {
		if n := number(v); n != nil && i < len(s.X.Labels) {
			data = append(data, object{"name": s.X.Labels[i], "value": n})
		}
	}
	o["series"] = []object{{"type": "pie", "name": one.Name, "radius": "60%", "label": object{"formatter": "{b}: {c} ({d}%)", "lineHeight": 20}, "data": data}}
}

func (s Spec) scatter(o object) {
	o["tooltip"] = object{"trigger": "item", "confine": true}
	x, y := object{"type": "value"}, object{"type": "value"}
	named(x, s.X.Name)
	named(y, s.Y.Name)
	o["xAxis"], o["yAxis"] = x, upright(y)
	var series []object
	var names []string
	for _, one := range s.Series {
		data := make([][]any, len(one.Points))
		for i, p := range one.Points {
			data[i] = []any{number(p.X), number(p.Y)}
		}
		names = append(names, one.Name)
		series = append(series, object{"type": "scatter", "name": one.Name, "data": data})
	}
	if len(series) > 1 {
		o["legend"] = object{"data": names}
	}
	o["series"] = series
}

func (s Spec) heatmap(o object) {
	name := ""
	if len(s.Series) > 0 {
		name = s.Series[0].Name
	}
	data := make([][]any, len(s.Cells))
	for i, c := range s.Cells {
		data[i] = []any{c.Column, c.Row, number(c.Value)}
	}
	o["tooltip"] = object{"position": "top", "confine": true}
	x, y := object{"type": "category", "data": s.X.Labels}, object{"type": "category", "data": s.Y.Labels}
	named(x, s.X.Name)
	named(y, s.Y.Name)
	y["inverse"] = true // the first row on top
	o["xAxis"], o["yAxis"] = x, upright(y)
	low, high, shades := s.Scale()
	o["visualMap"] = object{"min": low, "max": high, "calculable": true, "text": []string{"", name}, "inRange": object{"color": shades}}
	o["series"] = []object{{"type": "heatmap", "name": name, "data": data}}
}
