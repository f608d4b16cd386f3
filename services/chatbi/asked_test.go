package chatbi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
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
		got := askedRange(stmt, now)
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
		got := askedRange(stmt, now)
		require.Equal(t, want, [2]string{day(got.From), day(got.To)}, where)
	}
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
