package presto

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// found is a field with the number that was read for it.
type found struct {
	field field
	value int
}

// read reads a text by a pattern: a local time, and a zone where the pattern has
// one. What is not said is 1970-01-01 00:00; a month or a day without a year is of
// 2000, a leap year.
func read(s string, elements []element) (local time.Time, zone string, err error) {
	var fields []found
	rest := s
	for _, e := range elements {
		var ok bool
		switch {
		case e.field == literalText:
			rest, ok = foldPrefix(rest, e.literal)
		case e.field == offset:
			rest, zone, ok = readOffset(rest)
		case e.field == zoneID:
			rest, zone, ok = readZone(rest)
		default:
			var value int
			value, rest, ok = e.read(rest)
			fields = append(fields, found{e.field, value})
		}
		if !ok {
			return time.Time{}, "", unparsable(s)
		}
	}
	if rest != "" {
		return time.Time{}, "", unparsable(s)
	}
	local, ok := assemble(fields)
	if !ok {
		return time.Time{}, "", unparsable(s)
	}
	return local, zone, nil
}

// order tells in which order fields are set: by what they are a part of, the
// largest first, then by what they count.
func (f field) order() (within, counts int) {
	const (
		forever = iota
		years
		months
		weeks
		days
		halfdays
		hours
		minutes
		seconds
		millis
	)
	switch f {
	case year, yearOfEra, weekyear, century, era:
		return forever, years
	case month:
		return years, months
	case week:
		return years, weeks
	case dayOfYear:
		return years, days
	case dayOfMonth:
		return months, days
	case dayOfWeek:
		return weeks, days
	case halfday:
		return days, halfdays
	case hourOfDay, clockOfDay:
		return days, hours
	case hourOfHalf, clockOfHalf:
		return halfdays, hours
	case minute:
		return hours, minutes
	case second:
		return minutes, seconds
	}
	return seconds, millis
}

func assemble(fields []found) (time.Time, bool) {
	slices.SortStableFunc(fields, func(a, b found) int {
		aw, ac := a.field.order()
		bw, bc := b.field.order()
		if aw != bw {
			return aw - bw
		}
		return ac - bc
	})
	if len(fields) > 0 {
		if _, counts := fields[0].field.order(); counts >= 2 && counts <= 4 { // months to days
			fields = append([]found{{year, 2000}}, fields...)
		}
	}
	t := time.Unix(0, 0).UTC()
	for _, f := range fields {
		var ok bool
		if t, ok = f.set(t); !ok {
			return t, false
		}
	}
	return t, true
}

// set sets a field and what is smaller to its least value.
func (f found) set(t time.Time) (time.Time, bool) {
	y, m, d := t.Date()
	n := f.value
	within := func(low, high int) bool { return n >= low && n <= high }
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	clockAt := t.Truncate
	switch f.field {
	case year:
		return time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC), within(-maxYear, maxYear)
	case yearOfEra:
		return time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC), within(1, maxYear)
	case weekyear:
		return mondayOf(n, 1), within(-maxYear, maxYear)
	case month:
		return time.Date(y, time.Month(n), 1, 0, 0, 0, 0, time.UTC), within(1, 12)
	case dayOfYear:
		return time.Date(y, 1, n, 0, 0, 0, 0, time.UTC), within(1, time.Date(y, 12, 31, 0, 0, 0, 0, time.UTC).YearDay())
	case dayOfMonth:
		return day(y, int(m), n)
	case week:
		iso, _ := t.ISOWeek()
		monday := mondayOf(iso, n)
		after, _ := monday.ISOWeek()
		return monday, within(1, 53) && after == iso
	case dayOfWeek:
		return midnight.AddDate(0, 0, n-dayOfWeek.of(t)), within(1, 7)
	case halfday:
		return midnight.Add(time.Duration(n) * 12 * time.Hour), true
	case hourOfDay:
		return midnight.Add(time.Duration(n) * time.Hour), within(0, 23)
	case clockOfDay:
		return midnight.Add(time.Duration(n%24) * time.Hour), within(1, 24)
	case hourOfHalf:
		return midnight.Add(time.Duration(halfday.of(t)*12+n) * time.Hour), within(0, 11)
	case clockOfHalf:
		return midnight.Add(time.Duration(halfday.of(t)*12+n%12) * time.Hour), within(1, 12)
	case minute:
		return clockAt(time.Hour).Add(time.Duration(n) * time.Minute), within(0, 59)
	case second:
		return clockAt(time.Minute).Add(time.Duration(n) * time.Second), within(0, 59)
	case fraction:
		return clockAt(time.Second).Add(time.Duration(n) * time.Millisecond), true
	}
	return t, false
}

// mondayOf is the first day of a week of an ISO year.
func mondayOf(isoYear, isoWeek int) time.Time {
	fourth := time.Date(isoYear, 1, 4, 0, 0, 0, 0, time.UTC) // always in week 1
	return fourth.AddDate(0, 0, 1-dayOfWeek.of(fourth)+7*(isoWeek-1))
}

// read takes a field's value from the beginning of a text.
func (e element) read(s string) (value int, rest string, ok bool) {
	switch {
	case e.field == fraction:
		return readFraction(s, e.max)
	case e.form == twoDigits:
		return e.readTwoDigits(s)
	case e.form == shortText || e.form == longText:
		return e.field.readName(s)
	}
	return readNumber(s, e.max, e.form == signedNumber)
}

func readNumber(s string, most int, sign bool) (value int, rest string, ok bool) {
	text := s
	negative := false
	if sign && len(s) > 1 && most > 1 && (s[0] == '-' || s[0] == '+') && isDigit(s[1]) {
		negative, text = s[0] == '-', s[1:]
	}
	n := 0
	for n < len(text) && n < most && isDigit(text[n]) {
		n++
	}
	if value, err := strconv.Atoi(text[:n]); err == nil {
		if negative {
			value = -value
		}
		return value, text[n:], true
	}
	return 0, "", false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// readFraction reads digits of a second; those after the third are dropped.
func readFraction(s string, most int) (value int, rest string, ok bool) {
	n := 0
	for n < len(s) && n < most && isDigit(s[n]) {
		n++
	}
	value, err := strconv.Atoi((s[:n] + "000")[:3])
	return value, s[n:], n > 0 && err == nil
}

func (e element) readTwoDigits(s string) (value int, rest string, ok bool) {
	n := 0
	for n < len(s) && isDigit(s[n]) && (e.lenient || n < 2) {
		n++
	}
	if e.lenient {
		if n == 0 && s != "" && (s[0] == '-' || s[0] == '+') || n != 2 {
			return readNumber(s, 9, true)
		}
	} else if n < 2 {
		return 0, "", false
	}
	value, err := strconv.Atoi(s[:2])
	if err != nil {
		return 0, "", false
	}
	low := e.pivot - 50
	within := low % 100
	if value < within {
		value += 100
	}
	return low + value - within, s[2:], true
}

// readName reads a name as it is written, or all in small or large letters, long
// or short; the longest that fits.
func (f field) readName(s string) (value int, rest string, ok bool) {
	best := ""
	try := func(name string, n int) {
		for _, v := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			if len(v) > len(best) && strings.HasPrefix(s, v) {
				best, value = v, n
			}
		}
	}
	switch f {
	case month:
		for m := time.January; m <= time.December; m++ {
			try(m.String(), int(m))
			try(m.String()[:3], int(m))
		}
	case dayOfWeek:
		for d := range 7 {
			try(time.Weekday(d).String(), (d+6)%7+1)
			try(time.Weekday(d).String()[:3], (d+6)%7+1)
		}
	case halfday:
		try("AM", 0)
		try("PM", 1)
	}
	return value, s[len(best):], best != ""
}

// readOffset reads Z, +05, +0530 or +05:30.
func readOffset(s string) (rest, zone string, ok bool) {
	if s == "" {
		return "", "", false
	}
	if s[0] == 'Z' || s[0] == 'z' {
		return s[1:], "UTC", true
	}
	if s[0] != '+' && s[0] != '-' || len(s) < 3 {
		return "", "", false
	}
	hours, err := strconv.Atoi(s[1:3])
	if err != nil || !isDigit(s[1]) || hours > 23 {
		return "", "", false
	}
	minutes, sign := 0, s[0]
	s = s[3:]
	if text, colon := strings.CutPrefix(s, ":"); colon || text != "" && isDigit(text[0]) {
		if len(text) < 2 || !isDigit(text[0]) || !isDigit(text[1]) {
			return "", "", false
		}
		if minutes, _ = strconv.Atoi(text[:2]); minutes > 59 { // two digits
			return "", "", false
		}
		s = text[2:]
	}
	total := hours*60 + minutes
	if sign == '-' {
		total = -total
	}
	if total < -14*60 || total > 14*60 {
		return "", "", false
	}
	return s, offsetName(total), true
}

// readZone reads the longest name of a zone.
func readZone(s string) (rest, zone string, ok bool) {
	for n := min(len(s), 40); n > 0; n-- {
		if name, known := zoneNames()[s[:n]]; known {
			return s[n:], name, true
		}
	}
	return readOffset(s)
}
