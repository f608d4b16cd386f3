package analyse_test

import (
	"testing"

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
		"one, alone":    {[][]any{{"Ann", 7.0}}, [][]any{{"Bo", 6.0}}, false, "Ann: parcels are 7.", ""},
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
