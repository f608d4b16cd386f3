package dates

import "time"

// Units are the calendar units that ranges can be, the smallest first.
var Units = []string{"day", "week", "month", "quarter", "year"}

// Begins reports whether a unit begins on a day; a week does on Monday.
func Begins(t time.Time, unit string) bool { return Beginning(t, unit).Equal(t) }

// Beginning is the first day of the unit that a day lies in.
func Beginning(t time.Time, unit string) time.Time { return truncate(t, unit) }

// Back goes n units back; a negative n goes on. A month that has no such day gives its
// last one.
func Back(t time.Time, unit string, n int) time.Time { return shift(t, unit, -n) }

// EndBack moves the day after a range n units back. The last day of the range counts,
// so that up to 30 March becomes up to 28 February, but a range that ends with a month
// ends with a month.
func EndBack(t time.Time, unit string, n int) time.Time {
	if t.Day() == 1 {
		return Back(t, unit, n)
	}
	return Back(t.AddDate(0, 0, -1), unit, n).AddDate(0, 0, 1)
}

// UnitOf is the calendar unit that a half-open range is one of; empty: none.
func UnitOf(from, to time.Time) string {
	for _, unit := range Units {
		if Begins(from, unit) && to.Equal(Back(from, unit, -1)) {
			return unit
		}
	}
	return ""
}
