package presto

import (
	"strconv"
	"strings"
	"time"
)

// isoForm is what parts an ISO 8601 text may have.
type isoForm int

const (
	isoDate isoForm = iota
	isoAny
)

// parseISO reads a day (2024-02-29, 2024-02, 2024, 2024-W09-4, 2024-060), and where
// the form allows it a time after T with fractions of its smallest part, and an
// offset.
func parseISO(s string, form isoForm) (instant time.Time, zone string, err error) {
	failed := invalid("'%s' is not an ISO 8601 text", Short(s))
	dayText, clockText, hasClock := s, "", false
	if i := strings.IndexAny(s, "Tt"); i >= 0 {
		dayText, clockText, hasClock = s[:i], s[i+1:], true
	}
	if hasClock && form == isoDate || s == "" {
		return time.Time{}, "", failed
	}
	var fields []found
	if dayText != "" {
		var ok bool
		if fields, ok = isoDay(dayText); !ok {
			return time.Time{}, "", failed
		}
	} else if clockText == "" {
		return time.Time{}, "", failed
	}
	local, ok := assemble(fields)
	if !ok {
		return time.Time{}, "", failed
	}
	zone = "UTC"
	if i := strings.IndexAny(clockText, "Zz+-"); i >= 0 {
		var rest string
		if rest, zone, ok = readOffset(clockText[i:]); !ok || rest != "" {
			return time.Time{}, "", failed
		}
		clockText = clockText[:i]
	}
	if clockText != "" {
		passed, ok := isoClock(clockText)
		if !ok {
			return time.Time{}, "", failed
		}
		local = local.Add(passed)
	}
	instant, _, err = Instant(local, zone)
	return instant, zone, err
}

func isoDay(s string) ([]found, bool) {
	y, rest, ok := readNumber(s, 9, true)
	if !ok {
		return nil, false
	}
	fields := []found{{year, y}}
	if rest == "" {
		return fields, true
	}
	rest, ok = strings.CutPrefix(rest, "-")
	if !ok {
		return nil, false
	}
	if weeks, isWeek := strings.CutPrefix(strings.ToUpper(rest), "W"); isWeek {
		w, after, ok := readNumber(weeks, 2, false)
		fields = []found{{weekyear, y}, {week, w}}
		if !ok || after == "" {
			return fields, ok
		}
		d, after, ok := readNumber(strings.TrimPrefix(after, "-"), 1, false)
		return append(fields, found{dayOfWeek, d}), ok && after == ""
	}
	if len(rest) == 3 && !strings.Contains(rest, "-") {
		n, after, ok := readNumber(rest, 3, false)
		return append(fields, found{dayOfYear, n}), ok && after == ""
	}
	m, rest, ok := readNumber(rest, 2, false)
	fields = append(fields, found{month, m})
	if !ok || rest == "" {
		return fields, ok
	}
	rest, ok = strings.CutPrefix(rest, "-")
	if !ok {
		return nil, false
	}
	d, rest, ok := readNumber(rest, 2, false)
	return append(fields, found{dayOfMonth, d}), ok && rest == ""
}

// isoClock reads 12, 12:34 or 12:34:56, the last part with a fraction after a point
// or a comma; it is cut to milliseconds.
func isoClock(s string) (time.Duration, bool) {
	units := []time.Duration{time.Hour, time.Minute, time.Second}
	limits := []int{23, 59, 59}
	var total time.Duration
	parts := strings.Split(s, ":")
	if len(parts) > 3 {
		return 0, false
	}
	for i, p := range parts {
		n, rest, ok := readNumber(p, 2, false)
		if !ok || n > limits[i] {
			return 0, false
		}
		total += time.Duration(n) * units[i]
		if rest == "" {
			continue
		}
		if i < len(parts)-1 || rest[0] != '.' && rest[0] != ',' || len(rest) < 2 || len(rest) > 10 {
			return 0, false
		}
		digits := rest[1:]
		f, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return 0, false
		}
		scale := uint64(1)
		for range digits {
			scale *= 10
		}
		millis := f * uint64(units[i]/time.Millisecond) / scale
		total += time.Duration(millis) * time.Millisecond
	}
	return total, true
}
