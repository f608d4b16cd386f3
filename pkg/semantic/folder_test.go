package semantic

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFolderIsReadAgainWhenItChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var (
		now  = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
		logs bytes.Buffer
		edit = func(name, text string) {
			write(t, dir, name, text)
			require.NoError(t, os.Chtimes(filepath.Join(dir, name), now, now)) // file systems have coarse clocks
		}
	)
	edit("a.yaml", metricA)
	f := NewFolder(dir, func() time.Time { return now }, slog.New(slog.NewTextHandler(&logs, nil)))
	first := f.Current()
	require.Len(t, first.Layer.Metrics, 1)
	require.Equal(t, now, first.ReadAt)

	edit("a.yaml", metricB)
	require.Same(t, first.Layer, f.Current().Layer, "not looked at again so soon")
	now = now.Add(reloadEvery)
	second := f.Current()
	require.Len(t, second.Layer.Metrics, 2)
	require.False(t, second.Stale())
	require.Contains(t, logs.String(), "read again")

	now = now.Add(reloadEvery)
	edit("mart/b.yaml", "metrics:\n  - {id: A}\n")
	broken := f.Current()
	require.Same(t, second.Layer, broken.Layer, "the layer before stays in force")
	require.True(t, broken.Stale())
	require.Equal(t, "mart/b.yaml", broken.Problems[0].File)
	require.Contains(t, logs.String(), "mart/b.yaml:2")
	now = now.Add(reloadEvery)
	f.Current()
	require.Equal(t, 1, strings.Count(logs.String(), "stays in force"), "said once, not at each look")

	require.NoError(t, os.Remove(filepath.Join(dir, "mart", "b.yaml")))
	now = now.Add(reloadEvery)
	mended := f.Current()
	require.False(t, mended.Stale())
	require.Len(t, mended.Layer.Metrics, 2)
}

func TestFolderThatWasNeverRight(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.yaml", "metrics: 7\n")
	state := NewFolder(dir, nil, nil).Current()
	require.Nil(t, state.Layer)
	require.True(t, state.Stale())
}
