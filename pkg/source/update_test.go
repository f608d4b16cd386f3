package source_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

func TestUpdateKeepsTheData(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	_, err := s.Update(t.Context(), "shop", nil)
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))
	require.NoDirExists(t, filepath.Join(dir, "sources", "shop"))

	first, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	second, err := s.Update(t.Context(), "shop", func(c *source.Change) error {
		c.Snapshot.Tables[0].Usage = &catalog.Usage{Uses: []catalog.Use{{Day: "2026-11-20", Queries: 3}}}
		c.Snapshot.Tables[0].QueryCount30d = 3
		return os.WriteFile(filepath.Join(c.Dir, source.HistoryFile), []byte("counted"), 0o600)
	})
	require.NoError(t, err)
	require.NotEqual(t, first.Generation, second.Generation)
	raw, err := os.ReadFile(second.DatabasePaths()["x"])
	require.NoError(t, err)
	require.Equal(t, "one", string(raw))
	require.NoFileExists(t, filepath.Join(second.Dir, "RETIRED"))

	before, err := first.Snapshot()
	require.NoError(t, err)
	require.Nil(t, before.Tables[0].Usage, "the old generation is not written to")

	// An ingest of the tables knows nothing of their use, and does not lose it.
	third, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	after, err := third.Snapshot()
	require.NoError(t, err)
	require.EqualValues(t, 3, after.Tables[0].QueryCount30d)
	require.Len(t, after.Tables[0].Usage.Uses, 1)
	require.FileExists(t, filepath.Join(third.Dir, source.HistoryFile))
}

func TestUnchangedKeepsTheGeneration(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	first, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	g, err := s.Update(t.Context(), "shop", func(*source.Change) error { return source.ErrUnchanged })
	require.NoError(t, err)
	require.Equal(t, first.Generation, g.Generation)
	require.Len(t, generations(t, dir, "shop"), 1)
}

// TestOldCatalogIsRead reads what a version wrote that kept catalogs as JSON.
func TestOldCatalogIsRead(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	g, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	want, err := g.Snapshot()
	require.NoError(t, err)
	raw, err := json.Marshal(want)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(g.Dir, "catalog.bin")))
	old := filepath.Join(g.Dir, "catalog.json")
	require.NoError(t, os.WriteFile(old, raw, 0o600))
	got, err := g.Snapshot()
	require.NoError(t, err)
	require.Equal(t, want, got)

	require.NoError(t, os.WriteFile(old, []byte("[1"), 0o600))
	_, err = g.Snapshot()
	require.Equal(t, "SOURCE_DAMAGED", fault.ReasonOf(err))
	require.Contains(t, fault.OperatorText(err), old)
}

// TestFullDisk holds that a disk that fills up is told, in whatever words, and
// that the old generation stays.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for name, full := range map[string]error{
		"system": &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC},
		"engine": errorText(`IO Error: Could not write file "x": No space left on device`),
	} {
		s, dir := open(t)
		_, err := s.Make(t.Context(), "shop", fill("one"))
		require.NoError(t, err)
		_, err = s.Make(t.Context(), "shop", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
			return source.Manifest{}, nil, full
		})
		require.Equal(t, "DATA_DIR_FULL", fault.ReasonOf(err), name)
		g, err := s.Current("shop")
		require.NoError(t, err)
		require.Equal(t, "one", g.Version)
		require.Len(t, generations(t, dir, "shop"), 1, "what was half made is gone")
	}
}

type errorText string

func (e errorText) Error() string { return string(e) }
