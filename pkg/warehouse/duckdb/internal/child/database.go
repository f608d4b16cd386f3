package child

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// database is DuckDB with the files of a source attached read-only, and with
// nothing else in reach: no files, extensions, settings.
type database struct {
	db         *sql.DB
	vocabulary *vocabulary
}

// attachError is that a region's file could not be attached.
type attachError struct {
	region string
	cause  error
}

func (e *attachError) Error() string { return e.cause.Error() }
func (e *attachError) Unwrap() error { return e.cause }

func openDatabase(ctx context.Context, o wire.Open) (*database, error) {
	connector, err := driver.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("start the embedded engine: %w", err)
	}
	d := &database{db: sql.OpenDB(connector), vocabulary: newVocabulary()}
	if err := d.prepare(ctx, o); err != nil {
		return nil, errors.Join(err, d.db.Close())
	}
	return d, nil
}

func (d *database) prepare(ctx context.Context, o wire.Open) error {
	// Settings that the transpiler relies on come first; the lock comes last.
	settings := []string{
		"SET GLOBAL autoinstall_known_extensions = false",
		"SET GLOBAL autoload_known_extensions = false",
		"SET GLOBAL allow_community_extensions = false",
		"SET GLOBAL memory_limit = " + printer.String(o.MemoryLimit),
		"SET GLOBAL temp_directory = ''",
		"SET GLOBAL TimeZone = " + printer.String(o.TimeZone),
		"SET GLOBAL default_null_order = 'nulls_last'",
		"SET GLOBAL preserve_insertion_order = true",
	}
	if o.Threads > 0 {
		settings = append(settings, fmt.Sprintf("SET GLOBAL threads = %d", o.Threads))
	}
	for _, s := range settings {
		if _, err := d.db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("configure the embedded engine: %s: %w", s, err)
		}
	}
	for _, region := range slices.Sorted(maps.Keys(o.Databases)) {
		text := "ATTACH " + printer.String(o.Databases[region]) + " AS " + printer.Quote(region) + " (READ_ONLY, TYPE duckdb)"
		if _, err := d.db.ExecContext(ctx, text); err != nil {
			return &attachError{region: region, cause: err}
		}
	}
	for _, s := range []string{"SET GLOBAL enable_external_access = false", "SET GLOBAL lock_configuration = true"} {
		if _, err := d.db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("lock the embedded engine: %s: %w", s, err)
		}
	}
	return nil
}

// query runs a statement for which everything that it calls is made.
func (d *database) query(ctx context.Context, text string) (*sql.Rows, error) {
	if err := d.vocabulary.ensure(ctx, d.db, text); err != nil {
		return nil, err
	}
	return d.db.QueryContext(ctx, text)
}

func (d *database) close() error { return d.db.Close() }
