// Package history reads what people asked a Trino server, as its event listener
// wrote it down, and notes in the catalog of a source that is there already who
// used which table on which day, which columns were read, filtered and grouped by,
// which tables were joined on what, the shapes of the queries, and the words that
// people gave to what they read.
//
//	events -> finished queries of tables of the source, each once -> counts
//	       -> texts of queries -> joins, roles of columns, templates, names given
//
// No value that stands in a query is kept, and no name that repeats one. What was
// counted before is not counted again, so that the same file, or one that overlaps with
// it, can be given any number of times.
package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// Options of reading the query history. Zero values mean the defaults named in the
// comments.
type Options struct {
	// NoUsers keeps no names of persons: queries are counted by day only.
	NoUsers bool
	// NoShapes keeps no templates of queries and no words of people: only counts.
	NoShapes bool
	// Exclude are persons whose queries are not counted.
	Exclude []string
	// Anew forgets what was counted before.
	Anew bool

	KeepDays     int   // days before the latest query that are kept; 90
	MaxFiles     int   // files of a folder; 10,000
	MaxFileBytes int64 // bytes of one file, unpacked; 64 GiB
	MaxEvent     int   // bytes of one event; 16 MiB
	MaxProblems  int   // problems kept in the report; 1,000
	MaxQueries   int   // queries of the kept days; 5,000,000
	MaxUses      int   // entries of a table by day and person, then persons are put together; 2,000
	MaxColumns   int   // columns of a table that are counted; 200
	MaxJoins     int   // joins of a table that are kept, those of most queries; 50
	MaxShapes    int   // texts of queries that are remembered while reading; 100,000
	MaxTemplates int   // shapes of queries of a table, those of most queries; 20
	MaxWords     int   // words that people gave to what they read of a table; 50

	MaxTemplateBytes int // bytes of a shape; longer ones are not kept; 2,000

	// Progress is told of the queries that are done of the file at hand.
	Progress func(done, total int, what string)
}

func (o Options) complete() Options {
	for _, d := range []struct {
		value     *int
		otherwise int
	}{
		{&o.KeepDays, 90}, {&o.MaxFiles, 10_000}, {&o.MaxEvent, 16 << 20}, {&o.MaxProblems, 1_000}, {&o.MaxQueries, 5_000_000},
		{&o.MaxUses, 2_000}, {&o.MaxColumns, 200}, {&o.MaxJoins, 50}, {&o.MaxShapes, 100_000},
		{&o.MaxTemplates, 20}, {&o.MaxWords, 50}, {&o.MaxTemplateBytes, 2_000},
	} {
		if *d.value <= 0 {
			*d.value = d.otherwise
		}
	}
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = 64 << 30
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	return o
}

// Report tells what became of the events.
type Report struct {
	Queries   int // counted now
	Known     int // counted by an earlier reading
	Failed    int // queries that failed: they tell nothing
	Elsewhere int // queries of no table of the source
	TooOld    int // before the days that are kept
	Broken    int // events that could not be read
	Excluded  int // queries of persons who are not counted
	Unread    int // queries that were counted, but whose text could not be read
	Tables    int // tables that were used in the days that are kept
	Until     time.Time
	Problems  []ingest.Problem // bounded
	Dropped   int              // problems beyond the bound
}

// Ingest reads a file of events, or all files of a folder, into the source name.
// Errors: those of source.Store.Update and ingest.CheckInput; HISTORY_NOTHING where
// no event could be read; HISTORY_TOO_LARGE.
func Ingest(ctx context.Context, store *source.Store, name, path string, options Options) (Report, error) {
	options = options.complete()
	return update(ctx, store, name, options, func(r *reader) error {
		if err := r.read(ctx, path); err != nil {
			return err
		}
		if r.report.empty() {
			return nothing(path, r.report)
		}
		return nil
	})
}

// update counts what feed gives into a source.
func update(ctx context.Context, store *source.Store, name string, options Options, feed func(*reader) error) (Report, error) {
	var report Report
	_, err := store.Update(ctx, name, func(c *source.Change) error {
		seen, err := startFrom(c, options.Anew)
		if err != nil {
			return err
		}
		r := newReader(options, c.Manifest, c.Snapshot, seen)
		if err := feed(r); err != nil {
			return err
		}
		report = r.report
		if r.report.Queries == 0 {
			return source.ErrUnchanged
		}
		r.finish()
		report = r.report
		return seen.write(c.Dir)
	})
	return report, err
}

// empty reports whether no event of a query was read.
func (r *Report) empty() bool {
	return r.Queries+r.Known+r.Elsewhere+r.Failed+r.TooOld+r.Excluded == 0
}

// Count is Ingest into a catalog in memory, of which nothing was counted before.
// Errors: those of ingest.CheckInput, HISTORY_NOTHING and HISTORY_TOO_LARGE.
func Count(ctx context.Context, m source.Manifest, s *catalog.Snapshot, path string, options Options) (Report, error) {
	r := newReader(options.complete(), m, s, newSeen())
	if err := r.read(ctx, path); err != nil {
		return r.report, err
	}
	if r.report.Queries == 0 {
		return r.report, nothing(path, r.report)
	}
	r.finish()
	return r.report, nil
}

// startFrom returns what was counted before.
func startFrom(c *source.Change, anew bool) (*seen, error) {
	if !anew {
		return readSeen(c.Dir)
	}
	for i := range c.Snapshot.Tables {
		if t := &c.Snapshot.Tables[i]; t.Usage != nil {
			t.Usage, t.QueryCount30d = nil, 0
		}
	}
	return newSeen(), nil
}

func nothing(path string, r Report) error {
	why := "no query-completed event was found"
	if len(r.Problems) > 0 {
		why = r.Problems[0].String()
	}
	return fault.Invalid("path", "HISTORY_NOTHING", "nothing could be read of %s: %s", path, why)
}

// reader counts the queries of one reading.
type reader struct {
	options Options
	report  Report
	names   *names
	seen    *seen
	shapes  map[uint64]*shape
	counts  map[*catalog.Table]*counts
	tables  []catalog.Table
}

func newReader(o Options, m source.Manifest, s *catalog.Snapshot, seen *seen) *reader {
	return &reader{
		options: o, names: newNames(m, s), seen: seen, tables: s.Tables,
		shapes: make(map[uint64]*shape), counts: make(map[*catalog.Table]*counts),
	}
}

func (r *reader) problem(kind ingest.Kind, file string, line int, format string, args ...any) {
	if len(r.report.Problems) >= r.options.MaxProblems {
		r.report.Dropped++
		return
	}
	r.report.Problems = append(r.report.Problems, ingest.Problem{Kind: kind, File: file, Line: line, Message: fmt.Sprintf(format, args...)})
}

// take counts an event. The error says that there is no room for more.
func (r *reader) take(e *event) error {
	switch {
	case !e.completed() || e.ours():
		return nil
	case e.Metadata.QueryState != "FINISHED":
		r.report.Failed++
		return nil
	}
	if slices.Contains(r.options.Exclude, e.Context.User) {
		r.report.Excluded++
		return nil
	}
	s, used := (*shape)(nil), r.names.used(e)
	if !e.told() {
		s = r.shapeOf(e)
		used = s.tables
	}
	if len(used) == 0 {
		r.report.Elsewhere++
		return nil
	}
	at := e.at()
	switch fresh, err := r.seen.add(at, e.Metadata.QueryID, r.options); {
	case err != nil:
		return err
	case fresh == tooOld:
		r.report.TooOld++
		return nil
	case fresh == known:
		r.report.Known++
		return nil
	}
	r.report.Queries++
	if s == nil {
		s = r.shapeOf(e)
	}
	if !s.read {
		r.report.Unread++
	}
	r.count(e, s, used, at)
	return nil
}

// count notes a query of some tables, and what its text says.
func (r *reader) count(e *event, s *shape, tables []used, at time.Time) {
	day, user := at.Format(time.DateOnly), e.Context.User
	if r.options.NoUsers {
		user = ""
	}
	for _, u := range tables {
		c := r.countsOf(u.table)
		c.uses[useKey{day, user}]++
		c.until = later(c.until, at)
		columns := u.columns
		if len(columns) == 0 {
			columns = s.columnsOf(u.table)
		}
		for _, column := range columns {
			does := s.column(u.table, column.name)
			does.name = column.name
			c.column(does, day)
		}
	}
	r.join(s, tables, day)
	if s.template == "" && len(s.named) == 0 || r.options.NoShapes {
		return
	}
	for _, word := range titleWords(e, s) {
		r.word(catalog.Word{Text: word, Reads: s.reads}, day)
	}
	for _, word := range s.named {
		r.word(word, day)
	}
	if s.template != "" {
		for _, u := range s.tables {
			r.countsOf(u.table).template(s.template, s.reads, day, r.options)
		}
	}
}

// word counts a word for each of the tables that it says something about.
func (r *reader) word(w catalog.Word, day string) {
	for _, read := range w.Reads {
		if t, ok := r.names.index.Lookup(read.Table); ok {
			r.countsOf(t).word(w.Text, w.Reads, day, r.options)
		}
	}
}

func (r *reader) countsOf(t *catalog.Table) *counts {
	c := r.counts[t]
	if c == nil {
		c = newCounts(t.Usage)
		r.counts[t] = c
	}
	return c
}

// finish writes the counts into the catalog: those of tables that were used now,
// and what is left of the others within the days that are kept.
func (r *reader) finish() {
	until := r.seen.until()
	since := until.AddDate(0, 0, -r.options.KeepDays).Format(time.DateOnly)
	month := until.AddDate(0, 0, -daysCounted+1).Format(time.DateOnly)
	r.report.Until = until
	for i := range r.tables {
		t := &r.tables[i]
		c := r.counts[t]
		if c == nil && t.Usage == nil {
			continue
		}
		if c == nil {
			c = newCounts(t.Usage)
		}
		t.Usage = c.usage(since, r.options)
		t.QueryCount30d = t.Usage.Since(month)
		if len(t.Usage.Uses) > 0 {
			r.report.Tables++
		}
	}
	r.seen.drop(since)
}

// daysCounted are the days of Table.QueryCount30d.
const daysCounted = 30

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
