package ingest

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAQuoteInsideAValueOpensNone: an inch sign inside a value opens no quoted one.
func TestAQuoteInsideAValueOpensNone(t *testing.T) {
	t.Parallel()
	r := newCSVReader(strings.NewReader("id,name\n1,5\" pipe\n2,6\" pipe\n"), ',', 1000)
	var got []string
	for {
		cells, err := r.read()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got = append(got, cells[1].text)
	}
	require.Equal(t, []string{"name", `5" pipe`, `6" pipe`}, got)
}
