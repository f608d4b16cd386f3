package catalog_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func table(name, manifest, country string) catalog.Table {
	n, err := catalog.ParseName(name)
	if err != nil {
		panic(err)
	}
	return catalog.Table{Name: n, Manifest: manifest, Country: country, Columns: []catalog.Column{{Name: "Order_ID"}}}
}

func index() *catalog.Index {
	return catalog.NewIndex(&catalog.Snapshot{Tables: []catalog.Table{
		table("sg.mp_order.dws_seller_gmv_1d__sg_s0_live", "dws_seller_gmv_1d__{cid}_s0_live", "SG"),
		table("sg.mp_order.dws_seller_gmv_1d__id_s0_live", "dws_seller_gmv_1d__{cid}_s0_live", "ID"),
		table("useast.mp_order.dws_seller_gmv_1d__br_s0_live", "mp_order.dws_seller_gmv_1d__{cid}_s0_live", "BR"),
		table("sg.mp_order.Orders", "", ""),
		table("useast.mp_order.orders", "", ""),
		table("sg.mp_order.orders_bak", "", ""),
		table("sg.log.events_20240101", "", ""),
		table("sg.log.events_20240102", "", ""),
		table("sg.log.events_123456", "", ""),
		table("sg.secret.salary_detail", "", ""),
	}}, catalog.Defaults{Region: "sg", Schema: "mp_order"})
}

func names(tables []*catalog.Table) []string {
	var out []string
	for _, t := range tables {
		out = append(out, t.Name.String())
	}
	return out
}

func TestLookupCompletesByDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ask, want string }{
		{"orders", "sg.mp_order.Orders"},
		{"MP_ORDER.ORDERS", "sg.mp_order.Orders"},
		{"useast.mp_order.orders", "useast.mp_order.orders"},
		{"log.events_123456", "sg.log.events_123456"},
		{"events_123456", ""},
		{"useast.secret.salary_detail", ""},
	} {
		n, err := catalog.ParseName(c.ask)
		require.NoError(t, err)
		got, ok := index().Lookup(n)
		require.Equal(t, c.want != "", ok, c.ask)
		if ok {
			require.Equal(t, c.want, got.Name.String())
		}
	}
}

func TestFindLeavesMissingPartsOpen(t *testing.T) {
	t.Parallel()
	v := index().All()
	require.Equal(t, []string{"sg.mp_order.Orders", "useast.mp_order.orders"}, names(v.Find(catalog.Name{Table: "orders"})))
	require.Len(t, v.Find(catalog.Name{Region: "USEAST", Table: "orders"}), 1)
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	v := index().All()
	for _, c := range []struct {
		of   string
		want int
	}{
		{"sg.mp_order.dws_seller_gmv_1d__sg_s0_live", 3}, // also across regions
		{"sg.mp_order.orders", 3},                        // two regions and a copy
		{"sg.log.events_20240101", 2},
		{"sg.log.events_123456", 1}, // digits, but no date
	} {
		n, err := catalog.ParseName(c.of)
		require.NoError(t, err)
		got, ok := v.Lookup(n)
		require.True(t, ok)
		require.Len(t, v.Family(got), c.want, c.of)
	}
	for _, ask := range []string{"dws_seller_gmv_1d", "dws_seller_gmv_1d__{cid}_s0_live", "DWS_seller_gmv_1d__{cid}"} {
		found := v.FindFamily(catalog.Name{Table: ask})
		require.Len(t, found, 1, ask)
		require.Len(t, found[0].Tables, 3)
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	x := index()
	require.Equal(t, "sg.mp_order.Orders", x.Near(catalog.Name{Table: "ordres"}, 3)[0].String())
	require.Equal(t, "sg.mp_order.dws_seller_gmv_1d__sg_s0_live", x.Near(catalog.Name{Table: "dws_seller_gmv_1d__sg_s0_liv"}, 1)[0].String())
	require.Empty(t, x.Near(catalog.Name{Table: "zzzzqqq"}, 3))
	require.Empty(t, x.Near(catalog.Name{Table: "orders"}, 0))
}

// TestNearAmongMany holds the nearest of many names, of which some are hidden, against a
// search through all: what shares most runs of letters is compared letter by letter.
func TestNearAmongMany(t *testing.T) {
	t.Parallel()
	var s catalog.Snapshot
	words := []string{"order", "seller", "parcel", "stock", "refund", "visit", "driver"}
	for i := range 3_000 {
		s.Tables = append(s.Tables, catalog.Table{Name: catalog.Name{
			Region: "sg", Schema: "mp", Table: fmt.Sprintf("%s_%s_%s_%d", words[i%7], words[i/7%7], words[i/49%7], i),
		}})
	}
	hidden := func(t *catalog.Table) bool { return strings.HasPrefix(t.Name.Table, "seller_") }
	v := catalog.NewIndex(&s, catalog.Defaults{}).Restrict(func(t *catalog.Table) bool { return !hidden(t) })
	for _, asked := range []string{"seler_order_stock_15", "order_parcel_visit_99", "refund_reund", "x"} {
		shared := func(name string) (n int) {
			padded := "^" + name + "$"
			grams := map[string]bool{}
			for i := 0; i+3 <= len(asked)+2; i++ {
				grams[("^" + asked + "$")[i:i+3]] = true
			}
			for gram := range grams {
				if strings.Contains(padded, gram) {
					n++
				}
			}
			return n
		}
		var order []catalog.Name
		for _, t := range v.Tables() {
			if shared(t.Name.Table) > 0 {
				order = append(order, t.Name)
			}
		}
		slices.SortStableFunc(order, func(a, b catalog.Name) int { return shared(b.Table) - shared(a.Table) })
		order = order[:min(len(order), 300)]
		var few catalog.Snapshot // of so few all are compared
		for _, n := range order {
			few.Tables = append(few.Tables, catalog.Table{Name: n})
		}
		want := catalog.NewIndex(&few, catalog.Defaults{}).Near(catalog.Name{Table: asked}, 5)
		require.Equal(t, want, v.Near(catalog.Name{Table: asked}, 5), asked)
	}
}

// TestNamesAreReady: the first name that no table has costs no more than the next where the
// index was made ready for it. Not beside others: it counts what is allocated.
func TestNamesAreReady(t *testing.T) { //nolint:paralleltest // see above
	var s catalog.Snapshot
	for i := range 5_000 {
		s.Tables = append(s.Tables, catalog.Table{Name: catalog.Name{Region: "sg", Schema: "mp", Table: fmt.Sprintf("order_of_parcel_%d", i)}})
	}
	first := func(x *catalog.Index) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NotEmpty(t, x.Near(catalog.Name{Table: "order_parcel"}, 2))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	ready := catalog.NewIndex(&s, catalog.Defaults{})
	ready.ReadyForNames()
	require.Less(t, 2*first(ready), first(catalog.NewIndex(&s, catalog.Defaults{})))
}

func TestFirstOfASchema(t *testing.T) {
	t.Parallel()
	var s catalog.Snapshot
	for _, name := range []string{"sg.shop.b", "sg.shop.a", "br.shop.c", "sg.Shop_x.d", "sg.other.e"} {
		n, err := catalog.ParseName(name)
		require.NoError(t, err)
		s.Tables = append(s.Tables, catalog.Table{Name: n})
	}
	x := catalog.NewIndex(&s, catalog.Defaults{})
	v := x.Restrict(func(t *catalog.Table) bool { return t.Name.Table != "a" && t.Name.Schema != "other" })
	for _, c := range []struct {
		of             *catalog.View
		region, schema string
		want           string
	}{
		{x.All(), "", "SHOP", "br.shop.c"}, {x.All(), "SG", "shop", "sg.shop.a"}, {v, "sg", "shop", "sg.shop.b"}, {x.All(), "", "shop_X", "sg.Shop_x.d"},
		{v, "", "other", ""}, {x.All(), "us", "shop", ""}, {x.All(), "", "none", ""}, {x.All(), "", "", ""},
	} {
		got := ""
		if t := c.of.FirstOf(c.region, c.schema); t != nil {
			got = t.Name.String()
		}
		require.Equal(t, c.want, got, "%+v", c)
	}
}

func TestHiddenTablesDoNotExist(t *testing.T) {
	t.Parallel()
	v := index().Restrict(func(t *catalog.Table) bool {
		return t.Name.Schema != "secret" && t.Name.Region != "useast"
	})
	_, ok := v.Lookup(catalog.Name{Region: "sg", Schema: "secret", Table: "salary_detail"})
	require.False(t, ok)
	require.Empty(t, v.Near(catalog.Name{Table: "salary_detai"}, 5))
	require.Empty(t, v.Find(catalog.Name{Table: "salary_detail"}))
	require.Empty(t, v.FindFamily(catalog.Name{Table: "salary_detail"}))
	require.Equal(t, 7, v.Count())
	require.Len(t, v.Tables(), 7)
	sg, ok := v.Lookup(catalog.Name{Table: "dws_seller_gmv_1d__sg_s0_live"})
	require.True(t, ok)
	family := names(v.Family(sg))
	require.NotEmpty(t, family)
	for _, n := range family {
		require.False(t, strings.HasPrefix(n, "useast"), n)
	}
}

func TestFirstOfTwoTablesIsKept(t *testing.T) {
	t.Parallel()
	x := catalog.NewIndex(&catalog.Snapshot{Tables: []catalog.Table{
		{Name: catalog.Name{Region: "a", Schema: "b", Table: "c"}, Owner: "first"},
		{Name: catalog.Name{Region: "A", Schema: "B", Table: "C"}, Owner: "second"},
	}}, catalog.Defaults{})
	require.Equal(t, 1, x.Len())
	got, _ := x.Lookup(catalog.Name{Region: "a", Schema: "b", Table: "c"})
	require.Equal(t, "first", got.Owner)
}

func TestPointingTo(t *testing.T) {
	t.Parallel()
	name := func(s string) catalog.Name { return catalog.Name{Region: "a", Schema: "b", Table: s} }
	key := func(to string) catalog.ForeignKey { return catalog.ForeignKey{RefTable: name(to)} }
	x := catalog.NewIndex(&catalog.Snapshot{Tables: []catalog.Table{
		{Name: name("shop")}, {Name: name("sale"), ForeignKeys: []catalog.ForeignKey{key("SHOP"), key("shop"), key("gone")}},
		{Name: name("rent"), ForeignKeys: []catalog.ForeignKey{key("shop")}},
	}}, catalog.Defaults{})
	shop, ok := x.Lookup(name("shop"))
	require.True(t, ok)
	require.Equal(t, []string{"a.b.rent", "a.b.sale"}, names(x.All().PointingTo(shop)), "each once")
	require.Equal(t, []string{"a.b.rent"}, names(x.Restrict(func(t *catalog.Table) bool { return t.Name.Table != "sale" }).PointingTo(shop)))
}

func TestParseName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]catalog.Name{
		"t":                     {Table: "t"},
		" @a.b.c ":              {Region: "a", Schema: "b", Table: "c"},
		"wh.db.dbo.t":           {Region: "wh", Schema: "db.dbo", Table: "t"},
		`sg."x.y"."say ""hi"""`: {Region: "sg", Schema: "x.y", Table: `say "hi"`},
		`"a"b.c`:                {Schema: `"a"b`, Table: "c"},
		`s."a`:                  {Schema: "s", Table: `"a`},
		`s.order "🙂" 订单`:        {Schema: "s", Table: `order "🙂" 订单`},
	} {
		got, err := catalog.ParseName(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", ".", "a..b", "a.", `a."".c`} {
		_, err := catalog.ParseName(text)
		require.Error(t, err, text)
	}
	// However the parts are cut, the table is found by what its name is written as.
	n := catalog.Name{Region: "wh", Schema: "main", Table: "v1.orders"}
	x := catalog.NewIndex(&catalog.Snapshot{Tables: []catalog.Table{{Name: n}}}, catalog.Defaults{})
	parsed, err := catalog.ParseName(n.String())
	require.NoError(t, err)
	_, ok := x.Lookup(parsed)
	require.True(t, ok)
}
