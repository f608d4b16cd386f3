package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

func TestAmbiguous(t *testing.T) {
	t.Parallel()
	amount, day := &link.Item{Text: "amount"}, &link.Item{Text: "day"}
	reading := func(p float64, meanings ...string) Candidate {
		used := map[*link.Item]string{}
		for i, it := range []*link.Item{amount, day}[:len(meanings)] {
			used[it] = meanings[i]
		}
		return Candidate{Probability: p, Reading: bind.Reading{Used: used}}
	}
	cases := []struct {
		name     string
		list     []Candidate
		word     *link.Item
		meanings []string
		total    float64
		close    bool
	}{
		{"one column or the other", []Candidate{reading(0.4, "a", "d"), reading(0.39, "b", "d")}, amount, []string{"a", "b"}, 0.79, true},
		{"three meanings, one of them twice", []Candidate{reading(0.4, "a", "d"), reading(0.3, "b", "d"), reading(0.3, "b", "d"), reading(0.2, "c", "d")}, amount, []string{"a", "b", "c"}, 0.9, false},
		{"the other word", []Candidate{reading(0.4, "a", "d"), reading(0.3, "a", "e")}, day, []string{"d", "e"}, 0.7, false},
		{"far behind", []Candidate{reading(0.8, "a", "d"), reading(0.1, "b", "d")}, nil, nil, 0, false},
		{"two words at once", []Candidate{reading(0.4, "a", "d"), reading(0.4, "b", "e")}, nil, nil, 0, false},
		{"the same meaning in another form", []Candidate{reading(0.4, "a", "d"), reading(0.4, "a", "d")}, nil, nil, 0, false},
		{"a word that one leaves out", []Candidate{reading(0.4, "a", "d"), reading(0.4, "a")}, nil, nil, 0, false},
		{"never certain", []Candidate{reading(0.7, "a"), reading(0.7, "b")}, amount, []string{"a", "b"}, MaxFreeConfidence, true},
		{"nothing to choose from", []Candidate{reading(0.7, "a")}, nil, nil, 0, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := ambiguous(c.list, func(c *Candidate) float64 { return c.Probability })
			require.Same(t, c.word, a.word)
			require.Equal(t, c.meanings, a.meanings)
			require.InDelta(t, c.total, a.total, 1e-9)
			require.Equal(t, c.close, a.close)
			if c.word != nil {
				require.Same(t, a.readings[1], a.chosen("meaning:"+c.meanings[1]))
			}
			require.Nil(t, a.chosen("meaning:other"))
			require.Nil(t, a.chosen("country:SG"))
		})
	}
}

func TestAsks(t *testing.T) {
	t.Parallel()
	word := &link.Item{Text: "amount"}
	require.True(t, (&ambiguity{word: word, best: 0.4, total: 0.7}).asks(0.6), "only a choice makes it sure")
	require.False(t, (&ambiguity{word: word, best: 0.7, total: 0.9}).asks(0.6), "sure enough without")
	require.True(t, (&ambiguity{word: word, best: 0.7, total: 0.97, close: true}).asks(0.6), "two are sure enough")
	require.False(t, (&ambiguity{word: word, best: 0.2, total: 0.3}).asks(0.6), "not even a choice would")
	require.False(t, (&ambiguity{}).asks(0.6), "there is none")
}
