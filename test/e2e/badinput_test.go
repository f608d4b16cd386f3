package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/auth"
)

// newToken returns an API token and its entry of a token file.
func newToken(t *testing.T, principal string) (token, entry string) {
	t.Helper()
	token, hash, err := auth.NewToken(nil)
	require.NoError(t, err)
	return token, fmt.Sprintf("  - {hash: %q, principal: %s}\n", hash, principal)
}

// TestBadInput holds what the program says to bad input: exit code 2, a sentence
// that says what to do, no stack trace, and nothing lost.
func TestBadInput(t *testing.T) {
	t.Parallel()
	dir := freshDemo(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() }) // after the parallel subtests
	unwritable := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(unwritable, nil, 0o600))
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("lissten: 127.0.0.1:1\n"), 0o600))
	huge := filepath.Join(t.TempDir(), "huge.csv")
	require.NoError(t, os.MkdirAll(huge, 0o700))

	for _, c := range []struct {
		name  string
		args  []string
		stdin string
		says  []string
		code  int
	}{
		{"no question", []string{"ask"}, "", []string{"no question", "dibrain ask"}, 2},
		{"empty question", []string{"ask", "   "}, "", []string{"no question"}, 2},
		{"1 MB question", []string{"ask", "-"}, strings.Repeat("how many orders ", 1<<16), []string{"question", "16384"}, 2},
		{"unknown source", []string{"ask", "--source", "nowhere", "how many rows?"}, "", []string{"nowhere", "demo"}, 2},
		{"path as source", []string{"ask", "--source", "../demo", "how many rows?"}, "", []string{"../demo", "lower-case letters"}, 2},
		{"unknown time zone", []string{"ask", "--time-zone", "Bad/Zone", "how many rows?"}, "", []string{"--time-zone", "Bad/Zone"}, 2},
		{"unknown command", []string{"aks", "x"}, "", []string{"aks"}, 2},
		{"unknown flag", []string{"ask", "--sauce", "x"}, "", []string{"sauce"}, 2},
		{"port in use", []string{"serve", "--listen", taken.Addr().String()}, "", []string{taken.Addr().String(), "--listen"}, 2},
		{"beyond loopback", []string{"serve", "--listen", "0.0.0.0:0"}, "", []string{"127.0.0.1", "auth.mode"}, 2},
		{"unknown config key", []string{"ask", "--config", config, "x"}, "", []string{"lissten", "listen"}, 2},
		{"no config file", []string{"ask", "--config", "/nonexistent.yaml", "x"}, "", []string{"/nonexistent.yaml"}, 2},
		{"unknown target", []string{"serve", "--target", "ruoter"}, "", []string{"ruoter", "router"}, 2},
		{"no folder", []string{"ingest", "csv", "/nonexistent", "--name", "x"}, "", []string{"/nonexistent"}, 2},
		{"no name", []string{"ingest", "csv", "testdata/bikes"}, "", []string{"--name"}, 2},
		{"folder without CSV", []string{"ingest", "csv", huge, "--name", "x"}, "", []string{huge}, 2},
		{"demo's name", []string{"ingest", "csv", "testdata/bikes", "--name", "demo"}, "", []string{"demo"}, 2},
		{"unknown run", []string{"runs", "show", "run_000000000000000000000000"}, "", []string{"run_0"}, 2},
		{"unknown table", []string{"catalog", "show", "mp_order.dwd_odrer"}, "", []string{"mp_order.dwd_odrer"}, 2},
		{"empty statement", []string{"sql", "check"}, "", []string{"statement"}, 2},
		{"a write", []string{"ask", "Run this SQL: DROP TABLE sg.mp_order.dws_order_gmv_1d__sg_s0_live"}, "", nil, 3},
		{"broken statement", []string{"sql", "check"}, "SELECT FROM WHERE", []string{"1:"}, 1},
		{"server that is not there", []string{"ask", "--server", "127.0.0.1:1", "x"}, "", []string{"127.0.0.1:1"}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := command(t, c.stdin, []string{"DIBRAIN_DATA_DIR=" + dir}, c.args...)
			said := got.out + got.err
			require.Equal(t, c.code, got.code, said)
			for _, words := range c.says {
				require.Contains(t, said, words)
			}
			require.NotContains(t, said, "goroutine ")
			require.NotContains(t, said, ".go:")
			require.NotContains(t, said, "rpc error")
		})
	}

	t.Run("data directory is a file", func(t *testing.T) {
		t.Parallel()
		got := command(t, "", nil, "ask", "--data-dir", unwritable, "how many orders?")
		require.Equal(t, 2, got.code, got.err)
		require.Contains(t, got.err, unwritable)
		require.Contains(t, got.err, "--data-dir")
	})
}

// TestCorruptDatabases damages files one at a time: the error names the file and
// says what to do, and the file is still there afterwards.
func TestCorruptDatabases(t *testing.T) {
	t.Parallel()
	t.Run("sessions", func(t *testing.T) {
		t.Parallel()
		dir := freshDemo(t)
		file := filepath.Join(dir, "router", "router.db")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("this is no database ", 500)), 0o600))
		damagedAndKept(t, dir, file)
	})
	t.Run("warehouse", func(t *testing.T) {
		t.Parallel()
		dir := freshDemo(t)
		files, err := filepath.Glob(filepath.Join(dir, "sources", "demo", "*", "sg.duckdb"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.NoError(t, os.Remove(files[0]))
		require.NoError(t, os.WriteFile(files[0], []byte(strings.Repeat("this is no database ", 500)), 0o600))
		damagedAndKept(t, dir, files[0])
	})
	t.Run("catalog", func(t *testing.T) {
		t.Parallel()
		dir := freshDemo(t)
		files, err := filepath.Glob(filepath.Join(dir, "sources", "demo", "*", "catalog.bin"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.NoError(t, os.Remove(files[0]))
		require.NoError(t, os.WriteFile(files[0], []byte("{"), 0o600))
		damagedAndKept(t, dir, files[0])
	})
}

func damagedAndKept(t *testing.T, dir, file string) {
	t.Helper()
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	got := command(t, "", nil, "ask", "--data-dir", dir, "What was the GMV in Singapore yesterday?")
	require.NotZero(t, got.code, got.out)
	require.Contains(t, got.out+got.err, filepath.Base(file))
	require.NotContains(t, got.out+got.err, "goroutine ")
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after, "the damaged file was changed")
}

// TestBrokenCSV keeps the good file, names what is broken by file and line, and
// answers over what is there.
func TestBrokenCSV(t *testing.T) {
	t.Parallel()
	dir, files := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(files, "cities.csv"), []byte("city,people\nBern,134\nThun,44\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(files, "broken.csv"), []byte("a,b\n\"never closed,1\n2,3\n"), 0o600))
	got := command(t, "", nil, "ingest", "csv", files, "--name", "places", "--data-dir", dir)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.err, "broken.csv:2")
	require.Contains(t, got.out, "cities")
	got = command(t, "", nil, "ask", "--data-dir", dir, "--source", "places", "How many cities are there?")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "2")

	// A second ingest in which nothing is good changes nothing.
	require.NoError(t, os.Remove(filepath.Join(files, "cities.csv")))
	got = command(t, "", nil, "ingest", "csv", files, "--name", "places", "--data-dir", dir)
	require.Equal(t, 2, got.code, got.err)
	got = command(t, "", nil, "ask", "--data-dir", dir, "--source", "places", "How many cities are there?")
	require.Zero(t, got.code, got.err)
}
