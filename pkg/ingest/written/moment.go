package written

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxMoment is the longest text that is read as a day or a time, in bytes.
const maxMoment = 60

// Form is how a day is written.
type Form uint8

// Forms of days.
const (
	FormYearFirst Form = iota // 2024-01-31, 2024年1月31日
	FormNamed                 // 31 Jan 2024, Jan 31, 2024
	FormDotted                // 31.01.2024, which is day first everywhere
	FormSlashed               // 01/02/2024 and 01-02-2024: the order differs by country
)

// Moment is a text that can be read as a day, with or without a time of day.
// DayFirst and MonthFirst are the two readings; zero where there is no such day.
// They differ for FormSlashed only.
type Moment struct {
	Form                 Form
	DayFirst, MonthFirst time.Time
	Bare                 bool // a day without a time
	ShortYear            bool // two digits, read as 1970 to 2069
	// Offset is that of a clock that does not show UTC, as it is written: "+02:00". The
	// readings are what that clock shows.
	Offset string
}

// ReadMoment reads a day or a time.
func (w *Words) ReadMoment(text string) (m Moment, ok bool) {
	if len(text) > maxMoment || len(text) < 6 {
		return m, false
	}
	t := tokens{rest: strings.TrimSpace(narrow(text))}
	if word := t.peekWord(); word != "" && w.weekdays[strings.ToLower(word)] {
		t.word()
		t.skip(",. ")
	}
	var year, first, second int
	var named bool
	switch month := w.months[strings.ToLower(t.peekWord())]; {
	case month > 0: // Jan 31, 2024
		t.word()
		t.skip(". -")
		day, width := t.number()
		t.ordinal()
		if width == 0 || width > 2 || !t.skip(", -") {
			return m, false
		}
		named, first, second = true, day, month
		if year, ok = t.year(&m); !ok {
			return m, false
		}
	default:
		n, width := t.number()
		if width == 0 {
			return m, false
		}
		if year, first, second, named, ok = w.fromNumber(&t, &m, n, width); !ok {
			return m, false
		}
	}
	clock, bare, ok := t.clock()
	if !ok {
		return m, false
	}
	m.Bare, m.Offset = bare, t.offset
	if named {
		m.Form = FormNamed
	}
	m.DayFirst = day(year, second, first, clock)
	m.MonthFirst = m.DayFirst
	if m.Form == FormSlashed {
		m.MonthFirst = day(year, first, second, clock)
	}
	return m, !m.DayFirst.IsZero() || !m.MonthFirst.IsZero()
}

// fromNumber reads what begins with a number: a year, or a day or month. first and
// second are day and month.
func (w *Words) fromNumber(t *tokens, m *Moment, n, width int) (year, first, second int, named, ok bool) {
	sep := t.separator()
	t.ordinal()
	w.particle(t)
	if word := t.peekWord(); width <= 2 && word != "" && w.months[strings.ToLower(word)] > 0 { // 31 Jan 2024
		t.word()
		if !t.skip(". ,-/") {
			return 0, 0, 0, false, false
		}
		w.particle(t)
		year, ok := t.year(m)
		return year, n, w.months[strings.ToLower(word)], true, ok
	}
	middle, middleWidth := t.number()
	if sep == "" || middleWidth == 0 || middleWidth > 2 {
		return 0, 0, 0, false, false
	}
	if sep == "年" || sep == "년" {
		if width != 4 || !t.take("月") && !t.take("월") {
			return 0, 0, 0, false, false
		}
		t.skip(" ")
		last, lastWidth := t.number()
		if lastWidth == 0 || !t.take("日") && !t.take("号") && !t.take("일") {
			return 0, 0, 0, false, false
		}
		return n, last, middle, false, true
	}
	if !t.take(sep) {
		return 0, 0, 0, false, false
	}
	if sep == "." {
		t.skip(" ")
	}
	if width == 4 {
		last, lastWidth := t.number()
		return n, last, middle, false, lastWidth == 1 || lastWidth == 2
	}
	if width > 2 {
		return 0, 0, 0, false, false
	}
	m.Form = FormSlashed
	if sep == "." {
		m.Form = FormDotted
	}
	year, ok = t.year(m)
	return year, n, middle, false, ok
}

// day is a moment in UTC; zero where the calendar has no such day.
func day(year, month, dayOfMonth int, clock time.Duration) time.Time {
	if month < 1 || month > 12 || dayOfMonth < 1 || year < 1 {
		return time.Time{}
	}
	t := time.Date(year, time.Month(month), dayOfMonth, 0, 0, 0, 0, time.UTC)
	if t.Day() != dayOfMonth {
		return time.Time{}
	}
	return t.Add(clock)
}

// particle passes over a word that stands between the parts of a day.
func (w *Words) particle(t *tokens) {
	if word := t.peekWord(); w.particles[strings.ToLower(word)] {
		t.word()
		t.skip(" ")
	}
}

// tokens cuts a text from the left.
type tokens struct{ rest, offset string }

func (t *tokens) number() (n, width int) {
	for width < len(t.rest) && isDigit(t.rest[width]) {
		width++
	}
	if width > 4 {
		return 0, 0
	}
	n, _ = strconv.Atoi(t.rest[:width]) // at most four digits
	t.rest = t.rest[width:]
	return n, width
}

func (t *tokens) peekWord() string {
	end := strings.IndexFunc(t.rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(t.rest)
	}
	return t.rest[:end]
}

func (t *tokens) word() { t.rest = t.rest[len(t.peekWord()):] }

// skip passes over any of these characters and reports whether there was one.
func (t *tokens) skip(any string) bool {
	rest := strings.TrimLeft(t.rest, any)
	cut := len(rest) < len(t.rest)
	t.rest = rest
	return cut
}

func (t *tokens) take(s string) bool {
	rest, cut := strings.CutPrefix(t.rest, s)
	t.rest = rest
	return cut
}

// ordinal passes over what English and others put behind a day.
func (t *tokens) ordinal() {
	for _, end := range []string{"st", "nd", "rd", "th", "er", "º", "."} {
		if rest, cut := strings.CutPrefix(t.rest, end); cut {
			if r, _ := utf8.DecodeRuneInString(rest); !unicode.IsLetter(r) {
				t.rest = strings.TrimLeft(rest, " ")
			}
			return
		}
	}
}

// separator takes what stands between the parts of a day.
func (t *tokens) separator() string {
	for _, s := range []string{"年", "년", "/", "-"} {
		if t.take(s) {
			if s == "년" {
				t.skip(" ")
			}
			return s
		}
	}
	if rest, cut := strings.CutPrefix(t.rest, "."); cut {
		t.rest = strings.TrimLeft(rest, " ")
		return "."
	}
	t.skip(" ")
	return ""
}

func (t *tokens) year(m *Moment) (int, bool) {
	n, width := t.number()
	switch width {
	case 4:
		return n, true
	case 2:
		m.ShortYear = true
		if n < 70 {
			return 2000 + n, true
		}
		return 1900 + n, true
	}
	return 0, false
}

// clock reads the time of day at the end; bare says that there is none.
func (t *tokens) clock() (clock time.Duration, bare, ok bool) {
	if t.rest == "" {
		return 0, true, true
	}
	if !t.take("T") && !t.skip(", ") {
		return 0, false, false
	}
	parts := [3]int{}
	for i := range parts {
		n, width := t.number()
		if width == 0 || width > 2 {
			return 0, false, false
		}
		parts[i] = n
		if !t.take(":") {
			if i == 0 {
				return 0, false, false
			}
			break
		}
		if i == len(parts)-1 {
			return 0, false, false
		}
	}
	clock = time.Duration(parts[0])*time.Hour + time.Duration(parts[1])*time.Minute + time.Duration(parts[2])*time.Second
	if t.take(".") || t.take(",") {
		end := 0
		for end < len(t.rest) && isDigit(t.rest[end]) {
			end++
		}
		if end == 0 || end > 9 {
			return 0, false, false
		}
		nanos, _ := strconv.Atoi(t.rest[:end] + strings.Repeat("0", 9-end)) // nine digits
		clock += time.Duration(nanos)
		t.rest = t.rest[end:]
	}
	t.skip(" ")
	switch half := strings.ToLower(strings.ReplaceAll(t.peekWord(), ".", "")); half {
	case "am", "pm":
		if parts[0] < 1 || parts[0] > 12 {
			return 0, false, false
		}
		if parts[0] == 12 {
			clock -= 12 * time.Hour
		}
		if half == "pm" {
			clock += 12 * time.Hour
		}
		t.word()
	}
	for _, utc := range []string{"Z", "UTC", "+00:00", "+00", "+0000", "GMT"} {
		if t.rest == utc {
			t.rest = ""
		}
	}
	if isOffset(t.rest) {
		t.offset, t.rest = t.rest, ""
	}
	return clock, false, t.rest == "" && parts[0] < 24 && parts[1] < 60 && parts[2] < 60
}

// isOffset reports by how much a clock differs from UTC: "+02:00", "-0530", "+2".
func isOffset(s string) bool {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return false
	}
	hours, minutes, colon := strings.Cut(s[1:], ":")
	if !colon && len(hours) == 4 {
		hours, minutes = hours[:2], hours[2:]
	}
	if !digits(hours) || len(hours) > 2 || (colon || minutes != "") && (!digits(minutes) || len(minutes) != 2) {
		return false
	}
	h, _ := strconv.Atoi(hours)   // two digits
	m, _ := strconv.Atoi(minutes) // two digits, or none
	return h <= 14 && m < 60
}

// ReadCompact reads a day of eight digits, "20240131". Numbers can be written so too:
// the values of a column decide.
func ReadCompact(text string) (t time.Time, ok bool) {
	if len(text) != 8 || text[0] != '1' && text[0] != '2' && text != "99991231" {
		return t, false
	}
	t, err := time.Parse("20060102", text)
	return t, err == nil && (t.Year() >= 1900 && t.Year() < 2100 || t.Year() == 9999)
}
