package analyse

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

type object = map[string]any

// option writes the chart as an ECharts option. It holds data and structure only;
// colours and fonts are the viewer's.
func (w *work) option(c Chart) string {
	o := object{"title": object{"text": c.Title}, "tooltip": object{"trigger": "axis"}}
	switch {
	case c.Kind == ChartPie:
		o["tooltip"] = object{"trigger": "item"}
		o["series"] = w.pie()
	case c.Kind == ChartScatter:
		o["xAxis"] = object{"type": "value", "name": c.X}
		o["yAxis"] = object{"type": "value", "name": c.Y[0]}
		o["series"] = []object{{"type": "scatter", "data": w.points()}}
	case c.Kind == ChartHeatmap:
		w.heatmap(o)
	case w.shape.kind == shapeSeries:
		w.overTime(o, c)
	case w.shape.kind == shapeSeriesBy:
		w.overTimeBy(o, c)
	default:
		w.bars(o, c)
	}
	text, err := json.Marshal(o)
	if err != nil { // maps, texts and finite numbers only
		return ""
	}
	return string(text)
}

func (w *work) bars(o object, c Chart) {
	rows := w.Table.Rows[:min(len(w.Table.Rows), w.MaxPoints)]
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = w.value(row[w.shape.category], w.shape.category)
	}
	o["xAxis"] = object{"type": "category", "data": names}
	o["yAxis"] = object{"type": "value"}
	var series []object
	for _, m := range w.measuresNamed(c.Y) {
		data := make([]any, len(rows))
		for i, row := range rows {
			data[i] = w.float(row[m], m)
		}
		series = append(series, object{"type": "bar", "name": w.label(m), "data": data})
	}
	w.finish(o, series)
}

func (w *work) pie() []object {
	m := w.shape.measures[0]
	var data []object
	for _, row := range w.Table.Rows {
		if v := w.float(row[m], m); v != nil {
			data = append(data, object{"name": w.value(row[w.shape.category], w.shape.category), "value": v})
		}
	}
	return []object{{"type": "pie", "name": w.label(m), "data": data}}
}

func (w *work) points() [][]any {
	x, y := w.shape.measures[0], w.shape.measures[1]
	var data [][]any
	for _, row := range w.Table.Rows[:min(len(w.Table.Rows), w.MaxPoints)] {
		data = append(data, []any{w.float(row[x], x), w.float(row[y], y)})
	}
	return data
}

func (w *work) heatmap(o object) {
	x, y, m := w.shape.categories[0], w.shape.categories[1], w.shape.measures[0]
	xs, ys := w.distinct(x), w.distinct(y)
	var data [][]any
	high := 0.0
	for _, row := range w.Table.Rows {
		v := w.float(row[m], m)
		if f, ok := v.(float64); ok {
			high = max(high, f)
		}
		data = append(data, []any{slices.Index(xs, w.value(row[x], x)), slices.Index(ys, w.value(row[y], y)), v})
	}
	o["tooltip"] = object{"position": "top"}
	o["xAxis"] = object{"type": "category", "data": xs}
	o["yAxis"] = object{"type": "category", "data": ys}
	o["visualMap"] = object{"min": 0, "max": high, "calculable": true}
	o["series"] = []object{{"type": "heatmap", "name": w.label(m), "data": data}}
}

// axis are the points of the time axis in order, those without data too, so that
// a gap looks like one. Where there are too many, the newest are kept.
func (w *work) axis() (points []time.Time, names []string) {
	points = slices.Clone(w.shape.moments)
	slices.SortFunc(points, time.Time.Compare)
	points = slices.CompactFunc(points, time.Time.Equal)
	if w.shape.grain >= result.GrainHour {
		var full []time.Time
		next := 0
		for t := points[0]; next < len(points) && len(full) < 2*w.MaxPoints; t = w.shape.grain.Next(t) {
			for next < len(points) && points[next].Before(t) { // off the grid: keep it
				full = append(full, points[next])
				next++
			}
			if next < len(points) && points[next].Equal(t) {
				next++
			}
			full = append(full, t)
		}
		if next == len(points) {
			points = full
		}
	}
	points = points[max(0, len(points)-w.MaxPoints):]
	layout := map[result.Grain]string{
		result.GrainYear: "2006", result.GrainQuarter: "2006-01", result.GrainMonth: "2006-01",
		result.GrainWeek: time.DateOnly, result.GrainDay: time.DateOnly, result.GrainHour: "2006-01-02 15:04",
	}[w.shape.grain]
	if layout == "" {
		layout = time.DateTime
	}
	for _, t := range points {
		names = append(names, t.Format(layout))
	}
	return points, names
}

func (w *work) overTime(o object, c Chart) {
	points, names := w.axis()
	o["xAxis"] = object{"type": "category", "data": names}
	o["yAxis"] = object{"type": "value"}
	var series []object
	for _, m := range w.measuresNamed(c.Y) {
		at := map[int64]any{}
		for r, row := range w.Table.Rows {
			at[w.shape.moments[r].UnixNano()] = w.float(row[m], m)
		}
		series = append(series, object{"type": seriesType(c.Kind), "name": w.label(m), "data": along(points, at)})
	}
	w.finish(o, series)
}

func (w *work) overTimeBy(o object, c Chart) {
	points, names := w.axis()
	o["xAxis"] = object{"type": "category", "data": names}
	o["yAxis"] = object{"type": "value"}
	m := w.shape.measures[0]
	byName := map[string]map[int64]any{}
	for r, row := range w.Table.Rows {
		name := w.value(row[w.shape.category], w.shape.category)
		if byName[name] == nil {
			byName[name] = map[int64]any{}
		}
		byName[name][w.shape.moments[r].UnixNano()] = w.float(row[m], m)
	}
	var series []object
	for _, name := range w.distinct(w.shape.category) {
		s := object{"type": seriesType(c.Kind), "name": name, "data": along(points, byName[name])}
		if c.Kind == ChartStackedBar {
			s["stack"] = "total"
		}
		series = append(series, s)
	}
	w.finish(o, series)
}

func along(points []time.Time, at map[int64]any) []any {
	data := make([]any, len(points))
	for i, t := range points {
		data[i] = at[t.UnixNano()]
	}
	return data
}

func (w *work) finish(o object, series []object) {
	if len(series) > 1 {
		var names []any
		for _, s := range series {
			names = append(names, s["name"])
		}
		o["legend"] = object{"data": names}
	}
	o["series"] = series
}

func seriesType(kind ChartKind) string {
	if kind == ChartLine {
		return "line"
	}
	return "bar"
}

func (w *work) measuresNamed(names []string) []int {
	var measures []int
	for _, m := range w.shape.measures {
		if slices.Contains(names, w.Table.Columns[m].Name) {
			measures = append(measures, m)
		}
	}
	return measures
}
