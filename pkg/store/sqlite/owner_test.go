package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFilesOfTheDeadGo: an instance that begins removes the files of those that died
// some time ago, and no others.
func TestFilesOfTheDeadGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	living, err := claimInstance(dir, now)
	require.NoError(t, err)
	old := now.Add(-2 * staleAfter)
	for name, at := range map[string]time.Time{
		"own_dead.lock": old, "own_young.lock": now, "own_edge.lock": now.Add(-staleAfter), "notes.txt": old, filepath.Base(living.file(living.id)): old,
	} {
		path := filepath.Join(dir, name)
		if name != filepath.Base(living.file(living.id)) {
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}
		require.NoError(t, os.Chtimes(path, at, at))
	}
	next, err := claimInstance(dir, now)
	require.NoError(t, err)
	names := func() []string {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		var out []string
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	want := []string{"notes.txt", "own_young.lock", filepath.Base(living.file(living.id)), filepath.Base(next.file(next.id))}
	slices.Sort(want)
	require.Equal(t, want, names())
	require.True(t, next.alive(living.id))
	require.NoError(t, living.release())
	require.False(t, next.alive(living.id))
	require.NoError(t, next.release())
	require.Equal(t, []string{"notes.txt", "own_young.lock"}, names(), "each takes its own file along")
	require.NoError(t, instance{}.release(), "one that never began has none")
}

// TestWhoseLifeIsNotKnownLives: a run is taken from a process that is known to be dead
// only, not from one whose file cannot be looked at.
func TestWhoseLifeIsNotKnownLives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, err := claimInstance(dir, time.Now())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, in.release()) })
	require.NoError(t, os.Mkdir(in.file("own_odd"), 0o700)) // no file that could be locked
	require.True(t, in.alive("own_odd"))
	require.False(t, in.alive("own_none"))
	require.True(t, in.alive(in.id))
}
