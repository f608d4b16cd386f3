package reader_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func TestDemandsOfAQuestion(t *testing.T) {
	t.Parallel()
	r := open(t, harbour()...).reader
	for _, c := range []struct {
		question, money, when string
		counts                []string
		sized                 []string
		times                 bool
	}{
		{question: "How much did each skipper bring in?", money: "How much"},
		{question: "Which harbour made the most money?", money: "money"},
		{question: "每年赚了多少钱？", money: "多少钱"},
		{question: "哪个港口收的钱最多？", money: "钱"},
		{question: "How many catches weigh over 30 kg?", counts: []string{"How many"}, sized: []string{"30 kg"}},
		{question: "How many by boat and how many by net?", counts: []string{"How many", "how many"}},
		{question: "Who came more than 150 times?", sized: []string{"150 times"}, times: true},
		{question: "来过3次的船长", sized: []string{"3次"}, times: true},
		{question: "average weight by species"},
		{question: "When did Ada last sail?", when: "When"},
		{question: "最大的鱼是哪天捕到的？", when: "哪天"},
		{question: "Which boats sailed, and when?", when: "when"},
		{question: "Who steers when the skipper is not Ada?"},
		{question: "Count the number of boats in the harbour.", counts: []string{"Count the number of"}},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			d := r.Question(c.question, nil, time.Time{}).Demands()
			require.Equal(t, c.money, d.Money)
			require.Equal(t, c.when, d.When)
			require.Equal(t, c.counts, d.Counts)
			var sized []string
			for _, n := range d.Sized {
				sized = append(sized, n.Text)
				require.Equal(t, c.times, n.Times)
			}
			require.Equal(t, c.sized, sized)
		})
	}
}

// A way or a place is asked for by the words that begin a question, not by those of a condition,
// of an amount or of a request.
func TestWaysAndPlacesAreAskedFor(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for question, want := range map[string]string{
		"How did the owners find us?":         "How",
		"Which owners came, and how did they": "how",
		"Where do the owners live?":           "Where",
		"主人来自哪里？":                             "哪里",
		"主人如何付款？":                             "如何",
		"How many owners are there?":          "",
		"How can I see all owners?":           "",
		"How do we list owners?":              "",
		"owners where the town is York":       "",
		"哪个城市的主人最多？":                          "",
	} {
		require.Equal(t, want, s.reader.Question(question, s.view, today).Demands().How, question)
	}
}

func TestUnitsOfSize(t *testing.T) {
	t.Parallel()
	r := open(t, harbour()...).reader
	for word, want := range map[string]bool{"EUR": true, "kg": true, "min": true, "元": true, "times": false, "name": false} {
		require.Equal(t, want, r.IsSize(word), word)
	}
}

// Yes or no is asked for by how a question begins, or ends, and by nothing that asks which.
func TestYesOrNo(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for question, want := range map[string]string{
		"Were any visits free?":                  "Were",
		"有没有人住在York，免费的吗？":                       "吗",
		"Is there a town without owners? Which?": "",
		"Which towns are there?":                 "",
		"How many visits were free?":             "",
		"Did we see how many visits there were?": "",
	} {
		require.Equal(t, want, s.reader.Question(question, nil, time.Time{}).Demands().Yes, question)
	}
	require.Equal(t, "the share of", s.reader.Question("What is the share of visits in York?", nil, time.Time{}).Demands().Share)
}

// What a question says letter by letter as it is stored is known to be a value, unless it
// is part of something longer or a general word.
func TestStoredValuesThatAreSaid(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "members"}, RowCount: 900, Columns: []catalog.Column{
		key("member_id"), texts("plan", "Gold", "Gold Plus", "Total"), texts("状态", "在读", "已毕业"),
	}})
	said := func(question string) []string {
		var out []string
		for _, x := range s.reader.Question(question, s.view, today).Said() {
			out = append(out, x.Text)
		}
		return out
	}
	require.Equal(t, []string{"在读"}, said("现在还在读的有多少人？"))
	require.Equal(t, []string{"gold plus"}, said("how many gold plus members"))
	require.Equal(t, []string{"Gold"}, said("Gold members in total"))
	require.Empty(t, said("members by plan"))
}
