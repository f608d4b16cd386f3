// Package schema tells versions of SQLite files: which one a file has, which one a program
// knows, and whether they suit each other; and brings a file up to date where several
// processes may open it at once.
package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
)

// compatibility is a table that migrations make and keep where a program of an earlier version
// may work with what they made: its column "oldest" is the oldest version that may.
const compatibility = "compatibility"

// Migration is one file of goose's SQL.
type Migration struct {
	Version int64
	Name    string
}

// Migrations lists the files of the folder "migrations", the oldest first.
func Migrations(files fs.FS) ([]Migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var list []Migration
	for _, name := range names {
		digits, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the migration %s has no number: %w", name, err)
		}
		list = append(list, Migration{Version: version, Name: strings.TrimSuffix(path.Base(name), ".sql")})
	}
	slices.SortFunc(list, func(a, b Migration) int { return int(a.Version - b.Version) })
	return list, nil
}

// Newest is the version that a program with these migrations knows, 0 where there are none.
func Newest(files fs.FS) (int64, error) {
	list, err := Migrations(files)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[len(list)-1].Version, nil
}

// Version is the version of a file, 0 for an empty one.
func Version(ctx context.Context, db *sql.DB) (int64, error) {
	there, err := has(ctx, db, goose.DefaultTablename)
	if err != nil || !there {
		return 0, err
	}
	var version sql.NullInt64
	err = db.QueryRowContext(ctx, `SELECT max(version_id) FROM `+goose.DefaultTablename+` WHERE is_applied`).Scan(&version)
	return version.Int64, err
}

// Check says whether a program that knows a version can work with a file that has another one:
// an earlier one it can bring up to date; of a later one the migrations that made it tell.
func Check(ctx context.Context, db *sql.DB, file string, have, known int64) error {
	if have <= known {
		return nil
	}
	oldest := have
	there, err := has(ctx, db, compatibility)
	if err == nil && there {
		err = db.QueryRowContext(ctx, `SELECT coalesce(max(oldest), ?) FROM `+compatibility, have).Scan(&oldest)
	}
	if err != nil || oldest <= known {
		return err
	}
	return fault.New(codes.FailedPrecondition, store.ReasonTooNew, fmt.Sprintf(
		"The store %s was written by a newer dibrain (schema %d, usable from %d on; this one knows %d). Use that version, or another data directory with --data-dir.",
		file, have, oldest, known))
}

// lockName is a file beside the database that one process holds while it migrates.
const lockName = "migrate.lock"

// Up brings a file to the newest version of the migrations in the folder "migrations". The
// version is read first, because a start that finds nothing to do should cost nothing. Of
// several processes one migrates, the others wait until ctx ends.
func Up(ctx context.Context, db *sql.DB, migrations fs.FS, file string) error {
	known, err := Newest(migrations)
	if err != nil {
		return err
	}
	if known == 0 {
		return errors.New("there are no migrations")
	}
	have, err := Version(ctx, db)
	if err != nil || have == known {
		return err
	}
	if have > known {
		return Check(ctx, db, file, have, known)
	}
	lock := flock.New(filepath.Join(filepath.Dir(file), lockName))
	if _, err := lock.TryLockContext(ctx, retryPause); err != nil {
		return fmt.Errorf("wait for another process that migrates: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func has(ctx context.Context, db *sql.DB, table string) (bool, error) {
	var tables int
	err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?`, table).Scan(&tables)
	return tables > 0, err
}
