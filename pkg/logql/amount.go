package logql

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// durationUnits are those of LogQL: Go's, and days, weeks and years as in Prometheus.
func durationUnit(unit string) (time.Duration, bool) {
	switch unit {
	case "ns":
		return time.Nanosecond, true
	case "us", "µs", "μs":
		return time.Microsecond, true
	case "ms":
		return time.Millisecond, true
	case "s":
		return time.Second, true
	case "m":
		return time.Minute, true
	case "h":
		return time.Hour, true
	case "d":
		return 24 * time.Hour, true
	case "w":
		return 7 * 24 * time.Hour, true
	case "y":
		return 365 * 24 * time.Hour, true
	}
	return 0, false
}

// ParseDuration reads a duration such as 5m, 1h30m, 1.5h, 7d or 1w.
func ParseDuration(text string) (time.Duration, bool) {
	sign := 1.0
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		sign, text = -1, rest
	}
	if text == "" {
		return 0, false
	}
	total := 0.0
	for text != "" {
		n := strings.IndexFunc(text, unicode.IsLetter)
		if n <= 0 {
			return 0, false
		}
		value, err := strconv.ParseFloat(text[:n], 64)
		if err != nil {
			return 0, false
		}
		text = text[n:]
		end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			end = len(text)
		}
		unit, ok := durationUnit(text[:end])
		if !ok {
			return 0, false
		}
		total += value * float64(unit)
		text = text[end:]
	}
	if total > math.MaxInt64/2 {
		return 0, false
	}
	return time.Duration(sign * total), true
}

// FormatDuration writes a duration as LogQL does, without parts of zero: 1h30m.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	if d < 0 {
		b.WriteByte('-')
		d = -d
	}
	// A range of days is written in days, as people write it; weeks are not used, as
	// 7d reads better beside 30d.
	for _, u := range []struct {
		name string
		of   time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}, {"us", time.Microsecond}, {"ns", 1}} {
		if n := d / u.of; n > 0 {
			// One day is 24h: a range of hours is what most queries have.
			if u.name == "d" && (d%u.of != 0 || n == 1) {
				continue
			}
			b.WriteString(strconv.FormatInt(int64(n), 10))
			b.WriteString(u.name)
			d %= u.of
		}
	}
	return b.String()
}

// ParseBytes reads an amount of bytes such as 512B, 20KB or 1.5MiB.
func ParseBytes(text string) (float64, bool) {
	n := strings.IndexFunc(text, unicode.IsLetter)
	if n <= 0 {
		return 0, false
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(text[:n]), 64)
	if err != nil {
		return 0, false
	}
	unit := strings.ToLower(strings.TrimSpace(text[n:]))
	unit = strings.TrimSuffix(unit, "b")
	base := 1000.0
	if cut, ok := strings.CutSuffix(unit, "i"); ok {
		unit, base = cut, 1024
	}
	power := 0
	if unit != "" {
		power = strings.Index("kmgtpe", unit) + 1
		if power == 0 || len(unit) > 1 {
			return 0, false
		}
	}
	return value * math.Pow(base, float64(power)), true
}
