package semantic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func TestJoinsOfTheQueryHistory(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{
		{Name: catalog.Name{Table: "visit"}, RowCount: 9, Columns: []catalog.Column{{Name: "who", Type: "bigint"}, {Name: "day", Type: "date"}},
			Usage: &catalog.Usage{Joins: []catalog.Join{
				{Table: catalog.Name{Table: "person"}, Columns: []string{"who"}, RefColumns: []string{"pid"}, Queries: 7},
				{Table: catalog.Name{Table: "holiday"}, Columns: []string{"day"}, RefColumns: []string{"day"}, Queries: 2},
				{Table: catalog.Name{Table: "secret"}, Columns: []string{"who"}, RefColumns: []string{"id"}, Queries: 5},
				{Table: catalog.Name{Table: "person"}, Columns: []string{"who"}, RefColumns: []string{"hidden"}, Queries: 5},
				{Table: catalog.Name{Table: "person"}, Queries: 5},
			}}},
		{Name: catalog.Name{Table: "person"}, RowCount: 5, Columns: []catalog.Column{{Name: "pid", Type: "bigint", Distinct: 5}},
			Usage: &catalog.Usage{Joins: []catalog.Join{{Table: catalog.Name{Table: "visit"}, Columns: []string{"pid"}, RefColumns: []string{"who"}, Queries: 7}}}},
		{Name: catalog.Name{Table: "holiday"}, RowCount: 9, Columns: []catalog.Column{{Name: "day", Type: "date", Distinct: 4}}},
	}
	require.Equal(t, []Join{
		{From: "visit", Columns: []string{"who"}, To: "person", ToColumns: []string{"pid"}, Cardinality: ManyToOne, Uses: 7},
		{From: "visit", Columns: []string{"day"}, To: "holiday", ToColumns: []string{"day"}, Cardinality: ManyToMany, Uses: 2},
	}, Derive(tables).Joins)
}

func TestAForeignKeyThatIsUsedSaysSo(t *testing.T) {
	t.Parallel()
	tables := shop()
	tables[1].Usage = &catalog.Usage{Joins: []catalog.Join{{Table: tables[0].Name, Columns: []string{"buyer"}, RefColumns: []string{"custid"}, Queries: 3}}}
	joins := Derive(tables).Joins
	require.Len(t, joins, 2)
	require.True(t, joins[0].Declared)
	require.EqualValues(t, 3, joins[0].Uses)
}

func TestJoinsByNames(t *testing.T) {
	t.Parallel()
	key := func(name string) catalog.Column { return catalog.Column{Name: name, Type: "bigint", PrimaryKey: true} }
	points := func(names ...string) (columns []catalog.Column) {
		for _, n := range names {
			columns = append(columns, catalog.Column{Name: n, Type: "bigint"})
		}
		return columns
	}
	cases := []struct {
		name   string
		tables []catalog.Table
		want   [][2]string // "from.column", "to.column"
	}{
		{"the other's key by name", []catalog.Table{
			{Name: catalog.Name{Table: "ride"}, Columns: points("driver_no")},
			{Name: catalog.Name{Table: "staff"}, Columns: []catalog.Column{key("driver_no")}},
		}, [][2]string{{"ride.driver_no", "staff.driver_no"}}},
		{"not by a column of which a person said that it means nothing", []catalog.Table{
			{Name: catalog.Name{Table: "ride"}, Columns: []catalog.Column{{Name: "driver_no", Type: "bigint", NotJoined: true}, {Name: "start_city_id", Type: "bigint", NotJoined: true}}},
			{Name: catalog.Name{Table: "staff"}, Columns: []catalog.Column{key("driver_no")}},
			{Name: catalog.Name{Table: "cities"}, Columns: []catalog.Column{key("id")}},
		}, nil},
		{"table and key", []catalog.Table{
			{Name: catalog.Name{Table: "ride"}, Columns: points("city_id")},
			{Name: catalog.Name{Table: "cities"}, Columns: []catalog.Column{key("id")}},
		}, [][2]string{{"ride.city_id", "cities.id"}}},
		{"with a word in front", []catalog.Table{
			{Name: catalog.Name{Table: "ride"}, Columns: points("start_city_id")},
			{Name: catalog.Name{Table: "cities"}, Columns: []catalog.Column{key("id")}},
		}, [][2]string{{"ride.start_city_id", "cities.id"}}},
		{"with different words in front nobody knows which", []catalog.Table{
			{Name: catalog.Name{Table: "ride"}, Columns: points("start_city_id", "end_city_id")},
			{Name: catalog.Name{Table: "cities"}, Columns: []catalog.Column{key("id")}},
		}, nil},
		{"the layer of the table is no word of its name", []catalog.Table{
			{Name: catalog.Name{Schema: "s", Table: "dwd_ride"}, Layer: "dwd", Columns: points("city_id")},
			{Name: catalog.Name{Schema: "s", Table: "dim_city"}, Layer: "dim", Columns: []catalog.Column{key("id")}},
		}, [][2]string{{"s.dwd_ride.city_id", "s.dim_city.id"}}},
		{"a generic name alone says nothing", []catalog.Table{
			{Name: catalog.Name{Table: "ride"}, Columns: points("id")},
			{Name: catalog.Name{Table: "cities"}, Columns: []catalog.Column{key("id")}},
		}, nil},
		{"other types", []catalog.Table{
			{Name: catalog.Name{Table: "ride"}, Columns: []catalog.Column{{Name: "city_id", Type: "varchar"}}},
			{Name: catalog.Name{Table: "cities"}, Columns: []catalog.Column{key("id")}},
		}, nil},
		{"other countries", []catalog.Table{
			{Name: catalog.Name{Schema: "s", Table: "ride_sg"}, Country: "SG", Columns: points("city_no")},
			{Name: catalog.Name{Schema: "s", Table: "city_br"}, Country: "BR", Columns: []catalog.Column{key("city_no")}},
		}, nil},
		{"the nearer data centre", []catalog.Table{
			{Name: catalog.Name{Region: "a", Schema: "s", Table: "ride"}, Columns: points("city_id")},
			{Name: catalog.Name{Region: "b", Schema: "s", Table: "city"}, Columns: []catalog.Column{key("id")}},
			{Name: catalog.Name{Region: "a", Schema: "s", Table: "city"}, Columns: []catalog.Column{key("id")}},
		}, [][2]string{{"a.s.ride.city_id", "a.s.city.id"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got [][2]string
			for _, j := range Derive(c.tables).Joins {
				got = append(got, [2]string{j.From + "." + j.Columns[0], j.To + "." + j.ToColumns[0]})
				require.False(t, j.Declared)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestDisplayNames(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, comment string
		want          Text
		synonyms      []string
	}{
		{"cust_nm", "客户姓名：实名", Text{EN: "cust nm", ZH: "客户姓名"}, nil},
		{"cust_nm", "customer name", Text{EN: "cust nm"}, []string{"customer name"}},
		{"cust_nm", "Customer name (legal)", Text{EN: "cust nm"}, []string{"Customer name"}},
		{"cust_nm", "customer name / 客户姓名", Text{EN: "cust nm", ZH: "客户姓名"}, []string{"customer name"}},
		{"cust_nm", "客户姓名（实名） | customer name", Text{EN: "cust nm", ZH: "客户姓名"}, []string{"customer name"}},
		{"cust_nm", "the name of the customer", Text{EN: "cust nm"}, nil},
		{"cust_nm", "name under which the customer is known to us", Text{EN: "cust nm"}, nil},
		{"cust_nm", "cust nm", Text{EN: "cust nm"}, nil},
		{"amt", "用户在平台上下单后实际支付的全部金额", Text{EN: "amt"}, nil},
		{"amt", "", Text{EN: "amt"}, nil},
	}
	for _, c := range cases {
		names, synonyms := displayNames(Words(c.name), c.comment)
		require.Equal(t, c.want, names, c.comment)
		require.Equal(t, c.synonyms, synonyms, c.comment)
	}
}

func TestCodesOfDescriptions(t *testing.T) {
	t.Parallel()
	cases := map[string]map[string]string{
		"0 = open, 1 = paid":                {"0": "open", "1": "paid"},
		"性别（1：男，2：女）":                       {"1": "男", "2": "女"},
		"status: P-partially paid; F-fully": {"p": "partially paid", "f": "fully"},
		"付款状态：1=已付，0=未付":                    {"1": "已付", "0": "未付"},
		"day in the form 2024-01-31":        nil,
		"ratio: 1:2":                        nil,
		"one of them: A = active":           nil,
		"plain words":                       nil,
	}
	for comment, want := range cases {
		require.Equal(t, want, codes(comment), comment)
	}
	values, complete := ValuesOf(&catalog.Column{Comment: "F: female, M: male", Distinct: 3, Samples: []string{"F", "M", "X"}})
	require.True(t, complete)
	require.Equal(t, []Value{{Value: "F", Synonyms: []string{"female"}}, {Value: "M", Synonyms: []string{"male"}}, {Value: "X"}}, values)
	values, _ = ValuesOf(&catalog.Column{Comment: "F: female, M: male"})
	require.Empty(t, values, "whoever may not see the values does not get them from the description")
}

// Warehouses declare no keys: which column is one is told by its values and its name.
func TestJoinsWithoutDeclaredKeys(t *testing.T) {
	t.Parallel()
	unique := func(name string) catalog.Column { return catalog.Column{Name: name, Type: "bigint", Distinct: 10} }
	key := func(name string) catalog.Column { c := unique(name); c.PrimaryKey = true; return c }
	repeats := func(name string) catalog.Column { return catalog.Column{Name: name, Type: "bigint", Distinct: 4} }
	table := func(name string, columns ...catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Table: name}, RowCount: 10, Columns: columns}
	}
	for _, c := range []struct {
		name   string
		tables []catalog.Table
		want   [][2]string // "from.column", "to.column"
	}{
		{"the table's letters and id", []catalog.Table{
			table("vessel", unique("vid"), repeats("tons")),
			table("harbour", unique("hid")),
			table("call", repeats("vid"), repeats("hid")),
		}, [][2]string{{"call.vid", "vessel.vid"}, {"call.hid", "harbour.hid"}}},
		{"the table and id", []catalog.Table{
			table("vessels", unique("vid")),
			table("crew_member", unique("cmid"), repeats("vessel_id")),
			table("shift", repeats("crew_member_id")),
		}, [][2]string{{"crew_member.vessel_id", "vessels.vid"}, {"shift.crew_member_id", "crew_member.cmid"}}},
		{"words that all names begin with", []catalog.Table{
			table("pq_guest", unique("pqGuestId"), repeats("pqGuestAge"), repeats("pqGuestTown")),
			table("pq_room", unique("pqRoomId"), repeats("pqRoomBeds"), repeats("pqRoomFloor")),
			table("pq_stay", repeats("pqStGuestId"), repeats("pqStRoomId"), repeats("pqStNights")),
		}, [][2]string{{"pq_stay.pqStGuestId", "pq_guest.pqGuestId"}, {"pq_stay.pqStRoomId", "pq_room.pqRoomId"}}},
		{"a word that ends so", []catalog.Table{
			table("auction", unique("paid"), repeats("lot")),
			table("payment", repeats("paid")),
		}, nil},
		{"keys whose names have no letter", []catalog.Table{
			table("orders", key("#"), repeats("vid")),
			table("№", key("№"), repeats("#")),
			table("_", key("_"), repeats("№"), repeats("%")),
		}, nil},
		{"letters that take two bytes", []catalog.Table{
			table("équipe_élue", unique("ééid")),
			table("match", repeats("ééid")),
		}, [][2]string{{"match.ééid", "équipe_élue.ééid"}}},
		{"values that repeat", []catalog.Table{
			table("vessel", repeats("vid")),
			table("call", repeats("vid")),
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got [][2]string
			for _, j := range Derive(c.tables).Joins {
				got = append(got, [2]string{j.From + "." + j.Columns[0], j.To + "." + j.ToColumns[0]})
			}
			require.ElementsMatch(t, c.want, got)
		})
	}
}
