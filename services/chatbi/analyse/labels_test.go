package analyse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestAValueInASentence: one value is told with its label, unit and period as people
// say them.
func TestAValueInASentence(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	for _, c := range []struct {
		name, typ string
		column    analyse.Column
		value     any
		en, zh    string
	}{
		{"gmv", "bigint", analyse.Column{Label: "Sales\nof *all*", Unit: "USD"}, int64(1234), "Sales of *all* are 1,234 USD.", "Sales of *all*为1,234 USD。"},
		{"gmv", "bigint", analyse.Column{Label: "Sales", Unit: "元"}, int64(1234), "Sales are 1,234 元.", "Sales为1,234元。"},
		{"share", "double", analyse.Column{Label: "Share", Unit: "％", Aggregate: analyse.AggregateOther}, 12.5, "Share is 12.5%.", "Share为12.5%。"},
		{"share", "double", analyse.Column{Label: "Share", Unit: analyse.UnitPoints, Aggregate: analyse.AggregateOther}, 0.125, "Share is 12.5 percentage points.", "Share为12.5个百分点。"},
		{"week", "date", analyse.Column{Label: "Best"}, "2026-11-18", "Best is the week of 18 Nov 2026.", "Best为2026年11月18日当周。"},
		{"Month", "date", analyse.Column{Label: "Best"}, "2026-11-01", "Best is Nov 2026.", "Best为2026年11月。"},
		{"month", "date", analyse.Column{Label: "Best"}, "2026-11-02", "Best is 2 Nov 2026.", "Best为2026年11月2日。"},
		{"quarter", "timestamp(3)", analyse.Column{Label: "Best"}, "2026-10-01 00:00:00", "Best is Q4 2026.", "Best为2026年第4季度。"},
		{"quarter", "date", analyse.Column{Label: "Best"}, "2026-11-01", "Best is 1 Nov 2026.", "Best为2026年11月1日。"},
		{"quarter", "date", analyse.Column{Label: "Best"}, "2026-10-02", "Best is 2 Oct 2026.", "Best为2026年10月2日。"},
		{"year", "date", analyse.Column{Label: "Best"}, "2026-01-01", "Best is 2026.", "Best为2026年。"},
		{"year", "date", analyse.Column{Label: "Best"}, "2026-02-01", "Best is 1 Feb 2026.", "Best为2026年2月1日。"},
		{"month", "timestamp(3)", analyse.Column{Label: "Best"}, "2026-11-01 08:00:00", "Best is 1 Nov 2026 08:00.", "Best为2026年11月1日 08:00。"},
		{"day", "date", analyse.Column{Label: "Best"}, "2026-11-01", "Best is 1 Nov 2026.", "Best为2026年11月1日。"},
		{"order_id", "bigint", analyse.Column{Label: "First"}, int64(1234567), "First is 1234567.", "First为1234567。"},
		{"name", "varchar", analyse.Column{Label: "First"}, "2026-11-01", "First is 2026-11-01.", "First为2026-11-01。"},
	} {
		for language, want := range map[lang.Language]string{lang.English: c.en, lang.Chinese: c.zh} {
			out := analyst.Analyse(analyse.Input{
				Table:    result.Table{Columns: []result.Column{{Name: c.name, Type: c.typ}}, Rows: [][]any{{c.value}}},
				Columns:  []analyse.Column{c.column},
				Language: language, Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC),
			})
			if out.Answer != want {
				t.Errorf("%s %s %v: %q, want %q", c.name, c.typ, c.value, out.Answer, want)
			}
		}
	}
}

// TestCountsReadAsPeopleSayThem: there are so many of what is counted, there were where the
// time is over; amounts of money beside each other have as many decimals.
func TestCountsReadAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	counted := func(from, to string) analyse.Input {
		in := analyse.Input{Table: table("n bigint", []any{int64(171)}), Columns: []analyse.Column{{Aggregate: analyse.AggregateCount, Label: "open tickets", Figure: true}}}
		if from != "" {
			in.Asked = analyse.Range{From: day(t, from), To: day(t, to)}
		}
		return in
	}
	one := counted("", "")
	one.Table = table("n bigint", []any{int64(1)})
	number := counted("", "")
	number.Columns[0].Label = "number of tickets"
	for want, in := range map[string]analyse.Input{
		"There are 171 open tickets.":                                counted("", ""),
		"There were 171 open tickets on 3 Nov 2026.":                 counted("2026-11-03", "2026-11-04"),
		"There were 171 open tickets from 3 Nov 2026 to 9 Nov 2026.": counted("2026-11-03", "2026-11-10"),
		"There are 171 open tickets from 3 Nov 2026 to 31 Dec 2026.": counted("2026-11-03", "2027-01-01"),
		"Open tickets are 1.":                                        one,
		"Number of tickets is 171.":                                  number,
		"Singapore has the highest fare: 75.86 USD; then Taiwan (57.40 USD) and Brazil (51.00 USD).": {
			Table:   table("country varchar, fare double", []any{"SG", 75.86}, []any{"TW", 57.4}, []any{"BR", 51.0}),
			Columns: []analyse.Column{{}, {Aggregate: analyse.AggregateOther, Unit: "USD"}},
		},
		"Singapore has the highest fare: 75 USD; then Taiwan (57 USD).": {
			Table:   table("country varchar, fare double", []any{"SG", 75.0}, []any{"TW", 57.0}),
			Columns: []analyse.Column{{}, {Aggregate: analyse.AggregateOther, Unit: "USD"}},
		},
	} {
		require.Equal(t, want, analysed(t, in).Answer)
	}
}

func day(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation(time.DateOnly, text, now.Location())
	require.NoError(t, err)
	return at
}
