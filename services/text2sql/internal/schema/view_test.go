package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

func TestView(t *testing.T) {
	t.Parallel()
	v := view(t, trade(), catalog.Table{Name: catalog.Name{Table: "customers"}, Columns: []catalog.Column{{Name: "city", Distinct: 7}, {Name: "phone", Distinct: 9}}})
	require.Len(t, v.Tables, 5)
	require.Nil(t, v.TableOf("gone"))
	require.Nil(t, v.ColumnOf("gone.id"), "a column of no table")
	require.EqualValues(t, 7, v.ColumnOf("customers.city").Distinct)
	require.EqualValues(t, 9, v.ColumnOf("customers.phone").Distinct)
	require.Zero(t, v.ColumnOf("orders.id").Distinct)
	for id, want := range map[string]struct {
		nature Nature
		unit   string
		unique bool
	}{
		"customers.id":              {Identifier, "", true},
		"customers.city":            {Category, "", false},
		"customers.vip":             {Flag, "", false},
		"customers.phone":           {Text, "", false},
		"orders.customer_id":        {Identifier, "", false},
		"orders.order_date":         {Moment, "", false},
		"orders.departure_delay":    {Amount, "", false},
		"products.weight_kg":        {Amount, "kg", false},
		"products.price":            {Level, "", false},
		"order_products.order_id":   {Identifier, "", false},
		"order_products.product_id": {Identifier, "", false},
		"仓库.编号":                     {Identifier, "", true},
		"仓库.重量公斤":                   {Amount, "公斤", false},
		"仓库.金额元":                    {Amount, "元", false},
		"仓库.商品类别":                   {Text, "", false},
	} {
		c := v.ColumnOf(id)
		require.Equal(t, want.nature, c.Nature, id)
		require.Equal(t, want.unit, c.Unit, id)
		require.Equal(t, want.unique, c.Unique(), id)
		require.Equal(t, want.nature == Moment, c.Time, id)
		require.Same(t, v.TableOf(c.Table), c.Of, id)
		require.Same(t, c, c.Of.Column(c.Expr), id)
	}
	customers, orders, lines := v.TableOf("customers"), v.TableOf("orders"), v.TableOf("order_products")
	require.Equal(t, []*Column{customers.Column("firstName"), customers.Column("last_name")}, customers.Label)
	require.Nil(t, orders.Label)
	require.Equal(t, []*Column{lines.Column("order_id"), lines.Column("product_id")}, lines.Key)
	require.Equal(t, []*Column{orders.Column("order_date")}, orders.Days())
	require.Empty(t, customers.Days())
	require.Nil(t, customers.Column("nothing"))
	for _, table := range v.Tables {
		require.Equal(t, table == lines, table.Bridge(), table.Full())
	}
	require.Equal(t, []string{"first", "name"}, customers.Column("firstname").Words())
	require.Equal(t, []string{"x", "12", "y"}, SplitName("x12Y"))
}

func TestWaysBetweenTables(t *testing.T) {
	t.Parallel()
	v := view(t, trade())
	for _, c := range []struct {
		from, to string
		one      bool
		distance float64
		ways     int
	}{
		{"customers", "customers", true, 0, 0},
		{"orders", "customers", true, 1, 1},
		{"customers", "orders", false, 1, 0},
		{"order_products", "customers", true, 2, 1},
		{"order_products", "products", true, 1, 1},
		{"products", "customers", false, 3, 0},
		{"products", "仓库", false, plan.Unreachable, 0},
	} {
		from, to := v.TableOf(c.from), v.TableOf(c.to)
		require.Equal(t, c.one, v.OneRow(from, to), c)
		require.InDelta(t, c.distance, v.Distance(from, to), 1e-9, c)
		require.Equal(t, c.ways, v.Ways(from, to), c)
	}
}

// TestWaysAreCounted: a leads to b by two columns and, one join longer, over c, which is no
// way that people mean; behind b there is a chain of tables.
func TestWaysAreCounted(t *testing.T) {
	t.Parallel()
	l := &semantic.Layer{}
	var names []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		l.Entities = append(l.Entities, entity(name, "id"))
		names = append(names, name)
	}
	join := func(from, to, column string) {
		l.Joins = append(l.Joins, semantic.Join{From: from, Columns: []string{column}, To: to, ToColumns: []string{"id"}, Declared: true})
	}
	join("a", "b", "x")
	join("a", "b", "y")
	join("a", "c", "c")
	join("c", "b", "b")
	join("b", "d", "d")
	join("d", "e", "e")
	join("e", "f", "f")
	join("f", "g", "g")
	v := New(l, nil, plan.New(names, l.Joins), units, words)
	ways := func(from, to string) int { return v.Ways(v.TableOf(from), v.TableOf(to)) }
	require.Equal(t, 2, ways("a", "b"), "two columns; over c it is longer")
	require.Equal(t, 2, ways("a", "d"))
	require.Equal(t, 2, ways("a", "e"))
	require.Equal(t, 2, ways("a", "f"))
	require.Equal(t, 0, ways("a", "g"), "five joins are too many")
	require.Equal(t, 0, ways("b", "a"))
}

func TestNatures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		decl     string
		role     semantic.Role
		values   []string
		complete bool
		distinct int64
		want     Nature
	}{
		{"when timestamp", "", nil, false, 0, Moment},
		{"day_of varchar", "", []string{"2030-01-02"}, true, 0, Moment},
		{"ref varchar", semantic.RoleKey, nil, false, 0, Identifier},
		{"open boolean", "", nil, false, 0, Flag},
		{"answer varchar", "", []string{"yes", "NO"}, true, 0, Flag},
		{"answer varchar", "", []string{"yes"}, true, 0, Flag},
		{"answer varchar", "", []string{"是", "否"}, true, 0, Flag},
		{"answer varchar", semantic.RoleCategory, []string{"yes", "no"}, false, 0, Category},
		{"answer varchar", "", []string{"yes", "maybe"}, true, 0, Category},
		{"answer varchar", "", []string{"y", "n", "no"}, true, 0, Category},
		{"answer varchar", "", []string{"plain"}, false, 0, Text},
		{"answer varchar", "", nil, true, 0, Text},
		{"is_open bigint", "", nil, false, 2, Flag},
		{"is_open bigint", "", nil, false, 1, Flag},
		{"is_open bigint", "", nil, false, 3, Amount},
		{"is_open bigint", "", nil, false, 0, Amount},
		{"is_open bigint", "", []string{"5"}, false, 2, Amount},
		{"opened bigint", "", nil, false, 2, Amount},
		{"zip integer", "", nil, false, 0, Identifier},
		{"postal_code integer", "", nil, false, 0, Identifier},
		{"code_total integer", "", nil, false, 0, Amount},
		{"birth_year integer", "", nil, false, 0, Calendar},
		{"age double", "", nil, false, 0, Level},
		{"amount double", "", nil, false, 0, Amount},
		{"price_per_ton double", "", nil, false, 0, Level},
		{"visit_no bigint", "", nil, false, 0, Identifier},
		{"invoice_number bigint", "", nil, false, 0, Identifier},
		{"trained_by bigint", "", nil, false, 0, Identifier},
		{"price_raised_by double", "", nil, false, 0, Amount},
		{"number_of_visits bigint", "", nil, false, 0, Amount},
		{"total_number bigint", "", nil, false, 0, Amount},
		{"number bigint", "", nil, false, 0, Amount},
		{"own bigint", "", nil, false, 0, Identifier}, // the key of the table
	} {
		l := layerOf(c.role, c.decl, c.values...)
		l.Entities[0].Key = []string{"own"}
		l.Dimensions[0].Complete = c.complete
		name := l.Dimensions[0].Expr
		v := view(t, l, catalog.Table{Name: catalog.Name{Table: "things"}, Columns: []catalog.Column{{Name: name, Distinct: c.distinct}}})
		require.Equal(t, c.want, v.ColumnOf("things."+name).Nature, c)
	}
	// A part of a key of several columns is what its name says.
	l := layerOf("", "amount double")
	l.Entities[0].Key = []string{"amount", "other"}
	require.Equal(t, Amount, view(t, l).ColumnOf("things.amount").Nature)
}

// TestNaturesOfChineseNames: a Chinese name tells its nature by how it ends. Names of
// derived layers stand in English where the catalog has both.
func TestNaturesOfChineseNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Nature{"员工年龄": Level, "订单编号": Identifier, "出生年份": Calendar, "号码本": Amount, "总金额": Amount, "库存": Amount} {
		l := layerOf("", name+" double")
		l.Dimensions[0].Names = semantic.Text{EN: name, ZH: name}
		require.Equal(t, want, view(t, l).ColumnOf("things."+name).Nature, name)
	}
}

func TestPointers(t *testing.T) {
	t.Parallel()
	for cardinality, want := range map[semantic.Cardinality]map[string]bool{
		"":                  {"a.x": true, "a.y": true},
		semantic.ManyToOne:  {"a.x": true, "a.y": true},
		semantic.OneToOne:   {"a.x": true, "a.y": true},
		semantic.OneToMany:  {"b.u": true, "b.v": true},
		semantic.ManyToMany: {"a.x": true, "a.y": true, "b.u": true, "b.v": true},
	} {
		l := &semantic.Layer{Joins: []semantic.Join{{From: "a", Columns: []string{"x", "y"}, To: "b", ToColumns: []string{"u", "v"}, Cardinality: cardinality}}}
		require.Equal(t, want, pointers(l), cardinality)
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	column := func(decl string, values ...string) *Column {
		d := dim("things", decl, values...)
		return &Column{Dimension: &d}
	}
	for _, c := range []struct {
		column  *Column
		yes, no string // empty: not stored
	}{
		{column("open boolean"), "true", "false"},
		{column("open bigint"), "1", "0"},
		{column("open varchar", "Y", "N"), "Y", "N"},
		{column("open varchar", "有"), "有", ""},
		{column("open varchar", "无"), "", "无"},
		{column("open varchar", "perhaps"), "", ""},
		{column("open bigint", "1"), "1", ""},
	} {
		got, ok := c.column.Says(true)
		require.Equal(t, c.yes, got)
		require.Equal(t, c.yes != "", ok)
		got, ok = c.column.Says(false)
		require.Equal(t, c.no, got)
		require.Equal(t, c.no != "", ok)
	}
	got, ok := column("discount varchar", "Summer", "None").Nothing()
	require.True(t, ok)
	require.Equal(t, "None", got)
	got, ok = column("discount varchar", "Summer").Nothing()
	require.False(t, ok)
	require.Empty(t, got)
	for name, want := range map[string]bool{"is_open": true, "deleted": true, "canOpen": true, "opened": false, "island": false} {
		require.Equal(t, want, column(name+" bigint").FlagLike(), name)
	}
}

func TestAHitIsOfItsTable(t *testing.T) {
	t.Parallel()
	table := &Table{}
	require.Same(t, table, Hit{Table: table}.Of())
	require.Same(t, table, Hit{Column: &Column{Of: table}}.Of())
}
