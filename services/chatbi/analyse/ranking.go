package analyse

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// Bounds of what is said of a ranking.
const (
	nextNames     = 2 // named after the first
	tieNames      = 5
	concentrateOf = 6 // least number of items for "the first three"
)

// item is one bar of a ranking.
type item struct {
	name   string
	number result.Number
}

// items are the numbers of a measure by category, best first: highest, or lowest
// where the statement sorts upwards.
func (w *work) items(measure int) []item {
	m := w.measure(measure)
	items := make([]item, len(m.numbers))
	for i, n := range m.numbers {
		items[i] = item{w.named(w.Table.Rows[m.rows[i]][w.shape.category], w.shape.category), n}
	}
	w.sortItems(items)
	return items
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

func (w *work) sortItems(items []item) {
	slices.SortStableFunc(items, func(a, b item) int {
		if w.ascending {
			return a.number.Cmp(b.number)
		}
		return b.number.Cmp(a.number)
	})
}

func (w *work) ranking() {
	measure := w.shape.measures[0]
	items := w.items(measure)
	a := args{"label": w.label(measure), "category": w.label(w.shape.category), "n": count(len(items))}
	if len(items) == 0 {
		a["n"] = count(len(w.Table.Rows))
		w.out.Answer = w.say.text("rank_nulls", a)
		return
	}
	a["top"], a["value"] = items[0].name, w.number(items[0].number, measure)
	tie := 1
	for tie < len(items) && items[tie].number.Cmp(items[0].number) == 0 {
		tie++
	}
	switch {
	case tie == len(items) && tie > 1:
		w.out.Answer = w.say.text("rank_equal", a)
	case tie > 1:
		w.out.Answer = w.say.text("rank_tie", w.tieArgs(a, items[:tie]))
	default:
		w.answerTop(a, items, measure)
	}
	w.rankingFindings(items, measure)
	for i, column := range w.shape.measures[1:] {
		if m := w.measure(column); i < secondaryMeasures && len(m.numbers) > 0 && !w.partial() {
			w.findOfGroups(line{column: column, numbers: m.numbers})
		}
	}
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

func (w *work) answerTop(a args, items []item, measure int) {
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
	if total, share, ok := w.share(items, measure); ok {
		shareKey := "share_of_all"
		if w.partial() {
			shareKey = "share_of_shown"
		}
		a["share"] = w.say.text(shareKey, args{"share": result.Percent(share), "total": w.number(total, measure), "n": count(len(items))})
	}
	w.out.Answer = w.say.text(key, a)
}

// share is the first item's share of the sum. It is false where the values do not
// add up, or some are negative, or there is nothing to share.
func (w *work) share(items []item, measure int) (total result.Number, share float64, ok bool) {
	if !w.additive(measure) || len(items) < 2 {
		return total, 0, false
	}
	numbers := make([]result.Number, len(items))
	for i, it := range items {
		if it.number.Sign() < 0 {
			return total, 0, false
		}
		numbers[i] = it.number
	}
	total, _ = result.Sum(numbers)
	share, ok = items[0].number.Ratio(total)
	return total, share, ok
}

func (w *work) rankingFindings(items []item, measure int) {
	total, share, ok := w.share(items, measure)
	if !ok || w.partial() || w.ascending {
		return
	}
	w.tellTotal(measure, total, map[string]float64{"total": total.Float64(), "n": float64(len(items))})
	if len(items) > 2 && share >= w.thresholds.TopShare {
		w.find("concentration", "find_top_share", args{"top": items[0].name, "share": result.Percent(share), "label": w.label(measure)},
			map[string]float64{"share": share, "value": items[0].number.Float64(), "total": total.Float64(), "n": float64(len(items))})
		return
	}
	if len(items) < concentrateOf {
		return
	}
	three, _ := result.Sum([]result.Number{items[0].number, items[1].number, items[2].number})
	if share, ok := three.Ratio(total); ok && share >= w.thresholds.TopThreeShare {
		w.find("concentration", "find_top_three", args{
			"n": count(len(items)), "names": w.say.list([]string{items[0].name, items[1].name, items[2].name}),
			"share": result.Percent(share), "label": w.label(measure),
		}, map[string]float64{"share": share, "value": three.Float64(), "total": total.Float64(), "n": float64(len(items))})
	}
}

// seriesBy describes several series: the totals of the categories, or their means
// where values do not add up.
func (w *work) seriesBy() {
	measure := w.shape.measures[0]
	items, sum := w.groups(measure)
	from, to := w.span()
	a := args{"label": w.label(measure), "category": w.label(w.shape.category), "n": count(len(items)), "from": from, "to": to}
	if len(items) == 0 {
		w.out.Answer = w.say.text("series_nulls", a)
		return
	}
	w.sortItems(items)
	last := len(items) - 1
	a["top"], a["top_value"] = items[0].name, w.number(items[0].number, measure)
	a["bottom"], a["bottom_value"] = items[last].name, w.number(items[last].number, measure)
	a["total"] = w.number(sum, measure)
	_, share, shared := w.share(items, measure)
	switch adds := w.additive(measure); {
	case shared:
		a["share"] = result.Percent(share)
		w.out.Answer = w.say.text("series_by_total", a)
	case adds && len(items) == 1:
		w.out.Answer = w.say.text("series_by_one", a)
	case adds:
		w.out.Answer = w.say.text("series_by_sum", a)
	case len(items) == 1:
		w.out.Answer = w.say.text("series_by_one_mean", a)
	default:
		w.out.Answer = w.say.text("series_by_mean", a)
	}
	w.rankingFindings(items, measure)
	latest := slices.MaxFunc(w.shape.moments, time.Time.Compare)
	if w.open(latest) {
		w.warn(WarnIncomplete, "warn_incomplete", args{"at": w.at(latest)})
	}
	w.late(latest)
}

// groups adds a measure up, or averages it, by category.
func (w *work) groups(measure int) (items []item, sum result.Number) {
	m := w.measure(measure)
	by := map[string][]result.Number{}
	var names []string
	for i, n := range m.numbers {
		name := w.value(w.Table.Rows[m.rows[i]][w.shape.category], w.shape.category)
		if by[name] == nil {
			names = append(names, name)
		}
		by[name] = append(by[name], n)
	}
	for _, name := range names {
		total, _ := result.Sum(by[name])
		if !w.additive(measure) {
			total = total.Per(len(by[name]))
		}
		items = append(items, item{name, total})
	}
	sum, _ = result.Sum(m.numbers)
	return items, sum
}
