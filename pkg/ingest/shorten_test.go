package ingest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestShorten: a text that fits stays as it is; of a longer one as many whole
// characters stay as fit.
func TestShorten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "plain words", "数据表说明", "é🙂x", "two  words"} {
		for n := range len(text) + 2 {
			got := shorten(text, n)
			if len(text) <= n {
				require.Equal(t, text, got)
				continue
			}
			kept, cut := strings.CutSuffix(got, "…")
			require.True(t, cut, "%q at %d", text, n)
			require.True(t, utf8.ValidString(kept))
			require.True(t, strings.HasPrefix(text, kept))
			require.LessOrEqual(t, len(kept), n)
			_, next := utf8.DecodeRuneInString(text[len(kept):])
			require.True(t, len(kept)+next > n || text[len(kept)] == ' ', "one more character fits: %q of %q at %d", kept, text, n)
		}
	}
}
