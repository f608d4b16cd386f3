package ingest

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// The times from firstCounted to lastCounted, counted since 1970, are what a column of
// counted times holds: both in seconds, each text ten digits long or nine.
const (
	firstCounted = 946_684_800   // 2000-01-01
	lastCounted  = 2_524_608_000 // 2050-01-01
)

// countedUnits are the parts of a second that programs count by.
func countedUnits() [3]int64 { return [3]int64{1, 1_000, 1_000_000} }

// clockNumbers counts the whole numbers of a column that are times counted in seconds,
// milliseconds or microseconds since 1970.
type clockNumbers [3]int64

func (n *clockNumbers) see(text string) {
	if len(text) < 9 || len(text) > 16 || text[0] == '-' {
		return
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return
	}
	for i, per := range countedUnits() {
		if v >= firstCounted*per && v < lastCounted*per {
			n[i]++
		}
	}
}

// clockUnit is how many parts of a second the column counts; 0: it holds no counted
// times. Numbers in the range are not enough: telephone numbers and keys are in it too, so
// that the name has to speak of time.
func (c *column) clockUnit() int64 {
	if c.habit == nil || c.declared != nil {
		return 0
	}
	for i, per := range countedUnits() {
		n := c.habit.clock[i]
		if n > 0 && n >= c.habit.plain.count-c.habit.plain.small && float64(n) >= fitShare*float64(c.habit.present()) && c.namesTime() {
			return per
		}
	}
	return 0
}

// namesTime reports a name with a word for time in it: "created_at", "eventTime", 下单时间.
func (c *column) namesTime() bool { return c.ofTime || c.says(c.habit.words.NamesTime) }

// says reports a name with a word in it that is one of a kind.
func (c *column) says(kind func(word string) bool) bool {
	var word []rune
	var words []string
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	lower := false
	for _, r := range c.name {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && lower {
			end()
		}
		if unicode.IsLetter(r) {
			word = append(word, r)
		}
		lower = unicode.IsLower(r)
	}
	end()
	for _, w := range words {
		if kind(w) {
			return true
		}
	}
	return false
}

// Spreadsheets count days from the end of 1899; those of these years have five digits.
const (
	firstSerial = 36_526 // 2000-01-01
	lastSerial  = 54_789 // 2050-01-01
)

// serialDays reports a column of days as spreadsheets count them: all its numbers are whole and among those of
// 2000 to 2049, and its name speaks of time.
func (c *column) serialDays() bool {
	h := c.habit
	if h == nil || c.declared != nil || h.plain.count == 0 || float64(h.plain.count) < fitShare*float64(h.present()) {
		return false
	}
	return h.plain.forms&formInt != 0 && h.plain.small == 0 && h.plain.least >= firstSerial && c.maxInt < lastSerial && c.namesTime()
}

// serialReading reads days that a spreadsheet counted.
func (c *column) serialReading() *reading {
	if !c.serialDays() {
		return nil
	}
	c.typ, c.written = dataType{kind: kindDate}, "days as spreadsheets count them"
	return &reading{words: c.habit.words, kind: readMoments, serial: true}
}

// serialDay writes out a day that a spreadsheet counted; ok is false for what is none.
func serialDay(text string) (plain string, ok bool) {
	n, err := strconv.Atoi(text)
	if err != nil || n < firstSerial || n >= lastSerial {
		return "", false
	}
	return momentText(time.Date(1899, 12, 30+n, 0, 0, 0, 0, time.UTC), true), true
}

// clockReading reads counted times.
func (c *column) clockReading() *reading {
	per := c.clockUnit()
	if per == 0 {
		return nil
	}
	unit := map[int64]string{1: "seconds", 1_000: "milliseconds", 1_000_000: "microseconds"}[per]
	c.typ, c.written = dataType{kind: kindTimestamp}, unit+" since 1970, shown in UTC"
	return &reading{words: c.habit.words, kind: readMoments, perSecond: per}
}

// countedTime writes a counted time out; ok is false for what is none.
func countedTime(text string, per int64) (plain string, ok bool) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < firstCounted*per || v >= lastCounted*per {
		return "", false
	}
	return momentText(time.UnixMicro(v*(1_000_000/per)).UTC(), false), true
}

// lengths counts the texts of a column that are lengths of time.
type lengths struct {
	told     int64 // with units
	clocks   int64 // hours, minutes and seconds, as a time of day has them
	long     bool  // one of them is a day or longer
	seconds  bool  // one is no whole number of minutes
	fraction bool  // one is no whole number of seconds
}

func (l *lengths) see(words *written.Words, text string) {
	seconds, clock, ok := words.ReadLength(text)
	switch {
	case !ok:
		return
	case clock:
		l.clocks++
		l.long = l.long || seconds >= 24*60*60
	default:
		l.told++
	}
	l.seconds = l.seconds || math.Mod(seconds, 60) != 0
	l.fraction = l.fraction || seconds != math.Trunc(seconds)
}

// lengthReading reads lengths of time as numbers of minutes, or of seconds where some are no whole minutes. Hours,
// minutes and seconds with colons are such where one is a day or longer, or the column's name says so: else they may be
// times of day.
func (c *column) lengthReading() *reading {
	h := c.habit
	l := &h.lengths
	all := l.told + l.clocks
	if h.spans == 0 && len(h.units) < 2 || all < h.spans+h.timed || float64(all) < fitShare*float64(h.present()) || l.clocks > 0 && !l.long && !c.says(h.words.NamesLength) {
		return nil
	}
	c.typ, c.unit, c.written = dataType{kind: kindBigint}, "min", "lengths of time, in minutes"
	if l.seconds {
		c.unit, c.written = "s", "lengths of time, in seconds"
	}
	if l.fraction {
		c.typ.kind = kindDouble
	}
	return &reading{words: h.words, kind: readLengths, unit: c.unit}
}

// lengthIn writes out a length of time in a unit; ok is false for what is none.
func lengthIn(words *written.Words, text, unit string) (plain string, ok bool) {
	seconds, _, ok := words.ReadLength(text)
	if unit == "min" {
		seconds /= 60
	}
	return strconv.FormatFloat(seconds, 'f', -1, 64), ok
}
