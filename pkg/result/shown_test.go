package result_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result"
)

// TestValuesAsPeopleReadThem: percent and periods, where the column tells them.
func TestValuesAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column result.Column
		value  any
		want   string // empty: as it is
	}{
		{result.Column{Type: "double", Unit: "%"}, 0.9374, "93.74%"},
		{result.Column{Type: "double", Unit: "%"}, 1.0, "100%"},
		{result.Column{Type: "double", Unit: "%"}, -0.00004, "-0.004%"},
		{result.Column{Type: "double", Unit: "%"}, 0.0, "0%"},
		{result.Column{Type: "decimal(5,4)", Unit: "%"}, "0.0310", "3.1%"},
		{result.Column{Type: "bigint", Unit: "%"}, int64(1), "100%"},
		{result.Column{Type: "double", Unit: "pp"}, -0.0205, "-2.05 pp"},
		{result.Column{Type: "double", Unit: "%"}, nil, ""},
		{result.Column{Type: "double", Unit: "%"}, "NaN", ""},
		{result.Column{Type: "double", Unit: "USD"}, 0.9374, ""},
		{result.Column{Type: "double"}, 0.9374, ""},
		{result.Column{Type: "date", Period: "month"}, "2026-01-01", "2026-01"},
		{result.Column{Type: "timestamp(3)", Period: "month"}, "2026-11-01 00:00:00.000", "2026-11"},
		{result.Column{Type: "date", Period: "quarter"}, "2026-10-01", "2026 Q4"},
		{result.Column{Type: "date", Period: "year"}, "2026-01-01", "2026"},
		{result.Column{Type: "date", Period: "week"}, "2026-01-05", "2026-01-05"},
		{result.Column{Type: "date", Period: "month"}, nil, ""},
		{result.Column{Type: "varchar", Period: "month"}, "all", ""},
		{result.Column{Type: "date"}, "2026-01-01", ""},
		{result.Column{Type: "date", Period: "fortnight"}, "2026-01-01", ""},
	} {
		text, ok := c.column.Shown(c.value)
		require.Equal(t, c.want, text, "%+v %v", c.column, c.value)
		require.Equal(t, c.want != "", ok)
	}
	for _, g := range []result.Grain{result.GrainNone, result.GrainSecond, result.GrainHour, result.GrainDay} {
		require.Empty(t, result.PeriodOf(g))
	}
	require.Equal(t, "quarter", result.PeriodOf(result.GrainQuarter))
}
