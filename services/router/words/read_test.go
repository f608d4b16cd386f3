package words

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
)

// TestSentencesInBothLanguages: one that is missing in a language is an error at the start,
// and all of them are named.
func TestSentencesInBothLanguages(t *testing.T) {
	t.Parallel()
	_, err := read([]byte(`{a: {en: "one"}, b: {zh: "二"}, c: {en: "three", zh: "三"}}`))
	require.ErrorContains(t, err, "a is missing")
	require.ErrorContains(t, err, "b is missing")
	require.NotContains(t, err.Error(), "c is missing")
	_, err = read([]byte(`{a: [}`))
	require.ErrorContains(t, err, "words: ")
}

// TestNamesInSentences are replaced by what is given for them, all at once, so that a value
// with a name in it stays as it is.
func TestNamesInSentences(t *testing.T) {
	t.Parallel()
	b, err := read([]byte(`{a: {en: " {x} and {y}, {x} ", zh: "{y}和{x}"}}`))
	require.NoError(t, err)
	require.Equal(t, "{y} and 2, {y}", b.Say(lang.English, "a", "x", "{y}", "y", "2"))
	require.Equal(t, "2和1", b.Say(lang.Chinese, "a", "x", "1", "y", "2"))
	require.Equal(t, "{x} and {y}, {x}", b.Say(lang.English, "a", "x"), "a name without a value")
	require.Equal(t, "nothing", b.Say(lang.English, "nothing"), "a slip is seen")
	require.True(t, b.Has("a"))
	require.False(t, b.Has("nothing"))
}
