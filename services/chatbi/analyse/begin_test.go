package analyse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestWhereTheDataBegin within a period, that period is no whole one: it is in no mean and no
// trend, and is told. Rows of earlier periods are of another time than that of the data's days.
func TestWhereTheDataBegin(t *testing.T) {
	t.Parallel()
	a, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	in := analyse.Input{
		Table: table("month date, orders bigint",
			[]any{"2026-06-01", int64(10)}, []any{"2026-07-01", int64(100)}, []any{"2026-08-01", int64(110)}, []any{"2026-09-01", int64(120)}, []any{"2026-10-01", int64(130)}),
		Columns: []analyse.Column{{}, {Aggregate: analyse.AggregateCount}},
		Now:     time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC),
	}
	for begin, whole := range map[time.Time]bool{
		{}: true,
		time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC):  true,
		time.Date(2026, 6, 28, 0, 0, 0, 0, time.UTC): false,
		time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC): true,
	} {
		in.Begin, in.Language = begin, lang.English
		out := a.Analyse(in)
		if whole {
			require.Contains(t, out.Answer, "94 per month on average over 5 months", begin)
			require.Empty(t, out.Warnings)
			continue
		}
		require.Contains(t, out.Answer, "470 in total, 115 per month on average over the 4 whole months", begin)
		require.Len(t, out.Warnings, 1)
		require.Equal(t, analyse.WarnIncomplete, out.Warnings[0].Code)
		require.Equal(t, "The data begin on 28 Jun 2026, so the figures of Jun 2026 are incomplete; trend and comparisons leave them out.", out.Warnings[0].Message)
		in.Language = lang.Chinese
		require.Contains(t, a.Analyse(in).Warnings[0].Message, "数据从2026年6月28日开始，2026年6月的数据不完整")
	}
}
