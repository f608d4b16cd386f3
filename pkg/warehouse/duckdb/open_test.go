package duckdb

import (
	"database/sql"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // writes files
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// TestWhatKeepsAFileFromOpening: DuckDB's own words, as it says them, become the
// class of what is wrong. A shortage of the machine is no fault of the file.
func TestWhatKeepsAFileFromOpening(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path, text, reason string
		code               codes.Code
	}{
		"a damaged block":   {"/data/x.duckdb", `IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at location 3`, "DATABASE_CORRUPT", codes.FailedPrecondition},
		"a damaged header":  {"/data/x.duckdb", `IO Error: Trying to read a database file with version number 1, but we can only read version 64: blocks cannot be read`, "DATABASE_CORRUPT", codes.FailedPrecondition},
		"a writer":          {"/data/x.duckdb", `IO Error: Could not set lock on file "/data/x.duckdb": Conflicting lock is held in dibrain (PID 7)`, "DATABASE_LOCKED", codes.Unavailable},
		"descriptors":       {"/data/x.duckdb", `IO Error: Cannot open file "/data/x.duckdb": Too many open files`, "OUT_OF_DESCRIPTORS", codes.ResourceExhausted},
		"a full disk":       {"/data/x.duckdb", `IO Error: Could not write file "/data/x.duckdb.wal": No space left on device`, "DISK_FULL", codes.ResourceExhausted},
		"a quota":           {"/data/x.duckdb", `IO Error: Could not write file: Disk quota exceeded`, "DISK_FULL", codes.ResourceExhausted},
		"memory":            {"/data/x.duckdb", `IO Error: Cannot open file "/data/x.duckdb": Cannot allocate memory`, "OUT_OF_MEMORY", codes.ResourceExhausted},
		"rights":            {"/data/x.duckdb", `IO Error: Cannot open file "/data/x.duckdb": Permission denied`, "DATABASE_UNREADABLE", codes.FailedPrecondition},
		"words of the path": {"/too many open files/x", `IO Error: The file "/too many open files/x" exists, but it is not a valid DuckDB database file!`, "DATABASE_CORRUPT", codes.FailedPrecondition},
	} {
		c := Config{Databases: map[string]string{"eu": tc.path}}.withDefaults()
		err := c.opening(&openFailure{wire.Failed{Region: "eu", Text: tc.text}})
		require.Equal(t, tc.reason, fault.ReasonOf(err), name)
		require.Equal(t, tc.code, status.Code(err), name)
		require.NotContains(t, err.Error(), tc.path, name)
		require.NotContains(t, err.Error(), "IO Error", name)
	}
	err := Config{}.opening(&os.SyscallError{Syscall: "socketpair", Err: syscall.EMFILE})
	require.Equal(t, "OUT_OF_DESCRIPTORS", fault.ReasonOf(err), "for starting a child too")
	require.NoError(t, Config{}.opening(nil))
}

// makeFile writes a DuckDB file, opens it for writing as long as the test wants.
func makeFile(t *testing.T) (path string, db *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.duckdb")
	db, err := sql.Open("duckdb", path)
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE t AS SELECT range a, 'text ' || range b FROM range(100000)")
	require.NoError(t, err)
	return path, db
}

// TestDamagedFilesAreNotLocked breaks a file in its headers, as DuckDB of today
// tells of it.
func TestDamagedFilesAreNotLocked(t *testing.T) {
	t.Parallel()
	path, db := makeFile(t)
	require.NoError(t, db.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 4096 + 8; i < 3*4096; i++ { // both database headers; their checksums stay
		whole[i] ^= 0x5a
	}
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	_, err = Open(t.Context(), Config{Launcher: InProcess(), Databases: map[string]string{"eu": path}})
	require.Equal(t, "DATABASE_CORRUPT", fault.ReasonOf(err), "%v", err)
}

// TestFilesBeingWrittenAreLocked opens, in a child process, a file that this process
// writes.
func TestFilesBeingWrittenAreLocked(t *testing.T) {
	t.Parallel()
	path, db := makeFile(t)
	_, err := Open(t.Context(), Config{Launcher: Processes(os.Args[0]), Databases: map[string]string{"eu": path}})
	require.Equal(t, "DATABASE_LOCKED", fault.ReasonOf(err), "%v", err)
	require.NoError(t, db.Close())
	e, err := Open(t.Context(), Config{Launcher: Processes(os.Args[0]), Databases: map[string]string{"eu": path}})
	require.NoError(t, err)
	require.NoError(t, e.Close())
}

// TestAProgramThatIsNoChildIsTold: what is started and ends before it speaks is the
// engine's end, with words for people.
func TestAProgramThatIsNoChildIsTold(t *testing.T) {
	t.Parallel()
	path, db := makeFile(t)
	require.NoError(t, db.Close())
	_, err := Open(t.Context(), Config{Launcher: Processes("/bin/false"), Databases: map[string]string{"eu": path}})
	var ended *warehouse.Error
	require.ErrorAs(t, err, &ended)
	require.Equal(t, warehouse.NameEngineEnded, ended.Name)
	require.Equal(t, codes.Unavailable, status.Code(ended))
}
