package analyse

import (
	"slices"
	"strconv"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

type shapeKind int

const (
	shapeTable    shapeKind = iota
	shapeEmpty              // no rows
	shapeSingle             // one value
	shapeRow                // one row of several values
	shapeSeries             // a time axis and measures
	shapeSeriesBy           // a time axis, a category and a measure
	shapeRanking            // a category, each value once, and measures
	shapeList               // one column
)

// role of a column in the result.
type role int

const (
	roleOther role = iota
	roleTime
	roleMeasure
	roleCategory
)

// shape of a result.
type shape struct {
	kind       shapeKind
	time       int // columns; -1: none
	category   int
	measures   []int
	categories []int
	moments    []time.Time // of the time column, by row
	grain      result.Grain
}

func (w *work) findShape() shape {
	s := shape{time: -1, category: -1}
	var times []int
	others := 0
	for i := range w.Table.Columns {
		w.roles = append(w.roles, w.roleOf(i))
		switch w.roles[i] {
		case roleTime:
			times = append(times, i)
		case roleMeasure:
			s.measures = append(s.measures, i)
		case roleCategory:
			s.categories = append(s.categories, i)
		default:
			others++
		}
	}
	rows, columns := len(w.Table.Rows), len(w.Table.Columns)
	switch {
	case rows == 0:
		s.kind = shapeEmpty
	case rows == 1 && columns == 1:
		s.kind = shapeSingle
	case rows == 1:
		s.kind = shapeRow
	case columns == 1:
		s.kind = shapeList
	case len(times) == 1 && len(s.categories) == 0 && w.firstBy(s.measures):
		s.categories = times // the best days are no course of time
		w.rankingShape(&s)
	case len(times) == 1 && len(s.measures) > 0 && others == 0 && len(s.categories) <= 1:
		w.timeShape(&s, times[0])
	case len(times) == 0 && len(s.measures) > 0 && len(s.categories) > 0:
		w.rankingShape(&s)
	}
	return s
}

func (w *work) roleOf(i int) role {
	column, values := w.Table.Columns[i], w.Table.Column(i)
	plain := w.Columns[i].Aggregate == ""
	switch kind := column.Kind(); {
	case kind == result.KindDate || kind == result.KindTimestamp:
		if plain {
			return roleTime
		}
		return roleOther
	case kind == result.KindText:
		if plain && all(values, func(v any) bool { return isMoment(v, w.Now.Location()) }) {
			return roleTime
		}
		return roleCategory
	case kind == result.KindBool || kind == result.KindTime:
		return roleCategory
	case kind.Numeric() && plain && w.words.Year.in(column.Name) && all(values, isYear):
		return roleTime
	case kind.Numeric():
		if w.Columns[i].Key || plain && !w.Columns[i].Figure && (w.words.Identifier.in(column.Name) || w.words.CalendarPart.in(column.Name)) {
			return roleCategory
		}
		return roleMeasure
	}
	return roleOther
}

// all reports whether ok holds for all values that are not null, and there is one.
func all(values []any, ok func(any) bool) bool {
	some := false
	for _, v := range values {
		if v == nil {
			continue
		}
		if !ok(v) {
			return false
		}
		some = true
	}
	return some
}

func isMoment(v any, loc *time.Location) bool {
	text, ok := v.(string)
	if !ok {
		return false
	}
	_, _, ok = result.ParseMoment(text, loc)
	return ok
}

// isYear reports a whole number that can be a year. A decimal is a text of its digits.
func isYear(v any) bool {
	_, ok := yearOf(v)
	return ok
}

func yearOf(v any) (int, bool) {
	year := 0
	switch v := v.(type) {
	case int64:
		year = int(v)
	case string:
		if len(v) != len("2006") {
			return 0, false // without a number's error for each date
		}
		n, err := strconv.Atoi(v)
		if err != nil {
			return 0, false
		}
		year = n
	}
	return year, year >= 1900 && year <= 2100
}

// timeShape makes a series of it when each point of time (and category) is there
// once.
func (w *work) timeShape(s *shape, column int) {
	s.time = column
	if len(s.categories) == 1 {
		s.category = s.categories[0]
	}
	type inTime struct {
		at int64
		of any // scalars only: roles see to that
	}
	seen := map[inTime]bool{}
	distinct := map[int64]bool{}
	finest := result.GrainNone
	for r, m := range w.moments(column) {
		at, grain := m.at, m.grain
		if !m.ok {
			s.time = -1
			return
		}
		key := inTime{at: at.UnixNano()}
		distinct[key.at] = true
		if s.category >= 0 {
			key.of = w.Table.Rows[r][s.category]
		}
		if seen[key] {
			s.time = -1
			return
		}
		seen[key] = true
		s.moments = append(s.moments, at)
		if finest == result.GrainNone || grain < finest {
			finest = grain
		}
	}
	if len(distinct) < 2 {
		s.time, s.moments = -1, nil
		if s.category >= 0 {
			w.rankingShape(s)
		}
		return
	}
	s.grain = grainOf(s.moments, finest, w.words.grainNamed(w.Table.Columns[column].Name))
	s.kind = shapeSeries
	if s.category >= 0 {
		s.kind = shapeSeriesBy
	}
}

// moment reads a value of a time axis.
func (w *work) moment(v any) (time.Time, result.Grain, bool) {
	if year, ok := yearOf(v); ok {
		return time.Date(year, 1, 1, 0, 0, 0, 0, w.Now.Location()), result.GrainYear, true
	}
	if text, ok := v.(string); ok {
		return result.ParseMoment(text, w.Now.Location())
	}
	return time.Time{}, result.GrainNone, false
}

// grainOf tells the periods of an axis from its points: the period that the column is
// named by, where all points are starts of it; else the coarsest whose starts all are.
// Two points alone tell little: what the name does not settle is decided by the days
// between them, for years only, since the first days of two months may be two days.
func grainOf(moments []time.Time, finest, named result.Grain) result.Grain {
	points := slices.Clone(moments)
	slices.SortFunc(points, time.Time.Compare)
	points = slices.CompactFunc(points, time.Time.Equal)
	every := func(ok func(time.Time) bool) bool {
		return !slices.ContainsFunc(points, func(t time.Time) bool { return !ok(t) })
	}

	if finest == result.GrainSecond {
		if !every(func(t time.Time) bool { return t.Minute() == 0 && t.Second() == 0 }) {
			return result.GrainSecond
		}
		if !every(func(t time.Time) bool { return t.Hour() == 0 }) {
			return result.GrainHour
		}
		finest = result.GrainDay
	}
	if finest != result.GrainDay {
		return finest
	}
	first, last := points[0], points[len(points)-1]
	if named > result.GrainDay && every(func(t time.Time) bool { return starts(t, named) }) && (named != result.GrainWeek || weeksApart(points)) {
		return named
	}
	few := len(points) < 3
	if few && (named == result.GrainDay || last.Year() == first.Year()) {
		return finest
	}
	coarsest := []result.Grain{result.GrainYear, result.GrainQuarter, result.GrainMonth}
	if few {
		coarsest = coarsest[:1]
	}
	for _, grain := range coarsest {
		if every(func(t time.Time) bool { return starts(t, grain) }) {
			return grain
		}
	}
	if !few && weeksApart(points) {
		return result.GrainWeek
	}
	return finest
}

// weeksApart reports whether all points are whole weeks after the first.
func weeksApart(points []time.Time) bool {
	return !slices.ContainsFunc(points, func(t time.Time) bool { return daysBetween(points[0], t)%week != 0 })
}

// daysBetween counts calendar days, whatever the clocks did in between.
func daysBetween(a, b time.Time) int {
	utc := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(utc(b).Sub(utc(a)).Hours() / 24)
}

// firstBy reports whether the rows are the first ones in the order of a measure.
func (w *work) firstBy(measures []int) bool {
	return w.partial() && w.Order != nil && slices.Contains(measures, w.Order.Column)
}

// rankingShape takes the first category whose values are all there once; the
// first that names things by text comes before one of numbers. Rows that a limit
// cut off in no order of a measure rank nothing.
func (w *work) rankingShape(s *shape) {
	if w.partial() && !w.firstBy(s.measures) {
		return
	}
	ordered := slices.Clone(s.categories)
	slices.SortStableFunc(ordered, func(a, b int) int { return w.textRank(a) - w.textRank(b) })
	for _, c := range ordered {
		seen := map[any]bool{}
		for _, row := range w.Table.Rows {
			if seen[row[c]] {
				break
			}
			seen[row[c]] = true // scalars only: roles see to that
		}
		if len(seen) == len(w.Table.Rows) {
			s.kind, s.category = shapeRanking, c
			return
		}
	}
}

func (w *work) textRank(column int) int {
	if w.Table.Columns[column].Kind() == result.KindText && !w.words.Identifier.in(w.Table.Columns[column].Name) {
		return 0
	}
	return 1
}
