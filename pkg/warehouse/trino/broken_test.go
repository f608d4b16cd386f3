package trino_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// TestAConnectionThatBreaksIsNoEnd: a server that closes the connection between two
// pages has not ended the result.
func TestAConnectionThatBreaksIsNoEnd(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) {
		if n < 3 {
			write(w, f.page("[[1]]", true))
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	config := f.config()
	config.RetryTimeout = time.Millisecond
	e := open(t, config)
	rows, err := e.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{})
	require.NoError(t, err)
	for err == nil {
		_, err = rows.Next(t.Context(), 10)
	}
	require.Error(t, err)
	require.NotErrorIs(t, err, io.EOF)
}
