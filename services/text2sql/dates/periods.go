package dates

import (
	"strconv"
	"time"
)

// months2 reads a range of months; without a year it is the last one that has
// begun.
func (r *Reader) months2(f *Found, g map[string][]string, today time.Time) bool {
	var ms []int
	for _, w := range append(append([]string{}, g["month"]...), g["zhmonth"]...) {
		m := int(r.months[w])
		if m == 0 {
			m = r.number(w, nil)
		}
		if m < 1 || m > 12 {
			return false
		}
		ms = append(ms, m)
	}
	if len(ms) != 2 {
		return false
	}
	year, _ := strconv.Atoi(first(g["year"])) // digits only
	across := 0
	if ms[0] > ms[1] {
		across = 1 // from November to January
	}
	switch {
	case year != 0:
		year -= across
	case time.Month(ms[0]) > today.Month():
		year = today.Year() - 1
	default:
		year = today.Year()
	}
	f.Ends = "month"
	f.From = time.Date(year, time.Month(ms[0]), 1, 0, 0, 0, 0, time.UTC)
	f.To = time.Date(year+across, time.Month(ms[1])+1, 1, 0, 0, 0, 0, time.UTC)
	if today.Before(f.To) {
		f.soFar(today)
	}
	return true
}

func (r *Reader) period(f *Found, kind string, g map[string][]string, today time.Time) bool {
	year, _ := strconv.Atoi(first(g["year"])) // digits only; 0 where there is none
	m := time.January
	switch kind {
	case "quarter":
		q := r.number(first(g["q"]), nil)
		if word := first(g["ordinal"]); word != "" {
			q = r.ordinals[word]
		}
		if q < 1 || q > 4 {
			return false
		}
		m = time.Month(3*q - 2)
	case "half":
		if h := first(g["half"]); h == "2" || h == "下" || h == "second" {
			m = time.July
		}
	case "month":
		m = r.months[first(g["month"])]
		if zh := first(g["zhmonth"]); zh != "" {
			m = time.Month(r.number(zh, nil))
		}
		if m < 1 || m > 12 {
			return false
		}
	}
	guess := year == 0
	if guess {
		year = today.Year()
	}
	if first(g["lastyear"]) != "" {
		year, guess = today.Year()-1, false
	}
	f.From = time.Date(year, m, 1, 0, 0, 0, 0, time.UTC)
	if guess && f.From.After(today) { // a month without a year is the last one
		f.From = shift(f.From, "year", -1)
	}
	if kind == "half" {
		f.To = shift(f.From, "month", 6)
	} else {
		f.To, f.Period = shift(f.From, kind, 1), kind
	}
	if !f.From.After(today) && today.Before(f.To) {
		f.soFar(today)
	}
	return true
}

func (r *Reader) number(s string, otherwise *int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, ok := r.numbers[s]; ok {
		return n
	}
	if otherwise != nil {
		return *otherwise
	}
	return 0
}

// named is the kind of period that an expression names.
func named(g map[string][]string) string {
	switch {
	case len(g["month"])+len(g["zhmonth"]) > 0:
		return "month"
	case len(g["q"])+len(g["ordinal"]) > 0:
		return "quarter"
	}
	return "year"
}

// plainRange reads ranges of years and quarters: "2023 to 2025", "Q1 to Q3".
func (r *Reader) plainRange(f *Found, kind string, g map[string][]string, today time.Time) bool {
	if kind == "quarters" {
		return r.quarters(f, g, today)
	}
	ends := make([]time.Time, 0, 2)
	for _, y := range g["year"] {
		n, _ := strconv.Atoi(y) // digits only
		ends = append(ends, time.Date(n, time.January, 1, 0, 0, 0, 0, time.UTC))
	}
	switch {
	case kind == "through_year" && len(ends) == 1:
		f.To = shift(ends[0], "year", 1)
		return !f.To.After(today)
	case kind == "before_year" && len(ends) == 1:
		f.To = ends[0]
		return !f.To.After(today)
	case kind == "since_year" && len(ends) == 1:
		f.From, f.To = ends[0], today
		return f.From.Before(f.To)
	case len(ends) != 2 || !ends[0].Before(ends[1]):
		return false
	}
	f.From, f.To, f.Ends = ends[0], shift(ends[1], "year", 1), "year"
	if today.Before(f.To) {
		f.soFar(today)
	}
	return !f.From.After(today)
}

// quarters reads a range of quarters of one year; without a year it is the last that
// has begun.
func (r *Reader) quarters(f *Found, g map[string][]string, today time.Time) bool {
	if len(g["q"]) != 2 {
		return false
	}
	one := func(into *Found, q string, year []string) bool {
		return r.period(into, "quarter", map[string][]string{"q": {q}, "year": year, "lastyear": g["lastyear"]}, today)
	}
	if !one(f, g["q"][0], g["year"]) {
		return false
	}
	var last Found
	if !one(&last, g["q"][1], []string{strconv.Itoa(f.From.Year())}) || !f.From.Before(last.From) {
		return false
	}
	f.To, f.Today, f.Period, f.Ends = shift(last.From, "quarter", 1), false, "", "quarter"
	if !f.From.After(today) && today.Before(f.To) {
		f.soFar(today)
	}
	return true
}
