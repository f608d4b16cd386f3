package ingest

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/personal"
	"github.com/dibrain/dibrain/pkg/catalog/stored"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

// Bounds of what a description may hold.
const (
	maxSchemaName = 256 // characters of a region or a schema: those of the contract
	maxTableName  = 512
	maxText       = 64 << 10 // bytes of a description or a comment
	describedMax  = 200_000  // tables
)

// Describer gathers tables that are only described: their data is elsewhere, or
// nowhere. What does not fit is left out and reported.
type Describer struct {
	// Snapshot takes marts, glossary and rules; tables come by Add.
	Snapshot catalog.Snapshot

	options  Options
	region   string
	personal personal.Rules
	byKey    map[string]bool
	samples  int
	b        builder // for its report
}

// Region is the region of tables that name none: the source's name.
func (d *Describer) Region() string { return d.region }

// Options returns the options of the ingest, completed.
func (d *Describer) Options() Options { return d.options }

// Problem notes what people should know.
func (d *Describer) Problem(p Problem) { d.b.problem(p) }

// Add takes a table in. at says where it was read: file, line and column.
func (d *Describer) Add(t catalog.Table, at Problem) {
	skip := func(format string, args ...any) {
		at.Kind, at.Message = KindTableSkipped, fmt.Sprintf(format, args...)
		d.b.problem(at)
	}
	d.complete(&t.Name)
	for i := range t.ForeignKeys {
		d.complete(&t.ForeignKeys[i].RefTable)
	}
	switch key := t.Name.Key(); {
	case t.Name.Table == "":
		skip("the table has no name and is left out")
	case utf8.RuneCountInString(t.Name.Table) > maxTableName,
		utf8.RuneCountInString(t.Name.Schema) > maxSchemaName, utf8.RuneCountInString(t.Name.Region) > maxSchemaName:
		skip("the table %q is left out: its name is too long, of at most %d characters (%d of a schema)", shorten(t.Name.String(), 60), maxTableName, maxSchemaName)
	case len(d.Snapshot.Tables) >= d.options.MaxTables:
		skip("table %q is left out: more than %d tables (MaxTables)", t.Name, d.options.MaxTables)
	case len(t.Columns) > d.options.MaxColumns:
		skip("table %q has %d columns and is left out: at most %d (MaxColumns)", t.Name, len(t.Columns), d.options.MaxColumns)
	case d.byKey[key]:
		skip("table %q is there twice: the first one counts", t.Name)
	default:
		d.byKey[key] = true
		if t.Kind == "" {
			t.Kind = catalog.KindTable
		}
		d.bound(&t)
		d.Snapshot.Tables = append(d.Snapshot.Tables, t)
	}
}

func (d *Describer) complete(n *catalog.Name) {
	if n.Region == "" {
		n.Region = d.region
	}
	if n.Schema == "" {
		n.Schema = mainSchema
	}
}

// bound cuts texts and values to what a catalog keeps, and takes out the values
// that it must not keep.
func (d *Describer) bound(t *catalog.Table) {
	t.Description = shorten(t.Description, maxText)
	ofPersons := d.personal.OfPersons(t.Name.Table)
	for i := range t.Columns {
		c := &t.Columns[i]
		c.Comment = shorten(c.Comment, maxText)
		var keep bool
		if c.Personal, keep = d.personal.ByName(ofPersons, c.Name); c.Personal == nil {
			c.Personal, keep = d.personal.ByValues(c.Samples[:min(len(c.Samples), markedValues)], false)
		}
		if len(c.Samples) == 0 {
			continue
		}
		if d.options.NoSamples || !keep {
			c.Samples = nil
			continue
		}
		kept := c.Samples[:0]
		for _, v := range c.Samples {
			if v != "" && utf8.RuneCountInString(v) <= maxSampleRunes && len(kept) < d.options.MaxSamples && d.samples < d.options.MaxSourceSamples {
				kept = append(kept, v)
				d.samples++
			}
		}
		c.Samples = kept[:len(kept):len(kept)]
	}
}

// shorten cuts a text after at most n bytes, between two characters.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n]) + "…"
}

// Gather returns the tables that fill describes, bounded as Describe bounds them, and
// what people should know of them. Tables without a region have none.
func Gather(ctx context.Context, options Options, fill func(context.Context, *Describer) error) ([]catalog.Table, []Problem, error) {
	if options.MaxTables <= 0 {
		options.MaxTables = describedMax
	}
	d := newDescriber(options.complete(), "")
	if err := fill(ctx, d); err != nil {
		return nil, nil, err
	}
	return d.Snapshot.Tables, d.b.report.Problems, nil
}

func newDescriber(options Options, region string) *Describer {
	return &Describer{
		options: options, region: region, personal: personal.New(options.Personal), byKey: make(map[string]bool),
		b: builder{options: options, region: region},
	}
}

// Describe makes the source name from tables that fill describes. Where nothing
// has changed since the ingest before, its generation stays.
func Describe(ctx context.Context, store *source.Store, name, origin string, options Options, fill func(context.Context, *Describer) error) (Report, error) {
	if options.MaxTables <= 0 {
		options.MaxTables = describedMax
	}
	options = options.complete()
	d := newDescriber(options, name)
	_, err := store.Make(ctx, name, func(ctx context.Context, _ string) (source.Manifest, *catalog.Snapshot, error) {
		if err := fill(ctx, d); err != nil {
			return source.Manifest{}, nil, err
		}
		if len(d.Snapshot.Tables) == 0 {
			return source.Manifest{}, nil, d.b.nothing()
		}
		d.dropDanglingKeys()
		d.addMarts()
		m := source.Manifest{Engine: source.EngineNone, Version: Version, Origin: origin}
		m.DefaultRegion, m.DefaultSchema = MostTables(&d.Snapshot)
		err := d.compare(store, m)
		return m, &d.Snapshot, err
	})
	d.b.report.Tables = make([]TableReport, len(d.Snapshot.Tables))
	for i, t := range d.Snapshot.Tables {
		d.b.report.Tables[i] = TableReport{Name: t.Name, Rows: t.RowCount}
	}
	return d.b.report, err
}

// dropDanglingKeys gives foreign keys the stored spelling of what they point to,
// and removes those that point to nothing.
func (d *Describer) dropDanglingKeys() {
	d.b.byKey = make(map[string]*catalog.Table, len(d.Snapshot.Tables))
	d.b.tables = make([]*catalog.Table, len(d.Snapshot.Tables))
	for i := range d.Snapshot.Tables {
		t := &d.Snapshot.Tables[i]
		d.b.tables[i], d.b.byKey[t.Name.Key()] = t, t
	}
	d.b.dropDanglingKeys()
}

// addMarts makes the marts that tables name and nothing describes.
func (d *Describer) addMarts() {
	known := make(map[string]bool)
	for _, m := range d.Snapshot.Marts {
		known[m.Name] = true
	}
	for _, t := range d.Snapshot.Tables {
		if t.Mart != "" && !known[t.Mart] {
			known[t.Mart] = true
			d.Snapshot.Marts = append(d.Snapshot.Marts, catalog.Mart{Name: t.Mart})
		}
	}
}

// compare counts what has changed. The error is source.ErrUnchanged.
func (d *Describer) compare(store *source.Store, m source.Manifest) error {
	g, err := store.Current(d.region)
	if fault.ReasonOf(err) == source.ReasonUnknown {
		return nil
	}
	if err != nil {
		return nil //nolint:nilerr // damaged: it is made again
	}
	old, err := g.Stored()
	if err != nil {
		return nil //nolint:nilerr // so is this
	}
	c := CompareTables(old, &d.Snapshot)
	d.b.report.Changes = &c
	same := c.Added+c.Changed+c.Removed == 0 && m.Engine == g.Engine && m.Origin == g.Origin && m.Version == g.Version
	var h stored.Hasher
	if same && h.SumWords(old) == h.SumWords(&d.Snapshot) {
		return source.ErrUnchanged
	}
	return nil
}

// CompareTables counts how the tables of two generations differ; what the query
// history says does not count.
func CompareTables(before, after *catalog.Snapshot) Changes {
	var c Changes
	var h stored.Hasher
	sum := func(t catalog.Table) uint64 {
		t.Usage, t.QueryCount30d = nil, 0
		return h.Sum(&t)
	}
	sums := make(map[string]uint64, len(before.Tables))
	for _, t := range before.Tables {
		sums[t.Name.Key()] = sum(t)
	}
	for _, t := range after.Tables {
		was, known := sums[t.Name.Key()]
		switch {
		case !known:
			c.Added++
		case was == sum(t):
			c.Same++
		default:
			c.Changed++
		}
	}
	c.Removed = len(before.Tables) - c.Same - c.Changed
	return c
}

// MostTables returns the region and schema with most tables, the first by name of
// equals: what completes names best.
func MostTables(s *catalog.Snapshot) (region, schema string) {
	count := make(map[catalog.Name]int)
	for i := range s.Tables {
		count[catalog.Name{Region: s.Tables[i].Name.Region, Schema: s.Tables[i].Name.Schema}]++
	}
	var best catalog.Name
	for n, c := range count {
		if c > count[best] || c == count[best] && n.String() < best.String() {
			best = n
		}
	}
	return best.Region, best.Schema
}
