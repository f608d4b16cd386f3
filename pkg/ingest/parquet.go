package ingest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

const parquetEnding = ".parquet"

// parquet loads a file, or each file and each sub-folder of a folder.
func (b *builder) parquet(ctx context.Context, path string) error {
	info, err := b.statInput(path)
	if err != nil {
		return err
	}
	inputs := []string{path}
	schema := &ddl.Schema{}
	if info.IsDir() {
		if inputs, err = b.parquetInputs(path); err != nil {
			return err
		}
		if schema, _, err = b.schemaBeside(ctx, path); err != nil {
			return err
		}
	}
	for i, input := range inputs {
		name := strings.TrimSuffix(filepath.Base(input), filepath.Ext(input))
		if err := b.parquetTable(ctx, input, name, schema); err != nil {
			return err
		}
		b.options.Progress(i+1, len(inputs), name)
	}
	return nil
}

// parquetInputs lists files and folders of files, each of which is a table.
func (b *builder) parquetInputs(dir string) ([]string, error) {
	inputs, err := b.list(dir, parquetEnding)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fault.Invalid("path", "INPUT_UNREADABLE", "%s cannot be read: check its rights", dir).Because(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != dataFolder && holdsParquet(filepath.Join(dir, e.Name())) {
			inputs = append(inputs, filepath.Join(dir, e.Name()))
		}
	}
	if len(inputs) == 0 && len(b.report.Problems) == 0 {
		return nil, fault.Invalid("path", "INPUT_EMPTY", "%s holds no *.parquet file and no folder with such files", dir)
	}
	if len(inputs) > b.options.MaxFiles {
		return nil, fault.Invalid("path", "INPUT_TOO_MANY_FILES", "%s holds %d tables: at most %d (MaxFiles)", dir, len(inputs), b.options.MaxFiles)
	}
	return inputs, nil
}

func holdsParquet(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // what cannot be read holds none
		if err == nil && !d.IsDir() && strings.EqualFold(filepath.Ext(path), parquetEnding) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// parquetFiles lists the files of one table as the engine reads it. It is not left
// to the engine to find them: it would open pipes and follow links.
func (b *builder) parquetFiles(dir string) (string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.EqualFold(filepath.Ext(path), parquetEnding) && b.readable(dir, path) && b.named(path) {
			files = append(files, printer.String(escapeGlob(path)))
		}
		return nil // what cannot be opened holds nothing
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("list the files of %s: %w", dir, err)
	case len(files) == 0:
		return "", nil
	case len(files) > b.options.MaxFiles:
		return "", fault.Invalid("path", "INPUT_TOO_MANY_FILES", "%s holds %d files: at most %d (MaxFiles)", dir, len(files), b.options.MaxFiles)
	}
	return "[" + strings.Join(files, ", ") + "]", nil
}

// named tells whether the engine, which takes paths as text, can open a path, and
// reports where it cannot.
func (b *builder) named(path string) bool {
	if utf8.ValidString(path) {
		return true
	}
	b.problem(Problem{Kind: KindTableSkipped, File: path, Message: "this is left out: its name is not UTF-8; rename it"})
	return false
}

func (b *builder) parquetTable(ctx context.Context, input, name string, schema *ddl.Schema) error {
	info, err := b.statInput(input)
	if err != nil {
		return err
	}
	if !info.IsDir() && !b.named(input) {
		return nil
	}
	relation := "read_parquet(" + printer.String(escapeGlob(input)) + ", hive_partitioning = false)"
	var own []string
	if info.IsDir() {
		files, err := b.parquetFiles(input)
		if err != nil || files == "" {
			return err
		}
		relation = "read_parquet(" + files + ", hive_partitioning = true, union_by_name = true)"
		if columns, err := b.describeQuery(ctx, "read_parquet("+files+", hive_partitioning = false, union_by_name = true)"); err == nil {
			for _, c := range columns {
				own = append(own, strings.ToLower(c.name))
			}
		}
	}
	declared, _ := schema.Table(ddl.Name{Table: name})
	if declared != nil {
		name = declared.Name.Table
	}
	t, err := b.copyTable(ctx, relation, mainSchema, name, input, info.ModTime())
	if err != nil || t == nil {
		return err
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		c.Partition = info.IsDir() && len(own) > 0 && !slices.Contains(own, strings.ToLower(c.Name))
		if declared != nil {
			if at := declared.Column(c.Name); at >= 0 {
				c.Comment = declared.Columns[at].Comment
			}
		}
	}
	if declared != nil {
		b.describe(t, declared, inMain)
	}
	return nil
}

// escapeGlob keeps a path's own *, ? and [ from being read as a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(path)
}
