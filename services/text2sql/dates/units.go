package dates

import "time"

// Units are the calendar units that ranges can be, the smallest first.
var Units = []string{"day", "week", "month", "quarter", "year"}

// Begins reports whether a unit begins on a day; a week does on Monday.
func Begins(t time.Time, unit string) bool { return truncate(t, unit).Equal(t) }

// Back goes n units back; a negative n goes on.
func Back(t time.Time, unit string, n int) time.Time { return shift(t, unit, -n) }

// UnitOf is the calendar unit that a half-open range is one of; empty: none.
func UnitOf(from, to time.Time) string {
	for _, unit := range Units {
		if Begins(from, unit) && to.Equal(Back(from, unit, -1)) {
			return unit
		}
	}
	return ""
}
