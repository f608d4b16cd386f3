package schema

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

func stems(text string) []string {
	var out []string
	for _, w := range strings.Fields(text) {
		out = append(out, token.Stem(w))
	}
	return out
}

func TestNames(t *testing.T) {
	t.Parallel()
	v := view(t, trade())
	require.True(t, v.Latin())
	for asked, want := range map[string]string{
		// The name itself, in any number, and what it is called else.
		"customer":     "customers 1.000, orders.customer_id 0.920",
		"customers":    "customers 1.000, orders.customer_id 0.920",
		"client":       "customers 0.850, orders.customer_id 0.770",
		"article":      "products 1.000",
		"first name":   "customers.firstName 1.000",
		"order date":   "orders.order_date 1.000",
		"product name": "products.product_name 1.000",
		"product id":   "order_products.product_id 1.000, order_products.order_id 0.955",
		"city":         "customers.city 1.000",
		"phone":        "customers.phone 1.000",
		// Written together, or apart.
		"firstname":      "customers.firstName 0.980",
		"productname":    "products.product_name 0.980, products 0.850, order_products.product_id 0.770, order_products 0.700",
		"departuredelay": "orders.departure_delay 0.980",
		"orderproduct":   "order_products 0.980, orders 0.850, orders.order_date 0.770, order_products.order_id 0.770",
		// A word that only says that there is a name.
		"phone number":  "customers.phone 0.950",
		"client number": "",
		// Parts: what repeats the table or is a unit costs little, the head much.
		"name":      "products.product_name 0.970, customers.firstName 0.850, customers.last_name 0.850",
		"date":      "orders.order_date 0.970",
		"product":   "products 1.000, products.product_name 0.920, order_products.product_id 0.920, order_products 0.850",
		"order":     "orders 1.000, orders.order_date 0.920, order_products.order_id 0.920, order_products 0.750",
		"delay":     "orders.departure_delay 0.850",
		"weight":    "products.weight_kg 1.000",
		"weight kg": "products.weight_kg 1.000",
		"kg":        "products.weight_kg 0.750",
		"total":     "orders.total_amount 0.920",
		// The thing of a table, said with its table.
		"city customer": "customers.city 0.985",
		"price article": "",
		// Shorthand, synonyms, forms and slips.
		"honor":           "customers.vip 0.850",
		"amt":             "orders.total_amount 0.820",
		"sales":           "orders.total_amount 0.600",
		"cost":            "products.price 0.850",
		"depart delay":    "orders.departure_delay 0.925",
		"categorical":     "products.category 0.850, 仓库.商品类别 0.637",
		"category":        "products.category 1.000, 仓库.商品类别 0.728",
		"catgory":         "products.category 0.800",
		"total total":     "",
		"mass kg":         "",
		"number":          "",
		"vip flag number": "",
		"zyzzyva":         "",
	} {
		require.Equal(t, want, shown(v.Names(stems(asked), strings.ReplaceAll(asked, " ", ""), words)), asked)
	}
}

func TestNamesInChinese(t *testing.T) {
	t.Parallel()
	v := view(t, trade())
	for asked, want := range map[string][2]string{
		"商品类别": {"仓库.商品类别 1.000", ""},
		"类别":   {"仓库.商品类别 0.850", "products.category 0.970"},
		"商品":   {"仓库.商品类别 0.700", "products 1.000, products.product_name 0.920, order_products.product_id 0.920, order_products 0.850"},
		"品类":   {"仓库.商品类别 1.000", ""},
		"商品类":  {"仓库.商品类别 0.775", ""},
		"品":    {"", ""},
		"重量":   {"仓库.重量公斤 0.980", ""},
		"重量公斤": {"仓库.重量公斤 1.000", ""},
		"公斤":   {"仓库.重量公斤 0.950", ""},
		"量公":   {"仓库.重量公斤 0.600", ""},
		"金额":   {"仓库.金额元 0.980", ""},
		"金额元":  {"仓库.金额元 1.000", ""},
		"元":    {"", ""},
		"仓库":   {"仓库 1.000", ""},
		"客户":   {"", "customers 1.000, orders.customer_id 0.920"},
		"火星":   {"", ""},
	} {
		require.Equal(t, want[0], shown(v.NamesHan(asked)), asked)
		require.Equal(t, want[1], shown(v.NamesAcross(asked, words)), asked)
	}
	l := &semantic.Layer{Entities: []semantic.Entity{entity("仓库")}}
	require.False(t, view(t, l).Latin())
}

// TestNamesOfOneCharacterAndLongOnes: a single character names a thing that is called
// so, and of a name without end only the beginning is looked up.
func TestNamesOfOneCharacterAndLongOnes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("甲乙丙丁", 4)
	l := &semantic.Layer{Entities: []semantic.Entity{entity("书")}, Dimensions: []semantic.Dimension{dim("书", "价元 double"), dim("书", long+"戊 varchar"), dim("书", "长 varchar")}}
	v := view(t, l)
	require.Equal(t, "书 1.000", shown(v.NamesHan("书")))
	require.Equal(t, "书.长 1.000", shown(v.NamesHan("长")))
	require.Empty(t, v.NamesHan("价"), "what is left would be one character, so its end is no unit")
	require.Equal(t, "书."+long+"戊 1.000", shown(v.NamesHan(long)))
	require.Empty(t, v.NamesHan(long+"戊"))
	require.Empty(t, v.NamesHan("丁戊"))
}

func TestNameOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]name{
		"order of the day":    {words: []string{"order", "day"}, plain: "orderday", core: 2},
		"the":                 {words: []string{"the"}, plain: "the", core: 1},
		"is_active":           {words: []string{"activ"}, plain: "active", core: 1},
		"duration_ms":         {words: []string{token.Stem("duration"), "m"}, plain: "durationms", core: 1, tail: "ms"},
		"ms_total":            {words: []string{token.Stem("ms"), "total"}, plain: "mstotal", core: 2},
		"minutes":             {words: []string{token.Stem("minutes")}, plain: "minutes", core: 1, tail: "minutes"},
		"重量公斤":                {words: []string{"重量公斤"}, plain: "重量公斤", text: "重量公斤", core: 1, tail: "公斤"},
		"商品_类别":               {words: []string{"商品", "类别"}, plain: "商品类别", text: "商品类别", core: 2},
		"":                    {core: 0},
		"customers_addresses": {words: []string{"customer", token.Stem("addresses")}, plain: "customersaddresses", core: 2},
	} {
		got := nameOf(text, units)
		if text == "duration_ms" {
			want.words[1] = token.Stem("ms")
		}
		require.Equal(t, want, got, text)
	}
}

func TestPartScore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to, core, all int
		want                float64
	}{
		{0, 4, 4, 4, 1},
		{0, 6, 4, 6, 1},
		{0, 4, 4, 6, 0.98},
		{2, 4, 4, 4, 0.85},
		{2, 4, 4, 6, 0.85},
		{4, 6, 4, 6, 0.85},
		{1, 6, 4, 6, 0.95},
		{0, 2, 4, 4, 0.7},
		{0, 5, 4, 6, 0.85},
		{1, 3, 4, 4, 0.5},
		{1, 2, 0, 3, 0.6},
	} {
		require.InDelta(t, c.want, partScore(c.from, c.to, c.core, c.all), 1e-9, "%+v", c)
	}
}

func TestNearness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked, name string
		want        float64
	}{
		{"order", "order", 1},
		{"qty", "quantity", 0.97},
		{"quantity", "qty", 0.97},
		{"amount", "amt", 0.97},
		{"client", "customer", 0.85},
		{"customer", "client", 0.85},
		{"sale", "amount", 0.75},
		{"departure", "dep", 0.85},
		{"depar", "dep", 0.85},
		{"depa", "dep", 0},
		{"depart", "de", 0},
		{"cate", "category", 0.85},
		{"cat", "category", 0},
		{"national", "nations", 0.75},
		{"nation", "native", 0},
		{"production", "productive", 0.75},
		{"productivity", "produce", 0},
		{"produce", "productivity", 0},
		{"catgory", "category", 0.8},
		{"bottlo", "bottle", 0.75},
		{"xrders", "orders", 0.8},
		{"xrder", "order", 0},
		{"xategory", "category", 0.8},
		{"salamander", "warehouse", 0},
		{"player", "play", 0},
		{"sportsman", "sport", 0},
	} {
		require.InDelta(t, c.want, nearness(c.asked, c.name, words), 1e-9, "%s %s", c.asked, c.name)
	}
}

// TestOneEdit makes edits by chance: one letter left out, put in or changed is one edit
// and the text itself is none.
func TestOneEdit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 0))
	for range 2000 {
		var b strings.Builder
		for range 4 + random.IntN(6) {
			b.WriteByte("abc"[random.IntN(3)])
		}
		s := b.String()
		at := random.IntN(len(s))
		without, changed := s[:at]+s[at+1:], s[:at]+"z"+s[at+1:]
		require.False(t, oneEdit(s, s), s)
		require.True(t, oneEdit(s, without) && oneEdit(without, s), "%s %s", s, without)
		require.True(t, oneEdit(s, changed) && oneEdit(changed, s), "%s %s", s, changed)
		require.True(t, oneEdit(s, s[:at]+"z"+s[at:]), s)
		require.False(t, oneEdit(s, "z"+without+"zz"), s)
		require.False(t, oneEdit(s, s+"zz") || oneEdit(s+"zz", s), s)
		require.False(t, oneEdit(s, "z"+s[1:len(s)-1]+"z"), s)
	}
}

// TestTranslatedNames: what a Chinese name may be in English finds it, whole before its
// end, and a translation of more than three words does not.
func TestTranslatedNames(t *testing.T) {
	t.Parallel()
	l := &semantic.Layer{Entities: []semantic.Entity{entity("客户"), entity("大客户"), entity("新大客户"), entity("最新大客户")}}
	v := New(l, nil, plan.New([]string{"客户", "大客户", "新大客户", "最新大客户"}, nil), units, words)
	require.Equal(t, "客户 0.950, 大客户 0.850, 新大客户 0.750, 最新大客户 0.750", shown(v.Names([]string{"customer"}, "customer", words)))
	require.Empty(t, v.Names([]string{"a", "b", "c", "d"}, "abcd", words))
}

// TestNamesOfLists: a table is called by what its rows are of, without the end that says
// that there are rows; a column's name keeps such an end, and a short name is whole.
func TestNamesOfLists(t *testing.T) {
	t.Parallel()
	l := &semantic.Layer{Entities: []semantic.Entity{entity("训练记录"), entity("员工信息表"), entity("报表")}, Dimensions: []semantic.Dimension{dim("训练记录", "违章记录 varchar")}}
	v := view(t, l)
	require.Equal(t, "训练记录 0.980", shown(v.NamesHan("训练")))
	require.Equal(t, "训练记录 1.000", shown(v.NamesHan("训练记录")))
	require.Equal(t, "员工信息表 0.980", shown(v.NamesHan("员工")))
	require.Equal(t, "训练记录.违章记录 0.700", shown(v.NamesHan("违章")))
	require.Equal(t, "报表 1.000", shown(v.NamesHan("报表")))
	require.Empty(t, v.NamesHan("报"))
}

// Shorthand of several words is read as it is written out, and the beginning of a table's name repeats it.
func TestShorthandOfSeveralWords(t *testing.T) {
	t.Parallel()
	v := view(t, &semantic.Layer{
		Entities:   []semantic.Entity{entity("employee", "emp_id")},
		Dimensions: []semantic.Dimension{dim("employee", "emp_id bigint"), dim("employee", "emp_fname varchar"), dim("employee", "emp_salary double")},
	})
	hits := v.Names(stems("first name"), "firstname", words)
	require.NotEmpty(t, hits)
	require.Equal(t, "emp_fname", hits[0].Column.Expr)
	require.Greater(t, hits[0].Score, 0.9, "emp is of employee")
	require.True(t, hits[0].Column.PartOfName())
	require.False(t, v.ColumnOf("employee.emp_salary").PartOfName())
	require.True(t, v.Tables[0].Persons())
}

// A word that stands for another as amounts do calls columns of numbers by it, and no table and no text: the amount is
// no sale.
func TestWordsOfAmountsCallFigures(t *testing.T) {
	t.Parallel()
	v := view(t, &semantic.Layer{
		Entities:   []semantic.Entity{entity("sale", "id")},
		Dimensions: []semantic.Dimension{dim("sale", "id bigint"), dim("sale", "sale_note varchar"), dim("sale", "sale double")},
	})
	var called []string
	for _, h := range v.Names(stems("amount"), "amount", words) {
		require.NotNil(t, h.Column)
		called = append(called, h.Column.Expr)
	}
	require.Equal(t, []string{"sale"}, called)
	require.NotNil(t, v.Names(stems("sale"), "sale", words)[0].Table, "by its own word")
}
