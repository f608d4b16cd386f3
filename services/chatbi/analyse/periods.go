package analyse

import (
	"math"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/result"
)

// Compared are two periods that a statement sets beside each other, and what is known of
// their days.
type Compared struct {
	// Own is the period of the figures, Base the one that they are compared with.
	Own, Base Range
	// OwnDays and BaseDays are how many days of each the data have.
	OwnDays, BaseDays int
	// Adds says that the figure of a period is the sum of those of its days.
	Adds bool
	// Missing says, in sentences, which days are not there; empty: all are, or it is not
	// known.
	Missing []string
	// Country is the ISO 3166 code of the one country whose tables were read; empty: of
	// several, or not known.
	Country string
	// Filters are the other conditions of the statement, in words.
	Filters []string
}

// wholeChange is a figure of two periods.
type wholeChange struct {
	column      int
	now, before result.Number
}

// tellPeriods adds to the arguments of a sentence which periods are compared, and of what.
// The first sentence names them; those after it are about the same.
func (w *work) tellPeriods(a args) {
	a["own"], a["base"] = "", w.say.text("compared_base", nil)
	if w.Compared == nil || w.datesTold {
		return
	}
	w.datesTold = true
	a["own"], a["base"] = w.ofPeriod(), w.inPeriod(w.Compared.Base)
}

// inPeriod names a period by its days.
func (w *work) inPeriod(r Range) string {
	a := args{}
	return w.say.text(w.whenIn(r, "compared_base", a), a)
}

// ofPeriod names the own period, the country and the conditions behind a label.
func (w *work) ofPeriod() string {
	a := args{"place": "", "filters": ""}
	if name := result.CountryName(w.Compared.Country, w.Language); name != "" {
		a["place"] = w.say.text("compared_place", args{"name": name})
	}
	if len(w.Compared.Filters) > 0 {
		a["filters"] = w.say.text("compared_filters", args{"filters": strings.Join(w.Compared.Filters, w.Language.Pick("; ", "；"))})
	}
	return w.say.text(w.whenIn(w.Compared.Own, "compared_own", a), a)
}

// likeForLike puts in front of the answer which days of the compared periods are not
// there, also where a period has none, and with that no figure to compare. Of what adds up,
// the means of the days that are there lead.
func (w *work) likeForLike() {
	c := w.Compared
	if c == nil || len(c.Missing) == 0 {
		return
	}
	gap := w.Language.Pick(" ", "")
	parts := append([]string{}, c.Missing...)
	if w.whole != nil && c.Adds && w.addsOverTime(w.whole.column) && c.OwnDays > 0 && c.BaseDays > 0 {
		parts = append([]string{w.perDay(c)}, parts...)
		// What groups account for is of all days, and so of what the missing ones lack.
		w.out.Findings = slices.DeleteFunc(w.out.Findings, func(f Finding) bool { return f.Kind == "contributor" || f.Kind == "against" })
		w.out.Answer = w.say.text("like_as_it_stands", args{"answer": w.out.Answer})
	}
	w.out.Answer = strings.Join(append(parts, w.out.Answer), gap)
}

// perDay compares the means of the days that are there.
func (w *work) perDay(c *Compared) string {
	now, before := w.whole.now.Per(c.OwnDays), w.whole.before.Per(c.BaseDays)
	a := args{
		"label": w.label(w.whole.column), "own": w.ofPeriod(), "base": w.inPeriod(c.Base),
		"value": w.number(now, w.whole.column), "previous": w.number(before, w.whole.column), "n": count(c.OwnDays), "m": count(c.BaseDays),
	}
	difference := now.Sub(before)
	rate, relative := difference.Ratio(before.Abs())
	a["rate"] = w.percent(math.Abs(rate))
	if !relative { // of nothing there is no part
		a["rate"] = w.number(difference.Abs(), w.whole.column)
	}
	switch difference.Sign() {
	case 0:
		return w.say.text("like_same", a)
	case 1:
		return w.say.text("like_more", a)
	}
	return w.say.text("like_less", a)
}
