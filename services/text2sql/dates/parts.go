package dates

import (
	"time"
)

// part reads a part of a period: its first or last days, ten days of a month, or
// one of its halves. A part that is not over has no range: it is not what a
// question over numbers means.
func (r *Reader) part(f *Found, p pattern, g map[string][]string, today time.Time) bool {
	from, to, ok := r.wholePeriod(p, g, today)
	if !ok {
		return false
	}
	n, unit := 1, r.units[first(g["unit"])]
	if word := first(g["n"]); word != "" {
		n = r.number(word, nil)
	}
	switch first(g["side"]) {
	case "first", "前", "头", "第":
		f.From, f.To = from, shift(from, unit, n)
	case "last", "final", "最后":
		f.From, f.To = shift(to, unit, -n), to
	default:
		days, known := r.parts[first(g["part"])]
		if !known {
			return false
		}
		f.From, f.To = from.AddDate(0, 0, days[0]), from.AddDate(0, 0, days[1])
		if days[1] == 0 {
			f.To = to
		}
	}
	return n > 0 && n <= maxPeriods && !f.From.Before(from) && !f.To.After(to) && !f.To.After(today)
}

// wholePeriod is the period that a part is of, with the days to come.
func (r *Reader) wholePeriod(p pattern, g map[string][]string, today time.Time) (from, to time.Time, ok bool) {
	if p.N != nil {
		from = shift(truncate(today, p.Unit), p.Unit, *p.N)
		return from, shift(from, p.Unit, 1), true
	}
	var f Found
	if kind := named(g); r.period(&f, kind, g, today) {
		return f.From, shift(f.From, kind, 1), true
	}
	return from, to, false
}
