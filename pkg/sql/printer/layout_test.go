package printer_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// TestLayout compares with testdata/layout.txt: a statement, a line of ---, how it
// is laid out, a line of ===.
func TestLayout(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/layout.txt")
	require.NoError(t, err)
	parts := strings.Split(string(data), "\n===\n")
	require.Greater(t, len(parts), 5)
	for i, part := range parts {
		text, want, ok := strings.Cut(part, "\n---\n")
		if i == len(parts)-1 && strings.TrimSpace(part) == "" {
			break // after the last one
		}
		require.True(t, ok, part)
		stmt, err := parser.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, printer.Layout(stmt))
		again, err := parser.Parse(want)
		require.NoError(t, err, want)
		require.Equal(t, want, printer.Layout(again))
	}
}

// Nesting costs time in proportion, not in powers of two.
func TestLayoutOfDeepNesting(t *testing.T) {
	t.Parallel()
	deep := "select " + strings.Repeat("array[1, ", 200) + "2" + strings.Repeat("]", 200)
	stmt, err := parser.Parse(deep)
	require.NoError(t, err)
	laid := printer.Layout(stmt)
	again, err := parser.Parse(laid)
	require.NoError(t, err)
	require.Equal(t, laid, printer.Layout(again))
}
