package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// TestNaturesByTheLastWord: what numbers are is told by the last word of their name, and of
// Chinese names by their end; a word further in front tells nothing.
func TestNaturesByTheLastWord(t *testing.T) {
	t.Parallel()
	for nature, names := range map[Nature][]string{
		Identifier: {"account_id", "tag_ids", "row_key", "area_code", "row_uuid", "session_guid", "user_uid", "row_pk", "date_sk", "shop_fk", "item_sku", "client_ip", "device_serial", "home_phone", "home_telephone", "office_fax", "her_mobile", "home_zip", "home_zipcode", "postcode", "book_isbn", "his_ssn", "iban", "barcode", "latitude", "longitude", "lat", "lng", "lon", "订单编号", "部门编码", "省份代码", "房号", "联系电话", "客户手机", "收货邮编"},
		Calendar:   {"fiscal_year", "yr", "birth_month", "quarter", "week", "weekday", "day", "hour", "minute", "毕业年", "毕业年份", "出生月", "出生月份", "季度", "第几周", "小时"},
		Level:      {"age", "growth_rate", "rating", "ratio", "percent", "win_percentage", "pct", "temperature", "rank", "ranking", "gpa", "humidity", "score", "unit_price", "speed", "height", "weight", "length", "width", "depth", "altitude", "discount", "size", "level", "index", "mass", "duration", "客户年龄", "增长率", "价格", "单价", "评分", "分数", "等级", "温度", "体重", "身高", "长度", "高度", "深度", "折扣"},
		Amount:     {"id_total", "codes", "year_sum", "days_left", "rate_total", "priced", "kilos", "sales", "销售额", "编号数", "库存"},
	} {
		for _, name := range names {
			l := layerOf("", name+" double")
			l.Dimensions[0].Names.EN = strings.Join(semantic.Words(name), " ")
			if han(name) {
				l.Dimensions[0].Names.EN = name
			}
			require.Equal(t, nature, view(t, l).ColumnOf("things."+name).Nature, name)
		}
	}
}

// TestWordsOfBeginningsAndEnds: each pair of words says what begins the rows and what ends
// them, whichever stands first.
func TestWordsOfBeginningsAndEnds(t *testing.T) {
	t.Parallel()
	for begin, end := range map[string]string{
		"start_on": "end_on", "started_on": "ended_on", "begin_on": "finish_on", "began_on": "finished_on", "valid_from": "valid_to", "held_from": "held_until",
		"open_on": "close_on", "opened_on": "closed_on", "check_in": "check_out",
		"开始日期": "结束日期", "起租日": "止租日", "入院日期": "出院日期", "进场日期": "离场日期", "开门日期": "关门日期",
	} {
		for _, decls := range [][]string{{begin + " date", end + " date", "noted date"}, {"noted date", end + " date", begin + " date"}} {
			v, table := columnsOf(t, 0, decls...)
			c, sure := v.Lasting(table)
			require.NotNil(t, c, begin+" "+end)
			require.True(t, sure)
			require.Equal(t, []string{"events." + begin, "events." + end}, []string{c.Elapsed.From, c.Elapsed.To})
		}
	}
	for _, aside := range []string{"updated_on", "modified_on", "loaded_on", "imported_on", "birth_on", "born_on", "dob", "birthday", "birthdate", "更新日期", "修改日期", "出生日期", "生日"} {
		v, table := columnsOf(t, 0, "ordered date", aside+" date")
		c, _ := v.Lasting(table)
		require.Nil(t, c, aside)
		require.True(t, table.Columns[1].Aside(), aside)
		require.False(t, table.Columns[0].Aside())
	}
}

// TestEndsOfScales: the lowest is not asked for by the highest, nor the other way round.
func TestEndsOfScales(t *testing.T) {
	t.Parallel()
	for name, highest := range map[string]bool{
		"temp_min": false, "minimum_wage": false, "low_tide": false, "lowest_bid": false, "最低气温": false, "最小值": false,
		"temp_max": true, "maximum_load": true, "high_tide": true, "highest_bid": true, "peak_flow": true, "最高气温": true, "最大值": true,
	} {
		d := dim("things", name+" double")
		d.Names.EN = strings.Join(semantic.Words(name), " ")
		c := &Column{Dimension: &d}
		require.Equal(t, !highest, c.OtherEnd(true), name)
		require.Equal(t, highest, c.OtherEnd(false), name)
	}
	d := dim("things", "minutes double")
	require.False(t, (&Column{Dimension: &d}).OtherEnd(true))
	require.False(t, (&Column{Dimension: &d}).OtherEnd(false))
}

// TestColumnsThatName: a name says at its end that its column names things, in front of which
// stands whose name it is.
func TestColumnsThatName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"shop_name": true, "job_title": true, "shop_id": true, "area_code": true, "row_key": true, "room_number": true, "order_no": true,
		"name": false, "id": false, "name_length": false, "town": false, "客户姓名": true, "商品名称": true, "订单编号": true, "店名": true, "名称": false, "城市": false,
	} {
		d := dim("things", name+" varchar")
		d.Names.EN = strings.Join(semantic.Words(name), " ")
		if han(name) {
			d.Names.EN = name
		}
		require.Equal(t, want, (&Column{Dimension: &d}).Naming(), name)
	}
}

// TestNamesThatSayMore: all words of the other name, and one more.
func TestNamesThatSayMore(t *testing.T) {
	t.Parallel()
	column := func(name string) *Column {
		d := dim("things", name+" double")
		return &Column{Dimension: &d}
	}
	for _, c := range []struct {
		name, other string
		want        bool
	}{
		{"fuel_cost", "cost", true}, {"cost_of_fuel", "fuel_cost", true}, {"cost", "fuel_cost", false}, {"fuel_cost", "fuel_cost", false}, {"fuel_cost", "total", false}, {"fuel_cost_total", "price_cost", false},
	} {
		require.Equal(t, c.want, column(c.name).SaysMoreThan(column(c.other)), "%s, %s", c.name, c.other)
	}
}

// TestEachTranslationOfAValue: a value in Chinese is found by all its likely translations,
// and so is one in English by all of a question's.
func TestEachTranslationOfAValue(t *testing.T) {
	t.Parallel()
	lex := tongue{english: map[string][]Gloss{
		"取消": {{Text: "rare", Score: minAcross - 0.01}, {Text: "cancelled", Score: 1}, {Text: "called off", Score: minAcross}},
		"海":  {{Text: "sea", Score: 1}, {Text: "ocean", Score: 0.95}, {Text: "big", Score: 0.5}},
	}}
	stored := layerOf(semantic.RoleCategory, "state varchar", "取消", "sea", "ocean", "big")
	v := New(stored, nil, view(t, stored).Graph, units, lex)
	for asked, want := range map[string]string{"cancelled": "things.state=取消 0.90", "called off": "things.state=取消 0.81", "rare": ""} {
		require.Equal(t, want, shownValues(v.Values(asked, false)), asked)
	}
	across := v.ValuesAcross("海", lex)
	require.Len(t, across, 2, "an unlikely one is left out")
	require.Equal(t, []string{"sea", "ocean"}, []string{across[0].Stored[0], across[1].Stored[0]}, "the likelier first")
	require.InDelta(t, 1, across[0].Score, 1e-9)
	require.InDelta(t, 0.95, across[1].Score, 1e-9)

	plain := layerOf(semantic.RoleText, "state varchar", "取消")
	require.Empty(t, New(plain, nil, v.Graph, units, lex).Values("cancelled", false), "of a category only")
}

// TestOtherFormsOfAValue: one word is found by another form of it, less surely, where parts
// count; short ones and several are not.
func TestOtherFormsOfAValue(t *testing.T) {
	t.Parallel()
	v := view(t, layerOf(semantic.RoleCategory, "state varchar", "Delayed", "not delayed", "lent"))
	require.Equal(t, "things.state=Delayed 0.85", shownValues(v.Values("delaying", true)))
	require.Empty(t, v.Values("delaying", false))
	require.Empty(t, v.Values("lents", true)[1:])
	require.Empty(t, view(t, layerOf(semantic.RoleText, "state varchar", "Delayed")).Values("delaying", true), "of a category only")
	done := view(t, layerOf(semantic.RoleText, "state varchar", "已取消", "已paid"))
	require.Equal(t, "things.state=已取消 0.95", shownValues(done.Values("取消", false)))
	require.Empty(t, done.Values("paid", false))
}

// TestLabelsOfUnknownTables: a table of which the catalog says nothing has the name that the
// layer gives it.
func TestLabelsOfUnknownTables(t *testing.T) {
	t.Parallel()
	l := layerOf(semantic.RoleText, "title varchar")
	l.Entities[0].Label = semantic.Label{"title"}
	require.Len(t, view(t, l).TableOf("things").Label, 1)
	known := catalog.Table{Name: catalog.Name{Table: "things"}, RowCount: 3, Columns: []catalog.Column{{Name: "title", Distinct: 1}}}
	require.Empty(t, view(t, l, known).TableOf("things").Label, "three rows of one name")
	known.RowCount = 2
	require.Len(t, view(t, l, known).TableOf("things").Label, 1)
}

// TestElapsedLeavesTheLayer: the layer that is given stays as it is, also where its list has
// room for more, so that two may be made of it.
func TestElapsedLeavesTheLayer(t *testing.T) {
	t.Parallel()
	l := &semantic.Layer{Entities: []semantic.Entity{entity("events", "no")}, Dimensions: make([]semantic.Dimension, 0, 64)}
	l.Dimensions = append(l.Dimensions, dim("events", "ordered date"), dim("events", "delivered date"))
	first := WithElapsed(l)
	before := first.Dimensions[2].ID
	l.Dimensions = append(l.Dimensions, dim("events", "town varchar"))
	require.Equal(t, before, first.Dimensions[2].ID)
	require.Equal(t, "events.town", l.Dimensions[2].ID)
	require.Len(t, WithElapsed(l).Dimensions, len(first.Dimensions)+1)
}

// TestUnitsOfLasting: how long something is told in each unit, by its name in both languages.
func TestUnitsOfLasting(t *testing.T) {
	t.Parallel()
	v, table := columnsOf(t, 0, "ordered date", "delivered date")
	days := v.Elapsed(table.Columns[0], table.Columns[1])
	for unit, chinese := range map[string]string{"seconds": "秒数", "minutes": "分钟数", "hours": "小时数", "days": "天数", "weeks": "周数", "months": "月数", "years": "年数"} {
		in := v.In(days, unit)
		require.NotNil(t, in, unit)
		require.Equal(t, unit+" from ordered to delivered", in.Names.EN)
		require.Equal(t, "从ordered到delivered的"+chinese, in.Names.ZH)
		require.Equal(t, unit, in.Unit)
	}
}

// TestBracketsAtTheEndOfNames: what stands in brackets at the end says what a name is measured
// in, in each kind of brackets; brackets around nothing, or further in front, do not.
func TestBracketsAtTheEndOfNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"Price (EUR)": {"Price ", "EUR"}, "单价(元/平米)": {"单价", "元/平米"}, "单价（元）": {"单价", "元"}, "weight [kg] ": {"weight ", "kg"}, "重量【公斤】": {"重量", "公斤"},
	} {
		before, inside, ok := bracketedEnd(text)
		require.True(t, ok, text)
		require.Equal(t, want, [2]string{before, inside})
	}
	for _, text := range []string{"price", "price ()", "(EUR)", "(EUR) price", "price (EUR", "price EUR)", "price (EUR]"} {
		before, inside, ok := bracketedEnd(text)
		require.False(t, ok, text)
		require.Equal(t, [2]string{text, ""}, [2]string{before, inside})
	}
}
