package semantic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func TestWords(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"order_id": {"order", "id"}, "OrderItem": {"order", "item"}, "XMLFile": {"xml", "file"},
		"address1": {"address", "1"}, "song-name": {"song", "name"}, "userIDs": {"user", "ids"}, "GMV": {"gmv"},
	}
	for in, want := range cases {
		require.Equal(t, want, Words(in), in)
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	require.Equal(t, "sao paulo", Fold("  São  Paulo "))
	require.Equal(t, "abc", Fold("ＡＢＣ"))
	require.Equal(t, "新加坡", Fold("新加坡"))
}

func shop() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "customer"}, RowCount: 3, Columns: []catalog.Column{
			{Name: "custid", Type: "integer", PrimaryKey: true, Distinct: 3},
			{Name: "custname", Type: "varchar", Comment: "name of the cust", Distinct: 3, Samples: []string{"Ann"}},
			{Name: "born", Type: "date"},
			{Name: "cust_city", Type: "varchar", Distinct: 2, Samples: []string{"Rome", "Oslo"}},
		}},
		{Name: catalog.Name{Table: "orders"}, RowCount: 9, Columns: []catalog.Column{
			{Name: "order_id", Type: "integer", PrimaryKey: true}, {Name: "buyer", Type: "integer"}, {Name: "amount", Type: "decimal(10,2)"},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"buyer"}, RefTable: catalog.Name{Table: "customer"}, RefColumns: []string{"custid"}}}},
		{Name: catalog.Name{Table: "refunds"}, Columns: []catalog.Column{{Name: "order_id", Type: "bigint"}, {Name: "why", Type: "varchar"}}},
	}
}

func TestDeriveRolesNamesAndValues(t *testing.T) {
	t.Parallel()
	layer := Derive(shop())
	byID := map[string]Dimension{}
	for _, d := range layer.Dimensions {
		byID[d.ID] = d
	}
	require.Equal(t, RoleKey, byID["customer.custid"].Role)
	require.Equal(t, "cust id", byID["customer.custid"].Names.EN)
	require.Equal(t, RoleLabel, byID["customer.custname"].Role)
	require.Equal(t, "cust name", byID["customer.custname"].Names.EN)
	require.Equal(t, RoleTime, byID["customer.born"].Role)
	require.Equal(t, RoleCategory, byID["customer.cust_city"].Role)
	require.True(t, byID["customer.cust_city"].Complete)
	require.False(t, byID["customer.custname"].Complete)
	require.Equal(t, RoleMeasure, byID["orders.amount"].Role)
	require.Equal(t, Label{"custname"}, layer.Entities[0].Label)
}

func TestRolesOfChineseNames(t *testing.T) {
	t.Parallel()
	layer := Derive([]catalog.Table{{Name: catalog.Name{Table: "学生"}, RowCount: 9, Columns: []catalog.Column{
		{Name: "学号", Type: "bigint", Distinct: 9}, {Name: "班级编号", Type: "bigint", Distinct: 2}, {Name: "学生姓名", Type: "varchar", Distinct: 9}, {Name: "身高", Type: "bigint", Distinct: 8},
	}}})
	var roles []Role
	for _, d := range layer.Dimensions {
		roles = append(roles, d.Role)
	}
	require.Equal(t, []Role{RoleKey, RoleKey, RoleLabel, RoleMeasure}, roles)
	require.Equal(t, Label{"学生姓名"}, layer.Entities[0].Label)
}

func TestDeriveJoinsByForeignKeyThenByName(t *testing.T) {
	t.Parallel()
	layer := Derive(shop())
	require.Len(t, layer.Joins, 2)
	require.Equal(t, Join{From: "orders", Columns: []string{"buyer"}, To: "customer", ToColumns: []string{"custid"}, Cardinality: ManyToOne, Declared: true}, layer.Joins[0])
	require.Equal(t, "refunds", layer.Joins[1].From)
	require.False(t, layer.Joins[1].Declared)
}

func TestMatchesManifestsAndNames(t *testing.T) {
	t.Parallel()
	sg := &catalog.Table{Name: catalog.Name{Region: "sg", Schema: "mp_order", Table: "dws_x__sg_live"}, Manifest: "mp_order.dws_x__{cid}_live", Country: "SG"}
	require.True(t, Matches("mp_order.dws_x__{cid}_live", sg))
	require.True(t, Matches("mp_order.dws_x__sg_live", sg))
	require.True(t, Matches("dws_x__{cid}_live", sg))
	require.False(t, Matches("mp_user.dws_x__{cid}_live", sg))
	require.False(t, Matches("mp_order.x__{cid}_live", sg))
	sg.Manifest = "dws_x__{cid}_live"
	require.True(t, Matches("mp_order.dws_x__{cid}_live", sg))
}

// TestKeysInChinese: a column of a value of its own in each row is the key where it ends as one.
func TestKeysInChinese(t *testing.T) {
	t.Parallel()
	table := catalog.Table{Name: catalog.Name{Table: "包裹"}, RowCount: 90, Columns: []catalog.Column{
		{Name: "运费", Type: "double", Distinct: 90}, {Name: "包裹编号", Type: "varchar", Distinct: 90}, {Name: "快递员编号", Type: "varchar", Distinct: 9},
	}}
	require.Equal(t, []string{"包裹编号"}, Derive([]catalog.Table{table}).Entities[0].Key)
	table.Columns[1].Distinct = 89
	require.Empty(t, Derive([]catalog.Table{table}).Entities[0].Key, "two rows share one")
}
