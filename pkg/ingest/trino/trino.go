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
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

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
	partly    bool   // other tables of the source are on other clusters
}

// at are the options of the reading of one cluster.
func (o Options) at(cluster string) Options {
	catalogs, regions := o.Catalogs, o.Regions
	o.Catalogs, o.Regions = nil, make(map[string]source.TrinoPlace)
	for _, named := range catalogs {
		if c, on, _ := strings.Cut(named, "@"); on == cluster {
			o.Catalogs = append(o.Catalogs, c)
		}
	}
	for region, p := range regions {
		if p.Cluster == cluster {
			o.Regions[region] = source.TrinoPlace{Catalog: p.Catalog, SchemaPrefix: p.SchemaPrefix}
		}
	}
	return o
}

// checkClusters says which option names a cluster that the connection does not have.
func (o Options) checkClusters(c source.TrinoConnection) error {
	named := make(map[string]string)
	for _, catalog := range o.Catalogs {
		_, on, _ := strings.Cut(catalog, "@")
		named[on] = catalog
	}
	for region, p := range o.Regions {
		named[p.Cluster] = region + "=" + p.Catalog + "@" + p.Cluster
	}
	for cluster, text := range named {
		if _, ok := c.Clusters[cluster]; cluster != "" && !ok {
			return fault.Invalid("cluster", "TRINO_CLUSTER_UNKNOWN", "%q names the cluster %q, of which the address is not known: give it as --cluster %s=URL", text, cluster, cluster)
		}
	}
	return nil
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

// read opens each server twice: to learn its catalogs, and then with each of them
// as a region, since it is the catalogs' own names that are read. One of several servers that
// cannot be asked loses nothing of what an earlier ingest has found there.
func read(ctx context.Context, connection source.TrinoConnection, before Before, options Options) (source.Manifest, *catalog.Snapshot, ingest.Report, error) {
	fail := func(r ingest.Report, err error) (source.Manifest, *catalog.Snapshot, ingest.Report, error) {
		return source.Manifest{}, nil, r, err
	}
	if err := options.checkClusters(connection); err != nil {
		return fail(ingest.Report{}, err)
	}
	options.partly = len(connection.Clusters) > 0
	regions := make(map[string]source.TrinoPlace)
	chosen := make(map[string][]place)
	for _, cluster := range connection.ClusterNames() {
		places, err := placesAt(ctx, connection, cluster, before, options)
		if err != nil {
			return fail(ingest.Report{}, err)
		}
		for _, p := range places {
			if other, twice := regions[p.region]; twice {
				return fail(ingest.Report{}, fault.Invalid("region", "TRINO_REGION_TWICE",
					"two clusters have a catalog %s, and each needs a region of its own: name them, such as --region %s_a=%s --region %s_b=%s", p.catalog,
					p.region, place{catalog: other.Catalog, cluster: other.Cluster}.where(), p.region, p.where()))
			}
			regions[p.region] = source.TrinoPlace{Catalog: p.catalog, SchemaPrefix: p.prefix, Cluster: cluster}
		}
		chosen[cluster] = places
	}
	var report ingest.Report
	snapshot := &catalog.Snapshot{}
	for _, cluster := range connection.ClusterNames() {
		here := connection.At(cluster)
		here.Regions = identity(chosen[cluster])
		var r ingest.Report
		s, err := withServer(ctx, here, options, func(server Server) (s *catalog.Snapshot, err error) {
			s, r, err = Read(ctx, server, chosen[cluster], before, options.at(cluster))
			return s, err
		})
		report = joinReports(report, r)
		if err != nil {
			return fail(report, err)
		}
		snapshot.Tables = append(snapshot.Tables, s.Tables...)
	}
	if options.partly {
		settleClusters(snapshot, &report, before, options)
	}
	connection.Regions = regions
	m := source.Manifest{Engine: source.EngineTrino, Trino: &connection, Version: Version, Origin: Origin}
	m.DefaultRegion, m.DefaultSchema = ingest.MostTables(snapshot)
	return m, snapshot, report, nil
}

// placesAt chooses what is read of one cluster. Of several, one that does not answer has the
// places that it had.
func placesAt(ctx context.Context, connection source.TrinoConnection, cluster string, before Before, options Options) ([]place, error) {
	here := connection.At(cluster)
	here.Regions = identity([]place{{catalog: systemCatalog}})
	places, err := withServer(ctx, here, options, func(server Server) ([]place, error) { return choose(ctx, server, options.at(cluster)) })
	if err != nil && options.partly {
		called := cmp.Or(cluster, source.MainCluster)
		if had := before.places[cluster]; ctx.Err() == nil && status.Code(err) == codes.Unavailable && len(had) > 0 {
			places, err = had, nil
		} else {
			err = fmt.Errorf("the cluster %s: %w", called, err)
		}
	}
	for i := range places {
		places[i].cluster = cluster
	}
	return places, err
}

// joinReports adds what was found on another cluster.
func joinReports(a, b ingest.Report) ingest.Report {
	a.Tables, a.Problems, a.Lost = append(a.Tables, b.Tables...), append(a.Problems, b.Problems...), append(a.Lost, b.Lost...)
	a.Dropped += b.Dropped
	a.Changes = b.Changes
	return a
}

// settleClusters tells what can be told of all tables alone.
func settleClusters(s *catalog.Snapshot, report *ingest.Report, before Before, options Options) {
	slices.SortFunc(s.Tables, func(a, b catalog.Table) int { return strings.Compare(a.Name.Key(), b.Name.Key()) })
	slices.SortFunc(report.Tables, func(a, b ingest.TableReport) int { return strings.Compare(a.Name.Key(), b.Name.Key()) })
	if before.Snapshot != nil {
		changes := ingest.CompareTables(before.Snapshot, s)
		report.Changes = &changes
	}
	tables := make([]*catalog.Table, len(s.Tables))
	for i := range s.Tables {
		tables[i] = &s.Tables[i]
	}
	if missing := ingest.Join(tables, options.Described).Missing(); len(missing) > 0 {
		report.Problems = append(report.Problems, ingest.Problem{Kind: ingest.KindNote, Message: ingest.MissingSentence(missing)})
	}
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
	places := make(map[string][]place)
	for _, region := range slices.Sorted(maps.Keys(g.Trino.Regions)) {
		p := g.Trino.Regions[region]
		places[p.Cluster] = append(places[p.Cluster], place{region: region, catalog: p.Catalog, prefix: p.SchemaPrefix})
	}
	return Before{Snapshot: s, Profile: g.Profile, places: places}
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
