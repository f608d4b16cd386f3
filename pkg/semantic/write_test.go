package semantic

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsWrittenIsReadAgain for the example that has an item of every kind.
func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	t.Parallel()
	layer, err := Load("testdata/full")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, Write(&b, "Order", layer))
	dir := t.TempDir()
	write(t, dir, "x.yaml", b.String())
	again, err := Load(dir)
	require.NoError(t, err)
	require.Equal(t, layer, again)
	require.NotContains(t, b.String(), `""`, "what is empty is left out")
}
