package analyse

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// comparison is the columns of a value that is compared with that of another time:
// the generator of SQL calls them x, previous_x, x_change and x_change_rate.
type comparison struct {
	value, previous, change int
	rate                    int // -1: none
}

// sameChange is how far the change may be from the difference, relative to the values:
// doubles are subtracted by the engine.
const sameChange = 1e-9

// comparisonOf finds the comparison whose value is in a column, if its name says so
// and the numbers of the row bear it out.
func (w *work) comparisonOf(column int, row []any) (c comparison, ok bool) {
	name := w.Table.Columns[column].Name
	c = comparison{column, w.column("previous_" + name), w.column(name + "_change"), w.column(name + "_change_rate")}
	if c.previous < 0 || c.change < 0 {
		return c, false
	}
	var numbers [3]result.Number
	for i, at := range []int{c.value, c.previous, c.change} {
		n, isNumber := result.NumberOf(row[at], w.Table.Columns[at])
		if !isNumber || !w.roleIsNumber(at) {
			return c, false
		}
		numbers[i] = n
	}
	value, previous, change := numbers[0].Float64(), numbers[1].Float64(), numbers[2].Float64()
	return c, math.Abs(value-previous-change) <= sameChange*max(math.Abs(value), math.Abs(previous), 1)
}

// unitsOfChanges gives the figures of a comparison the units that follow from that of the
// value: that of the time before has the same, and the rate of the change is a fraction.
// What is told in sentences, tables and files takes them from here.
func (w *work) unitsOfChanges() {
	w.Columns = slices.Clone(w.Columns)
	set := func(column int, unit string) {
		if column >= 0 && w.Columns[column].Unit == "" {
			w.Columns[column].Unit = unit
		}
	}
	for i := range w.Table.Columns {
		if w.column("previous_"+w.Table.Columns[i].Name) < 0 {
			continue
		}
		c, ok := w.comparedIn([]int{i})
		if !ok {
			continue
		}
		unit := w.Columns[i].Unit
		set(c.previous, unit)
		switch unit {
		case UnitFraction:
			unit = UnitPoints
		case "%", "％":
			unit = ""
		}
		set(c.change, unit)
		if c.rate >= 0 && w.ratesOf(c) {
			set(c.rate, UnitFraction)
		}
	}
}

// ratesOf reports whether the rates of a comparison are the change as a part of what was.
func (w *work) ratesOf(c comparison) bool {
	some := false
	for _, row := range w.Table.Rows {
		rate, a := result.FloatOf(row[c.rate], w.Table.Columns[c.rate])
		previous, b := result.FloatOf(row[c.previous], w.Table.Columns[c.previous])
		change, d := result.FloatOf(row[c.change], w.Table.Columns[c.change])
		if !a || !b || !d {
			continue
		}
		if some = true; math.Abs(math.Abs(rate*previous)-math.Abs(change)) > sameChange*max(math.Abs(change), math.Abs(previous), 1) {
			return false
		}
	}
	return some
}

func (w *work) column(name string) int {
	return slices.IndexFunc(w.Table.Columns, func(c result.Column) bool { return strings.EqualFold(c.Name, name) })
}

// columns are all that the comparison's sentence tells.
func (c comparison) columns() []int { return []int{c.value, c.previous, c.change, c.rate} }

// compared says a comparison: how much it is now, by how much that is more or less,
// and what it was.
func (w *work) compared(c comparison, row []any) string {
	change, _ := result.NumberOf(row[c.change], w.Table.Columns[c.change])
	a := args{
		"label": w.label(c.value), "value": w.value(row[c.value], c.value), "previous": w.value(row[c.previous], c.previous),
		"change": w.number(change.Abs(), c.change),
	}
	now, is := result.NumberOf(row[c.value], w.Table.Columns[c.value])
	before, was := result.NumberOf(row[c.previous], w.Table.Columns[c.previous])
	if w.whole == nil && w.ofAll() {
		w.whole = &wholeChange{column: c.value, now: now, before: before}
	}
	rate, relative := w.relative(c, row)
	a["rate"] = w.percent(math.Abs(rate))
	if is && was {
		w.alike(a, c, now, before)
	}
	w.tellPeriods(a)
	return w.say.text(comparedKey(change.Sign(), relative), a)
}

// ofAll reports whether the one row of a result is of all that the statement asks for, not
// of a thing or a day that it names, and not one that a limit lets through.
func (w *work) ofAll() bool {
	named := func(r role) bool { return r == roleCategory || r == roleTime }
	return len(w.Table.Rows) == 1 && !slices.ContainsFunc(w.roles, named) && !w.partial()
}

func comparedKey(sign int, relative bool) string {
	switch {
	case sign == 0:
		return "compared_same"
	case sign > 0 && relative:
		return "compared_more_rate"
	case sign > 0:
		return "compared_more"
	case relative:
		return "compared_less_rate"
	}
	return "compared_less"
}

// relative is the change as a part of what was. Of percentages it is not told: beside
// percentage points it would be taken for them.
func (w *work) relative(c comparison, row []any) (rate float64, ok bool) {
	if c.rate < 0 || w.Columns[c.change].Unit == UnitPoints {
		return 0, false
	}
	n, ok := result.NumberOf(row[c.rate], w.Table.Columns[c.rate])
	if !ok { // of nothing there is no part: the statement divides by NULLIF(previous, 0)
		return 0, false
	}
	return n.Float64(), true
}

// Bounds of what a comparison tells of its parts.
const (
	toldParts = 3
	// offsetting is the part of all movements that a sum of them is below where they
	// cancel each other out.
	offsetting = 0.1
	// mainPart is the least share of the change that makes a part worth a finding.
	mainPart = 0.3
	// againstPart is the least movement the other way, as a part of all movements.
	againstPart = 0.1
)

// comparedColumns finds the comparison that a ranking is about: that of its first
// measure, borne out by every row that has its numbers. It is none where the rows are
// a part of all, or are sorted by something else than the value and its change.
func (w *work) comparedColumns() (c comparison, ok bool) {
	if w.partial() || w.ascending {
		return c, false
	}
	c, ok = w.comparedIn(w.shape.measures)
	return c, ok && (w.Order == nil || w.Order.Column == c.value || w.Order.Column == c.change)
}

// comparedSeries finds the comparison of the measure that a series is about.
func (w *work) comparedSeries() (comparison, bool) { return w.comparedIn(w.shape.measures[:1]) }

// comparedIn finds the first comparison of measures that the rows bear out.
func (w *work) comparedIn(measures []int) (c comparison, ok bool) {
	for _, m := range measures {
		some := false
		for _, row := range w.Table.Rows {
			named := comparison{m, w.column("previous_" + w.Table.Columns[m].Name), w.column(w.Table.Columns[m].Name + "_change"), w.column(w.Table.Columns[m].Name + "_change_rate")}
			if named.previous < 0 || named.change < 0 {
				break
			}
			if row[named.value] == nil || row[named.previous] == nil || row[named.change] == nil {
				continue
			}
			if c, some = w.comparisonOf(m, row); !some {
				return c, false
			}
		}
		if some {
			return c, true
		}
	}
	return c, false
}

// part is an item of a comparison.
type part struct {
	name                    string
	value, previous, change result.Number
	row                     []any
}

// parts are those of a comparison, the greatest change first; nameless is the change of
// rows without a value of the category.
func (w *work) parts(c comparison) (parts []part, nameless []result.Number) {
	for _, row := range w.Table.Rows {
		value, a := result.NumberOf(row[c.value], w.Table.Columns[c.value])
		previous, b := result.NumberOf(row[c.previous], w.Table.Columns[c.previous])
		change, d := result.NumberOf(row[c.change], w.Table.Columns[c.change])
		if !a || !b || !d {
			continue
		}
		p := part{value: value, previous: previous, change: change, row: row}
		if nothing(row[w.shape.category]) {
			nameless = append(nameless, change)
		} else {
			p.name = w.named(row[w.shape.category], w.shape.category)
		}
		parts = append(parts, p)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return b.change.Abs().Cmp(a.change.Abs()) })
	return parts, nameless
}

// compareItems leads with the change: of what adds up, the whole and the parts that
// account for it; of rates and the like, the part that changed most.
func (w *work) compareItems(c comparison) {
	w.told = &c
	parts, nameless := w.parts(c)
	var first result.Number
	if w.additive(c.value) {
		first = w.compareWhole(c, parts)
	} else {
		first = w.compareMost(c, parts)
	}
	w.byChange(c, first)
	if sum, ok := result.Sum(nameless); ok {
		w.add("compared_nameless", args{"category": w.label(w.shape.category), "change": w.signed(sum, c.change)})
	}
	told := 0
	for _, column := range w.shape.measures {
		if slices.Contains(c.columns(), column) || told == secondaryMeasures {
			continue
		}
		if m := w.measure(column); len(m.numbers) > 0 {
			w.findOfGroups(line{column: column, numbers: m.numbers})
			told++
		}
	}
}

// byChange sorts the rows by their change, for the chart: it begins with what the sentence leads
// with, the greatest falls where things fell. Rows without a change are last.
func (w *work) byChange(c comparison, first result.Number) {
	at := func(row []any) float64 {
		v, ok := result.FloatOf(row[c.change], w.Table.Columns[c.change])
		switch {
		case !ok:
			return math.Inf(-1)
		case first.Sign() < 0:
			return -v
		}
		return v
	}
	w.Table.Rows = slices.Clone(w.Table.Rows)
	slices.SortStableFunc(w.Table.Rows, func(a, b []any) int { return cmp.Compare(at(b), at(a)) })
	clear(w.read)
	clear(w.columns)
	clear(w.pairs)
}

// compareWhole tells the whole and the parts that account for its change; leads is a change in
// the direction that the sentence begins with.
func (w *work) compareWhole(c comparison, parts []part) (leads result.Number) {
	var value, previous, change, moved []result.Number
	for _, p := range parts {
		value, previous = append(value, p.value), append(previous, p.previous)
		change, moved = append(change, p.change), append(moved, p.change.Abs())
	}
	total, _ := result.Sum(change)
	all, _ := result.Sum(moved)
	now, _ := result.Sum(value)
	before, _ := result.Sum(previous)
	w.whole = &wholeChange{column: c.value, now: now, before: before}
	if all.Sign() == 0 {
		w.compareNone(c, len(parts))
		return all
	}
	sentence := w.changeSentence(c, now, before)
	key := "compared_parts"
	if net, _ := total.Abs().Ratio(all); net < offsetting {
		key = "compared_offset"
	}
	var told []string
	var against []string
	for _, p := range parts {
		if p.name == "" || p.change.Sign() == 0 {
			continue
		}
		text := w.say.text("compared_part", args{"name": p.name, "change": w.signed(p.change, c.change)})
		size, _ := p.change.Abs().Ratio(all)
		switch same := p.change.Sign() == total.Sign() || key == "compared_offset"; {
		case same && len(told) < toldParts:
			told = append(told, text)
		case !same && size >= againstPart && len(against) < toldParts:
			against = append(against, text)
		}
	}
	w.out.Answer = w.say.text(key, args{"sentence": sentence, "parts": w.say.list(told)})
	if key == "compared_parts" {
		w.findContributor(c, parts, total)
	}
	if len(against) > 0 {
		w.find("against", "find_against", args{"names": w.say.list(against)}, map[string]float64{"change": total.Float64(), "moved": all.Float64()})
	}
	if key == "compared_offset" {
		return parts[0].change
	}
	return total
}

// changeSentence says a value, that of the compared period, and how much lies between.
func (w *work) changeSentence(c comparison, now, before result.Number) string {
	periods := args{}
	w.tellPeriods(periods)
	return w.changeSentenceOf(c, now, before, periods["own"], periods["base"])
}

// changeSentenceOf says that of two periods that are named.
func (w *work) changeSentenceOf(c comparison, now, before result.Number, own, base string) string {
	change := now.Sub(before)
	a := args{"own": own, "base": base, "label": w.label(c.value), "value": w.number(now, c.value), "previous": w.number(before, c.previous), "change": w.number(change.Abs(), c.change)}
	rate, relative := change.Ratio(before.Abs())
	relative = relative && w.Columns[c.change].Unit != UnitPoints
	a["rate"] = w.percent(math.Abs(rate))
	w.alike(a, c, now, before)
	return w.say.text(comparedKey(change.Sign(), relative), a)
}

// mostDecimals is how many decimals of a percentage are written at most.
const mostDecimals = 4

// alike writes both values and what lies between them with as many decimals as each other, so
// that whoever subtracts what is written gets what is written: amounts of money to the cent,
// and rates to as few decimals as do.
func (w *work) alike(a args, c comparison, now, before result.Number) {
	change := math.Abs(now.Float64() - before.Float64())
	switch unit := w.Columns[c.change].Unit; {
	case unit == UnitPoints && w.Columns[c.value].Unit == UnitFraction:
		subtracts := func(decimals int) bool {
			round := func(rate float64) float64 { return math.Round(rate * math.Pow10(2+decimals)) }
			return math.Abs(round(now.Float64())-round(before.Float64())) == round(change)
		}
		decimals := 1
		for decimals < mostDecimals && !subtracts(decimals) {
			decimals++
		}
		if decimals == 1 {
			return
		}
		text := func(rate float64) string { return strconv.FormatFloat(rate*100, 'f', decimals, 64) }
		a["value"], a["previous"] = text(now.Float64())+"%", text(before.Float64())+"%"
		a["change"] = result.PercentagePoints(text(change), w.Language)
	case currency(unit) && change >= 0.005 && change < 1 && math.Abs(now.Float64()) >= 1 && w.fractions(c.change):
		a["change"] = strconv.FormatFloat(change, 'f', 2, 64) + " " + unit
	}
}

// findContributor tells of the part that accounts for most of a change.
func (w *work) findContributor(c comparison, parts []part, total result.Number) {
	p := parts[0]
	share, ok := p.change.Ratio(total)
	if !ok || p.name == "" || share < mainPart || share > 1 || len(parts) < 3 {
		return
	}
	a := args{"top": p.name, "share": w.percent(share), "value": w.number(p.value, c.value), "previous": w.number(p.previous, c.previous)}
	key := "find_contributor_up"
	rate, relative := p.change.Ratio(p.previous.Abs())
	switch {
	case total.Sign() < 0:
		key = "find_contributor_down"
	case !relative:
		key = "find_contributor_new"
	}
	a["rate"] = signedText(w.percent(math.Abs(rate)), p.change.Sign())
	w.find("contributor", key, a, map[string]float64{"share": share, "change": p.change.Float64(), "total_change": total.Float64(), "value": p.value.Float64(), "previous": p.previous.Float64()})
}

// compareNone says that no part has changed.
func (w *work) compareNone(c comparison, parts int) {
	a := args{"label": w.label(c.value), "n": count(parts), "category": w.label(w.shape.category)}
	w.tellPeriods(a)
	w.out.Answer = w.say.text("compared_none", a)
}

// compareMost tells the parts that changed most, or got worse most; leads is the change that
// the sentence begins with.
func (w *work) compareMost(c comparison, parts []part) (leads result.Number) {
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.name == "" })
	if len(parts) == 0 || parts[0].change.Sign() == 0 {
		w.compareNone(c, len(parts))
		return result.Int(0)
	}
	key := "compared_most"
	if better := w.Columns[c.value].Better; better != 0 && w.Columns[c.change].Unit == UnitPoints { // of rates the bad end is the story
		worse := func(p part) bool { return p.change.Sign()*better < 0 }
		if !slices.ContainsFunc(parts, worse) {
			key = "compared_better"
		} else {
			key = "compared_worse"
			parts = slices.DeleteFunc(parts, func(p part) bool { return !worse(p) })
		}
	}
	a := args{"label": w.label(c.value), "top": parts[0].name, "sentence": w.changeSentence(c, parts[0].value, parts[0].previous)}
	var next []string
	for _, p := range parts[1:min(len(parts), 1+nextNames)] {
		if p.change.Sign() != 0 {
			next = append(next, w.say.text("compared_part", args{"name": p.name, "change": w.signed(p.change, c.change)}))
		}
	}
	if len(next) > 0 {
		key += "_next"
		a["next"] = w.say.list(next)
	}
	w.out.Answer = w.say.text(key, a)
	return parts[0].change
}

// signed writes a change with its sign.
func (w *work) signed(n result.Number, column int) string {
	return signedText(w.number(n.Abs(), column), n.Sign())
}

func signedText(text string, sign int) string {
	switch {
	case sign > 0:
		return "+" + text
	case sign < 0:
		return "−" + text
	}
	return text
}

// step is a point of a series with what it is compared with.
type step struct {
	at              time.Time
	value, previous result.Number
}

func (s step) change() result.Number { return s.value.Sub(s.previous) }

// periodsOfSeries names both times of a compared series: those that its statement compares,
// else what its points span.
func (w *work) periodsOfSeries() (own, base string) {
	a := args{}
	w.tellPeriods(a)
	if a["own"] == "" {
		from, to := w.span()
		a["own"] = w.say.text("compared_span", args{"from": from, "to": to})
	}
	return a["own"], a["base"]
}

// stepsOf are the whole periods for which both times have a number, in the order of time.
func (w *work) stepsOf(c comparison) []step {
	var steps []step
	for r, row := range w.Table.Rows {
		now, a := result.NumberOf(row[c.value], w.Table.Columns[c.value])
		before, b := result.NumberOf(row[c.previous], w.Table.Columns[c.previous])
		if at := w.shape.moments[r]; a && b && !w.open(at) && !w.cut(at) {
			steps = append(steps, step{at, now, before})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.at.Compare(b.at) })
	return steps
}

// follow reports whether each step is compared with the one before it.
func follow(steps []step) bool {
	for i := 1; i < len(steps); i++ {
		if steps[i].previous.Cmp(steps[i-1].value) != 0 {
			return false
		}
	}
	return len(steps) > 1
}

// afterWhole leaves the first step out where the period before it, which it is compared with, is
// not whole: a month against the last week of the one before is the greatest change of all.
func (w *work) afterWhole(steps []step) []step {
	var before time.Time
	for _, t := range w.shape.moments {
		if t.Before(steps[0].at) && t.After(before) {
			before = t
		}
	}
	if !before.IsZero() && w.cut(before) {
		return steps[1:]
	}
	return steps
}

// compareSeries leads with what is asked of a series that is compared: what it comes to
// against the compared time and where they differ most, over the whole periods that both
// have; the last change, where each step is compared with the one before it. It is false
// where no period has both.
func (w *work) compareSeries(c comparison) bool {
	steps := w.stepsOf(c)
	if follow(steps) {
		steps = w.afterWhole(steps)
	}
	if len(steps) == 0 {
		return false
	}
	most := slices.MaxFunc(steps, func(a, b step) int { return a.change().Abs().Cmp(b.change().Abs()) })
	a := args{
		"n": count(len(steps)), "periods": w.period(len(steps)), "at": w.at(most.at),
		"most": w.signed(most.change(), c.change),
	}
	key := "compared_course"
	switch {
	case follow(steps):
		last := steps[len(steps)-1]
		w.datesTold = true // the step says them
		at := "compared_at"
		if w.shape.grain == result.GrainDay {
			at = "compared_at_day"
		}
		a["sentence"] = w.changeSentenceOf(c, last.value, last.previous, w.say.text(at, args{"at": w.at(last.at)}), w.say.text("compared_step", args{"period": w.period(1)}))
		key = "compared_steps"
	case w.addsOverTime(c.value):
		var value, previous []result.Number
		for _, s := range steps {
			value, previous = append(value, s.value), append(previous, s.previous)
		}
		now, _ := result.Sum(value)
		before, _ := result.Sum(previous)
		own, base := w.periodsOfSeries()
		a["sentence"] = w.changeSentenceOf(c, now, before, own, base)
		if len(steps) < len(w.Table.Rows) {
			a["sentence"] = w.say.text("compared_series", a)
		}
	default:
		higher := 0
		for _, s := range steps {
			if s.change().Sign() > 0 {
				higher++
			}
		}
		a["label"], a["higher"] = w.label(c.value), count(higher)
		a["own"], a["base"] = w.periodsOfSeries()
		key = "compared_points"
	}
	tied := func(s step) bool { return s.change().Abs().Cmp(most.change().Abs()) == 0 }
	if i := slices.IndexFunc(steps, tied); slices.ContainsFunc(steps[i+1:], tied) || len(steps) == 1 {
		key += "_even"
	}
	w.out.Answer = w.say.text(key, a)
	return true
}
