// Package export writes an answer into a file that people take away: its rows for
// programs (CSV, TSV, JSON, Parquet, XLSX), or all of it for readers (HTML, Markdown), or its chart as a picture (SVG, PNG). A
// file is written whole or not at all, and takes the place of another one only where
// that was asked for.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/report"
	"github.com/dibrain/dibrain/pkg/result"
)

// Config bounds an export. The zero value of a field means its default.
type Config struct {
	// MaxRows of one file; a result with more is not written.
	MaxRows int64 `koanf:"max_rows"`
	// MaxBytes of one file; one that grows beyond is not written.
	MaxBytes int64 `koanf:"max_bytes"`
	// DocumentRows is how many rows the table of a page for readers (HTML, Markdown)
	// shows; the rest is counted there.
	DocumentRows int `koanf:"document_rows"`
	// ParquetMemory is what writing Parquet may take, such as "512MB".
	ParquetMemory string `koanf:"parquet_memory"`
}

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	if c.MaxRows == 0 {
		c.MaxRows = 1_000_000
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 1 << 30
	}
	if c.DocumentRows == 0 {
		c.DocumentRows = 5000
	}
	if c.ParquetMemory == "" {
		c.ParquetMemory = "512MB"
	}
	if c.MaxRows < 1 || c.MaxBytes < 1 || c.DocumentRows < 1 {
		return c, errors.New("export.max_rows, export.max_bytes and export.document_rows have to be at least 1")
	}
	return c, nil
}

// Rows are those of a result in their order, each as long as the columns. The first
// error ends them.
type Rows = iter.Seq2[[]any, error]

// Result is what is exported.
type Result struct {
	Columns []result.Column
	Rows    Rows
	// Document is the answer with its evidence. The writer adds the rows to its first
	// section.
	Document report.Document
	// Total is how many rows the whole result has; 0: not known.
	Total int64
}

// Options of one export.
type Options struct {
	// Force puts the file into the place of one that is there.
	Force bool
	// BOM begins a CSV or TSV file with the mark by which Excel knows UTF-8.
	BOM bool
}

// Written says what is in the file.
type Written struct {
	// Rows that are in the file.
	Rows int64
	// Picture says that the file shows the chart, without rows.
	Picture bool
	// Notes are what a reader of the file should know, such as columns that changed
	// their names. In English.
	Notes []string
}

// writer writes one format.
type writer struct {
	// data formats hold every row; the others are for readers.
	data  bool
	write func(*job, context.Context) error
}

// job is one export.
type job struct {
	Result
	Options
	config  Config
	to      io.Writer
	path    string // of the file that to writes
	written Written
}

func writers() map[string]writer {
	return map[string]writer{
		".csv":     {data: true, write: (*job).csv},
		".tsv":     {data: true, write: (*job).tsv},
		".json":    {data: true, write: (*job).json},
		".parquet": {data: true, write: (*job).parquet},
		".xlsx":    {data: true, write: (*job).xlsx},
		".html":    {write: (*job).html},
		".md":      {write: (*job).markdown},
		".svg":     {write: (*job).svg},
		".png":     {write: (*job).png},
	}
}

// ownerOnly are the rights of a file: its rows are the asker's.
const ownerOnly fs.FileMode = 0o600

// ReasonNoResult is the reason of the fault for an answer that has nothing to export.
const ReasonNoResult = "RESULT_MISSING"

// Endings are those of the files that can be written, as people read them.
const Endings = ".csv .tsv .json .parquet .xlsx .md .html .svg .png"

// Check refuses a file that could not be written, before anything is asked.
func Check(path string, o Options) error {
	if path == "" {
		return fault.Invalid("export", "FILE_MISSING", "name a file that is not there yet, such as result.csv; its ending says what is written: %s", Endings)
	}
	ending := strings.ToLower(filepath.Ext(path))
	if _, ok := writers()[ending]; !ok {
		return fault.Invalid("export", "FILE_FORMAT_UNKNOWN", "%s: the ending of the file says what is written, and it has to be one of %s", path, Endings)
	}
	if o.BOM && ending != ".csv" && ending != ".tsv" {
		return fault.Invalid("export", "BOM_NOT_OF_TEXT", "--bom is for .csv and .tsv files: leave it out for %s", path)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return unwritable(path, err)
	case info.IsDir():
		return fault.Invalid("export", "FILE_IS_FOLDER", "%s is a folder: name a file in it", path)
	case !o.Force:
		return exists(path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fault.Invalid("export", "FOLDER_MISSING", "the folder of %s is not there: make it first", path)
	}
	return nil
}

func exists(path string) error {
	return fault.Invalid("export", "FILE_EXISTS", "%s is there already: name another file, or give --force to replace it", path)
}

func unwritable(path string, err error) error {
	return fault.Invalid("export", "FILE_UNWRITABLE", "%s cannot be written: %v", path, err)
}

// File writes a result into a file of the format that the file's ending names.
func File(ctx context.Context, path string, r Result, c Config, o Options) (Written, error) {
	if err := Check(path, o); err != nil {
		return Written{}, err
	}
	w := writers()[strings.ToLower(filepath.Ext(path))]
	if w.data && r.Total > c.MaxRows {
		return Written{}, tooManyRows(r.Total, c.MaxRows)
	}
	// The file grows in a folder that its owner alone can enter: a library that writes a
	// file of its own there makes one that others could read.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".dibrain-export-*")
	if err != nil {
		return Written{}, unwritable(path, err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left there is no result
	temp, err := os.OpenFile(filepath.Join(dir, "file"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly)
	if err != nil {
		return Written{}, unwritable(path, err)
	}
	j := &job{Result: r, Options: o, config: c, path: temp.Name(), to: &bounded{to: temp, left: c.MaxBytes, most: c.MaxBytes}}
	if w.data {
		j.Rows = j.counted(r.Rows)
	}
	if err := errors.Join(w.write(j, ctx), temp.Sync(), temp.Close(), os.Chmod(temp.Name(), ownerOnly)); err != nil {
		return Written{}, err
	}
	if info, err := os.Stat(temp.Name()); err == nil && info.Size() > c.MaxBytes {
		return Written{}, tooManyBytes(c.MaxBytes)
	}
	return j.written, place(temp.Name(), path, o.Force)
}

// place gives a finished file its name.
func place(temp, path string, force bool) error {
	if force {
		if err := os.Rename(temp, path); err != nil {
			return unwritable(path, err)
		}
		return nil
	}
	err := os.Link(temp, path) // unlike a rename, it never takes the place of a file
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return exists(path)
	}
	// Some file systems have no links.
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return exists(path)
	}
	if err := os.Rename(temp, path); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// counted hands the rows on, counts them, and ends at the bound.
func (j *job) counted(rows Rows) Rows {
	return func(yield func([]any, error) bool) {
		for row, err := range rows {
			if err == nil {
				if j.written.Rows++; j.written.Rows > j.config.MaxRows {
					row, err = nil, tooManyRows(j.written.Rows, j.config.MaxRows)
				} else if len(row) != len(j.Columns) {
					row, err = nil, fmt.Errorf("row %d has %d values for %d columns", j.written.Rows, len(row), len(j.Columns))
				}
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

func (j *job) note(format string, args ...any) {
	j.written.Notes = append(j.written.Notes, fmt.Sprintf(format, args...))
}

func tooManyRows(rows, most int64) error {
	return fault.New(codes.ResourceExhausted, "EXPORT_TOO_LARGE",
		fmt.Sprintf("the result has %s rows or more and a file holds at most %s: narrow the question, or raise export.max_rows", result.Int(rows), result.Int(most)))
}

func tooManyBytes(most int64) error {
	return fault.New(codes.ResourceExhausted, "EXPORT_TOO_LARGE",
		fmt.Sprintf("the file would have more than %s bytes: narrow the question, or raise export.max_bytes", result.Int(most)))
}

// bounded is a writer that fails beyond a number of bytes.
type bounded struct {
	to         io.Writer
	left, most int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, tooManyBytes(b.most)
	}
	return b.to.Write(p)
}
