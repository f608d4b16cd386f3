package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Apostrophes of contractions and genitives are written in more than one way; what is quoted
// stays.
func TestCurledApostrophes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"How many haven’t come? What’s the total?": "How many haven't come? What's the total?",
		"named ‘Joe’":              "named ‘Joe’",
		"the boss’s ‘Tea’ they’ve": "the boss's ‘Tea’ they've",
		"Don’Tea":                  "Don’Tea",
	} {
		require.Equal(t, want, straight(text))
	}
}
