package chinese_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// shop is a small schema: sellers, of several cities, sell lamps.
func shop() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	return []catalog.Table{
		{Name: name("seller"), RowCount: 30, Columns: []catalog.Column{
			{Name: "seller_id", Type: "integer", PrimaryKey: true, Distinct: 30},
			{Name: "name", Type: "varchar", Distinct: 30, Samples: []string{"Ann", "Bo"}},
			{Name: "age", Type: "integer"}, {Name: "salary", Type: "double"},
			{Name: "country", Type: "varchar", Distinct: 2, Samples: []string{"France", "Peru"}},
		}},
		{Name: name("lamp"), RowCount: 90, Columns: []catalog.Column{
			{Name: "lamp_id", Type: "integer", PrimaryKey: true}, {Name: "seller_id", Type: "integer"},
			{Name: "color", Type: "varchar", Distinct: 2, Samples: []string{"red", "blue"}},
			{Name: "price", Type: "double"}, {Name: "year", Type: "integer"},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"seller_id"}, RefTable: name("seller"), RefColumns: []string{"seller_id"}}}},
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	index := link.NewIndex(semantic.Derive(shop()), lex)
	cases := []struct{ question, want string }{
		{"卖家的平均年龄是多少？", "average 年龄 of 卖家"},
		{"来自法国的卖家的姓名", "姓名 of 卖家 with 法国"},
		{"有多少卖家？", "number of 卖家"},
		{"有多少卖家没有灯？", "number of 卖家 with without 灯"},
		{"年龄最大的卖家的姓名是什么？", "姓名 of 卖家 with largest 年龄"},
		{"哪位卖家的灯最多？", "卖家 with most 灯"},
		{"哪个国家的卖家的平均年龄最高？", "国家 with highest average 年龄 of 卖家"},
		{"每个国家有多少卖家？", "number of 卖家 for each 国家"},
		{"按国家统计卖家的数量", "number of 卖家 for each 国家"},
		{"列出卖家的姓名和国家，按年龄降序排列。", "姓名 and 国家 of 卖家 sorted by 年龄 descending order"},
		{"按年龄从最大到最小列出卖家的姓名", "姓名 of 卖家 sorted by 年龄 descending order"},
		{"最便宜的3盏灯的颜色", "颜色 of 3 cheapest 灯"},
		{"工资最高的前三名卖家", "卖家 with 3 highest 工资"},
		{"20岁以上的卖家", "卖家 with age at least 20"},
		{"价格在10到20之间的灯", "灯 with 价格 between 10 and 20"},
		{"工资大于3万或小于500的卖家", "卖家 with 工资 more than 30000 or 工资 less than 500"},
		{"工资高于平均工资的卖家有几位？", "number of 卖家 with 工资 more than average 工资"},
		{"名字以A开头的卖家", "卖家 with 名字 starts with A"},
		{"2010年之后的灯", "灯 with after 2010"},
		{"至少有两盏灯的卖家的姓名", "姓名 of 卖家 with at least 2 灯"},
		{"不同颜色的灯的平均价格", "average 价格 of 灯 for each 颜色"},
		{"哪些卖家来自法国？他们的年龄是多少？", "年龄 of 卖家 with 法国"},
		{"卖家的姓名以及每位卖家的灯的数量", "姓名 of 卖家 and number of 灯 for each 卖家"},
		{"价格的平均值、最大值和最小值", "average and maximum and minimum 价格"},
		{"灯的最高价格", "highest 价格 of 灯"},
		{"哪些国家有两名以上的卖家？", "国家 with at least 2 卖家"},
		{"有三盏或三盏以上灯的卖家", "卖家 with at least 3 灯"},
		{"有一名或多名卖家的国家", "国家 with at least 1 卖家"},
		{"哪些国家有至少两位年龄超过30的卖家？", "国家 with at least 2 卖家 with 年龄 more than 30"},
		{"最贵的三盏灯", "3 most expensive 灯"},
		{"2010年工资最高的卖家", "卖家 with highest 工资 in 2010"},
		{"2010年没有卖过灯的卖家", "卖家 with without 灯 in 2010"},
		{"各国卖家数量前10", "top 10 number of 卖家 for each 国 sorted by number of 卖家 descending order"},
		{"各国卖家数量，按数量从高到低", "number of 卖家 for each 国 sorted by number of 卖家 descending order"},
		{"卖家平均年龄", "average 年龄 of 卖家"},
		{"每个国家的卖家人数和平均年龄", "number of 卖家 and average 年龄 for each 国家"},
		{"每个班有多少卖家？", "number of 卖家 for each 班"},
		{"每个颜色灯的平均价格", "average 价格 of 灯 for each 颜色"},
		{"只有1盏灯的卖家", "卖家 with equal to 1 灯"},
		{"卖家的年龄多大？", "年龄 of 卖家"},
		{"每种颜色的灯平均卖多少钱？", "average 多少钱 of 灯 for each 颜色"},
		{"名字里有“An”的卖家", "卖家 with 名字 contains An"},
		{"灯超过3盏的卖家", "卖家 with more than 3 灯"},
		{"最大和最小的年龄", "maximum and minimum 年龄"},
		{"灯的颜色（去重）", "different 颜色 of 灯"},
		{"多名卖家的国家", "国家 with more than 1 卖家"},
		{"价格10到20的灯", "灯 with 价格 between 10 and 20"},
		{"每个国家有多少卖家？列出国家和卖家数量。", "number of 卖家 and 国家 for each 国家"},
		{"国家名", "国家"},
		{"红色（Red）的灯", "灯 with Red"},
		{"卖家有几位不同的？", "number of different 卖家"},
		{"哪些卖家没有颜色为红色的灯？", "卖家 with without 灯 with 颜色 红色"},
		{"有哪些不同的国家和年龄？", "different 国家 and 年龄"},
		{"年龄在20到30岁之间的卖家有多少？", "number of 卖家 with 年龄 between 20 and 30"},
		{"价格100到300元的灯", "灯 with 价格 between 100 and 300"},
		{"工资不在3000到5000之间的卖家", "卖家 with 工资 less than 3000 or 工资 more than 5000"},
		{"工资大于3000并且年龄小于40的卖家", "卖家 with 工资 more than 3000 with 年龄 less than 40"},
		{"年龄为36岁或37岁的卖家", "卖家 with 年龄 36 or 年龄 37"},
		{"30岁及以下所有卖家的姓名", "姓名 of 卖家 with age at most 30"},
		{"按字典序倒序列出卖家的姓名", "姓名 of 卖家 sorted by reverse alphabetical order"},
		{"显示卖家的姓名，结果按年龄排序", "姓名 of 卖家 sorted by 年龄"},
		{"卖家最多的国家的名称", "国家 with most 卖家"},
		{"工资排名前五的卖家的姓名", "姓名 of 卖家 with 5 highest 工资"},
		{"灯的数量大于2的卖家", "卖家 with number of 灯 more than 2"},
		{"每种颜色及其最高价格", "highest 价格 for each 颜色"},
		{"第一盏灯的价格", "价格 with earliest 灯"},
		{"最便宜的灯卖多少钱？", "多少钱 of cheapest 灯"},
		{"有多少卖家一盏灯都没有？", "number of 卖家 with not 灯"},
		{"显示卖家的姓名以及他们所在国家的名称", "姓名 and 国家 of 卖家"},
		{"灯的颜色以及其所属卖家的姓名", "颜色 of 灯 and 姓名 of 卖家"},
		{"卖家数最多的国家", "国家 with most 卖家"},
		{"工资最多的卖家", "卖家 with highest 工资"},
		{"年龄大于40的卖家和年龄小于30的卖家的姓名", "姓名 of 卖家 with 年龄 more than 40 or 年龄 less than 30"},
		{"红色的灯总共卖了多少钱？", "total 多少钱 of 灯 with 红色"},
		{"工资总额最高的国家", "国家 with highest total 工资"},
		{"法国和秘鲁各有多少卖家？", "number of 卖家 with 法国 and 秘鲁 for each country"},
		{"每个国家工资最高的卖家的姓名", "姓名 of 卖家 with highest 工资 of each 国家"},
		{"工资在3000以上5000以下的卖家", "卖家 with 工资 at least 3000 with 工资 at most 5000"},
		{"名字里没有“An”的卖家", "卖家 with 名字 not contains An"},
		{"至少卖过一盏灯的卖家", "卖家 with at least 1 灯"},
		{"灯最多的卖家来自哪里？", "country of 卖家 with most 灯"},
		{"谁的工资最高？", "who with highest 工资"},
		{"在所有卖家中，谁的工资最高？", "卖家 with highest 工资"},
		{"找出卖家的姓名，这些卖家没有灯", "姓名 of 卖家 with without 灯"},
		{"2010年的灯的平均价格", "average 价格 of 灯 with 2010"},
		{"2014年有灯的卖家", "卖家 with 灯 in 2014"},
		{"2010年和2011年都有灯的卖家", "卖家 with 灯 in both 2010 and 2011"},
		{"2010年之前或2015年之后有灯的卖家", "卖家 with 灯 before 2010 or after 2015"},
		{"2014年及以后灯最多的卖家", "卖家 with most 灯 year at least 2014"},
		{"有红色灯但没有蓝色灯的卖家", "卖家 with 红色 灯 but without 蓝色 灯"},
		{"既有红色灯又有蓝色灯的卖家", "卖家 with both 红色 灯 and 蓝色 灯"},
		{"既没有红色灯也没有蓝色灯的卖家", "卖家 with without 红色 灯 with without 蓝色 灯"},
		{"哪些国家既有40岁以上的卖家，又有30岁以下的卖家？", "国家 with both 卖家 with age at least 40 and age at most 30"},
		{"既有年龄大于40的卖家又有年龄小于30的卖家的国家", "国家 with both 卖家 with 年龄 more than 40 and 年龄 less than 30"},
		{"除了2014年有灯的卖家以外的所有卖家", "卖家 with without 灯 in 2014"},
		{"年龄不在20到30之间的卖家", "卖家 with 年龄 less than 20 or 年龄 more than 30"},
		{"比平均年龄大的卖家", "卖家 with more than average 年龄"},
		{"比平均年龄小的卖家", "卖家 with less than average 年龄"},
		{"工资比平均工资高的卖家", "卖家 with 工资 more than average 工资"},
		{"从最贵到最便宜列出灯", "灯 sorted by descending order"},
		{"从最便宜到最贵列出灯", "灯 sorted by ascending order"},
		{"按价格从低到高列出灯", "灯 sorted by 价格 ascending order"},
		{"价格从高到低排列的灯", "灯 sorted by 价格 descending order"},
		{"按国家分组统计卖家的数量", "number of 卖家 for each 国家"},
		{"卖家编号", "卖家 编号"},
		{"名字以A结尾的卖家", "卖家 with 名字 ends with A"},
		{"第一位卖家", "earliest 卖家"},
		{"一共卖了多少钱", "total 多少钱"},
		{"灯总共卖了多少钱？", "total 多少钱 of 灯"},
		{"平均价格最高的颜色", "颜色 with highest average 价格"},
		{"平均价格最低的颜色", "颜色 with lowest average 价格"},
		{"卖家数量最少的国家", "国家 with fewest 卖家"},
		{"有多少不同的国家？", "number of different 国家"},
		{"有多少种颜色？", "number of 颜色"},
		{"颜色有几种？", "number of 颜色"},
		{"黑色（Black）的灯", "灯 with Black"},
		{"名字是 Ann Lee 的卖家", "卖家 with 名字 Ann Lee"},
		{"名字为“Ann”的卖家", "卖家 with 名字 Ann"},
		{"颜色、价格和年份", "颜色 and 价格 and 年份"},
		{"卖家对应的国家", "国家 of 卖家"},
		{"只有卖家", "只有 卖家"},
		{"仅有2盏灯的卖家", "卖家 with equal to 2 灯"},
		{"3盏以下灯的卖家", "卖家 with at most 3 灯"},
		{"3盏或3盏以上灯的卖家", "卖家 with at least 3 灯"},
		{"灯不超过3盏的卖家", "卖家 with at most 3 灯"},
		{"2010年及以前的灯", "灯 with year at most 2010"},
		{"2010年以前的灯", "灯 with before 2010"},
		{"2010年之后没有灯的卖家", "卖家 with without 灯 after 2010"},
		{"从2010年到2015年的灯", "灯 with between 2010 and 2015"},
		{"价格从10到20的灯", "灯 with 价格 between 10 and 20"},
		{"价格最高和最低的灯", "灯 with highest and lowest 价格"},
		{"卖家的人数", "number of 卖家"},
		{"灯的总价格", "total 价格 of 灯"},
		{"灯的价格总和", "total 价格 of 灯"},
		{"每位卖家的灯的平均价格是多少？", "average 价格 of 灯 for each 卖家"},
		{"每个国家中工资最高的卖家", "卖家 with highest 工资 of each 国家"},
		{"每个国家的卖家中年龄最大的是谁？", "卖家 with largest 年龄 of each 国家"},
		{"哪个颜色的灯最贵？", "颜色 with most expensive 灯"},
		{"哪些灯是红色的？", "灯 with 红色"},
		{"哪几个国家有卖家？", "国家 with 卖家"},
		{"卖家来自哪些国家？", "国家 of 卖家"},
		{"哪位卖家的年龄最大？", "卖家 with largest 年龄"},
		{"谁有最多的灯？", "who with most 灯"},
		{"谁卖的灯最多？", "who with most 灯"},
		{"谁没有灯？", "who with without 灯"},
		{"没有灯的卖家有多少？", "number of 卖家 with without 灯"},
		{"没有红色灯的卖家", "卖家 with without 红色 灯"},
		{"不是红色的灯", "灯 with not 红色"},
		{"颜色不是红色的灯", "灯 with 颜色 not 红色"},
		{"不来自法国的卖家", "卖家 with not 法国"},
		{"颜色为红色或蓝色的灯", "灯 with 颜色 红色 or 蓝色"},
		{"红色和蓝色的灯", "灯 with 红色 and 蓝色"},
		{"红色、蓝色的灯", "灯 with 红色 and 蓝色"},
		{"颜色既不是红色也不是蓝色的灯", "颜色 of 灯 with not 红色 with not 蓝色"},
		{"颜色是空的灯", "灯 with 颜色 is null"},
		{"颜色为空的灯", "灯 with 颜色 is null"},
		{"颜色不为空的灯", "灯 with 颜色 is not null"},
		{"价格大于平均价格的灯有多少盏", "number of 灯 with 价格 more than average 价格"},
		{"价格最高的灯是什么颜色", "颜色 of 灯 with highest 价格"},
		{"价格等于20的灯", "灯 with 价格 equal to 20"},
		{"价格不等于20的灯", "灯 with 价格 other than 20"},
		{"价格大于等于20的灯", "灯 with 价格 at least 20"},
		{"价格不低于20的灯", "灯 with 价格 at least 20"},
		{"价格不高于20的灯", "灯 with 价格 at most 20"},
		{"至少20岁的卖家", "卖家 with age at least 20"},
		{"最多3盏灯的卖家", "卖家 with at most 3 灯"},
		{"不到20岁的卖家", "卖家 with age less than 20"},
		{"超过20岁的卖家", "卖家 with age more than 20"},
		{"30岁以下的卖家", "卖家 with age at most 30"},
		{"最老的卖家", "oldest 卖家"},
		{"最年轻的三位卖家", "3 youngest 卖家"},
		{"年龄最小的5个卖家", "卖家 with 5 smallest 年龄"},
		{"工资前3的卖家", "卖家 with 3 highest 工资"},
		{"前10名卖家", "10 卖家"},
		{"各颜色灯的平均价格和数量", "average 价格 and number of 灯 for each 颜色"},
		{"各个国家的卖家数", "number of 卖家 for each 国家"},
		{"灯的数量最多的3个卖家", "卖家 with 3 most 灯"},
		{"法国卖家的平均工资和最高工资", "average 工资 and maximum 工资 of 卖家 with 法国"},
		{"所有卖家的姓名", "姓名 of 卖家"},
		{"全部灯的颜色", "颜色 of 灯"},
		{"请列出所有卖家的姓名", "姓名 of 卖家"},
		{"给我看看灯的价格", "价格 of 灯"},
		{"告诉我卖家的年龄", "年龄 of 卖家"},
		{"卖家的所有信息", "all information of 卖家"},
		{"这些灯的价格", "价格 of 灯"},
		{"那位卖家的年龄", "年龄 of 卖家"},
		{"灯的平均价格，按颜色，降序", "average 价格 of 灯 for each 颜色 sorted by descending order"},
		{"除了法国以外的卖家", "卖家 with other than 法国"},
		{"除法国外的所有卖家", "卖家 with other than 法国"},
		{"卖出灯最多的国家是哪个？", "国家 with most 灯"},
	}
	for _, c := range cases {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			tokens := index.Gloss(token.Split(c.question, lex.Chinese().Dictionary()))
			var words []string
			at := 0
			for _, it := range chinese.Order(index.Cover(tokens), lex, index) {
				words = append(words, it.Text)
				require.Equal(t, at, it.From, "places follow each other")
				at = it.To
			}
			require.Equal(t, c.want, strings.Join(words, " "))
		})
	}
}

// The second clause asks for a number of nothing that it names.
func TestAClauseWithAnEmptyPart(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	index := link.NewIndex(semantic.Derive([]catalog.Table{{Name: catalog.Name{Table: "订单"}, Columns: []catalog.Column{{Name: "金额", Type: "double"}, {Name: "名", Type: "varchar"}}}}), lex)
	for _, question := range []string{"那些订单，最多的有多少", "订单，金额最高的有多少？", "那些订单，有多少", "订单的金额，最大的多少和最小的多少"} {
		require.NotPanics(t, func() {
			chinese.Order(index.Cover(index.Gloss(token.Split(question, lex.Chinese().Dictionary()))), lex, index)
		}, question)
	}
}

// A question without any sense must not stop the reader.
func FuzzOrder(f *testing.F) {
	lex, err := lexicon.Load()
	require.NoError(f, err)
	index := link.NewIndex(semantic.Derive(shop()), lex)
	f.Add("哪个哪些多少的的和、按每个最大的中3以上之间")
	f.Add("有多少？的。按降序，每")
	f.Fuzz(func(_ *testing.T, question string) {
		chinese.Order(index.Cover(index.Gloss(token.Split(question, lex.Chinese().Dictionary()))), lex, index)
	})
}
