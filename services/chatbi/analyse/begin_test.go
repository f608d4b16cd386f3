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

// TestWhereTheDataEnd within a period that is long over, that period is no whole one either; a few
// days at the end of a month may have nothing. Rows of later periods are of another time.
func TestWhereTheDataEnd(t *testing.T) {
	t.Parallel()
	a, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	months := table("month date, orders bigint",
		[]any{"2026-06-01", int64(100)}, []any{"2026-07-01", int64(110)}, []any{"2026-08-01", int64(120)}, []any{"2026-09-01", int64(130)}, []any{"2026-10-01", int64(10)})
	in := analyse.Input{Table: months, Columns: []analyse.Column{{}, {Aggregate: analyse.AggregateCount}}, Now: time.Date(2027, 3, 20, 9, 0, 0, 0, time.UTC)}
	for end, whole := range map[time.Time]bool{
		{}: true,
		time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC): true,
		time.Date(2026, 10, 28, 0, 0, 0, 0, time.UTC): true,
		time.Date(2026, 10, 27, 0, 0, 0, 0, time.UTC): false,
		time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC):  false,
		time.Date(2026, 9, 2, 0, 0, 0, 0, time.UTC):   true,
	} {
		in.End, in.Language = end, lang.English
		out := a.Analyse(in)
		if whole {
			require.Contains(t, out.Answer, "94 per month on average over 5 months", end)
			require.Empty(t, out.Warnings)
			continue
		}
		require.Contains(t, out.Answer, "470 in total, 115 per month on average over the 4 whole months", end)
		require.Len(t, out.Warnings, 1)
		require.Equal(t, analyse.WarnIncomplete, out.Warnings[0].Code)
		require.Contains(t, out.Warnings[0].Message, "The data end on "+end.Format("2 Jan 2006")+", so the figures of Oct 2026 are incomplete")
		in.Language = lang.Chinese
		require.Contains(t, a.Analyse(in).Warnings[0].Message, end.Format("数据到2006年1月2日为止")+"，2026年10月的数据不完整")
	}

	// Nor does it have the least of all, nor is it the last of a course of groups.
	in.End, in.Language = time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC), lang.English
	in.Table.Rows = in.Table.Rows[4:]
	in.Order, in.Picked, in.Beyond = &analyse.Order{Column: 1}, true, months.Rows[:4]
	out := a.Analyse(in)
	require.Contains(t, out.Answer, "100")
	require.Equal(t, "The data end on 2 Oct 2026, so the figures of Oct 2026 are incomplete.", out.Warnings[0].Message)
	in.Order, in.Picked, in.Beyond, in.Columns = nil, false, nil, nil
	in.Table = table("month date, city varchar, orders bigint",
		[]any{"2026-09-01", "Oslo", int64(130)}, []any{"2026-09-01", "Rome", int64(80)}, []any{"2026-10-01", "Oslo", int64(9)}, []any{"2026-10-01", "Rome", int64(10)})
	require.Contains(t, a.Analyse(in).Warnings[0].Message, "The data end on 2 Oct 2026")
}
