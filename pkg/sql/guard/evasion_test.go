package guard_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// background is the context of a test, which rapid's has not.
func background(t require.TestingT) context.Context {
	if t, ok := t.(interface{ Context() context.Context }); ok {
		return t.Context()
	}
	return context.Background()
}

func lines(t testing.TB, file string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	require.NotEmpty(t, out, file)
	return out
}

// TestEvasions runs the list on both warehouses.
func TestEvasions(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	all := lines(t, "evasions.txt")
	require.Greater(t, len(all), 140)
	ran := 0
	for _, text := range all {
		t.Run(text, func(t *testing.T) {
			got := o.same(t, text)
			if got.refused == "" && got.failed == "" {
				ran++
			}
			for _, row := range got.rows {
				require.NotContains(t, row, "555-")
			}
		})
	}
	t.Logf("%d of %d statements gave rows", ran, len(all))
	require.Greater(t, ran, 100, "a comparison of refusals alone shows little")
}
