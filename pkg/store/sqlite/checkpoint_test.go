package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// TestTheLogIsCopied: after enough commits the log has been copied into the
// database, without a commit having done it.
func TestTheLogIsCopied(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: filepath.Join(t.TempDir(), "s")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	alice := run.Principal{ID: "alice"}
	l := store.FirstLock("ses_1", time.Now().Add(time.Hour))
	require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{Open: &store.Session{ID: "ses_1"}}))
	// No commit follows the one that begins to copy: it would begin the log anew where
	// the copying is over by then.
	for range checkpointEvery - 1 {
		require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{
			Messages: []store.Message{{ChatID: "c", Role: store.RoleUser, Content: "q"}}}))
	}
	s.copier.done.Wait()
	var busy, pages, copied int
	require.NoError(t, s.copier.db.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &pages, &copied))
	require.Greater(t, copied, checkpointEvery, "the pages of all commits")
}
