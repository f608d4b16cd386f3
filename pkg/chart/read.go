package chart

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Bounds of an option that is read.
const (
	// MaxOptionBytes is the greatest length of an option.
	MaxOptionBytes = 16 << 20
	// MaxPoints is the greatest number of values, points and cells together.
	MaxPoints = 200_000
)

// ReadOption reads the chart of an ECharts option such as Option writes it. What is not
// part of a Spec is left out: links, pictures and code of an option from elsewhere go
// nowhere. An option that has no series is an error; an empty text is no chart.
func ReadOption(text string) (Spec, error) {
	if text == "" {
		return Spec{Kind: Table}, nil
	}
	if len(text) > MaxOptionBytes {
		return Spec{}, unreadable("it has %d bytes and at most %d are drawn", len(text), MaxOptionBytes)
	}
	var o option
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return Spec{}, unreadable("it is no ECharts option: %v", err)
	}
	if len(o.Series) == 0 {
		return Spec{}, unreadable("it has no series")
	}
	if total := o.points(); total > MaxPoints {
		return Spec{}, unreadable("it has %d points and at most %d are drawn", total, MaxPoints)
	}
	return o.spec()
}

func unreadable(format string, args ...any) error {
	return fault.Invalid("chart", "CHART_UNREADABLE", "The chart cannot be drawn: "+format+". Ask for a table instead, or aggregate the result.", args...)
}

// option is as much of an ECharts option as a chart may hold.
type option struct {
	Title one[struct {
		Text string `json:"text"`
	}] `json:"title"`
	Aria struct {
		Label struct {
			Description string `json:"description"`
		} `json:"label"`
	} `json:"aria"`
	XAxis  one[axis]         `json:"xAxis"`
	YAxis  one[axis]         `json:"yAxis"`
	Series many[seriesInput] `json:"series"`
}

type axis struct {
	Type string `json:"type"`
	Name string `json:"name"`
	Data []any  `json:"data"`
	// AxisLabel tells percent; it may be code as text elsewhere, of which nothing is kept.
	AxisLabel struct {
		Formatter any `json:"formatter"`
	} `json:"axisLabel"`
}

type seriesInput struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Stack string `json:"stack"`
	Data  []any  `json:"data"`
}

// one is an object where ECharts takes a list of them as well; the first counts.
type one[T any] struct{ it T }

func (o *one[T]) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, &o.it)
	}
	var list []T
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		return err
	}
	o.it = list[0]
	return nil
}

// many is a list where ECharts takes one object as well.
type many[T any] []T

func (m *many[T]) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, (*[]T)(m))
	}
	var it T
	err := json.Unmarshal(text, &it)
	*m = many[T]{it}
	return err
}

func (o option) points() int {
	total := 0
	for _, s := range o.Series {
		total += len(s.Data)
	}
	return total
}

func (o option) spec() (Spec, error) {
	s := Spec{
		Title: o.Title.it.Text, Alt: o.Aria.Label.Description,
		X: o.XAxis.it.axis(), Y: o.YAxis.it.axis(),
	}
	switch first := o.Series[0]; first.Type {
	case "line":
		s.Kind = Line
	case "bar":
		s.Kind = Bar
		if first.Stack != "" {
			s.Kind = StackedBar
		}
	case "pie":
		s.Kind = Pie
	case "scatter":
		s.Kind = Scatter
	case "heatmap":
		s.Kind = Heatmap
	default:
		return Spec{}, unreadable("series of type %q are not drawn", first.Type)
	}
	if (s.Kind == Bar || s.Kind == StackedBar) && o.YAxis.it.Type == "category" {
		s.Horizontal, s.X, s.Y = true, s.Y, s.X
	}
	for _, in := range o.Series {
		if in.Type != o.Series[0].Type {
			return Spec{}, unreadable("series of types %q and %q are not drawn together", o.Series[0].Type, in.Type)
		}
		s.take(in)
	}
	return s, nil
}

func (a axis) axis() Axis {
	out := Axis{Name: a.Name}
	if a.AxisLabel.Formatter == percentLabel {
		out.Name = Percent
	}
	for _, label := range a.Data {
		out.Labels = append(out.Labels, textOf(label))
	}
	return out
}

// take reads the data of a series.
func (s *Spec) take(in seriesInput) {
	series := Series{Name: in.Name}
	for i, item := range in.Data {
		list, _ := item.([]any)
		switch s.Kind {
		case Scatter:
			if len(list) >= 2 {
				series.Points = append(series.Points, Point{numberOf(list[0]), numberOf(list[1])})
			}
		case Heatmap:
			if len(list) < 3 {
				continue
			}
			column, row := numberOf(list[0]), numberOf(list[1])
			if column >= 0 && row >= 0 && column < float64(len(s.X.Labels)) && row < float64(len(s.Y.Labels)) {
				s.Cells = append(s.Cells, Cell{int(column), int(row), numberOf(list[2])})
			}
		case Pie:
			slice, _ := item.(map[string]any)
			s.X.Labels = append(s.X.Labels, textOf(slice["name"]))
			series.Values = append(series.Values, numberOf(slice["value"]))
		default:
			if i < len(s.X.Labels) {
				series.Values = append(series.Values, numberOf(item))
			}
		}
	}
	s.Series = append(s.Series, series)
}

func numberOf(v any) float64 {
	if f, ok := v.(float64); ok {
		return f
	}
	return math.NaN()
}

func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil { // it came as JSON
		return ""
	}
	return string(text)
}
