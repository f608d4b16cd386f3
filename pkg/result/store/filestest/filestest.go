// Package filestest is what each kind of store.Files has to do.
package filestest

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result/store"
)

// Run holds a kind of files, which are empty at first, against its contract.
func Run(t *testing.T, open func(t *testing.T) store.Files) {
	for name, test := range map[string]func(*testing.T, store.Files){
		"what was written is read in parts": reads, "a file is there when it is whole": appears,
		"files are removed and listed": lists, "an upload is given up": gives,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := open(t)
			require.NoError(t, files.Ready(t.Context()))
			test(t, files)
		})
	}
}

func write(t *testing.T, files store.Files, id, text string) {
	t.Helper()
	up, err := files.Create(t.Context(), id)
	require.NoError(t, err)
	for _, half := range []string{text[:len(text)/2], text[len(text)/2:]} {
		n, err := up.Write([]byte(half))
		require.NoError(t, err)
		require.Equal(t, len(half), n)
	}
	require.NoError(t, up.Commit(t.Context()))
	up.Abort() // does nothing any more
}

func list(t *testing.T, files store.Files) (ids []string) {
	t.Helper()
	require.NoError(t, files.List(t.Context(), func(id string) error {
		ids = append(ids, id)
		return nil
	}))
	slices.Sort(ids)
	return ids
}

func reads(t *testing.T, files store.Files) {
	const text = "0123456789"
	write(t, files, "res_1", text)
	for _, want := range []struct {
		from, n int64
		part    string
	}{{0, 10, text}, {0, 1, "0"}, {9, 1, "9"}, {3, 4, "3456"}, {8, 5, "89"}} {
		part, size, err := files.Read(t.Context(), "res_1", want.from, want.n)
		require.NoError(t, err)
		require.Equal(t, want.part, string(part))
		require.EqualValues(t, len(text), size)
	}
	part, _, err := files.Read(t.Context(), "res_1", 20, 5)
	require.NoError(t, err, "behind the end there is nothing")
	require.Empty(t, part)
	_, _, err = files.Read(t.Context(), "res_2", 0, 1)
	require.ErrorIs(t, err, fs.ErrNotExist)
	large := strings.Repeat("a large file; ", 100_000)
	write(t, files, "res_large", large)
	part, size, err := files.Read(t.Context(), "res_large", 700_000, 14)
	require.NoError(t, err)
	require.Equal(t, "a large file; ", string(part))
	require.EqualValues(t, len(large), size)
}

func appears(t *testing.T, files store.Files) {
	up, err := files.Create(t.Context(), "res_1")
	require.NoError(t, err)
	_, err = up.Write([]byte("whole"))
	require.NoError(t, err)
	require.NoError(t, up.Commit(t.Context()))
	part, size, err := files.Read(t.Context(), "res_1", 0, 5)
	require.NoError(t, err)
	require.Equal(t, "whole", string(part))
	require.EqualValues(t, 5, size)
}

func lists(t *testing.T, files store.Files) {
	require.Empty(t, list(t, files))
	require.NoError(t, files.Remove(t.Context(), "res_1"), "there is none")
	for _, id := range []string{"res_1", "res_2", "res_3"} {
		write(t, files, id, "some rows")
	}
	require.Equal(t, []string{"res_1", "res_2", "res_3"}, list(t, files))
	require.NoError(t, files.Remove(t.Context(), "res_2"))
	require.Equal(t, []string{"res_1", "res_3"}, list(t, files))
	_, _, err := files.Read(t.Context(), "res_2", 0, 1)
	require.ErrorIs(t, err, fs.ErrNotExist)
	stop := errors.New("enough")
	require.ErrorIs(t, files.List(t.Context(), func(string) error { return stop }), stop)
}

func gives(t *testing.T, files store.Files) {
	up, err := files.Create(t.Context(), "res_1")
	require.NoError(t, err)
	_, err = up.Write([]byte("half"))
	require.NoError(t, err)
	up.Abort()
	up.Abort()
	require.NoError(t, files.Remove(t.Context(), "res_1"))
	require.Empty(t, list(t, files))
}
