package analysis

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
)

//go:embed postgres/migrations/*.sql
var postgresMigrations embed.FS

// postgresVersion is the number of the newest file in postgres/migrations.
const postgresVersion = 2

// PostgresStore keeps analyses in a PostgreSQL database, for services that share the
// work. Leases go by the clocks of their machines; a clock that is wrong lets an analysis
// be taken up too early at worst, and whoever had it then finds its revision gone.
type PostgresStore struct{ db *postgres.Database }

// PostgresSchema is the tables of the store in PostgreSQL.
func PostgresSchema() (postgres.Schema, error) {
	files, err := fs.Sub(postgresMigrations, "postgres")
	if err != nil {
		return postgres.Schema{}, fmt.Errorf("analysis: %w", err)
	}
	return postgres.Schema{
		Of: "analyses", Tables: []string{"analyses", "watches"}, Migrations: files, Version: postgresVersion,
		Versions: "analyses_version", Compatibility: "analyses_compatibility",
	}, nil
}

// OpenPostgres returns the store of a database and makes its tables. One that is away is
// tried again by each call.
func OpenPostgres(ctx context.Context, config postgres.Config) (*PostgresStore, error) {
	schema, err := PostgresSchema()
	if err != nil {
		return nil, err
	}
	db, err := postgres.OpenDatabase(ctx, config, schema)
	if err != nil {
		return nil, err
	}
	return &PostgresStore{db: db}, nil
}

// Create implements Store. Of two that add at once for one owner the second waits for
// the first, so that both together keep to the bound.
func (s *PostgresStore) Create(ctx context.Context, r Record, most int) error {
	return s.db.Write(ctx, "add an analysis", func(ctx context.Context, tx pgx.Tx) error {
		owner := postgres.Storable(r.Owner)
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('dibrain analyses of ' || $1::text, 0))`, owner); err != nil {
			return err
		}
		var unfinished int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM analyses WHERE owner = $1 AND status IN `+openStates, owner).Scan(&unfinished); err != nil {
			return err
		}
		if unfinished >= most {
			return ErrFull
		}
		if _, err := tx.Exec(ctx, `DELETE FROM analyses WHERE owner = $1 AND status NOT IN `+openStates+` AND id NOT IN
			(SELECT id FROM analyses WHERE owner = $1 AND status NOT IN `+openStates+` ORDER BY created_at DESC, id LIMIT $2)`, owner, most-1-unfinished); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO analyses (id, owner, title, status, revision, runner, lease_until, created_at, updated_at, state)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			r.ID, owner, postgres.Storable(r.Title), string(r.Status), r.Revision, r.Runner,
			store.Nanos(r.LeaseUntil), store.Nanos(r.Created), store.Nanos(r.Updated), r.State)
		return err
	})
}

// Get implements Store.
func (s *PostgresStore) Get(ctx context.Context, owner, id string) (r Record, err error) {
	err = s.db.Read(ctx, "read an analysis", func(ctx context.Context, q postgres.Querier) error {
		r, err = scan(q.QueryRow(ctx, `SELECT `+columns+`, state FROM analyses WHERE owner = $1 AND id = $2`,
			postgres.Storable(owner), postgres.Storable(id)), func(r *Record) any { return &r.State })
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrUnknown
		}
		return err
	})
	return r, err
}

// Revision implements Store.
func (s *PostgresStore) Revision(ctx context.Context, owner, id string) (revision int64, err error) {
	err = s.db.Read(ctx, "read an analysis's revision", func(ctx context.Context, q postgres.Querier) error {
		err := q.QueryRow(ctx, `SELECT revision FROM analyses WHERE owner = $1 AND id = $2`, postgres.Storable(owner), postgres.Storable(id)).Scan(&revision)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrUnknown
		}
		return err
	})
	return revision, err
}

// Save implements Store.
func (s *PostgresStore) Save(ctx context.Context, r Record) (int64, error) {
	err := s.db.Write(ctx, "store an analysis", func(ctx context.Context, tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `UPDATE analyses SET status = $1, revision = revision + 1, runner = $2, lease_until = $3, updated_at = $4, state = $5
			WHERE id = $6 AND owner = $7 AND revision = $8`,
			string(r.Status), r.Runner, store.Nanos(r.LeaseUntil), store.Nanos(r.Updated), r.State, r.ID, postgres.Storable(r.Owner), r.Revision)
		if err == nil && done.RowsAffected() == 0 {
			err = ErrChanged
		}
		return err
	})
	if err != nil {
		return r.Revision, err
	}
	return r.Revision + 1, nil
}

// Extend implements Store.
func (s *PostgresStore) Extend(ctx context.Context, id, runner string, until time.Time) error {
	return s.db.Write(ctx, "renew a lease", func(ctx context.Context, tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `UPDATE analyses SET lease_until = $1 WHERE id = $2 AND runner = $3 AND status = 'running'`, store.Nanos(until), id, runner)
		if err == nil && done.RowsAffected() == 0 {
			err = ErrChanged
		}
		return err
	})
}

// List implements Store.
func (s *PostgresStore) List(ctx context.Context, owner string, after store.Cursor, limit int) (found []Record, err error) {
	where, args := ``, []any{postgres.Storable(owner), limit}
	if after.ID != "" {
		where = ` AND (created_at < $3 OR created_at = $3 AND id > $4)`
		args = append(args, after.At, postgres.Storable(after.ID))
	}
	err = s.db.Read(ctx, "list analyses", func(ctx context.Context, q postgres.Querier) error {
		rows, err := q.Query(ctx, `SELECT `+columns+` FROM analyses WHERE owner = $1`+where+` ORDER BY created_at DESC, id LIMIT $2`, args...)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Record, error) { return scan(row) })
		return err
	})
	return found, err
}

// Ready says whether the database can be reached.
func (s *PostgresStore) Ready(ctx context.Context) error { return s.db.Ready(ctx) }

// Close implements Store.
func (s *PostgresStore) Close() error { return s.db.Close() }
