package analyse

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/chart/advise"
	"github.com/dibrain/dibrain/pkg/result"
)

// Bounds within which a chart can be read. What is more is put together as the rest.
const (
	maxBars   = 50
	maxSlices = 8
	// longName is how many characters a name may have under an upright bar, manyNames how
	// many of them there may be.
	longName, manyNames = 12, 15
)

// draw makes a chart of a choice.
func (w *work) draw(choice advise.Choice) Chart {
	c := Chart{Kind: choice.Kind, X: w.columnName(choice.X), Series: w.columnName(choice.Series)}
	for _, y := range choice.Y {
		c.Y = append(c.Y, w.columnName(y))
	}
	if choice.Kind == chart.Table {
		return c
	}
	c.Title = w.dated(w.chartTitle(choice), choice)
	spec := chart.Spec{Kind: choice.Kind, Title: c.Title}
	switch choice.Kind {
	case chart.BigNumber:
		return c
	case chart.Scatter:
		w.scatter(&spec, choice)
	case chart.Heatmap:
		w.heatmap(&spec, choice)
	case chart.Pie:
		w.pie(&spec, choice)
	default:
		w.lines(&spec, choice)
	}
	spec.Alt = spec.Describe(w.Language)
	c.Option, c.Alt = spec.Option(), spec.Alt
	return c
}

func (w *work) columnName(i int) string {
	if i < 0 {
		return ""
	}
	return w.Table.Columns[i].Name
}

func (w *work) chartTitle(c advise.Choice) string {
	a := args{"measure": w.label(c.Y[0])}
	if c.X >= 0 {
		a["category"], a["x"] = w.label(c.X), w.label(c.X)
	}
	overTime := c.X >= 0 && w.isTime(c.X)
	switch {
	case c.Kind == chart.BigNumber:
		return w.label(c.Y[0])
	case c.Kind == chart.Scatter:
		a["y"] = w.label(c.Y[0])
		return w.say.text("title_against", a)
	case overTime && c.Series >= 0:
		a["category"] = w.label(c.Series)
		return w.say.text("title_time_by", a)
	case overTime:
		return w.say.text("title_over_time", a)
	case c.Series >= 0:
		a["category"] = w.say.list([]string{w.label(c.X), w.label(c.Series)})
	}
	return w.say.text("title_by", a)
}

// dated adds the years that a chart is of to its title, which is read without the answer
// around it: those of its axis of time, else those that were asked for.
func (w *work) dated(title string, c advise.Choice) string {
	var first, last time.Time
	if c.X >= 0 && c.X == w.shape.time && len(w.shape.moments) > 0 {
		first = slices.MinFunc(w.shape.moments, time.Time.Compare)
		last = slices.MaxFunc(w.shape.moments, time.Time.Compare)
	} else if !w.Asked.From.IsZero() && !w.Asked.To.IsZero() {
		first, last = w.Asked.From, w.Asked.To.Add(-time.Nanosecond)
	}
	if first.IsZero() || title == "" {
		return title
	}
	years := strconv.Itoa(first.Year())
	if last.Year() > first.Year() {
		years += "–" + strconv.Itoa(last.Year())
	}
	if strings.Contains(title, years) {
		return title
	}
	return w.say.text("title_of_years", args{"title": title, "years": years})
}

// places are the labels of an axis, and where on it each row stands.
type places struct {
	labels []string
	of     []int // by row; -1: the row is not drawn
}

// placesOf are those of time in its order, with the points that have no data; of
// anything else, in the order of the rows. Rows of one name stay apart where no series
// splits them.
func (w *work) placesOf(column int, split bool) places {
	if moments, grain, ok := w.momentsOf(column); ok {
		return w.axis(column, moments, grain)
	}
	v, names := w.values(column), w.names(column)
	if split {
		return places{labels: names, of: v.of}
	}
	p := places{of: make([]int, len(w.Table.Rows))}
	for r, i := range v.of {
		p.labels, p.of[r] = append(p.labels, names[i]), r
	}
	return p
}

// momentsOf are the points of time of a column, by row; false where it is no axis of
// time, or a point of it is missing.
func (w *work) momentsOf(column int) (moments []time.Time, grain result.Grain, ok bool) {
	switch {
	case w.roles[column] != roleTime || w.shape.kind == shapeRanking && w.shape.category == column:
		return nil, 0, false
	case column == w.shape.time && len(w.shape.moments) == len(w.Table.Rows):
		return w.shape.moments, w.shape.grain, true
	}
	finest := result.GrainNone
	for _, m := range w.moments(column) {
		if !m.ok {
			return nil, 0, false
		}
		moments = append(moments, m.at)
		if finest == result.GrainNone || m.grain < finest {
			finest = m.grain
		}
	}
	return moments, grainOf(moments, finest, w.words.grainNamed(w.Table.Columns[column].Name)), true
}

// timeline has the points of time in order, those without data too, so that a gap looks
// like one. Where there are more than most, the newest are kept.
func timeline(moments []time.Time, grain result.Grain, most int) []time.Time {
	points := slices.Clone(moments)
	slices.SortFunc(points, time.Time.Compare)
	points = slices.CompactFunc(points, time.Time.Equal)
	if grain >= result.GrainHour {
		var full []time.Time
		next := 0
		for t := points[0]; next < len(points) && len(full) < 2*most; t = grain.Next(t) {
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
	return points[max(0, len(points)-most):]
}

// axis are the places of a time axis.
func (w *work) axis(column int, moments []time.Time, grain result.Grain) places {
	points := timeline(moments, grain, w.MaxPoints)
	text := func(t time.Time) string { return result.PeriodText(t, grain) }
	switch grain {
	case result.GrainHour:
		text = func(t time.Time) string { return t.Format("2006-01-02 15:04") }
	case result.GrainSecond, result.GrainNone:
		text = func(t time.Time) string { return t.Format(time.DateTime) }
	}
	p := places{of: make([]int, len(moments))}
	at := map[int64]int{}
	for i, t := range points {
		label := text(t)
		if column == w.shape.time && grain >= result.GrainDay && (w.open(t) || w.cut(t)) {
			label = w.say.text("period_part", args{"period": label}) // else its figure looks like a fall
		}
		at[t.UnixNano()], p.labels = i, append(p.labels, label)
	}
	for r, t := range moments {
		place, there := at[t.UnixNano()]
		if !there {
			place = -1
		}
		p.of[r] = place
	}
	return p
}

// lines are lines and bars of all kinds.
func (w *work) lines(spec *chart.Spec, c advise.Choice) {
	at := w.placesOf(c.X, c.Series >= 0)
	spec.Y.Name = w.chartUnit(c.Y[0])
	if c.Series < 0 {
		for _, y := range c.Y {
			spec.Series = append(spec.Series, chart.Series{Name: w.label(y), Values: w.along(at, y)})
		}
	} else {
		w.split(spec, at, c)
	}
	spec.X.Labels = at.labels
	if c.Kind == chart.Line || w.isTime(c.X) {
		return
	}
	w.fold(spec, c, maxBars)
	spec.Horizontal = len(spec.X.Labels) > manyNames ||
		slices.ContainsFunc(spec.X.Labels, func(name string) bool { return len([]rune(name)) > longName })
}

func (w *work) isTime(column int) bool {
	_, _, ok := w.momentsOf(column)
	return ok
}

// along are a measure's values by place; NaN where there is none.
func (w *work) along(at places, measure int) []float64 {
	values := gaps(len(at.labels))
	for r, row := range w.Table.Rows {
		if place := at.of[r]; place >= 0 {
			values[place] = w.float(row[measure], measure)
		}
	}
	return values
}

func gaps(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// split makes a series of each value of a column. Where there are more than can be told
// apart, the greatest stay; the others are added up where that means something.
func (w *work) split(spec *chart.Spec, at places, c advise.Choice) {
	groups := w.values(c.Series)
	for _, name := range w.names(c.Series) {
		spec.Series = append(spec.Series, chart.Series{Name: name, Values: gaps(len(at.labels))})
	}
	for r, row := range w.Table.Rows {
		if place := at.of[r]; place >= 0 {
			spec.Series[groups.of[r]].Values[place] = w.float(row[c.Y[0]], c.Y[0])
		}
	}
	if len(spec.Series) <= chart.MaxSeries {
		return
	}
	size := func(s chart.Series) float64 { return total(s.Values) }
	kept, rest := greatest(w, spec.Series, size, chart.MaxSeries, c)
	spec.Series = kept
	if len(rest) > 0 {
		other := chart.Series{Name: w.others(len(rest)), Values: gaps(len(at.labels))}
		for _, s := range rest {
			for i, v := range s.Values {
				other.Values[i] = plus(other.Values[i], v)
			}
		}
		spec.Series = append(spec.Series, other)
	}
}

// fold puts the bars or slices beyond the bound together as the rest.
func (w *work) fold(spec *chart.Spec, c advise.Choice, most int) {
	if len(spec.X.Labels) <= most {
		return
	}
	var all []int
	for i := range spec.X.Labels {
		all = append(all, i)
	}
	size := func(i int) float64 {
		sum := 0.0
		for _, s := range spec.Series {
			if v := s.Values[i]; !math.IsNaN(v) {
				sum += math.Abs(v)
			}
		}
		return sum
	}
	kept, rest := greatest(w, all, size, most, c)
	labels := make([]string, 0, most)
	for _, i := range kept {
		labels = append(labels, spec.X.Labels[i])
	}
	for n := range spec.Series {
		s := &spec.Series[n]
		values := make([]float64, 0, most)
		for _, i := range kept {
			values = append(values, s.Values[i])
		}
		if len(rest) > 0 {
			sum := math.NaN()
			for _, i := range rest {
				sum = plus(sum, s.Values[i])
			}
			values = append(values, sum)
		}
		s.Values = values
	}
	if len(rest) > 0 {
		labels = append(labels, w.others(len(rest)))
	}
	spec.X.Labels = labels
}

// greatest keeps the greatest items in their order. The rest is returned where it can be
// added up, and told as left out where it cannot.
func greatest[T any](w *work, items []T, size func(T) float64, most int, c advise.Choice) (kept, rest []T) {
	additive := true
	for _, y := range c.Y {
		additive = additive && w.additive(y)
	}
	room := most
	if additive {
		room-- // one place is the rest's
	} else {
		w.warn(WarnChartPart, "warn_chart_part", args{"shown": count(most), "all": count(len(items))})
	}
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	sizes := make([]float64, len(items))
	for i, item := range items {
		sizes[i] = size(item)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	shown := map[int]bool{}
	for _, i := range order[:room] {
		shown[i] = true
	}
	for i, item := range items {
		switch {
		case shown[i]:
			kept = append(kept, item)
		case additive:
			rest = append(rest, item)
		}
	}
	return kept, rest
}

func (w *work) others(n int) string { return w.say.text("chart_others", args{"n": count(n)}) }

func total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += math.Abs(v)
		}
	}
	return sum
}

// plus adds up what is there.
func plus(a, b float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return a + b
}

func (w *work) pie(spec *chart.Spec, c advise.Choice) {
	y := c.Y[0]
	series := chart.Series{Name: w.labelled(y)}
	for _, row := range w.Table.Rows {
		if v := w.float(row[y], y); !math.IsNaN(v) {
			spec.X.Labels = append(spec.X.Labels, w.value(row[c.X], c.X))
			series.Values = append(series.Values, v)
		}
	}
	spec.Series = []chart.Series{series}
	w.fold(spec, c, maxSlices)
}

func (w *work) scatter(spec *chart.Spec, c advise.Choice) {
	x, y := c.X, c.Y[0]
	spec.X.Name, spec.Y.Name = w.labelled(x), w.labelled(y)
	index := map[string]int{}
	for _, row := range w.Table.Rows[:min(len(w.Table.Rows), w.MaxPoints)] {
		name := ""
		if c.Series >= 0 {
			name = w.value(row[c.Series], c.Series)
		}
		at, known := index[name]
		if !known {
			at = len(spec.Series)
			index[name], spec.Series = at, append(spec.Series, chart.Series{Name: name})
		}
		p := chart.Point{X: w.float(row[x], x), Y: w.float(row[y], y)}
		if !math.IsNaN(p.X) && !math.IsNaN(p.Y) {
			spec.Series[at].Points = append(spec.Series[at].Points, p)
		}
	}
}

func (w *work) heatmap(spec *chart.Spec, c advise.Choice) {
	y := c.Y[0]
	across, down := w.placesOf(c.X, true), w.placesOf(c.Series, true)
	spec.X.Labels, spec.Y.Labels = across.labels, down.labels
	spec.X.Name, spec.Y.Name = w.label(c.X), w.label(c.Series)
	spec.Series = []chart.Series{{Name: w.labelled(y)}}
	for r, row := range w.Table.Rows {
		spec.Cells = append(spec.Cells, chart.Cell{Column: across.of[r], Row: down.of[r], Value: w.float(row[y], y)})
	}
}
