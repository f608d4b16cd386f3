package trino

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// TestWhatMakesATableAnother: whatever the server says of a table counts, and nothing that
// was found by looking into it.
func TestWhatMakesATableAnother(t *testing.T) {
	t.Parallel()
	base := func() catalog.Table {
		return catalog.Table{Name: catalog.Name{Table: "t"}, Kind: catalog.KindTable, Description: "d", Columns: []catalog.Column{{Name: "a", Type: "bigint", Comment: "c"}, {Name: "b", Type: "varchar"}}}
	}
	for name, c := range map[string]struct {
		change func(*catalog.Table)
		same   bool
	}{
		"nothing":       {func(*catalog.Table) {}, true},
		"kind":          {func(t *catalog.Table) { t.Kind = catalog.KindView }, false},
		"description":   {func(t *catalog.Table) { t.Description = "e" }, false},
		"a type":        {func(t *catalog.Table) { t.Columns[0].Type = "integer" }, false},
		"a name":        {func(t *catalog.Table) { t.Columns[1].Name = "B" }, false},
		"a comment":     {func(t *catalog.Table) { t.Columns[1].Comment = "x" }, false},
		"order":         {func(t *catalog.Table) { t.Columns[0], t.Columns[1] = t.Columns[1], t.Columns[0] }, false},
		"a column more": {func(t *catalog.Table) { t.Columns = append(t.Columns, catalog.Column{Name: "c"}) }, false},
		"a column less": {func(t *catalog.Table) { t.Columns = t.Columns[:1] }, false},
		"rows":          {func(t *catalog.Table) { t.RowCount = 9 }, true},
		"details": {func(t *catalog.Table) {
			c := &t.Columns[0]
			c.Distinct, c.PrimaryKey, c.Samples, c.Partition = 3, true, []string{"x"}, true
		}, true},
		"references": {func(t *catalog.Table) { t.ForeignKeys = []catalog.ForeignKey{{Columns: []string{"a"}}} }, true},
		"when":       {func(t *catalog.Table) { t.ProfiledAt = noon }, true},
	} {
		a, b := base(), base()
		c.change(&b)
		require.Equal(t, c.same, sameShape(&a, &b), name)
		require.Equal(t, c.same, sameShape(&b, &a), name)
	}
}

// TestALostSchemaKeepsItsOwnTables: those of schemas that could be read are as they are now,
// none is there twice, and the status counts what was kept.
func TestALostSchemaKeepsItsOwnTables(t *testing.T) {
	t.Parallel()
	before, _ := readAll(t, shop(), nil, Options{})
	f := shop()
	f.rules = append([]rule{
		{words: []string{`"lake"."information_schema"."tables"`, "'mp'"}, err: &warehouse.Error{Name: "ICEBERG_CATALOG_ERROR", Message: "away"}},
		{words: []string{`"lake"."information_schema"."tables"`, "'cs'"}, rows: [][]any{{"calls", "BASE TABLE"}}},
		{words: []string{`"lake"."information_schema"."columns"`, "'cs'"}, rows: [][]any{{"calls", "id", "bigint", "NO", nil, nil}}},
	}, f.rules...)
	after, report := readAll(t, f, before, Options{})
	require.Equal(t, []string{"hive.old.events", "lake.cs.calls", "lake.mp.dwd_order", "lake.mp.v_order"}, names(after))
	require.Equal(t, []source.Lost{{Where: "lake.mp", Why: "ICEBERG_CATALOG_ERROR: away", Kept: 2}}, report.Lost)
	require.Equal(t, &ingest.Changes{Added: 1, Removed: 1, Same: 3}, report.Changes)

	f = shop()
	f.rules = append([]rule{{words: []string{`"lake"."information_schema"."schemata"`}, err: &warehouse.Error{Name: "ICEBERG_CATALOG_ERROR", Message: "away"}}}, f.rules...)
	after, report = readAll(t, f, before, Options{})
	require.Equal(t, names(before), names(after), "a catalog keeps all of its schemas")
	require.Equal(t, []source.Lost{{Where: "lake", Why: "ICEBERG_CATALOG_ERROR: away", Kept: 3}}, report.Lost)
}

// TestAnIngestThatIsEndedIsNoLoss: where the caller ends while a schema is read, no
// generation is made of what is left, whatever was there before.
func TestAnIngestThatIsEndedIsNoLoss(t *testing.T) {
	t.Parallel()
	whole, _ := readAll(t, shop(), nil, Options{})
	for _, words := range [][]string{{`"information_schema"."schemata"`}, {`"information_schema"."tables"`}, {`"information_schema"."columns"`}, {"SHOW STATS"}} {
		for _, before := range []*catalog.Snapshot{nil, whole} {
			f := shop()
			places, err := choose(t.Context(), f, Options{})
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			f.rules = append([]rule{{words: words, do: cancel, wait: true}}, f.rules...)
			s, _, err := Read(ctx, f, places, Before{Snapshot: before}, Options{})
			require.ErrorIs(t, err, context.Canceled, "%v", words)
			require.Nil(t, s, "%v", words)
		}
	}
}

// cut is a server whose answers to some statements are cut off.
type cut struct {
	*fake
	words string
}

type cutRows struct{ warehouse.Rows }

func (cutRows) Stats() warehouse.Stats { return warehouse.Stats{Truncated: true} }

func (c cut) Metadata(ctx context.Context, p run.Principal, s meta.Statement, o warehouse.Options) (warehouse.Rows, error) {
	rows, err := c.fake.Metadata(ctx, p, s, o)
	if err == nil && strings.Contains(s.SQL(), c.words) {
		rows = cutRows{rows}
	}
	return rows, err
}

// TestAListThatIsCutIsNotTakenForAll: a schema whose tables or columns are told in part is
// lost, and its tables stay as they were.
func TestAListThatIsCutIsNotTakenForAll(t *testing.T) {
	t.Parallel()
	before, _ := readAll(t, shop(), nil, Options{})
	for _, words := range []string{`"lake"."information_schema"."tables"`, `"lake"."information_schema"."columns"`} {
		server := cut{shop(), words}
		places, err := choose(t.Context(), server, Options{})
		require.NoError(t, err)
		s, report, err := Read(t.Context(), server, places, Before{Snapshot: before}, Options{})
		require.NoError(t, err)
		require.Equal(t, names(before), names(s), words)
		require.Len(t, report.Lost, 2, words)
		for _, lost := range report.Lost {
			require.Contains(t, lost.Why, "longer than what is read", words)
		}
	}
}

// TestMarksTakeValuesAway: values of a column that holds data of persons go, wherever they
// came from, and the values of others stay.
func TestMarksTakeValuesAway(t *testing.T) {
	t.Parallel()
	e := &entry{Table: catalog.Table{Name: catalog.Name{Table: "t"}, Columns: []catalog.Column{
		{Name: "email", Samples: []string{"a@example.org"}}, {Name: "nickname", Samples: []string{"bo"}}, {Name: "city", Samples: []string{"Bern"}, Personal: &catalog.Personal{Kind: "name"}},
	}}}
	r := &reader{options: Options{Personal: []string{"nickname"}}.complete(), tables: []*entry{e}}
	require.NoError(t, r.marks(t.Context()))
	require.Nil(t, e.Columns[0].Samples)
	require.NotNil(t, e.Columns[0].Personal)
	require.Nil(t, e.Columns[1].Samples)
	require.NotNil(t, e.Columns[1].Personal)
	require.Equal(t, []string{"Bern"}, e.Columns[2].Samples)
	require.Nil(t, e.Columns[2].Personal, "its name says nothing of persons any more")
}

// TestValuesThatAreKeptCount: the bound of a source's values holds over all of its tables,
// those of the generation before among them.
func TestValuesThatAreKeptCount(t *testing.T) {
	t.Parallel()
	o := Options{Samples: true, MaxSourceSamples: 3, Clock: at(noon)}
	first, _ := readFrom(t, shop(), Before{}, o)
	f := shop()
	f.rules = append([]rule{
		{words: []string{`"hive"."information_schema"."tables"`}, rows: [][]any{{"events", "BASE TABLE"}, {"towns", "BASE TABLE"}}},
		{words: []string{`"hive"."information_schema"."columns"`}, rows: [][]any{{"events", "n", "integer", "YES", nil, nil}, {"events", "ds", "varchar", "YES", nil, "partition key"}, {"towns", "town", "varchar", "YES", nil, nil}}},
		{words: []string{"SHOW STATS", "towns"}, rows: [][]any{{nil, nil, nil, nil, 50.0, nil, nil}}},
		{words: []string{`SELECT "town"`}, rows: [][]any{{"Rome"}, {"Oslo"}, {"Kyiv"}}},
	}, f.rules...)
	second, _ := readFrom(t, f, Before{Snapshot: first, Profile: o.complete().profile()}, o)
	kept, _ := second.Tables[0].Column("ds")
	require.Empty(t, kept.Samples)
	order, towns := table(t, second, "lake.mp.dwd_order"), table(t, second, "hive.old.towns")
	city, _ := order.Column("city")
	require.Equal(t, []string{"Lisbon", "Bern"}, city.Samples)
	town, _ := towns.Column("town")
	require.Equal(t, []string{"Rome"}, town.Samples)
}

// TestCountsOfTheServer: a count is told as a double, rounded; what is none is not known.
func TestCountsOfTheServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  int64
		ok    bool
	}{
		{0.0, 0, true}, {2.4, 2, true}, {2.5, 3, true}, {1e15, 1e15, true}, {math.Copysign(0, -1), 0, true},
		{nil, 0, false}, {"7", 0, false}, {int64(7), 0, false}, {-1.0, 0, false}, {-0.2, 0, false}, {math.NaN(), 0, false}, {math.Inf(1), 0, false}, {math.Inf(-1), 0, false}, {math.MaxFloat64, 0, false},
	} {
		got, ok := whole([]any{"x", c.value}, 1)
		require.Equal(t, c.ok, ok, c.value)
		require.Equal(t, c.want, got, c.value)
	}
	_, ok := whole([]any{1.0}, 1)
	require.False(t, ok)
	table := catalog.Table{RowCount: -1, Columns: []catalog.Column{{Name: "a", Distinct: 5}}}
	takeStats(&table, []any{nil, nil, nil, nil, math.NaN()})
	takeStats(&table, []any{"a", nil, math.NaN()})
	takeStats(&table, []any{"b", nil, 9.0})
	require.EqualValues(t, -1, table.RowCount)
	require.EqualValues(t, 5, table.Columns[0].Distinct)
}

// TestKeysAreLookedForWhereTheyMayBe: an estimate that is far from the number of rows says
// that a column is no key, and nothing is read; one that is near does not.
func TestKeysAreLookedForWhereTheyMayBe(t *testing.T) {
	t.Parallel()
	for distinct, read := range map[float64]bool{0: true, 49: false, 50: true, 99: true, 100: true, 120: true} {
		f := keyed(0, 100)
		f.rules = append([]rule{{words: []string{"SHOW STATS", "customer"}, rows: [][]any{{"custkey", nil, distinct, 0.0, nil, nil, nil}, {nil, nil, nil, nil, 100.0, nil, nil}}}}, f.rules...)
		s, _ := readAll(t, f, nil, Options{})
		require.Equal(t, read, len(primaryKeyOf(t, s, "pg.mp.customer")) == 1, fmt.Sprint(distinct))
	}
}

// TestReferencesAreOfOneType: a column of the key's name and another type points nowhere.
func TestReferencesAreOfOneType(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]int{"bigint": 1, "varchar": 0, "integer": 0, "double": 0} {
		f := keyed(0, 100)
		f.rules = append([]rule{
			{words: []string{`"columns"`}, rows: [][]any{{"customer", "custkey", "bigint", "YES", nil, nil}, {"orders", "id", "bigint", "YES", nil, nil}, {"orders", "custkey", kind, "YES", nil, nil}}},
			{words: []string{`"tables"`}, rows: [][]any{{"customer", "BASE TABLE"}, {"orders", "BASE TABLE"}}},
		}, f.rules...)
		s, _ := readAll(t, f, nil, Options{})
		require.Len(t, table(t, s, "pg.mp.orders").ForeignKeys, want, kind)
	}
}

// TestAnInterruptedLookForReferencesIsMadeAnew: what an attempt before had found of a table
// is looked for again, and is not there twice.
func TestAnInterruptedLookForReferencesIsMadeAnew(t *testing.T) {
	t.Parallel()
	f := keyed(0, 100)
	column := func(name string, key bool) catalog.Column {
		return catalog.Column{Name: name, Type: "bigint", PrimaryKey: key}
	}
	of := func(name string, columns ...catalog.Column) *entry {
		n := catalog.Name{Region: "pg", Schema: "mp", Table: name}
		return &entry{Table: catalog.Table{Name: n, Kind: catalog.KindTable, RowCount: 100, Columns: columns}, stored: n}
	}
	customer, orders := of("customer", column("custkey", true)), of("orders", column("custkey", false))
	half := catalog.ForeignKey{Columns: []string{"custkey"}, RefTable: customer.Name, RefColumns: []string{"custkey"}}
	orders.ForeignKeys, orders.stage = []catalog.ForeignKey{half, {Columns: []string{"gone"}}}, stageKeys
	r := &reader{server: f, options: Options{}.complete(), tables: []*entry{customer, orders}}
	require.NoError(t, r.keys(t.Context()))
	require.Equal(t, []catalog.ForeignKey{half}, orders.ForeignKeys)
}

// TestAStageThatWasMissedIsNotNoted: the notes of an ingest say how far a table is, so that a
// later stage of it is not noted where one before was missed.
func TestAStageThatWasMissedIsNotNoted(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/notes"
	j, err := openJournal(path, "job", noon)
	require.NoError(t, err)
	bad, good := &entry{Table: journalled(1)}, &entry{Table: journalled(2)}
	r := &reader{options: Options{Budget: time.Minute}.complete(), before: Before{journal: j}}
	failing := func(_ context.Context, e *entry) error {
		if e == bad {
			return &warehouse.Error{Name: "X"}
		}
		return nil
	}
	require.NoError(t, r.within(t.Context(), stageKeys, "the keys", []*entry{bad, good}, failing))
	require.NoError(t, r.within(t.Context(), stageSamples, "the values", []*entry{bad, good}, func(context.Context, *entry) error { return nil }))
	require.NoError(t, j.close(false))
	j, err = openJournal(path, "job", noon)
	require.NoError(t, err)
	defer func() { require.NoError(t, j.close(true)) }()
	_, noted := j.doneBefore(&bad.Table)
	require.False(t, noted)
	p, noted := j.doneBefore(&good.Table)
	require.True(t, noted)
	require.Equal(t, stageSamples, p.stage)
	require.True(t, bad.missed)
	require.False(t, good.missed)
}
