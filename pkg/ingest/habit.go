package ingest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/written"
)

const (
	// fitShare is how much of a column has to be readable for it to become numbers or
	// days; the rest is told and kept aside.
	fitShare = 0.9
	// likeShare is how much of a text column has to look like numbers or days for
	// that to be told.
	likeShare = 0.5
	// holdShare is how much of it has to hold numbers or be such, where words stand beside some.
	holdShare = 0.8
	// unitsKept is how many units of a column are told apart.
	unitsKept = 8
	// sparse: in a column that is text for sure only each so many-th value is looked at.
	sparse = 32
	// surelyText is after how many unreadable values that is.
	surelyText = 4096
)

// habit gathers how a column writes what is not plain: see package written. Of each
// text that allows two readings it follows both, as if there were a column of each;
// the end decides.
type habit struct {
	words  *written.Words
	values int64 // not empty
	nulls  int64 // words for no value
	rest   int64 // that nothing reads
	coded  int64 // of them such with digits: "A12"
	holds  int64 // of them such that have an amount among words
	ratios int64 // of them such that have two numbers: "3/5"
	spans  int64 // of them such that are times of day or lengths of time
	timed  int64 // numbers with a unit of time

	suffixes map[string]int64 // of them: letters right behind a number, that are no known measure

	plain        plainNumbers
	point, comma numberHabit
	same         int64 // numbers that are one in both readings
	either       int64 // numbers that are another in each
	units        map[string]int64
	scales       map[string]int64
	offsets      map[string]int64 // of times of day; "" is UTC, or none
	bare         int64            // numbers without a unit, other than 0
	marked       int64            // numbers that no code is written like
	padded       int64            // 007
	pluses       int64            // +7

	day, month momentHabit
	fixed      int64 // days that have one reading
	bothWays   int64 // days that have two different ones
	slashed    bool  // some days stand in an order that differs by country
	yearFirst  int64 // days that begin with the year
	shortYear  bool
	months     int64 // months without a day
	figures    int64 // of them such as 01/2024
	minYear    int
	maxYear    int
	era        string // of a calendar of another country
	shorts     shortDays
	almost     int64 // texts that hold a day, or parts of one, and are not read
	almostSure int64 // of them such with the name of a month

	flagCount int64
	languages uint64       // in which all flags are words
	flags     written.Flag // in which there was a yes, a no

	absences absences
	clock    clockNumbers
	lengths  lengths
	marks    int64 // values behind a mark that keeps spreadsheets from reading them
	runs     runs

	classes class // of all values
	empty   bool  // some rows have no value
}

// class is what a value is at first sight. A value of another class than all others
// of its column is a sign that it belongs to another column.
type class uint8

const (
	classEmpty class = 1 << iota
	classNumber
	classMoment
	classOther
)

// plainNumbers are those that need no habit: "12", "12.5".
type plainNumbers struct {
	count, triples, pointed int64 // triples: "1.234", which elsewhere is a thousand
	small                   int64 // whole, of at most three digits
	least                   int64 // of the whole numbers
	days                    int64 // "20240131"
	zeroEnds                bool  // some of the triples end in a zero: "1.230"
	large                   bool  // some are whole and have more than three digits
	forms                   form
	others                  form // of those that are no triples
}

// numberHabit is one reading of the numbers that are not plain.
type numberHabit struct {
	alone  int64 // numbers that only this reading has
	column *column
}

// shortDays are days of three numbers of two digits, of which the first may be the year.
type shortDays struct {
	count       int64 // of which that is a day
	first, last [100]bool
}

// yearFirst tells from how different the outer numbers are which is the year: of a year there are few, of
// days many. unclear: they do not tell.
func (s *shortDays) yearFirst(all float64) (is, unclear bool) {
	if s.count == 0 || float64(s.count) < all {
		return false, false
	}
	firsts, lasts := 0, 0
	for i := range s.first {
		if s.first[i] {
			firsts++
		}
		if s.last[i] {
			lasts++
		}
	}
	return lasts >= 4 && 2*firsts <= lasts, firsts <= lasts
}

// momentHabit is one reading of the days that are not plain.
type momentHabit struct {
	alone  int64
	falls  int64 // how often a day is before the one above it
	last   time.Time
	column *column
}

func newHabit(words *written.Words) *habit {
	observer := func() *column { return newColumn("", nil) }
	return &habit{
		words: words, units: map[string]int64{}, suffixes: map[string]int64{}, scales: map[string]int64{}, offsets: map[string]int64{}, plain: plainNumbers{forms: anyForm, others: anyForm},
		point: numberHabit{column: observer()}, comma: numberHabit{column: observer()},
		day: momentHabit{column: observer()}, month: momentHabit{column: observer()},
		languages: math.MaxUint64, absences: newAbsences(),
	}
}

// see takes a value into account; forms are what it is as it stands.
func (h *habit) see(text string, forms form) {
	h.values++
	if forms&formDouble != 0 {
		h.classes |= classNumber
		h.plainNumber(text, forms)
		return
	}
	h.absences.see(h.words, text)
	if h.rest > surelyText && h.rest*2 > h.values && h.values%sparse != 0 {
		h.rest++
		return
	}
	if forms&formTimestamp == 0 && h.word(text) { // a day of ISO 8601 is nothing else
		return
	}
	if m, ok := h.words.ReadMoment(text); ok {
		h.classes |= classMoment
		h.moment(m)
		return
	}
	h.classes |= classOther
	h.rest++
	trimmed := strings.TrimSpace(text)
	named, holdsDay := h.words.HoldsDay(trimmed)
	if suffix := written.Suffix(trimmed); suffix != "" {
		count(h.suffixes, suffix, unitsKept)
	}
	switch {
	case isPadded(trimmed):
		h.padded++
	case h.words.IsSpan(trimmed):
		h.spans++
		h.coded++
		h.lengths.see(h.words, trimmed)
	case h.words.HoldsRatio(trimmed):
		h.ratios++
		h.coded++
	case holdsDay:
		h.almost++
		if named {
			h.almostSure++
		}
		h.coded++
	case h.words.HoldsAmount(trimmed):
		h.holds++
		h.coded++
	case strings.ContainsAny(trimmed, "0123456789"):
		h.coded++
	}
}

// word takes a value into account that is a flag, a word for no value or a number; false: it is none.
func (h *habit) word(text string) bool {
	if f, ok := h.words.ReadFlag(text); ok {
		h.classes |= classOther
		h.flagCount++
		h.languages &= f.Yes | f.No
		h.flags.Yes |= f.Yes
		h.flags.No |= f.No
		if h.words.IsNull(text) {
			h.nulls++
		}
		return true
	}
	if h.words.IsNull(text) {
		h.classes |= classEmpty
		h.nulls++
		return true
	}
	if n, ok := h.words.ReadNumber(text); ok {
		h.classes |= classNumber
		h.number(n)
		return true
	}
	return false
}

// classOf is the class of one value, as see finds it.
func classOf(words *written.Words, text string) class {
	text, _ = withoutMark(strings.TrimSpace(text))
	_, isNumeric := words.ReadNumber(text)
	_, isMoment := words.ReadMoment(text)
	switch {
	case text == "", words.IsNull(text):
		return classEmpty
	case isNumber(text), isNumeric:
		return classNumber
	case isMoment:
		return classMoment
	}
	return classOther
}

// isPadded reports digits with zeros or a plus in front, which are codes.
func isPadded(s string) bool {
	return len(s) > 1 && (s[0] == '0' || s[0] == '+') && strings.Trim(s, "0123456789+ ") == ""
}

func (h *habit) plainNumber(text string, forms form) {
	h.plain.count++
	h.plain.forms &= forms
	h.bare++
	h.clock.see(text)
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if len(fraction) != 3 {
		h.plain.others &= forms
	}
	switch {
	case pointed && len(fraction) == 3 && len(whole) <= 3 && whole != "" && whole[0] != '0':
		h.plain.triples++
		h.plain.zeroEnds = h.plain.zeroEnds || fraction[2] == '0'
		h.comma.column.observe(strings.Replace(text, ".", "", 1))
	case pointed || forms&formDecimal == 0:
		h.plain.pointed++
	case len(whole) <= 3:
		h.plain.small++
	default:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && (!h.plain.large || n < h.plain.least) {
			h.plain.least = n
		}
		h.plain.large = true
		if _, ok := written.ReadCompact(text); ok {
			h.plain.days++
		}
	}
}

func (h *habit) number(n written.Number) {
	if n.Marked {
		h.marked++
	}
	if n.Plus {
		h.pluses++
	}
	switch zero := strings.Trim(n.Point+n.Comma, "-0.") == ""; {
	case n.Unit != "":
		count(h.units, n.Unit, unitsKept)
		if h.words.IsSpanUnit(n.Unit) {
			h.timed++
			h.lengths.see(h.words, n.Point+n.Unit)
		}
	case !zero:
		h.bare++
	}
	if n.Scale != "" {
		count(h.scales, n.Scale, unitsKept)
	}
	if n.Point != "" {
		h.point.column.observe(n.Point)
	}
	if n.Comma != "" {
		h.comma.column.observe(n.Comma)
	}
	switch {
	case n.Comma == "":
		h.point.alone++
	case n.Point == "":
		h.comma.alone++
	case n.Comma == n.Point:
		h.same++
	default:
		h.either++
	}
}

// count counts a word, of which at most so many are told apart.
func count(words map[string]int64, word string, most int) {
	if _, known := words[word]; known || len(words) < most {
		words[word]++
	}
}

func (h *habit) moment(m written.Moment) {
	if !m.Bare {
		count(h.offsets, m.Offset, unitsKept)
	}
	h.shortYear = h.shortYear || m.ShortYear
	h.slashed = h.slashed || m.Form == written.FormSlashed
	switch m.Form {
	case written.FormYearFirst:
		h.yearFirst++
	case written.FormMonthFigures:
		h.figures++
		h.months++
	case written.FormMonth:
		h.months++
	case written.FormNamed, written.FormDotted, written.FormSlashed:
	}
	if m.Era != "" {
		h.era = m.Era
	}
	if m.ShortYear && m.Form == written.FormSlashed && !m.YearFirst.IsZero() {
		h.shorts.count++
		h.shorts.first[m.First], h.shorts.last[m.Last] = true, true
	}
	for _, t := range []time.Time{m.DayFirst, m.MonthFirst} {
		if !t.IsZero() {
			if h.minYear == 0 || t.Year() < h.minYear {
				h.minYear = t.Year()
			}
			h.maxYear = max(h.maxYear, t.Year())
		}
	}
	h.day.see(m.DayFirst, m.Bare)
	h.month.see(m.MonthFirst, m.Bare)
	switch {
	case m.DayFirst.IsZero() && m.MonthFirst.IsZero(): // only with the year first
	case m.DayFirst.Equal(m.MonthFirst):
		h.fixed++
	case m.MonthFirst.IsZero():
		h.day.alone++
	case m.DayFirst.IsZero():
		h.month.alone++
	default:
		h.bothWays++
	}
}

func (m *momentHabit) see(t time.Time, bare bool) {
	if t.IsZero() {
		return
	}
	if t.Before(m.last) {
		m.falls++
	}
	m.last = t
	m.column.seen++
	m.column.forms &= formsOf(t, bare)
}

// formsOf are the forms that a time allows; bare: it was written without a time of day.
func formsOf(t time.Time, bare bool) form {
	f := formTimestamp
	if bare {
		f |= formBareDate
	}
	if t.Equal(t.Truncate(24 * time.Hour)) {
		f |= formDate
	}
	return f
}

func momentText(t time.Time, bare bool) string {
	if bare {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04:05.999999999")
}

// customs are what the other columns of a file tell of how its country writes.
type customs struct {
	comma      bool // decimals have a comma
	point      bool // or a point
	both       bool // some columns a comma, others a point
	dayFirst   bool
	monthFirst bool
	yearFirst  bool // of days of two digits each, as somebody said
}

// customsOf gathers what is beyond doubt in a file's columns.
func customsOf(columns []*column, options *Options) customs {
	var points, commas, days, months int
	for _, c := range columns {
		h := c.habit
		if h == nil || h.padded > 0 {
			continue
		}
		switch {
		case h.comma.alone > 0 && h.point.alone+h.plain.pointed == 0 && h.numbers(true) >= fitShare*float64(h.present()):
			commas++
		case h.point.alone+h.plain.pointed > 0 && h.comma.alone == 0:
			points++
		}
		_, unclear := h.shorts.yearFirst(h.slashedDays())
		switch {
		case unclear:
		case h.day.alone > 0 && h.month.alone == 0:
			days++
		case h.month.alone > 0 && h.day.alone == 0:
			months++
		}
	}
	c := customs{comma: commas > 0 && points == 0, point: points > 0 && commas == 0, both: commas > 0 && points > 0, dayFirst: days > 0 && months == 0, monthFirst: months > 0 && days == 0}
	switch options.DateOrder {
	case DateOrderDayFirst:
		c.dayFirst, c.monthFirst = true, false
	case DateOrderMonthFirst:
		c.dayFirst, c.monthFirst = false, true
	case DateOrderYearFirst:
		c.yearFirst, c.dayFirst, c.monthFirst = true, false, false
	}
	return c
}

// present is how many values say something.
func (h *habit) present() int64 { return h.values - h.nulls }

// numbers is how many values one reading of numbers has.
func (h *habit) numbers(comma bool) float64 {
	n := h.plain.count + h.same + h.either
	if comma {
		return float64(n - h.plain.pointed + h.comma.alone)
	}
	return float64(n + h.point.alone)
}

// moments is how many values one reading of days has.
func (h *habit) moments(monthFirst bool) float64 {
	n := h.fixed + h.bothWays
	if monthFirst {
		return float64(n + h.month.alone)
	}
	return float64(n + h.day.alone)
}

// slashedDays is how many values are days with one of the two usual orders.
func (h *habit) slashedDays() float64 {
	return float64(h.fixed + h.bothWays + h.day.alone + h.month.alone)
}

// reading says how the texts of a column become values.
type reading struct {
	words      *written.Words
	kind       readingKind
	yearFirst  bool  // days of three numbers of two digits
	yearsBack  int   // by how much the years of the calendar are ahead
	comma      bool  // numbers
	monthFirst bool  // days
	compact    bool  // days of eight digits
	serial     bool  // days that a spreadsheet counted
	perSecond  int64 // counted parts of a second since 1970; 0: they are written out
	offset     string
	unit       string
	languages  uint64 // flags
}

type readingKind uint8

const (
	readNumbers readingKind = iota
	readMoments
	readFlags
	readLengths
)

// plainText gives a value as dataType.value reads it: "" for no value; ok is false
// for what does not fit.
func (r *reading) plainText(text string) (plain string, ok bool) {
	text = strings.TrimSpace(text)
	if r.kind == readFlags {
		f, ok := r.words.ReadFlag(text)
		switch {
		case ok && f.Yes&r.languages != 0:
			return "true", true
		case ok && f.No&r.languages != 0:
			return "false", true
		}
		return "", r.words.IsNull(text)
	}
	if r.words.IsNull(text) {
		return "", true
	}
	if r.kind == readLengths {
		return lengthIn(r.words, text, r.unit)
	}
	if r.kind == readMoments {
		if r.perSecond > 0 {
			return countedTime(text, r.perSecond)
		}
		if r.serial {
			return serialDay(text)
		}
		if r.compact {
			t, ok := written.ReadCompact(text)
			return momentText(t, true), ok
		}
		if at, bare, ok := readTime(text); ok && (bare || r.offset == "") {
			return momentText(at.AddDate(-r.yearsBack, 0, 0), bare), true
		}
		m, ok := r.words.ReadMoment(text)
		ok = ok && (m.Bare || m.Offset == r.offset)
		t := m.DayFirst
		switch {
		case r.yearFirst:
			t = m.YearFirst
		case r.monthFirst:
			t = m.MonthFirst
		}
		return momentText(t.AddDate(-r.yearsBack, 0, 0), m.Bare), ok && !t.IsZero()
	}
	if isNumber(text) && !r.comma {
		return text, true
	}
	n, ok := r.words.ReadNumber(text)
	if n.Unit != "" && n.Unit != r.unit {
		return "", false
	}
	plain = n.Point
	if r.comma {
		plain = n.Comma
	}
	return plain, ok && plain != ""
}

// decide finds the column's reading from all its values. It returns nil where the
// column stays as it is written.
func (c *column) decide(customs customs) *reading {
	h := c.habit
	if h == nil || h.present() == 0 {
		return nil
	}
	if r := h.flagReading(); r != nil {
		c.typ, c.written = dataType{kind: kindBoolean}, "yes or no"
		return r
	}
	if r := c.compactReading(); r != nil {
		return r
	}
	if r := c.clockReading(); r != nil {
		return r
	}
	if r := c.serialReading(); r != nil {
		return r
	}
	if r := c.lengthReading(); r != nil {
		return r
	}
	if c.unitsInText(); c.resembles != "" {
		return nil
	}
	if r := c.numberReading(customs); r != nil || c.resembles != "" {
		return r
	}
	return c.momentReading(customs)
}

// unitsInText tells texts that hold amounts in a form that is not read: times of day and lengths of time, two
// numbers that make one value, numbers with letters behind them that all values have.
func (c *column) unitsInText() {
	h := c.habit
	total := h.present()
	if h.spans > 0 && float64(h.spans+h.timed) >= fitShare*float64(total) {
		c.resembles, c.why = catalog.ResemblesTime, fmt.Sprintf("%d of %d values are times of day or lengths of time", h.spans+h.timed, total)
	}
	if float64(h.ratios) >= fitShare*float64(total) {
		c.resembles, c.why = catalog.ResemblesNumber, fmt.Sprintf("%d of %d values are two numbers, as in “3/5”", h.ratios, total)
	}
	for suffix, n := range h.suffixes {
		if n > 1 && float64(n) >= fitShare*float64(total) && h.spans == 0 {
			c.resembles, c.why = catalog.ResemblesNumber, fmt.Sprintf("“%s” stands behind the number in %d of %d values", suffix, n, total)
		}
	}
}

// flagReading reads words of one language that has both yes and no among them, and
// nothing else.
func (h *habit) flagReading() *reading {
	languages := h.languages & h.flags.Yes & h.flags.No
	others := h.rest + h.plain.count + h.point.column.seen + h.comma.column.seen + h.day.column.seen + h.month.column.seen
	if h.flagCount == 0 || languages == 0 || others > 0 {
		return nil
	}
	return &reading{words: h.words, kind: readFlags, languages: languages}
}

// compactReading reads days of eight digits. Of numbers of eight digits one in a
// thousand is a day, so that a column of them is one of days.
func (c *column) compactReading() *reading {
	h := c.habit
	if h.plain.days == 0 || h.plain.days < h.plain.count-h.plain.small || float64(h.plain.days) < fitShare*float64(h.present()) {
		return nil
	}
	c.typ, c.written = dataType{kind: kindDate}, "year, month and day without a mark between them"
	return &reading{words: h.words, kind: readMoments, compact: true}
}

func (c *column) numberReading(customs customs) *reading {
	h := c.habit
	total := float64(h.present())
	pointOnly, commaOnly := h.point.alone+h.plain.pointed, h.comma.alone
	unclear := h.either + h.plain.triples
	comma := commaOnly > pointOnly
	switch {
	case commaOnly == 0 && pointOnly == 0 && unclear > 0:
		comma = customs.comma || h.pointsGroup()
	case commaOnly == pointOnly && commaOnly > 0:
		comma = customs.comma
	}
	fits := h.numbers(comma)
	if h.holds > 0 && fits < fitShare*total && fits+float64(h.holds) >= holdShare*total {
		c.resembles, c.why = catalog.ResemblesNumber, fmt.Sprintf("in %d of %d values words stand beside the number", h.holds, int64(total))
		return nil
	}
	if fits < likeShare*total || fits == 0 {
		return nil
	}
	units := sortedUnits(h.units)
	why := ""
	switch {
	case h.marked == 0 && (h.padded > 0 || h.pluses > 0 && c.minInt >= 0):
		return nil // codes
	case fits < fitShare*total:
		why = fmt.Sprintf("%d of %d values are no numbers", int64(total-fits), int64(total))
	case h.coded > 0 && h.marked == 0 && h.plain.pointed == 0:
		why = "some values are codes with letters"
	case commaOnly == 0 && pointOnly == 0 && h.plain.triples > 0 && customs.both && !h.pointsGroup():
		why = "no value tells the mark of thousands from that of decimals, and other columns write decimals both ways"
	case len(units) > 1:
		why = "its numbers have several units: " + strings.Join(units, ", ")
	case len(units) == 1 && units[0] == written.Percent && h.bare > 0:
		why = "some of its numbers are percentages and some are not"
	}
	if why != "" {
		c.resembles, c.why = catalog.ResemblesNumber, why
		return nil
	}
	r := &reading{words: h.words, kind: readNumbers, comma: comma}
	if len(units) == 1 {
		r.unit, c.unit = units[0], units[0]
	}
	c.typ = h.numberType(c, comma, r.unit == written.Percent)
	if c.typ.kind == kindVarchar {
		return nil
	}
	var how []string
	switch {
	case comma && commaOnly == 0 && h.pointsGroup():
		how = append(how, "a point between thousands")
	case comma:
		how = append(how, "decimals with a comma")
	case h.either > 0:
		how = append(how, "a comma between thousands")
	}
	if commaOnly == 0 && pointOnly == 0 && unclear > 0 && !customs.comma && !customs.point && !h.plainThousands(comma) && !h.pointsGroup() {
		how = append(how, "no value tells the mark of thousands from that of decimals")
	}
	if len(h.scales) > 0 {
		how = append(how, fmt.Sprintf("%s multiplied in", strings.Join(sortedUnits(h.scales), ", ")))
	}
	if c.unit == written.Percent {
		how = append(how, "percent, kept as parts of 1")
	}
	if c.unit != "" && c.unit != written.Percent && h.bare > 0 {
		how = append(how, fmt.Sprintf("%d numbers without a unit are taken for %s", h.bare, c.unit))
	}
	c.written = strings.Join(how, "; ")
	return r
}

// pointsGroup reports whole numbers of which those from a thousand on have points between
// thousands: "567" and "1.230". Decimals would end in a zero in all of them or in none.
func (h *habit) pointsGroup() bool {
	return h.plain.zeroEnds && h.plain.small > 0 && !h.plain.large && h.plain.pointed == 0
}

// plainThousands reports that whole numbers of the column, written without marks,
// are below a thousand or so: then the marks of the others stand between thousands.
func (h *habit) plainThousands(comma bool) bool {
	return !comma && h.plain.count > 0 && h.plain.small == h.plain.count
}

// numberType is the type that the numbers have, in the one of both readings: the declared one where they fit it.
func (h *habit) numberType(c *column, comma, percent bool) dataType {
	observed := h.point.column
	if comma {
		observed = h.comma.column
	}
	all := *observed
	if h.plain.count > 0 && !comma || h.plain.count > h.plain.triples {
		plain := h.plain.forms
		if comma && h.plain.pointed == 0 {
			plain = h.plain.others
		}
		all.forms &= plain
		all.intDigits, all.fracDigits = max(all.intDigits, c.intDigits), max(all.fracDigits, c.fracDigits)
		all.minInt, all.maxInt = min(all.minInt, c.minInt), max(all.maxInt, c.maxInt)
	}
	if percent {
		all.forms &^= formInt | formWhole
	}
	all.forms &^= formFlag | formBit | formDate | formBareDate | formTimestamp
	all.seen, all.declared = 1, c.declared
	if t, fits := all.asDeclared(wantedType(c.declared)); fits && !percent && t.kind == kindDecimal {
		return t
	}
	return all.best()
}

func (c *column) momentReading(customs customs) *reading {
	h := c.habit
	total := float64(h.present())
	monthFirst := h.month.alone > h.day.alone
	unclear := false
	if h.day.alone == 0 && h.month.alone == 0 && h.bothWays > 0 {
		switch {
		case customs.monthFirst != customs.dayFirst:
			monthFirst = customs.monthFirst
		case h.day.falls == 0 && h.month.falls > 1:
			monthFirst = false
		case h.month.falls == 0 && h.day.falls > 1:
			monthFirst = true
		default:
			unclear = true
		}
	}
	fits := h.moments(monthFirst)
	yearFirst, unclearYear := h.shorts.yearFirst(h.slashedDays())
	unclearYear = unclearYear && customs.monthFirst == customs.dayFirst
	if yearFirst = unclearYear && (yearFirst || customs.yearFirst); yearFirst {
		fits, unclear = float64(h.shorts.count), false
	}
	almost := h.almostSure
	if c.namesTime() {
		almost = h.almost
	}
	if like := float64(almost) + fits; almost > 0 && fits < fitShare*total && like >= fitShare*total {
		c.resembles, c.why = catalog.ResemblesDate, fmt.Sprintf("%d of %d values are days or times in a form that is not known", almost, int64(total))
		return nil
	}
	if fits == 0 || fits < likeShare*total {
		return nil
	}
	offsets := sortedUnits(h.offsets)
	switch {
	case h.figures > 0 && !c.namesTime():
		return nil // numbers of a year, as those of invoices
	case h.months > 0 && float64(h.months) < fits:
		c.resembles, c.why = catalog.ResemblesDate, fmt.Sprintf("%d of %d values are months without a day", h.months, int64(total))
		return nil
	case unclearYear && !yearFirst && h.shorts.count > 0:
		c.resembles, c.why = catalog.ResemblesDate, "no value tells the year from the day: say --date-order day, month or year"
		return nil
	case len(offsets) > 1:
		c.resembles, c.why = catalog.ResemblesDate, "its times have several offsets: "+strings.Join(named(offsets), ", ")
		return nil
	case unclear:
		c.resembles, c.why = catalog.ResemblesDate, "no value tells the day from the month: say --date-order day or --date-order month"
		return nil
	case fits < fitShare*total:
		c.resembles, c.why = catalog.ResemblesDate, fmt.Sprintf("%d of %d values are no days that are written alike", int64(total-fits), int64(total))
		return nil
	}
	observed := h.day.column
	c.written = "day/month/year"
	if monthFirst {
		observed, c.written = h.month.column, "month/day/year"
	}
	switch {
	case yearFirst:
		observed, c.written = h.day.column, "year-month-day"
	case h.slashed:
	case h.months > 0:
		c.written = "months, kept as their first days"
	case float64(h.yearFirst) == fits:
		c.written = "" // nothing else it could be
	default:
		c.written = "days with names of months or points"
	}
	if h.shortYear {
		c.written += "; years of two digits are 1970 to 2069"
	}
	if h.era != "" {
		c.written = strings.TrimPrefix(c.written+"; years are counted as in "+h.era, "; ")
	}
	r := &reading{words: h.words, kind: readMoments, monthFirst: monthFirst, yearFirst: yearFirst}
	if h.buddhist() {
		r.yearsBack = buddhistYears
		c.written = strings.TrimPrefix(c.written+fmt.Sprintf("; years are counted as in Thailand, %d ahead", buddhistYears), "; ")
	}
	if len(offsets) == 1 && offsets[0] != "" {
		r.offset = offsets[0]
		if c.written != "" {
			c.written += "; "
		}
		c.written += "as the clock at " + r.offset + " shows"
	}
	c.typ = dataType{kind: kindTimestamp}
	if observed.forms&formBareDate != 0 {
		c.typ.kind = kindDate
	}
	return r
}

// The years of the Buddhist calendar, as they are counted in Thailand, are ahead by so much. Files are taken
// to have them where all years are among those that it has for 1900 to 2057.
const (
	buddhistYears = 543
	firstBuddhist = 1900 + buddhistYears
	lastBuddhist  = 2057 + buddhistYears
)

func (h *habit) buddhist() bool { return h.minYear >= firstBuddhist && h.maxYear <= lastBuddhist }

// named writes the offset of no offset.
func named(offsets []string) []string {
	for i, o := range offsets {
		if o == "" {
			offsets[i] = "UTC or none"
		}
	}
	return offsets
}

func sortedUnits(units map[string]int64) []string {
	names := make([]string, 0, len(units))
	for name := range units {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
