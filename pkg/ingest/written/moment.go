package written

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxMoment is the longest text that is read as a day or a time, in bytes.
const maxMoment = 96

// Years of Taiwan that have three digits and are near: those of 2011 to 2061.
const firstTaiwan, lastTaiwan = 100, 150

// Form is how a day is written.
type Form uint8

// Forms of days.
const (
	FormYearFirst    Form = iota // 2024-01-31, 2024年1月31日
	FormNamed                    // 31 Jan 2024, Jan 31, 2024
	FormDotted                   // 31.01.2024, which is day first everywhere
	FormSlashed                  // 01/02/2024 and 01-02-2024: the order differs by country
	FormMonth                    // Jan 2024, 2024年1月: a month, as its first day
	FormMonthFigures             // 01/2024, which may be a number of its year
)

// Moment is a text that can be read as a day, with or without a time of day.
// DayFirst and MonthFirst are the two readings; zero where there is no such day.
// They differ for FormSlashed only.
type Moment struct {
	Form                 Form
	DayFirst, MonthFirst time.Time
	Bare                 bool // a day without a time
	ShortYear            bool // two digits, read as 1970 to 2069
	// YearFirst is the reading of three numbers of two digits with the year in front,
	// "24-01-31"; zero where it is no day. First and Last are the outer numbers.
	YearFirst   time.Time
	First, Last int
	// Era is the calendar of which the year was counted, "Taiwan" or "Japan"; empty for the
	// common one.
	Era string
	// Offset is that of a clock that does not show UTC, as it is written: "+02:00". The
	// readings are what that clock shows.
	Offset string
}

// ReadMoment reads a day or a time.
func (w *Words) ReadMoment(text string) (m Moment, ok bool) {
	if len(text) > maxMoment || len(text) < 6 {
		return m, false
	}
	if at, bare, iso := ReadISO(text); iso {
		return Moment{Form: FormYearFirst, DayFirst: at, MonthFirst: at, Bare: bare}, true
	}
	t := tokens{rest: strings.TrimSpace(narrow(text))}
	w.weekday(&t)
	era := t.era()
	var year, first, second int
	var named bool
	switch month := w.months[strings.ToLower(t.peekWord())]; {
	case month > 0: // Jan 31, 2024
		t.word()
		t.skip(". -")
		if year, ok = t.wholeYear(); ok && t.rest == "" { // Jan 2024
			return inMonth(year, month)
		}
		day, width := t.number()
		t.ordinal()
		if width == 0 || width > 2 || !t.skip(", -") {
			return m, false
		}
		named, first, second = true, day, month
		if year, ok = t.lastYear(); !ok {
			year, ok = t.year(&m)
		}
		if !ok {
			return m, false
		}
	default:
		n, width := t.number()
		if width == 0 {
			return m, false
		}
		if width == 3 { // years of Taiwan are counted from 1912 on
			if n < firstTaiwan || n > lastTaiwan {
				return m, false
			}
			m.Era = "Taiwan"
		}
		if year, first, second, named, ok = w.fromNumber(&t, &m, n, width); !ok {
			return m, false
		}
		if m.Form == FormMonth || m.Form == FormMonthFigures {
			month, ok := inMonth(year, second)
			month.Form = m.Form
			return month, ok
		}
	}
	if m.Era != "" && era == 0 {
		era = 1911
	} else if era > 0 {
		m.Era = "Japan"
	}
	year += era
	w.weekday(&t)
	clock, bare, ok := w.clockTime(&t)
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
		if m.ShortYear {
			m.First, m.Last = first, year%100
			m.YearFirst = day(fullYear(first), second, m.Last, clock)
		}
	}
	return m, !m.DayFirst.IsZero() || !m.MonthFirst.IsZero() || !m.YearFirst.IsZero()
}

// HoldsDay reports a text that holds a day or parts of one in a form that is not read: the name of a month
// beside digits (named), three numbers with marks between them, hours and minutes behind digits. Without a
// name the text may be a code.
func (w *Words) HoldsDay(text string) (named, ok bool) {
	if len(text) > maxMoment {
		return false, false
	}
	s, last := narrow(text), byte(0)
	numbers, marks, clock := 0, "", false
	for s != "" {
		t := tokens{rest: s}
		if word := t.peekWord(); word != "" {
			named = named || len(word) > 2 && w.months[strings.ToLower(word)] > 0
			s, last = s[len(word):], 0
			continue
		}
		end := 0
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if end > 0 {
			if end > 4 {
				return false, false
			}
			numbers++
			last = s[end-1]
			s = s[end:]
			continue
		}
		between := isDigit(last) && len(s) > 1 && isDigit(s[1])
		if s[0] == ':' {
			clock = numbers > 1
		} else if between && strings.ContainsRune("/-.", rune(s[0])) {
			marks += s[:1]
		}
		last = s[0]
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	alike := len(marks) == 2 && marks[0] == marks[1]
	named = named && numbers > 0 && numbers <= 7
	return named, named || numbers == 3 && alike || clock && numbers >= 4 && len(marks) >= 2
}

// inMonth is a month, as its first day.
func inMonth(year, month int) (Moment, bool) {
	m := Moment{Form: FormMonth, Bare: true, DayFirst: day(year, month, 1, 0)}
	m.MonthFirst = m.DayFirst
	return m, !m.DayFirst.IsZero()
}

// weekday passes over the name of one, also in parentheses.
func (w *Words) weekday(t *tokens) {
	rest := strings.TrimLeft(t.rest, " ,")
	inside, opened := strings.CutPrefix(rest, "(")
	look := tokens{rest: inside}
	word := look.peekWord()
	if word == "" || !w.weekdays[strings.ToLower(word)] {
		return
	}
	look.word()
	look.take(".")
	if opened && !look.take(")") {
		return
	}
	if look.rest != "" && !look.skip(",. ") && !isDigit(look.rest[0]) {
		return
	}
	if look.rest != "" && isDigit(look.rest[0]) && rest != t.rest { // a time of day follows
		look.rest = " " + look.rest
	}
	t.rest = look.rest
}

// era takes the name of an era of Japan, or that of Taiwan's, and returns the year before its first; 0: there is none.
func (t *tokens) era() int {
	for _, e := range []struct {
		name   string
		before int
	}{{"令和", 2018}, {"平成", 1988}, {"昭和", 1925}, {"大正", 1911}, {"民國", 1911}, {"民国", 1911}} {
		if t.take(e.name) {
			if rest, first := strings.CutPrefix(t.rest, "元年"); first {
				t.rest = "1年" + rest
			}
			t.inEra = true
			return e.before
		}
	}
	return 0
}

// wholeYear takes a year of four digits.
func (t *tokens) wholeYear() (int, bool) {
	look := *t
	n, width := look.number()
	if width != 4 || look.rest != "" && isDigit(look.rest[0]) {
		return 0, false
	}
	*t = look
	return n, true
}

// lastYear takes a year off the end, where a time of day stands before it: "10:30:00 UTC 2024".
func (t *tokens) lastYear() (int, bool) {
	head, last, found := cutLast(t.rest, " ")
	if !found || len(last) != 4 || !digits(last) || len(head) < 4 || head[1] != ':' && head[2] != ':' {
		return 0, false
	}
	n, _ := strconv.Atoi(last) // four digits
	t.rest = " " + head
	return n, true
}

func cutLast(s, sep string) (head, last string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// fromNumber reads what begins with a number: a year, or a day or month. first and
// second are day and month.
func (w *Words) fromNumber(t *tokens, m *Moment, n, width int) (year, first, second int, named, ok bool) {
	sep := t.separator()
	t.ordinal()
	w.particle(t)
	if word := t.peekWord(); width <= 2 && word != "" && w.months[strings.ToLower(word)] > 0 { // 31 Jan 2024
		t.word()
		apart := t.skip(". ,-/")
		w.particle(t)
		year, ok := t.wholeYear()
		if !ok && apart {
			year, ok = t.year(m)
		}
		return year, n, w.months[strings.ToLower(word)], true, ok
	}
	if year, ok := t.wholeYear(); ok && t.rest == "" && width <= 2 && sep == "/" { // 01/2024
		m.Form = FormMonthFigures
		return year, 1, n, false, n >= 1 && n <= 12
	}
	middle, middleWidth := t.number()
	if sep == "" || middleWidth == 0 || middleWidth > 2 {
		return 0, 0, 0, false, false
	}
	if sep == "年" || sep == "년" {
		if width < 3 && !t.inEra || !t.take("月") && !t.take("월") {
			return 0, 0, 0, false, false
		}
		if t.skip(" "); t.rest == "" && width == 4 {
			m.Form = FormMonth
			return n, 1, middle, false, true
		}
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
	if width > 2 {
		last, lastWidth := t.number()
		if sep == "." {
			t.take(".") // as in Hungary and Korea
		}
		return n, last, middle, false, lastWidth == 1 || lastWidth == 2
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
type tokens struct {
	rest, offset string
	inEra        bool // the year is counted from the beginning of an era
}

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
		return fullYear(n), true
	}
	return 0, false
}

// fullYear is the year of two digits.
func fullYear(n int) int {
	if n < 70 {
		return 2000 + n
	}
	return 1900 + n
}

// clockTime reads the time of day at the end; bare says that there is none.
func (w *Words) clockTime(t *tokens) (clock time.Duration, bare, ok bool) {
	if t.rest == "" {
		return 0, true, true
	}
	begun := t.take("T") || t.skip(", ")
	if word := t.peekWord(); w.atClock[strings.ToLower(word)] { // "à 10h30", "um 10.30 Uhr"
		t.word()
		begun = begun && t.skip(" ")
	}
	half, behind := w.halfOfDay(t), false
	if !begun && half == "" {
		return 0, false, false
	}
	parts := [3]int{}
	mark := ""
	for i := range parts {
		n, width := t.number()
		if width == 0 || width > 2 {
			return 0, false, false
		}
		parts[i] = n
		var more bool
		if mark, more = t.clockMark(mark, i); !more {
			if i == 0 && mark == "" {
				return 0, false, false
			}
			break
		}
		if i == len(parts)-1 {
			return 0, false, false
		}
	}
	clock = time.Duration(parts[0])*time.Hour + time.Duration(parts[1])*time.Minute + time.Duration(parts[2])*time.Second
	if mark == ":" && (t.take(".") || t.take(",")) {
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
	if half == "" {
		half = w.halfOfDay(t)
		behind = half != ""
	}
	if half != "" {
		if behind && (parts[0] < 1 || parts[0] > 12) || half == "am" && parts[0] > 12 {
			return 0, false, false
		}
		if parts[0] == 12 && half == "am" {
			clock -= 12 * time.Hour
		}
		if parts[0] < 12 && half == "pm" {
			clock += 12 * time.Hour
		}
	}
	if word := strings.ToLower(t.peekWord()); w.atClock[word] {
		t.word()
	}
	w.zone(t)
	return clock, false, t.rest == "" && parts[0] < 24 && parts[1] < 60 && parts[2] < 60
}

// clockMark takes what stands behind a part of a time of day: colons, points all along, or
// the letters and words for hours, minutes and seconds. more says that another part follows.
func (t *tokens) clockMark(mark string, part int) (found string, more bool) {
	words := [3][]string{{"h", "時", "时", "시"}, {"m", "分", "분"}, {"s", "秒", "초"}}
	for _, word := range words[part] {
		if (mark == "h" || part == 0) && t.take(word) {
			t.skip(" ")
			return "h", part < 2 && t.rest != "" && isDigit(t.rest[0])
		}
	}
	for _, m := range []string{":", "."} {
		if (mark == "" || mark == m) && !(m == "." && part == 2) && len(t.rest) > 1 && t.rest[:1] == m && isDigit(t.rest[1]) {
			t.rest = t.rest[1:]
			return m, true
		}
	}
	return mark, false
}

// halfOfDay takes a word for one of the halves of a day: "am", "pm", or "".
func (w *Words) halfOfDay(t *tokens) string {
	for _, name := range []string{"a.m.", "p.m.", "A.M.", "P.M."} {
		if t.take(name) {
			t.skip(" ")
			return strings.ToLower(name[:1]) + "m"
		}
	}
	half := w.halves[strings.ToLower(t.peekWord())]
	if half != "" {
		t.word()
		t.skip(" ")
	}
	return half
}

// zone takes by how much a clock differs from UTC, or the name of its zone.
func (w *Words) zone(t *tokens) {
	if head, _, found := strings.Cut(t.rest, "("); found && strings.HasSuffix(t.rest, ")") { // "(China Standard Time)"
		t.rest = strings.TrimSpace(head)
	}
	for _, utc := range []string{"UTC", "GMT"} {
		if rest, cut := strings.CutPrefix(t.rest, utc); cut && isOffset(rest) {
			t.rest = rest
		}
	}
	for _, utc := range []string{"Z", "UTC", "+00:00", "+00", "+0000", "GMT", "-00:00"} {
		if t.rest == utc {
			t.rest = ""
		}
	}
	if isOffset(t.rest) || w.zones[t.rest] {
		t.offset, t.rest = t.rest, ""
	}
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
