package schema

import (
	"slices"
	"strconv"
)

// windowUnits are the units of time by how the names of columns write them.
var windowUnits = map[string][]string{
	"hour": {"h", "hr", "hrs", "hour", "hours"}, "day": {"d", "day", "days", "天"}, "week": {"w", "wk", "week", "weeks", "周"},
	"month": {"m", "mth", "mon", "month", "months", "月"}, "year": {"y", "yr", "year", "years", "年"},
}

// Window is the stretch of time that the values of a column are of by its name, back from when
// its row was made: 7 and "day" of logins_7d, 12 and "month" of complaints_12m. ok is false
// where its name says none.
func (c *Column) Window() (n int, unit string, ok bool) {
	words := c.Words()
	if len(words) < 3 || !c.Numeric() {
		return 0, "", false
	}
	n, err := strconv.Atoi(words[len(words)-2])
	if err != nil || n < 1 {
		return 0, "", false
	}
	for unit, written := range windowUnits {
		if slices.Contains(written, words[len(words)-1]) {
			return n, unit, true
		}
	}
	return 0, "", false
}
