package reader_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// TestWhatAnySQLHasToDo: each kind of demand is read by its own words, with the words of the
// question, and by nothing else.
func TestWhatAnySQLHasToDo(t *testing.T) {
	t.Parallel()
	r := open(t, harbour()...).reader
	for question, want := range map[string]reader.Demands{
		"":                                          {},
		"Which boats sailed?":                       {},
		"How many catches are there per port?":      {Counts: []string{"How many"}, Each: "per", HowMany: "How many"},
		"List how many catches there are":           {Counts: []string{"how many"}},
		"港口有多少？":                                    {HowMany: "有多少"},
		"catches this year versus last":             {Compare: "versus"},
		"How many more catches in May than in June": {Compare: "How many more"},
		"number of catches for each port":           {Counts: []string{"number of"}, Each: "for each", Apart: "for each"},
		"weight broken down by port":                {Each: "broken down by", Apart: "broken down by"},
		"List the boats of each port":               {},
		"List the catches per port":                 {},
		"Which species is caught most?":             {Most: "most", Pick: "Which"},
		"Which member paid the most?":               {Most: "the most", Pick: "Which", Alone: "the most"},
		"Who sailed the most in May?":               {Most: "the most", Pick: "Who", Who: "Who", Alone: "the most"},
		"Who caught the most fish?":                 {Most: "the most", Pick: "Who", Who: "Who"},
		"Boats and, who sailed them":                {Who: "who"},
		"boats who have a captain":                  {},
		"谁捕的鱼最多":                                    {Most: "最多", Pick: "谁", Who: "谁"},
		"What is the highest weight?":               {},
		"What is the most common species?":          {Most: "the most"},
		"各个港口的重量":                                   {Each: "各个", Apart: "各个"},
		"每个港口的重量":                                   {Each: "每个"},
		"不同港口的重量":                                   {Each: "不同", Apart: "不同"},
		"Since when does Ada sail?":                 {When: "when"},
		"Which month had the most catches?":         {When: "Which month", Most: "the most"},
		"In what year was it, and when did it end?": {When: "when"},
		"什么时候捕到的？":                                  {When: "什么时候"},
		"Which boats leave when it rains?":          {},
		"How much money came in?":                   {Money: "How much money"},
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, r.Question(question, nil, time.Time{}).Demands())
		})
	}
}

// TestSizesOfAQuestion: a number has the longest unit that stands right behind it, with what
// that unit measures.
func TestSizesOfAQuestion(t *testing.T) {
	t.Parallel()
	r := open(t, harbour()...).reader
	type size struct {
		text, number, quantity string
		times                  bool
	}
	for question, want := range map[string][]size{
		"catches over 30":         nil,
		"catches over 30 fish":    nil,
		"catches over 30 kg":      {{"30 kg", "30", "mass", false}},
		"between 5 kg and 2 tons": {{"5 kg", "5", "mass", false}, {"2 tons", "2", "mass", false}},
		"trips of 1.5 hours":      {{"1.5 hours", "1.5", "time", false}},
		"who came 3 times":        {{"3 times", "3", "count", true}},
		"超过20公斤的鱼":                {{"20公斤", "20", "mass", false}},
		"来过3次":                    {{"3次", "3", "count", true}},
		"kg of 30 boats":          nil,
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			var got []size
			for _, s := range r.Question(question, nil, time.Time{}).Demands().Sized {
				got = append(got, size{s.Text, s.Number, s.Unit.Quantity, s.Times})
			}
			require.Equal(t, want, got)
		})
	}
	sized := r.Question("between 5 kg and 2 tons", nil, time.Time{}).Demands().Sized
	require.InDelta(t, 1000, sized[1].Unit.Factor/sized[0].Unit.Factor, 1e-9)
}
