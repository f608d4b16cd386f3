package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An answer for all countries to somebody who gave theirs would be wrong in silence.
func TestRegionIsRefusedWhereItWouldNotCount(t *testing.T) {
	t.Parallel()
	got := execute(t, nil, "ask", "--region", "SG", "What was the GMV yesterday?")
	require.Equal(t, exitInput, got.code)
	require.Contains(t, got.err, "Name the country in the question")
	require.Contains(t, got.err, "dibrain find --region SG")
	require.NotContains(t, execute(t, nil, "ask", "--help").out, "--region")
}
