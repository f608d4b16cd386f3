package trino

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Bounds of one statement's result. information_schema.columns of a hundred
// thousand tables with a hundred columns each has ten million rows.
const (
	maxRows  = 20_000_000
	maxBytes = 4 << 30
	pageRows = 1_000
)

// reader reads one server into one snapshot.
type reader struct {
	server  Server
	options Options
	before  Before

	mu     sync.Mutex
	report ingest.Report
	tables []*entry
	full   bool // more tables than MaxTables
	done   int
	total  int
}

// entry is a table on its way into the catalog.
type entry struct {
	catalog.Table
	place  place
	stored catalog.Name // its name in Trino
	kept   bool         // from the generation before
	stage  int          // stages of its details that are done
	missed bool         // a stage could not be done for it
}

// The stages of the details of tables, in their order. Each needs those before.
const (
	stagePartitions = iota + 1
	stageStatistics
	stageKeys
	stageReferences
	stageSamples

	stagesDone = stageSamples
)

// Read reads the tables of some places. before is what earlier ingests know. The
// error is the caller's end, or INGEST_NOTHING.
func Read(ctx context.Context, server Server, places []place, before Before, options Options) (*catalog.Snapshot, ingest.Report, error) {
	r := &reader{server: server, options: options.complete(), before: before}
	if err := r.readPlaces(ctx, places); err != nil {
		return nil, r.report, err
	}
	if len(r.tables) == 0 {
		return nil, r.report, nothing(r.report)
	}
	slices.SortFunc(r.tables, func(a, b *entry) int { return strings.Compare(a.Name.Key(), b.Name.Key()) })
	joined := r.describe()
	r.reuse()
	for _, details := range []func(context.Context) error{r.partitions, r.statistics, r.keys, r.marks, r.samples} {
		if err := details(ctx); err != nil {
			return nil, r.report, err
		}
	}
	if _, err := joined.Declare(nil); err != nil { // tests of dbt run in the warehouse itself
		return nil, r.report, err
	}
	r.settle()
	s := &catalog.Snapshot{Tables: make([]catalog.Table, len(r.tables))}
	r.report.Tables = make([]ingest.TableReport, len(r.tables))
	for i, t := range r.tables {
		s.Tables[i] = t.Table
		r.report.Tables[i] = ingest.TableReport{Name: t.Name, Rows: t.RowCount}
	}
	if before.Snapshot != nil {
		changes := ingest.CompareTables(before.Snapshot, s)
		r.report.Changes = &changes
	}
	slices.SortFunc(r.report.Problems, func(a, b ingest.Problem) int { return strings.Compare(a.String(), b.String()) })
	slices.SortFunc(r.report.Lost, func(a, b source.Lost) int { return strings.Compare(a.Where, b.Where) })
	return s, r.report, nil
}

// describe gives the tables the texts that Options.Described has of them.
func (r *reader) describe() *ingest.Joined {
	tables := make([]*catalog.Table, len(r.tables))
	for i, t := range r.tables {
		tables[i] = &t.Table
	}
	joined := ingest.Join(tables, r.options.Described)
	joined.Describe()
	if missing := joined.Missing(); len(missing) > 0 && !r.options.partly {
		r.problem(ingest.KindNote, "", "%s", ingest.MissingSentence(missing))
	}
	return joined
}

// readPlaces reads all places, some schemas at a time.
func (r *reader) readPlaces(ctx context.Context, places []place) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.options.Concurrency)
	for _, p := range places {
		names, err := r.column(ctx, meta.Schemas(p.catalog))
		if err != nil {
			if err := r.lost(ctx, p, "", err); err != nil {
				return errors.Join(err, group.Wait())
			}
			continue
		}
		schemas := p.schemas(names, r.options)
		r.step(len(schemas), 0, "")
		for _, schema := range schemas {
			group.Go(func() error { return r.readSchema(ctx, p, schema) })
		}
	}
	return group.Wait()
}

// readSchema reads one schema, so that a broken one takes no other along.
func (r *reader) readSchema(ctx context.Context, p place, schema string) error {
	defer r.step(0, 1, p.where()+"."+schema)
	if tables, ok := r.before.journal.readBefore(p, schema); ok {
		entries := make([]*entry, len(tables))
		for i, t := range tables {
			entries[i] = p.entry(t)
		}
		r.keep(entries)
		return nil
	}
	tables, err := r.schemaTables(ctx, p, schema)
	if err != nil {
		return r.lost(ctx, p, schema, err)
	}
	r.before.journal.schemaDone(p, schema, tables)
	r.keep(tables)
	return nil
}

// lost reports a schema, or with none a catalog, that could not be read, and keeps
// its tables as they were.
func (r *reader) lost(ctx context.Context, p place, schema string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	where, what := p.where(), "the catalog"
	if schema != "" {
		where, what = p.where()+"."+schema, "the schema"
	}
	kept := 0
	if r.before.Snapshot != nil {
		var tables []*entry
		for _, t := range r.before.Snapshot.Tables {
			if t.Name.Region == p.region && (schema == "" || p.prefix+t.Name.Schema == schema) {
				e := p.entry(t)
				e.kept = true
				if r.before.Profile != r.options.profile() {
					e.forgetSamples()
				}
				tables = append(tables, e)
			}
		}
		kept = len(tables)
		r.keep(tables)
	}
	consequence := "it is left out"
	if kept > 0 {
		consequence = fmt.Sprintf("its %d tables stay as the last ingest found them", kept)
	}
	r.problem(ingest.KindTableSkipped, where, "%s cannot be read, so %s: %s", what, consequence, inWords(err))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Lost = append(r.report.Lost, source.Lost{Where: where, Why: inWords(err), Kept: kept})
	return nil
}

// entry is a table whose names in the catalog are known.
func (p place) entry(t catalog.Table) *entry {
	stored := t.Name
	stored.Region, stored.Schema = p.catalog, p.prefix+t.Name.Schema
	return &entry{Table: t, place: p, stored: stored}
}

// keep takes tables in, up to the bound.
func (r *reader) keep(tables []*entry) {
	r.mu.Lock()
	room := max(r.options.MaxTables-len(r.tables), 0)
	first := len(tables) > room && !r.full
	r.full = r.full || first
	r.tables = append(r.tables, tables[:min(len(tables), room)]...)
	r.mu.Unlock()
	if first {
		r.problem(ingest.KindNote, "", "there are more than %d tables (MaxTables): the rest is left out; --schema, --include and --exclude choose", r.options.MaxTables)
	}
}

// step tells of progress.
func (r *reader) step(more, done int, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total += more
	r.done += done
	if done > 0 {
		r.options.Progress(r.done, r.total, what)
	}
}

// each hands the rows of a statement to take, one at a time.
func (r *reader) each(ctx context.Context, statement meta.Statement, take func(row []any)) error {
	return each(ctx, r.server, run.Principal{}, statement, r.options, take)
}

// column returns the first column of a statement's rows.
func (r *reader) column(ctx context.Context, statement meta.Statement) ([]string, error) {
	var values []string
	err := r.each(ctx, statement, func(row []any) { values = append(values, text(row, 0)) })
	return values, err
}

// all returns the rows of a statement that has few.
func all(ctx context.Context, server Server, statement meta.Statement, o Options) (rows [][]any, err error) {
	err = each(ctx, server, run.Principal{}, statement, o, func(row []any) { rows = append(rows, row) })
	return rows, err
}

func each(ctx context.Context, server Server, as run.Principal, statement meta.Statement, o Options, take func(row []any)) (err error) {
	rows, err := server.Metadata(ctx, as, statement, o.statement())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		page, err := rows.Next(ctx, pageRows)
		for _, row := range page {
			take(row)
		}
		switch {
		case errors.Is(err, io.EOF):
			if rows.Stats().Truncated {
				return fmt.Errorf("the server's list (%s) is longer than what is read: choose fewer schemas", statement.Kind())
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// statement is how a statement is asked.
func (o Options) statement() warehouse.Options {
	return warehouse.Options{MaxRows: maxRows, MaxBytes: maxBytes, Timeout: o.Timeout, Tag: "ingest"}
}

// text is a value that may be null.
func text(row []any, i int) string {
	if i >= len(row) {
		return ""
	}
	s, _ := row[i].(string)
	return s
}

// nameOf is the name that the server gives a failure; "" where it is not the server's.
func nameOf(err error) string {
	var failure *warehouse.Error
	if errors.As(err, &failure) {
		return failure.Name
	}
	return ""
}

// inWords is an error without what only a log needs.
func inWords(err error) string {
	var failure *warehouse.Error
	if errors.As(err, &failure) {
		return failure.Name + ": " + failure.Message
	}
	return err.Error()
}
