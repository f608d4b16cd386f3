package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// pagesOfACommit bounds the pages that one commit of the test writes. The connection that
// made the last one may still read what was before it when the copying begins: its pages
// stay for the next time.
const pagesOfACommit = 16

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
	whole := func() bool {
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
		return copied >= checkpointEvery && pages-copied <= pagesOfACommit
	}
	for range 3 {
		copied := whole()
		for try := 1; try < 3 && !copied; try++ { // what another connection still reads stays for the next time
			copied = whole()
		}
		require.True(t, copied, "the pages of all commits but the last")
	}
}
