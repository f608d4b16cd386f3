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

// ByPlaces reports whether days of two periods are compared by their places in them, and the
// first day of the other period.
func ByPlaces(t *intent.Time) (from string, ok bool) {
	laid := dayByDay(t)
	if laid == t {
		return "", false
	}
	return laid.Compare.From, true
}

// dayByDay lays the days of two periods beside each other by their places, the first beside the
// first: days that are a month before are none of the 31st. Days of the longer one that have
// none beside them are left out. Other times stay as they are.
func dayByDay(t *intent.Time) *intent.Time {
	if t == nil || t.Compare == nil || t.Grain != "day" || t.From == "" || t.To == "" || steppable(t.Grain, t.Compare) {
		return t
	}
	from, to := Before(&intent.Time{From: t.From, To: t.To, Compare: t.Compare})
	apart := daysFrom(from, t.From)
	if apart <= 0 {
		return t
	}
	laid := *t
	laid.Compare = &intent.Compare{Unit: "day", N: apart, From: from, To: min(to, earlier(t.To, "day", apart))}
	return &laid
}

// daysFrom is how many days there are from one to another; 0 where one is none.
func daysFrom(day, later string) int {
	a, err := time.Parse(time.DateOnly, day)
	b, err2 := time.Parse(time.DateOnly, later)
	if err != nil || err2 != nil {
		return 0
	}
	return int(b.Sub(a).Hours() / 24)
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
