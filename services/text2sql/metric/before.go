package metric

import (
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// months counts quarters and years in months, which every engine adds.
func months(by *intent.Compare) *intent.Compare {
	switch by.Unit {
	case "quarter":
		return &intent.Compare{Unit: "month", N: 3 * by.N}
	case "week":
		return &intent.Compare{Unit: "day", N: 7 * by.N}
	}
	return by
}

// Before is the range of days that a time is compared with.
func Before(t *intent.Time) (from, to string) {
	by := t.Compare
	if by.From != "" {
		return by.From, by.To
	}
	if t.Grain != "" { // whole steps, so that each is that of the row before
		return earlier(stepOf(t.From, t.Grain), by.Unit, by.N), earlier(stepAfter(t.To, t.Grain), by.Unit, by.N)
	}
	return earlier(t.From, by.Unit, by.N), earlierEnd(t.To, by.Unit, by.N)
}

// stepOf is the first day of the step of a grain that holds a day, stepAfter the
// first day of a step that is not before it.
func stepOf(day, grain string) string {
	d, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	for !dates.Begins(d, grain) {
		d = d.AddDate(0, 0, -1)
	}
	return d.Format(time.DateOnly)
}

func stepAfter(day, grain string) string {
	first := stepOf(day, grain)
	if first == day {
		return day
	}
	d, err := time.Parse(time.DateOnly, first)
	if err != nil {
		return day
	}
	return dates.Back(d, grain, -1).Format(time.DateOnly)
}

// earlier moves the first day of a range, earlierEnd the day after it. Empty stays
// empty.
func earlier(day, unit string, n int) string { return moved(day, unit, n, dates.Back) }

func earlierEnd(day, unit string, n int) string { return moved(day, unit, n, dates.EndBack) }

func moved(day, unit string, n int, by func(time.Time, string, int) time.Time) string {
	d, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return by(d, unit, n).Format(time.DateOnly)
}

// steppable reports whether each step of a grain has one to be compared with:
// days of months of different lengths have not.
func steppable(grain string, by *intent.Compare) bool {
	if by.Unit == "" || by.N <= 0 {
		return false
	}
	switch grain {
	case "day", "week":
		return by.Unit == "day" && grain == "day" || by.Unit == "week"
	}
	return by.Unit != "day" && by.Unit != "week"
}
