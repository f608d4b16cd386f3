package dates

import (
	"strconv"
	"strings"
	"time"
)

// Recurrence is what comes again every week or every day: days of the week, hours of the day. The
// zero value is none.
type Recurrence struct {
	Days [7]bool // Monday first
	// From and Before are hours of the day, 0 to 24, of which Before is exclusive; 0 and 0: all.
	From, Before int
}

// IsZero reports whether nothing comes again.
func (r Recurrence) IsZero() bool { return r == Recurrence{} }

// Weekdays are the days of the week, Monday first; nil: all of them.
func (r Recurrence) Weekdays() []time.Weekday {
	var out []time.Weekday
	for i, on := range r.Days {
		if on {
			out = append(out, time.Weekday((i+1)%7))
		}
	}
	return out
}

// workdays is how many days of a week are no weekend.
const workdays = 5

// again finds the times that come again, of a text and its lower case.
func (r *Reader) again(text, lower string) []Found {
	var out []Found
	for _, p := range r.recurring {
		for _, m := range p.re.find(lower) {
			f := Found{Start: m[0], End: m[1], Text: text[m[0]:m[1]]}
			if !r.recurrence(&f.Recurs, p, groups(p.re, lower, m)) {
				if p.Kind != "hours_again" {
					continue
				}
				f.Recurs, f.unread = Recurrence{}, true // no part of it is read alone
			}
			out = append(out, f)
		}
	}
	return out
}

// recurrence says what comes again; false where it is a single one, or no hour of a day.
func (r *Reader) recurrence(x *Recurrence, p pattern, g map[string][]string) bool {
	if first(g["one"]) != "" {
		return false
	}
	switch p.Kind {
	case "weekdays_again":
		for _, w := range g["weekday"] {
			x.Days[r.weekdays[w]] = true
		}
	case "weekend_again":
		x.Days[workdays], x.Days[workdays+1] = true, true
	case "workdays_again":
		for i := range workdays {
			x.Days[i] = true
		}
	case "from_hour":
		x.From, x.Before = r.hour(first(g["clock"]), ""), hoursOfDay
	case "until_hour":
		x.Before = r.hour(first(g["clock"]), "")
	case "hours_again":
		list := g["clock"]
		if bare := first(g["bare"]); bare != "" {
			list = append([]string{bare}, list...)
		}
		x.From, x.Before = r.hour(list[0], list[1]), r.hour(list[1], list[0])
	}
	return !x.IsZero() && x.From >= 0 && (x.Before == 0 || x.From < x.Before && x.Before <= hoursOfDay)
}

const hoursOfDay = 24

// The words that put an hour into a half of the day.
var (
	mornings   = []string{"am", "a.m.", "凌晨", "清晨", "早上", "早晨", "上午"}
	afternoons = []string{"pm", "p.m.", "下午", "傍晚", "晚上", "夜里", "晚"}
)

// hour is the hour of the day that is named; -1: there is none such. What says no half of the day is
// in that of the other end of the range.
func (r *Reader) hour(text, other string) int {
	switch text {
	case "noon":
		return hoursOfDay / 2
	case "midnight":
		return hoursOfDay
	}
	says := func(s string, list []string) bool {
		for _, w := range list {
			if strings.HasPrefix(s, w) || strings.HasSuffix(s, w) {
				return true
			}
		}
		return false
	}
	digits := strings.TrimSpace(text)
	for _, w := range append(append([]string{"o'clock", "o’clock", "点整", "点钟", "点", "时整", "中午", ":00"}, mornings...), afternoons...) {
		digits = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(digits, w), w))
	}
	digits = strings.TrimSuffix(digits, ":00")
	n, err := strconv.Atoi(digits)
	if err != nil {
		n = r.numbers[digits]
		if n == 0 {
			return -1
		}
	}
	morning, afternoon := says(text, mornings), says(text, afternoons)
	if !morning && !afternoon {
		morning, afternoon = says(other, mornings), says(other, afternoons)
	}
	switch half := hoursOfDay / 2; {
	case n > hoursOfDay:
		return -1
	case afternoon && n < half:
		return n + half
	case morning && n == half:
		return 0
	case n <= half && !morning && !afternoon && strings.HasSuffix(text, "clock"):
		return -1 // three o'clock may be either
	}
	return n
}

// decade is the year in which a decade begins.
func (r *Reader) decade(g map[string][]string) int {
	if y, err := strconv.Atoi(first(g["decade"])); err == nil {
		return y
	}
	tens := first(g["tens"])
	n, err := strconv.Atoi(tens)
	if err != nil {
		n = r.numbers[tens]
		if one, _, ok := strings.Cut(tens, "十"); ok && one != "" {
			n = r.numbers[one] * 10
		}
	}
	const century = 1900
	return century + n
}
