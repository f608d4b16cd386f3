package sqldocs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/sqldocs"
)

// TestPagesAreCurrent: the pages are those of the classes and rules as they are now, and
// there are no others.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	pages, err := sqldocs.Pages()
	require.NoError(t, err)
	for path, want := range pages {
		have, err := os.ReadFile(filepath.Join("../../docs", filepath.FromSlash(path)))
		require.NoError(t, err, "go generate ./internal/sqldocs makes the page")
		require.Equal(t, want, string(have), "%s: go generate ./internal/sqldocs remakes it", path)
	}
	for _, folder := range []string{"repairs", "lint"} {
		entries, err := os.ReadDir(filepath.Join("../../docs", folder))
		require.NoError(t, err)
		for _, e := range entries {
			require.Contains(t, pages, folder+"/"+e.Name(), "the page of what is gone")
		}
	}
}
