package chatbi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

func TestAskedRange(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	for where, want := range map[string][2]string{
		"dt >= DATE '2026-11-01' AND dt < DATE '2026-11-08'":                             {"2026-11-01", "2026-11-08"},
		"dt BETWEEN DATE '2026-11-01' AND DATE '2026-11-07'":                             {"2026-11-01", "2026-11-08"},
		"dt > DATE '2026-11-01' AND dt <= DATE '2026-11-07'":                             {"2026-11-02", "2026-11-08"},
		"dt = '2026-11-19' AND country = 'SG'":                                           {"2026-11-19", "2026-11-20"},
		"DATE '2026-11-01' <= dt AND DATE '2026-11-08' > dt":                             {"2026-11-01", "2026-11-08"},
		"dt >= current_date - INTERVAL '30' DAY AND dt < current_date":                   {"2026-10-21", "2026-11-20"},
		"dt >= date_add('day', -7, current_date) AND (dt < current_date)":                {"2026-11-13", "2026-11-20"},
		"dt >= date_trunc('month', current_date)":                                        {"2026-11-01", ""},
		"CAST(dt AS date) >= DATE '2026-11-01'":                                          {"2026-11-01", ""},
		"ts >= TIMESTAMP '2026-11-01 00:00:00' AND ts < TIMESTAMP '2026-11-02 00:00:00'": {"2026-11-01", "2026-11-02"},
		"month = '2026-10'": {"2026-10-01", "2026-11-01"},
		// The narrower bound holds, whichever is written first.
		"dt >= DATE '2026-11-05' AND dt >= DATE '2026-11-01'":    {"2026-11-05", ""},
		"dt >= DATE '2026-11-01' AND dt >= DATE '2026-11-05'":    {"2026-11-05", ""},
		"dt < DATE '2026-11-05' AND dt < DATE '2026-11-08'":      {"", "2026-11-05"},
		"dt < DATE '2026-11-08' AND dt < DATE '2026-11-05'":      {"", "2026-11-05"},
		"dt >= DATE '2026-11-01' OR dt < DATE '2026-01-01'":      {"", ""},
		"dt NOT BETWEEN DATE '2026-11-01' AND DATE '2026-11-07'": {"", ""},
		"amount > 5 AND country = 'SG'":                          {"", ""},
		"dt <> DATE '2026-11-01'":                                {"", ""},
	} {
		stmt, err := parser.Parse("SELECT 1 FROM t WHERE " + where)
		require.NoError(t, err, where)
		got, _ := askedRange(stmt, now)
		require.Equal(t, want, [2]string{day(got.From), day(got.To)}, where)
	}
}

// Months are counted as the engine counts them: three before 31 May is 28 February.
func TestAskedRangeOfMonths(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 31, 10, 30, 0, 0, time.UTC)
	for where, want := range map[string][2]string{
		"dt >= current_date - INTERVAL '3' MONTH AND dt < current_date":           {"2026-02-28", "2026-05-31"},
		"dt >= date_add('quarter', -1, current_date) AND dt < current_date":       {"2026-02-28", "2026-05-31"},
		"dt >= DATE '2024-02-29' - INTERVAL '1' YEAR AND dt < DATE '2024-02-29'":  {"2023-02-28", "2024-02-29"},
		"dt >= DATE '2026-01-31' AND dt < DATE '2026-01-31' + INTERVAL '1' MONTH": {"2026-01-31", "2026-02-28"},
	} {
		stmt, err := parser.Parse("SELECT 1 FROM t WHERE " + where)
		require.NoError(t, err, where)
		got, _ := askedRange(stmt, now)
		require.Equal(t, want, [2]string{day(got.From), day(got.To)}, where)
	}
}

// TestAskedRangeOfConstants: every constant of time that the engine reads is read here
// at its own grain, in the zone of the run; what is none is no bound.
func TestAskedRangeOfConstants(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 8*3600)
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, zone) // a Friday
	for where, want := range map[string][2]string{
		"dt >= now()":                                            {"2026-11-20 10:30", ""},
		"dt < current_timestamp":                                 {"", "2026-11-20 10:30"},
		"dt <= localtimestamp":                                   {"", "2026-11-20 10:30"},
		"dt <= current_date":                                     {"", "2026-11-21 00:00"},
		"dt > current_date":                                      {"2026-11-21 00:00", ""},
		"dt = current_date":                                      {"2026-11-20 00:00", "2026-11-21 00:00"},
		"current_date < dt":                                      {"2026-11-21 00:00", ""},
		"current_date >= dt":                                     {"", "2026-11-21 00:00"},
		"current_date = dt":                                      {"2026-11-20 00:00", "2026-11-21 00:00"},
		"dt >= now() - INTERVAL '3' HOUR":                        {"2026-11-20 07:30", ""},
		"dt >= now() + INTERVAL '3' HOUR":                        {"2026-11-20 13:30", ""},
		"dt >= current_date + INTERVAL '-2' DAY":                 {"2026-11-18 00:00", ""},
		"dt >= current_date + INTERVAL -'2' DAY":                 {"2026-11-18 00:00", ""},
		"dt >= current_date - INTERVAL -'2' DAY":                 {"2026-11-22 00:00", ""},
		"dt >= current_date - INTERVAL -'-2' DAY":                {"2026-11-18 00:00", ""},
		"dt >= current_date - INTERVAL '1-2' YEAR TO MONTH":      {"", ""},
		"dt >= current_date - INTERVAL '3' MINUTE":               {"", ""},
		"dt >= date_add('WEEK', 1, current_date)":                {"2026-11-27 00:00", ""},
		"dt >= date_add('year', -(1), current_date)":             {"", ""},
		"dt >= date_add('year', -1, current_date)":               {"2025-11-20 00:00", ""},
		"dt >= date_add('month', 0, current_date)":               {"2026-11-20 00:00", ""},
		"dt >= date_add('minute', 1, current_date)":              {"", ""},
		"dt >= date_add('day', n, current_date)":                 {"", ""},
		"dt >= date_add(unit, 1, current_date)":                  {"", ""},
		"dt >= date_add('day', 1, other)":                        {"", ""},
		"dt >= date_trunc('day', now())":                         {"2026-11-20 00:00", ""},
		"dt >= date_trunc('week', current_date)":                 {"2026-11-16 00:00", ""},
		"dt >= date_trunc('week', DATE '2026-11-22')":            {"2026-11-16 00:00", ""},
		"dt >= date_trunc('week', DATE '2026-11-23')":            {"2026-11-23 00:00", ""},
		"dt >= date_trunc('quarter', current_date)":              {"2026-10-01 00:00", ""},
		"dt >= date_trunc('quarter', DATE '2026-09-30')":         {"2026-07-01 00:00", ""},
		"dt >= date_trunc('quarter', DATE '2026-01-31')":         {"2026-01-01 00:00", ""},
		"dt >= date_trunc('YEAR', current_date)":                 {"2026-01-01 00:00", ""},
		"dt >= date_trunc('hour', now())":                        {"", ""},
		"dt >= date_trunc('day', other)":                         {"", ""},
		"dt > date_trunc('month', current_date)":                 {"2026-11-02 00:00", ""},
		"dt >= date('2026-11-01')":                               {"2026-11-01 00:00", ""},
		"date(dt) = CAST('2026-11-01' AS date)":                  {"2026-11-01 00:00", "2026-11-02 00:00"},
		"dt > TIMESTAMP '2026-11-01 08:00:00'":                   {"2026-11-01 08:00", ""},
		"(dt BETWEEN (DATE '2026-11-01') AND current_date)":      {"2026-11-01 00:00", "2026-11-21 00:00"},
		"dt BETWEEN DATE '2026-11-01' AND other":                 {"", ""},
		"dt BETWEEN other AND DATE '2026-11-01'":                 {"", ""},
		"lower(dt) >= DATE '2026-11-01'":                         {"", ""},
		"a.dt >= DATE '2026-11-01' AND b.DT < DATE '2026-11-03'": {"2026-11-01 00:00", "2026-11-03 00:00"},
		"x >= DATE '2026-11-01' AND y < DATE '2026-11-03'":       {"2026-11-01 00:00", ""},
		"current_user = 'x'":                                     {"", ""},
		"other(1) = dt":                                          {"", ""},
		"dt + 1 >= DATE '2026-11-01'":                            {"", ""},
		"dt >= DATE '2026-11-01' * 2":                            {"", ""},
	} {
		stmt, err := parser.Parse("SELECT 1 FROM t WHERE " + where)
		require.NoError(t, err, where)
		got, _ := askedRange(stmt, now)
		minute := func(at time.Time) string {
			if at.IsZero() {
				return ""
			}
			require.Equal(t, zone, at.Location(), where)
			return at.Format("2006-01-02 15:04")
		}
		require.Equal(t, want, [2]string{minute(got.From), minute(got.To)}, where)
	}
	stmt, err := parser.Parse("SELECT 1 FROM (SELECT 1 FROM t WHERE dt >= DATE '2026-11-01') JOIN t ON true WHERE n = 1")
	require.NoError(t, err)
	require.Equal(t, "2026-11-01", day(rangeOf(stmt, now).From))
	stmt, err = parser.Parse("SELECT 1 FROM t")
	require.NoError(t, err)
	require.Zero(t, rangeOf(stmt, now))
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// rangeOf is the range alone.
func rangeOf(stmt *tree.Statement, now time.Time) analyse.Range {
	r, _ := askedRange(stmt, now)
	return r
}
