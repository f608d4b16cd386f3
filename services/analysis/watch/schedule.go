package watch

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
)

// Schedule is a cron line in a time zone. Where clocks are put forward, ticks of the hour
// that is left out are not made up; where they are put back, the hour that comes twice has
// its ticks once.
type Schedule struct {
	next cron.Schedule
	zone *time.Location
}

const reasonSchedule = "WATCH_SCHEDULE_INVALID"

// ParseSchedule reads a cron line of five fields, or @hourly, @daily, @weekly, @monthly,
// @yearly, in an IANA time zone; empty: UTC. Errors are faults for whoever wrote it.
func ParseSchedule(line, zone string) (Schedule, error) {
	line = strings.Join(strings.Fields(line), " ")
	if line == "" {
		return Schedule{}, fault.Invalid("spec.schedule", reasonSchedule, "The schedule is empty: give a cron line, such as \"0 8 * * 1\" for 08:00 on Mondays.")
	}
	if strings.Contains(line, "=") || strings.HasPrefix(line, "@every") {
		// The library takes a zone of its own, and intervals that begin at the start of a process.
		return Schedule{}, fault.Invalid("spec.schedule", reasonSchedule, "The schedule %q is not taken: write five fields, \"minute hour day month weekday\", and give the time zone apart from them.", lang.Shorten(line, 80))
	}
	if zone == "" {
		zone = "UTC"
	}
	if !run.ValidTimeZone(zone) {
		return Schedule{}, fault.Invalid("spec.time_zone", reasonSchedule, "The time zone %q is not known: use an IANA name, such as Asia/Singapore.", lang.Shorten(zone, 64))
	}
	at, err := time.LoadLocation(zone)
	if err != nil {
		return Schedule{}, fmt.Errorf("load the time zone of a watch: %w", err)
	}
	next, err := cron.ParseStandard(line)
	if err != nil {
		return Schedule{}, fault.Invalid("spec.schedule", reasonSchedule, "The schedule %q cannot be read: %v. Write five fields, \"minute hour day month weekday\", such as \"0 8 * * 1\" for 08:00 on Mondays.", lang.Shorten(line, 80), err)
	}
	return Schedule{next: next, zone: at}, nil
}

// Next is the first tick after a time; the zero time where there is none.
func (s Schedule) Next(after time.Time) time.Time {
	const wall = "2006-01-02T15:04:05"
	after = after.In(s.zone)
	for next := s.next.Next(after); !next.IsZero(); next = s.next.Next(next) {
		if next.Format(wall) > after.Format(wall) { // it goes back once a year
			return next.UTC()
		}
	}
	return time.Time{}
}

// looked is how many ticks are compared for the shortest interval.
const looked = 400

// Check refuses a schedule that never comes, and one whose ticks are nearer to each other
// than least.
func (s Schedule) Check(from time.Time, least time.Duration) error {
	at := s.Next(from)
	if at.IsZero() {
		return fault.Invalid("spec.schedule", reasonSchedule, "The schedule never comes: there is no such day.")
	}
	for range looked {
		next := s.Next(at)
		if next.IsZero() {
			return nil
		}
		if between := next.Sub(at); between < least {
			return fault.Invalid("spec.schedule", reasonSchedule, "The schedule comes again after %s; the shortest interval is %s (analysis.watch_interval).", between, least)
		}
		at = next
	}
	return nil
}
