package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
	"github.com/dibrain/dibrain/pkg/store/storetest"
)

// mortal is a store that dies where it is closed.
type mortal struct{ *sqlite.Store }

func (m mortal) Close() error { return m.Die() }

// TestConformance has the same of processes that close the file and of those that are killed.
func TestConformance(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*sqlite.Store) storetest.Store{
		"closed": func(s *sqlite.Store) storetest.Store { return s },
		"killed": func(s *sqlite.Store) storetest.Store { return mortal{s} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T, clock func() time.Time) storetest.Open {
				dir := t.TempDir()
				return func(t *testing.T) storetest.Store {
					s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Clock: clock, Log: slog.New(slog.DiscardHandler)})
					require.NoError(t, err)
					t.Cleanup(func() { _ = end(s).Close() })
					return end(s)
				}
			})
		})
	}
}

func TestDamagedFileIsToldAndKept(t *testing.T) {
	t.Parallel()
	whole := func(t *testing.T) []byte {
		dir := t.TempDir()
		s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
		require.NoError(t, err)
		require.NoError(t, s.CreateSession(t.Context(), run.Principal{ID: "alice"}, store.Session{ID: "ses_1"}))
		require.NoError(t, s.Close())
		raw, err := os.ReadFile(filepath.Join(dir, sqlite.FileName))
		require.NoError(t, err)
		return raw
	}
	for name, content := range map[string]func(*testing.T) []byte{
		"text": func(*testing.T) []byte {
			return []byte("this is no database, only some words that stand in a file of that name")
		},
		"cut short": func(t *testing.T) []byte { return whole(t)[:2500] },
		"page zeroed": func(t *testing.T) []byte {
			raw := whole(t)
			copy(raw[100:4096], bytes.Repeat([]byte{0xff}, 3996))
			return raw
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, sqlite.FileName)
			raw := content(t)
			require.NoError(t, os.WriteFile(path, raw, 0o600))
			_, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
			require.Equal(t, store.ReasonCorrupt, fault.ReasonOf(err), "%v", err)
			require.Equal(t, codes.DataLoss, fault.FromStatus(err).Code)
			require.NotContains(t, err.Error(), dir, "clients get no path of the server")
			require.Contains(t, fault.OperatorText(err), "mv "+path)
			kept, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, raw, kept, "the file was touched")
		})
	}
}

func TestStoreOfANewerVersionIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", s.Path())
	require.NoError(t, err)
	_, err = db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true); UPDATE compatibility SET oldest = 999`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	require.Equal(t, store.ReasonTooNew, fault.ReasonOf(err), "%v", err)
}

func TestFolderThatCannotBeMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := sqlite.Open(t.Context(), sqlite.Config{Dir: filepath.Join(file, "router")})
	require.Equal(t, store.ReasonUnavailable, fault.ReasonOf(err), "%v", err)
}

func TestClosedStoreSaysSo(t *testing.T) {
	t.Parallel()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = s.Session(t.Context(), run.Principal{ID: "alice"}, "ses_1")
	require.Equal(t, store.ReasonClosed, fault.ReasonOf(err), "%v", err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = sqlite.Open(ctx, sqlite.Config{Dir: t.TempDir()})
	require.ErrorIs(t, err, context.Canceled)
}

func TestManyOpenAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	errs := make(chan error)
	for range 8 {
		go func() {
			s, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir, BusyTimeout: time.Minute})
			if err == nil {
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-errs, "eight processes migrate one new store")
	}
}

func BenchmarkOpenWarm(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		s, err := sqlite.Open(b.Context(), sqlite.Config{Dir: dir})
		require.NoError(b, err)
		require.NoError(b, s.Close())
	}
}

func BenchmarkCommitStep(b *testing.B) {
	s, err := sqlite.Open(b.Context(), sqlite.Config{Dir: b.TempDir()})
	require.NoError(b, err)
	b.Cleanup(func() { _ = s.Close() })
	p := run.Principal{ID: "alice"}
	require.NoError(b, s.CreateSession(b.Context(), p, store.Session{ID: "ses_1"}))
	l, err := s.Lock(b.Context(), p, "ses_1", time.Hour)
	require.NoError(b, err)
	n := 0
	for b.Loop() {
		n++
		id := fmt.Sprint("run_", n)
		require.NoError(b, s.Commit(b.Context(), p, l, store.Changes{
			Run:       &store.Run{Record: run.Record{RunID: id, Status: run.StatusRunning}},
			Records:   []run.Record{{RunID: id + "a"}, {RunID: id + "b"}},
			ToolCalls: []store.ToolCall{{ID: fmt.Sprint("call_", n), Output: make([]byte, 4096)}},
		}))
	}
}

// TestALockHoldsForItsLease and not a moment longer.
func TestALockHoldsForItsLease(t *testing.T) {
	t.Parallel()
	now, p := time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC), run.Principal{ID: "alice"}
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir(), Clock: func() time.Time { return now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.CreateSession(t.Context(), p, store.Session{ID: "ses_1"}))
	first, err := s.Lock(t.Context(), p, "ses_1", time.Minute)
	require.NoError(t, err)
	require.Equal(t, now.Add(time.Minute), first.ExpiresAt)
	now = now.Add(time.Minute - 1)
	_, err = s.Lock(t.Context(), p, "ses_1", time.Minute)
	require.Equal(t, store.ReasonSessionBusy, fault.ReasonOf(err), "%v", err)
	now = now.Add(1)
	second, err := s.Lock(t.Context(), p, "ses_1", time.Minute)
	require.NoError(t, err)
	require.Greater(t, second.Token, first.Token)
	_, _, err = s.Renew(t.Context(), first, "run_1", time.Minute)
	require.Equal(t, store.ReasonLockLost, fault.ReasonOf(err), "%v", err)
}
