package lexicon

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMorphemes(t *testing.T) {
	t.Parallel()
	l, err := Load()
	require.NoError(t, err)
	require.NoError(t, l.morphemes.load())
	require.Equal(t, "借", l.Morphemes("borrow")[0].Character)
	require.Equal(t, "客", l.Morphemes("guest")[0].Character)
	require.Empty(t, l.Morphemes("zorb"))
	for word, list := range l.morphemes.of {
		require.True(t, slices.IsSortedFunc(list, func(a, b Morpheme) int { return int(100 * (b.Share - a.Share)) }), word)
		require.LessOrEqual(t, list[0].Share, 1.0, word)
		require.Greater(t, list[len(list)-1].Share, 0.0, word)
	}
}

func TestMorphemesOfABrokenFile(t *testing.T) {
	t.Parallel()
	for _, file := range [][]byte{nil, []byte("no gzip"), pack(t, "loan\t借:most\n"), pack(t, "loan\t借:101\n")} {
		require.Error(t, newMorphemes(file).load())
	}
	require.NoError(t, newMorphemes(pack(t, "loan\t借:55\n")).load())
}
