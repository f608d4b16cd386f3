package analyse

import (
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// Bounds of what sentences list.
const (
	rowValues   = 6
	listedItems = 5
	tableNames  = 8
)

func (w *work) empty() {
	if len(w.Filters) > 0 {
		w.out.Answer = w.say.text("empty_filtered", args{"filters": w.filters()})
		return
	}
	w.out.Answer = w.say.text("empty", nil)
}

func (w *work) filters() string {
	return strings.Join(w.Filters, w.Language.Pick("; ", "；"))
}

func (w *work) single() {
	v := w.Table.Rows[0][0]
	a := args{"label": w.label(0), "value": w.value(v, 0)}
	switch {
	case v == nil && len(w.Filters) > 0:
		a["filters"] = w.filters()
		w.out.Answer = w.say.text("single_null_filtered", a)
	case v == nil:
		w.out.Answer = w.say.text("single_null", a)
	case w.label(0) == w.say.text("label_result", nil):
		w.out.Answer = w.say.text("single_result", a)
	case w.counts(0) && v != int64(1):
		key := w.when("count", a)
		if key != "count" && !w.Now.Before(w.Asked.To) {
			key += "_past"
		}
		w.out.Answer = w.say.text(key, a)
	default:
		w.out.Answer = w.say.text(w.when("single", a), a)
	}
}

// counts reports whether a column counts what its label names in the plural: there are so
// many of them.
func (w *work) counts(column int) bool {
	c := w.Columns[column]
	isCount := c.Aggregate == AggregateCount || c.Aggregate == AggregateCountDistinct || c.Figure && c.Aggregate == AggregateSum
	return isCount && c.Unit == "" && w.Table.Columns[column].Kind() == result.KindInteger && be(w.label(column)) == "are"
}

// when adds the days that were asked for to the arguments of a sentence and
// returns the sentence's id for them; without whole days it is the plain one.
func (w *work) when(id string, a args) string { return w.whenIn(w.Asked, id, a) }

func (w *work) whenIn(r Range, id string, a args) string {
	from, to := r.From, r.To
	if from.IsZero() || to.IsZero() || !r.OfDays() {
		return id
	}
	last := to.AddDate(0, 0, -1)
	a["from"], a["to"] = result.FormatMoment(from, result.GrainDay, w.Language), result.FormatMoment(last, result.GrainDay, w.Language)
	if !from.Before(last) {
		return id + "_day"
	}
	return id + "_range"
}

// OfDays reports whether a range is one of whole days that sentences name: one end may be
// open.
func (r Range) OfDays() bool {
	switch {
	case r.From.IsZero() && r.To.IsZero():
		return false
	case r.From.IsZero():
		return midnight(r.To)
	case r.To.IsZero():
		return midnight(r.From)
	}
	return midnight(r.From) && midnight(r.To) && r.From.Before(r.To)
}

func midnight(t time.Time) bool { return t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 }

// oneRow names the row by a text that names things, by its first other category, or by its
// only time, where there are numbers beside it. A row that is the first of many by a figure is
// told as that, with the rest of it behind.
func (w *work) oneRow() {
	row := w.Table.Rows[0]
	name := w.nameOf(row)
	if w.foremost(row, name) {
		measure := w.Order.Column
		a := args{"top": w.named(row[name], name), "label": w.label(measure), "value": w.value(row[measure], measure)}
		w.out.Answer = w.say.text(map[bool]string{true: "rank_top", false: "rank_low"}[w.Order.Desc], a)
		if rest := w.rowText(row, name, measure); rest != "" {
			w.add("row_rest", args{"pairs": rest})
		}
		return
	}
	text := w.rowText(row, name)
	if name >= 0 {
		w.out.Answer = w.say.text("row_of", args{"name": w.named(row[name], name), "pairs": text})
		return
	}
	w.out.Answer = w.say.text("row", args{"pairs": text})
}

// nameOf is the column that names a row; -1: none does.
func (w *work) nameOf(row []any) int {
	if len(w.shape.measures) == 0 {
		return -1
	}
	if named := slices.Clone(w.shape.categories); len(named) > 0 {
		slices.SortStableFunc(named, func(a, b int) int { return w.textRank(a) - w.textRank(b) })
		if row[named[0]] != nil {
			return named[0]
		}
	}
	if at := slices.Index(w.roles, roleTime); at >= 0 && !slices.Contains(w.roles[at+1:], roleTime) && row[at] != nil {
		return at
	}
	return -1
}

// foremost reports whether a row with a name is the first of many by a figure, and no other is
// as far: "which month had the most orders". Where several columns may name it together, what
// one of them is called is not the whole name; an identifier beside a name is.
func (w *work) foremost(row []any, name int) bool {
	if name < 0 || !w.Limited && !w.Picked || w.Order == nil || !slices.Contains(w.shape.measures, w.Order.Column) || nothing(row[name]) || row[w.Order.Column] == nil {
		return false
	}
	for i, r := range w.roles {
		if i != name && (r == roleTime || r == roleCategory && w.textRank(i) == 0) {
			return false
		}
		if _, isCompared := w.comparisonOf(i, row); isCompared {
			return false
		}
	}
	return !slices.ContainsFunc(w.Beyond, func(other []any) bool {
		return len(other) == len(row) && other[w.Order.Column] == row[w.Order.Column]
	})
}

// rowText tells a row but for some of its columns. A value and that of the time it is compared
// with are one part of it.
func (w *work) rowText(row []any, but ...int) string {
	var pairs []string
	var told []int // columns
	more := 0
	for i, v := range row {
		c, isCompared := w.comparisonOf(i, row)
		switch {
		case slices.Contains(but, i) || slices.Contains(told, i):
		case len(pairs) == rowValues:
			more++
		case isCompared:
			pairs = append(pairs, w.compared(c, row))
			told = append(told, c.columns()...)
		default:
			pairs = append(pairs, w.say.text("pair", args{"label": w.label(i), "value": w.value(v, i)}))
		}
	}
	if more > 0 {
		text := w.say.text("row_more", args{"pairs": strings.Join(pairs, w.Language.Pick(", ", "，")), "more": count(more)})
		return strings.TrimRight(text, ".。")
	}
	if len(told) > 0 { // its parts have commas
		return strings.Join(pairs, w.Language.Pick("; ", "；"))
	}
	return w.say.list(pairs)
}

func (w *work) list() {
	n := len(w.Table.Rows)
	var items []string
	for _, row := range w.Table.Rows[:min(n, listedItems)] {
		items = append(items, w.value(row[0], 0))
	}
	a := args{"n": count(n), "label": w.label(0), "items": w.say.list(items)}
	switch {
	case n <= listedItems && !w.cutOff():
		w.out.Answer = w.say.text("list_all", a)
	case w.cutOff():
		w.out.Answer = w.say.text("list_first", a)
	default:
		w.out.Answer = w.say.text("list_some", a)
	}
	if len(w.shape.measures) == 1 && !w.partial() {
		if m := w.measure(0); len(m.numbers) > 0 {
			w.findTotal(line{column: 0, numbers: m.numbers})
		}
	}
}

func (w *work) table() {
	var names []string
	for i := range w.Table.Columns {
		if i == tableNames && len(w.Table.Columns) > tableNames+1 {
			names = append(names, w.say.text("and_more", args{"n": count(len(w.Table.Columns) - i)}))
			break
		}
		names = append(names, w.label(i))
	}
	key := "table_all"
	if w.cutOff() {
		key = "table_first"
	}
	w.out.Answer = w.say.text(key, args{"n": count(len(w.Table.Rows)), "columns": w.say.list(names)})
	w.rowFindings()
}

// nulls tells of columns that miss more values than is worth passing over.
func (w *work) nulls() {
	rows := len(w.Table.Rows)
	if rows < 2 {
		return
	}
	beside, compared := w.comparedIn(w.shape.measures)
	for i := range w.Table.Columns {
		if compared && i != beside.value && slices.Contains(beside.columns(), i) {
			continue // the first of all has none before it
		}
		missing := 0
		for _, row := range w.Table.Rows {
			if row[i] == nil {
				missing++
			}
		}
		share := float64(missing) / float64(rows)
		grouped := w.shape.kind == shapeRanking || w.shape.kind == shapeSeriesBy
		if grouped && i == w.shape.category { // the answer tells what they come to
			continue
		}
		if missing == 0 || share < w.thresholds.NullShare {
			continue
		}
		w.find("nulls", "find_nulls", args{"label": w.label(i), "n": count(missing), "all": count(rows), "share": w.percent(share)},
			map[string]float64{"nulls": float64(missing), "rows": float64(rows), "share": share})
	}
}
