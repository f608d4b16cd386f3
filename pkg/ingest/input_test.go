//go:build unix

package ingest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// hangs bounds what would wait for ever if a pipe were opened.
const hangs = 30 * time.Second

func within(t *testing.T, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(hangs):
		require.Fail(t, "it hangs")
		return nil
	}
}

func pipe(t *testing.T, path string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

func TestOnlyFilesAreRead(t *testing.T) {
	t.Parallel()
	elsewhere := folder(t, map[string]string{"secret.csv": "user\nroot\n"})
	dir := folder(t, map[string]string{"good.csv": "a,b\n1,2\n"})
	pipe(t, filepath.Join(dir, "pipe.csv"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "box.csv"), 0o700))
	for link, to := range map[string]string{
		"out.csv": filepath.Join(elsewhere, "secret.csv"), "device.csv": "/dev/zero", "nowhere.csv": "none.csv", "alias.csv": "good.csv", "data": elsewhere,
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	pipe(t, filepath.Join(dir, "schema.sql"))
	s := newStore(t)
	var report ingest.Report
	require.NoError(t, within(t, func() (err error) {
		report, err = ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
		return err
	}))
	var names []string
	for _, table := range report.Tables {
		names = append(names, table.Name.Table)
	}
	require.ElementsMatch(t, []string{"alias", "good"}, names, "a link within the folder is its own business")
	said := map[string]string{}
	for _, p := range report.Problems {
		said[strings.TrimPrefix(p.File, dir+"/")] = p.Message
	}
	for file, words := range map[string]string{
		"pipe.csv": "a pipe", "box.csv": "a folder", "out.csv": "out of the folder", "data/secret.csv": "out of the folder",
		"device.csv": "a device", "nowhere.csv": "cannot be read", "schema.sql": "a pipe",
	} {
		require.Contains(t, said[file], words, file)
	}
}

func TestGivenPathMustBeAFile(t *testing.T) {
	t.Parallel()
	path := pipe(t, filepath.Join(t.TempDir(), "input"))
	for name, do := range map[string]func(context.Context, *source.Store, string, string, ingest.Options) (ingest.Report, error){
		"csv": ingest.CSV, "parquet": ingest.Parquet, "duckdb": ingest.DuckDB, "dump": ingest.SQLDump, "sqlite": ingest.SQLite,
	} {
		err := within(t, func() error {
			_, err := do(t.Context(), newStore(t), "own", path, ingest.Options{})
			return err
		})
		require.Equal(t, "INPUT_NOT_A_FILE", fault.ReasonOf(err), name)
	}
}

func TestParquetFolderOfOneTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script(t, dir, "COPY (SELECT 7 AS n) TO '"+filepath.Join(dir, "one.parquet")+"' (FORMAT parquet)")
	table := filepath.Join(dir, "in", "orders.parquet")
	require.NoError(t, os.MkdirAll(filepath.Join(table, "day=1"), 0o700))
	require.NoError(t, os.Rename(filepath.Join(dir, "one.parquet"), filepath.Join(table, "day=1", "[a].PARQUET")))
	pipe(t, filepath.Join(table, "day=2", "b.parquet"))
	s := newStore(t)
	var report ingest.Report
	require.NoError(t, within(t, func() (err error) {
		report, err = ingest.Parquet(t.Context(), s, "own", filepath.Join(dir, "in"), ingest.Options{})
		return err
	}))
	require.Len(t, report.Problems, 1)
	require.Contains(t, report.Problems[0].String(), "b.parquet: this is left out: it is a pipe")
	require.Equal(t, []string{"7|1"}, rows(t, s, `SELECT n, day FROM "orders"`))
}

// TestEndedIngestFreesItsLock ends an ingest whose file holds no record for a long
// time, and ingests again.
func TestEndedIngestFreesItsLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dump.sql")
	require.NoError(t, os.WriteFile(path, []byte("CREATE TABLE t (a int);\n"+strings.Repeat("-- nothing\n", 3<<20)), 0o600))
	s := newStore(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := ingest.SQLDump(ctx, s, "own", path, ingest.Options{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, os.WriteFile(path, []byte("CREATE TABLE t (a int); INSERT INTO t VALUES (1);"), 0o600))
	_, err = ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
}
