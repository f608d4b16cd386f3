package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/source"
)

// TestWhichSourceIsAskedIsToldWhereThereAreOthers: an answer from the demo looks like any
// other to somebody who has data of their own there.
func TestWhichSourceIsAskedIsToldWhereThereAreOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := source.Open(dir)
	require.NoError(t, err)
	made := func(name string) {
		folder := filepath.Join(dir, "sources", name)
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "CURRENT"), []byte("1"), 0o600))
	}
	told := func(s *services, asked string) string {
		var out bytes.Buffer
		tellSource(&Factory{IO: &IO{Err: &out}, Getenv: func(string) string { return "" }}, s, asked)
		return out.String()
	}
	here := &services{sources: store}
	require.Empty(t, told(&services{}, "demo"), "a server has its own")
	require.Empty(t, told(here, "demo"), "there is none")
	made("demo")
	require.Empty(t, told(here, "demo"), "there is no other")
	made("club")
	require.Contains(t, told(here, "demo"), `The source "demo" is asked. There is also club: --source NAME`)
	for i := range 6 {
		made(fmt.Sprint("more", i))
	}
	require.Contains(t, told(here, "demo"), "club, more0, more1, more2, more3, ...")
}
