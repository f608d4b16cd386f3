package trino

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// fake is a server that answers by rules: the first whose words are all in the
// statement. What no rule knows has no rows.
type fake struct {
	rules []rule

	mu    sync.Mutex
	asked []string
	as    []string
}

type rule struct {
	words []string
	rows  [][]any
	typ   string // of the one column
	err   error
	wait  bool // until the context ends
	do    func()
}

func (f *fake) Metadata(ctx context.Context, p run.Principal, s meta.Statement, _ warehouse.Options) (warehouse.Rows, error) {
	f.mu.Lock()
	f.asked, f.as = append(f.asked, s.SQL()), append(f.as, p.ID)
	f.mu.Unlock()
	for _, r := range f.rules {
		if !slices.ContainsFunc(r.words, func(w string) bool { return !strings.Contains(s.SQL(), w) }) {
			if r.do != nil {
				r.do()
			}
			if r.wait {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return &rows{left: r.rows, typ: r.typ}, r.err
		}
	}
	return &rows{}, nil
}

func (f *fake) count(words string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.asked {
		if strings.Contains(s, words) {
			n++
		}
	}
	return n
}

type rows struct {
	left [][]any
	typ  string
}

func (r *rows) Columns() []warehouse.Column { return []warehouse.Column{{Name: "c", Type: r.typ}} }
func (r *rows) Next(context.Context, int) ([][]any, error) {
	page := r.left
	r.left = nil
	return page, io.EOF
}
func (r *rows) Stats() warehouse.Stats { return warehouse.Stats{} }
func (r *rows) Close() error           { return nil }

// shop is a server with an Iceberg catalog of two schemas and a Hive catalog.
func shop() *fake {
	return &fake{rules: []rule{
		{words: []string{"metadata\".\"catalogs"}, rows: [][]any{{"hive", "hive"}, {"lake", "iceberg"}, {"system", "system"}, {"jmx", "jmx"}}},
		{words: []string{`"lake"."information_schema"."schemata"`}, rows: [][]any{{"cs"}, {"mp"}, {"system"}}},
		{words: []string{`"hive"."information_schema"."schemata"`}, rows: [][]any{{"old"}}},
		{words: []string{`"lake"."information_schema"."tables"`, "'mp'"}, rows: [][]any{
			{"dwd_order", "BASE TABLE"}, {"v_order", "VIEW"}, {"hidden", "BASE TABLE"},
		}},
		{words: []string{`"lake"."information_schema"."tables"`, "'cs'"}, rows: [][]any{{"tickets", "BASE TABLE"}}},
		{words: []string{`"lake"."information_schema"."columns"`, "'cs'"}, rows: [][]any{{"tickets", "id", "bigint", "NO", nil, nil}}},
		{words: []string{`"lake"."information_schema"."columns"`, "'mp'"}, rows: [][]any{
			{"dwd_order", "id", "bigint", "NO", "the order ", nil},
			{"dwd_order", "city", "varchar(20)", "YES", nil, nil},
			{"dwd_order", "email", "varchar", "YES", nil, nil},
			{"dwd_order", "day", "date", "YES", nil, nil},
			{"dwd_order", "created", "timestamp(6)", "YES", nil, nil},
			{"v_order", "id", "bigint", "YES", nil, nil},
		}},
		{words: []string{`"hive"."information_schema"."tables"`}, rows: [][]any{{"events", "BASE TABLE"}}},
		{words: []string{`"hive"."information_schema"."columns"`}, rows: [][]any{
			{"events", "n", "integer", "YES", nil, nil}, {"events", "ds", "varchar", "YES", nil, "partition key"},
		}},
		{words: []string{"table_comments", "'lake'", "'mp'"}, rows: [][]any{{"dwd_order", "orders, one a row"}}},
		{words: []string{`"views"`, `"lake"`}, rows: [][]any{{"v_order", "SELECT id FROM lake.mp.dwd_order"}}},
		{words: []string{"dwd_order$partitions"}, typ: "row(day date, created_month integer, id_bucket integer)"},
		{words: []string{"tickets$partitions"}, err: &warehouse.Error{Name: "COLUMN_NOT_FOUND"}},
		{words: []string{"SHOW STATS", "dwd_order"}, rows: [][]any{
			{"city", nil, 3.0, 0.0, nil, nil, nil}, {"email", nil, 900.0, 0.0, nil, nil, nil}, {nil, nil, nil, nil, 1000.0, nil, nil},
		}},
		{words: []string{"SHOW STATS", "events"}, rows: [][]any{{nil, nil, nil, nil, nil, nil, nil}}},
		{words: []string{`SELECT "city"`}, rows: [][]any{{"Lisbon"}, {"Bern"}}},
	}}
}

func table(t *testing.T, s *catalog.Snapshot, name string) catalog.Table {
	t.Helper()
	i := slices.IndexFunc(s.Tables, func(t catalog.Table) bool { return t.Name.String() == name })
	require.GreaterOrEqual(t, i, 0, "%s is not there", name)
	return s.Tables[i]
}

func names(s *catalog.Snapshot) []string {
	var names []string
	for _, t := range s.Tables {
		names = append(names, t.Name.String())
	}
	return names
}

// readAll reads what a server tells, all at one moment: tables note when they were looked into.
func readAll(t *testing.T, f *fake, old *catalog.Snapshot, o Options) (*catalog.Snapshot, ingest.Report) {
	t.Helper()
	if o.Clock == nil {
		o.Clock = at(noon)
	}
	places, err := choose(t.Context(), f, o)
	require.NoError(t, err)
	s, report, err := Read(t.Context(), f, places, Before{Snapshot: old}, o)
	require.NoError(t, err)
	return s, report
}

func TestRead(t *testing.T) {
	t.Parallel()
	f := shop()
	s, report := readAll(t, f, nil, Options{Samples: true, SamplesAs: "everybody"})
	require.Equal(t, []string{"hive.old.events", "lake.cs.tickets", "lake.mp.dwd_order", "lake.mp.v_order"}, names(s))

	order := table(t, s, "lake.mp.dwd_order")
	require.Equal(t, "orders, one a row", order.Description)
	require.Equal(t, "dwd", order.Layer)
	require.EqualValues(t, 1000, order.RowCount)
	require.Equal(t, []string{"day", "created"}, order.PartitionColumns(), "a bucket serves single values only")
	require.Equal(t, []catalog.Column{
		{Name: "id", Type: "bigint", NotNull: true, Comment: "the order"},
		{Name: "city", Type: "varchar(20)", Distinct: 3, Samples: []string{"Lisbon", "Bern"}},
		{Name: "email", Type: "varchar", Distinct: 900, Personal: &catalog.Personal{Kind: "email", Reason: "its name says that it holds e-mail addresses"}},
		{Name: "day", Type: "date", Partition: true},
		{Name: "created", Type: "timestamp(6)", Partition: true},
	}, order.Columns)

	view := table(t, s, "lake.mp.v_order")
	require.Equal(t, catalog.KindView, view.Kind)
	require.Equal(t, "View of lake.mp.dwd_order", view.Description)
	events := table(t, s, "hive.old.events")
	require.Equal(t, []string{"ds"}, events.PartitionColumns())
	require.EqualValues(t, -1, events.RowCount, "no statistics is not no rows")

	require.Len(t, report.Problems, 1)
	require.Contains(t, report.Problems[0].String(), "lake.mp.hidden: the server shows no columns")
	require.Len(t, report.Tables, 4)
	require.Zero(t, f.count(`SELECT "email"`), "personal data is not even read")
	require.Contains(t, f.as, "everybody")
}

func TestWithoutSamplesNoValueIsRead(t *testing.T) {
	t.Parallel()
	f := shop()
	s, _ := readAll(t, f, nil, Options{NoStatistics: true})
	require.Zero(t, f.count("GROUP BY"))
	require.Zero(t, f.count("SHOW STATS"))
	require.EqualValues(t, -1, table(t, s, "lake.mp.dwd_order").RowCount)
}

func TestRegionsTakeCatalogsAndPrefixes(t *testing.T) {
	t.Parallel()
	f := shop()
	o := Options{Catalogs: []string{"hive"}, Regions: map[string]source.TrinoPlace{"sg": {Catalog: "lake", SchemaPrefix: "m"}, "us": {Catalog: "lake", SchemaPrefix: "c"}}}
	s, _ := readAll(t, f, nil, o)
	require.Equal(t, []string{"hive.old.events", "sg.p.dwd_order", "sg.p.v_order", "us.s.tickets"}, names(s))
	require.EqualValues(t, 1000, table(t, s, "sg.p.dwd_order").RowCount, "statistics are asked under the name in Trino")
}

// TestBrokenParts holds that a catalog or a schema that cannot be read costs
// nothing but itself, and that what was known of it stays.
func TestBrokenParts(t *testing.T) {
	t.Parallel()
	old := &catalog.Snapshot{Tables: []catalog.Table{
		{Name: catalog.Name{Region: "hive", Schema: "old", Table: "events"}, RowCount: 7},
		{Name: catalog.Name{Region: "lake", Schema: "cs", Table: "gone"}},
	}}
	f := shop()
	f.rules = append([]rule{
		{words: []string{`"hive"."information_schema"."schemata"`}, err: &warehouse.Error{Name: "HIVE_METASTORE_ERROR", Message: "no metastore"}},
		{words: []string{`"lake"."information_schema"."columns"`, "'cs'"}, err: errors.New("a broken table")},
	}, f.rules...)
	s, report := readAll(t, f, old, Options{})
	require.Equal(t, []string{"hive.old.events", "lake.cs.gone", "lake.mp.dwd_order", "lake.mp.v_order"}, names(s))
	require.EqualValues(t, 7, table(t, s, "hive.old.events").RowCount)
	require.Len(t, report.Problems, 3)
	require.Equal(t, "hive: the catalog cannot be read, so its 1 tables stay as the last ingest found them: HIVE_METASTORE_ERROR: no metastore", report.Problems[0].String())
	require.Equal(t, "lake.cs: the schema cannot be read, so its 1 tables stay as the last ingest found them: a broken table", report.Problems[1].String())

	_, report = readAll(t, f, nil, Options{})
	require.Contains(t, report.Problems[0].String(), "the catalog cannot be read, so it is left out")
}

func TestNothingToRead(t *testing.T) {
	t.Parallel()
	f := &fake{rules: []rule{{words: []string{"catalogs"}, rows: [][]any{{"hive", "hive"}}}, {words: []string{"schemata"}, err: errors.New("away")}}}
	places, err := choose(t.Context(), f, Options{})
	require.NoError(t, err)
	_, _, err = Read(t.Context(), f, places, Before{}, Options{})
	require.Equal(t, "INGEST_NOTHING", fault.ReasonOf(err))
	require.Contains(t, err.Error(), "away")
}

// TestServersWithoutHiddenColumns tell comments elsewhere.
func TestServersWithoutHiddenColumns(t *testing.T) {
	t.Parallel()
	f := shop()
	f.rules = append([]rule{
		{words: []string{`"extra_info"`}, err: &warehouse.Error{Name: "COLUMN_NOT_FOUND"}},
		{words: []string{`"jdbc"`, "'old'"}, rows: [][]any{{"events", "n", "how many"}}},
	}, f.rules...)
	s, _ := readAll(t, f, nil, Options{Catalogs: []string{"hive"}})
	require.Equal(t, "how many", table(t, s, "hive.old.events").Columns[0].Comment)
}

func TestBudgetAndBounds(t *testing.T) {
	t.Parallel()
	f := shop()
	f.rules = append([]rule{{words: []string{"SHOW STATS"}, wait: true}}, f.rules...)
	s, report := readAll(t, f, nil, Options{Budget: 20 * time.Millisecond})
	require.Len(t, s.Tables, 4)
	require.Contains(t, fmt.Sprint(report.Problems), "the statistics of 3 of 3 tables are left out: the time for them (20ms) was used up")
	require.True(t, table(t, s, "lake.mp.dwd_order").ProfiledAt.IsZero(), "the next ingest looks into it")

	s, report = readAll(t, shop(), nil, Options{MaxTables: 2})
	require.Len(t, s.Tables, 2)
	require.Contains(t, fmt.Sprint(report.Problems), "more than 2 tables")

	s, _ = readAll(t, shop(), nil, Options{Samples: true, MaxSourceSamples: 1})
	require.Equal(t, []string{"Lisbon"}, table(t, s, "lake.mp.dwd_order").Columns[1].Samples)
	s, _ = readAll(t, shop(), nil, Options{Samples: true, MaxSampleRows: 10})
	require.Empty(t, table(t, s, "lake.mp.dwd_order").Columns[1].Samples)

	ctx, cancel := context.WithCancel(t.Context())
	f = shop()
	f.rules = append([]rule{{words: []string{"SHOW STATS"}, wait: true}}, f.rules...)
	places, err := choose(ctx, f, Options{})
	require.NoError(t, err)
	time.AfterFunc(10*time.Millisecond, cancel)
	_, _, err = Read(ctx, f, places, Before{}, Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	places, err := choose(t.Context(), shop(), Options{})
	require.NoError(t, err)
	require.Equal(t, []place{{region: "hive", catalog: "hive", connector: "hive"}, {region: "lake", catalog: "lake", connector: "iceberg"}}, places)
	_, err = choose(t.Context(), shop(), Options{Catalogs: []string{"lakes"}})
	require.Equal(t, "TRINO_CATALOG_UNKNOWN", fault.ReasonOf(err))
	require.Contains(t, err.Error(), "hive, jmx, lake, system")
	_, err = choose(t.Context(), shop(), Options{Include: []string{"a.b.c.d"}})
	require.Equal(t, "INGEST_PATTERN_INVALID", fault.ReasonOf(err))
	require.Equal(t, []string{"mp"}, place{}.schemas([]string{"cs", "mp", "information_schema"}, Options{Schemas: []string{"M*"}}))
}

func TestWanted(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		include, exclude []string
		want             bool
	}{
		{nil, nil, true},
		{[]string{"dwd_*"}, nil, true},
		{[]string{"mp.*"}, nil, true},
		{[]string{"hive.mp.dwd_order_di"}, nil, true},
		{[]string{"*_ORDER_*"}, nil, true},
		{[]string{"cs.*", "dwd*di"}, nil, true},
		{[]string{"dwd"}, nil, false},
		{[]string{"cs.*"}, nil, false},
		{[]string{"*"}, []string{"*_di"}, false},
		{nil, []string{"mp.dwd_*"}, false},
		{nil, []string{"*.*.*"}, false},
		{nil, []string{"dwd_*order_*order_di"}, true},
	} {
		require.Equal(t, tc.want, Options{Include: tc.include, Exclude: tc.exclude}.wanted("hive", "mp", "dwd_order_di"), "%v", tc)
	}
	require.True(t, fit("a*b*c", "a1b2c"))
	require.False(t, fit("a*b*c", "a1c2"))
	require.False(t, fit("ab*ba", "aba"), "the parts may not share characters")
}

// TestDescriptionsFromElsewhere: what a project says of tables goes before the server's
// comments, and does not make them look changed the next time.
func TestDescriptionsFromElsewhere(t *testing.T) {
	t.Parallel()
	described := []catalog.Table{
		{Name: catalog.Name{Region: "dwh", Schema: "mp", Table: "dwd_order"}, Description: "An order a row.", Owner: "ann", Columns: []catalog.Column{
			{Name: "ID", Comment: "its number", PrimaryKey: true}, {Name: "city", Samples: []string{"Bern"}},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"id"}, RefTable: catalog.Name{Region: "dwh", Schema: "cs", Table: "tickets"}, RefColumns: []string{"ID"}}}},
		{Name: catalog.Name{Region: "dwh", Schema: "cs", Table: "tickets"}},
		{Name: catalog.Name{Region: "dwh", Schema: "cs", Table: "gone"}},
	}
	f := shop()
	options := Options{Described: described, Clock: at(noon)}
	s, report := readAll(t, f, nil, options)
	order := table(t, s, "lake.mp.dwd_order")
	require.Equal(t, "An order a row.", order.Description)
	require.Equal(t, "ann", order.Owner)
	require.Equal(t, []string{"id"}, order.PrimaryKey())
	require.Equal(t, "its number", order.Columns[0].Comment)
	require.Equal(t, []string{"Bern"}, order.Columns[1].Samples)
	require.Equal(t, []catalog.ForeignKey{{Columns: []string{"id"}, RefTable: table(t, s, "lake.cs.tickets").Name, RefColumns: []string{"id"}}}, order.ForeignKeys)
	require.True(t, slices.ContainsFunc(report.Problems, func(p ingest.Problem) bool {
		return p.Message == "described, but not among the tables: dwh.cs.gone"
	}), "%v", report.Problems)
	asked := f.count("SHOW STATS")
	places, err := choose(t.Context(), f, options)
	require.NoError(t, err)
	again, _, err := Read(t.Context(), f, places, Before{Snapshot: s, Profile: options.complete().profile()}, options)
	require.NoError(t, err)
	require.Equal(t, asked, f.count("SHOW STATS"), "nothing has changed, so nothing is looked into again")
	require.Equal(t, order.ForeignKeys, table(t, again, "lake.mp.dwd_order").ForeignKeys)
}
