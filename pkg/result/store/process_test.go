package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/result/store/objects"
	"github.com/dibrain/dibrain/pkg/result/store/objects/objectstest"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

// Where the process of TestAProcessIsKilled finds what it shares with the test: a database,
// and a folder or the address of object storage.
const (
	envDatabase = "DIBRAIN_TEST_WRITER_DATABASE"
	envFiles    = "DIBRAIN_TEST_WRITER_FILES"
	// envEvicts has it keep one result alone, and get stuck where it is to remove the file of
	// the one before.
	envEvicts = "DIBRAIN_TEST_WRITER_EVICTS"
)

// processLease is how long a process that is killed counts as one that lives.
const processLease = time.Second

func openAt(t *testing.T, dsn, files string, change func(*store.Config)) *store.Store {
	t.Helper()
	schema, err := store.PostgresSchema()
	require.NoError(t, err)
	db, err := postgres.OpenDatabase(t.Context(), postgres.Config{DSN: func() (string, error) { return dsn, nil }, MaxConnections: 3}, schema)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	config := store.Config{Database: db, Files: store.Directory(files), MaxAge: time.Hour, MaxBytes: 64 << 20, MaxResults: 100, Clock: time.Now, Lease: processLease}
	if strings.HasPrefix(files, "http") {
		config.Files, err = objects.New((&objectstest.Server{}).Config(files))
		require.NoError(t, err)
	}
	if change != nil {
		change(&config)
	}
	s, err := store.Open(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// stuck are files of which none is ever removed.
type stuck struct {
	store.Files
	asked func(id string)
}

func (s stuck) Remove(_ context.Context, id string) error {
	s.asked(id)
	select {}
}

// TestWriterProcess is the other process of TestAProcessIsKilled: it keeps one result, and
// is in the middle of another until it is killed.
func TestWriterProcess(t *testing.T) {
	dsn := os.Getenv(envDatabase)
	if dsn == "" {
		t.Skip("it is started by TestAProcessIsKilled")
	}
	if os.Getenv(envEvicts) != "" {
		at := make(chan string, 1)
		s := openAt(t, dsn, os.Getenv(envFiles), func(c *store.Config) { c.MaxResults, c.Files = 1, stuck{c.Files, func(id string) { at <- id }} })
		_, err := s.Put(t.Context(), alice, numbers(10))
		require.NoError(t, err)
		id, err := s.Put(t.Context(), alice, numbers(20))
		require.NoError(t, err)
		fmt.Printf("written %s %s\n", id, <-at)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
	}
	s := openAt(t, dsn, os.Getenv(envFiles), nil)
	id, err := s.Put(t.Context(), alice, numbers(9000))
	require.NoError(t, err)
	page, err := s.Page(t.Context(), alice, id, "", 4000, 1<<20)
	require.NoError(t, err)
	w, err := s.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	for range 300 { // more than the first step of room
		require.NoError(t, w.Append(t.Context(), numbers(5000).Rows))
	}
	fmt.Printf("written %s %s\n", id, page.NextToken)
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
}

// startWriter starts the other process, and returns the two names that it says when it is
// where it is to be killed.
func startWriter(t *testing.T, env ...string) (said []string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriterProcess$")
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = in.Close() })
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	for lines := bufio.NewScanner(out); len(said) != 3 && lines.Scan(); {
		if said = strings.Fields(lines.Text()); len(said) != 3 || said[0] != "written" {
			said = nil
		}
	}
	require.Len(t, said, 3)
	return said, func() {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}
}

// TestAProcessIsKilledBetweenIndexAndFile: a result that the index has let go, and whose file
// the process had not removed when it was killed, is gone for its owner, and its file goes
// with the sweep of another process.
func TestAProcessIsKilledBetweenIndexAndFile(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	dsn, server := postgrestest.DSN(t), objectstest.New(t)
	set, read := metertest.New(t)
	mine := openAt(t, dsn, server.URL, func(c *store.Config) { c.Meter = set })
	said, kill := startWriter(t, envDatabase+"="+dsn, envFiles+"="+server.URL, envEvicts+"=1")
	kill()
	kept, gone := said[1], said[2]
	require.ElementsMatch(t, []string{"dibrain/" + store.FileName(kept), "dibrain/" + store.FileName(gone)}, server.Names(t))
	_, err := mine.Page(t.Context(), alice, gone, "", 1, 1<<20)
	require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err))
	require.NoError(t, mine.Prune(t.Context()))
	require.Equal(t, []string{"dibrain/" + store.FileName(kept)}, server.Names(t))
	require.EqualValues(t, 1, read()[`dibrain_result_files_total{end="swept"}`])
	page, err := mine.Page(t.Context(), alice, kept, "", 30, 1<<20)
	require.NoError(t, err)
	require.Len(t, page.Rows, 20)
}

// TestAProcessIsKilled while it writes: what it had kept is read on by its page token, and
// what it was writing is swept by another process as soon as its lease is over, with the
// room that it took.
func TestAProcessIsKilled(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	for _, kind := range []string{"a shared folder", "object storage"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dsn, files := postgrestest.DSN(t), t.TempDir()
			names := func() int {
				entries, err := os.ReadDir(files)
				require.NoError(t, err)
				return len(entries)
			}
			if kind == "object storage" {
				server := objectstest.New(t)
				files, names = server.URL, func() int { return len(server.Names(t)) }
			}
			mine := openAt(t, dsn, files, nil)

			said, kill := startWriter(t, envDatabase+"="+dsn, envFiles+"="+files)
			kept := names()
			require.NoError(t, mine.Prune(t.Context()))
			require.Equal(t, kept, names(), "it lives, and is left alone")
			kill()

			page, err := mine.Page(t.Context(), alice, said[1], said[2], 9000, 1<<20)
			require.NoError(t, err)
			require.Equal(t, numbers(9000).Rows[4000:], page.Rows)
			_, err = mine.Page(t.Context(), bob, said[1], said[2], 9000, 1<<20)
			require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err))

			held := func() (n, bytes int64) {
				conn, err := pgx.Connect(t.Context(), dsn)
				require.NoError(t, err)
				defer func() { require.NoError(t, conn.Close(t.Context())) }()
				require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM results_writing`).Scan(&n, &bytes))
				return n, bytes
			}
			_, bytes := held()
			require.Positive(t, bytes, "it had taken room")
			require.Eventually(t, func() bool {
				require.NoError(t, mine.Prune(t.Context()))
				n, _ := held()
				return n == 0 && names() == 1
			}, time.Minute, 20*time.Millisecond)
			_, err = mine.Page(t.Context(), alice, said[1], "", 1, 1<<20)
			require.NoError(t, err, "what was kept stays")
		})
	}
}
