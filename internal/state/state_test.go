package state_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/internal/state"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
	"github.com/dibrain/dibrain/services/analysis"
)

var alice = run.Principal{ID: "alice"}

// sessions is what the tests need of both stores.
type sessions interface {
	CreateSession(ctx context.Context, p run.Principal, s store.Session) error
	Lock(ctx context.Context, p run.Principal, sessionID string, lease time.Duration) (store.Lock, error)
	Commit(ctx context.Context, p run.Principal, l store.Lock, c store.Changes) error
	Sessions(ctx context.Context, p run.Principal, page store.Page) ([]store.Session, string, error)
	Messages(ctx context.Context, p run.Principal, sessionID, chatID string, page store.Page) ([]store.Message, string, error)
	Close() error
}

// place is a deployment: what it is configured by, and how its stores are opened.
type place struct {
	options  state.Options
	config   config.Config
	db       postgres.Config
	sessions func(t *testing.T) sessions
	tokens   func(t *testing.T) tokenstore.Store
	analyses func(t *testing.T) analysis.Store
}

func embedded(t *testing.T) place {
	t.Helper()
	dir := t.TempDir()
	c := config.Default()
	c.DataDir = dir
	return place{
		options: state.Options{DataDir: dir, Program: "v1", Clock: time.Now}, config: c,
		sessions: func(t *testing.T) sessions {
			s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: filepath.Join(dir, "router")})
			require.NoError(t, err)
			return s
		},
		tokens:   func(*testing.T) tokenstore.Store { return tokenstore.OpenSQLite(dir) },
		analyses: func(*testing.T) analysis.Store { return analysis.OpenSQLite(dir) },
	}
}

func shared(t *testing.T) place {
	t.Helper()
	dsn := postgrestest.DSN(t)
	db := postgres.Config{DSN: func() (string, error) { return dsn, nil }, MaxConnections: 3}
	schemas, err := state.Schemas()
	require.NoError(t, err)
	p := embedded(t)
	p.db, p.options.Database, p.options.Schemas = db, &db, schemas
	p.config.Store.Kind = config.StorePostgres
	p.sessions = func(t *testing.T) sessions {
		s, err := postgres.Open(t.Context(), db)
		require.NoError(t, err)
		return s
	}
	p.tokens = func(t *testing.T) tokenstore.Store {
		s, err := tokenstore.OpenPostgres(t.Context(), db)
		require.NoError(t, err)
		return s
	}
	p.analyses = func(t *testing.T) analysis.Store {
		s, err := analysis.OpenPostgres(t.Context(), db)
		require.NoError(t, err)
		return s
	}
	return p
}

func overKinds(t *testing.T, test func(t *testing.T, make func(*testing.T) place)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, embedded)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		postgrestest.Server(t)
		test(t, shared)
	})
}

// turn adds a session and its first message in one step: never one without the other.
func turn(t *testing.T, s sessions, i int) {
	t.Helper()
	id := fmt.Sprintf("ses_%04d", i)
	now := time.Now().UTC()
	fresh := store.Session{ID: id, Title: "orders", CreatedAt: now, UpdatedAt: now, Turns: 1}
	require.NoError(t, s.Commit(t.Context(), alice, store.FirstLock(id, now.Add(time.Minute)), store.Changes{
		Open: &fresh, Messages: []store.Message{{ChatID: "main", RunID: "run_1", Role: store.RoleUser, Content: "how many\torders\n\\N 订单?", CreatedAt: now}}, Unlock: true,
	}))
}

func write(t *testing.T, dir, rel, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(rel))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// TestABackupComesBack takes a backup while somebody writes, and brings it back to another
// place: each session is there with its message, or not at all.
func TestABackupComesBack(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, make func(*testing.T) place) {
		from := make(t)
		s := from.sessions(t)
		for i := range 20 {
			turn(t, s, i)
		}
		tokens := from.tokens(t)
		_, secret, err := tokenstore.Tokens{Store: tokens, Clock: time.Now, Most: 5}.Create(t.Context(), tokenstore.Token{Principal: "alice"}, time.Hour)
		require.NoError(t, err)
		analyses := from.analyses(t)
		require.NoError(t, analyses.Create(t.Context(), analysis.Record{ID: "an_1", Owner: "alice", Title: "why?", Status: run.StatusSucceeded, Created: time.Now(), State: []byte(`{"a": 1}`)}, 10))
		dir := from.options.DataDir
		write(t, dir, "semantic/shop/layer.yaml", "metrics: []")
		write(t, dir, "sources/shop/CURRENT", "g1")
		write(t, dir, auth.KeyFileName, "the key")
		write(t, dir, "chatbi/running/1", "a statement")
		from.options.AuditFile = filepath.Join(dir, "audit.jsonl")
		write(t, dir, "audit.jsonl", "{}")

		var archive bytes.Buffer
		m, err := state.Backup(t.Context(), from.options, &writing{Writer: &archive, do: func(n int) {
			if n < 5 {
				turn(t, s, 1000+n)
			}
		}})
		require.NoError(t, err)
		require.Equal(t, "v1", m.Program)
		turn(t, s, 2000) // after it
		require.NotContains(t, names(m), "files/"+auth.KeyFileName)
		require.NotContains(t, names(m), "files/chatbi/running/1")
		require.NotContains(t, names(m), "files/audit.jsonl")
		require.Contains(t, names(m), "files/semantic/shop/layer.yaml")
		require.NoError(t, s.Close())
		require.NoError(t, tokens.Close())
		require.NoError(t, analyses.Close())

		to := make(t)
		_, err = state.Restore(t.Context(), to.options, bytes.NewReader(archive.Bytes()), false)
		require.NoError(t, err)
		back := to.sessions(t)
		list, _, err := back.Sessions(t.Context(), alice, store.Page{Size: 1000})
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(list), 20)
		for _, have := range list {
			require.NotEqual(t, "ses_2000", have.ID)
			messages, _, err := back.Messages(t.Context(), alice, have.ID, "", store.Page{Size: 10})
			require.NoError(t, err)
			require.Len(t, messages, 1, have.ID)
			require.Equal(t, "how many\torders\n\\N 订单?", messages[0].Content)
		}
		turn(t, back, 3000) // what the store numbers goes on after what was restored
		require.NoError(t, back.Close())
		restored := to.tokens(t)
		edge := auth.OpenTokens(restored, auth.TokenOptions{})
		_, err = edge.Authenticate(map[string][]string{auth.KeyAuthorization: {"Bearer " + secret}})
		require.NoError(t, err)
		require.NoError(t, restored.Close())
		plans := to.analyses(t)
		record, err := plans.Get(t.Context(), "alice", "an_1")
		require.NoError(t, err)
		require.JSONEq(t, `{"a": 1}`, string(record.State))
		require.NoError(t, plans.Close())
		layer, err := os.ReadFile(filepath.Join(to.options.DataDir, "semantic", "shop", "layer.yaml"))
		require.NoError(t, err)
		require.Equal(t, "metrics: []", string(layer))

		// What is there is not mixed with another backup, and goes where that is asked for.
		_, err = state.Restore(t.Context(), to.options, bytes.NewReader(archive.Bytes()), false)
		require.Equal(t, "STORE_NOT_EMPTY", fault.ReasonOf(err), "%v", err)
		write(t, to.options.DataDir, "semantic/later.yaml", "x")
		write(t, to.options.DataDir, auth.KeyFileName, "its own")
		_, err = state.Restore(t.Context(), to.options, bytes.NewReader(archive.Bytes()), true)
		require.NoError(t, err)
		require.NoFileExists(t, filepath.Join(to.options.DataDir, "semantic", "later.yaml"))
		require.FileExists(t, filepath.Join(to.options.DataDir, auth.KeyFileName), "what a backup does not hold stays")
		again := to.sessions(t)
		same, _, err := again.Sessions(t.Context(), alice, store.Page{Size: 1000})
		require.NoError(t, err)
		require.Equal(t, list, same, "the session that came later is gone")

		_, err = state.Restore(t.Context(), to.options, bytes.NewReader(archive.Bytes()), true)
		if to.options.Database == nil {
			require.Equal(t, "STORE_IN_USE", fault.ReasonOf(err), "%v", err)
		}
		require.NoError(t, again.Close())
	})
}

// writing calls do before each write that reaches it.
type writing struct {
	io.Writer
	n  int
	do func(n int)
}

func (w *writing) Write(p []byte) (int, error) {
	w.do(w.n)
	w.n++
	return w.Writer.Write(p)
}

func names(m state.Manifest) (list []string) {
	for _, p := range m.Parts {
		list = append(list, p.Name)
	}
	return list
}

// TestEveryTableIsInABackup holds the lists of tables against what the migrations make: a
// table that somebody adds is in backups, or is named here with why it is not.
func TestEveryTableIsInABackup(t *testing.T) {
	t.Parallel()
	p := shared(t)
	_, err := state.Migrate(t.Context(), p.config, p.db)
	require.NoError(t, err)
	known := map[string]bool{"instances": true, "api_tokens_revision": true} // of living processes; counts changes of what is there
	// Results are a cache, whose rows are elsewhere, and statements are of living processes.
	for _, name := range []string{"results", "results_batches", "results_writing", "results_reusable", "results_removed", "running_statements"} {
		known[name] = true
	}
	for _, s := range p.options.Schemas {
		known[s.Versions], known[s.Compatibility] = true, true
		for _, name := range s.Tables {
			known[name] = true
		}
	}
	dsn, err := p.db.DSN()
	require.NoError(t, err)
	db, err := sql.Open("pgx", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	rows, err := db.QueryContext(t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	there := 0
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		require.True(t, known[name], name)
		there++
	}
	require.NoError(t, rows.Err())
	require.Len(t, known, there)
}

// TestADamagedBackupTouchesNothing breaks archives in every way that one can break.
func TestADamagedBackupTouchesNothing(t *testing.T) {
	t.Parallel()
	from := embedded(t)
	write(t, from.options.DataDir, "semantic/a.yaml", strings.Repeat("a: 1\n", 1000))
	var whole bytes.Buffer
	_, err := state.Backup(t.Context(), from.options, &whole)
	require.NoError(t, err)
	pack := func(m any, parts ...string) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		w := tar.NewWriter(z)
		add := func(name, text string) {
			require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}))
			_, err := w.Write([]byte(text))
			require.NoError(t, err)
		}
		for _, name := range parts {
			add(name, "x")
		}
		if m != nil {
			text, err := json.Marshal(m)
			require.NoError(t, err)
			add("manifest.json", string(text))
		}
		require.NoError(t, w.Close())
		require.NoError(t, z.Close())
		return out.Bytes()
	}
	for name, tc := range map[string]struct {
		bytes  []byte
		reason string
	}{
		"nothing":               {nil, "BACKUP_DAMAGED"},
		"another file":          {[]byte("hello"), "BACKUP_DAMAGED"},
		"half of it":            {whole.Bytes()[:whole.Len()/2], "BACKUP_DAMAGED"},
		"no list":               {pack(nil, "files/a"), "BACKUP_DAMAGED"},
		"a file that is untold": {pack(state.Manifest{Format: 1}, "files/a"), "BACKUP_DAMAGED"},
		"a file that is gone":   {pack(state.Manifest{Format: 1, Parts: []state.Part{{Name: "files/a", Bytes: 1}}}), "BACKUP_DAMAGED"},
		"another sum":           {pack(state.Manifest{Format: 1, Parts: []state.Part{{Name: "files/a", Bytes: 1, SHA256: "00"}}}, "files/a"), "BACKUP_DAMAGED"},
		"a way out":             {pack(state.Manifest{Format: 1}, "files/../../etc/x"), "BACKUP_DAMAGED"},
		"from the root":         {pack(state.Manifest{Format: 1}, "/etc/x"), "BACKUP_DAMAGED"},
		"twice":                 {pack(state.Manifest{Format: 1}, "files/a", "files/a"), "BACKUP_DAMAGED"},
		"of the future":         {pack(state.Manifest{Format: 2, Program: "v9"}), "BACKUP_TOO_NEW"},
	} {
		to := embedded(t)
		write(t, to.options.DataDir, "semantic/mine.yaml", "b")
		_, err := state.Restore(t.Context(), to.options, bytes.NewReader(tc.bytes), true)
		require.Equal(t, tc.reason, fault.ReasonOf(err), "%s: %v", name, err)
		entries, err := os.ReadDir(to.options.DataDir)
		require.NoError(t, err)
		require.Len(t, entries, 1, "%s: nothing is left behind", name)
		require.FileExists(t, filepath.Join(to.options.DataDir, "semantic", "mine.yaml"), name)
	}
}

// TestMigrate: what would be done is told and not done, then done, and done once.
func TestMigrate(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, make func(*testing.T) place) {
		p := make(t)
		if p.options.Database == nil {
			// A file of the version before.
			dir := filepath.Join(p.config.DataDir, "router")
			require.NoError(t, os.MkdirAll(dir, 0o700))
			db, err := sql.Open("sqlite", filepath.Join(dir, sqlite.FileName))
			require.NoError(t, err)
			files, err := fs.Sub(sqlite.Migrations(), "migrations")
			require.NoError(t, err)
			old, err := goose.NewProvider(goose.DialectSQLite3, db, files)
			require.NoError(t, err)
			_, err = old.UpTo(t.Context(), 3)
			require.NoError(t, err)
			require.NoError(t, db.Close())
		}
		told, err := state.Versions(t.Context(), p.config, p.db)
		require.NoError(t, err)
		require.NotEmpty(t, told[0].Pending)
		require.Equal(t, "sessions", told[0].Name)
		again, err := state.Versions(t.Context(), p.config, p.db)
		require.NoError(t, err)
		require.Equal(t, told, again, "telling changes nothing")
		_, err = state.Migrate(t.Context(), p.config, p.db)
		require.NoError(t, err)
		after, err := state.Versions(t.Context(), p.config, p.db)
		require.NoError(t, err)
		for i, k := range after {
			if told[i].Have == 0 && k.Place != "PostgreSQL" {
				require.Zero(t, k.Have, "%s: a store that nobody has is not made", k.Name)
				continue
			}
			require.Equal(t, k.Known, k.Have, k.Name)
			require.Empty(t, k.Pending, k.Name)
		}
	})
}

// TestMigrateWritesOut what turns have left beside the tables, of a file that is up to date too:
// after a kill that is what lets the version before open it again.
func TestMigrateWritesOut(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	s := p.sessions(t)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	turn(t, s, 1)
	db, err := sql.Open("sqlite", filepath.Join(p.config.DataDir, "router", sqlite.FileName))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	count := func() (steps, messages int) {
		require.NoError(t, db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM turn_steps), (SELECT count(*) FROM messages)`).Scan(&steps, &messages))
		return steps, messages
	}
	steps, messages := count()
	require.Equal(t, []int{1, 0}, []int{steps, messages})
	_, err = state.Versions(t.Context(), p.config, p.db)
	require.NoError(t, err)
	steps, messages = count()
	require.Equal(t, []int{1, 0}, []int{steps, messages}, "telling changes nothing")
	_, err = state.Migrate(t.Context(), p.config, p.db)
	require.NoError(t, err)
	steps, messages = count()
	require.Equal(t, []int{0, 1}, []int{steps, messages})
}
