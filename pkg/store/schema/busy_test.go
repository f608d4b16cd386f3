package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// busyError is what the driver says where another connection writes.
func busyError(t *testing.T) error {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "x.db")+"?_txlock=immediate")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, busy := db.BeginTx(t.Context(), nil)
	require.ErrorContains(t, busy, "locked")
	require.NoError(t, tx.Rollback())
	return busy
}

// TestABusyFileIsOpenedAgain: SQLite says busy without waiting where another process
// opens a store for the first time; what is wrong otherwise is told at once.
func TestABusyFileIsOpenedAgain(t *testing.T) {
	t.Parallel()
	busy := fmt.Errorf("open: %w", busyError(t))
	const patience = time.Second + time.Millisecond
	for name, c := range map[string]struct {
		errs  []error // of the tries, the last one over and over
		want  error
		tries int
		takes time.Duration
	}{
		"at once":         {[]error{nil}, nil, 1, 0},
		"the third time":  {[]error{busy, busy, nil}, nil, 3, 2 * retryPause},
		"never":           {[]error{busy}, busy, 1 + int(patience/retryPause), patience},
		"something else":  {[]error{errors.ErrUnsupported}, errors.ErrUnsupported, 1, 0},
		"busy, then else": {[]error{busy, errors.ErrUnsupported}, errors.ErrUnsupported, 2, retryPause},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, done := context.WithTimeout(t.Context(), patience)
				defer done()
				start, tries := time.Now(), 0
				err := WhileBusy(ctx, func() error {
					tries++
					return c.errs[min(tries, len(c.errs))-1]
				})
				require.ErrorIs(t, err, c.want)
				require.Equal(t, c.takes, time.Since(start))
				require.Equal(t, c.tries, tries)
			})
		})
	}
}
