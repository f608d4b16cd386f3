package semantic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func TestWhatRowsAreCalledBy(t *testing.T) {
	t.Parallel()
	text := func(table string, names ...string) catalog.Table {
		out := catalog.Table{Name: catalog.Name{Table: table}}
		for _, n := range names {
			out.Columns = append(out.Columns, catalog.Column{Name: n, Type: "varchar"})
		}
		return out
	}
	tables := []catalog.Table{
		text("customers", "code", "city_name", "email", "LastName", "FirstName"), text("cities", "id", "city"), text("films", "subtitle", "title"),
		text("stores", "manager_name", "store_name"), text("orders", "status", "city_name"), text("games", "referee_name"), text("客户表", "城市", "客户名称"), text("notes", "remark"),
	}
	got := map[string]Label{}
	for _, e := range Derive(tables).Entities {
		got[e.Table] = e.Label
	}
	require.Equal(t, map[string]Label{
		"customers": {"FirstName", "LastName"}, "cities": {"city"}, "films": {"title"}, "stores": {"store_name"},
		"orders": nil, // the name of a city is that of another table
		"games":  {"referee_name"}, "客户表": {"客户名称"}, "notes": nil,
	}, got)
}

// TestWhatStandsBehindTheKey: a short text that each row has of its own, right behind the key, names
// the rows; a code, a text of more rows, a day or a long text does not.
func TestWhatStandsBehindTheKey(t *testing.T) {
	t.Parallel()
	table := func(c catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Table: "clients"}, RowCount: 20, Columns: []catalog.Column{{Name: "client_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 20}, c, {Name: "country", Type: "varchar", Distinct: 5}}}
	}
	company := catalog.Column{Name: "company", Type: "varchar", NotNull: true, Distinct: 20, Samples: []string{"Orchard Motors", "Delta"}}
	label := func(change func(*catalog.Column)) Label {
		c := company
		change(&c)
		return Derive([]catalog.Table{table(c)}).Entities[0].Label
	}
	require.Equal(t, Label{"company"}, label(func(*catalog.Column) {}))
	require.Equal(t, Label{"剧名"}, label(func(c *catalog.Column) { c.Name, c.Distinct = "剧名", 18 }), "it is called a name")
	for name, change := range map[string]func(*catalog.Column){
		"shared":  func(c *catalog.Column) { c.Distinct = 19 },
		"missing": func(c *catalog.Column) { c.NotNull, c.Missing = false, 1 },
		"code":    func(c *catalog.Column) { c.Name = "client_code" },
		"email":   func(c *catalog.Column) { c.Personal = &catalog.Personal{Kind: "email"} },
		"figures": func(c *catalog.Column) { c.Samples = []string{"12-9", "13-8"} },
		"long": func(c *catalog.Column) {
			c.Samples = []string{"They called at noon about the broken window and the door"}
		},
		"a number":  func(c *catalog.Column) { c.Type = "bigint" },
		"a ranking": func(c *catalog.Column) { c.Name, c.Distinct = "排名", 18 },
	} {
		require.Nil(t, label(change), name)
	}
	phones := catalog.Table{Name: catalog.Name{Table: "机型"}, RowCount: 24, Columns: []catalog.Column{
		{Name: "机型编号", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 24}, {Name: "品牌", Type: "varchar", NotNull: true, Distinct: 6, Samples: []string{"华为", "小米"}},
		{Name: "型号", Type: "varchar", NotNull: true, Distinct: 24, Samples: []string{"Mate 60", "魅族21"}}, {Name: "标价", Type: "bigint"},
	}}
	require.Equal(t, Label{"型号"}, Derive([]catalog.Table{phones}).Entities[0].Label, "behind what they share")
	phones.Columns[1].Type = "bigint"
	require.Nil(t, Derive([]catalog.Table{phones}).Entities[0].Label, "behind a number")
}

// TestNamesTellNoMoreWhereValuesWereCompared: a column whose values were found in a
// key points nowhere else.
func TestNamesTellNoMoreWhereValuesWereCompared(t *testing.T) {
	t.Parallel()
	column := func(name string, key bool) catalog.Column {
		return catalog.Column{Name: name, Type: "bigint", PrimaryKey: key, Distinct: 9}
	}
	name := func(table string) catalog.Name { return catalog.Name{Table: table} }
	tables := []catalog.Table{
		{Name: name("film"), RowCount: 9, Columns: []catalog.Column{column("film_id", true)}},
		{Name: name("poster"), RowCount: 9, Columns: []catalog.Column{column("film_id", true)}},
		{Name: name("cast"), RowCount: 30, Columns: []catalog.Column{column("film_id", false)},
			ForeignKeys: []catalog.ForeignKey{{Columns: []string{"film_id"}, RefTable: name("film"), RefColumns: []string{"film_id"}, Found: &catalog.Evidence{Reason: "names"}}}},
	}
	for _, j := range Derive(tables).Joins {
		require.False(t, j.From == "cast" && j.To == "poster", "%v", j)
	}
}

func TestNamesOfAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns     []string
		first, last int
		whole       string
		ok          bool
	}{
		"both":          {[]string{"id", "first_name", "last_name"}, 1, 2, "name", true},
		"other words":   {[]string{"Surname", "GivenName"}, 1, 0, "name", true},
		"whose":         {[]string{"driver_first_name", "driver_last_name"}, 0, 1, "driver name", true},
		"in Chinese":    {[]string{"姓", "名"}, 1, 0, "姓名", true},
		"of two":        {[]string{"driver_first_name", "owner_last_name"}, -1, -1, "", false},
		"two first":     {[]string{"first_name", "fname", "last_name"}, -1, -1, "", false},
		"two last":      {[]string{"first_name", "surname", "last_name"}, -1, -1, "", false},
		"one":           {[]string{"first_name", "town"}, -1, -1, "", false},
		"another word":  {[]string{"unforename", "last_name"}, -1, -1, "", false},
		"店名 is no name": {[]string{"姓", "店名"}, -1, -1, "", false},
	} {
		first, last, whole, ok := NameParts(c.columns)
		require.Equal(t, []any{c.first, c.last, c.whole, c.ok}, []any{first, last, whole, ok}, name)
	}
}
