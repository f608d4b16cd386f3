package term_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/prose"
)

// FuzzTable: whatever stands in a cell or a title, a table is text of as many lines as
// it has rows, and nothing in it moves a cursor.
func FuzzTable(f *testing.F) {
	for _, cell := range []string{"", "订单\x1b[2J", "caf\xe9\u202e", "a\nb\rc", "\U000e0041👩‍💻", strings.Repeat("長", 90)} {
		f.Add(cell, cell, 20)
	}
	f.Fuzz(func(t *testing.T, title, cell string, width int) {
		drawn := term.Table([]term.Column{{Title: title}, {Title: "n", Right: true}}, [][]string{{cell, "1"}, {"x", cell}, {cell}}, width, term.Style{})
		require.True(t, utf8.ValidString(drawn), "%q", drawn)
		require.Equal(t, 5, strings.Count(drawn, "\n"), "%q", drawn)
		require.Equal(t, -1, strings.IndexFunc(drawn, prose.IsUnseen), "%q", drawn)
		for _, line := range term.Wrap(cell, width) {
			require.NotContains(t, line, "\n")
		}
	})
}

// TestWrapEndsForLongWords: the work grows with the text, not with its square, which
// for this one would take until the test is ended.
func TestWrapEndsForLongWords(t *testing.T) {
	t.Parallel()
	lines := term.Wrap(strings.Repeat("長", 1<<19), 4)
	require.Len(t, lines, 1<<18)
}
