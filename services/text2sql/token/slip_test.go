package token_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

func TestSlip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said, meant string
		want        bool
	}{
		{"averge", "average", true},   // one left out
		{"averrage", "average", true}, // one too many
		{"avetage", "average", true},  // another
		{"avergae", "average", true},  // two the wrong way round
		{"averages", "average", true}, // at the end
		{"aevrgae", "average", false}, // two slips
		{"average", "average", false},
		{"verage", "average", false}, // the first letter
		{"bver", "bever", false},     // too short
		{"bevr", "bever", false},     // too short
		{"built", "bulit", true},
		{"abcdef", "abdcfe", false}, // two pairs
		{"abcde", "abecd", false},   // three letters in another order
	} {
		require.Equal(t, c.want, token.Slip(c.said, c.meant), "%s for %s", c.said, c.meant)
	}
}
