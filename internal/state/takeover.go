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

// LeftFile is the file that a store in PostgreSQL was kept in before, where it is there still and holds something,
// or else the folder with what curators decided: no process reads it any more, and Migrate
// brings it into the database. Empty: there is none.
func LeftFile(ctx context.Context, t small.Tables) (string, error) {
	names := make([]string, len(t.Schema.Tables))
	for i, name := range t.Schema.Tables {
		names[i] = strings.TrimPrefix(name, t.Prefix)
	}
	holds, err := t.File.Holds(ctx, names)
	if err != nil || holds {
		return t.File.Path, err
	}
	if !hasCurated(t) {
		return "", nil
	}
	files, err := curatedFiles(curatedDir(t))
	if err != nil || len(files) == 0 {
		return "", err
	}
	return curatedDir(t), nil
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// putAside renames a file or a folder to a name that shows that its content is elsewhere, and
// that is free: what was put aside before stays. What is not there is no error.
func putAside(path string) error {
	there, err := exists(path)
	if err != nil || !there {
		return err
	}
	aside := path + taken
	for n := 2; ; n++ {
		there, err := exists(aside)
		if err != nil {
			return err
		}
		if !there {
			return os.Rename(path, aside)
		}
		aside = fmt.Sprintf("%s%s.%d", path, taken, n)
	}
}

// takeOver copies what the file of a store holds into its tables in PostgreSQL, all of it or
// nothing, and puts the file aside. The tables must be empty.
func takeOver(ctx context.Context, t small.Tables, db postgres.Config) (err error) {
	left, err := LeftFile(ctx, t)
	if err != nil {
		return err
	}
	kept := t.File
	if left != kept.Path { // the folder is alone: an empty file stands for the one that is not there
		var dir string
		if dir, err = os.MkdirTemp("", "dibrain-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		kept.Path = filepath.Join(dir, filepath.Base(kept.Path))
	}
	file := lazy.New(kept)
	from, err := file.Open(ctx, true) // brings it up to date
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
			rows, err = curatedRows(curatedDir(t))
		} else {
			table.Columns, rows, err = rowsOf(ctx, tx, name)
		}
		return table, rows, err
	})
	err = errors.Join(err, tx.Rollback(), file.Close())
	if fault.ReasonOf(err) == "STORE_NOT_EMPTY" {
		return fault.New(codes.FailedPrecondition, "STORE_NOT_EMPTY", fmt.Sprintf(
			"What is in %s was not brought into the database: the tables of %s hold something already. Move it away if it is not wanted any more.", left, t.Schema.Of))
	}
	if err != nil {
		return fmt.Errorf("bring %s into the database: %w", left, err)
	}
	if hasCurated(t) {
		if err := putAside(curatedDir(t)); err != nil {
			return err
		}
	}
	return putAside(t.File.Path)
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

// curatedDir is the folder, which lies beside the file.
func curatedDir(t small.Tables) string { return filepath.Join(filepath.Dir(t.File.Path), "curated") }

func curatedFiles(dir string) ([]string, error) { return filepath.Glob(filepath.Join(dir, "*.yaml")) }

// curatedRows are the files of a folder as rows.
func curatedRows(dir string) (io.Reader, error) {
	files, err := curatedFiles(dir)
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
