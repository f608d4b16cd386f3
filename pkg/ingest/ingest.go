// Package ingest brings people's own data into a source: folders of CSV or
// Parquet files, a DuckDB or a SQLite database, or an SQL dump. Each function makes a new
// generation of the source: one DuckDB file, whose name is the source's, and a
// catalog with types, keys, comments and sample values. Its sub-packages read
// where tables are only described (jsonl, dbt), a Trino server, and what the query
// history says of a source that is there (history).
//
// What is broken is left out and reported with file, line and column; what is
// good is kept. When nothing is good nothing is swapped in, and the error says
// why. Names keep their case and are compared without it.
//
//	files, records -> table  (infer, then load)  -> DuckDB file
//	schema.sql     -> ddl    (names, keys, types) -> catalog.Snapshot
package ingest

import (
	"context"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/keys"
	"github.com/dibrain/dibrain/pkg/source"
)

// Version of the format that this package makes; see source.Manifest.
const Version = "ingest-1"

// Origins of manifests.
const (
	OriginCSV     = "csv"
	OriginFiles   = "files"
	OriginParquet = "parquet"
	OriginDuckDB  = "duckdb"
	OriginSQLDump = "sql-dump"
	OriginSQLite  = "sqlite"
)

// Header says whether CSV files begin with the names of their columns.
type Header int

// Ways to treat the first line of a CSV file.
const (
	HeaderAuto Header = iota // a line whose first value is a number or a date is no header
	HeaderYes
	HeaderNo
)

// DateOrder says what comes first in dates such as 03/04/2024.
type DateOrder int

// Orders of dates.
const (
	DateOrderAuto DateOrder = iota // what the values of the file tell
	DateOrderDayFirst
	DateOrderMonthFirst
	DateOrderYearFirst // of days of two digits each: 24-01-31
)

// Options of an ingest. Zero values mean the defaults named in the comments.
type Options struct {
	// NullTokens are the unquoted CSV values that mean NULL; nil: "" and "NULL", and in
	// columns of texts words such as "N/A" as their values tell.
	// A quoted "" is an empty text in a varchar column and NULL in all others.
	NullTokens []string
	// Delimiter of CSV files; 0: found out among comma, semicolon, tab and bar.
	Delimiter rune
	Header    Header
	// Encoding of CSV files, JSON and dumps by its name ("gb18030", "windows-1252"); empty: found out
	// per file.
	Encoding string

	// SkipRows are the lines at the beginning of each CSV file that are passed over.
	SkipRows int
	// DateOrder decides dates such as 03/04/2024 where the file does not.
	DateOrder DateOrder
	// KeepTotals keeps lines that look like sums of others among the rows.
	KeepTotals bool

	// Views makes tables of what the views of a DuckDB or SQLite file or of a dump show.
	Views bool

	// Described are descriptions of the tables from elsewhere, such as a dbt project:
	// see Join.
	Described []catalog.Table

	// NoSamples keeps stored values out of the catalog altogether.
	NoSamples bool
	// Personal are further column names whose values never become samples.
	Personal []string

	MaxFiles         int     // files read; 10,000
	MaxFileBytes     int64   // bytes of one file; 64 GiB
	MaxTables        int     // 10,000; 200,000 where tables are only described
	MaxColumns       int     // columns of one table; 4,000
	MaxFieldBytes    int     // bytes of one value; 16 MiB
	MaxListDepth     int     // lists of objects in one another of JSON that are tables; 3
	MaxObjectDepth   int     // objects in one another of JSON whose fields are columns; 8
	MaxBadRowShare   float64 // rows that may be skipped before a file counts as broken; 0.5
	MaxProblems      int     // problems kept in the report; 1,000
	MaxSamples       int     // distinct values kept per column; 5,000
	MaxSourceSamples int     // sample values kept per source; 200,000
	MaxUnread        int     // values and lines that are kept as they were because nothing reads them; 10,000
	MemoryLimit      string  // of DuckDB while loading; "1GB"
	Threads          int     // of DuckDB while loading; 2

	guessNulls bool // NullTokens were not given

	// Keys bounds the search for keys that nobody declared.
	Keys keys.Limits

	// Progress is told after each file or table, from one goroutine.
	Progress func(done, total int, what string)
	// Reading is told while files of text are read, never twice at a time; nil: nobody.
	Reading func(Reading)
	// Clock gives the time that now() in a dump means; nil: time.Now.
	Clock func() time.Time
}

// complete fills in the defaults.
func (o Options) complete() Options {
	o.guessNulls = o.guessNulls || o.NullTokens == nil
	if o.NullTokens == nil {
		o.NullTokens = []string{"", "NULL"}
	}
	orInt := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	orInt(&o.MaxFiles, 10_000)
	orInt(&o.MaxTables, 10_000)
	orInt(&o.MaxColumns, 4_000)
	orInt(&o.MaxFieldBytes, 16<<20)
	orInt(&o.MaxListDepth, 3)
	orInt(&o.MaxObjectDepth, 8)
	orInt(&o.MaxProblems, 1_000)
	orInt(&o.MaxSamples, 5_000)
	orInt(&o.MaxSourceSamples, 200_000)
	orInt(&o.MaxUnread, 10_000)
	orInt(&o.Threads, 2)
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = 64 << 30
	}
	if o.MaxBadRowShare <= 0 {
		o.MaxBadRowShare = 0.5
	}
	if o.MemoryLimit == "" {
		o.MemoryLimit = "1GB"
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

// Kind of a problem.
type Kind string

// Kinds of problems, from losing a table to a remark.
const (
	KindTableSkipped Kind = "table_skipped" // a whole file or table was left out
	KindRowSkipped   Kind = "row_skipped"
	KindValueUnread  Kind = "value_unread" // the value is NULL in the table; see Unread
	KindChanged      Kind = "changed"      // kept, but under another type or name than declared
	KindTextNumbers  Kind = "text_like"    // a column stays text though most of it looks like numbers or days
	KindNote         Kind = "note"
)

// Problem is something that people should know about what was read.
type Problem struct {
	Kind    Kind
	File    string // as it was reached: the folder that was given joined with the rest
	Line    int    // from 1; 0: the whole file
	Column  int    // character of the line, from 1; 0: the whole line
	Message string
}

// TableReport tells what became of a table.
type TableReport struct {
	Name    catalog.Name
	Rows    int64
	Skipped int64 // rows that were left out
}

// Report tells what an ingest did. Problems are bounded; Dropped counts the rest.
type Report struct {
	Tables   []TableReport
	Problems []Problem
	Dropped  int
	// Changes against the generation before; nil where the data were read anew.
	Changes *Changes
	// Unread counts the values and lines that are kept as they were written, because
	// nothing reads them or not all of them is in the table; see ReadUnread.
	Unread int
	// Lost are the parts that could not be read at all; they are among the Problems.
	Lost []source.Lost
}

// Changes counts the tables that another ingest of the same source found.
type Changes struct {
	Added, Changed, Removed, Same int
}

// CSV makes the source name from *.csv and *.tsv files, each a table, with a
// schema.sql beside them or above data/. path is a folder, whose folder data counts
// too, a pattern, or a file. Files may be packed: *.csv.gz, *.csv.zst, *.csv.xz.
func CSV(ctx context.Context, store *source.Store, name, path string, options Options) (Report, error) {
	return run(ctx, store, name, OriginCSV, options, func(ctx context.Context, b *builder) error {
		return b.files(ctx, path, textEndings())
	})
}

// Files makes the source name from the files of a folder or a pattern, or from one:
// CSV, JSON, Excel workbooks, whose sheets are tables, Parquet, and SQLite databases.
func Files(ctx context.Context, store *source.Store, name, path string, options Options) (Report, error) {
	return run(ctx, store, name, OriginFiles, options, func(ctx context.Context, b *builder) error {
		return b.files(ctx, path, allEndings())
	})
}

// Parquet makes the source name from a *.parquet file, or from a folder: each
// file in it a table, and each sub-folder with Parquet files one table, whose
// key=value folders become partition columns.
func Parquet(ctx context.Context, store *source.Store, name, path string, options Options) (Report, error) {
	return run(ctx, store, name, OriginParquet, options, func(ctx context.Context, b *builder) error {
		return b.parquet(ctx, path)
	})
}

// DuckDB makes the source name from the tables of a DuckDB file, with their
// schemas, comments and keys. Views are reported and left out, or, with Views, become
// tables of what they show.
func DuckDB(ctx context.Context, store *source.Store, name, file string, options Options) (Report, error) {
	return run(ctx, store, name, OriginDuckDB, options, func(ctx context.Context, b *builder) error {
		return b.duckdbFile(ctx, file)
	})
}

// SQLite makes the source name from the tables of a SQLite file, with their keys and the
// comments of their declarations. The file is read as it is at one moment, also while its
// owner writes. Types are those of the declarations where the values fit them; days and
// times are found among texts and numbers as in files of text. Views are as for DuckDB.
// Errors: INPUT_NOT_SQLITE, INPUT_ENCRYPTED, INPUT_DAMAGED, INPUT_BUSY, INPUT_CHANGED, and
// those of CheckInput.
func SQLite(ctx context.Context, store *source.Store, name, file string, options Options) (Report, error) {
	return run(ctx, store, name, OriginSQLite, options, func(ctx context.Context, b *builder) error {
		b.meter.expect(file)
		return b.sqliteFile(ctx, file)
	})
}

// SQLDump makes the source name from a dump of PostgreSQL, MySQL or SQLite, perhaps
// packed (*.sql.gz, *.sql.zst, *.sql.xz):
// CREATE TABLE, COMMENT, ALTER TABLE … ADD KEY, INSERT and COPY are read, all
// else is passed over. Nothing of the file is executed.
func SQLDump(ctx context.Context, store *source.Store, name, file string, options Options) (Report, error) {
	return run(ctx, store, name, OriginSQLDump, options, func(ctx context.Context, b *builder) error {
		return b.sqlDump(ctx, file)
	})
}
