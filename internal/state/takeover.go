package state

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store/lazy"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/small"
)

// taken is put behind the name of a file whose content is in the database.
const taken = ".taken"

// LeftFile is the file that a store in PostgreSQL was kept in before, where it is there still:
// no process reads it any more, and Migrate brings it into the database. Empty: there is none.
func LeftFile(t small.Tables) (string, error) {
	_, err := os.Stat(t.File.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	return t.File.Path, nil
}

// takeOver copies what the file of a store holds into its tables in PostgreSQL, all of it or
// nothing, and puts the file aside. The tables must be empty.
func takeOver(ctx context.Context, t small.Tables, curated string, db postgres.Config) (err error) {
	file := lazy.New(t.File)
	from, err := file.Open(ctx, false) // brings it up to date
	if err != nil {
		return errors.Join(err, file.Close())
	}
	tx, err := from.BeginTx(ctx, nil) // nobody writes meanwhile
	if err != nil {
		return errors.Join(err, file.Close())
	}
	next := 0
	err = postgres.Load(ctx, db, []postgres.Schema{t.Schema}, false, func() (postgres.Table, io.Reader, error) {
		if next == len(t.Schema.Tables) {
			return postgres.Table{}, nil, io.EOF
		}
		table := postgres.Table{Schema: t.Schema.Of, Version: t.Schema.Version, Name: t.Schema.Tables[next]}
		next++
		var rows io.Reader
		var err error
		if name := strings.TrimPrefix(table.Name, t.Prefix); name == curatedTable {
			table.Columns = []string{"source", "content", "revision"}
			rows, err = curatedRows(curated)
		} else {
			table.Columns, rows, err = rowsOf(ctx, tx, name)
		}
		return table, rows, err
	})
	err = errors.Join(err, tx.Rollback(), file.Close())
	if fault.ReasonOf(err) == "STORE_NOT_EMPTY" {
		return fault.New(codes.FailedPrecondition, "STORE_NOT_EMPTY", fmt.Sprintf(
			"The file %s was not brought into the database: the tables of %s hold something already. Move the file away if it is not wanted any more.", t.File.Path, t.Schema.Of))
	}
	if err != nil {
		return fmt.Errorf("bring %s into the database: %w", t.File.Path, err)
	}
	if hasCurated(t) {
		if err := os.Rename(curated, curated+taken); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(t.File.Path, t.File.Path+taken)
}

// curatedTable is the table of what was files in a folder, one for each source.
const curatedTable = "curated"

func hasCurated(t small.Tables) bool {
	for _, name := range t.Schema.Tables {
		if name == t.Prefix+curatedTable {
			return true
		}
	}
	return false
}

// curatedRows are the files of a folder as rows.
func curatedRows(dir string) (io.Reader, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		writeRow(&out, []any{strings.TrimSuffix(filepath.Base(file), ".yaml"), string(raw), int64(1)})
	}
	return &out, nil
}

// rowsOf are the rows of a table in SQLite as PostgreSQL's COPY takes them. The small stores
// have bounds, and fit into memory.
func rowsOf(ctx context.Context, tx *sql.Tx, table string) (columns []string, _ io.Reader, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT * FROM `+quote(table))
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if columns, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	var out bytes.Buffer
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		writeRow(&out, values)
	}
	return columns, &out, rows.Err()
}

var copyText = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// writeRow writes a row in the text format of COPY.
func writeRow(out *bytes.Buffer, values []any) {
	for i, v := range values {
		if i > 0 {
			out.WriteByte('\t')
		}
		switch v := v.(type) {
		case nil:
			out.WriteString(`\N`)
		case int64:
			out.WriteString(strconv.FormatInt(v, 10))
		case []byte:
			out.WriteString(`\\x` + hex.EncodeToString(v))
		default:
			out.WriteString(copyText.Replace(postgres.Storable(fmt.Sprint(v))))
		}
	}
	out.WriteByte('\n')
}
