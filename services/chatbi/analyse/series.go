package analyse

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// Bounds of what the analysis of a series looks at.
const (
	maxTrendPoints    = 1000 // the trend test is quadratic
	maxExpected       = 20_000
	listedPeriods     = 5
	maxMissingShare   = 0.5 // with more gaps than that it is no series of that grain
	week              = 7
	secondaryMeasures = 3 // measures beside the first that get a total
	maxParts          = 6 // measures that a ratio may be made of
	// sameRatio is how far a ratio may be from the quotient of its parts: many are
	// rounded to four decimals.
	sameRatio = 1e-4
)

// line is one measure over time, in order of time, without nulls.
type line struct {
	column  int
	moments []time.Time
	numbers []result.Number
}

func (w *work) line(column int) line {
	m := w.measure(column)
	order := make([]int, len(m.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return w.shape.moments[m.rows[a]].Compare(w.shape.moments[m.rows[b]])
	})
	l := line{column: column}
	for _, i := range order {
		l.moments = append(l.moments, w.shape.moments[m.rows[i]])
		l.numbers = append(l.numbers, m.numbers[i])
	}
	return l
}

// complete leaves out the periods at the ends whose figures are of a part only:
// one that is not over yet, and those that the asked range cuts. Trends and
// comparisons would take the missing part for a change.
func (l line) complete(w *work) line {
	if n := len(l.moments); n > 0 && (w.open(l.moments[n-1]) || w.cut(l.moments[n-1])) {
		l.moments, l.numbers = l.moments[:n-1], l.numbers[:n-1]
	}
	if len(l.moments) > 0 && w.cut(l.moments[0]) {
		l.moments, l.numbers = l.moments[1:], l.numbers[1:]
	}
	return l
}

// cut reports whether the asked range, or the data, hold only a part of the period that begins
// at t.
func (w *work) cut(t time.Time) bool {
	return w.cutAt(t, w.shape.grain) || w.begins(t) || w.ends(t)
}

func (w *work) cutAt(t time.Time, grain result.Grain) bool {
	next := grain.Next(t)
	from, to := w.Asked.From, w.Asked.To
	return !from.IsZero() && from.After(t) && from.Before(next) || !to.IsZero() && to.After(t) && to.Before(next)
}

// begins reports whether the data begin within the period that begins at t. Where there are rows
// of earlier periods, they are told apart by another time than that of the data's days.
func (w *work) begins(t time.Time) bool {
	return !w.Begin.IsZero() && slices.MinFunc(w.shape.moments, time.Time.Compare).Equal(t) && w.beginsIn(t, w.shape.grain)
}

func (w *work) beginsIn(t time.Time, grain result.Grain) bool {
	if w.Begin.IsZero() {
		return false
	}
	begin := time.Date(w.Begin.Year(), w.Begin.Month(), w.Begin.Day(), 0, 0, 0, 0, t.Location())
	return begin.After(t) && begin.Before(grain.Next(t))
}

// ends reports whether the data end within the period that begins at t. Where there are rows of
// later periods, they are told apart by another time than that of the data's days.
func (w *work) ends(t time.Time) bool {
	return !w.End.IsZero() && slices.MaxFunc(w.shape.moments, time.Time.Compare).Equal(t) && w.endsIn(t, w.shape.grain)
}

// mayLack is how many days at the end of a month, a quarter or a year may have nothing without
// the data ending there: not every day has what is counted.
const mayLack = 3

func (w *work) endsIn(t time.Time, grain result.Grain) bool {
	if w.End.IsZero() || grain < result.GrainWeek || w.openAt(t, grain) {
		return false
	}
	lack := 1
	if grain > result.GrainWeek {
		lack = mayLack
	}
	end := time.Date(w.End.Year(), w.End.Month(), w.End.Day(), 0, 0, 0, 0, t.Location())
	return !end.Before(t) && end.AddDate(0, 0, 1+lack).Before(grain.Next(t))
}

// open reports whether the period that begins at t is the present one.
func (w *work) open(t time.Time) bool { return w.openAt(t, w.shape.grain) }

func (w *work) openAt(t time.Time, grain result.Grain) bool {
	if w.Now.IsZero() || grain < result.GrainHour {
		return false
	}
	return !t.After(w.Now) && grain.Next(t).After(w.Now)
}

func (w *work) series() {
	compared, isCompared := w.comparedSeries()
	told := 0
	for i, column := range w.shape.measures {
		l := w.line(column)
		switch {
		case i == 0:
			if !isCompared || !w.compareSeries(compared) {
				w.answerSeries(l)
			}
			w.seriesFindings(l)
		case isCompared && slices.Contains(compared.columns(), column): // in one sentence
		case told < secondaryMeasures && len(l.numbers) > 0:
			if w.words.Compared.in(w.Table.Columns[column].Name) {
				l = l.complete(w) // a part of a period beside a whole one
			}
			if len(l.numbers) > 0 {
				w.findOfGroups(l)
				told++
			}
		}
	}
	w.gaps()
}

func (w *work) span() (from, to string) {
	first := slices.MinFunc(w.shape.moments, time.Time.Compare)
	last := slices.MaxFunc(w.shape.moments, time.Time.Compare)
	return w.at(first), w.at(last)
}

func (w *work) at(t time.Time) string { return result.FormatMoment(t, w.shape.grain, w.Language) }

func (w *work) answerSeries(l line) {
	from, to := w.span()
	a := args{"label": w.label(l.column), "from": from, "to": to, "n": count(len(l.numbers)),
		"period": w.period(1), "periods": w.period(len(l.numbers))}
	if len(l.numbers) == 0 {
		w.out.Answer = w.say.text("series_nulls", a)
		return
	}
	low, high := extremes(l.numbers)
	if l.numbers[low].Cmp(l.numbers[high]) == 0 && len(l.numbers) > 1 {
		a["value"] = w.number(l.numbers[0], l.column)
		w.out.Answer = w.say.text("series_flat", a)
		return
	}
	sum, _ := result.Sum(l.numbers)
	whole := l.complete(w)
	partial := len(whole.numbers) > 1 && len(whole.numbers) < len(l.numbers)
	if !partial {
		whole = l
	}
	if partial {
		sumUp := w.addsOverTime(l.column) && l.numbers[low].Sign() >= 0 // then a part of a period that is the most stays it
		low, high = extremesAmong(l, whole, high, sumUp)
		a["n"], a["periods"], a["whole"] = count(len(whole.numbers)), w.period(len(whole.numbers)), w.say.text("whole", nil)
	}
	a["high"], a["high_at"] = w.number(l.numbers[high], l.column), w.at(l.moments[high])
	a["low"], a["low_at"] = w.number(l.numbers[low], l.column), w.at(l.moments[low])
	key := "series_range"
	switch overall, ok := w.overall(l.column); {
	case w.addsOverTime(l.column):
		a["total"], a["mean"] = w.number(sum, l.column), w.number(mean(whole.numbers), l.column)
		key = "series_total"
		if partial { // parts of periods are in the total, not in the mean
			key = "series_total_whole"
		} else if len(l.numbers) > 1 && len(l.complete(w).numbers) < len(l.numbers) { // one whole period has no mean
			key = "series_total_part"
		}
	case w.averages(l.column):
		a["mean"] = w.number(mean(whole.numbers), l.column)
		key = "series_mean"
	case ok:
		a["overall"] = w.number(overall, l.column)
		key = "series_overall"
	}
	w.out.Answer = w.say.text(key, a)
	w.answerEnds(l)
}

// answerEnds adds what a short course comes to between its ends: for a test of trends
// it has too few points.
func (w *work) answerEnds(all line) {
	l := all.complete(w)
	n := len(l.numbers)
	if n < 2 || n >= minTrendPoints {
		return
	}
	change := l.numbers[n-1].Sub(l.numbers[0])
	a := args{
		"first": w.number(l.numbers[0], l.column), "last": w.number(l.numbers[n-1], l.column),
	}
	a["span"] = w.say.text("ends_all", nil)
	if n < len(all.numbers) { // not those of the headline
		a["span"] = w.say.text("ends_span", args{"from": w.at(l.moments[0]), "to": w.at(l.moments[n-1])})
	}
	rate, ok := change.Ratio(l.numbers[0].Abs())
	switch percent := slices.Contains([]string{"%", "％", UnitFraction}, w.Columns[l.column].Unit); {
	case change.Sign() == 0, ok && math.Abs(rate) < w.thresholds.Change:
		return
	case !ok || percent: // a percentage of a percentage is taken for points
		w.add("ends_apart", a)
	case change.Sign() > 0:
		a["change"] = w.percent(rate)
		w.add("ends_up", a)
	default:
		a["change"] = w.percent(-rate)
		w.add("ends_down", a)
	}
}

// overall is a ratio over all rows: the quotient of the sums of two other columns, where
// every row's value is the quotient of theirs. Rows differ in size, so the mean of their
// ratios is not the ratio of all.
func (w *work) overall(column int) (result.Number, bool) {
	var parts []int
	for _, m := range w.shape.measures {
		if m != column && w.additive(m) && len(parts) < maxParts {
			parts = append(parts, m)
		}
	}
	for _, above := range parts {
		for _, below := range parts {
			if above != below && w.quotient(column, above, below) {
				numerator, _ := result.Sum(w.measure(above).numbers)
				denominator, _ := result.Sum(w.measure(below).numbers)
				ratio, ok := numerator.Ratio(denominator)
				number, finite := result.Float(ratio)
				return number, ok && finite
			}
		}
	}
	return result.Number{}, false
}

// quotient reports whether a column is above divided by below in every row, to the
// rounding that a ratio is shown with.
func (w *work) quotient(column, above, below int) bool {
	some := false
	for _, row := range w.Table.Rows {
		q, a := result.NumberOf(row[column], w.Table.Columns[column])
		x, b := result.NumberOf(row[above], w.Table.Columns[above])
		y, c := result.NumberOf(row[below], w.Table.Columns[below])
		if !a && (!c || y.Sign() == 0) {
			continue
		}
		ratio, ok := x.Ratio(y)
		if !a || !b || !c || !ok || math.Abs(ratio-q.Float64()) > sameRatio*math.Max(1, math.Abs(ratio)) {
			return false
		}
		some = some || ratio != 0
	}
	return some
}

// findOfGroups sums up a measure over groups. The mean of rates or averages of
// groups of different sizes would be nobody's rate: of these the range is told.
func (w *work) findOfGroups(l line) {
	low, high := extremes(l.numbers)
	if w.additive(l.column) || l.numbers[low].Cmp(l.numbers[high]) == 0 {
		w.findTotal(l)
		return
	}
	w.find("range", "find_range", args{"label": w.label(l.column), "low": w.number(l.numbers[low], l.column), "high": w.number(l.numbers[high], l.column)},
		map[string]float64{"n": float64(len(l.numbers)), "low": l.numbers[low].Float64(), "high": l.numbers[high].Float64()})
}

func (w *work) findTotal(l line) {
	sum, _ := result.Sum(l.numbers)
	mean := sum.Per(len(l.numbers))
	evidence := map[string]float64{"n": float64(len(l.numbers))}
	switch {
	case w.additive(l.column):
		evidence["total"], evidence["mean"] = sum.Float64(), mean.Float64()
		w.tellTotal(l.column, sum, evidence)
	case w.averages(l.column):
		evidence["mean"] = mean.Float64()
		w.find("average", "find_mean", args{"label": w.label(l.column), "mean": w.number(mean, l.column)}, evidence)
	default: // all of one value
		evidence["low"], evidence["high"] = l.numbers[0].Float64(), l.numbers[0].Float64()
		w.find("range", "find_same", args{"label": w.label(l.column), "value": w.number(l.numbers[0], l.column)}, evidence)
	}
}

// tellTotal says what a column adds up to. A label that says by itself that it counts
// or adds up is not said to be totalled again: "the total number of orders".
func (w *work) tellTotal(column int, sum result.Number, evidence map[string]float64) {
	key, label := "find_total", strings.TrimPrefix(w.label(column), "total ")
	if strings.HasPrefix(label, "number of ") {
		key = "find_total_number"
	}
	w.find("total", key, args{"label": label, "total": w.number(sum, column)}, evidence)
}

func (w *work) seriesFindings(all line) {
	if len(all.numbers) == 0 {
		return
	}
	l := all.complete(w)
	w.warnPartial(all)
	w.findStructure(l, w.label(l.column), 1)
	w.findZeros(l)
}

// warnPartial says which periods at the ends are not whole.
func (w *work) warnPartial(all line) {
	last := all.moments[len(all.moments)-1]
	if w.open(last) {
		w.warn(WarnIncomplete, "warn_incomplete", args{"at": w.at(last)})
	}
	if w.begins(all.moments[0]) {
		w.warn(WarnIncomplete, "warn_begins", args{"at": w.at(all.moments[0]), "day": result.FormatMoment(w.Begin, result.GrainDay, w.Language)})
	}
	if w.ends(last) {
		w.warn(WarnIncomplete, "warn_ends", args{"at": w.at(last), "day": result.FormatMoment(w.End, result.GrainDay, w.Language)})
	}
	var cut []string
	for _, t := range []time.Time{all.moments[0], last} {
		if w.cut(t) && !w.open(t) && !w.begins(t) && !w.ends(t) && !slices.Contains(cut, w.at(t)) {
			cut = append(cut, w.at(t))
		}
	}
	if len(cut) > 0 {
		w.warn(WarnIncomplete, "warn_cut", args{"at": w.say.list(cut)})
	}
}

// periodsBetween counts the periods of the axis between two points; for clock
// times, seconds.
func (w *work) periodsBetween(a, b time.Time) int {
	months := (b.Year()-a.Year())*12 + int(b.Month()) - int(a.Month())
	switch w.shape.grain {
	case result.GrainYear:
		return b.Year() - a.Year()
	case result.GrainQuarter:
		return months / 3
	case result.GrainMonth:
		return months
	case result.GrainWeek:
		return daysBetween(a, b) / 7
	case result.GrainDay:
		return daysBetween(a, b)
	case result.GrainHour:
		return int(b.Sub(a) / time.Hour)
	}
	return int(b.Sub(a) / time.Second)
}

func formatP(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + strconv.FormatFloat(p, 'f', 3, 64)
}

func mean(numbers []result.Number) result.Number {
	sum, _ := result.Sum(numbers)
	return sum.Per(len(numbers))
}

// byChance is how many zeros a course may have by chance and still be told of.
const byChance = 0.01

// findZeros tells of periods with nothing, where most have something. Of few things that
// are counted, none at all is nothing special (Poisson).
func (w *work) findZeros(l line) {
	var zeros []time.Time
	for i, n := range l.numbers {
		if n.Sign() == 0 {
			zeros = append(zeros, l.moments[i])
		}
	}
	if len(zeros) == 0 || float64(len(zeros)) > maxMissingShare*float64(len(l.numbers)) {
		return
	}
	values := make([]float64, len(l.numbers))
	counts := true
	for i, n := range l.numbers {
		values[i] = n.Float64()
		counts = counts && values[i] == math.Trunc(values[i])
	}
	if level := median(values); counts && float64(len(values))*math.Exp(-level) > byChance && level > 0 {
		return
	}
	w.find("zero_periods", "find_zero", args{
		"label": w.label(l.column), "n": count(len(zeros)), "all": count(len(l.numbers)),
		"units": w.period(len(l.numbers)), "list": w.periods(zeros),
	}, map[string]float64{"zeros": float64(len(zeros)), "n": float64(len(l.numbers))})
}

// period names the axis' period in the singular or the plural.
func (w *work) period(n int) string { return w.periodOf(w.shape.grain, n) }

func (w *work) periodOf(grain result.Grain, n int) string {
	names := map[result.Grain]string{
		result.GrainHour: "hour", result.GrainDay: "day", result.GrainWeek: "week",
		result.GrainMonth: "month", result.GrainQuarter: "quarter", result.GrainYear: "year",
	}
	name := names[grain]
	if name == "" {
		name = "point"
	}
	if n == 1 {
		return w.say.text(name+"_one", nil)
	}
	return w.say.text(name+"_many", nil)
}

// periods lists some of the points.
func (w *work) periods(moments []time.Time) string {
	var items []string
	for i, t := range moments {
		if i == listedPeriods && len(moments) > listedPeriods+1 {
			items = append(items, w.say.text("and_more", args{"n": count(len(moments) - i)}))
			break
		}
		items = append(items, w.at(t))
	}
	return w.say.list(items)
}
