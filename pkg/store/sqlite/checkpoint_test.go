package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// TestTheLogIsCopied: whenever there were enough commits the log has been copied into
// the database, without a commit having done it.
func TestTheLogIsCopied(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: filepath.Join(t.TempDir(), "s")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	alice := run.Principal{ID: "alice"}
	l := store.FirstLock("ses_1", time.Now().Add(time.Hour))
	require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{Open: &store.Session{ID: "ses_1"}}))
	first := 1 // the commit above
	for round := range 3 {
		// No commit follows the one that begins to copy: it would begin the log anew where
		// the copying is over by then.
		for range checkpointEvery - first {
			require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{
				Messages: []store.Message{{ChatID: "c", Role: store.RoleUser, Content: "q"}}}))
		}
		first = 0
		s.copier.done.Wait()
		var busy, pages, copied int
		require.NoError(t, s.copier.db.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &pages, &copied))
		require.GreaterOrEqual(t, copied, checkpointEvery, "round %d: the pages of all commits", round)
		require.Equal(t, pages, copied, "round %d", round)
	}
}
