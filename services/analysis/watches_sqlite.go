package analysis

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/analysis/watch"
)

const watchColumns = `id, owner, name, status, revision, due_at, runner, lease_until, created_at, updated_at, state`

// scanWatch reads a row of watchColumns.
func scanWatch(row interface{ Scan(...any) error }) (watch.Record, error) {
	var r watch.Record
	var status string
	var due, lease, created, updated int64
	if err := row.Scan(&r.ID, &r.Owner, &r.Name, &status, &r.Revision, &due, &r.Runner, &lease, &created, &updated, &r.State); err != nil {
		return watch.Record{}, err
	}
	r.Status, r.Due, r.LeaseUntil = watch.Status(status), store.FromNanos(due), store.FromNanos(lease)
	r.Created, r.Updated = store.FromNanos(created), store.FromNanos(updated)
	return r, nil
}

// CreateWatch implements watch.Store.
func (s *sqliteStore) CreateWatch(ctx context.Context, r watch.Record, most int) error {
	exists, full := false, false
	err := s.file.Change(ctx, true, func(tx *sql.Tx) error {
		var have, same int
		if err := tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(name = ?), 0) FROM watches WHERE owner = ?`, r.Name, r.Owner).Scan(&have, &same); err != nil {
			return err
		}
		if exists, full = same > 0, have >= most; exists || full {
			return nil
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO watches (`+watchColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.ID, r.Owner, r.Name, string(r.Status), r.Revision, store.Nanos(r.Due), r.Runner, store.Nanos(r.LeaseUntil), store.Nanos(r.Created), store.Nanos(r.Updated), r.State)
		return err
	})
	switch {
	case err != nil:
		return err
	case exists:
		return watch.ErrExists
	case full:
		return watch.ErrFull
	}
	return nil
}

// GetWatch implements watch.Store.
func (s *sqliteStore) GetWatch(ctx context.Context, owner, idOrName string) (watch.Record, error) {
	db, err := s.file.Open(ctx, false)
	if err != nil {
		return watch.Record{}, err
	}
	if db == nil {
		return watch.Record{}, watch.ErrUnknown
	}
	r, err := scanWatch(db.QueryRowContext(ctx, `SELECT `+watchColumns+` FROM watches WHERE owner = ? AND (id = ? OR name = ?) ORDER BY id = ? DESC LIMIT 1`, owner, idOrName, idOrName, idOrName))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return watch.Record{}, watch.ErrUnknown
	case err != nil:
		return watch.Record{}, s.file.Fault("read", err)
	}
	return r, nil
}

// changeWatch does a statement that has to find its row; otherwise says what it means where
// it does not.
func (s *sqliteStore) changeWatch(ctx context.Context, otherwise error, statement string, args ...any) error {
	changed := int64(0)
	err := s.file.Change(ctx, false, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, statement, args...)
		if err != nil {
			return err
		}
		changed, err = done.RowsAffected()
		return err
	})
	if err == nil && changed == 0 {
		return otherwise
	}
	return err
}

// SaveWatch implements watch.Store.
func (s *sqliteStore) SaveWatch(ctx context.Context, r watch.Record) (int64, error) {
	err := s.changeWatch(ctx, watch.ErrChanged, `UPDATE watches SET status = ?, revision = revision + 1, due_at = ?, runner = ?, lease_until = ?, updated_at = ?, state = ? WHERE id = ? AND owner = ? AND revision = ?`,
		string(r.Status), store.Nanos(r.Due), r.Runner, store.Nanos(r.LeaseUntil), store.Nanos(r.Updated), r.State, r.ID, r.Owner, r.Revision)
	if err != nil {
		return r.Revision, err
	}
	return r.Revision + 1, nil
}

// ExtendWatch implements watch.Store.
func (s *sqliteStore) ExtendWatch(ctx context.Context, id, runner string, until time.Time) error {
	return s.changeWatch(ctx, watch.ErrChanged, `UPDATE watches SET lease_until = ? WHERE id = ? AND runner = ?`, store.Nanos(until), id, runner)
}

// DeleteWatch implements watch.Store.
func (s *sqliteStore) DeleteWatch(ctx context.Context, owner, id string) error {
	return s.changeWatch(ctx, watch.ErrUnknown, `DELETE FROM watches WHERE owner = ? AND id = ?`, owner, id)
}

// ListWatches implements watch.Store.
func (s *sqliteStore) ListWatches(ctx context.Context, owner string) ([]watch.Record, error) {
	return s.watches(ctx, `WHERE owner = ? ORDER BY name`, owner)
}

// DueWatches implements watch.Store.
func (s *sqliteStore) DueWatches(ctx context.Context, now time.Time, limit int) ([]watch.Record, error) {
	at := store.Nanos(now)
	return s.watches(ctx, `WHERE status = 'active' AND due_at > 0 AND due_at <= ? AND (runner = '' OR lease_until < ?) ORDER BY due_at, id LIMIT ?`, at, at, limit)
}

func (s *sqliteStore) watches(ctx context.Context, where string, args ...any) (found []watch.Record, err error) {
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT `+watchColumns+` FROM watches `+where, args...)
	if err != nil {
		return nil, s.file.Fault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scanWatch(rows)
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
