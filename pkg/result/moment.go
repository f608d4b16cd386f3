package result

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
)

// Grain is the length of the periods on a time axis.
type Grain int

// Grains, finest first.
const (
	GrainNone Grain = iota
	GrainSecond
	GrainHour
	GrainDay
	GrainWeek
	GrainMonth
	GrainQuarter
	GrainYear
)

// ParseMoment reads Presto's text of a date or timestamp, and the forms in which
// text columns keep dates: 2026-11-19, 2026-11, 20261119, 202611 is not read (it
// is a number as likely). The grain is the finest that the text tells of: day for
// a date, second for a timestamp. Times without a zone come back in loc.
func ParseMoment(text string, loc *time.Location) (time.Time, Grain, bool) {
	text = strings.TrimSpace(text)
	if len(text) < len("2006-01") || len(text) > 80 {
		return time.Time{}, GrainNone, false
	}
	switch len(text) {
	case len("2006-01"):
		month, ok := dateOf(text+"-01", '-', loc)
		return month, grainIf(ok, GrainMonth), ok
	case len("20060102"):
		day, ok := dateOf(text[:4]+"-"+text[4:6]+"-"+text[6:], '-', loc)
		return day, grainIf(ok, GrainDay), ok
	case len("2006-01-02"):
		if day, ok := dateOf(text, text[4], loc); ok {
			return day, GrainDay, true
		}
	}
	const date = len("2006-01-02")
	if len(text) < len("2006-01-02 5:04") || text[date] != ' ' && text[date] != 'T' {
		return time.Time{}, GrainNone, false
	}
	clock, zone := splitZone(text[date+1:])
	if zone != "" {
		named, err := zoneOf(zone)
		if err != nil {
			return time.Time{}, GrainNone, false
		}
		loc = named
	}
	at, ok := timeOf(text[:date], clock, loc)
	return at, grainIf(ok, GrainSecond), ok
}

func grainIf(ok bool, grain Grain) Grain {
	if ok {
		return grain
	}
	return GrainNone
}

// dateOf reads 2006-01-02 with the sign between its parts, - or /. It reads digits by itself,
// as timeOf does: package time reads its layout anew for every text, and columns of times are
// what an analysis of many rows spends most on.
func dateOf(text string, sign byte, loc *time.Location) (time.Time, bool) {
	year, month, day, ok := partsOf(text, sign)
	if !ok {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, loc), true
}

// partsOf are the year, month and day of a date that is in the calendar.
func partsOf(text string, sign byte) (year, month, day int, ok bool) {
	if len(text) != len("2006-01-02") || sign != '-' && sign != '/' || text[4] != sign || text[7] != sign {
		return 0, 0, 0, false
	}
	year, a := digits(text[:4])
	month, b := digits(text[5:7])
	day, c := digits(text[8:])
	ok = a && b && c && month >= 1 && month <= 12 && day >= 1 && day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return year, month, day, ok
}

// timeOf reads a day and 15:04, 15:04:05 or 15:04:05.999999999 at it; hours may have one digit.
// Digits behind the ninth of a fraction are below what a time can tell.
func timeOf(date, clock string, loc *time.Location) (time.Time, bool) {
	if len(clock) > 1 && clock[1] == ':' {
		clock = "0" + clock
	}
	year, month, day, ok := partsOf(date, '-')
	if !ok || len(clock) < len("15:04") || clock[2] != ':' {
		return time.Time{}, false
	}
	hour, a := digits(clock[:2])
	minute, b := digits(clock[3:5])
	second, c, nanos := 0, true, 0
	if rest := clock[len("15:04"):]; rest != "" {
		if len(rest) < len(":05") || rest[0] != ':' {
			return time.Time{}, false
		}
		second, c = digits(rest[1:3])
		if fraction := rest[3:]; fraction != "" {
			var d bool
			nanos, d = nanosOf(fraction)
			c = c && d
		}
	}
	if !a || !b || !c || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, nanos, loc), true
}

// nanosOf reads .5, or ,5, as half of a second, in nanoseconds.
func nanosOf(fraction string) (int, bool) {
	const most = 9
	if len(fraction) < 2 || fraction[0] != '.' && fraction[0] != ',' {
		return 0, false
	}
	fraction = fraction[1:]
	if _, ok := digits(fraction[min(len(fraction), most):]); !ok {
		return 0, false
	}
	fraction = fraction[:min(len(fraction), most)]
	n, ok := digits(fraction)
	for range most - len(fraction) {
		n *= 10
	}
	return n, ok
}

// digits reads a number of digits alone; of no digits it is 0.
func digits(text string) (int, bool) {
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = 10*n + int(text[i]-'0')
	}
	return n, true
}

// splitZone parts "08:00:00.000 Asia/Singapore" from its zone.
func splitZone(clock string) (local, zone string) {
	for i := range len(clock) {
		if c := clock[i]; c == ' ' || c == '+' || c == '-' || c == 'Z' {
			return clock[:i], strings.TrimSpace(clock[i:])
		}
	}
	return clock, ""
}

func zoneOf(name string) (*time.Location, error) {
	if name == "Z" || name == "UTC" {
		return time.UTC, nil
	}
	if name[0] == '+' || name[0] == '-' {
		t, err := time.Parse("-07:00", name)
		if err != nil {
			return nil, err
		}
		return t.Location(), nil
	}
	return time.LoadLocation(name)
}

// FormatMoment writes a point of a time axis at its grain, in the language.
func FormatMoment(t time.Time, grain Grain, l lang.Language) string {
	zh := l == lang.Chinese
	switch grain {
	case GrainYear:
		return l.Pick(strconv.Itoa(t.Year()), strconv.Itoa(t.Year())+"年")
	case GrainQuarter:
		quarter := (int(t.Month()) + 2) / 3
		if zh {
			return fmt.Sprintf("%d年第%d季度", t.Year(), quarter)
		}
		return fmt.Sprintf("Q%d %d", quarter, t.Year())
	case GrainMonth:
		if zh {
			return fmt.Sprintf("%d年%d月", t.Year(), t.Month())
		}
		return t.Format("Jan 2006")
	case GrainWeek:
		day := FormatMoment(t, GrainDay, l)
		return l.Pick("the week of "+day, day+"当周")
	case GrainDay:
		if zh {
			return fmt.Sprintf("%d年%d月%d日", t.Year(), t.Month(), t.Day())
		}
		return t.Format("2 Jan 2006")
	default:
		clock := t.Format("15:04")
		if grain == GrainSecond && t.Second() != 0 {
			clock = t.Format("15:04:05")
		}
		return FormatMoment(t, GrainDay, l) + " " + clock
	}
}

// Next returns the start of the period after the one that starts at t.
func (g Grain) Next(t time.Time) time.Time {
	switch g {
	case GrainYear:
		return t.AddDate(1, 0, 0)
	case GrainQuarter:
		return t.AddDate(0, 3, 0)
	case GrainMonth:
		return t.AddDate(0, 1, 0)
	case GrainWeek:
		return t.AddDate(0, 0, 7)
	case GrainDay:
		return t.AddDate(0, 0, 1)
	case GrainHour:
		return t.Add(time.Hour)
	default:
		return t.Add(time.Second)
	}
}
