package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	driver "github.com/duckdb/duckdb-go/v2"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Open attaches the databases read-only, then takes from the engine everything
// else: files, extensions, settings.
func Open(ctx context.Context, config Config) (*Engine, error) {
	config = config.withDefaults()
	if len(config.Databases) == 0 {
		return nil, fault.New(codes.FailedPrecondition, "DATABASE_MISSING", "the source has no database: "+config.Remake)
	}
	connector, err := driver.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("start the embedded engine: %w", err)
	}
	db := sql.OpenDB(connector)
	e := &Engine{config: config, db: db, slots: warehouse.NewSlots(config.Limits), vocabulary: newVocabulary()}
	if err := e.prepare(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return e, nil
}

func (e *Engine) prepare(ctx context.Context) error {
	// Settings that the transpiler relies on come first; the lock comes last.
	settings := []string{
		"SET GLOBAL autoinstall_known_extensions = false",
		"SET GLOBAL autoload_known_extensions = false",
		"SET GLOBAL allow_community_extensions = false",
		"SET GLOBAL memory_limit = " + printer.String(e.config.MemoryLimit),
		"SET GLOBAL temp_directory = ''",
		"SET GLOBAL TimeZone = " + printer.String(e.config.TimeZone),
		"SET GLOBAL default_null_order = 'nulls_last'",
		"SET GLOBAL preserve_insertion_order = true",
	}
	if e.config.Threads > 0 {
		settings = append(settings, fmt.Sprintf("SET GLOBAL threads = %d", e.config.Threads))
	}
	for _, s := range settings {
		if _, err := e.db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("configure the embedded engine: %s: %w", s, err)
		}
	}
	for _, region := range slices.Sorted(maps.Keys(e.config.Databases)) {
		if err := e.attach(ctx, region, e.config.Databases[region]); err != nil {
			return err
		}
	}
	for _, s := range []string{"SET GLOBAL enable_external_access = false", "SET GLOBAL lock_configuration = true"} {
		if _, err := e.db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("lock the embedded engine: %s: %w", s, err)
		}
	}
	return nil
}

func (e *Engine) attach(ctx context.Context, region, path string) error {
	switch strings.ToLower(region) {
	case "memory", "system", "temp":
		return fault.New(codes.InvalidArgument, "REGION_NAME", fmt.Sprintf("a region cannot be named %q: the engine uses that name itself", region))
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(codes.FailedPrecondition, "DATABASE_MISSING",
			fmt.Sprintf("the database file of region %s is missing: %s", region, e.config.Remake)).ForOperator("%s", path).Because(err)
	case err != nil:
		return fault.New(codes.FailedPrecondition, "DATABASE_UNREADABLE",
			fmt.Sprintf("the database file of region %s cannot be read: check its permissions", region)).ForOperator("%s", path).Because(err)
	case info.IsDir():
		return fault.New(codes.FailedPrecondition, "DATABASE_CORRUPT",
			fmt.Sprintf("the database of region %s is a directory, not a DuckDB file: %s", region, e.config.Remake)).ForOperator("%s", path)
	}
	text := "ATTACH " + printer.String(path) + " AS " + printer.Quote(region) + " (READ_ONLY, TYPE duckdb)"
	if _, err := e.db.ExecContext(ctx, text); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if strings.Contains(err.Error(), "lock") {
			return fault.New(codes.Unavailable, "DATABASE_LOCKED",
				fmt.Sprintf("the database file of region %s is being written by another process: try again when it is done", region)).ForOperator("%s", path).Because(err)
		}
		return fault.New(codes.FailedPrecondition, "DATABASE_CORRUPT",
			fmt.Sprintf("the file of region %s is not a DuckDB database that this version reads: %s", region, e.config.Remake)).ForOperator("%s", path).Because(err)
	}
	return nil
}
