package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

var errDisk = errors.New("the disk is gone")

// breaks is when a database fails: at one of the things that are asked of it.
type breaks struct {
	mu   sync.Mutex
	left int // until the one that fails; 0: none does
	hit  bool
	then func() // is done before the next thing that is asked, once
}

func (b *breaks) at(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left, b.hit = n, false
}

func (b *breaks) did() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hit
}

func (b *breaks) next() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if then := b.then; then != nil {
		b.then = nil
		then()
	}
	if b.left == 0 {
		return nil
	}
	if b.left--; b.left > 0 {
		return nil
	}
	b.hit = true
	return errDisk
}

// The types below pass a driver's work on, and fail where breaks says so: at the begin
// and the end of a transaction, at a statement, and at a row.
type (
	brokenConnector struct {
		driver driver.Driver
		dsn    string
		breaks *breaks
	}
	brokenConn struct {
		driver.Conn
		breaks *breaks
	}
	brokenTx struct {
		driver.Tx
		breaks *breaks
	}
	brokenStmt struct {
		driver.Stmt
		breaks *breaks
	}
	brokenRows struct {
		driver.Rows
		breaks *breaks
	}
)

func (c brokenConnector) Driver() driver.Driver { return c.driver }

func (c brokenConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	return brokenConn{conn, c.breaks}, err
}

func (c brokenConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	stmt, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
	return brokenStmt{stmt, c.breaks}, err
}

func (c brokenConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if err := c.breaks.next(); err != nil {
		return nil, err
	}
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
	return brokenTx{tx, c.breaks}, err
}

func (t brokenTx) Commit() error {
	if err := t.breaks.next(); err != nil {
		return errors.Join(err, t.Rollback())
	}
	return t.Tx.Commit()
}

func (s brokenStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.breaks.next(); err != nil {
		return nil, err
	}
	return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

func (s brokenStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.breaks.next(); err != nil {
		return nil, err
	}
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	return brokenRows{rows, s.breaks}, nil
}

func (r brokenRows) Next(row []driver.Value) error {
	if err := r.breaks.next(); err != nil {
		return err
	}
	return r.Rows.Next(row)
}

// openBroken opens a store whose two databases fail where breaks says so.
func openBroken(t *testing.T, now func() time.Time) (*Store, *breaks) {
	t.Helper()
	s, err := Open(t.Context(), Config{Dir: t.TempDir(), Clock: now, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	b := &breaks{}
	for db, extra := range map[**sql.DB]string{&s.write: "_txlock=immediate", &s.read: "_pragma=query_only(1)"} {
		broken := sql.OpenDB(brokenConnector{(*db).Driver(), s.dsn(extra), b})
		broken.SetMaxOpenConns(1)
		require.NoError(t, (*db).Close())
		*db = broken
	}
	require.NoError(t, s.prepare(t.Context()))
	return s, b
}

// contents are all rows of all tables.
func contents(t *testing.T, s *Store) []string {
	t.Helper()
	db, err := sql.Open("sqlite", s.dsn("_pragma=query_only(1)"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	tables, err := column(db.QueryContext(t.Context(), "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"))
	require.NoError(t, err)
	var out []string
	for _, table := range tables {
		out = append(out, rowsOf(t, db, table)...)
	}
	slices.Sort(out)
	return out
}

func rowsOf(t *testing.T, db *sql.DB, table string) (out []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		cells, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		require.NoError(t, rows.Scan(into...))
		out = append(out, fmt.Sprint(table, cells))
	}
	require.NoError(t, rows.Err())
	return out
}

// TestEveryStatementMayFail: whichever statement, row, begin or end of a transaction
// fails, each call says so and leaves all as it was, and works when it is made again.
func TestEveryStatementMayFail(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, b := openBroken(t, func() time.Time { return now })
	alice := run.Principal{ID: "alice"}
	ctx := t.Context()
	record := func(id, parent string, status run.Status) run.Record {
		return run.Record{RunID: id, ParentRunID: parent, Name: "n", Status: status, StartedAt: now}
	}
	call := func(id, runID string, status run.Status) store.ToolCall {
		return store.ToolCall{ID: id, RunID: runID, ChatID: "main", ToolName: "t", Arguments: []byte("{}"), Status: status, StartedAt: now, OutputType: "x",
			Output: []byte(strings.Repeat(id+"0123456789", 8))}
	}
	turn := func(runID string, status run.Status) store.Changes {
		return store.Changes{
			Run:       &store.Run{Record: record(runID, "", status), ChatID: "main", Question: "q"},
			Records:   []run.Record{record(runID+"_a", runID, run.StatusSucceeded), record(runID+"_b", runID, run.StatusSucceeded)},
			Messages:  []store.Message{{ChatID: "main", RunID: runID, Role: store.RoleUser, Content: "q", CreatedAt: now}},
			Chat:      &store.Chat{ID: "main", State: []byte("state"), UpdatedAt: now},
			ToolCalls: []store.ToolCall{call(runID+"_c1", runID, run.StatusSucceeded), call(runID+"_c2", runID, run.StatusRunning)},
		}
	}
	var lock store.Lock
	session := store.Session{ID: "ses_1", Title: "t", CreatedAt: now, UpdatedAt: now}
	opened := turn("run_1", run.StatusRunning)
	opened.Open = &session
	ended := turn("run_1", run.StatusSucceeded)
	ended.Session, ended.Unlock, ended.DropToolCalls = &session, true, []string{"run_1_c2"}
	ended.ToolCalls, ended.Messages[0].Role, ended.Messages[0].ToolCallIDs = nil, store.RoleAssistant, []string{"run_1_c1"}
	second := turn("run_2", run.StatusSucceeded)
	second.Unlock, second.MaxSessionBytes, second.Session = true, 100, &session
	second.ToolCalls[0].SourceID = "run_1_c1"
	for _, op := range []struct {
		name  string
		do    func() error
		after bool // what it changed stays where it fails at the very end; made again it does no more
	}{
		{name: "CreateSession", do: func() error {
			return s.CreateSession(ctx, alice, store.Session{ID: "ses_0", CreatedAt: now, UpdatedAt: now})
		}},
		{name: "mark of steps", do: func() error {
			free, err := s.writer(ctx)
			require.NoError(t, err)
			defer free()
			_, err = s.keepsSteps(ctx)
			return err
		}},
		{name: "Commit of a first step", do: func() error { return s.Commit(ctx, alice, store.FirstLock("ses_1", now.Add(time.Hour)), opened) }},
		{name: "RequestCancel", after: true, do: func() error { _, err := s.RequestCancel(ctx, alice, "run_1"); return err }},
		{name: "Renew", do: func() (err error) {
			l, asked, err := s.Renew(ctx, store.FirstLock("ses_1", now.Add(time.Hour)), "run_1", 2*time.Hour)
			if err == nil {
				require.True(t, asked)
				lock = l
			}
			return err
		}},
		{name: "Commit of a last step", do: func() error { return s.Commit(ctx, alice, lock, ended) }},
		{name: "Lock", do: func() (err error) {
			l, err := s.Lock(ctx, alice, "ses_1", time.Hour)
			if err == nil {
				lock = l
			}
			return err
		}},
		{name: "Commit that makes room", do: func() error { return s.Commit(ctx, alice, lock, second) }},
		{name: "Lock again", do: func() (err error) {
			l, err := s.Lock(ctx, alice, "ses_1", time.Hour)
			if err == nil {
				lock = l
			}
			return err
		}},
		{name: "Unlock", do: func() error { return s.Unlock(ctx, lock) }},
		{name: "SaveFeedback", do: func() error {
			return s.SaveFeedback(ctx, alice, store.Feedback{RunID: "run_1", Rating: store.RatingUp, CreatedAt: now})
		}},
		{name: "Session", do: func() error { _, err := s.Session(ctx, alice, "ses_1"); return err }},
		{name: "Sessions", do: func() error { _, _, err := s.Sessions(ctx, alice, store.Page{Size: 5}); return err }},
		{name: "Thread", do: func() error { _, err := s.Thread(ctx, alice, "ses_1", "main", 5); return err }},
		{name: "Messages", do: func() error { _, _, err := s.Messages(ctx, alice, "ses_1", "", store.Page{Size: 5}); return err }},
		{name: "Messages of a chat", do: func() error { _, _, err := s.Messages(ctx, alice, "ses_1", "main", store.Page{Size: 5}); return err }},
		{name: "ToolCall", do: func() error { _, err := s.ToolCall(ctx, alice, "run_2_c1"); return err }},
		{name: "Run", do: func() error { _, _, err := s.Run(ctx, alice, "run_2"); return err }},
		{name: "Runs", do: func() error { _, _, err := s.Runs(ctx, alice, store.RunFilter{}, store.Page{Size: 5}); return err }},
		{name: "Feedback", do: func() error { _, err := s.Feedback(ctx, alice, "run_1"); return err }},
		{name: "Sweep", after: true, do: func() error {
			_, err := s.Sweep(ctx, store.Retention{SessionsFor: time.Hour, RunsFor: time.Hour, MaxRuns: 1, MaxSessions: 1, Batch: 10, MaxRemoved: 2})
			return err
		}},
		{name: "DeleteSession", do: func() error { return s.DeleteSession(ctx, alice, "ses_1") }},
		{name: "Commit before the end", do: func() error { return s.Commit(ctx, alice, store.FirstLock("ses_1", now.Add(time.Hour)), opened) }},
		{name: "giving back", do: func() error {
			last, err := s.giveBack()
			return errors.Join(err, last())
		}},
	} {
		before := contents(t, s)
		points := 0
		for n := 1; ; n++ {
			b.at(n)
			err := op.do()
			hit := b.did()
			b.at(0)
			if !hit {
				require.NoError(t, err, op.name)
				break
			}
			points++
			require.Error(t, err, "%s says nothing of failure %d", op.name, n)
			if !op.after {
				require.True(t, slices.Equal(before, contents(t, s)), "%s leaves something behind at failure %d", op.name, n)
			}
		}
		t.Logf("%s: %d failures", op.name, points)
		require.Positive(t, points, op.name)
	}
	require.NotEmpty(t, contents(t, s))
}
