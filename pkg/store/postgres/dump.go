package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Table is a table of a dump.
type Table struct {
	Schema  string   `json:"schema"`  // what it is of, as Schema.Of says
	Version int64    `json:"version"` // of the schema
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// Inspect connects and returns the version of a schema's tables, 0 where there are none. It is
// an error where they are of a newer version that this program cannot work with.
func Inspect(ctx context.Context, cfg Config, schema Schema) (have int64, err error) {
	err = onConn(ctx, cfg, schema, "look what is there", func(ctx context.Context, s *database, conn *pgx.Conn) error {
		if have, err = s.version(ctx, conn); err != nil {
			return err
		}
		return s.suits(ctx, conn, have)
	})
	return have, err
}

// Dump gives each table of the schemas to take, all as they were at one moment, while others
// write: take copies the rows by calling copy.
func Dump(ctx context.Context, cfg Config, schemas []Schema, take func(t Table, copy func(io.Writer) error) error) error {
	return onConn(ctx, cfg, schemas[0], "read all of it", func(ctx context.Context, s *database, conn *pgx.Conn) error {
		tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
		if err != nil {
			return err
		}
		defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
		for _, schema := range schemas {
			s.schema = schema
			version, err := s.version(ctx, conn)
			if err != nil {
				return err
			}
			if version == 0 {
				continue
			}
			for _, name := range schema.Tables {
				t := Table{Schema: schema.Of, Version: version, Name: name}
				if t.Columns, err = columnsOf(ctx, tx, name); err != nil {
					return err
				}
				if len(t.Columns) == 0 {
					continue
				}
				copied := func(w io.Writer) error {
					_, err := conn.PgConn().CopyTo(ctx, w, `COPY `+t.target()+` TO STDOUT`)
					return err
				}
				if err := take(t, copied); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Load puts dumped tables into the schemas, all of them or none. Tables that hold rows are an
// error, or are emptied first where replace says so. next returns the dumped tables one after
// another, with their rows, and io.EOF at the end.
func Load(ctx context.Context, cfg Config, schemas []Schema, replace bool, next func() (Table, io.Reader, error)) error {
	byName := make(map[string]Schema)
	for _, schema := range schemas {
		db, err := OpenDatabase(ctx, cfg, schema) // makes the tables
		if err != nil {
			return err
		}
		if err := errors.Join(db.Ready(ctx), db.Close()); err != nil {
			return err
		}
		byName[schema.Of] = schema
	}
	return onConn(ctx, cfg, schemas[0], "restore", func(ctx context.Context, _ *database, conn *pgx.Conn) error {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // after a commit there is nothing to roll back
		if err := makeRoom(ctx, tx, schemas, replace); err != nil {
			return err
		}
		for {
			t, rows, err := next()
			if errors.Is(err, io.EOF) {
				return tx.Commit(ctx)
			}
			if err != nil {
				return err
			}
			if err := loadTable(ctx, conn, tx, byName[t.Schema], t, rows); err != nil {
				return err
			}
		}
	})
}

// makeRoom empties the tables, or tells that they hold something.
func makeRoom(ctx context.Context, tx pgx.Tx, schemas []Schema, replace bool) error {
	for _, schema := range schemas {
		for _, name := range schema.Tables {
			table := pgx.Identifier{name}.Sanitize()
			if replace {
				if _, err := tx.Exec(ctx, `TRUNCATE `+table+` CASCADE`); err != nil {
					return err
				}
				continue
			}
			var held bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM `+table+`)`).Scan(&held); err != nil {
				return err
			}
			if held {
				return fault.New(codes.FailedPrecondition, "STORE_NOT_EMPTY",
					"The database holds state already, which a restore would mix with the backup's. Restore to an empty one, or give --replace to remove what is there.").
					ForOperator("table %s", name)
			}
		}
	}
	return nil
}

func loadTable(ctx context.Context, conn *pgx.Conn, tx pgx.Tx, schema Schema, t Table, rows io.Reader) error {
	known := false
	for _, name := range schema.Tables {
		known = known || name == t.Name
	}
	have, err := columnsOf(ctx, tx, t.Name)
	if err != nil {
		return err
	}
	for _, c := range t.Columns {
		known = known && strings.Contains("\x00"+strings.Join(have, "\x00")+"\x00", "\x00"+c+"\x00")
	}
	if !known {
		return fault.New(codes.FailedPrecondition, "BACKUP_TOO_NEW", fmt.Sprintf(
			"The backup holds a table that this dibrain does not know in this form (%s of %s, schema %d). Restore it with the version that made it, or a newer one.", t.Name, t.Schema, t.Version))
	}
	if t.Version < schema.Version { // the same promise by which a program of that version may write to this schema
		var oldest int64
		if err := tx.QueryRow(ctx, `SELECT max(oldest) FROM `+pgx.Identifier{schema.Compatibility}.Sanitize()).Scan(&oldest); err != nil {
			return err
		}
		if oldest > t.Version {
			return fault.New(codes.FailedPrecondition, "BACKUP_TOO_OLD", fmt.Sprintf(
				"The backup is of schema %d of %s, and this dibrain takes %d and later. Restore it with an earlier version, then migrate.", t.Version, t.Schema, oldest))
		}
	}
	if _, err := conn.PgConn().CopyFrom(ctx, rows, `COPY `+t.target()+` FROM STDIN`); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	return countOn(ctx, tx, t.Name)
}

// countOn lets the numbers that the database gives go on after those that were loaded.
func countOn(ctx context.Context, tx pgx.Tx, table string) error {
	columns, err := column(tx.Query(ctx, `SELECT column_name::text FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'`, table))
	if err != nil {
		return err
	}
	for _, c := range columns {
		name := pgx.Identifier{c}.Sanitize()
		if _, err := tx.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT coalesce(max(`+name+`), 0) + 1 FROM `+pgx.Identifier{table}.Sanitize()+`), false)`,
			pgx.Identifier{table}.Sanitize(), c); err != nil {
			return err
		}
	}
	return nil
}

// target is the table with its columns, as COPY takes it.
func (t Table) target() string {
	quoted := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		quoted[i] = pgx.Identifier{c}.Sanitize()
	}
	return pgx.Identifier{t.Name}.Sanitize() + ` (` + strings.Join(quoted, ", ") + `)`
}

func columnsOf(ctx context.Context, q querier, table string) ([]string, error) {
	return column(q.Query(ctx, `SELECT column_name::text FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`, table))
}

// onConn does something on a connection of its own, as long as it takes.
func onConn(ctx context.Context, cfg Config, schema Schema, doing string, do func(context.Context, *database, *pgx.Conn) error) error {
	s := &database{cfg: cfg.complete(), schema: schema}
	config, err := s.lasting()
	if err != nil {
		return err
	}
	dialing, done := context.WithTimeout(ctx, s.cfg.ConnectTimeout)
	defer done()
	conn, err := pgx.ConnectConfig(dialing, config)
	if err != nil {
		return s.fault("connect", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := do(ctx, s, conn); err != nil {
		if own := new(*fault.Error); errors.As(err, own) {
			return err
		}
		return s.fault(doing, err)
	}
	return nil
}

// Transact does something to the tables of a schema in one transaction, all of it or nothing, as
// long as it takes; reads see them as they were at one moment. A database without these tables
// is left as it is, and do is not called.
func Transact(ctx context.Context, cfg Config, schema Schema, reads bool, doing string, do func(context.Context, pgx.Tx) error) error {
	return onConn(ctx, cfg, schema, doing, func(ctx context.Context, s *database, conn *pgx.Conn) error {
		have, err := s.version(ctx, conn)
		if err != nil || have == 0 {
			return err
		}
		options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
		if reads {
			options = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		}
		tx, err := conn.BeginTx(ctx, options)
		if err != nil {
			return err
		}
		defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // after a commit there is nothing to roll back
		if err := do(ctx, tx); err != nil {
			return err
		}
		return tx.Commit(ctx)
	})
}
