package analyse_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestLevelsHaveNoTotalOverTime: the visitors of days, or stocks, are told by their mean, and
// by the last day of each group; a flow by its total.
func TestLevelsHaveNoTotalOverTime(t *testing.T) {
	t.Parallel()
	of := func(level bool, columns string, rows ...[]any) analyse.Output {
		in := analyse.Input{Table: table(columns)}
		in.Table.Rows = rows
		in.Columns = make([]analyse.Column, len(rows[0]))
		in.Columns[len(rows[0])-1] = analyse.Column{Label: "stock", Level: level}
		return analystFor(t).Analyse(in)
	}
	days := [][]any{{"2026-11-02", int64(10)}, {"2026-11-03", int64(20)}, {"2026-11-04", int64(60)}}
	flow := of(false, "day date, stock bigint", days...)
	require.Contains(t, flow.Answer, "90 in total")
	level := of(true, "day date, stock bigint", days...)
	require.Contains(t, level.Answer, "30 on average over 3 days; the highest is 60")
	require.NotContains(t, level.Answer, "total")

	groups := [][]any{
		{"2026-11-02", "Oslo", int64(10)}, {"2026-11-02", "Rome", int64(30)}, {"2026-11-03", "Oslo", int64(20)}, {"2026-11-03", "Rome", int64(15)},
	}
	require.Contains(t, of(false, "day date, city varchar, stock bigint", groups...).Answer, "75 in total")
	level = of(true, "day date, city varchar, stock bigint", groups...)
	require.Contains(t, level.Answer, "most recently (3 Nov 2026), Oslo has the highest, 20")
	require.NotContains(t, level.Answer, "total")
}

// TestWhatIsWrittenSubtracts: the difference of two values is that of what is written of them.
func TestWhatIsWrittenSubtracts(t *testing.T) {
	t.Parallel()
	compared := func(now, before float64, unit, points string) string {
		in := comparedRows("rate", []any{"Oslo", now, before}, []any{"Rome", 0.5 * now, 0.5 * now})
		in.Columns = make([]analyse.Column, 5)
		in.Columns[1].Unit, in.Columns[2].Unit, in.Columns[3].Unit = unit, unit, points
		in.Columns[1].Aggregate = analyse.AggregateOther
		return analystFor(t).Analyse(in).Answer
	}
	require.Contains(t, compared(0.0325, 0.0264, analyse.UnitFraction, analyse.UnitPoints), "is 3.25%, 0.61 percentage points more than in the compared period (2.64%)", "and not 3.3%, 0.6 more than 2.6%")
	require.Contains(t, compared(0.032504, 0.026352, analyse.UnitFraction, analyse.UnitPoints), "is 3.250%, 0.615 percentage points more than in the compared period (2.635%)", "and not 3.25% and 0.62 more than 2.64%")
	require.Contains(t, compared(0.032, 0.026, analyse.UnitFraction, analyse.UnitPoints), "is 3.2%, 0.6 percentage points more than in the compared period (2.6%)")
	require.Contains(t, compared(28.2083, 27.8671, "USD", "USD"), "28.21 USD, 0.34 USD")
}

// TestOneWholePeriodHasNoMean: a year and a part of one are no two years.
func TestOneWholePeriodHasNoMean(t *testing.T) {
	t.Parallel()
	in := analyse.Input{Table: table("year bigint, takings double"), Now: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)}
	in.Table.Rows = [][]any{{int64(2025), 46444.5}, {int64(2026), 82428.1}}
	answer := analystFor(t).Analyse(in).Answer
	require.Contains(t, answer, "128,872.6 in total; the highest is 82,428.1 (2026).")
	require.NotContains(t, answer, "average")
}

// TestUnequalDaysHaveNoContributor: where days are missing, what groups account for is of
// unequal times.
func TestUnequalDaysHaveNoContributor(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 9, n, 0, 0, 0, 0, time.UTC) }
	in := comparedRows("gmv", []any{"Oslo", 20.0, 60.0}, []any{"Rome", 30.0, 35.0}, []any{"Bern", 34.0, 36.0})
	contributes := func() bool {
		return slices.ContainsFunc(analystFor(t).Analyse(in).Findings, func(f analyse.Finding) bool { return f.Kind == "contributor" })
	}
	require.True(t, contributes())
	in.Compared = &analyse.Compared{
		Own: analyse.Range{From: day(8), To: day(15)}, Base: analyse.Range{From: day(1), To: day(8)}, OwnDays: 6, BaseDays: 7, Adds: true, Missing: []string{"A day is missing."},
	}
	require.Contains(t, analystFor(t).Analyse(in).Answer, "Like for like")
	require.False(t, contributes())
}
