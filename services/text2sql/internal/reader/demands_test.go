package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"
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
		{question: "Count the number of boats in the harbour.", counts: []string{"Count"}},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			d := r.Demands(c.question)
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

func TestUnitsOfSize(t *testing.T) {
	t.Parallel()
	r := open(t, harbour()...).reader
	for word, want := range map[string]bool{"EUR": true, "kg": true, "min": true, "元": true, "times": false, "name": false} {
		require.Equal(t, want, r.IsSize(word), word)
	}
}
