package sqlite

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// TestConnections: one writes, and as many read as the settings say.
func TestConnections(t *testing.T) {
	t.Parallel()
	for readers, want := range map[int]int{0: 4, -1: 4, 1: 1, 7: 7} {
		s, err := Open(t.Context(), Config{Dir: t.TempDir(), Readers: readers})
		require.NoError(t, err)
		require.Equal(t, want, s.read.Stats().MaxOpenConnections)
		require.Equal(t, 1, s.write.Stats().MaxOpenConnections)
		require.Equal(t, 5*time.Second, s.cfg.BusyTimeout)
		_, err = s.read.ExecContext(t.Context(), "DELETE FROM sessions")
		require.Error(t, err, "who reads does not write")
		require.NoError(t, s.Close())
	}
}

// TestWhatTheDiskRefuses is told with what can be done, and what was stored stays.
func TestWhatTheDiskRefuses(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	alice := run.Principal{ID: "alice"}
	require.NoError(t, s.CreateSession(t.Context(), alice, store.Session{ID: "ses_1"}))
	_, err = s.write.ExecContext(t.Context(), "PRAGMA max_page_count = 1") // no page more than there are
	require.NoError(t, err)
	err = s.CreateSession(t.Context(), alice, store.Session{ID: "ses_2", Title: string(noise(100_000))})
	require.Equal(t, store.ReasonUnavailable, fault.ReasonOf(err), "%v", err)
	require.Contains(t, fault.FromStatus(err).Message, "is full")
	_, err = s.read.ExecContext(t.Context(), "DELETE FROM sessions")
	require.Contains(t, fault.FromStatus(s.fault("write", err)).Message, "cannot be written to")
	require.Contains(t, fault.OperatorText(s.fault("write", err)), s.path)
	_, err = s.Session(t.Context(), alice, "ses_1")
	require.NoError(t, err)
}

// TestListsOfOneMoment: what was last used at one moment is listed by its id, so that pages
// neither lose nor repeat any.
func TestListsOfOneMoment(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)
	s, err := Open(t.Context(), Config{Dir: t.TempDir(), Clock: func() time.Time { return at }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	alice := run.Principal{ID: "alice"}
	for _, id := range []string{"ses_b", "ses_d", "ses_a", "ses_c"} {
		require.NoError(t, s.CreateSession(t.Context(), alice, store.Session{ID: id, UpdatedAt: at}))
	}
	var listed []string
	for token := ""; ; {
		page, next, err := s.Sessions(t.Context(), alice, store.Page{Size: 1, Token: token})
		require.NoError(t, err)
		require.Len(t, page, 1)
		listed = append(listed, page[0].ID)
		if token = next; token == "" {
			break
		}
	}
	require.Equal(t, []string{"ses_d", "ses_c", "ses_b", "ses_a"}, listed)
}
