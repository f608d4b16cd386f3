package knowledge

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/lazy"
	"github.com/dibrain/dibrain/pkg/store/small"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed postgres/migrations/*.sql
var postgresMigrations embed.FS

// postgresVersion is the number of the newest file in postgres/migrations.
const postgresVersion = 1

// prefix begins the names of the tables in PostgreSQL.
const prefix = "knowledge_"

// sessions keeps what the expert remembers, in a SQLite file that the first turn makes, or
// in PostgreSQL for several processes. A session belongs to who began it: the same id of
// somebody else is another session.
type sessions struct {
	tables small.Store
	most   int
	keep   time.Duration
	clock  func() time.Time
}

// SessionTables are those of the expert's sessions in either kind of store.
func SessionTables(dataDir string) (small.Tables, error) {
	schema, err := small.PostgresSchema("expert's sessions", prefix, postgresMigrations, postgresVersion, "sessions")
	return small.Tables{File: SessionsFile(dataDir), Schema: schema, Prefix: prefix}, err
}

// SessionsFile is the store of the expert's sessions in a data directory.
func SessionsFile(dataDir string) lazy.Config {
	return lazy.Config{
		Path: filepath.Join(dataDir, "knowledge", "expert.db"), Migrations: migrations, Reason: "EXPERT_SESSIONS_UNAVAILABLE",
		Message: "The expert's sessions cannot be used: check the data directory's rights and free space, or move the file away to begin anew.",
	}
}

// load returns what is remembered; nothing of a session that there is not, or no more.
func (s *sessions) load(ctx context.Context, owner, id string) (m memory, err error) {
	err = s.tables.Read(ctx, "read a session of the expert", func(ctx context.Context, q small.Querier) error {
		m = memory{}
		var raw string
		ok, err := q.First(ctx, `SELECT memory FROM {sessions} WHERE owner = $1 AND id = $2 AND updated_at > $3`,
			[]any{owner, id, store.Nanos(s.clock().Add(-s.keep))}, &raw)
		if err != nil || !ok {
			return err
		}
		return json.Unmarshal([]byte(raw), &m)
	})
	if err != nil {
		return memory{}, err
	}
	return m, nil
}

// save stores what is remembered. The person's oldest sessions make room, and so do
// those of everybody that are no longer kept.
func (s *sessions) save(ctx context.Context, owner, id string, m memory) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("store a session of the expert: %w", err)
	}
	now := s.clock()
	return s.tables.Write(ctx, "store a session of the expert", func(ctx context.Context, tx small.Tx) error {
		if err := tx.Lock(ctx, fmt.Sprintf("person %q", owner)); err != nil { // two that make room at once would keep more
			return err
		}
		if err := tx.Exec(ctx, `INSERT INTO {sessions} (owner, id, memory, updated_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (owner, id) DO UPDATE SET memory = excluded.memory, updated_at = excluded.updated_at`, owner, id, string(raw), store.Nanos(now)); err != nil {
			return err
		}
		if err := tx.Exec(ctx, `DELETE FROM {sessions} WHERE updated_at <= $1`, store.Nanos(now.Add(-s.keep))); err != nil {
			return err
		}
		return tx.Exec(ctx, `DELETE FROM {sessions} WHERE owner = $1 AND id NOT IN
			(SELECT id FROM {sessions} WHERE owner = $1 ORDER BY updated_at DESC, id LIMIT $2)`, owner, s.most)
	})
}

func (s *sessions) close() error { return s.tables.Close() }
