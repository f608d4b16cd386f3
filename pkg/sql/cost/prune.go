package cost

import (
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Prunes reports whether predicates on a column leave partitions out. A bound that
// every stored value keeps does not: grass_date > DATE '1970-01-01'. Where the
// stored values are not all known, a range of time has to begin and to hold at
// most days days up to now, and a range of anything else has to have both ends.
func (r Read) Prunes(column string, now time.Time, days int) bool {
	d := r.Domain(column)
	c, ok := r.Table.Column(column)
	if !ok || d.IsAll() || d.everyValue() && !d.low && !d.high {
		return d.IsNothing()
	}
	if known, all := d.keepsAll(&c); known {
		return !all
	}
	if d.low || d.high { // a bound that is not known, such as a function of the day
		return d.lower() && (d.low || d.begins(now, days))
	}
	if _, points := d.Points(); points {
		return true
	}
	return d.begins(now, days)
}

// keepsAll compares with the stored values; known is false where some are not known.
func (d Domain) keepsAll(c *catalog.Column) (known, all bool) {
	if d.low || d.high || c.Distinct <= 0 || int64(len(c.Samples)) != c.Distinct {
		return false, false
	}
	for _, stored := range c.Samples {
		if !d.Contains(stored) {
			return true, false
		}
	}
	return true, true
}

// begins reports that the first span begins not longer than days before now, or
// that all of them together are not longer.
func (d Domain) begins(now time.Time, days int) bool {
	if len(d.spans) == 0 {
		return true
	}
	first, last := d.spans[0].from, d.spans[len(d.spans)-1].to
	if first.infinite != 0 {
		return false
	}
	from, ok := moment(first.at)
	if !ok {
		return last.infinite == 0
	}
	to := now
	if last.infinite == 0 {
		if end, ok := moment(last.at); ok && end.Before(now) {
			to = end
		}
	}
	return to.Sub(from) <= time.Duration(days)*24*time.Hour
}

// moment is the time that a value is, or that its text is the date of.
func moment(v value) (time.Time, bool) {
	switch v.kind {
	case kindTime, kindInstant:
		return v.time(), true
	case kindText:
		for _, layout := range []string{time.DateOnly, "20060102", "2006-01", "200601", "2006/01/02", "20060102_15", "2006-01-02-15"} {
			if t, err := time.Parse(layout, v.text); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}
