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
	for _, form := range []struct {
		layout string
		grain  Grain
	}{
		{"2006-01-02", GrainDay}, {"2006-01", GrainMonth}, {"20060102", GrainDay}, {"2006/01/02", GrainDay},
	} {
		if len(text) == len(form.layout) {
			if t, err := time.ParseInLocation(form.layout, text, loc); err == nil {
				return t, form.grain, true
			}
		}
	}
	if len(text) < len("2006-01-02 15:04") {
		return time.Time{}, GrainNone, false
	}
	clock, zone := splitZone(text)
	if zone != "" {
		named, err := zoneOf(zone)
		if err != nil {
			return time.Time{}, GrainNone, false
		}
		loc = named
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04"} { // fractions are read too
		if t, err := time.ParseInLocation(layout, clock, loc); err == nil {
			return t, GrainSecond, true
		}
	}
	return time.Time{}, GrainNone, false
}

// splitZone parts "2026-11-19 08:00:00.000 Asia/Singapore" from its zone.
func splitZone(text string) (clock, zone string) {
	const date = len("2006-01-02 ")
	if text[date-1] == 'T' {
		text = text[:date-1] + " " + text[date:]
	}
	rest := text[date:]
	if i := strings.IndexAny(rest, " +-Z"); i >= 0 {
		return text[:date+i], strings.TrimSpace(rest[i:])
	}
	return text, ""
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
