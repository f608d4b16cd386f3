package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReasonsAreToldOnce: a grammar tries hundreds of rows, which fail for a few reasons.
func TestReasonsAreToldOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tellRefused(&Factory{IO: &IO{Out: &out}}, []string{"no table", "an order of nothing", "no table", "no table"})
	require.Equal(t, "  no reading, 3 times: no table\n  no reading: an order of nothing\n", out.String())
}
