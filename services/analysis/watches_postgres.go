package analysis

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/services/analysis/watch"
)

// CreateWatch implements watch.Store. Of two that add at once for one owner the second
// waits for the first, so that both together keep to the bound.
func (s *PostgresStore) CreateWatch(ctx context.Context, r watch.Record, most int) error {
	return s.db.Write(ctx, "add a watch", func(ctx context.Context, tx pgx.Tx) error {
		owner, name := postgres.Storable(r.Owner), postgres.Storable(r.Name)
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('dibrain watches of ' || $1::text, 0))`, owner); err != nil {
			return err
		}
		var have, same int
		if err := tx.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE name = $2) FROM watches WHERE owner = $1`, owner, name).Scan(&have, &same); err != nil {
			return err
		}
		switch {
		case same > 0:
			return watch.ErrExists
		case have >= most:
			return watch.ErrFull
		}
		_, err := tx.Exec(ctx, `INSERT INTO watches (`+watchColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			r.ID, owner, name, string(r.Status), r.Revision, store.Nanos(r.Due), r.Runner, store.Nanos(r.LeaseUntil), store.Nanos(r.Created), store.Nanos(r.Updated), r.State)
		return err
	})
}

// GetWatch implements watch.Store.
func (s *PostgresStore) GetWatch(ctx context.Context, owner, idOrName string) (r watch.Record, err error) {
	err = s.db.Read(ctx, "read a watch", func(ctx context.Context, q postgres.Querier) error {
		r, err = scanWatch(q.QueryRow(ctx, `SELECT `+watchColumns+` FROM watches WHERE owner = $1 AND (id = $2 OR name = $2) ORDER BY (id = $2) DESC LIMIT 1`,
			postgres.Storable(owner), postgres.Storable(idOrName)))
		if errors.Is(err, pgx.ErrNoRows) {
			return watch.ErrUnknown
		}
		return err
	})
	return r, err
}

// changeWatch does a statement that has to find its row; otherwise says what it means where
// it does not.
func (s *PostgresStore) changeWatch(ctx context.Context, doing string, otherwise error, statement string, args ...any) error {
	return s.db.Write(ctx, doing, func(ctx context.Context, tx pgx.Tx) error {
		done, err := tx.Exec(ctx, statement, args...)
		if err == nil && done.RowsAffected() == 0 {
			err = otherwise
		}
		return err
	})
}

// SaveWatch implements watch.Store.
func (s *PostgresStore) SaveWatch(ctx context.Context, r watch.Record) (int64, error) {
	err := s.changeWatch(ctx, "store a watch", watch.ErrChanged, `UPDATE watches SET status = $1, revision = revision + 1, due_at = $2, runner = $3, lease_until = $4, updated_at = $5, state = $6
		WHERE id = $7 AND owner = $8 AND revision = $9`,
		string(r.Status), store.Nanos(r.Due), r.Runner, store.Nanos(r.LeaseUntil), store.Nanos(r.Updated), r.State, r.ID, postgres.Storable(r.Owner), r.Revision)
	if err != nil {
		return r.Revision, err
	}
	return r.Revision + 1, nil
}

// ExtendWatch implements watch.Store.
func (s *PostgresStore) ExtendWatch(ctx context.Context, id, runner string, until time.Time) error {
	return s.changeWatch(ctx, "renew the lease of a watch", watch.ErrChanged, `UPDATE watches SET lease_until = $1 WHERE id = $2 AND runner = $3`, store.Nanos(until), id, runner)
}

// DeleteWatch implements watch.Store.
func (s *PostgresStore) DeleteWatch(ctx context.Context, owner, id string) error {
	return s.changeWatch(ctx, "remove a watch", watch.ErrUnknown, `DELETE FROM watches WHERE owner = $1 AND id = $2`, postgres.Storable(owner), postgres.Storable(id))
}

// ListWatches implements watch.Store.
func (s *PostgresStore) ListWatches(ctx context.Context, owner string) ([]watch.Record, error) {
	return s.watches(ctx, `WHERE owner = $1 ORDER BY name`, postgres.Storable(owner))
}

// DueWatches implements watch.Store.
func (s *PostgresStore) DueWatches(ctx context.Context, now time.Time, limit int) ([]watch.Record, error) {
	return s.watches(ctx, `WHERE status = 'active' AND due_at > 0 AND due_at <= $1 AND (runner = '' OR lease_until < $1) ORDER BY due_at, id LIMIT $2`, store.Nanos(now), limit)
}

func (s *PostgresStore) watches(ctx context.Context, where string, args ...any) (found []watch.Record, err error) {
	err = s.db.Read(ctx, "list watches", func(ctx context.Context, q postgres.Querier) error {
		rows, err := q.Query(ctx, `SELECT `+watchColumns+` FROM watches `+where, args...)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (watch.Record, error) { return scanWatch(row) })
		return err
	})
	return found, err
}
