package presto

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

func dateFormatFunctions() []Function {
	return []Function{
		binary("presto_date_format", func(t time.Time, format string) (string, error) {
			return formatWith(t, format, "UTC", mysqlElements)
		}),
		binary("presto_date_parse", dateParse),
		ternary("presto_format_datetime", func(t time.Time, zone, format string) (string, error) {
			if _, name := UsesZone(format); name {
				return "", &Error{"NOT_SUPPORTED", "names of time zones depend on a locale's data: use ZZZ"}
			}
			local, err := Local(t, zone)
			if err != nil {
				return "", err
			}
			return formatWith(local, format, zone, jodaElements)
		}),
		ternary("presto_parse_instant", func(s, format string, thisYear int64) (time.Time, error) {
			t, _, err := parseDatetime(s, format, thisYear)
			return t, err
		}),
		ternary("presto_parse_zone", func(s, format string, thisYear int64) (string, error) {
			_, zone, err := parseDatetime(s, format, thisYear)
			return zone, err
		}),
	}
}

// patterns holds compiled patterns; their number is bounded because most are
// literals: it is emptied when it has grown.
var patterns = &patternCache{compiled: map[string][]element{}}

type patternCache struct {
	mu       sync.Mutex
	compiled map[string][]element
}

const maxPatterns = 500

func (c *patternCache) get(key string, compile func() ([]element, error)) ([]element, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.compiled[key]; ok {
		return e, nil
	}
	e, err := compile()
	if err != nil {
		return nil, err
	}
	if len(c.compiled) >= maxPatterns {
		clear(c.compiled)
	}
	c.compiled[key] = e
	return e, nil
}

func mysqlElements(format string) ([]element, error) {
	return patterns.get("m"+format, func() ([]element, error) { return mysqlPattern(format) })
}

func jodaElements(format string) ([]element, error) {
	return patterns.get("j"+format, func() ([]element, error) { return jodaPattern(format, 0) })
}

// formatWith writes a local time; zone is that of its clock.
func formatWith(t time.Time, format, zone string, compile func(string) ([]element, error)) (string, error) {
	elements, err := compile(format)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range elements {
		if err := e.write(&b, t, zone); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func (e element) write(b *strings.Builder, t time.Time, zone string) error {
	switch {
	case e.field == literalText:
		b.WriteString(e.literal)
	case e.field == fraction:
		b.WriteString(fractionText(t.Nanosecond()/1_000_000, e.min))
	case e.field == offset:
		_, err := location(zone)
		if err != nil {
			return err
		}
		instant, _, err := Instant(t, zone)
		if err != nil {
			return err
		}
		l, _ := location(zone) // known: see above
		b.WriteString(offsetDigits(offsetAt(instant, l)/60, e.form == withColon))
	case e.field == zoneID:
		b.WriteString(zone)
	case e.form == twoDigits:
		n := e.field.of(t)
		if n < 0 {
			n = -n
		}
		fmt.Fprintf(b, "%02d", n%100)
	case e.form == shortText || e.form == longText:
		b.WriteString(e.field.name(t, e.form == longText))
	default:
		n := e.field.of(t)
		if n < 0 {
			b.WriteByte('-')
			n = -n
		}
		fmt.Fprintf(b, "%0*d", e.min, n)
	}
	return nil
}

// fractionText writes thousandths of a second with so many digits.
func fractionText(millis, digits int) string {
	text := fmt.Sprintf("%03d", millis)
	for len(text) < digits {
		text += "0"
	}
	return text[:max(digits, 0)]
}

func offsetDigits(minutes int, colon bool) string {
	sign, separator := "+", ""
	if minutes < 0 {
		sign, minutes = "-", -minutes
	}
	if colon {
		separator = ":"
	}
	return fmt.Sprintf("%s%02d%s%02d", sign, minutes/60, separator, minutes%60)
}

// of returns a field's number.
func (f field) of(t time.Time) int {
	switch f {
	case year:
		return t.Year()
	case yearOfEra:
		if t.Year() < 1 {
			return 1 - t.Year()
		}
		return t.Year()
	case century:
		return yearOfEra.of(t) / 100
	case month:
		return int(t.Month())
	case dayOfYear:
		return t.YearDay()
	case dayOfMonth:
		return t.Day()
	case weekyear:
		y, _ := t.ISOWeek()
		return y
	case week:
		_, w := t.ISOWeek()
		return w
	case dayOfWeek:
		return int(t.Weekday()+6)%7 + 1
	case halfday:
		return t.Hour() / 12
	case hourOfDay:
		return t.Hour()
	case hourOfHalf:
		return t.Hour() % 12
	case clockOfDay:
		return (t.Hour()+23)%24 + 1
	case clockOfHalf:
		return (t.Hour()+11)%12 + 1
	case minute:
		return t.Minute()
	case second:
		return t.Second()
	}
	return 0
}

func (f field) name(t time.Time, long bool) string {
	var name string
	switch f {
	case month:
		name = t.Month().String()
	case dayOfWeek:
		name = t.Weekday().String()
	case halfday:
		return []string{"AM", "PM"}[halfday.of(t)]
	case era:
		if t.Year() < 1 {
			return "BC"
		}
		return "AD"
	}
	if !long {
		name = name[:3]
	}
	return name
}

// dateParse is date_parse. Trino reads plain days by a rule of their own: any
// number of digits for the year.
func dateParse(s, format string) (time.Time, error) {
	if format == "%Y-%m-%d" {
		t, ok := readDate(s)
		if !ok {
			return time.Time{}, unparsable(s)
		}
		return t, nil
	}
	elements, err := mysqlElements(format)
	if err != nil {
		return time.Time{}, err
	}
	t, _, err := read(s, elements)
	return t, err
}

func unparsable(s string) error {
	return invalid("'%s' does not have the format that is asked for", Short(s))
}

// parseDatetime is parse_datetime.
func parseDatetime(s, format string, thisYear int64) (instant time.Time, zone string, err error) {
	if _, name := UsesZone(format); name {
		return time.Time{}, "", &Error{"NOT_SUPPORTED", "names of time zones depend on a locale's data: use ZZZ"}
	}
	elements, err := patterns.get("p"+strconv.FormatInt(thisYear, 10)+" "+format, func() ([]element, error) { return jodaPattern(format, int(thisYear)) })
	if err != nil {
		return time.Time{}, "", err
	}
	local, zone, err := read(s, elements)
	if err != nil {
		return time.Time{}, "", err
	}
	if zone == "" {
		zone = "UTC"
	}
	instant, exact, err := Instant(local, zone)
	if err == nil && !exact {
		err = unparsable(s)
	}
	return instant, zone, err
}
