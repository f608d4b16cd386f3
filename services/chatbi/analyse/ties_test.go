package analyse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestWhatALimitCutsOff: rows behind the limit that are equal to the last one are told, and
// a row without a name never leads where one with a name follows.
func TestWhatALimitCutsOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows, beyond [][]any
		ascending    bool
		en, zh       string
	}{
		"one, and one equal": {
			[][]any{{"Ann", 7.0}}, [][]any{{"Bo", 7.0}, {"Cy", 6.0}}, false,
			"Ann and Bo tie for the highest parcels, 7.", "Ann和Bo的parcels并列最高，均为7。",
		},
		"one, and only equal ones": {
			[][]any{{"Ann", 7.0}}, [][]any{{"Bo", 7.0}, {"Cy", 7.0}}, true,
			"Ann, Bo, Cy and others tie for the lowest parcels, 7.", "Ann、Bo、Cy和其他的parcels并列最低，均为7。",
		},
		"one, alone":    {[][]any{{"Ann", 7.0}}, [][]any{{"Bo", 6.0}}, false, "Ann has the highest parcels: 7.", "Ann的parcels最高，为7。"},
		"nobody first":  {[][]any{{nil, 9.0}}, [][]any{{"Bo", 7.0}, {"Cy", 6.0}}, false, "Bo has the highest parcels: 7. Rows without volunteer are not ranked; their parcels are 9.", "Bo的parcels最高，为7。没有volunteer的数据不参与排名，其parcels为9。"},
		"nobody, a tie": {[][]any{{" ", 9.0}}, [][]any{{"Bo", 7.0}, {"Cy", 7.0}, {"Di", 1.0}}, false, "Bo and Cy tie for the highest parcels, 7. Rows without volunteer are not ranked; their parcels are 9.", ""},
		"nobody at all": {[][]any{{nil, 9.0}}, nil, false, "Volunteer is missing and parcels are 9.", ""},
		"two, and one equal to the second": {
			[][]any{{"Ann", 9.0}, {"Bo", 7.0}}, [][]any{{"Cy", 7.0}, {"Di", 1.0}}, false,
			"Ann has the highest parcels: 9, 56.2% of the sum of the 2 shown; then Bo (7). Cut off by the limit, with the same parcels as the last one shown (7): Cy.", "",
		},
		"two, and none equal": {
			[][]any{{"Ann", 9.0}, {"Bo", 7.0}}, [][]any{{"Cy", 6.0}}, false,
			"Ann has the highest parcels: 9, 56.2% of the sum of the 2 shown; then Bo (7).", "",
		},
		"nobody behind the limit": {
			[][]any{{"Ann", 9.0}, {"Bo", 7.0}}, [][]any{{nil, 7.0}}, false,
			"Ann has the highest parcels: 9, 56.2% of the sum of the 2 shown; then Bo (7).", "",
		},
	} {
		for language, want := range map[lang.Language]string{lang.English: c.en, lang.Chinese: c.zh} {
			if want == "" {
				continue
			}
			in := analyse.Input{Table: table("volunteer varchar, parcels double"), Language: language, Limited: true, Beyond: c.beyond, Order: &analyse.Order{Column: 1, Desc: !c.ascending}}
			in.Table.Rows = c.rows
			require.Equal(t, want, analystFor(t).Analyse(in).Answer, "%s %s", name, language)
		}
	}
}

// TestTiesAreOfOneName: where two columns name the rows together, or one has a name twice,
// one name alone would tie with itself.
func TestTiesAreOfOneName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns      string
		rows, beyond [][]any
		order        int
		not          string
	}{
		"two names":            {"seller varchar, product varchar, units double", [][]any{{"Ann", "pen", 7.0}}, [][]any{{"Ann", "ink", 7.0}}, 2, " tie "},
		"two names, different": {"seller varchar, product varchar, units double", [][]any{{"Ann", "pen", 7.0}}, [][]any{{"Bo", "ink", 7.0}}, 2, " tie "},
		"three shown":          {"seller varchar, product varchar, units double", [][]any{{"Ann", "pen", 9.0}, {"Bo", "pen", 8.0}, {"Cy", "pen", 7.0}}, [][]any{{"Ann", "ink", 7.0}}, 2, "Cut off"},
		"a name on two days":   {"seller varchar, day date, units double", [][]any{{"Ann", "2026-11-01", 7.0}}, [][]any{{"Ann", "2026-11-02", 7.0}}, 2, " tie "},
		"a name twice":         {"seller varchar, batch bigint, units double", [][]any{{"Ann", int64(1), 7.0}}, [][]any{{"Ann", int64(2), 7.0}}, 2, " tie "},
		"a name that is shown": {"seller varchar, units double", [][]any{{"Ann", 9.0}, {"Bo", 7.0}}, [][]any{{"Ann", 7.0}}, 1, "Cut off"},
	} {
		in := analyse.Input{Table: table(c.columns), Limited: true, Beyond: c.beyond, Order: &analyse.Order{Column: c.order, Desc: true}}
		in.Table.Rows = c.rows
		require.NotContains(t, analystFor(t).Analyse(in).Answer, c.not, name)
	}
}

// TestTheFigureOfOneNameIsNotThatOfAll: a row with a name, or one that a limit let through,
// tells which days are missing, and no figure per day of all; a tie does not hide the days.
func TestTheFigureOfOneNameIsNotThatOfAll(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 9, n, 0, 0, 0, 0, time.UTC) }
	in := func(rows ...[]any) analyse.Input {
		in := comparedRows("gmv", rows...)
		in.Compared = &analyse.Compared{
			Own: analyse.Range{From: day(8), To: day(15)}, Base: analyse.Range{From: day(1), To: day(8)}, OwnDays: 6, BaseDays: 7, Adds: true, Missing: []string{"A day is missing."},
		}
		return in
	}
	named := in([]any{"Oslo", 60.0, 35.0})
	require.Equal(t, "A day is missing. Oslo: GMV from 8 Sep 2026 to 14 Sep 2026 is 60, 25 (71.4%) more than from 1 Sep 2026 to 7 Sep 2026 (35).", analystFor(t).Analyse(named).Answer)
	tied := in([]any{"Oslo", 60.0, 35.0})
	tied.Limited, tied.Order, tied.Beyond = true, &analyse.Order{Column: 1, Desc: true}, comparedRows("gmv", []any{"Rome", 60.0, 5.0}).Table.Rows
	require.Equal(t, "A day is missing. Oslo, Rome and others tie for the highest GMV, 60.", analystFor(t).Analyse(tied).Answer)
	all := in([]any{"Oslo", 60.0, 35.0})
	all.Table = table("gmv double, previous_gmv double, gmv_change double, gmv_change_rate double", all.Table.Rows[0][1:])
	require.Contains(t, analystFor(t).Analyse(all).Answer, "Like for like, GMV from 8 Sep 2026 to 14 Sep 2026 is 10 per day")
	all.Limited = true
	require.NotContains(t, analystFor(t).Analyse(all).Answer, "Like for like")
}

// TestCountriesAreNamed: codes of a column of countries are said as names; where the column
// has something else, or is of regions, they stay as they are.
func TestCountriesAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column string
		codes  []any
		en, zh string
	}{
		{"country", []any{"BR", "TH"}, "Brazil has the highest GMV: 9, 56.2% of 16; then Thailand (7).", "巴西的GMV最高，为9，占合计16的56.2%；其次是泰国（7）。"},
		{"country", []any{"BR", "XX"}, "BR has the highest GMV: 9, 56.2% of 16; then XX (7).", ""},
		{"country", []any{"br", "th"}, "br has the highest GMV: 9, 56.2% of 16; then th (7).", ""},
		{"state", []any{"CA", "IL"}, "CA has the highest GMV: 9, 56.2% of 16; then IL (7).", ""},
	} {
		for language, want := range map[lang.Language]string{lang.English: c.en, lang.Chinese: c.zh} {
			if want != "" {
				in := analyse.Input{Table: table(c.column + " varchar, gmv double"), Language: language, Order: &analyse.Order{Column: 1, Desc: true}}
				in.Table.Rows = [][]any{{c.codes[0], 9.0}, {c.codes[1], 7.0}}
				require.Equal(t, want, analystFor(t).Analyse(in).Answer)
			}
		}
	}
}
