package state_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/state"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	results "github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
	"github.com/dibrain/dibrain/pkg/store/lazy"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/chatbi"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/knowledge"
	"github.com/dibrain/dibrain/services/text2sql/examples"
)

// storage asks the tables of a store, past all of its code.
type storage struct {
	name string
	exec func(text string, args ...any)
	rows func(text string) [][]any
	list func() map[string][]string // columns by table
}

// storages makes all stores of a deployment and opens them.
func storages(t *testing.T, p place) []storage {
	t.Helper()
	for _, made := range []io.Closer{p.sessions(t)} {
		require.NoError(t, made.Close())
	}
	c, err := p.config.ChatBI.Config.Complete()
	require.NoError(t, err)
	if p.options.Database == nil {
		kept, err := results.Open(t.Context(), chatbi.ResultsFile(p.config.DataDir, c.Store, time.Now))
		require.NoError(t, err)
		require.NoError(t, kept.Close())
	}
	type file struct {
		name string
		file lazy.Config
	}
	var files []file
	if p.options.Database == nil {
		files = []file{
			{"preferences", memory.File(p.config.DataDir)}, {"verified queries", examples.File(p.config.DataDir)}, {"expert's sessions", knowledge.SessionsFile(p.config.DataDir)},
			{"analyses", analysis.SQLiteFile(p.config.DataDir)}, {"API tokens", tokenstore.SQLiteFile(p.config.DataDir)},
		}
	}
	paths := map[string]string{}
	if p.options.Database == nil {
		paths["results"] = filepath.Join(p.config.DataDir, "chatbi", "results.db")
	}
	for _, f := range files {
		made := lazy.New(f.file)
		_, err := made.Open(t.Context(), true)
		require.NoError(t, err)
		require.NoError(t, made.Close())
		paths[f.name] = f.file.Path
	}
	if p.options.Database == nil {
		paths["sessions"] = filepath.Join(p.config.DataDir, "router", sqlite.FileName)
	}
	var all []storage
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		all = append(all, inSQLite(t, name, paths[name]))
	}
	if p.options.Database != nil {
		_, err := state.Migrate(t.Context(), p.config, p.db)
		require.NoError(t, err)
		for _, s := range p.options.Schemas {
			all = append(all, inPostgres(t, p, s.Of))
		}
	}
	return all
}

func inSQLite(t *testing.T, name, path string) storage {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(30000)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	rows := func(text string) (all [][]any) {
		found, err := db.QueryContext(t.Context(), text)
		require.NoError(t, err, text)
		defer found.Close()
		columns, err := found.Columns()
		require.NoError(t, err)
		for found.Next() {
			values, to := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				to[i] = &values[i]
			}
			require.NoError(t, found.Scan(to...))
			all = append(all, values)
		}
		require.NoError(t, found.Err())
		return all
	}
	return storage{name: name, rows: rows, exec: func(text string, args ...any) {
		_, err := db.ExecContext(t.Context(), text, args...)
		require.NoError(t, err, text)
	}, list: func() map[string][]string {
		tables := map[string][]string{}
		for _, r := range rows(`SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`) {
			tables[fmt.Sprint(r[0])] = append(tables[fmt.Sprint(r[0])], fmt.Sprint(r[1]))
		}
		return tables
	}}
}

func inPostgres(t *testing.T, p place, name string) storage {
	t.Helper()
	dsn, err := p.db.DSN()
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	rows := func(text string) (all [][]any) {
		found, err := conn.Query(t.Context(), text)
		require.NoError(t, err, text)
		defer found.Close()
		for found.Next() {
			values, err := found.Values()
			require.NoError(t, err)
			all = append(all, values)
		}
		require.NoError(t, found.Err())
		return all
	}
	return storage{name: name, rows: rows, exec: func(text string, args ...any) {
		for i := range args {
			text = strings.Replace(text, "?", fmt.Sprintf("$%d", i+1), 1)
		}
		_, err := conn.Exec(t.Context(), text, args...)
		require.NoError(t, err, text)
	}, list: func() map[string][]string {
		found := map[string][]string{}
		for _, r := range rows(`SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema()`) {
			// The stores share a schema: a table that none declares is that of the sessions.
			if table := fmt.Sprint(r[0]); declaredBy(p, table) == name || declaredBy(p, table) == "" && name == "sessions" {
				found[table] = append(found[table], fmt.Sprint(r[1]))
			}
		}
		return found
	}}
}

// declaredBy is the store in PostgreSQL that says whose the rows of a table are.
func declaredBy(p place, table string) string {
	for _, s := range p.options.Schemas {
		if state.DeclaredColumns(s.Of, true)[table] != nil {
			return s.Of
		}
	}
	return ""
}

// TestEachColumnIsSomebodysOrNobodys holds the tables that are there against what is said of
// them: a table or a column that is new fails it until it is said whose it is.
func TestEachColumnIsSomebodysOrNobodys(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, make func(*testing.T) place) {
		p := make(t)
		versions, err := state.Versions(t.Context(), p.config, p.db)
		require.NoError(t, err)
		names := []string{"results"}
		for _, v := range versions {
			names = append(names, v.Name)
		}
		if p.options.Database == nil {
			names = append(names, "shared results") // in a database alone
		}
		require.ElementsMatch(t, names, state.DeclaredStores(), "each store of a deployment")
		for _, s := range storages(t, p) {
			declared := state.DeclaredColumns(s.name, p.options.Database != nil)
			for table, columns := range s.list() {
				if strings.HasPrefix(table, "goose_") || strings.HasSuffix(table, "_version") { // how far the migrations are
					continue
				}
				require.Contains(t, declared, table, "store of %s: whose are the rows of this table? internal/state/persontables.go has to say", s.name)
				for _, c := range columns {
					require.Contains(t, declared[table], c, "store of %s, table %s: internal/state/persontables.go has to say what this column is", s.name, table)
				}
			}
		}
	})
}

// tableName is a table of a store that may be in either kind.
var tableName = regexp.MustCompile(`\{(\w+)\}`)

// seed are rows of a person in each table that may hold some, by store.
var seed = map[string][]string{
	"sessions": {
		`INSERT INTO sessions (id, principal, title, source, created_at, updated_at, turns) VALUES ('ses_PERSON', 'PERSON', 'title of PERSON', 'demo', 1, 1, 1)`,
		`INSERT INTO chats (session_id, id, state, updated_at) VALUES ('ses_PERSON', 'main', CAST('{"of": "PERSON"}' AS BLOB), 1)`,
		`INSERT INTO messages (session_id, chat_id, run_id, role, content, created_at, tool_call_ids) VALUES ('ses_PERSON', 'main', 'run_PERSON', 'user', 'words of PERSON', 1, '[]')`,
		`INSERT INTO tool_calls (id, session_id, chat_id, run_id, tool_name, agent_name, arguments, source_id, next_id, status, started_at, ended_at, output_type, output, output_coding, error, error_reason)
			VALUES ('call_PERSON', 'ses_PERSON', 'main', 'run_PERSON', 'tool', 'agent', CAST('{"of": "PERSON"}' AS BLOB), '', '', 'succeeded', 1, 1, 'x', CAST('plain of PERSON' AS BLOB), '', '', '')`,
		`INSERT INTO runs (id, principal, session_id, chat_id, question, status, started_at, owner, parent_id, name, service, ended_at, attributes, error)
			VALUES ('run_PERSON', 'PERSON', 'ses_PERSON', 'main', 'question of PERSON', 'succeeded', 1, '', '', 'turn', 'router', 1, '{"of": "PERSON"}', '')`,
		`INSERT INTO run_steps (root_id, records) VALUES ('run_PERSON', '[{"of": "PERSON"}]')`,
		`INSERT INTO feedback (run_id, principal, rating, comment, corrected_sql, accepted_tables, rejected_tables, created_at) VALUES ('run_PERSON', 'PERSON', 'good', 'thanks from PERSON', '', '[]', '[]', 1)`,
		`INSERT INTO removed (id, principal, removed_at, rule) VALUES ('ses_old_PERSON', 'PERSON', 1, 'router.retention.max_age')`,
	},
	"analyses": {
		`INSERT INTO analyses (id, owner, title, status, revision, runner, lease_until, created_at, updated_at, state) VALUES ('an_PERSON', 'PERSON', 'why, PERSON', 'succeeded', 1, '', 0, 1, 1, CAST('{"of": "PERSON"}' AS BLOB))`,
		`INSERT INTO watches (id, owner, name, status, revision, due_at, runner, lease_until, created_at, updated_at, state) VALUES ('wa_PERSON', 'PERSON', 'of PERSON', 'active', 1, 0, '', 0, 1, 1, CAST('{"of": "PERSON"}' AS BLOB))`,
	},
	"API tokens": {
		`INSERT INTO api_tokens (id, hash, principal, groups, admin, scopes, note, created_by, created_at, expires_at, revoked_at, replaces)
			VALUES ('tok_PERSON', 'secret hash of PERSON', 'PERSON', '[]', ADMIN, '[]', 'phone of PERSON', 'operator', 1, 2, 0, '')`,
		`INSERT INTO api_tokens (id, hash, principal, groups, admin, scopes, note, created_by, created_at, expires_at, revoked_at, replaces)
			VALUES ('tok_made_NUMBER', 'hash NUMBER', 'svc:robot', '[]', ADMIN, '[]', '', 'PERSON', 1, 2, 0, '')`,
	},
	"preferences": {
		`INSERT INTO {feedback} (person, source, question, table_name, kind, at) VALUES ('PERSON', 'demo', 'asked by PERSON', 't', 'clicked', 1)`,
		`INSERT INTO {preferences} (person, source, content, at) VALUES ('PERSON', 'demo', '{"of": "PERSON"}', 1)`,
		`INSERT INTO {feature_names} (id, names) VALUES (1, '[]') ON CONFLICT DO NOTHING`,
		`INSERT INTO {answer} (person, source, question, features, at) VALUES ('PERSON', 'demo', 'asked by PERSON', 1, 1)`,
		`INSERT INTO {shown} (answer, place, table_name, features) SELECT id, 1, 't of PERSON', X'FF00' FROM {answer} WHERE person = 'PERSON'`,
		`INSERT INTO {review} (source, kind, asked, question, times, first_at, last_at, reading, status, resolved_by, resolved_at) VALUES ('demo', 'unsure', 'qNUMBER', 'Q', 1, 1, 1, '{}', 'resolved', 'PERSON', 1)`,
	},
	"verified queries": {
		`INSERT INTO {examples} (id, source, mart, question, question_key, sql, tables, status, added_by, added_at, approved_by, approved_at, run_id) VALUES ('ex_p_NUMBER', 'demo', '', 'proposed by PERSON', 'pNUMBER', 'SELECT 1', '[]', 'proposed', 'PERSON', 1, '', 0, '')`,
		`INSERT INTO {examples} (id, source, mart, question, question_key, sql, tables, status, added_by, added_at, approved_by, approved_at, run_id) VALUES ('ex_a_NUMBER', 'demo', '', 'how many', 'aNUMBER', 'SELECT 1', '[]', 'approved', 'PERSON', 1, 'carol', 1, '')`,
		`INSERT INTO {examples} (id, source, mart, question, question_key, sql, tables, status, added_by, added_at, approved_by, approved_at, run_id) VALUES ('ex_b_NUMBER', 'demo', '', 'how much', 'bNUMBER', 'SELECT 1', '[]', 'approved', 'carol', 1, 'PERSON', 1, '')`,
		`INSERT INTO {revisions} (source, n) VALUES ('demo', 1) ON CONFLICT DO NOTHING`,
	},
	"shared results": {
		`INSERT INTO results_reusable (owner, key, result_id) SELECT 'PERSON', 'k', id FROM results WHERE owner = 'PERSON'`,
		`INSERT INTO results_removed (id, owner, removed_ms, why) VALUES ('res_PERSON', 'PERSON', 1, 'age')`,
	},
	"expert's sessions": {`INSERT INTO {sessions} (owner, id, memory, updated_at) VALUES ('PERSON', 'main', '{"of": "PERSON"}', 1)`},
	"results": {
		`INSERT INTO reusable (owner, key, result_id) SELECT 'PERSON', 'k', id FROM results WHERE owner = 'PERSON'`,
		`INSERT INTO removed (id, owner, removed_ms, why) VALUES ('res_PERSON', 'PERSON', 1, 'age')`,
	},
}

// What there is of one person in the end: rows of the person's own, and rows that name the person.
const (
	ownRows  = 22 + 1 // of the seed and of results, and the output that is packed
	othersOf = 3      // a token, a review and an approval
	days     = 2      // of the query history
)

// TestAPersonIsExportedAndDeleted fills every table for two people and asks for one of them.
func TestAPersonIsExportedAndDeleted(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, make func(*testing.T) place) {
		p := make(t)
		all := storages(t, p)
		people := state.People{Config: p.config, Database: p.db, Program: "v1", Clock: time.Now}
		c, err := p.config.ChatBI.Config.Complete()
		require.NoError(t, err)
		where := chatbi.ResultsFile(p.config.DataDir, c.Store, time.Now)
		if p.options.Database != nil {
			schema, err := results.PostgresSchema()
			require.NoError(t, err)
			where.Database, err = postgres.OpenDatabase(t.Context(), p.db, schema)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, where.Database.Close()) })
		}
		kept, err := results.Open(t.Context(), where)
		require.NoError(t, err)
		pages := map[string]string{}
		for i, person := range []string{"alice", "bob"} {
			pages[person], err = kept.Put(t.Context(), run.Principal{ID: person}, result.Table{
				Columns: []result.Column{{Name: "who", Type: "varchar"}}, Rows: [][]any{{"row of " + person}, {math.Inf(1)}, {[]any{math.NaN(), map[string]any{"a": int64(1)}}}, {nil}},
			})
			require.NoError(t, err)
			for _, s := range all {
				prefix := state.PrefixOf(s.name, p.options.Database != nil)
				for _, text := range seed[s.name] {
					admin := "0"
					if p.options.Database != nil && s.name == "API tokens" {
						admin = "false"
					}
					if p.options.Database != nil {
						text = strings.NewReplacer("CAST(", "CAST(CAST(", " AS BLOB)", " AS TEXT)::bytea AS BYTEA)").Replace(text)
					}
					if prefix != "" {
						text = strings.ReplaceAll(text, "X'FF00'", `'\xFF00'::bytea`)
					}
					s.exec(strings.NewReplacer("PERSON", person, "NUMBER", strconv.Itoa(i), "ADMIN", admin).Replace(tableName.ReplaceAllString(text, prefix+"$1")))
				}
			}
		}
		require.NoError(t, kept.Close())
		history(t, p.config.DataDir)
		packed(t, all)

		before := whole(all)
		require.Contains(t, before, "alice")

		var out bytes.Buffer
		counts, err := people.Export(t.Context(), "alice", &out)
		require.NoError(t, err)
		require.NotContains(t, out.String(), "bob")
		require.NotContains(t, out.String(), "secret hash")
		for _, part := range []string{
			`words of alice`, `question of alice`, `thanks from alice`, `phone of alice`, `why, alice`, `proposed by alice`, `t of alice`, `row of alice`,
			`[["row of alice"],["+Inf"],[["NaN",{"a":1}]],[null]]`, `"2026-11-20"`, `long output of alice`, `"state":{"of":"alice"}`,
		} {
			require.True(t, strings.Contains(out.String(), part), part)
		}
		rows, names := int64(0), int64(0)
		for _, n := range counts {
			rows, names = rows+n.Rows, names+n.Names
		}
		require.EqualValues(t, ownRows+4, rows, "%+v; four are rows of a result", counts)
		require.EqualValues(t, othersOf+days, names, "%+v", counts)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		for _, l := range lines {
			require.True(t, json.Valid([]byte(l)), l)
		}
		require.Contains(t, lines[len(lines)-1], `"end":true`)

		counts, err = people.Delete(t.Context(), "alice")
		require.NoError(t, err)
		rows, names = 0, 0
		for _, n := range counts {
			rows, names = rows+n.Rows, names+n.Names
		}
		require.EqualValues(t, ownRows-1, rows, "%+v; the approved query stays", counts)
		require.EqualValues(t, othersOf+1+days, names, "%+v; and has no name", counts)
		after := whole(all)
		require.NotContains(t, after, "alice", "nothing of any table names the person")
		require.Equal(t, strings.Count(before, "bob"), strings.Count(after, "bob"), "what is of others stays")
		require.Equal(t, 2, strings.Count(after, "how many"), "approved queries are the team's")
		require.NoFileExists(t, filepath.Join(p.config.DataDir, "chatbi", "results", pages["alice"]+".arrow"))
		require.FileExists(t, filepath.Join(p.config.DataDir, "chatbi", "results", pages["bob"]+".arrow"))
		sources, err := source.Open(p.config.DataDir)
		require.NoError(t, err)
		g, err := sources.Current("shop")
		require.NoError(t, err)
		snapshot, err := g.Stored()
		require.NoError(t, err)
		require.Equal(t, []catalog.Use{{Day: "2026-11-21", User: "bob", Queries: 4}, {Day: "2026-11-20", Queries: 4}, {Day: "2026-11-19", Queries: 2}}, snapshot.Tables[0].Usage.Uses,
			"the queries are counted still, as nobody's")

		// Again: there is nothing more, and nothing is made anew.
		counts, err = people.Delete(t.Context(), "alice")
		require.NoError(t, err)
		for _, n := range counts {
			require.Zero(t, n.Rows+n.Names, "%+v", n)
		}
		again, err := sources.Current("shop")
		require.NoError(t, err)
		require.Equal(t, g.Generation, again.Generation)
	})
}

// history makes a source whose tables people queried.
func history(t *testing.T, dir string) {
	t.Helper()
	sources, err := source.Open(dir)
	require.NoError(t, err)
	_, err = sources.Make(t.Context(), "shop", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineDuckDB}, &catalog.Snapshot{Tables: []catalog.Table{{
			Name: catalog.Name{Region: "shop", Schema: "main", Table: "orders"},
			Usage: &catalog.Usage{Uses: []catalog.Use{
				{Day: "2026-11-21", User: "bob", Queries: 4}, {Day: "2026-11-20", User: "Alice", Queries: 3}, {Day: "2026-11-20", Queries: 1}, {Day: "2026-11-19", User: "alice", Queries: 2},
			}},
		}}}, nil
	})
	require.NoError(t, err)
}

// packed adds a tool call whose output is stored packed.
func packed(t *testing.T, all []storage) {
	t.Helper()
	packer, err := coding.NewPacker()
	require.NoError(t, err)
	defer packer.Close()
	output, code := packer.Pack([]byte("long output of alice " + strings.Repeat("and so on ", 500)))
	require.Equal(t, coding.Zstd, code)
	for _, s := range all {
		if s.name == "sessions" {
			s.exec(`INSERT INTO tool_calls (id, session_id, chat_id, run_id, tool_name, agent_name, arguments, source_id, next_id, status, started_at, ended_at, output_type, output, output_coding, error, error_reason)
				VALUES ('call_2', 'ses_alice', 'main', 'run_alice', 'tool', 'agent', ?, '', '', 'succeeded', 1, 1, 'x', ?, 'zstd', '', '')`, []byte("{}"), output)
		}
	}
}

// whole is the text of all that is in the stores.
func whole(all []storage) string {
	var b strings.Builder
	for _, s := range all {
		for table := range s.list() {
			for _, row := range s.rows(`SELECT * FROM "` + table + `"`) {
				for _, v := range row {
					if raw, ok := v.([]byte); ok {
						v = string(raw)
					}
					fmt.Fprintf(&b, "%v\t", v)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// TestADeletedPersonIsOut deletes the data of somebody with a good token, while a process has
// read it, and looks whether the process hears of it.
func TestADeletedPersonIsOut(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, make func(*testing.T) place) {
		p := make(t)
		tokens := p.tokens(t)
		_, secret, err := tokenstore.Tokens{Store: tokens, Clock: time.Now, Most: 5}.Create(t.Context(), tokenstore.Token{Principal: "alice"}, time.Hour)
		require.NoError(t, err)
		_, before, err := tokens.Load(t.Context(), "")
		require.NoError(t, err)
		s := p.sessions(t)
		turn(t, s, 1)
		require.NoError(t, s.Close())

		people := state.People{Config: p.config, Database: p.db, Clock: time.Now}
		_, err = people.Delete(t.Context(), "alice")
		require.NoError(t, err)
		_, after, err := tokens.Load(t.Context(), before)
		require.NoError(t, err)
		require.NotEqual(t, before, after, "other processes read the tokens again")
		edge := auth.OpenTokens(tokens, auth.TokenOptions{})
		_, err = edge.Authenticate(map[string][]string{auth.KeyAuthorization: {"Bearer " + secret}})
		require.Error(t, err)
		require.NoError(t, tokens.Close())
		s = p.sessions(t)
		_, _, err = s.Messages(t.Context(), alice, "ses_0001", "", store.Page{Size: 10})
		require.Error(t, err)
		require.NoError(t, s.Close())
	})
}

func TestPeopleRefuse(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	people := state.People{Config: p.config, Clock: time.Now}
	_, err := people.Delete(t.Context(), " ")
	require.Equal(t, "PRINCIPAL_MISSING", fault.ReasonOf(err))
	_, err = people.Export(t.Context(), "", io.Discard)
	require.Equal(t, "PRINCIPAL_MISSING", fault.ReasonOf(err))

	counts, err := people.Export(t.Context(), "alice", io.Discard)
	require.NoError(t, err, "nothing is kept yet")
	require.Empty(t, slices.DeleteFunc(counts, func(c state.PersonCount) bool { return c.Rows+c.Names == 0 }))
	entries, err := os.ReadDir(p.config.DataDir)
	require.NoError(t, err)
	require.Empty(t, entries, "and nothing is made")

	full := errors.New("full")
	_, err = people.Export(t.Context(), "alice", writerOf(func([]byte) (int, error) { return 0, full }))
	require.ErrorIs(t, err, full)

	// A store of another version is not half understood.
	file := knowledge.SessionsFile(p.config.DataDir)
	made := lazy.New(file)
	db, err := made.Open(t.Context(), true)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO sessions VALUES ('alice', 'main', '{}', 1)`)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `UPDATE goose_db_version SET version_id = 0`)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)`)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `CREATE TABLE compatibility (oldest INTEGER); INSERT INTO compatibility VALUES (1)`)
	require.NoError(t, err)
	require.NoError(t, made.Close())
	_, err = people.Delete(t.Context(), "alice")
	require.Equal(t, "STORE_TOO_NEW", fault.ReasonOf(err), "%v", err)
}

type writerOf func([]byte) (int, error)

func (w writerOf) Write(p []byte) (int, error) { return w(p) }

// TestWhatAServerHasNotWrittenDownIsExportedAndDeleted: the newest turns, which a server that is
// at work keeps as steps, are the person's as all others.
func TestWhatAServerHasNotWrittenDownIsExportedAndDeleted(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	serving := p.sessions(t)
	t.Cleanup(func() { require.NoError(t, serving.Close()) })
	bob := run.Principal{ID: "bob"}
	for _, who := range []run.Principal{alice, bob} {
		id := "ses_of_" + who.ID
		require.NoError(t, serving.Commit(t.Context(), who, store.FirstLock(id, time.Now().Add(time.Hour)), store.Changes{Open: &store.Session{ID: id},
			Messages: []store.Message{{ChatID: "main", Role: store.RoleUser, Content: "asked by " + who.ID}}, Unlock: true}))
	}
	people := state.People{Config: p.config, Clock: time.Now}
	var out strings.Builder
	_, err := people.Export(t.Context(), "alice", &out)
	require.NoError(t, err)
	require.Contains(t, out.String(), `"content":"asked by alice"`)
	require.NotContains(t, out.String(), "bob")
	_, err = people.Delete(t.Context(), "alice")
	require.NoError(t, err)
	left, _, err := serving.Sessions(t.Context(), alice, store.Page{Size: 10})
	require.NoError(t, err)
	require.Empty(t, left)
	left, _, err = serving.Sessions(t.Context(), bob, store.Page{Size: 10})
	require.NoError(t, err)
	require.Len(t, left, 1)
}
