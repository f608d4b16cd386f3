package why_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/why"
)

func TestAsked(t *testing.T) {
	t.Parallel()
	words, err := why.Load()
	require.NoError(t, err)
	for _, c := range []struct {
		question, rest string
		asked          bool
	}{
		{"Why did GMV drop in Thailand last week?", "did GMV drop in Thailand last week?", true},
		{"How come visitors went up?", "visitors went up?", true},
		{"What is behind the rise of refunds in May", "the rise of refunds in May", true},
		{"can you explain why sales fell", "sales fell", true},
		{"what are the main reasons for the drop in orders", "the drop in orders", true},
		{"为什么上周泰国的成交额下降了", "上周泰国的成交额下降了", true},
		{"上周成交额下降的原因是什么", "上周成交额下降", true},
		{"是什么导致了上周成交额下降", "上周成交额下降", true},
		{"Why were there no page views on Monday?", "page views on Monday?", true},
		{"Why were there more page views on Monday?", "page views on Monday?", true},
		{"Why have there been so few page views since Monday?", "page views since Monday?", true},
		{"Sales were down in May. What's the reason?", "Sales were down in May. ?", true},
		{"What happened to sales in May?", "sales in May?", true},
		{"10月销量怎么掉了这么多？", "10月销量 掉 了这么多？", true},
		{"昨天为什么没有销量", "昨天 销量", true},
		{"为什么没有发货的订单增加了", "没有发货的订单增加了", true}, // a condition, and not the movement
		{"怎么查询销量", "怎么查询销量", false},
		{"why?", "", true},
		{"why did it go down so much?", "", true},
		{"为什么突然下降了？", "", true},
		{"为什么", "", true},
		{"GMV in Thailand last week", "GMV in Thailand last week", false},
		{"上周泰国的成交额", "上周泰国的成交额", false},
	} {
		rest, asked := words.Asked(c.question)
		require.Equal(t, c.asked, asked, c.question)
		require.Equal(t, c.rest, rest, c.question)
	}
	require.True(t, words.Moves("dropped sharply"))
	require.True(t, words.Moves("collapsed dramatically"))
	require.True(t, words.Moves("大幅下滑了"))
	require.True(t, words.Moves("特别偏低"))
	require.False(t, words.Moves("dropped hamsters"))
	require.False(t, words.Moves("仓鼠下降"))
}
