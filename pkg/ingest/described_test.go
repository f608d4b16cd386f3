package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// gathered are tables as Gather keeps them, with what it says of them.
func gathered(t *testing.T, options ingest.Options, given ...catalog.Table) ([]catalog.Table, []ingest.Problem) {
	t.Helper()
	kept, problems, err := ingest.Gather(t.Context(), options, func(_ context.Context, d *ingest.Describer) error {
		for i, table := range given {
			d.Add(table, ingest.Problem{File: "list", Line: i + 1, Column: 3})
		}
		return nil
	})
	require.NoError(t, err)
	return kept, problems
}

func named(region, schema, table string) catalog.Table {
	return catalog.Table{Name: catalog.Name{Region: region, Schema: schema, Table: table}}
}

// TestWhichDescribedTablesAreKept: each bound of a description keeps what is at it, and what
// is beyond it is left out and told where it stands.
func TestWhichDescribedTablesAreKept(t *testing.T) {
	t.Parallel()
	columns := func(n int) catalog.Table {
		table := named("r", "s", "wide")
		for i := range n {
			table.Columns = append(table.Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: "bigint"})
		}
		return table
	}
	long := func(n int) string { return strings.Repeat("表", n) }
	for name, test := range map[string]struct {
		options ingest.Options
		given   []catalog.Table
		kept    []string
		told    string
	}{
		"all are named":                 {given: []catalog.Table{named("r", "s", "a"), named("r", "s", "b")}, kept: []string{"r.s.a", "r.s.b"}},
		"no schema":                     {given: []catalog.Table{named("r", "", "a")}, kept: []string{"r.main.a"}},
		"no name":                       {given: []catalog.Table{named("r", "s", "")}, told: "the table has no name and is left out"},
		"a long name":                   {given: []catalog.Table{named("r", "s", long(512))}, kept: []string{"r.s." + long(512)}},
		"a name that is too long":       {given: []catalog.Table{named("r", "s", long(513))}, told: "its name is too long, of at most 512 characters (256 of a schema)"},
		"a long schema":                 {given: []catalog.Table{named("r", long(256), "a")}, kept: []string{"r." + long(256) + ".a"}},
		"a schema that is too long":     {given: []catalog.Table{named("r", long(257), "a")}, told: "its name is too long"},
		"a long region":                 {given: []catalog.Table{named(long(256), "s", "a")}, kept: []string{long(256) + ".s.a"}},
		"a region that is too long":     {given: []catalog.Table{named(long(257), "s", "a")}, told: "its name is too long"},
		"twice, without regard to case": {given: []catalog.Table{named("r", "s", "a"), named("r", "S", "A")}, kept: []string{"r.s.a"}, told: `table "r.S.A" is there twice: the first one counts`},
		"as many as may be":             {options: ingest.Options{MaxTables: 2}, given: []catalog.Table{named("r", "s", "a"), named("r", "s", "b")}, kept: []string{"r.s.a", "r.s.b"}},
		"one too many":                  {options: ingest.Options{MaxTables: 1}, given: []catalog.Table{named("r", "s", "a"), named("r", "s", "b")}, kept: []string{"r.s.a"}, told: `table "r.s.b" is left out: more than 1 tables (MaxTables)`},
		"as many columns as may be":     {options: ingest.Options{MaxColumns: 3}, given: []catalog.Table{columns(3)}, kept: []string{"r.s.wide"}},
		"one column too many":           {options: ingest.Options{MaxColumns: 3}, given: []catalog.Table{columns(4)}, told: `table "r.s.wide" has 4 columns and is left out: at most 3 (MaxColumns)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tables, problems := gathered(t, test.options, test.given...)
			var names []string
			for _, table := range tables {
				names = append(names, table.Name.String())
				require.Equal(t, catalog.KindTable, table.Kind)
			}
			require.Equal(t, test.kept, names)
			if test.told == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Equal(t, ingest.KindTableSkipped, problems[0].Kind)
			require.Contains(t, problems[0].Message, test.told)
			require.Equal(t, fmt.Sprintf("list:%d:3: %s", len(test.given), problems[0].Message), problems[0].String(), "it is told where the table stands")
		})
	}
	t.Run("a kind that is told stays", func(t *testing.T) {
		t.Parallel()
		view := named("r", "s", "v")
		view.Kind = catalog.KindView
		tables, _ := gathered(t, ingest.Options{}, view)
		require.Equal(t, catalog.KindView, tables[0].Kind)
	})
	t.Run("more tables may be described than read", func(t *testing.T) {
		t.Parallel()
		var many []catalog.Table
		for i := range 10_001 {
			many = append(many, named("r", "s", fmt.Sprint("t", i)))
		}
		tables, problems := gathered(t, ingest.Options{}, many...)
		require.Len(t, tables, len(many))
		require.Empty(t, problems)
	})
	t.Run("an error of the reading is that of the whole", func(t *testing.T) {
		t.Parallel()
		broken := errors.New("broken")
		tables, _, err := ingest.Gather(t.Context(), ingest.Options{}, func(_ context.Context, d *ingest.Describer) error {
			d.Add(named("r", "s", "a"), ingest.Problem{})
			return broken
		})
		require.ErrorIs(t, err, broken)
		require.Empty(t, tables)
	})
}

// TestWhatIsKeptOfDescribedValues: values are samples where they are short, few, and no data
// of persons; long texts are cut.
func TestWhatIsKeptOfDescribedValues(t *testing.T) {
	t.Parallel()
	column := func(name string, samples ...string) catalog.Column {
		return catalog.Column{Name: name, Type: "varchar", Samples: samples}
	}
	var mails []string
	for i := range 9 {
		mails = append(mails, fmt.Sprintf("c%d@example.org", i))
	}
	for name, test := range map[string]struct {
		options ingest.Options
		columns []catalog.Column
		kept    [][]string
		marked  []bool
	}{
		"all":                                  {columns: []catalog.Column{column("city", "Oslo", "Bergen")}, kept: [][]string{{"Oslo", "Bergen"}}},
		"none that is empty":                   {columns: []catalog.Column{column("city", "", "Oslo", "")}, kept: [][]string{{"Oslo"}}},
		"no long ones":                         {columns: []catalog.Column{column("city", strings.Repeat("é", 80), strings.Repeat("é", 81), "Oslo")}, kept: [][]string{{strings.Repeat("é", 80), "Oslo"}}},
		"at most so many of a column":          {options: ingest.Options{MaxSamples: 2}, columns: []catalog.Column{column("a", "1", "2", "3"), column("b", "4", "5")}, kept: [][]string{{"1", "2"}, {"4", "5"}}},
		"at most so many of all":               {options: ingest.Options{MaxSourceSamples: 3}, columns: []catalog.Column{column("a", "1", "2"), column("b", "4", "5")}, kept: [][]string{{"1", "2"}, {"4"}}},
		"none where none are wanted":           {options: ingest.Options{NoSamples: true}, columns: []catalog.Column{column("a", "1", "2")}, kept: [][]string{nil}},
		"none of a column by its name":         {columns: []catalog.Column{column("email", "x"), column("city", "Oslo")}, kept: [][]string{nil, {"Oslo"}}, marked: []bool{true, false}},
		"none of a column by its values":       {columns: []catalog.Column{column("remark", mails...)}, kept: [][]string{nil}, marked: []bool{true}},
		"none of a column that a person names": {options: ingest.Options{Personal: []string{"nickname"}}, columns: []catalog.Column{column("nickname", "Bo")}, kept: [][]string{nil}, marked: []bool{true}},
		"a name is marked without values":      {columns: []catalog.Column{column("email")}, kept: [][]string{nil}, marked: []bool{true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := named("r", "s", "t")
			table.Columns = test.columns
			tables, problems := gathered(t, test.options, table)
			require.Empty(t, problems)
			for i, c := range tables[0].Columns {
				require.Equal(t, test.kept[i], c.Samples, c.Name)
				require.Equal(t, test.marked != nil && test.marked[i], c.Personal != nil, c.Name)
			}
		})
	}
	t.Run("texts", func(t *testing.T) {
		t.Parallel()
		const most = 64 << 10
		table := named("r", "s", "t")
		table.Description = strings.Repeat("d", most+1)
		table.Columns = []catalog.Column{{Name: "a", Comment: strings.Repeat("c", most)}, {Name: "b", Comment: strings.Repeat("c", most+1)}}
		tables, _ := gathered(t, ingest.Options{}, table)
		require.Equal(t, strings.Repeat("d", most)+"…", tables[0].Description)
		require.Equal(t, strings.Repeat("c", most), tables[0].Columns[0].Comment)
		require.Equal(t, strings.Repeat("c", most)+"…", tables[0].Columns[1].Comment)
	})
}

// describe makes the source "own" of tables.
func describe(t *testing.T, s *source.Store, origin string, given ...catalog.Table) (ingest.Report, error) {
	t.Helper()
	return ingest.Describe(t.Context(), s, "own", origin, ingest.Options{}, func(_ context.Context, d *ingest.Describer) error {
		require.Equal(t, "own", d.Region())
		require.Equal(t, 200_000, d.Options().MaxTables, "what only describes may be long")
		for _, table := range given {
			d.Add(table, ingest.Problem{})
		}
		return nil
	})
}

// TestSourcesOfDescriptions: what is described becomes a source that no engine runs, whose
// keys point to something; where nothing has changed it stays.
func TestSourcesOfDescriptions(t *testing.T) {
	t.Parallel()
	made := func() []catalog.Table {
		city := named("", "geo", "City")
		city.RowCount, city.Mart = 7, "places"
		city.Columns = []catalog.Column{{Name: "ID", Type: "bigint", PrimaryKey: true}, {Name: "name", Type: "varchar"}}
		shop := named("", "geo", "shop")
		shop.Mart = "places"
		shop.Columns = []catalog.Column{{Name: "city_id", Type: "bigint"}}
		shop.ForeignKeys = []catalog.ForeignKey{
			{Columns: []string{"CITY_ID"}, RefTable: catalog.Name{Schema: "geo", Table: "city"}, RefColumns: []string{"id"}},
			{Columns: []string{"city_id"}, RefTable: catalog.Name{Schema: "geo", Table: "none"}, RefColumns: []string{"id"}},
		}
		return []catalog.Table{city, shop, named("", "", "loose")}
	}
	s := newStore(t)
	report, err := describe(t, s, "jsonl", made()...)
	require.NoError(t, err)
	require.Equal(t, []ingest.TableReport{
		{Name: catalog.Name{Region: "own", Schema: "geo", Table: "City"}, Rows: 7},
		{Name: catalog.Name{Region: "own", Schema: "geo", Table: "shop"}},
		{Name: catalog.Name{Region: "own", Schema: "main", Table: "loose"}},
	}, report.Tables)
	require.Nil(t, report.Changes, "there was nothing before")
	require.Len(t, report.Problems, 1)
	require.Contains(t, report.Problems[0].Message, "the foreign key of own.geo.shop (city_id) to own.geo.none points to nothing")

	first, err := s.Current("own")
	require.NoError(t, err)
	require.Equal(t, source.EngineNone, first.Engine)
	require.Equal(t, []string{"jsonl", ingest.Version, "own", "geo"}, []string{first.Origin, first.Version, first.DefaultRegion, first.DefaultSchema})
	got := tables(t, s)
	require.Equal(t, []catalog.ForeignKey{{Columns: []string{"city_id"}, RefTable: got["City"].Name, RefColumns: []string{"ID"}}}, got["shop"].ForeignKeys, "spelt as what it points to")
	snapshot, err := first.Snapshot()
	require.NoError(t, err)
	require.Equal(t, []catalog.Mart{{Name: "places"}}, snapshot.Marts, "a mart that tables name is one, once")

	current := func() string {
		g, err := s.Current("own")
		require.NoError(t, err)
		return g.Dir
	}
	report, err = describe(t, s, "jsonl", made()...)
	require.NoError(t, err)
	require.Equal(t, &ingest.Changes{Same: 3}, report.Changes)
	require.Equal(t, first.Dir, current(), "nothing has changed")

	changed := made()
	changed[1].Description = "Our shops"
	changed[2].Name.Table = "looser"
	report, err = describe(t, s, "jsonl", changed...)
	require.NoError(t, err)
	require.Equal(t, &ingest.Changes{Added: 1, Changed: 1, Removed: 1, Same: 1}, report.Changes)
	second := current()
	require.NotEqual(t, first.Dir, second)

	report, err = describe(t, s, "dbt", changed...)
	require.NoError(t, err)
	require.Equal(t, &ingest.Changes{Same: 3}, report.Changes)
	third := current()
	require.NotEqual(t, second, third, "it came from somewhere else")

	_, err = ingest.Describe(t.Context(), s, "own", "dbt", ingest.Options{}, func(_ context.Context, d *ingest.Describer) error {
		d.Snapshot.Marts = []catalog.Mart{{Name: "places", Description: "Where we are"}}
		for _, table := range changed {
			d.Add(table, ingest.Problem{})
		}
		return nil
	})
	require.NoError(t, err)
	fourth := current()
	require.NotEqual(t, third, fourth, "a mart has another description")
	g, err := s.Current("own")
	require.NoError(t, err)
	snapshot, err = g.Snapshot()
	require.NoError(t, err)
	require.Equal(t, []catalog.Mart{{Name: "places", Description: "Where we are"}}, snapshot.Marts, "a described mart is not made again")

	_, err = describe(t, s, "dbt", named("", "s", ""))
	require.Equal(t, "INGEST_NOTHING", fault.ReasonOf(err))
	require.ErrorContains(t, err, "the table has no name", "it is told why there is nothing")
	broken := errors.New("broken")
	_, err = ingest.Describe(t.Context(), s, "own", "dbt", ingest.Options{}, func(context.Context, *ingest.Describer) error { return broken })
	require.ErrorIs(t, err, broken)
	require.Equal(t, fourth, current(), "what fails changes nothing")

	stored, err := filepath.Glob(filepath.Join(fourth, "catalog*"))
	require.NoError(t, err)
	require.NotEmpty(t, stored)
	require.NoError(t, os.WriteFile(stored[0], []byte("damaged"), 0o600))
	report, err = describe(t, s, "dbt", changed...)
	require.NoError(t, err)
	require.Nil(t, report.Changes)
	require.NotEqual(t, fourth, current(), "a damaged one is made again")
}
