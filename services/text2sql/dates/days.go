package dates

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/calendar"
)

// monthAndDay reads 11.11 and "double 11".
func (r *Reader) monthAndDay(f *Found, kind string, g map[string][]string, today time.Time) bool {
	var m, d int
	if kind == "double" {
		m = r.number(first(g["double"]), nil)
		d = m
	} else {
		nums := digits.FindAllString(first(g["md"]), -1)
		m, _ = strconv.Atoi(nums[0])
		d, _ = strconv.Atoi(nums[1])
		if first(g["on"]) == "" && m != d {
			return false // 2.5 is a number
		}
	}
	w := written{month: time.Month(m), day: d}
	if first(g["lastyear"]) != "" {
		w.year = today.Year() - 1
	}
	day, ok := w.last(today)
	if !ok {
		return false
	}
	f.From, f.To = day, day.AddDate(0, 0, 1)
	f.Today = day.Equal(today)
	return true
}

// days reads days of one month: "November 1 to 19", "the 5th of last month". No
// month is the current one where all of them are over.
func (r *Reader) days(f *Found, p pattern, g map[string][]string, today time.Time) bool {
	d1 := r.dayNumber(first(g["d1"]))
	d2 := d1
	if len(g["d2"]) > 0 {
		d2 = r.dayNumber(g["d2"][0])
	}
	if d1 < 1 || d2 < d1 {
		return false
	}
	month, guess := truncate(today, "month"), false
	named := len(g["month"])+len(g["zhmonth"]) > 0
	switch {
	case named:
		var ok bool
		if month, guess, ok = r.month(g, today); !ok {
			return false
		}
	case p.N != nil:
		month = shift(month, "month", *p.N)
	}
	if guess && month.AddDate(0, 0, d1-1).After(today) {
		month = shift(month, "year", -1)
	}
	if d2 > calendar.Days(month) {
		return false
	}
	f.From, f.To = month.AddDate(0, 0, d1-1), month.AddDate(0, 0, d2)
	f.Today = f.From.Equal(today) && d1 == d2
	return named || !f.To.After(today)
}

// dayNumber reads 19, "19th", "nineteenth" and 十九; 0 for none.
func (r *Reader) dayNumber(s string) int {
	if n, ok := r.ordinals[s]; ok {
		return n
	}
	return r.number(strings.TrimRight(s, "stndrh"), nil)
}

// month is the first day of the month that is named; guess where its year is not.
func (r *Reader) month(g map[string][]string, today time.Time) (month time.Time, guess, ok bool) {
	m := int(r.months[first(g["month"])])
	if zh := first(g["zhmonth"]); zh != "" {
		m = r.number(zh, nil)
	}
	year, _ := strconv.Atoi(first(g["year"])) // digits only; 0 where there is none
	guess = year == 0
	if guess {
		year = today.Year()
	}
	if first(g["lastyear"]) != "" {
		year, guess = today.Year()-1, false
	}
	return time.Date(year, time.Month(m), 1, 0, 0, 0, 0, time.UTC), guess, m >= 1 && m <= 12
}

var digits = regexp.MustCompile(`\d+`)

// written is a day as a text has it; a year of 0 is not said.
type written struct {
	year, day int
	month     time.Month
}

// on is the day in a year; false where that year has no such day.
func (w written) on(year int) (time.Time, bool) {
	t := time.Date(year, w.month, w.day, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == w.day && t.Month() == w.month
}

// leapYears is how far apart two 29ths of February may lie.
const leapYears = 8

// last is the day in its year or, without one, the last such day that is not after
// another; next is the first that is not before it.
func (w written) last(day time.Time) (time.Time, bool) { return w.nearest(day, -1) }
func (w written) next(day time.Time) (time.Time, bool) { return w.nearest(day, 1) }

func (w written) nearest(day time.Time, step int) (time.Time, bool) {
	if w.year != 0 {
		return w.on(w.year)
	}
	for i := range leapYears + 1 {
		if t, ok := w.on(day.Year() + i*step); ok && t.Compare(day)*step >= 0 {
			return t, true
		}
	}
	return time.Time{}, false
}

// between2 reads a range of days. An end without a year is the first such day after
// the beginning, a beginning without one the last before the end. Without any year it
// is the last such range that has begun.
func (r *Reader) between2(f *Found, first, last string, today time.Time) bool {
	a, ok1 := r.written(first)
	b, ok2 := r.written(last)
	if !ok1 || !ok2 {
		return false
	}
	var from, to time.Time
	if a.year == 0 && b.year != 0 {
		to, ok1 = b.on(b.year)
		from, ok2 = a.last(to)
	} else {
		from, ok1 = a.last(today)
		to, ok2 = b.next(from)
	}
	f.From, f.To = from, to.AddDate(0, 0, 1)
	return ok1 && ok2 && f.From.Before(f.To)
}

// day reads one day. A day without a year is the last such day.
func (r *Reader) day(s string, today time.Time) (time.Time, bool) {
	w, ok := r.written(s)
	if !ok {
		return time.Time{}, false
	}
	return w.last(today)
}

func (r *Reader) written(s string) (written, bool) {
	var nums []int
	for _, d := range digits.FindAllString(s, -1) {
		n, _ := strconv.Atoi(d)
		nums = append(nums, n)
	}
	var w written
	for word, month := range r.months {
		if strings.Contains(s, word) {
			w.month = month
		}
	}
	if w.month > 0 {
		nums = slices.Concat(r.ordinalIn(s), nums)
	}
	switch {
	case w.month > 0 && len(nums) >= 1:
		w.day = nums[0]
		if len(nums) > 1 {
			w.year = nums[1]
		}
	case len(nums) == 3:
		w.year, w.month, w.day = nums[0], time.Month(nums[1]), nums[2]
	case len(nums) == 2:
		w.month, w.day = time.Month(nums[0]), nums[1]
	default:
		return written{}, false
	}
	return w, true
}

// ordinalIn is the day that a word says, as in "the twenty-first of May".
func (r *Reader) ordinalIn(s string) []int {
	var longest string
	for w := range r.ordinals {
		if len(w) > len(longest) && w[0] > '9' && strings.Contains(s, w) {
			longest = w
		}
	}
	if longest == "" {
		return nil
	}
	return []int{r.ordinals[longest]}
}
