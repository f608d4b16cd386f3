package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schemaVersion is the number of the newest file in migrations.
const schemaVersion = 1

// SessionSchema is the tables of the router's store.
func SessionSchema() Schema {
	return Schema{
		Of: "sessions", Tables: []string{"sessions", "chats", "messages", "runs", "run_steps", "tool_calls", "feedback", "removed"}, Migrations: migrations, Version: schemaVersion, Versions: goose.DefaultTablename, Compatibility: "compatibility",
	}
}

// migrate brings the schema up to date under an advisory lock, so that of processes
// that start at once one does it. The version is read first: most starts find nothing
// to do.
func (s *database) migrate(ctx context.Context) error {
	config, err := s.lasting()
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // gives the lock up too
	have, err := s.version(ctx, conn)
	if err != nil || have >= s.schema.Version {
		return errors.Join(err, s.suits(ctx, conn, have))
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended('dibrain migrate ' || current_schema(), 0))`); err != nil {
		return fmt.Errorf("wait for another process that migrates: %w", err)
	}
	files, err := fs.Sub(s.schema.Migrations, "migrations")
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*config)
	defer db.Close() //nolint:errcheck // the migrations are committed
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName(s.schema.Versions))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// suits says whether this program can work with a schema of a newer version: the
// migrations that made it tell.
func (s *database) suits(ctx context.Context, conn *pgx.Conn, have int64) error {
	if have <= s.schema.Version {
		return nil
	}
	oldest := have
	if err := conn.QueryRow(ctx, `SELECT max(oldest) FROM `+pgx.Identifier{s.schema.Compatibility}.Sanitize()).Scan(&oldest); err != nil {
		return err
	}
	if oldest <= s.schema.Version {
		s.cfg.Log.InfoContext(ctx, "the store was brought up to date by a newer dibrain, and still serves this one", "schema", have, "known", s.schema.Version)
		return nil
	}
	return fault.New(codes.FailedPrecondition, store.ReasonTooNew, fmt.Sprintf(
		"The store of %s was written by a newer dibrain (schema %d, usable from %d on; this one knows %d). Use that version, or another database.",
		s.schema.Of, have, oldest, s.schema.Version)).ForOperator("%s", place(s.cfg))
}

// version reads the number of the newest migration, 0 where there was none. It looks for the
// table first: a statement that fails would end the transaction that it is in.
func (s *database) version(ctx context.Context, conn *pgx.Conn) (have int64, err error) {
	table, there := pgx.Identifier{s.schema.Versions}.Sanitize(), false
	if err := conn.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, table).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = conn.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM `+table+` WHERE is_applied`).Scan(&have)
	return have, err
}
