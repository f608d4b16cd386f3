// Package small holds small stores of services: in a SQLite file of one data directory, or in
// tables of a PostgreSQL database that several processes share. Statements are written once,
// in the SQL that both take: arguments are $1, $2, names of tables stand in braces ({examples}),
// and in PostgreSQL the service's prefix is put before them.
package small

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dibrain/dibrain/pkg/store/lazy"
	"github.com/dibrain/dibrain/pkg/store/postgres"
)

// Store holds the tables of one service. It may be used concurrently and by several processes.
type Store interface {
	// Read runs do, which only reads; perhaps more than once, each time from the start. Where
	// nothing was ever written do is not called. doing says what for, in errors.
	Read(ctx context.Context, doing string, do func(context.Context, Querier) error) error
	// Write runs do in one transaction, all of it or nothing; perhaps more than once, each time
	// from the start and on what is stored then. Faults of do stay as they are.
	Write(ctx context.Context, doing string, do func(context.Context, Tx) error) error
	// Change is Write where there is something: what was never written has nothing to change.
	Change(ctx context.Context, doing string, do func(context.Context, Tx) error) error
	// Ready says whether the store can be reached.
	Ready(ctx context.Context) error
	Close() error
}

// Row is a row of an answer.
type Row interface{ Scan(into ...any) error }

// Querier asks a store.
type Querier interface {
	// First scans the first row of an answer; ok is false where there is none.
	First(ctx context.Context, text string, args []any, into ...any) (ok bool, err error)
	// Each gives the rows of an answer to scan, and ends with its first error.
	Each(ctx context.Context, text string, args []any, scan func(Row) error) error
}

// Tx is a transaction.
type Tx interface {
	Querier
	// Exec runs a statement.
	Exec(ctx context.Context, text string, args ...any) error
	// Lock lets others that lock the same name wait until the transaction ends: what is read
	// after it is what they have written. In a file each transaction waits for the one before.
	Lock(ctx context.Context, name string) error
	// Taken reports the error of a row whose key another row has.
	Taken(err error) bool
}

// statement is a text with its names of tables.
func statement(text, prefix string) string {
	return strings.NewReplacer("{", prefix, "}", "").Replace(text)
}

// Tables are those of one service, in either kind of store.
type Tables struct {
	File   lazy.Config
	Schema postgres.Schema
	// Prefix begins the names of the tables in PostgreSQL.
	Prefix string
}

// Open opens the tables in a database, or in the file where there is none.
func (t Tables) Open(ctx context.Context, database *postgres.Config) (Store, error) {
	if database == nil {
		return InFile(t.File), nil
	}
	return InPostgres(ctx, *database, t.Schema, t.Prefix)
}

// PostgresSchema is the schema of tables of that prefix, whose migrations are in the folder
// "postgres/migrations" of files.
func PostgresSchema(of, prefix string, files fs.FS, version int64, tables ...string) (postgres.Schema, error) {
	migrations, err := fs.Sub(files, "postgres")
	if err != nil {
		return postgres.Schema{}, fmt.Errorf("migrations of %s: %w", of, err)
	}
	s := postgres.Schema{Of: of, Migrations: migrations, Version: version, Versions: prefix + "version", Compatibility: prefix + "compatibility"}
	for _, name := range tables {
		s.Tables = append(s.Tables, prefix+name)
	}
	return s, nil
}
