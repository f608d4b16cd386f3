package knowledge

import (
	"context"
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/lazy"
)

//go:embed migrations/*.sql
var migrations embed.FS

// sessions keeps what the expert remembers, in a SQLite file that the first turn
// makes. A session belongs to who began it: the same id of somebody else is another
// session.
type sessions struct {
	file  *lazy.File
	most  int
	keep  time.Duration
	clock func() time.Time
}

func newSessions(dataDir string, most int, keep time.Duration, clock func() time.Time) *sessions {
	return &sessions{most: most, keep: keep, clock: clock, file: lazy.New(SessionsFile(dataDir))}
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
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return m, err
	}
	var raw string
	err = db.QueryRowContext(ctx, `SELECT memory FROM sessions WHERE owner = ? AND id = ? AND updated_at > ?`,
		owner, id, store.Nanos(s.clock().Add(-s.keep))).Scan(&raw)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return m, nil
	case err != nil:
		return m, s.file.Fault("read", err)
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		return m, s.file.Fault("read", err)
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
	return s.file.Change(ctx, true, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO sessions (owner, id, memory, updated_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (owner, id) DO UPDATE SET memory = excluded.memory, updated_at = excluded.updated_at`, owner, id, string(raw), store.Nanos(now)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE updated_at <= ?`, store.Nanos(now.Add(-s.keep))); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE owner = ? AND id NOT IN
			(SELECT id FROM sessions WHERE owner = ? ORDER BY updated_at DESC, id LIMIT ?)`, owner, owner, s.most)
		return err
	})
}

func (s *sessions) close() error { return s.file.Close() }
