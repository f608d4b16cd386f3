package token

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	dict := NewDictionary("新加坡", "成交额", "每天")
	cases := []struct {
		text  string
		words []string
	}{
		{"Show the singer's name.", []string{"Show", "the", "singer", "name", "."}},
		{"who don't have 1,200 pets", []string{"who", "do", "not", "have", "1,200", "pets"}},
		{`named "New York" or 'Rose Hill'`, []string{"named", "New York", "or", "Rose Hill"}},
		{"新加坡每天的成交额", []string{"新加坡", "每天", "的", "成交额"}},
		{"GMV是3rd", []string{"GMV", "是", "3rd"}},
		{"", nil},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, tok := range Split(c.text, dict) {
				got = append(got, tok.Text)
				require.LessOrEqual(t, tok.End, len(c.text))
			}
			require.Equal(t, c.words, got)
		})
	}
	require.True(t, Split("the singers' names", nil)[1].Possessive)
}

func TestStemKeepsWhoAndWhatApart(t *testing.T) {
	t.Parallel()
	require.Equal(t, Stem("country"), Stem("countries"))
	require.Equal(t, Stem("ad"), Stem("ads"))
	require.Equal(t, "gas", Stem("gas"))
	require.Equal(t, "bus", Stem("bus"))
	require.Equal(t, Stem("person"), Stem("people"))
	require.Equal(t, Stem("gardener"), Stem("gardeners"))
	require.NotEqual(t, Stem("garden"), Stem("gardener"))
}

func FuzzSplit(f *testing.F) {
	f.Add("Show the singer's name, e.g. 'x'")
	f.Add("过去30天“新加坡”的GMV")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, tok := range Split(text, NewDictionary("过去")) {
			require.LessOrEqual(t, at, tok.Start, "in order")
			require.LessOrEqual(t, tok.End, len(text))
			at = tok.Start
		}
	})
}
