package analyse

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// Bounds of what is said of a ranking.
const (
	nextNames = 2 // named after the first
	tieNames  = 5
)

// item is one bar of a ranking.
type item struct {
	name   string
	number result.Number
}

// items are the numbers of a measure by category, best first: highest, or lowest
// where the statement sorts upwards. Rows that have no value of the category, and those
// with a blank one, are no item of it: their numbers are apart.
func (w *work) items(measure int) (items []item, nameless []result.Number) {
	m := w.measure(measure)
	for i, n := range m.numbers {
		v := w.Table.Rows[m.rows[i]][w.shape.category]
		if nothing(v) {
			nameless = append(nameless, n)
			continue
		}
		items = append(items, item{w.named(v, w.shape.category), n})
	}
	w.sortItems(items)
	return items, nameless
}

// nothing reports whether a value names no thing.
func nothing(v any) bool {
	text, isText := v.(string)
	return v == nil || isText && !seen(text)
}

// named writes a value that stands for a thing; a bare number needs the name of
// its column to be understood.
func (w *work) named(v any, column int) string {
	text := w.value(v, column)
	if w.Table.Columns[column].Kind() == result.KindInteger {
		return w.label(column) + " " + text
	}
	return text
}

// sortItems compares the nearest doubles first: where those differ, the exact numbers
// differ the same way, and exact ones are dear to compare.
func (w *work) sortItems(items []item) {
	near := make([]float64, len(items))
	order := make([]int, len(items))
	for i := range items {
		order[i], near[i] = i, items[i].number.Float64()
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if w.ascending {
			a, b = b, a
		}
		if c := cmp.Compare(near[b], near[a]); c != 0 {
			return c
		}
		return items[b].number.Cmp(items[a].number)
	})
	sorted := make([]item, len(items))
	for i, at := range order {
		sorted[i] = items[at]
	}
	copy(items, sorted)
}

func (w *work) ranking() {
	measure := w.shape.measures[0]
	if c, ok := w.comparedColumns(); ok {
		w.compareItems(c)
		return
	}
	items, nameless := w.items(measure)
	a := args{"label": w.label(measure), "category": w.label(w.shape.category), "n": count(len(items))}
	if len(items) == 0 {
		a["n"] = count(len(w.Table.Rows))
		w.out.Answer = w.say.text("rank_nulls", a)
		w.tellNameless(nameless, measure)
		return
	}
	a["top"], a["value"] = items[0].name, w.number(items[0].number, measure)
	tie := 1
	for tie < len(items) && items[tie].number.Cmp(items[0].number) == 0 {
		tie++
	}
	switch {
	case len(items) == 1:
		w.out.Answer = w.say.text("rank_only", a)
	case tie == len(items) && !w.partial():
		w.out.Answer = w.say.text("rank_equal", a)
	case tie > 1:
		w.out.Answer = w.say.text("rank_tie", w.tieArgs(a, items[:tie]))
	default:
		w.answerTop(a, items, nameless, measure)
	}
	w.tellNameless(nameless, measure)
	w.rankingFindings(items, nameless, measure)
	for i, column := range w.shape.measures[1:] {
		if m := w.measure(column); i < secondaryMeasures && len(m.numbers) > 0 && !w.partial() {
			w.findOfGroups(line{column: column, numbers: m.numbers})
		}
	}
}

// tellNameless adds to the answer what the rows come to that have no value of the
// category. Where there are several of them, NULL and blank, they are told one by one
// if they do not add up.
func (w *work) tellNameless(nameless []result.Number, measure int) {
	if len(nameless) == 0 {
		return
	}
	var values []string
	if sum, _ := result.Sum(nameless); w.additive(measure) {
		values = append(values, w.number(sum, measure))
	} else {
		for _, n := range nameless {
			values = append(values, w.number(n, measure))
		}
	}
	w.add("rank_nameless", args{"category": w.label(w.shape.category), "label": w.label(measure), "value": w.say.list(values)})
}

// add puts a further sentence behind the answer.
func (w *work) add(message string, a args) {
	w.out.Answer += w.Language.Pick(" ", "") + w.say.text(message, a)
}

func (w *work) tieArgs(a args, tied []item) args {
	var names []string
	for i, it := range tied {
		if i == tieNames && len(tied) > tieNames+1 {
			names = append(names, w.say.text("and_more", args{"n": count(len(tied) - i)}))
			break
		}
		names = append(names, it.name)
	}
	a["names"], a["end"] = w.say.list(names), w.say.text("rank_highest", nil)
	if w.ascending {
		a["end"] = w.say.text("rank_lowest", nil)
	}
	return a
}

func (w *work) answerTop(a args, items []item, nameless []result.Number, measure int) {
	key := "rank_top"
	if w.ascending {
		key = "rank_low"
	}
	var next []string
	for _, it := range items[1:min(len(items), 1+nextNames)] {
		next = append(next, w.say.text("rank_next", args{"name": it.name, "value": w.number(it.number, measure)}))
	}
	if len(next) > 0 {
		key += "_next"
		a["next"] = w.say.list(next)
	}
	if total, share, ok := w.share(items, nameless, measure); ok {
		shareKey := "share_of_all"
		if w.partial() {
			shareKey = "share_of_shown"
		}
		a["share"] = w.say.text(shareKey, args{"share": w.percent(share), "total": w.number(total, measure), "n": count(len(items))})
	}
	w.out.Answer = w.say.text(key, a)
}

// share is the first item's share of the sum, in which the nameless are, too. It is
// false where the values do not add up, or some are negative, or there is nothing to
// share.
func (w *work) share(items []item, nameless []result.Number, measure int) (total result.Number, share float64, ok bool) {
	if !w.additive(measure) || len(items)+len(nameless) < 2 {
		return total, 0, false
	}
	numbers := slices.Clone(nameless)
	for _, it := range items {
		numbers = append(numbers, it.number)
	}
	if slices.ContainsFunc(numbers, func(n result.Number) bool { return n.Sign() < 0 }) {
		return total, 0, false
	}
	total, _ = result.Sum(numbers)
	share, ok = items[0].number.Ratio(total)
	return total, share, ok
}

// Bounds of a concentration: so few of the items, and of how many at least.
const (
	concentratedPart  = 0.2
	concentratedItems = 10
)

// rankingFindings tells of a concentration: at most a fifth of the items makes
// thresholds.TopShare or more of the whole, the rule of 80/20. What is divided at random
// comes to half of the whole in its greatest fifth (the broken stick).
func (w *work) rankingFindings(items []item, nameless []result.Number, measure int) {
	total, _, ok := w.share(items, nameless, measure)
	if !ok || w.partial() || w.ascending || len(items) < concentratedItems || total.Sign() <= 0 {
		return
	}
	var sum result.Number
	var names []string
	for i, it := range items[:int(concentratedPart*float64(len(items)))] {
		if names = append(names, it.name); i == 0 {
			sum = it.number
		} else {
			sum, _ = result.Sum([]result.Number{sum, it.number})
		}
		share, _ := sum.Ratio(total)
		switch {
		case share < w.thresholds.TopShare:
			continue
		case i == 0: // the headline tells the first one's share
			return
		}
		w.find("concentration", "find_concentrated", args{
			"k": count(i + 1), "n": count(len(items)), "names": w.some(names), "share": w.percent(share), "label": w.label(measure),
		}, map[string]float64{"k": float64(i + 1), "share": share, "value": sum.Float64(), "total": total.Float64(), "n": float64(len(items))})
		return
	}
}

// some lists the first of several names.
func (w *work) some(names []string) string {
	if len(names) > tieNames+1 {
		rest := w.say.text("and_more", args{"n": count(len(names) - tieNames)})
		names = append(slices.Clone(names[:tieNames]), rest)
	}
	return w.say.list(names)
}

// seriesBy describes several series: the totals of the categories, or, where values do
// not add up, which has the most and the least in the last whole period.
func (w *work) seriesBy() {
	measure := w.shape.measures[0]
	from, to := w.span()
	a := args{"label": w.label(measure), "category": w.label(w.shape.category), "from": from, "to": to}
	latest := slices.MaxFunc(w.shape.moments, time.Time.Compare)
	if w.addsOverTime(measure) {
		w.answerTotals(a, measure)
	} else {
		w.answerLast(a, measure)
	}
	if w.open(latest) {
		w.warn(WarnIncomplete, "warn_incomplete", args{"at": w.at(latest)})
	}
	if w.ends(latest) {
		w.warn(WarnIncomplete, "warn_ends", args{"at": w.at(latest), "day": result.FormatMoment(w.End, result.GrainDay, w.Language)})
	}
	w.late(latest)
	w.findOfCategories(measure)
}

// Bounds of the courses that are searched where there are several.
const (
	maxCourses  = 12
	toldCourses = 4
)

// findOfCategories tells what the courses of the categories have beside noise, the
// greatest of them.
func (w *work) findOfCategories(measure int) {
	m := w.measure(measure)
	type group struct {
		name string
		line line
		size float64
	}
	var groups []group
	at := map[string]int{}
	order := make([]int, len(m.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return w.shape.moments[m.rows[a]].Compare(w.shape.moments[m.rows[b]])
	})
	for _, i := range order {
		v := w.Table.Rows[m.rows[i]][w.shape.category]
		if nothing(v) {
			continue
		}
		key := w.named(v, w.shape.category)
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			groups = append(groups, group{name: key, line: line{column: measure}})
		}
		g := &groups[at[key]]
		g.line.moments, g.line.numbers = append(g.line.moments, w.shape.moments[m.rows[i]]), append(g.line.numbers, m.numbers[i])
		g.size += math.Abs(m.numbers[i].Float64())
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.size, a.size) })
	groups = groups[:min(len(groups), maxCourses)]
	before := len(w.out.Findings)
	for _, g := range groups {
		w.findStructure(g.line.complete(w), w.say.text("of_item", args{"label": w.label(measure), "name": g.name}), len(groups))
	}
	w.sortFindings()
	w.out.Findings = w.out.Findings[:min(len(w.out.Findings), before+toldCourses)]
}

func (w *work) answerTotals(a args, measure int) {
	items, nameless, sum := w.groups(measure)
	a["n"] = count(len(items))
	if len(items) == 0 {
		w.out.Answer = w.say.text("series_nulls", a)
		w.tellNameless(nameless, measure)
		return
	}
	w.sortItems(items)
	last := len(items) - 1
	a["top"], a["top_value"] = items[0].name, w.number(items[0].number, measure)
	a["bottom"], a["bottom_value"] = items[last].name, w.number(items[last].number, measure)
	a["total"] = w.number(sum, measure)
	_, share, shared := w.share(items, nameless, measure)
	switch {
	case shared:
		a["share"] = w.percent(share)
		w.out.Answer = w.say.text("series_by_total", a)
	case len(items) == 1:
		w.out.Answer = w.say.text("series_by_one", a)
	default:
		w.out.Answer = w.say.text("series_by_sum", a)
	}
	w.tellNameless(nameless, measure)
	w.rankingFindings(items, nameless, measure)
}

// answerLast ranks the categories in the last whole period that has values. Their means
// over the periods would be averages of averages, which are nobody's.
func (w *work) answerLast(a args, measure int) {
	m := w.measure(measure)
	var at time.Time
	whole := false
	for _, r := range m.rows {
		t := w.shape.moments[r]
		complete := !w.open(t) && !w.cut(t)
		later := complete == whole && t.After(at) || complete && !whole
		if later && !nothing(w.Table.Rows[r][w.shape.category]) {
			at, whole = t, complete
		}
	}
	var items []item
	for i, r := range m.rows {
		if v := w.Table.Rows[r][w.shape.category]; w.shape.moments[r].Equal(at) && !nothing(v) {
			items = append(items, item{w.named(v, w.shape.category), m.numbers[i]})
		}
	}
	a["n"] = count(len(items))
	if len(items) == 0 {
		w.out.Answer = w.say.text("series_nulls", a)
		return
	}
	w.sortItems(items)
	last := len(items) - 1
	a["at"] = w.at(at)
	a["top"], a["top_value"] = items[0].name, w.number(items[0].number, measure)
	a["bottom"], a["bottom_value"] = items[last].name, w.number(items[last].number, measure)
	key := "series_by_last"
	switch {
	case last == 0:
		key = "series_by_last_one"
	case items[0].number.Cmp(items[last].number) == 0:
		key = "series_by_last_equal"
	}
	w.out.Answer = w.say.text(key, a)
}

// groups adds a measure up by category; the numbers without one are apart.
func (w *work) groups(measure int) (items []item, nameless []result.Number, sum result.Number) {
	m := w.measure(measure)
	by := map[string][]result.Number{}
	var names []string
	for i, n := range m.numbers {
		v := w.Table.Rows[m.rows[i]][w.shape.category]
		if nothing(v) {
			nameless = append(nameless, n)
			continue
		}
		name := w.named(v, w.shape.category)
		if by[name] == nil {
			names = append(names, name)
		}
		by[name] = append(by[name], n)
	}
	for _, name := range names {
		total, _ := result.Sum(by[name])
		items = append(items, item{name, total})
	}
	sum, _ = result.Sum(m.numbers)
	return items, nameless, sum
}
