package analyse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestColumnsTellUnitsAndPeriods: what the sentences read as percent and as months, readers
// of the table do, too; and dates that stand for days stay days.
func TestColumnsTellUnitsAndPeriods(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	of := func(columns []result.Column, told []analyse.Column, rows ...[]any) []result.Column {
		return analyst.Analyse(analyse.Input{
			Table: result.Table{Columns: columns, Rows: rows}, Columns: told, Language: lang.English,
			Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), MaxPoints: 100,
		}).Columns
	}
	rate := analyse.Column{Aggregate: analyse.AggregateOther, Unit: analyse.UnitFraction}
	got := of([]result.Column{{Name: "paid_month", Type: "date"}, {Name: "paid", Type: "double"}}, []analyse.Column{{}, rate},
		[]any{"2026-08-01", 0.5}, []any{"2026-09-01", 0.6}, []any{"2026-11-01", 0.7})
	require.Equal(t, []result.Column{{Name: "paid_month", Type: "date", Period: "month"}, {Name: "paid", Type: "double", Unit: result.UnitPercent}}, got)

	got = of([]result.Column{{Name: "day", Type: "date"}, {Name: "n", Type: "bigint"}, {Name: "change", Type: "double"}, {Name: "share", Type: "double"}},
		[]analyse.Column{{}, {Unit: "USD"}, {Aggregate: analyse.AggregateOther, Unit: analyse.UnitPoints}, {Aggregate: analyse.AggregateOther, Unit: "%"}},
		[]any{"2026-08-01", int64(1), 0.1, 10.0}, []any{"2026-08-02", int64(2), 0.1, 10.0}, []any{"2026-08-03", int64(2), 0.1, 10.0})
	require.Equal(t, "", got[0].Period)
	require.Equal(t, []string{"", "USD", result.UnitPoints, ""}, []string{got[0].Unit, got[1].Unit, got[2].Unit, got[3].Unit}, "numbers that are percent already are no fractions")

	got = of([]result.Column{{Name: "town", Type: "varchar"}, {Name: "quarter", Type: "date"}, {Name: "kind", Type: "varchar"}, {Name: "n", Type: "bigint"}}, nil,
		[]any{"Leith", "2026-01-01", "a", int64(1)}, []any{"Leith", nil, "b", int64(1)}, []any{"Leith", "2026-04-01", "b", int64(1)})
	require.Equal(t, "quarter", got[1].Period)
	got = of([]result.Column{{Name: "town", Type: "varchar"}, {Name: "quarter", Type: "date"}}, nil, []any{"Leith", "2026-01-01"}, []any{"Perth", "2026-04-02"})
	require.Empty(t, got[1].Period, "one of them is no quarter's first day")
}

// TestAWordIsSaidOnce: a figure whose name ends with the word that the sentence goes on with.
func TestAWordIsSaidOnce(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	out := analyst.Analyse(analyse.Input{
		Table: result.Table{Columns: []result.Column{{Name: "month", Type: "date"}, {Name: "amount", Type: "double"}},
			Rows: [][]any{{"2026-08-01", 1.0}, {"2026-09-01", 2.0}, {"2026-10-01", 4.0}}},
		Columns:  []analyse.Column{{}, {Label: "amount 合计", Aggregate: analyse.AggregateSum}},
		Language: lang.Chinese, Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), MaxPoints: 100,
	})
	require.Contains(t, out.Answer, "amount合计7")
	require.NotContains(t, out.Answer, "合计合计")
}

// TestChartsTellTheirYearsAndPartsOfPeriods: a picture is read without the answer.
func TestChartsTellTheirYearsAndPartsOfPeriods(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	for language, want := range map[lang.Language][2]string{
		lang.English: {"Loans over time, 2025–2026", "2026-11 (part)"}, lang.Chinese: {"loans随时间变化，2025–2026", "2026-11（部分）"},
	} {
		in := analyse.Input{
			Table: result.Table{Columns: []result.Column{{Name: "month", Type: "date"}, {Name: "loans", Type: "bigint"}},
				Rows: [][]any{{"2025-12-01", int64(5)}, {"2026-10-01", int64(7)}, {"2026-11-01", int64(3)}}},
			Columns: []analyse.Column{{}, {Aggregate: analyse.AggregateCount}}, Language: language,
			Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), MaxPoints: 100,
		}
		out := analyst.Analyse(in)
		require.Equal(t, want[0], out.Chart.Title)
		require.Contains(t, out.Chart.Option, want[1])
		require.NotContains(t, out.Chart.Option, "2026-10 (")
		in.Now = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
		require.NotContains(t, analyst.Analyse(in).Chart.Option, want[1], "the month is over")
	}
}
