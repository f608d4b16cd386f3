package lexicon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

// TestShort: what data modellers write everywhere, and what is left of a word without its vowels; a word
// that is one itself is short for nothing, and so are two letters.
func TestShort(t *testing.T) {
	t.Parallel()
	l, err := Load()
	require.NoError(t, err)
	for _, c := range []struct {
		name, word string
		want       bool
	}{
		{"src", "source", true},
		{"lvl", "levels", true},
		{"cntry", "countries", true},
		{"bldg", "building", true},
		{"cd", "code", true},
		{"prch", "purchase", true},
		{"wrhs", "warehouse", true},
		{"prch", "preach", true}, // the letters alone do not tell
		{"src", "resource", false},
		{"cts", "cities", false},
		{"gym", "gymnastics", false},
		{"dry", "diary", false},
		{"st", "site", false},
		{"level", "level", false},
		{"cnt", "countries", false}, // it is a count everywhere
		{"lng", "language", false},
		{"pct", "picture", false},
		{"crd", "credit", false}, // three letters of more
	} {
		require.Equal(t, c.want, l.Short(token.Stem(c.name), token.Stem(c.word)), "%s %s", c.name, c.word)
	}
}
