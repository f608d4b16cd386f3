package analyse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestPeopleAreCalledByBothNames: where a result has the first and the last name of people,
// in any place and order, they are named by both, and two of one first name are two.
func TestPeopleAreCalledByBothNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns  string
		language lang.Language
		order    int
		rows     [][]any
		beyond   [][]any
		want     string
	}{
		"a ranking": {
			"member_id bigint, first_name varchar, last_name varchar, visits double", lang.English, 3,
			[][]any{{int64(7), "Max", "Brown", 9.0}, {int64(2), "Max", "Ito", 7.0}, {int64(3), "Ana", nil, 4.0}}, nil,
			"Max Brown has the highest visits: 9, 45% of the sum of the 3 shown; then Max Ito (7) and Ana (4).",
		},
		"the last name first": {
			"visits double, customer_last_name varchar, customer_first_name varchar", lang.English, 0,
			[][]any{{9.0, "Brown", "Max"}, {7.0, "Ito", "Max"}}, [][]any{{7.0, "Fox", "Lea"}},
			"Max Brown has the highest visits: 9, 56.2% of the sum of the 2 shown; then Max Ito (7). Cut off by the limit, with the same visits as the last one shown (7): Lea Fox and others.",
		},
		"one": {
			"first_name varchar, last_name varchar, visits double", lang.English, 2,
			[][]any{{"Max", "Brown", 9.0}}, [][]any{{"Lea", "Fox", 9.0}, {"Ana", "Ito", 8.0}},
			"Max Brown and Lea Fox tie for the highest visits, 9.",
		},
		"in Chinese": {
			"姓 varchar, 名 varchar, visits double", lang.Chinese, 2,
			[][]any{{"王", "小明", 9.0}}, [][]any{{"李", "雷", 8.0}},
			"王小明的visits最高，为9。",
		},
		"in the order of last names, which ranks nothing": {
			"first_name varchar, last_name varchar, visits double", lang.English, 1,
			[][]any{{"Lea", "Fox", 7.0}, {"Max", "Brown", 9.0}}, nil,
			"The first 2 rows with name and visits.",
		},
		"names alone": {
			"first_name varchar, last_name varchar", lang.English, -1,
			[][]any{{"Max", "Brown"}, {"Lea", "Fox"}, {nil, " "}}, nil,
			"These are the first 3, among them Max Brown, Lea Fox and missing.",
		},
		"of two people": {
			"driver_first_name varchar, owner_last_name varchar, visits double", lang.English, 2,
			[][]any{{"Max", "Brown", 9.0}, {"Lea", "Fox", 7.0}}, nil,
			"Max has the highest visits: 9, 56.2% of the sum of the 2 shown; then Lea (7).",
		},
	} {
		in := analyse.Input{Table: table(c.columns), Language: c.language, Limited: true, Beyond: c.beyond}
		if c.order >= 0 {
			in.Order = &analyse.Order{Column: c.order, Desc: true}
		}
		in.Table.Rows = c.rows
		columns := append([]result.Column(nil), in.Table.Columns...)
		out := analystFor(t).Analyse(in)
		require.Equal(t, c.want, out.Answer, name)
		require.Equal(t, columns, out.Columns, "people see the columns as they are: %s", name)
		require.Equal(t, columns, in.Table.Columns, name)
	}
}

// TestGroupsThatArePickedAreAll: a condition on groups cuts nothing off, and what they
// make up of the whole is not known.
func TestGroupsThatArePickedAreAll(t *testing.T) {
	t.Parallel()
	in := analyse.Input{Table: table("town varchar"), Picked: true}
	in.Table.Rows = [][]any{{"York"}, {"Leeds"}}
	require.Equal(t, "There are 2: York and Leeds.", analystFor(t).Analyse(in).Answer)
	in = analyse.Input{Table: table("town varchar, visits double"), Picked: true, Order: &analyse.Order{Column: 1, Desc: true}}
	in.Table.Rows = [][]any{{"York", 9.0}, {"Leeds", 7.0}}
	require.NotContains(t, analystFor(t).Analyse(in).Answer, "of the whole")
}

// TestSignsOfMoneyStandFirst, as people write amounts.
func TestSignsOfMoneyStandFirst(t *testing.T) {
	t.Parallel()
	for unit, want := range map[string]string{"$": "-$3.50", "HK$": "-HK$3.50", "€": "-€3.50", "元": "-3.5 元", "kg": "-3.5 kg"} {
		in := analyse.Input{Table: table("fee double"), Columns: []analyse.Column{{Unit: unit}}}
		in.Table.Rows = [][]any{{-3.5}}
		require.Contains(t, analystFor(t).Analyse(in).Answer, want)
	}
}
