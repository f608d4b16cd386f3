package resolve

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// mostFraction is how many digits of a second there are at most.
const mostFraction = 12

// The texts of points in time that Trino reads.
var timeTexts = sync.OnceValue(func() (t struct{ date, timestamp, clock *regexp.Regexp }) {
	t.date = regexp.MustCompile(`^\s*([+-]?\d{4,})-(\d{1,2})-(\d{1,2})\s*$`)
	t.timestamp = regexp.MustCompile(`^([+-]?\d{4,})-(\d{1,2})-(\d{1,2})(?: (?:(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?)?\s*(\S+)?)?$`)
	t.clock = regexp.MustCompile(`^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?(?:\s*([+-])(\d\d):?(\d\d))?$`)
	return t
})

func isDate(text string) bool {
	m := timeTexts().date.FindStringSubmatch(text)
	return m != nil && isDay(m[1], m[2], m[3])
}

// isDay reports whether there is such a day.
func isDay(year, month, day string) bool {
	y, err := strconv.Atoi(strings.TrimPrefix(year, "+"))
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	if err != nil || m < 1 || m > 12 || d < 1 {
		return false
	}
	return d <= time.Date(y, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// isClock reports whether there is such a time of day; what is not written is 0.
func isClock(hour, minute, second string) bool {
	for i, part := range []string{hour, minute, second} {
		n, _ := strconv.Atoi(part)
		if n > [...]int{23, 59, 59}[i] {
			return false
		}
	}
	return true
}

// timestampType returns the type of a timestamp literal: with as many digits as
// its second has, and with a zone where one is written.
func timestampType(text string) (t types.Type, ok bool) {
	m := timeTexts().timestamp.FindStringSubmatch(text)
	if m == nil || !isDay(m[1], m[2], m[3]) || !isClock(m[4], m[5], m[6]) {
		return types.Timestamp(3), false
	}
	t = types.Timestamp(len(m[7]))
	if m[8] != "" {
		t.Base = "timestamp with time zone"
		return t, isZone(m[8])
	}
	return t, true
}

var zoneOffset = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:UTC|GMT|UT|Z)?(?:[+-](\d\d?)(?::?(\d\d))?)?$`)
})

// isZone reports whether there is such a time zone: an offset or a name.
func isZone(name string) bool {
	if m := zoneOffset().FindStringSubmatch(strings.ToUpper(name)); m != nil {
		hours, _ := strconv.Atoi(m[1])
		minutes, _ := strconv.Atoi(m[2])
		return hours*60+minutes <= 14*60 && minutes < 60
	}
	if _, err := time.LoadLocation("Europe/Berlin"); err != nil {
		return true // this machine knows no zones: nothing can be said
	}
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

// timeType returns the type of a time literal.
func timeType(text string) (t types.Type, ok bool) {
	t = types.Type{Base: "time", Precision: 3}
	m := timeTexts().clock.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return t, false
	}
	t.Precision = len(m[4])
	if m[5] != "" {
		t.Base = "time with time zone"
		hours, _ := strconv.Atoi(m[6])
		minutes, _ := strconv.Atoi(m[7])
		if hours*60+minutes > 14*60 || minutes > 59 {
			return t, false
		}
	}
	return t, isClock(m[1], m[2], m[3])
}

// interval returns the type of an interval literal and notes one that is none.
func (r *resolver) interval(x *tree.Interval) types.Type {
	months := x.From == "YEAR" || x.From == "MONTH"
	text := strings.TrimPrefix(strings.TrimPrefix(x.Value, "-"), "+")
	if !isInterval(text, x.From, x.To) {
		r.invalid(x, x.Value, "interval")
	}
	if months {
		return types.MonthInterval()
	}
	return types.DayInterval()
}

// isInterval reports whether a text holds the fields from one to another, the
// first of which may stand alone.
func isInterval(text, from, to string) bool {
	fields := []string{"DAY", "HOUR", "MINUTE", "SECOND"}
	separators := []string{" ", ":", ":"}
	if from == "YEAR" || from == "MONTH" {
		fields, separators = []string{"YEAR", "MONTH"}, []string{"-"}
	}
	first := indexOf(fields, from)
	last := first
	if to != "" {
		last = indexOf(fields, to)
	}
	if first < 0 || last < first {
		return false
	}
	for i := first; ; i++ {
		part, rest, more := text, "", false
		if i < last {
			part, rest, more = strings.Cut(text, separators[i])
		}
		if fields[i] == "SECOND" {
			whole, fraction, point := strings.Cut(part, ".")
			if point && (fraction == "" || !isDigits(fraction) || len(fraction) > 3) {
				return false
			}
			part = whole
		}
		if part == "" || !isDigits(part) {
			return false
		}
		if !more {
			return true
		}
		text = rest
	}
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

func isJSON(text string) bool { return json.Valid([]byte(text)) }
