package small

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dibrain/dibrain/pkg/store/postgres"
)

// uniqueViolation is PostgreSQL's code (SQLSTATE) of a key that another row has.
const uniqueViolation = "23505"

// maxConnections bounds those of one small store: its statements are short, and few at once.
const maxConnections = 4

// database is a store in PostgreSQL.
type database struct {
	db     *postgres.Database
	prefix string
}

// InPostgres returns a store in the tables of a schema, whose names begin with prefix, and
// makes them. A database that is away is tried again by each call.
func InPostgres(ctx context.Context, c postgres.Config, schema postgres.Schema, prefix string) (Store, error) {
	if c.MaxConnections == 0 || c.MaxConnections > maxConnections {
		c.MaxConnections = maxConnections
	}
	db, err := postgres.OpenDatabase(ctx, c, schema)
	if err != nil {
		return nil, err
	}
	return database{db, prefix}, nil
}

func (d database) Read(ctx context.Context, doing string, do func(context.Context, Querier) error) error {
	return d.db.Read(ctx, doing, func(ctx context.Context, q postgres.Querier) error { return do(ctx, databaseQuerier{q, d.prefix}) })
}

func (d database) Write(ctx context.Context, doing string, do func(context.Context, Tx) error) error {
	return d.db.Write(ctx, doing, func(ctx context.Context, tx pgx.Tx) error { return do(ctx, databaseTx{databaseQuerier{tx, d.prefix}}) })
}

func (d database) Change(ctx context.Context, doing string, do func(context.Context, Tx) error) error {
	return d.Write(ctx, doing, do)
}

func (d database) Ready(ctx context.Context) error { return d.db.Ready(ctx) }

func (d database) Close() error { return d.db.Close() }

type databaseQuerier struct {
	of     postgres.Querier
	prefix string
}

// storables are arguments as PostgreSQL can hold them.
func storables(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		if text, ok := a.(string); ok {
			a = postgres.Storable(text)
		}
		out[i] = a
	}
	return out
}

func (q databaseQuerier) First(ctx context.Context, text string, args []any, into ...any) (bool, error) {
	err := q.of.QueryRow(ctx, statement(text, q.prefix), storables(args)...).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (q databaseQuerier) Each(ctx context.Context, text string, args []any, scan func(Row) error) error {
	rows, err := q.of.Query(ctx, statement(text, q.prefix), storables(args)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

type databaseTx struct{ databaseQuerier }

func (t databaseTx) Exec(ctx context.Context, text string, args ...any) error {
	_, err := t.of.Exec(ctx, statement(text, t.prefix), storables(args)...)
	return err
}

func (t databaseTx) Lock(ctx context.Context, name string) error {
	return t.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('dibrain ' || current_schema() || ' ' || $1::text, 0))`, t.prefix+name)
}

func (databaseTx) Taken(err error) bool {
	var answer *pgconn.PgError
	return errors.As(err, &answer) && answer.Code == uniqueViolation
}
