package presto

import (
	"strings"
	"unicode"
)

// A pattern of dates is a list of elements; MySQL's and Joda's patterns both
// become one.
type element struct {
	field   field
	literal string // where field is literalText
	min     int    // digits at least, when it is written
	max     int    // digits at most, when it is read
	form    form
	pivot   int // of years of two digits
	lenient bool
}

// field is a part of a date.
type field int

const (
	literalText field = iota
	year
	yearOfEra
	century
	era
	month
	dayOfYear
	dayOfMonth
	weekyear
	week
	dayOfWeek
	halfday
	hourOfDay
	hourOfHalf
	clockOfDay
	clockOfHalf
	minute
	second
	fraction
	offset
	zoneID
)

// form is how a field is written.
type form int

const (
	number form = iota
	signedNumber
	shortText
	longText
	twoDigits
	withColon
)

// mysqlPivot: years of two digits are from 1970 to 2069.
const mysqlPivot = 2020

// mysqlPattern reads the format of date_format and date_parse.
func mysqlPattern(format string) ([]element, error) {
	num := func(f field, least, most int) element { return element{field: f, min: least, max: most} }
	text := func(s string) element { return element{literal: s} }
	codes := map[rune][]element{
		'a': {{field: dayOfWeek, form: shortText}}, 'W': {{field: dayOfWeek, form: longText}},
		'b': {{field: month, form: shortText}}, 'M': {{field: month, form: longText}},
		'c': {num(month, 1, 2)}, 'm': {num(month, 2, 2)},
		'd': {num(dayOfMonth, 2, 2)}, 'e': {num(dayOfMonth, 1, 2)}, 'j': {num(dayOfYear, 3, 3)},
		'f': {num(fraction, 6, 9)},
		'H': {num(hourOfDay, 2, 2)}, 'k': {num(hourOfDay, 1, 2)},
		'h': {num(clockOfHalf, 2, 2)}, 'I': {num(clockOfHalf, 2, 2)}, 'l': {num(clockOfHalf, 1, 2)},
		'i': {num(minute, 2, 2)}, 's': {num(second, 2, 2)}, 'S': {num(second, 2, 2)},
		'p': {{field: halfday, form: longText}},
		'r': {num(clockOfHalf, 2, 2), text(":"), num(minute, 2, 2), text(":"), num(second, 2, 2), text(" "), {field: halfday, form: longText}},
		'T': {num(hourOfDay, 2, 2), text(":"), num(minute, 2, 2), text(":"), num(second, 2, 2)},
		'v': {num(week, 2, 2)}, 'x': {{field: weekyear, min: 4, max: 4, form: signedNumber}},
		'Y': {{field: year, min: 4, max: 4, form: signedNumber}}, 'y': {{field: year, form: twoDigits, pivot: mysqlPivot}},
	}
	var out []element
	escaped := false
	for _, r := range format {
		switch {
		case !escaped && r == '%':
			escaped = true
			continue
		case !escaped:
			out = append(out, text(string(r)))
		case strings.ContainsRune("wUuVXD", r):
			return nil, invalid("%%%c is not supported in a date format", r)
		case codes[r] != nil:
			out = append(out, codes[r]...)
		default:
			out = append(out, text(string(r)))
		}
		escaped = false
	}
	if len(out) == 0 {
		return nil, invalid("the date format is empty")
	}
	return out, nil
}

// jodaPattern reads the format of format_datetime and parse_datetime. thisYear is
// the one around which years of two digits are.
func jodaPattern(format string, thisYear int) ([]element, error) {
	tokens := jodaTokens(format)
	var out []element
	for i, t := range tokens {
		if t.quoted {
			out = append(out, element{literal: t.text})
			continue
		}
		nextIsNumber := i+1 < len(tokens) && tokens[i+1].isNumber()
		e, ok := jodaElement(t, nextIsNumber, thisYear)
		if !ok {
			return nil, invalid("illegal pattern component: %s", Short(t.text))
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, invalid("the date format is empty")
	}
	return out, nil
}

type jodaToken struct {
	text   string
	quoted bool // not a field: text as it is
}

func (t jodaToken) isNumber() bool {
	if t.quoted {
		return false
	}
	return strings.ContainsAny(t.text[:1], "cCxyYdhHmsSeDFwWkK") || t.text[0] == 'M' && len(t.text) <= 2
}

func jodaTokens(format string) []jodaToken {
	isField := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	var out []jodaToken
	runes := []rune(format)
	for i := 0; i < len(runes); {
		if isField(runes[i]) {
			start := i
			for i < len(runes) && runes[i] == runes[start] {
				i++
			}
			out = append(out, jodaToken{text: string(runes[start:i])})
			continue
		}
		var text []rune
		inside := false
		for ; i < len(runes) && (inside || !isField(runes[i])); i++ {
			switch {
			case runes[i] != '\'':
				text = append(text, runes[i])
			case i+1 < len(runes) && runes[i+1] == '\'':
				text = append(text, '\'')
				i++
			default:
				inside = !inside
			}
		}
		out = append(out, jodaToken{text: string(text), quoted: true})
	}
	return out
}

func jodaElement(t jodaToken, nextIsNumber bool, thisYear int) (element, bool) {
	n := len(t.text)
	num := func(f field, most int) (element, bool) { return element{field: f, min: n, max: max(most, 0)}, true }
	names := func(f field) (element, bool) {
		e := element{field: f, form: shortText}
		if n >= 4 {
			e.form = longText
		}
		return e, true
	}
	switch t.text[0] {
	case 'G':
		return element{field: era, form: shortText}, true
	case 'C':
		return element{field: century, min: n, max: n, form: signedNumber}, true
	case 'x', 'y', 'Y':
		f := map[byte]field{'x': weekyear, 'y': year, 'Y': yearOfEra}[t.text[0]]
		if n == 2 {
			if f == yearOfEra {
				f = year
			}
			return element{field: f, form: twoDigits, pivot: thisYear - 30, lenient: !nextIsNumber}, true
		}
		e := element{field: f, min: n, max: 9}
		if nextIsNumber {
			e.max = n
		}
		if f != yearOfEra {
			e.form = signedNumber
		}
		return e, true
	case 'M':
		if n >= 3 {
			return names(month)
		}
		return num(month, 2)
	case 'd':
		return num(dayOfMonth, 2)
	case 'D':
		return num(dayOfYear, 3)
	case 'w':
		return num(week, 2)
	case 'e':
		return num(dayOfWeek, 1)
	case 'E':
		return names(dayOfWeek)
	case 'a':
		return element{field: halfday, form: longText}, true
	case 'h':
		return num(clockOfHalf, 2)
	case 'H':
		return num(hourOfDay, 2)
	case 'k':
		return num(clockOfDay, 2)
	case 'K':
		return num(hourOfHalf, 2)
	case 'm':
		return num(minute, 2)
	case 's':
		return num(second, 2)
	case 'S':
		return num(fraction, n)
	case 'Z':
		switch n {
		case 1:
			return element{field: offset}, true
		case 2:
			return element{field: offset, form: withColon}, true
		}
		return element{field: zoneID}, true
	}
	return element{}, false
}

// UsesZone reports a pattern of format_datetime that writes a zone, and one whose
// zone's name depends on a locale's data.
func UsesZone(format string) (zone, name bool) {
	for _, t := range jodaTokens(format) {
		if t.quoted {
			continue
		}
		zone = zone || t.text[0] == 'Z' || t.text[0] == 'z'
		name = name || t.text[0] == 'z'
	}
	return zone, name
}

// UsesThisYear reports a pattern of parse_datetime whose result depends on the year
// in which it is read.
func UsesThisYear(format string) bool {
	for _, t := range jodaTokens(format) {
		if !t.quoted && (t.text == "yy" || t.text == "YY" || t.text == "xx") {
			return true
		}
	}
	return false
}

// foldPrefix reports a literal at the beginning of a text, whatever its case.
func foldPrefix(s, literal string) (rest string, ok bool) {
	for _, want := range literal {
		if s == "" {
			return "", false
		}
		var got rune
		for _, r := range s {
			got = r
			break
		}
		if got != want && unicode.ToUpper(got) != unicode.ToUpper(want) && unicode.ToLower(got) != unicode.ToLower(want) {
			return "", false
		}
		s = s[len(string(got)):]
	}
	return s, true
}
