package dates

import (
	"strings"
	"time"
)

// resolve gives an expression its range; false where it is no date after all.
func (r *Reader) resolve(f *Found, p pattern, g map[string][]string, now time.Time) bool {
	today := Today(now)
	switch p.Kind {
	case "last", "full", "with_current":
		return r.last(f, p, g, today)
	case "of_data":
		return r.ofData(f, p, g, today)
	case "offset":
		f.From = shift(truncate(today, p.Unit), p.Unit, *p.N)
		f.To, f.Period = shift(f.From, p.Unit, 1), p.Unit
		if *p.N == 0 {
			f.soFar(today)
		}
	case "before_today":
		f.To = today
	case "between":
		return len(g["date"]) == 2 && r.between2(f, g["date"][0], g["date"][1], today)
	case "since", "after", "until", "before", "day", "week_of":
		return r.oneDay(f, p.Kind, g, today)
	case "weekday":
		f.From = r.weekday(p, first(g["weekday"]), today)
		f.To = f.From.AddDate(0, 0, 1)
		return f.From.Before(today)
	case "double", "md":
		return r.monthAndDay(f, p.Kind, g, today)
	case "weekend":
		f.From = shift(truncate(today, "week"), "week", *p.N).AddDate(0, 0, 5)
		f.To = f.From.AddDate(0, 0, 2)
		f.soFar(today)
		f.Today = f.To.After(today)
		return !f.From.After(today)
	case "weekdays":
		return r.weekdayRange(f, p, g, today)
	case "since_weekday":
		f.From = r.weekday(p, first(g["weekday"]), today)
		f.To = today
		return f.From.Before(f.To)
	case "quarter", "month", "year", "half":
		return r.period(f, p.Kind, g, today)
	case "decade":
		f.From = time.Date(r.decade(g), time.January, 1, 0, 0, 0, 0, time.UTC)
		f.To = f.From.AddDate(10, 0, 0)
		return !f.From.After(today)
	case "so_far":
		return r.period(f, named(g), g, today) && f.Today
	case "years", "quarters", "since_year", "before_year", "through_year":
		return r.plainRange(f, p.Kind, g, today)
	case "part":
		return r.part(f, p, g, today)
	case "since_part":
		ok := r.part(f, p, g, today)
		f.To = today
		return ok
	case "ago":
		n := r.number(first(g["n"]), nil)
		f.From = today.AddDate(0, 0, -n)
		f.To = f.From.AddDate(0, 0, 1)
		return n > 0 && n <= maxPeriods
	case "unread":
		return false
	case "since_month":
		ok := r.period(f, "month", g, today)
		if f.Period = ""; f.From.Before(today) { // on its first day it is that day
			f.To = today
		}
		return ok && !f.From.After(today)
	case "months":
		return r.months2(f, g, today)
	case "days":
		return r.days(f, p, g, today)
	}
	return true
}

// goesOn are the kinds whose words say where a range begins, and no end. Current periods are
// marked by soFar.
var goesOn = map[string]bool{
	"last": true, "with_current": true, "since": true, "after": true,
	"since_weekday": true, "since_part": true, "since_month": true, "since_year": true,
}

// soFar ends a current period with yesterday, the last day that is over; on its
// first day it is that day.
func (f *Found) soFar(today time.Time) {
	if f.From.Before(today) && today.Before(f.To) {
		f.To, f.GoesOn = today, true
	}
	f.Today = true
}

// maxPeriods bounds how many periods back an expression reaches.
const maxPeriods = 10_000

func (r *Reader) last(f *Found, p pattern, g map[string][]string, today time.Time) bool {
	n := r.number(first(g["n"]), p.N)
	unit := r.units[first(g["unit"])]
	if unit == "" {
		unit = r.units[first(g["borrowed"])] // "on how many days ... in the past 30"
	}
	if unit == "" {
		unit = p.Unit
	}
	for _, w := range strings.Fields(first(g["gap"])) {
		if other := r.units[w]; other != "" && other != unit {
			return false // which of the two is meant is not said
		}
	}
	if n < 1 || n > maxPeriods {
		return false
	}
	f.Unit, f.N, f.Full = unit, n, p.Kind == "full"
	if p.Kind == "with_current" {
		return f.withCurrent(today)
	}
	if f.Full {
		f.From, f.To = f.Calendar(today)
		return true
	}
	f.From, f.To = shift(today, unit, -n), today
	return true
}

// ofData gives the last units that hold yesterday, the last day that is over: today is the
// day after the last that the data have, for a caller that knows it.
func (r *Reader) ofData(f *Found, p pattern, g map[string][]string, today time.Time) bool {
	n, unit := r.number(first(g["n"]), p.N), r.units[first(g["unit"])]
	if n < 1 || n > maxPeriods || unit == "" {
		return false
	}
	last := truncate(today.AddDate(0, 0, -1), unit)
	f.From, f.To = shift(last, unit, 1-n), shift(last, unit, 1)
	if n == 1 {
		f.Period = unit
	}
	return true
}

// withCurrent gives "the past 8 weeks including this one": seven full weeks, and
// this one so far. The current day counts as a day.
func (f *Found) withCurrent(today time.Time) bool {
	current := truncate(today, f.Unit)
	f.From, f.To = shift(current, f.Unit, 1-f.N), shift(current, f.Unit, 1)
	f.Today = true
	if f.Unit != "day" && f.From.Before(today) {
		f.To = today
	}
	f.Unit, f.N = "", 0
	return true
}

// weekday is a day of the week p.N weeks from this one; without it the last that
// is over.
func (r *Reader) weekday(p pattern, name string, today time.Time) time.Time {
	day := truncate(today, "week").AddDate(0, 0, r.weekdays[name])
	switch {
	case p.N != nil:
		return day.AddDate(0, 0, 7**p.N)
	case !day.Before(today):
		return day.AddDate(0, 0, -7)
	}
	return day
}

// weekdayRange reads "Monday to Wednesday last week".
func (r *Reader) weekdayRange(f *Found, p pattern, g map[string][]string, today time.Time) bool {
	if len(g["weekday"]) != 2 {
		return false
	}
	f.From = r.weekday(p, g["weekday"][0], today)
	f.To = r.weekday(p, g["weekday"][1], today).AddDate(0, 0, 1)
	return f.From.Before(f.To) && !f.To.After(today)
}

func (r *Reader) oneDay(f *Found, kind string, g map[string][]string, today time.Time) bool {
	d, ok := r.day(first(g["date"]), today)
	if !ok {
		return false
	}
	switch kind {
	case "since":
		f.From, f.To = d, today
		return d.Before(today)
	case "after":
		f.From, f.To = d.AddDate(0, 0, 1), today
		return f.From.Before(today)
	case "until":
		f.To = d.AddDate(0, 0, 1)
	case "before":
		f.To = d
	case "week_of":
		f.From = truncate(d, "week")
		f.To, f.Period = f.From.AddDate(0, 0, 7), "week"
		if today.Before(f.To) {
			f.soFar(today)
		}
		return !f.From.After(today)
	default:
		f.From, f.To = d, d.AddDate(0, 0, 1)
		f.Today = d.Equal(today)
	}
	return true
}

// Next is the first day after a calendar unit that begins on a day.
func Next(from time.Time, unit string) time.Time { return shift(from, unit, 1) }
