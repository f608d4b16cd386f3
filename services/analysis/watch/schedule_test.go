package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTicks: in the zone of the watch, over the days on which its clocks change too.
func TestTicks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line, zone, after string
		next              []string
	}{
		"every day":        {"0 8 * * *", "Asia/Singapore", "2026-03-06T00:00:00Z", []string{"2026-03-07T00:00:00Z", "2026-03-08T00:00:00Z"}},
		"without a zone":   {"0 8 * * *", "", "2026-03-06T00:00:00Z", []string{"2026-03-06T08:00:00Z"}},
		"on Mondays":       {" 30  9 * * MON", "Asia/Shanghai", "2026-03-06T00:00:00Z", []string{"2026-03-09T01:30:00Z"}},
		"a word":           {"@daily", "UTC", "2026-03-06T00:00:00Z", []string{"2026-03-07T00:00:00Z"}},
		"clocks go ahead":  {"30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", []string{"2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z"}},
		"clocks go back":   {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", []string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}},
		"days of February": {"0 0 29 2 *", "UTC", "2026-03-01T00:00:00Z", []string{"2028-02-29T00:00:00Z"}},
	} {
		s, err := ParseSchedule(c.line, c.zone)
		require.NoError(t, err, name)
		at, err := time.Parse(time.RFC3339, c.after)
		require.NoError(t, err, name)
		for _, want := range c.next {
			at = s.Next(at)
			require.Equal(t, want, at.Format(time.RFC3339), name)
		}
	}
}

// TestSchedulesThatAreNone are refused in words.
func TestSchedulesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, zone, says string }{
		"empty":             {" ", "", "The schedule is empty"},
		"four fields":       {"0 8 * *", "", "five fields"},
		"words":             {"every morning", "", "five fields"},
		"61 minutes":        {"61 8 * * *", "", "cannot be read"},
		"a zone within":     {"CRON_TZ=UTC 0 8 * * *", "", "time zone apart"},
		"half a zone":       {"TZ=0", "", "time zone apart"}, // which the library paniced on
		"since the start":   {"@every 1h", "", "is not taken"},
		"a zone of nowhere": {"0 8 * * *", "Mars/Olympus", "Mars/Olympus"},
	} {
		_, err := ParseSchedule(c.line, c.zone)
		require.ErrorContains(t, err, c.says, name)
	}
	for name, c := range map[string]struct{ line, says string }{
		"every minute":       {"* * * * *", "comes again after 1m0s"},
		"twice in an hour":   {"0,10 8 * * *", "comes again after 10m0s"},
		"a day that is none": {"0 0 30 2 *", "never comes"},
	} {
		s, err := ParseSchedule(c.line, "")
		require.NoError(t, err, name)
		require.ErrorContains(t, s.Check(time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), 15*time.Minute), c.says, name)
	}
	s, err := ParseSchedule("*/15 * * * *", "")
	require.NoError(t, err)
	require.NoError(t, s.Check(time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), 15*time.Minute))
}

// TestArrived: by partition first, by the last change where that says no more.
func TestArrived(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, 3, d, 0, 0, 0, 0, time.UTC) }
	a := func(newest string, d int) Mark {
		m := Mark{Table: "a", Newest: newest}
		if d > 0 {
			m.Updated = day(d)
		}
		return m
	}
	b := func(newest string) Mark { return Mark{Table: "B", Newest: newest} }
	for name, c := range map[string]struct {
		last, now    []Mark
		named        bool
		newer, known bool
	}{
		"the same":                     {[]Mark{a("5", 0)}, []Mark{a("5", 0)}, false, false, true},
		"a partition":                  {[]Mark{a("5", 0)}, []Mark{a("6", 0)}, false, true, true},
		"one less":                     {[]Mark{a("5", 1)}, []Mark{a("4", 2)}, false, false, true},
		"rows that came late":          {[]Mark{a("5", 1)}, []Mark{a("5", 2)}, false, true, true},
		"only a change":                {[]Mark{a("", 1)}, []Mark{a("", 2)}, false, true, true},
		"no change":                    {[]Mark{a("", 1)}, []Mark{a("", 1)}, false, false, true},
		"nothing is known":             {[]Mark{a("", 0)}, []Mark{a("", 0)}, false, true, false},
		"any of two":                   {[]Mark{a("5", 0), b("5")}, []Mark{a("5", 0), b("6")}, false, true, true},
		"all of the named":             {[]Mark{a("5", 0), b("5")}, []Mark{a("5", 0), b("6")}, true, false, true},
		"both of the named":            {[]Mark{a("5", 0), b("5")}, []Mark{a("6", 0), b("6")}, true, true, true},
		"one that nothing is known of": {[]Mark{a("", 0), b("5")}, []Mark{a("", 0), b("6")}, true, true, true},
		"one that was not read before": {[]Mark{a("5", 0)}, []Mark{a("5", 0), b("5")}, false, true, true},
		"the name in capitals":         {[]Mark{{Table: "b", Newest: "5"}}, []Mark{b("5")}, false, false, true},
	} {
		newer, known := arrived(c.last, c.now, c.named)
		require.Equal(t, c.newer, newer, name)
		require.Equal(t, c.known, known, name)
	}
}
