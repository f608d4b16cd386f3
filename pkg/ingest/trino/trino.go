// Package trino makes a source of a Trino server: it reads what the server's
// catalogs hold and copies no data; questions then run on the server.
//
//	catalogs -> schemas, some at a time -> tables, columns, comments, views
//	         -> partition columns, statistics, keys, sample values, each within a budget
//
// A catalog or a schema that cannot be read does not stop the rest. It is named
// in the report, and its tables stay as the generation before had them. Tables
// that are as they were are not looked into again (incremental.go), and an ingest
// that was interrupted goes on where it was (journal.go).
package trino

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// Version of the format that this package makes; see source.Manifest.
const Version = "ingest-trino-1"

// Origin of manifests.
const Origin = "trino"

// Server answers the product's own statements. An engine is one; a test has its own.
type Server interface {
	Metadata(ctx context.Context, principal run.Principal, statement meta.Statement, options warehouse.Options) (warehouse.Rows, error)
}

// Options of an ingest. Zero values mean the defaults named in the comments.
type Options struct {
	// Catalogs to read; none: all but Trino's own.
	Catalogs []string
	// Regions names catalogs, or parts of them, as data centres. A catalog that it
	// leaves out is a region of its own name.
	Regions map[string]source.TrinoPlace
	// Schemas are patterns of schemas to read; none: all.
	Schemas []string
	// Include and Exclude are patterns of table, schema.table or
	// catalog.schema.table, where * stands for any characters. A table is read
	// when it fits one of Include, or there is none, and none of Exclude.
	Include, Exclude []string

	// NoStatistics leaves out row counts, distinct counts, and the keys that are
	// found with their help.
	NoStatistics bool
	// Samples keeps stored values of text columns in the catalog. Whoever may ask
	// the source may be shown them.
	Samples bool
	// SamplesAs is the Trino user who reads them, where the connection impersonates:
	// one who sees only what everybody may see. Values that the service's own user
	// read are shown to nobody there, see source.Manifest.SamplesShared.
	SamplesAs string
	// Personal are further column names whose values never become samples.
	Personal []string

	// Described are descriptions of the tables from elsewhere, such as a dbt project.
	Described []catalog.Table

	// Full looks into all tables anew, also into those that are as they were.
	Full bool

	ProfileAge       time.Duration // after it a table is looked into again; 7 days
	MaxTables        int           // 100,000
	MaxProblems      int           // problems kept in the report; 1,000
	MaxSampleRows    int64         // tables with more rows are not read for samples and keys; 1,000,000
	MaxSamples       int           // distinct values kept of a column; 5,000
	MaxSourceSamples int           // sample values kept of the source; 200,000
	Concurrency      int           // statements at a time; 4
	Timeout          time.Duration // of one statement; 2 minutes
	Budget           time.Duration // each of partitions, statistics, keys and samples; 5 minutes

	// Progress is told of what is done, from one goroutine at a time.
	Progress func(done, total int, what string)
	// Clock is time.Now where it is nil.
	Clock func() time.Time

	samplesBy string // who reads the samples; empty: none are read
}

// under are the options of an ingest over a connection.
func (o Options) under(c source.TrinoConnection) Options {
	switch {
	case !o.Samples:
	case c.Impersonate && o.SamplesAs != "":
		o.samplesBy = o.SamplesAs
	default:
		o.samplesBy = c.User
	}
	return o
}

func (o Options) complete() Options {
	orDefault(&o.MaxTables, 100_000)
	orDefault(&o.MaxProblems, 1_000)
	orDefault(&o.MaxSampleRows, 1_000_000)
	orDefault(&o.MaxSamples, 5_000)
	orDefault(&o.MaxSourceSamples, 200_000)
	orDefault(&o.Concurrency, 4)
	orDefault(&o.Timeout, 2*time.Minute)
	orDefault(&o.Budget, 5*time.Minute)
	orDefault(&o.ProfileAge, 7*24*time.Hour)
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

func orDefault[T int | int64 | time.Duration](value *T, otherwise T) {
	if *value <= 0 {
		*value = otherwise
	}
}

// Ingest makes the source name from the server of connection, whose Regions are
// filled in here. Errors: those of reaching the server; TRINO_CATALOG_UNKNOWN,
// INGEST_PATTERN_INVALID, INGEST_NOTHING where nothing was left to read.
func Ingest(ctx context.Context, store *source.Store, name string, connection source.TrinoConnection, options Options) (ingest.Report, error) {
	var report ingest.Report
	options = options.complete().under(connection)
	var notes *journal
	_, err := store.Make(ctx, name, func(ctx context.Context, _ string) (source.Manifest, *catalog.Snapshot, error) {
		known := before(store, name)
		var err error
		if notes, err = openJournal(store.NotesPath(name), options.job(connection), options.Clock()); err != nil {
			return source.Manifest{}, nil, fmt.Errorf("open the notes of the ingest: %w", err)
		}
		known.journal = notes
		resumed := notes.resumed()
		m, s, r, err := read(ctx, connection, known, options)
		if resumed != "" {
			r.Problems = append(r.Problems, ingest.Problem{Kind: ingest.KindNote, Message: resumed})
		}
		report = r
		m.Name, m.Profile, m.SamplesBy = name, options.profile(), options.samplesBy
		m.Lost = r.Lost[:min(len(r.Lost), source.MaxLost)]
		return m, s, err
	})
	return report, errors.Join(err, notes.close(err == nil))
}

// read opens the server twice: to learn its catalogs, and then with each of them
// as a region, since it is the catalogs' own names that are read.
func read(ctx context.Context, connection source.TrinoConnection, before Before, options Options) (source.Manifest, *catalog.Snapshot, ingest.Report, error) {
	fail := func(r ingest.Report, err error) (source.Manifest, *catalog.Snapshot, ingest.Report, error) {
		return source.Manifest{}, nil, r, err
	}
	connection.Regions = identity([]place{{catalog: systemCatalog}})
	places, err := withServer(ctx, connection, options, func(server Server) ([]place, error) { return choose(ctx, server, options) })
	if err != nil {
		return fail(ingest.Report{}, err)
	}
	connection.Regions = identity(places)
	var report ingest.Report
	snapshot, err := withServer(ctx, connection, options, func(server Server) (*catalog.Snapshot, error) {
		var s *catalog.Snapshot
		s, report, err = Read(ctx, server, places, before, options)
		return s, err
	})
	if err != nil {
		return fail(report, err)
	}
	connection.Regions = make(map[string]source.TrinoPlace, len(places))
	for _, p := range places {
		connection.Regions[p.region] = source.TrinoPlace{Catalog: p.catalog, SchemaPrefix: p.prefix}
	}
	m := source.Manifest{Engine: source.EngineTrino, Trino: &connection, Version: Version, Origin: Origin}
	m.DefaultRegion, m.DefaultSchema = ingest.MostTables(snapshot)
	return m, snapshot, report, nil
}

// withServer opens an engine, lets use work with it, and closes it.
func withServer[T any](ctx context.Context, connection source.TrinoConnection, o Options, use func(Server) (T, error)) (_ T, err error) {
	var none T
	connection.TokenExchange = nil // what is read here, the service reads
	engine, err := trino.Open(ctx, trino.Config{
		Connection: connection, DefaultRegion: systemCatalog, DefaultSchema: "metadata",
		Limits: warehouse.Limits{MaxConcurrent: o.Concurrency, Timeout: o.Timeout, QueueWait: o.Timeout, MaxRows: maxRows, MaxBytes: maxBytes},
	})
	if err != nil {
		return none, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	return use(engine)
}

// identity maps each catalog, and Trino's own, to itself.
func identity(places []place) map[string]source.TrinoPlace {
	regions := map[string]source.TrinoPlace{systemCatalog: {Catalog: systemCatalog}}
	for _, p := range places {
		regions[p.catalog] = source.TrinoPlace{Catalog: p.catalog}
	}
	return regions
}

// before is the source as it is; nothing where there is none, or none that can be
// read: then there is nothing to keep.
func before(store *source.Store, name string) Before {
	g, err := store.Current(name)
	if err != nil || g.Engine != source.EngineTrino {
		return Before{}
	}
	s, err := g.Stored()
	if err != nil {
		return Before{}
	}
	return Before{Snapshot: s, Profile: g.Profile}
}

// nothing is the error of an ingest that found no table.
func nothing(report ingest.Report) error {
	const shown = 3
	why := "no table was found that the service's user may see and that the patterns let in"
	for i, p := range report.Problems {
		if i == shown {
			break
		}
		if i == 0 {
			why = p.String()
			continue
		}
		why += "; " + p.String()
	}
	return fault.Invalid("url", "INGEST_NOTHING", "nothing could be read, so the source stays as it was: %s", why)
}

// problem notes what people should know.
func (r *reader) problem(kind ingest.Kind, where, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.report.Problems) >= r.options.MaxProblems {
		r.report.Dropped++
		return
	}
	r.report.Problems = append(r.report.Problems, ingest.Problem{Kind: kind, File: where, Message: fmt.Sprintf(format, args...)})
}
