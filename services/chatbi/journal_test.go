package chatbi

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestJournalOfALivingProcess is taken by nobody, and by one process only once it is
// gone.
func TestJournalOfALivingProcess(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	first, second, third := newFileJournal(dir, 10, log), newFileJournal(dir, 10, log), newFileJournal(dir, 10, log)
	require.Empty(t, second.leftovers(t.Context()), "no folder yet")
	q := runningQuery{ID: "q1", Source: "wh", User: "ann", Since: time.Unix(1_900_000_000, 0).UTC()}
	first.began(q)
	require.Empty(t, first.leftovers(t.Context()))
	require.Empty(t, second.leftovers(t.Context()))
	require.NoError(t, first.lock.Unlock(), "as the kernel does for a process that ends")

	taken := second.leftovers(t.Context())
	require.Len(t, taken, 1)
	require.Equal(t, []runningQuery{q}, taken[0].statements())
	require.Empty(t, third.leftovers(t.Context()), "the second is at it")
	taken[0].release()
	taken = third.leftovers(t.Context())
	require.Len(t, taken, 1, "the second did not come to its end")
	taken[0].done(q)
	taken[0].release()
	require.Empty(t, second.leftovers(t.Context()))
	left, err := os.ReadDir(filepath.Join(dir, "chatbi", "running"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestJournalIsBounded: the oldest makes room, and what cannot be a file's name is not
// kept.
func TestJournalIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := newFileJournal(dir, 2, slog.New(slog.DiscardHandler))
	for _, id := range []string{"q1", "../q", "", ".q", "q2", "q3"} {
		j.began(runningQuery{ID: id})
	}
	names := func() (names []string) {
		entries, err := os.ReadDir(j.own)
		require.NoError(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	require.Equal(t, []string{"q2.json", "q3.json"}, names())
	j.ended("q3")
	j.ended("q1")
	require.Equal(t, []string{"q2.json"}, names())
	require.NoError(t, j.close())
	require.Equal(t, []string{"q2.json"}, names(), "the server did not say that it ended")
	j.began(runningQuery{ID: "q4"})
	require.Equal(t, []string{"q2.json"}, names())
}

// TestAJournalThatCannotBeKept costs no statement.
func TestAJournalThatCannotBeKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "chatbi"), nil, 0o600))
	j := newFileJournal(dir, 2, slog.New(slog.DiscardHandler))
	j.began(runningQuery{ID: "q1"})
	j.ended("q1")
	require.Empty(t, j.leftovers(t.Context()))
	require.NoError(t, j.close())
}

// TestNoIDLeavesTheFolder: whatever a server calls its statements, no file beside the
// folder of this process is made, and none is removed.
func TestNoIDLeavesTheFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := newFileJournal(dir, 100, slog.New(slog.DiscardHandler))
	j.began(runningQuery{ID: "q1"})
	ids := []string{"../q", "a/../../q", "/q", "q/", "a/b", "./q", "..", ".", "q/..", "a/../q", "../../../q", filepath.Join(dir, "q"), "../" + filepath.Base(j.own) + "/q"}
	for _, path := range []string{"q.json", "chatbi/q.json", "chatbi/running/q.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte("another's"), 0o600))
	}
	files := func() (all []string) {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if !d.IsDir() {
				all = append(all, path)
			}
			return err
		}))
		return all
	}
	before := files()
	require.Len(t, before, 5, "three of others, the lock, and one statement")
	for _, id := range ids {
		j.began(runningQuery{ID: id})
		require.Equal(t, before, files(), "began %q", id)
		require.Len(t, j.kept, 1, id)
		j.ended(id)
		require.Equal(t, before, files(), "ended %q", id)
	}
}

// TestWhatAClosedJournalLeaves: the next process finds what the server did not say that it
// ended, with its lock beside it; where nothing is left, no file is.
func TestWhatAClosedJournalLeaves(t *testing.T) {
	t.Parallel()
	for ended, want := range map[int]int{0: 2, 1: 1, 2: 0} {
		dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
		first, next := newFileJournal(dir, 10, log), newFileJournal(dir, 10, log)
		for _, id := range []string{"q1", "q2"} {
			first.began(runningQuery{ID: id, Source: "wh", User: "ann"})
		}
		for _, id := range []string{"q1", "q2"}[:ended] {
			first.ended(id)
		}
		require.NoError(t, first.close())
		require.NoError(t, first.close(), "a second time does nothing")
		var left []string
		for _, l := range next.leftovers(t.Context()) {
			for _, q := range l.statements() {
				left = append(left, q.ID)
				l.done(q)
			}
			l.release()
		}
		require.Len(t, left, want, "%d ended", ended)
		files, err := os.ReadDir(filepath.Join(dir, "chatbi", "running"))
		require.NoError(t, err)
		require.Empty(t, files, "%d ended", ended)
	}
}
