package analysis

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"path/filepath"
	"time"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/lazy"
)

//go:embed migrations/*.sql
var migrations embed.FS

// sqliteStore keeps analyses in DATA_DIR/analysis/analyses.db, which the first one makes.
type sqliteStore struct{ file *lazy.File }

// OpenSQLite returns the store of a data directory; it opens nothing yet.
func OpenSQLite(dataDir string) Store {
	return &sqliteStore{file: lazy.New(SQLiteFile(dataDir))}
}

// SQLiteFile is the store of analyses of a data directory.
func SQLiteFile(dataDir string) lazy.Config {
	return lazy.Config{
		Path: filepath.Join(dataDir, "analysis", "analyses.db"), Migrations: migrations, Reason: "ANALYSES_UNAVAILABLE",
		Message: "The store of analyses cannot be used: check the data directory's rights and free space, or move the file away to begin anew.",
	}
}

func (s *sqliteStore) Create(ctx context.Context, r Record, most int) error {
	full := false
	err := s.file.Change(ctx, true, func(tx *sql.Tx) error {
		var unfinished int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM analyses WHERE owner = ? AND status IN `+openStates, r.Owner).Scan(&unfinished); err != nil {
			return err
		}
		if full = unfinished >= most; full {
			return nil
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM analyses WHERE owner = ? AND status NOT IN `+openStates+` AND id NOT IN
			(SELECT id FROM analyses WHERE owner = ? AND status NOT IN `+openStates+` ORDER BY created_at DESC, id LIMIT ?)`, r.Owner, r.Owner, most-1-unfinished); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO analyses (id, owner, title, status, revision, runner, lease_until, created_at, updated_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.ID, r.Owner, r.Title, string(r.Status), r.Revision, r.Runner, store.Nanos(r.LeaseUntil), store.Nanos(r.Created), store.Nanos(r.Updated), r.State)
		return err
	})
	if err == nil && full {
		return ErrFull
	}
	return err
}

func (s *sqliteStore) Get(ctx context.Context, owner, id string) (Record, error) {
	db, err := s.file.Open(ctx, false)
	if err != nil {
		return Record{}, err
	}
	if db == nil {
		return Record{}, ErrUnknown
	}
	r, err := scan(db.QueryRowContext(ctx, `SELECT `+columns+`, state FROM analyses WHERE owner = ? AND id = ?`, owner, id), func(r *Record) any { return &r.State })
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Record{}, ErrUnknown
	case err != nil:
		return Record{}, s.file.Fault("read", err)
	}
	return r, nil
}

func (s *sqliteStore) Revision(ctx context.Context, owner, id string) (revision int64, err error) {
	db, err := s.file.Open(ctx, false)
	if err != nil {
		return 0, err
	}
	if db == nil {
		return 0, ErrUnknown
	}
	err = db.QueryRowContext(ctx, `SELECT revision FROM analyses WHERE owner = ? AND id = ?`, owner, id).Scan(&revision)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, ErrUnknown
	case err != nil:
		return 0, s.file.Fault("read", err)
	}
	return revision, nil
}

func (s *sqliteStore) Save(ctx context.Context, r Record) (int64, error) {
	changed := int64(0)
	err := s.file.Change(ctx, false, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE analyses SET status = ?, revision = revision + 1, runner = ?, lease_until = ?, updated_at = ?, state = ? WHERE id = ? AND owner = ? AND revision = ?`,
			string(r.Status), r.Runner, store.Nanos(r.LeaseUntil), store.Nanos(r.Updated), r.State, r.ID, r.Owner, r.Revision)
		if err != nil {
			return err
		}
		changed, err = done.RowsAffected()
		return err
	})
	if err == nil && changed == 0 {
		return r.Revision, ErrChanged
	}
	return r.Revision + 1, err
}

func (s *sqliteStore) Extend(ctx context.Context, id, runner string, until time.Time) error {
	changed := int64(0)
	err := s.file.Change(ctx, false, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE analyses SET lease_until = ? WHERE id = ? AND runner = ? AND status = 'running'`, store.Nanos(until), id, runner)
		if err != nil {
			return err
		}
		changed, err = done.RowsAffected()
		return err
	})
	if err == nil && changed == 0 {
		return ErrChanged
	}
	return err
}

func (s *sqliteStore) List(ctx context.Context, owner string, after store.Cursor, limit int) (found []Record, err error) {
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	where, args := ``, []any{owner}
	if after.ID != "" {
		where = ` AND (created_at < ? OR created_at = ? AND id > ?)`
		args = append(args, after.At, after.At, after.ID)
	}
	rows, err := db.QueryContext(ctx, `SELECT `+columns+` FROM analyses WHERE owner = ?`+where+` ORDER BY created_at DESC, id LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, s.file.Fault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, s.file.Fault("read", err)
		}
		found = append(found, r)
	}
	if err := rows.Err(); err != nil {
		return nil, s.file.Fault("read", err)
	}
	return found, nil
}

func (s *sqliteStore) Close() error { return s.file.Close() }
