package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
)

// TestRunsOfTheFirstSchema: runs that the first schema kept are there with their
// trees, whatever came since.
func TestRunsOfTheFirstSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := os.ReadFile(filepath.Join("migrations", "00001_init.sql"))
	require.NoError(t, err)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, sqlite.FileName))
	require.NoError(t, err)
	goose, err := goose.NewProvider(goose.DialectSQLite3, db, fstest.MapFS{"00001_init.sql": {Data: first}})
	require.NoError(t, err)
	_, err = goose.Up(t.Context())
	require.NoError(t, err)
	for _, text := range []string{
		`INSERT INTO sessions VALUES ('ses_1', 'alice', 'orders', 'shop', 1, 2, 1)`,
		`INSERT INTO runs VALUES ('run_1', 'alice', 'ses_1', 'main', 'how many?', 'failed', 1000, '', NULL, 0)`,
		`INSERT INTO run_records VALUES (1, 'run_1', 'run_1', '', 'router.ask', 'router', '', '', 'failed', 1000, 9000, '{"goal":"fix_sql"}', 'it broke')`,
		`INSERT INTO run_records VALUES (2, 'run_2', 'run_1', 'run_1', 'tool.fix_sql', 'router', 'call_1', 'fix_sql', 'succeeded', 2000, 3000, '{"n":"1"}', '')`,
		`INSERT INTO run_records VALUES (3, 'run_3', 'run_1', 'run_2', 'inner', 'fixsql', '', '', 'succeeded', 2500, 2600, 'null', '')`,
	} {
		_, err := db.ExecContext(t.Context(), text)
		require.NoError(t, err, text)
	}
	require.NoError(t, db.Close())

	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	u, tree, err := s.Run(t.Context(), run.Principal{ID: "alice"}, "run_1")
	require.NoError(t, err)
	at := func(n int64) time.Time { return time.Unix(0, n).UTC() }
	root := run.Record{RunID: "run_1", Name: "router.ask", Service: "router", Status: run.StatusFailed, StartedAt: at(1000), EndedAt: at(9000),
		Attributes: map[string]string{"goal": "fix_sql"}, Error: "it broke"}
	require.Equal(t, root, u.Record)
	require.Equal(t, []run.Record{
		root,
		{RunID: "run_2", ParentRunID: "run_1", Name: "tool.fix_sql", Service: "router", ToolCallID: "call_1", ToolName: "fix_sql", Status: run.StatusSucceeded,
			StartedAt: at(2000), EndedAt: at(3000), Attributes: map[string]string{"n": "1"}},
		{RunID: "run_3", ParentRunID: "run_2", Name: "inner", Service: "fixsql", Status: run.StatusSucceeded, StartedAt: at(2500), EndedAt: at(2600)},
	}, tree)
}
