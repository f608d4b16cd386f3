package analyse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestTheLeastOverTimeIsOfWholePeriods: a month that is not all there is not the one with the
// lowest of anything; what adds up may be the most already.
func TestTheLeastOverTimeIsOfWholePeriods(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	begin := time.Date(2025, 10, 30, 0, 0, 0, 0, time.UTC)
	oct25, nov26 := []any{"2025-10-01", 18.0}, []any{"2026-11-01", 50.0}
	feb, mar := []any{"2026-02-01", 70.0}, []any{"2026-03-01", 75.0}
	of := func(rows ...[]any) [][]any { return rows }
	for name, c := range map[string]struct {
		rows, beyond [][]any
		desc         bool
		aggregate    string
		en, zh       string
		warned       []string
	}{
		"the lowest": {
			of(oct25), of(nov26, feb, mar), false, analyse.AggregateSum,
			"Feb 2026 has the lowest GMV: 70. Not ranked, since not all of the month is there: Oct 2025 (18).",
			"2026年2月的GMV最低，为70。以下月的数据不完整，未参与排名：2025年10月（18）。",
			[]string{"The data begin on 30 Oct 2025, so the figures of Oct 2025 are incomplete."},
		},
		"the lowest two": {
			of(oct25, nov26), of(feb, mar), false, analyse.AggregateSum,
			"Feb 2026 has the lowest GMV: 70; then Mar 2026 (75). Not ranked, since not all of the month is there: Oct 2025 (18) and Nov 2026 (50).", "",
			[]string{"The data begin on 30 Oct 2025, so the figures of Oct 2025 are incomplete.", "Nov 2026 is not over yet, so its figures are incomplete."},
		},
		"rows behind it are not known": {
			of(oct25), nil, false, analyse.AggregateSum, "Oct 2025 has the lowest GMV: 18.", "",
			[]string{"The data begin on 30 Oct 2025, so the figures of Oct 2025 are incomplete."},
		},
		"the highest of a sum": {
			of([]any{"2026-11-01", 80.0}), of(mar, feb), true, analyse.AggregateSum, "Nov 2026 has the highest GMV: 80.", "",
			[]string{"Nov 2026 is not over yet, so its figures are incomplete."},
		},
		"the highest of a mean": {
			of([]any{"2026-11-01", 80.0}), of(mar, feb), true, analyse.AggregateOther,
			"Mar 2026 has the highest GMV: 75. Not ranked, since not all of the month is there: Nov 2026 (80).", "",
			[]string{"Nov 2026 is not over yet, so its figures are incomplete."},
		},
		"whole ones that tie": {
			of(oct25), of(feb, []any{"2026-03-01", 70.0}, []any{"2026-04-01", 71.0}), false, analyse.AggregateSum,
			"Feb 2026 and Mar 2026 tie for the lowest GMV, 70. Not ranked, since not all of the month is there: Oct 2025 (18).", "",
			[]string{"The data begin on 30 Oct 2025, so the figures of Oct 2025 are incomplete."},
		},
		"whole": {of(feb), of(mar), false, analyse.AggregateSum, "Feb 2026 has the lowest GMV: 70.", "", nil},
	} {
		for language, want := range map[lang.Language]string{lang.English: c.en, lang.Chinese: c.zh} {
			if want == "" {
				continue
			}
			in := analyse.Input{
				Table: table("month date, gmv double"), Columns: []analyse.Column{{}, {Aggregate: c.aggregate, Label: "GMV"}}, Language: language,
				Now: now, Begin: begin, Limited: true, Beyond: c.beyond, Order: &analyse.Order{Column: 1, Desc: c.desc},
			}
			in.Table.Rows = c.rows
			out := analystFor(t).Analyse(in)
			require.Equal(t, want, out.Answer, "%s %s", name, language)
			if language == lang.English {
				var warned []string
				for _, warning := range out.Warnings {
					require.Equal(t, analyse.WarnIncomplete, warning.Code)
					warned = append(warned, warning.Message)
				}
				require.Equal(t, c.warned, warned, name)
			}
		}
	}
}

// TestTheEndsOfACourseAreOfWholePeriods: the lowest of a course of means is none of a part, and
// the highest of sums may be.
func TestTheEndsOfACourseAreOfWholePeriods(t *testing.T) {
	t.Parallel()
	in := analyse.Input{
		Table:    table("month date, x double", []any{"2026-07-01", 3.0}, []any{"2026-08-01", 5.0}, []any{"2026-09-01", 4.0}, []any{"2026-10-01", 4.5}, []any{"2026-11-01", 1.0}),
		Language: lang.English, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC),
	}
	answer := func(aggregate string, last float64) string {
		in.Columns = []analyse.Column{{}, {Aggregate: aggregate}}
		in.Table.Rows[4][1] = last
		return analystFor(t).Analyse(in).Answer
	}
	require.Contains(t, answer(analyse.AggregateOther, 1), "between 3.0 (Jul 2026) and 5.0 (Aug 2026) over 4 whole months")
	require.Contains(t, answer(analyse.AggregateOther, 9), "between 3.0 (Jul 2026) and 5.0 (Aug 2026) over 4 whole months")
	require.Contains(t, answer(analyse.AggregateSum, 1), "the highest is 5.00 (Aug 2026)")
	require.Contains(t, answer(analyse.AggregateSum, 9), "the highest is 9.00 (Nov 2026)")
}
