package rpc

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEachOfTheTLSFilesIsWatched: a change of the certificate, of its key and of the
// authorities is seen alike, and so is a file that goes.
func TestEachOfTheTLSFilesIsWatched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := TLSFiles{CertFile: filepath.Join(dir, "cert"), KeyFile: filepath.Join(dir, "key"), CAFile: filepath.Join(dir, "ca")}
	files := []string{f.CertFile, f.KeyFile, f.CAFile}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	write := func(path, text string, at time.Time) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, at, at))
	}
	for _, path := range files {
		write(path, "one", day)
	}
	for _, path := range files {
		before := f.stamps()
		require.Equal(t, before, f.stamps())
		write(path, "two", day.Add(time.Second))
		later := f.stamps()
		require.NotEqual(t, before, later, "%s is newer", path)
		write(path, "three", day.Add(time.Second))
		longer := f.stamps()
		require.NotEqual(t, later, longer, "%s is longer", path)
		require.NoError(t, os.Remove(path))
		require.NotEqual(t, longer, f.stamps(), "%s is gone", path)
	}
}
