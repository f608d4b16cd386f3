package presto

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the same zones on every machine
)

//go:embed zones.tsv
var zonesFile string

// zoneNames maps the names of zones to those that Trino shows.
var zoneNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{"Z": "UTC"}
	for line := range strings.Lines(zonesFile) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		name, shown, other := strings.Cut(line, "\t")
		if !other {
			shown = name
		}
		names[name] = shown
	}
	return names
})

// locations holds zones that were loaded, by name; their number is bounded by
// zoneNames and the offsets of a day.
var locations sync.Map

var offsetText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:UTC|GMT|UT)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?$`)
})

// ZoneName returns the name by which Trino calls a zone: a place, UTC, or an
// offset such as +05:30. ok is false where there is no such zone.
func ZoneName(zone string) (name string, ok bool) {
	if shown, known := zoneNames()[zone]; known {
		return shown, true
	}
	parts := offsetText().FindStringSubmatch(zone)
	if parts == nil {
		return "", false
	}
	hours, _ := strconv.Atoi(parts[2])
	minutes, _ := strconv.Atoi(parts[3]) // empty is 0
	if hours > 14 || minutes > 59 || hours == 14 && minutes > 0 {
		return "", false
	}
	if hours == 0 && minutes == 0 {
		return "UTC", true
	}
	return fmt.Sprintf("%s%02d:%02d", parts[1], hours, minutes), true
}

// location returns a zone by the name that ZoneName gives.
func location(zone string) (*time.Location, error) {
	if zone == "UTC" {
		return time.UTC, nil
	}
	if l, ok := locations.Load(zone); ok {
		return l.(*time.Location), nil
	}
	name, ok := ZoneName(zone)
	if !ok {
		return nil, invalid("'%s' is not a valid time zone", Short(zone))
	}
	var l *time.Location
	if name[0] == '+' || name[0] == '-' {
		hours, _ := strconv.Atoi(name[1:3])
		minutes, _ := strconv.Atoi(name[4:])
		seconds := hours*3600 + minutes*60
		if name[0] == '-' {
			seconds = -seconds
		}
		l = time.FixedZone(name, seconds)
	} else {
		var err error
		if l, err = time.LoadLocation(name); err != nil {
			return nil, invalid("the time zone '%s' is not known here", Short(zone))
		}
	}
	locations.Store(zone, l)
	return l, nil
}

// offsetAt is a zone's distance from UTC at an instant, in seconds.
func offsetAt(instant time.Time, l *time.Location) int {
	_, seconds := instant.In(l).Zone()
	return seconds
}

// Local returns the clock of a zone at an instant, as a time in UTC.
func Local(instant time.Time, zone string) (time.Time, error) {
	l, err := location(zone)
	if err != nil {
		return time.Time{}, err
	}
	return instant.UTC().Add(time.Duration(offsetAt(instant, l)) * time.Second), nil
}

// Instant returns when a zone's clock shows local. A time that the clock skips is
// moved by what it skips, and of two the earlier one is taken; exact is false where
// the clock skips it.
func Instant(local time.Time, zone string) (instant time.Time, exact bool, err error) {
	l, err := location(zone)
	if err != nil {
		return time.Time{}, false, err
	}
	before := offsetAt(local.Add(-24*time.Hour), l)
	after := offsetAt(local.Add(24*time.Hour), l)
	for _, offset := range []int{before, after} {
		t := local.Add(time.Duration(-offset) * time.Second)
		if offsetAt(t, l) == offset {
			return t, true, nil
		}
	}
	return local.Add(time.Duration(-before) * time.Second), false, nil
}

func zoneFunctions() []Function {
	return []Function{
		unary("presto_zone", func(zone string) (string, error) {
			name, ok := ZoneName(zone)
			if !ok {
				return "", invalid("'%s' is not a valid time zone", Short(zone))
			}
			return name, nil
		}),
		binary("presto_offset_zone", func(hours, minutes int64) (string, error) {
			total := hours*60 + minutes
			if hours < -14 || hours > 14 || total < -14*60 || total > 14*60 {
				return "", invalid("the offset of a time zone is from -14:00 to +14:00")
			}
			return offsetName(int(total)), nil
		}),
		binary("presto_zone_local", Local),
		binary("presto_zone_instant", func(local time.Time, zone string) (time.Time, error) {
			t, _, err := Instant(local, zone)
			return t, err
		}),
		binary("presto_zone_offset", func(instant time.Time, zone string) (int64, error) {
			l, err := location(zone)
			if err != nil {
				return 0, err
			}
			return int64(offsetAt(instant, l) / 60), nil
		}),
	}
}

// offsetName names an offset of so many minutes.
func offsetName(minutes int) string {
	if minutes == 0 {
		return "UTC"
	}
	sign := "+"
	if minutes < 0 {
		sign, minutes = "-", -minutes
	}
	return fmt.Sprintf("%s%02d:%02d", sign, minutes/60, minutes%60)
}
