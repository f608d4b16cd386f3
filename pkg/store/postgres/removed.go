package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// removedBy tells of something of the principal's when and by which rule it was removed;
// what is not known of is unknown.
func removedBy(ctx context.Context, q querier, p run.Principal, id string, found func(nanos int64, rule string) error, unknown error) error {
	var nanos int64
	var rule string
	err := q.QueryRow(ctx, `SELECT removed_at, rule FROM removed WHERE id = $1 AND principal = $2`, storables(id, p.ID)...).Scan(&nanos, &rule)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return unknown
	case err != nil:
		return err
	}
	return found(nanos, rule)
}

func sessionUnknown(ctx context.Context, q querier, p run.Principal, id string) error {
	return removedBy(ctx, q, p, id, func(nanos int64, rule string) error {
		return store.SessionRemoved(id, store.FromNanos(nanos), rule)
	}, store.SessionUnknown(id))
}

func runUnknown(ctx context.Context, q querier, p run.Principal, id string) error {
	return removedBy(ctx, q, p, id, func(nanos int64, rule string) error {
		return store.RunRemoved(id, store.FromNanos(nanos), rule)
	}, store.RunUnknown(id))
}
