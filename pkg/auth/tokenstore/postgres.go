package tokenstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
)

//go:embed postgres/migrations/*.sql
var postgresMigrations embed.FS

// postgresVersion is the number of the newest file in postgres/migrations.
const postgresVersion = 1

// postgresText is a text as both stores hold it.
func postgresText(s string) string { return postgres.Storable(s) }

type postgresStore struct{ db *postgres.Database }

// Schema is the tables of the store in PostgreSQL.
func Schema() (postgres.Schema, error) {
	files, err := fs.Sub(postgresMigrations, "postgres")
	if err != nil {
		return postgres.Schema{}, fmt.Errorf("tokens: %w", err)
	}
	return postgres.Schema{
		Of: "API tokens", Tables: []string{"api_tokens"}, Migrations: files, Version: postgresVersion, Versions: "api_tokens_version", Compatibility: "api_tokens_compatibility",
	}, nil
}

// OpenPostgres returns the store of a database and makes its tables. One that is away is tried
// again by each call.
func OpenPostgres(ctx context.Context, config postgres.Config) (Store, error) {
	schema, err := Schema()
	if err != nil {
		return nil, err
	}
	db, err := postgres.OpenDatabase(ctx, config, schema)
	if err != nil {
		return nil, err
	}
	return &postgresStore{db: db}, nil
}

func (s *postgresStore) Load(ctx context.Context, since string) (list []auth.Entry, revision string, err error) {
	err = s.db.Read(ctx, "read API tokens", func(ctx context.Context, q postgres.Querier) error {
		var now int64
		if err := q.QueryRow(ctx, `SELECT revision FROM api_tokens_revision`).Scan(&now); err != nil {
			return err
		}
		if revision = strconv.FormatInt(now, 10); revision == since {
			list = nil
			return nil
		}
		// What is added between the two is read already, and once more the next time.
		tokens, err := read(q.Query(ctx, `SELECT `+columns+` FROM api_tokens WHERE revoked_at = 0`))
		list = entries(tokens)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return list, revision, nil
}

func read(rows pgx.Rows, err error) ([]Token, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Token, error) { return scan(row) })
}

func (s *postgresStore) add(ctx context.Context, t Token, most int, now, old, until time.Time) error {
	return s.db.Write(ctx, "add an API token", func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, countChange); err != nil { // first: whoever else adds waits for it, and counts after it
			return err
		}
		if t.Replaces != "" {
			done, err := tx.Exec(ctx, `UPDATE api_tokens SET expires_at = least(expires_at, $1) WHERE id = $2 AND revoked_at = 0 AND expires_at > $3`, store.Nanos(until), t.Replaces, store.Nanos(now))
			if err != nil {
				return err
			}
			if done.RowsAffected() == 0 {
				return unknown(t.Replaces)
			}
		}
		var good int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM api_tokens WHERE revoked_at = 0 AND expires_at > $1`, store.Nanos(now)).Scan(&good); err != nil {
			return err
		}
		if good >= most {
			return full(most)
		}
		if _, err := tx.Exec(ctx, `DELETE FROM api_tokens WHERE expires_at < $1 OR revoked_at > 0 AND revoked_at < $1`, store.Nanos(old)); err != nil {
			return err
		}
		values, err := t.values()
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO api_tokens (`+columns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, values...)
		return err
	})
}

func (s *postgresStore) get(ctx context.Context, id string) (t Token, err error) {
	err = s.db.Read(ctx, "read an API token", func(ctx context.Context, q postgres.Querier) error {
		t, err = scan(q.QueryRow(ctx, `SELECT `+columns+` FROM api_tokens WHERE id = $1`, postgresText(id)))
		if errors.Is(err, pgx.ErrNoRows) {
			return unknown(id)
		}
		return err
	})
	return t, err
}

func (s *postgresStore) list(ctx context.Context, principal string, limit int) (list []Token, err error) {
	err = s.db.Read(ctx, "list API tokens", func(ctx context.Context, q postgres.Querier) error {
		list, err = read(q.Query(ctx, `SELECT `+columns+` FROM api_tokens WHERE $1::text = '' OR principal = $1 ORDER BY created_at DESC, id LIMIT $2`, postgresText(principal), limit))
		return err
	})
	return list, err
}

func (s *postgresStore) revoke(ctx context.Context, id, principal string, now time.Time) (changed int64, _ error) {
	err := s.db.Write(ctx, "revoke API tokens", func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, countChange); err != nil {
			return err
		}
		done, err := tx.Exec(ctx, `UPDATE api_tokens SET revoked_at = $1 WHERE (id = $2 OR principal = $3 AND $3 <> '') AND revoked_at = 0 AND expires_at > $1`, store.Nanos(now), postgresText(id), postgresText(principal))
		changed = done.RowsAffected()
		return err
	})
	return changed, err
}

func (s *postgresStore) Close() error { return s.db.Close() }
