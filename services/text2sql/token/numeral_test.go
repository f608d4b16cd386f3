package token

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHanNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"三": 3, "十": 10, "十二": 12, "二十": 20, "三百零五": 305, "两千五百": 2500, "一万二千": 12000, "百万": 1_000_000, "二零一五": 2015, "三亿": 300_000_000,
	} {
		got, ok := HanNumber(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "万", "三个", "一一一一一一一一一一一一一一一一一一一一"} {
		_, ok := HanNumber(text)
		require.False(t, ok, text)
	}
}

func TestSplitReadsNumerals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"3万": "30000", "1.5亿": "150000000", "三百": "300", "1,200": "1,200"} {
		tokens := Split(text, NewDictionary())
		require.Len(t, tokens, 1, text)
		require.Equal(t, Number, tokens[0].Kind)
		require.Equal(t, want, tokens[0].Text)
		require.Equal(t, len(text), tokens[0].End)
	}
}

type words map[string]float64

func (w words) Cost(word string) (float64, bool) {
	c, ok := w[word]
	return c, ok
}

func TestDictionaryCutsIntoTheLikeliestWords(t *testing.T) {
	t.Parallel()
	language := words{"研究": 6, "研究生": 9, "生命": 6, "命": 8, "起源": 7, "的": 2}
	for text, want := range map[string][]string{
		"研究生命的起源": {"研究", "生命", "的", "起源"}, // the longest first word is not of the likeliest cut
		"研究生":     {"研究生"},
	} {
		require.Equal(t, want, Over(language).cut(text), text)
	}
	own := Over(language)
	own.Add("生命的起源")
	require.Equal(t, []string{"研究", "生命的起源"}, own.cut("研究生命的起源"))
	require.Equal(t, []string{"研究", "生"}, own.Parts("研究生"))
}
