package advise

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWishesAreCutOff: what is left of a question asks for the same, and says nothing of a
// chart; what only sounds like a wish stays.
func TestWishesAreCutOff(t *testing.T) {
	t.Parallel()
	a := adviser(t)
	for question, want := range map[string]Cut{
		"visits by species as a pie chart":                     {"visits by species", "as a pie chart", "pie chart"},
		"visits by species as bars":                            {"visits by species", "as bars", "as bars"},
		"Draw a bar chart of visits by species":                {"visits by species", "Draw a bar chart of", "bar chart"},
		"Show me a line graph of the fees per month, please":   {"the fees per month, please", "Show me a line graph of", "line graph"},
		"Visits by species, and show it as a pie chart please": {"Visits by species", ", and show it as a pie chart please", "pie chart"},
		"How many visits by month? Line chart please.":         {"How many visits by month", "? Line chart please.", "Line chart"},
		"plot visits by species in a chart":                    {"visits by species", "in a chart", "chart"},
		"draw sales by day as a line chart":                    {"sales by day", "as a line chart", "line chart"},
		"fees in a table by month":                             {"fees by month", "in a table", "in a table"},
		"用柱状图显示各城市的GMV":                                        {"各城市的GMV", "用柱状图显示", "柱状图"},
		"各物种就诊次数，画成饼图":                                         {"各物种就诊次数", "，画成饼图", "饼图"},
		"画一个各物种就诊次数的柱状图":                                       {"各物种就诊次数", "的柱状图", "柱状图"},
		"把各品类的销售额做成堆叠柱状图":                                      {"各品类的销售额", "做成堆叠柱状图", "堆叠柱状图"},
		"每个月的销售额，用折线图表示":                                       {"每个月的销售额", "，用折线图表示", "折线图"},
		"用折线图画出每天的销售额":                                         {"每天的销售额", "用折线图画出", "折线图"},
		"画一个饼图：各城市的订单数":                                        {"各城市的订单数", "画一个饼图：", "饼图"},
		"今年每月销售额折线图":                                           {"今年每月销售额", "折线图", "折线图"},
		"daily sales last month as an area chart":              {"daily sales last month", "as an area chart", "area chart"},
		"上个月每天的销售额，面积图":                                        {"上个月每天的销售额", "，面积图", "面积图"},
		"用雷达图显示各城市的GMV":                                        {"各城市的GMV", "用雷达图显示", "雷达图"},
		"各城市地图":                                                {"各城市地图", "", ""},
		"画出每天的销售额":                                             {"每天的销售额", "画出", ""},
		"每天的销售额，画出来":                                           {"每天的销售额", "，画出来", ""},
		"draw sales by day":                                    {"sales by day", "draw", ""},
		"Can you plot sales by day":                            {"sales by day", "Can you plot", ""},
		"画出":                                                   {"画出", "", ""},
		"as a pie chart":                                       {"as a pie chart", "", ""},
		"画成饼图":                                                 {"画成饼图", "", ""},
		"sales of pie and of pastry":                           {"sales of pie and of pastry", "", ""},
		"orders per product line and bar code":                 {"orders per product line and bar code", "", ""},
		"How many charts did the nurses fill in":               {"How many charts did the nurses fill in", "", ""},
		"in which plot did the most trees die":                 {"in which plot did the most trees die", "", ""},
		"":                                                     {"", "", ""},
	} {
		require.Equal(t, want, a.Cut(question), question)
	}
}

func TestFramesThatAreNoneAreTold(t *testing.T) {
	t.Parallel()
	for _, f := range []frames{{En: []string{"(KIND"}}, {Zh: []string{"(KIND"}}, {Left: "("}} {
		require.ErrorContains(t, f.compile(nil), "words of charts")
	}
}
