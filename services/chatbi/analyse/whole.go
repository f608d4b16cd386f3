package analyse

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// rankedTime is the column of time whose periods the rows are, where the statement sorts them
// by a measure and cuts them off: "which month had the lowest GMV". It is false where rows are
// of something else as well, or in the order of time.
func (w *work) rankedTime() (column int, grain result.Grain, ok bool) {
	if w.Order == nil || !w.partial() || len(w.Table.Rows) == 0 || !w.roleIsNumber(w.Order.Column) {
		return -1, result.GrainNone, false
	}
	column, ok = w.namedBy()
	if !ok || w.roles[column] != roleTime {
		return -1, result.GrainNone, false
	}
	moments, finest := []time.Time{}, result.GrainNone
	for _, row := range slices.Concat(w.Table.Rows, w.Beyond) {
		if at, g, ok := w.moment(row[column]); ok {
			moments = append(moments, at)
			if finest == result.GrainNone || g < finest {
				finest = g
			}
		}
	}
	if len(moments) == 0 {
		return -1, result.GrainNone, false
	}
	return column, grainOf(moments, finest, w.words.grainNamed(w.Table.Columns[column].Name)), true
}

// tellWhole keeps the least and the most over time to whole periods: a month with the data of
// two days has the lowest of everything. The first whole ones that follow answer where they
// are known; else the answer stands, and a warning says what it is of.
func (w *work) tellWhole() {
	column, grain, ok := w.rankedTime()
	if !ok {
		return
	}
	measure := w.Order.Column
	all := slices.Concat(w.Table.Rows, w.Beyond)
	inTime := func(a, b []any) int { return w.momentOr(a[column]).Compare(w.momentOr(b[column])) }
	first, last := slices.MinFunc(all, inTime), slices.MaxFunc(all, inTime)
	var whole, parts []item
	for i, row := range all {
		n, isNumber := result.NumberOf(row[measure], w.Table.Columns[measure])
		if !isNumber || nothing(row[column]) {
			continue
		}
		it := item{result.FormatMoment(w.momentOr(row[column]), grain, w.Language), n}
		key := w.partAt(w.momentOr(row[column]), grain, row[column] == first[column], row[column] == last[column])
		switch {
		case key == "":
			whole = append(whole, it)
		case i < len(w.Table.Rows):
			parts = append(parts, it)
			day := w.Begin
			if key == "warn_part_ends" {
				day = w.End
			}
			w.warn(WarnIncomplete, key, args{"at": it.name, "day": result.FormatMoment(day, result.GrainDay, w.Language)})
		}
	}
	if len(parts) == 0 || len(whole) == 0 || w.holdsOfParts(measure, all) {
		return
	}
	w.ascending = !w.Order.Desc
	w.answerWhole(whole, parts, measure, grain)
}

func (w *work) momentOr(v any) time.Time {
	at, _, _ := w.moment(v)
	return at
}

// partAt is the message of why a period is not whole; empty: it is, or it is not known. The
// data begin in no period but the first of those that are known, and end in none but the last.
func (w *work) partAt(t time.Time, grain result.Grain, first, last bool) string {
	switch {
	case w.openAt(t, grain):
		return "warn_part_open"
	case first && w.beginsIn(t, grain):
		return "warn_part_begins"
	case last && w.endsIn(t, grain):
		return "warn_part_ends"
	case w.cutAt(t, grain):
		return "warn_part_cut"
	}
	return ""
}

// holdsOfParts reports whether a part of a period that has the most is the most as a whole too:
// of sums and numbers of things, none of them below nothing, the whole has as much at least.
func (w *work) holdsOfParts(measure int, rows [][]any) bool {
	return w.Order.Desc && w.addsOverTime(measure) && !slices.ContainsFunc(rows, func(row []any) bool {
		v, ok := result.FloatOf(row[measure], w.Table.Columns[measure])
		return ok && v < 0
	})
}

// answerWhole names as many whole periods as rows were asked for, and those that were left out.
func (w *work) answerWhole(whole, parts []item, measure int, grain result.Grain) {
	named := whole[:min(len(whole), len(w.Table.Rows))]
	texts := func(items []item) string {
		var out []string
		for _, it := range items {
			out = append(out, w.say.text("rank_next", args{"name": it.name, "value": w.number(it.number, measure)}))
		}
		return w.say.list(out)
	}
	a := args{"label": w.label(measure), "top": named[0].name, "value": w.number(named[0].number, measure), "share": ""}
	key := "rank_top"
	if w.ascending {
		key = "rank_low"
	}
	if tied := equalTo(whole, named[0].number); len(tied) > 1 {
		key, a = "rank_tie", w.tieArgs(a, tied)
	} else if len(named) > 1 {
		key += "_next"
		a["next"] = texts(named[1:min(len(named), 1+nextNames)])
	}
	w.out.Answer = w.say.text(key, a)
	w.add("rank_parts", args{"names": texts(parts), "period": w.periodOf(grain, 1)})
}

// extremesAmong are the places of the least and the most of a line among its whole periods.
// Where the figures add up and none is below nothing, a part that is the most of all stays it.
func extremesAmong(l, whole line, high int, sums bool) (least, most int) {
	from := slices.IndexFunc(l.moments, whole.moments[0].Equal)
	least, most = extremes(whole.numbers)
	least, most = from+least, from+most
	if sums {
		most = high
	}
	return least, most
}
