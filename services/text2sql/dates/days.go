package dates

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
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
	day, ok := r.day(fmt.Sprintf("%d月%d日", m, d), today)
	if !ok {
		return false
	}
	if first(g["lastyear"]) != "" {
		day = time.Date(today.Year()-1, day.Month(), day.Day(), 0, 0, 0, 0, today.Location())
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
		month = month.AddDate(-1, 0, 0)
	}
	if d2 > month.AddDate(0, 1, -1).Day() {
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
	return time.Date(year, time.Month(m), 1, 0, 0, 0, 0, today.Location()), guess, m >= 1 && m <= 12
}

var (
	digits = regexp.MustCompile(`\d+`)
	year   = regexp.MustCompile(`\d{4}`)
)

// day reads one day. A day without a year is the last such day.
func (r *Reader) day(s string, today time.Time) (time.Time, bool) {
	var nums []int
	for _, d := range digits.FindAllString(s, -1) {
		n, _ := strconv.Atoi(d)
		nums = append(nums, n)
	}
	var y, m, d int
	for w, month := range r.months {
		if strings.Contains(s, w) {
			m = int(month)
		}
	}
	if m > 0 {
		nums = slices.Concat(r.ordinalIn(s), nums)
	}
	switch {
	case m > 0 && len(nums) >= 1:
		d = nums[0]
		if len(nums) > 1 {
			y = nums[1]
		}
	case len(nums) == 3:
		y, m, d = nums[0], nums[1], nums[2]
	case len(nums) == 2:
		m, d = nums[0], nums[1]
	default:
		return time.Time{}, false
	}
	guess := y == 0
	if guess {
		y = today.Year()
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, today.Location())
	if t.Day() != d || int(t.Month()) != m {
		return time.Time{}, false
	}
	if guess && t.After(today) {
		t = t.AddDate(-1, 0, 0)
	}
	return t, true
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
