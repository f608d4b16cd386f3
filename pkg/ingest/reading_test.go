package ingest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInputEndsWithItsContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.csv")
	require.NoError(t, os.WriteFile(path, []byte("abcdef"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f, err := openInput(ctx, path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	got, err := io.ReadAll(io.LimitReader(f, 3))
	require.NoError(t, err)
	require.Equal(t, "abc", string(got))
	cancel()
	_, err = f.Read(make([]byte, 3))
	require.ErrorIs(t, err, context.Canceled)
	text, file, err := (&csvFile{path: path, input: path, options: &Options{}}).open(ctx)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	_, err = io.ReadAll(text)
	require.ErrorIs(t, err, context.Canceled)
}
