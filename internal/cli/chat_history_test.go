package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/peterh/liner"
	"github.com/stretchr/testify/require"
)

func TestLinesAreKeptForTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", historyFile)
	var first liner.State
	require.NoError(t, readLines(&first, path), "there is no file yet")
	first.AppendHistory("上周巴西的订单数")
	first.AppendHistory("and by day?")
	require.NoError(t, writeLines(&first, path))

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	var second liner.State
	require.NoError(t, readLines(&second, path))
	second.AppendHistory("/sql")
	require.NoError(t, writeLines(&second, path))
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "上周巴西的订单数\nand by day?\n/sql\n", string(raw))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)

	require.NoError(t, writeLines(&second, ""))
	require.Error(t, readLines(&first, filepath.Dir(path)), "a folder is no file")
}
