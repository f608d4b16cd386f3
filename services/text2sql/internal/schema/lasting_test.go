package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// columnsOf is a view of one table with these columns, each "name type".
func columnsOf(t *testing.T, rows int64, decls ...string) (*View, *Table) {
	t.Helper()
	l := &semantic.Layer{Entities: []semantic.Entity{entity("events", "no")}}
	for _, decl := range decls {
		d := dim("events", decl)
		d.Names.EN = strings.Join(semantic.Words(d.Expr), " ") // as derived layers have it in any language
		l.Dimensions = append(l.Dimensions, d)
	}
	v := view(t, WithElapsed(l), catalog.Table{Name: catalog.Name{Table: "events"}, RowCount: rows})
	return v, v.TableOf("events")
}

// TestLasting: from the one day that begins the rows to the one that ends them, in whatever
// order they stand; between the only two there are; else nothing is taken for how long
// they last.
func TestLasting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns string // commas between
		want    string // "from>to unit", with "!" where it is sure; empty: not known
	}{
		"what begins and ends":              {"start_date date,end_date date", "start_date>end_date days!"},
		"the end stands first":              {"ended timestamp,started timestamp", "started>ended hours!"},
		"a stay":                            {"noted date,arrived timestamp,departed timestamp", "arrived>departed hours"},
		"a trip":                            {"noted date,departure timestamp,arrival timestamp", "departure>arrival hours"},
		"a day and a time of one":           {"opened date,closed timestamp", "opened>closed days!"},
		"in Chinese":                        {"结束时间 timestamp,开始时间 timestamp", "开始时间>结束时间 hours!"},
		"beside others":                     {"noted date,open_time timestamp,close_time timestamp", "open_time>close_time hours!"},
		"two that say neither":              {"ordered date,delivered date", "ordered>delivered days"},
		"of two the first ends":             {"finished date,ordered date", "ordered>finished days"},
		"of two the last begins":            {"delivered date,begun_from date", "begun_from>delivered days"},
		"three that say neither":            {"ordered date,packed date,delivered date", ""},
		"two beginnings":                    {"start_date date,open_date date,end_date date", ""},
		"two ends":                          {"start_date date,end_date date,close_date date", ""},
		"one that is both":                  {"start_end date,ended date,noted date", ""},
		"what happens to the record":        {"start_date date,end_date date,updated date,modified_at timestamp", "start_date>end_date days!"},
		"what happens to it is no end":      {"ordered date,updated date", ""},
		"births":                            {"birth_date date,joined date", ""},
		"one":                               {"start_date date", ""},
		"numbers and texts":                 {"start bigint,end_name varchar", ""},
		"times of a clock":                  {"start_time time,end_time time", ""},
		"times of a clock beside days":      {"start_time time,ordered date,delivered date", "ordered>delivered days"},
		"more days than are counted":        {"start_date date,end_date date,a date,b date,c date", ""},
		"as many days as are counted":       {"start_date date,end_date date,a date,b date", "start_date>end_date days!"},
		"texts that a clock would not hold": {"start_date varchar,end_date varchar", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, table := columnsOf(t, 0, strings.Split(c.columns, ",")...)
			got, sure := v.Lasting(table)
			shown := ""
			if got != nil {
				e := got.Elapsed
				shown = fmt.Sprintf("%s>%s %s", v.ColumnOf(e.From).Expr, v.ColumnOf(e.To).Expr, e.Unit)
				if sure {
					shown += "!"
				}
			}
			require.Equal(t, c.want, shown)
			require.Equal(t, got != nil, len(v.Names(stems("duration"), "duration", words)) > 0, "it is found by what people call it")
			require.Len(t, table.Columns, strings.Count(c.columns, ",")+1, "no stored column comes of it")
		})
	}
}

// TestElapsedInEachUnit: between each two days of a table, both ways, in every unit; each is
// the same time as in another unit.
func TestElapsedInEachUnit(t *testing.T) {
	t.Parallel()
	v, table := columnsOf(t, 0, "a date", "b date", "c timestamp", "d timestamp", "n bigint")
	for _, from := range table.Columns {
		for _, to := range table.Columns {
			got := v.Elapsed(from, to)
			if from == to || !from.Time || !to.Time {
				require.Nil(t, got)
				continue
			}
			want := "days"
			if from.Type == "timestamp" && to.Type == "timestamp" {
				want = "hours"
			}
			require.Equal(t, semantic.Elapsed{From: from.ID, To: to.ID, Unit: want}, *got.Elapsed)
			require.Equal(t, want, got.Unit)
			require.Equal(t, Level, got.Nature, "a time is not added up")
			require.True(t, got.Numeric())
			for _, unit := range elapsedUnits {
				in := v.In(got, unit)
				require.Equal(t, semantic.Elapsed{From: from.ID, To: to.ID, Unit: unit}, *in.Elapsed)
				require.Equal(t, unit+" from "+from.Names.EN+" to "+to.Names.EN, in.Names.EN)
				require.Equal(t, "从"+from.Names.EN+"到"+to.Names.EN+"的"+unitsHan[unit], in.Names.ZH)
				require.Same(t, got, v.In(in, want))
			}
			require.Nil(t, v.In(got, "fortnights"))
		}
	}
}

// TestKinds: the one column whose name says at its end that it is one of kinds.
func TestKinds(t *testing.T) {
	t.Parallel()
	for columns, want := range map[string]string{
		"event_type varchar,town varchar":           "event_type",
		"town varchar":                              "",
		"event_type varchar,genre varchar":          "",
		"event_type bigint":                         "",
		"event_type bigint,genre varchar":           "genre",
		"type_name varchar":                         "",
		"商品类别 varchar,名称 varchar":                   "商品类别",
		"类别名称 varchar":                              "",
		"sort date,event_class varchar":             "event_class",
		"species varchar,breed varchar,kind bigint": "",
	} {
		_, table := columnsOf(t, 0, strings.Split(columns, ",")...)
		got := ""
		if c := table.Kind(); c != nil {
			got = c.Expr
		}
		require.Equal(t, want, got, columns)
	}
}

// TestNamesThatManyRowsShare: where there are three rows and more of each name, as of the
// products of a table of sales, it names no row of theirs.
func TestNamesThatManyRowsShare(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows  int64
		names []int64 // different values of each column of the name; 0: not known
		none  bool
	}{
		"each row its own":              {100, []int64{100}, false},
		"nearly three rows of a name":   {299, []int64{100}, false},
		"three rows of a name":          {300, []int64{100}, true},
		"a first and a last name":       {1199, []int64{20, 20}, false},
		"as many as can be of both":     {1200, []int64{20, 20}, true},
		"more different ones than rows": {10, []int64{1000, 1}, false},
		"not known":                     {300, []int64{0}, false},
		"one of them not known":         {3000, []int64{10, 0}, false},
		"rows not known":                {0, []int64{100}, false},
	} {
		l := &semantic.Layer{Entities: []semantic.Entity{entity("people", "no")}}
		table := catalog.Table{Name: catalog.Name{Table: "people"}, RowCount: c.rows}
		for i, distinct := range c.names {
			column := fmt.Sprintf("name%d", i)
			l.Entities[0].Label = append(l.Entities[0].Label, column)
			l.Dimensions = append(l.Dimensions, dim("people", column+" varchar"))
			table.Columns = append(table.Columns, catalog.Column{Name: column, Distinct: distinct})
		}
		got := view(t, l, table).TableOf("people").Label
		if c.none {
			require.Empty(t, got, name)
			continue
		}
		require.Len(t, got, len(c.names), name)
	}
}

// Persons, and things with a title of their own, are called by it also where many are called alike, if other
// rows lead to them.
func TestNamesThatThingsShareAndKeep(t *testing.T) {
	t.Parallel()
	clients := catalog.Table{Name: catalog.Name{Table: "clients"}, RowCount: 420, Columns: []catalog.Column{{Name: "client_id", Type: "bigint", PrimaryKey: true}, {Name: "full_name", Type: "varchar", Distinct: 120}}}
	objects := catalog.Table{Name: catalog.Name{Table: "objects"}, RowCount: 900, Columns: []catalog.Column{{Name: "object_id", Type: "bigint", PrimaryKey: true}, {Name: "title", Type: "varchar", Distinct: 200}}}
	key := func(column, table string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: catalog.Name{Table: table}, RefColumns: []string{column}}
	}
	visits := catalog.Table{Name: catalog.Name{Table: "visits"}, Columns: []catalog.Column{{Name: "client_id", Type: "bigint"}, {Name: "made_on", Type: "date"}}, ForeignKeys: []catalog.ForeignKey{key("client_id", "clients")}}
	shown := catalog.Table{Name: catalog.Name{Table: "shown_objects"}, Columns: []catalog.Column{{Name: "object_id", Type: "bigint"}, {Name: "show_id", Type: "bigint"}}, ForeignKeys: []catalog.ForeignKey{key("object_id", "objects")}}
	tables := []catalog.Table{clients, objects, visits, shown}
	v := view(t, semantic.Derive(tables), tables...)
	for table, label := range map[string]string{"clients": "full_name", "objects": "title"} {
		got := v.TableOf(table)
		require.Len(t, got.Label, 1, table)
		require.Equal(t, label, got.Label[0].Expr)
		require.True(t, got.Namesakes, table)
	}
	alone := view(t, semantic.Derive(tables[:2]), tables[:2]...)
	require.Empty(t, alone.TableOf("clients").Label, "a table of what they did")
}

// TestUnitsOfColumns: numbers have the unit that their name ends in, or has in brackets;
// texts have none, whatever they are called.
func TestUnitsOfColumns(t *testing.T) {
	t.Parallel()
	for decl, want := range map[string]string{
		"weight_kg double": "kg", "weight_kg varchar": "", "kg_weight double": "", "minutes bigint": "minutes",
		"重量公斤 double": "公斤", "重量公斤 varchar": "", "租金(元) double": "元", "weight (kg) double": "kg", "weight double": "",
	} {
		at := strings.LastIndex(decl, " ")
		d := dim("events", "x "+decl[at+1:])
		d.Expr, d.ID = decl[:at], "events."+decl[:at]
		if d.Names.EN = decl[:at]; han(decl) {
			d.Names.EN, d.Names.ZH = "", decl[:at]
		}
		v := view(t, &semantic.Layer{Entities: []semantic.Entity{entity("events")}, Dimensions: []semantic.Dimension{d}})
		require.Equal(t, want, v.Tables[0].Columns[0].Unit, decl)
	}
}
