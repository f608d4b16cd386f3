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

// files loads the files of a folder and of its folder data, those that a pattern
// names, or one, where they have one of the endings.
func (b *builder) files(ctx context.Context, path string, endings []string) error {
	files, dir, err := b.inputs(path, endings)
	if err != nil {
		return err
	}
	if len(files) == 0 && len(b.report.Problems) == 0 {
		return fault.Invalid("path", "INPUT_EMPTY", "%s holds no %s file, nor does %s", path, "*"+strings.Join(endings, " or *"), filepath.Join(path, dataFolder))
	}
	schema, schemaPath, err := b.schemaBeside(ctx, dir)
	if err != nil {
		return err
	}
	filled := make(map[*ddl.Table]bool)
	b.meter.expect(files...)
	var done int64
	for i, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := tableName(file)
		declared, _ := schema.Table(ddl.Name{Table: name})
		if declared != nil {
			filled[declared] = true
		}
		b.meter.begin(name)
		if err := b.file(ctx, file, name, declared, schema); err != nil {
			return err
		}
		if info, err := os.Stat(file); err == nil {
			done += info.Size()
		}
		b.meter.upTo(done)
		b.options.Progress(i+1, len(files), name)
	}
	return b.emptyTables(ctx, schema, schemaPath, filled)
}

// file loads one file by its ending.
func (b *builder) file(ctx context.Context, path, name string, declared *ddl.Table, schema *ddl.Schema) error {
	ending, packing := endingOf(path)
	switch {
	case ending == excelEnding && packing == "":
		return b.excelFile(ctx, path, name)
	case ending == parquetEnding && packing == "":
		return b.parquetTable(ctx, path, name, schema)
	case slices.Contains(sqliteEndings(), ending) && packing == "":
		return b.oneOfFiles(path, b.sqliteFile(ctx, path))
	case slices.Contains(jsonEndings(), ending):
		return b.jsonFile(ctx, path, name, packing)
	}
	return b.csvFile(ctx, csvFile{path: path, input: path, packing: packing}, name, declared)
}

// oneOfFiles reports a file that is refused, so that the others are read.
func (b *builder) oneOfFiles(path string, err error) error {
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Reason == reasonChanged { // of what changed while it was read some is loaded
		return err
	}
	b.problem(Problem{Kind: KindTableSkipped, File: path, Message: refused.Message})
	return nil
}

// inputs are the files that a path means, and the folder that they are in.
func (b *builder) inputs(path string, endings []string) (files []string, dir string, err error) {
	if _, err := os.Lstat(path); err != nil && strings.ContainsAny(path, "*?[") {
		found, err := filepath.Glob(path)
		if err != nil {
			return nil, "", fault.Invalid("path", "PATTERN_INVALID", "%s is no pattern: *, ? and [a-z] stand for characters", path)
		}
		hidden := strings.HasPrefix(filepath.Base(path), ".")
		for _, file := range found {
			if !hidden && strings.HasPrefix(filepath.Base(file), ".") {
				continue // as a shell reads a pattern
			}
			if ending, _ := endingOf(file); slices.Contains(endings, ending) && b.readable(filepath.Dir(file), file) {
				files = append(files, file)
			}
		}
		if len(files) > b.options.MaxFiles {
			return nil, "", fault.Invalid("path", "INPUT_TOO_MANY_FILES", "%s means %d files: at most %d (MaxFiles)", path, len(files), b.options.MaxFiles)
		}
		return files, filepath.Dir(path), nil
	}
	info, err := b.statInput(path)
	if err != nil {
		return nil, "", err
	}
	if !info.IsDir() {
		return []string{path}, filepath.Dir(path), nil
	}
	files, err = b.list(path, endings...)
	return files, path, err
}

// list finds the files with these endings in dir and dir/data, in order. Other files
// with data are named.
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
			ending, packing := endingOf(e.Name())
			if strings.HasPrefix(e.Name(), ".") || e.IsDir() && (slices.Contains(endings, parquetEnding) || !slices.Contains(endings, ending)) {
				continue // a folder may hold the files of one table
			}
			path := filepath.Join(folder, e.Name())
			packed := packing != "" && !slices.Contains(textEndings(), ending) && !slices.Contains(jsonEndings(), ending)
			if !slices.Contains(endings, ending) || packed {
				if packed || slices.Contains(allEndings(), ending) || ending == ".xls" {
					b.problem(Problem{Kind: KindNote, File: path, Message: "this is passed over: it is not among " + strings.Join(endings, ", ") + "; ingest files reads " + strings.Join(allEndings(), ", ")})
				}
				continue
			}
			if b.readable(dir, path) {
				files = append(files, path)
			}
		}
	}
	if len(files) > b.options.MaxFiles {
		return nil, fault.Invalid("path", "INPUT_TOO_MANY_FILES", "%s holds %d files: at most %d (MaxFiles); split them over several sources", dir, len(files), b.options.MaxFiles)
	}
	return files, nil
}

func textEndings() []string { return []string{".csv", ".tsv"} }
func jsonEndings() []string { return []string{".json", ".jsonl", ".ndjson"} }

// allEndings are those of all files that are read as tables.
func allEndings() []string {
	return slices.Concat(textEndings(), jsonEndings(), []string{excelEnding, parquetEnding}, sqliteEndings())
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
func (b *builder) csvFile(ctx context.Context, f csvFile, name string, declared *ddl.Table) error {
	err, path := b.loadCSV(ctx, &f, name, declared), f.path
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
