package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// dateWords end the names of dates; a unit of time in their place asks for steps of it:
// the shipping month of the shipping date, 发货月份 of 发货日期.
var (
	dateWordsEN = []string{" date", " day", " time"}
	dateWordsZH = []string{"日期", "时间", "日"}
	stepsEN     = map[string]string{" day": "day", " week": "week", " month": "month", " quarter": "quarter", " year": "year"}
	stepsZH     = map[string]string{"日": "day", "周": "week", "月": "month", "月份": "month", "季度": "quarter", "年": "year", "年份": "year"}
)

// datesByGrain gives the names of a date with units of time in them.
func (n *Names) datesByGrain(d semantic.DateColumn, add func(name, grain string)) {
	for _, name := range append([]string{d.Names.EN, d.Names.ZH}, d.Synonyms...) {
		for _, forms := range []struct {
			ends  []string
			steps map[string]string
		}{{dateWordsEN, stepsEN}, {dateWordsZH, stepsZH}} {
			for _, end := range forms.ends {
				stem, ok := strings.CutSuffix(name, end)
				if !ok || stem == "" {
					continue
				}
				for step, grain := range forms.steps {
					add(stem+step, grain)
				}
				break // the longest end
			}
		}
	}
}

// meansDate reports whether a name is that of a date: it stands where something to
// group by is expected, it is nothing else, or a period is said right beside it, as in
// "orders paid in May" and 5月支付的订单. "Paid orders in May" are those of a state.
func (r *reader) meansDate(u *unit, expected bool) bool {
	other := slices.ContainsFunc(u.meanings, func(m meaning) bool { return m.kind != kindDate })
	if expected || !other {
		return true
	}
	if next := r.after(); next != nil && next.date != nil && next.date.Grain == "" {
		return true
	}
	prev, next := r.around(-1), r.around(1)
	return prev != nil && prev.date != nil && prev.date.Grain == "" && (prev.end() == u.start() && next != nil && next.tokens[0].Text == "的")
}

// dateNamed takes the date by which the question goes. One question goes by one.
func (r *reader) dateNamed(u *unit, grouped bool) {
	id, grain := "", ""
	for _, m := range u.meanings {
		if m.kind == kindDate && id == "" {
			id, grain = m.id, m.value
		} else if m.kind == kindDate && m.id != id {
			r.doubt("a date with several meanings: " + r.text[u.start():u.end()])
		}
	}
	if r.negated || r.by != "" && r.by != id {
		r.doubt("dates of two kinds")
	}
	r.by = id
	r.span(u, "time", "by the date "+id)
	t := r.out.Intent.Time
	switch {
	case grouped && grain != "":
		r.time().Grain = grain
	case grouped && (t == nil || t.Grain == ""):
		r.time().Grain = "day"
	}
	r.group = grouped && r.listed()
}

// datedBy puts the date that was named into the period. A question that names one and
// no period asks for something else, as whether it is there at all.
func (r *reader) datedBy() {
	if r.by == "" {
		return
	}
	t := r.time()
	t.By = r.by
	if t.From == "" && t.To == "" && t.Grain == "" {
		r.doubt("a date without a period")
		return
	}
	if r.second != nil {
		r.doubt("dates of two kinds")
	}
}
