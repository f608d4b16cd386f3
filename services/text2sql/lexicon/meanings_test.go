package lexicon

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

func TestMeanings(t *testing.T) {
	t.Parallel()
	l, err := Load()
	require.NoError(t, err)
	require.NoError(t, l.meanings.load())
	require.Greater(t, len(l.meanings.at), 6000)
	for _, c := range []struct{ said, named string }{
		{"airplane", "aircraft"}, {"doctor", "physician"}, {"money", "payment"}, {"gender", "sex"}, {"altitude", "elevation"}, {"children", "kid"},
	} {
		list := l.Meanings(token.Stem(c.said))
		require.True(t, slices.ContainsFunc(list, func(m Meaning) bool { return m.Stem == token.Stem(c.named) }), c)
		require.True(t, slices.IsSortedFunc(list, func(a, b Meaning) int { return int(100 * (b.Logit - a.Logit)) }), c.said)
		require.LessOrEqual(t, len(list), maxMeanings)
		require.False(t, slices.ContainsFunc(list, func(m Meaning) bool { return m.Stem == token.Stem(c.said) }), "a word means itself")
	}
	require.Empty(t, l.Meanings("zorb"))
}

func TestMeaningsOfABrokenFile(t *testing.T) {
	t.Parallel()
	for _, file := range [][]byte{nil, []byte("no gzip"), pack(t, "money\tcash:near\n"), pack(t, "money\tcash:99999\n")} {
		require.Error(t, newMeanings(file).load())
	}
	require.NoError(t, newMeanings(pack(t, "money\tcash:-200 coins:-250\n")).load())
}

func BenchmarkUnpackMeanings(b *testing.B) {
	for b.Loop() {
		require.NoError(b, newMeanings(meaningsFile).load())
	}
}

func BenchmarkMeanings(b *testing.B) {
	l, err := Load()
	require.NoError(b, err)
	require.NoError(b, l.meanings.load())
	for b.Loop() {
		l.Meanings("money")
	}
}
