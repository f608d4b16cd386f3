package lexicon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

func TestGloss(t *testing.T) {
	t.Parallel()
	lex, err := Load()
	require.NoError(t, err)
	c := lex.Chinese()
	links := func(t token.Token) float64 {
		switch t.Text {
		case "门票费", "总产值额", "所有人":
			return 0
		case "公立学校": // as some school
			return 0.75
		}
		return 1
	}
	cases := []struct {
		text   string
		words  []string
		gloss  string // one of the first word's
		number bool
	}{
		{text: "歌手", words: []string{"歌手"}, gloss: "singer"},
		{text: "体重", words: []string{"体重"}, gloss: "weight"},
		{text: "法国", words: []string{"法国"}, gloss: "france"},
		{text: "出生日期", words: []string{"出生日期"}, gloss: "date of birth"},
		{text: "每年", words: []string{"每", "年"}},
		{text: "一次", words: []string{"1", "次"}, number: true},
		{text: "总收入", words: []string{"总", "收入"}},
		{text: "门票费", words: []string{"门票", "费"}, gloss: "ticket"},
		{text: "所有人", words: []string{"人"}, gloss: "person"},
		{text: "公立学校", words: []string{"公立", "学校"}, gloss: "public"},
		{text: "男生", words: []string{"男生"}, gloss: "male"},
		{text: "的", words: []string{"的"}},
	}
	for _, k := range cases {
		t.Run(k.text, func(t *testing.T) {
			t.Parallel()
			in := []token.Token{{Kind: token.Han, Text: k.text, Lower: k.text, End: len(k.text)}}
			var words []string
			out := c.Gloss(in, links)
			for _, tok := range out {
				words = append(words, tok.Text)
			}
			require.Equal(t, k.words, words)
			require.Equal(t, k.number, out[0].Kind == token.Number)
			var glosses []string
			for _, g := range out[0].Glosses {
				glosses = append(glosses, g.Text)
				require.LessOrEqual(t, g.Score, 1.0)
			}
			if k.gloss != "" {
				require.Contains(t, glosses, k.gloss)
			}
		})
	}
}

// Every Chinese phrase that has an English one does what that does.
func TestEnglishPhrasesHaveTheSameTags(t *testing.T) {
	t.Parallel()
	lex, err := Load()
	require.NoError(t, err)
	require.NotEmpty(t, lex.Chinese().english)
	for zh, en := range lex.Chinese().english {
		require.Subset(t, lex.Phrase(zh), lex.Phrase(en), zh)
	}
}
