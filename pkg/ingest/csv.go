package ingest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

const (
	schemaFile = "schema.sql"
	dataFolder = "data"
)

// csvFolder loads the CSV files of dir and dir/data.
func (b *builder) csvFolder(ctx context.Context, dir string) error {
	info, err := b.statInput(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fault.Invalid("path", "INPUT_NOT_A_FOLDER", "%s is a file: give the folder that holds the CSV files", dir)
	}
	files, err := b.list(dir, ".csv", ".tsv")
	if err != nil {
		return err
	}
	if len(files) == 0 && len(b.report.Problems) == 0 {
		return fault.Invalid("path", "INPUT_EMPTY", "%s holds no *.csv or *.tsv file, nor does %s", dir, filepath.Join(dir, dataFolder))
	}
	schema, schemaPath, err := b.schemaBeside(ctx, dir)
	if err != nil {
		return err
	}
	filled := make(map[*ddl.Table]bool)
	for i, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		table := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		declared, _ := schema.Table(ddl.Name{Table: table})
		if declared != nil {
			filled[declared] = true
		}
		if err := b.csvFile(ctx, file, table, declared); err != nil {
			return err
		}
		b.options.Progress(i+1, len(files), table)
	}
	return b.emptyTables(ctx, schema, schemaPath, filled)
}

// list finds the files with these endings in dir and dir/data, in order.
func (b *builder) list(dir string, endings ...string) ([]string, error) {
	var files []string
	for _, folder := range []string{dir, filepath.Join(dir, dataFolder)} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			if folder == dir {
				return nil, fault.Invalid("path", "INPUT_UNREADABLE", "%s cannot be read: check its rights", dir).Because(err)
			}
			continue // there need not be a folder data
		}
		for _, e := range entries {
			if !slices.Contains(endings, strings.ToLower(filepath.Ext(e.Name()))) || strings.HasPrefix(e.Name(), ".") {
				continue
			}
			if e.IsDir() && slices.Contains(endings, parquetEnding) {
				continue // a folder with the files of one table
			}
			if path := filepath.Join(folder, e.Name()); b.readable(dir, path) {
				files = append(files, path)
			}
		}
	}
	if len(files) > b.options.MaxFiles {
		return nil, fault.Invalid("path", "INPUT_TOO_MANY_FILES", "%s holds %d files: at most %d (MaxFiles); split them over several sources", dir, len(files), b.options.MaxFiles)
	}
	return files, nil
}

// schemaBeside reads dir/schema.sql, or the one above when dir is a folder "data".
func (b *builder) schemaBeside(ctx context.Context, dir string) (*ddl.Schema, string, error) {
	candidates := []string{filepath.Join(dir, schemaFile)}
	if absolute, err := filepath.Abs(dir); err == nil && filepath.Base(absolute) == dataFolder {
		candidates = append(candidates, filepath.Join(filepath.Dir(absolute), schemaFile))
	}
	for _, path := range candidates {
		if _, err := os.Lstat(path); err != nil {
			continue // it need not be there
		}
		if !b.readable(filepath.Dir(path), path) {
			continue
		}
		if _, err := b.statInput(path); err != nil {
			return nil, path, err
		}
		f, err := openInput(ctx, path)
		if err != nil {
			continue // as one that is not there
		}
		defer func() { _ = f.Close() }()
		schema, err := ddl.Read(b.script(f, nil))
		if err != nil {
			return nil, path, fmt.Errorf("read %s: %w", path, err)
		}
		b.scriptProblems(path, schema)
		return schema, path, nil
	}
	return &ddl.Schema{}, "", nil
}

// script prepares the reading of an SQL file.
func (b *builder) script(f io.Reader, rows func(ddl.Row) error) (*bufio.Reader, ddl.Config) {
	r := bufio.NewReaderSize(f, sniffBytes)
	head, _ := r.Peek(sniffBytes) // short files are fine; the reading finds real errors
	return r, ddl.Config{
		Dialect: ddl.Detect(head), MaxTokenBytes: b.options.MaxFieldBytes, MaxTables: b.options.MaxTables,
		MaxColumns: b.options.MaxColumns, MaxProblems: b.options.MaxProblems, Rows: rows,
	}
}

func (b *builder) scriptProblems(path string, schema *ddl.Schema) {
	for _, p := range schema.Problems {
		b.problem(Problem{Kind: KindNote, File: path, Line: p.Line, Column: p.Column, Message: p.Message})
	}
	b.report.Dropped += schema.Dropped
}

// emptyTables makes the declared tables that no file filled.
func (b *builder) emptyTables(ctx context.Context, schema *ddl.Schema, path string, filled map[*ddl.Table]bool) error {
	for _, d := range schema.Tables {
		if filled[d] || len(d.Columns) == 0 {
			continue
		}
		t := b.declare(mainSchema, d.Name.Table, path, b.options.Clock())
		if t == nil {
			return nil
		}
		if err := b.create(ctx, t, b.settleAll(declaredColumns(d), path)); err != nil {
			return err
		}
		b.describe(t, d, inMain)
		b.done(t, 0, 0)
		b.problem(Problem{Kind: KindNote, File: path, Line: d.Line, Message: fmt.Sprintf("table %q is declared, but no file has its rows: it is empty", d.Name.Table)})
	}
	return nil
}

func inMain(ddl.Name) string { return mainSchema }

func declaredColumns(d *ddl.Table) []*column {
	columns := make([]*column, len(d.Columns))
	for i := range d.Columns {
		columns[i] = newColumn(d.Columns[i].Name, &d.Columns[i])
	}
	return uniqueNames(columns, nil)
}

// settleAll chooses all types and reports where data contradict declarations.
func (b *builder) settleAll(columns []*column, file string) []*column {
	for _, c := range columns {
		if message := c.settle(); message != "" {
			b.problem(Problem{Kind: KindChanged, File: file, Message: message})
		}
	}
	return columns
}

// uniqueNames gives each column a name that no other has, without regard to case.
func uniqueNames(columns []*column, renamed func(i int, from, to string)) []*column {
	taken := make(map[string]bool, len(columns))
	for i, c := range columns {
		from := c.name
		if c.name == "" {
			c.name = fmt.Sprintf("column_%d", i+1)
		}
		base := c.name
		if taken[strings.ToLower(c.name)] && isWord(c.unit) {
			c.name = base + "_" + c.unit // amounts in several currencies, side by side
		}
		for n := 2; taken[strings.ToLower(c.name)]; n++ {
			c.name = fmt.Sprintf("%s_%d", base, n)
		}
		taken[strings.ToLower(c.name)] = true
		if c.name != from && renamed != nil {
			renamed(i, from, c.name)
		}
	}
	return columns
}

func isWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// csvFile loads one file: once read to learn the types, once more to load.
func (b *builder) csvFile(ctx context.Context, path, name string, declared *ddl.Table) error {
	err := b.loadCSV(ctx, path, name, declared)
	var broken *placed
	var refused *fault.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // a file whose reading was ended is not a broken one
	case err == nil:
		b.loaded++
		return nil
	case errors.As(err, &broken):
		b.problem(Problem{Kind: KindTableSkipped, File: path, Line: broken.line, Column: broken.column, Message: broken.message})
		return nil
	case errors.As(err, &refused):
		b.problem(Problem{Kind: KindTableSkipped, File: path, Message: refused.Message})
		return nil
	}
	return fmt.Errorf("ingest %s: %w", path, err)
}
