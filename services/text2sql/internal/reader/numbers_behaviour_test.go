package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Several numbers of one column, things with several columns, and orders of groups.
func TestSeveralNumbersAndOrders(t *testing.T) {
	t.Parallel()
	school, shop := open(t, music()...), open(t, garage()...)
	for question, want := range map[string]string{
		"What are the average, lowest and highest fee of lessons?":   "SELECT avg(CAST(fee AS double)) AS average_fee, min(fee) AS lowest_fee, max(fee) AS highest_fee FROM lessons",
		"What is the lowest fee and the highest fee of all lessons?": "SELECT min(fee) AS lowest_fee, max(fee) AS highest_fee FROM lessons",
		"the names and towns of every pupil":                         "SELECT full_name, town FROM pupils",
		"number of pupils by town sorted by town":                    "SELECT town, count(*) AS number_of_pupils FROM pupils GROUP BY town ORDER BY town",
		"number of pupils by town sorted by number of pupils":        "SELECT town, count(*) AS number_of_pupils FROM pupils GROUP BY town ORDER BY number_of_pupils",
	} {
		sql, _ := school.ask(t, question)
		require.Contains(t, sql, want, question)
	}
	for question, want := range map[string]string{
		"实收金额的平均值、最小值和最大值是多少？": "SELECT avg(CAST(实收金额 AS double)) AS average_实收金额, min(实收金额) AS lowest_实收金额, max(实收金额) AS highest_实收金额 FROM 收费记录",
		"最高和最低实收金额是多少？":        "SELECT max(实收金额) AS highest_实收金额, min(实收金额) AS lowest_实收金额 FROM 收费记录",
		"每个技师的姓名和入职日期":         "SELECT 技师姓名, 入职日期 FROM 技师",
		"列出技师姓名，按入职日期从晚到早排序":   "SELECT 技师姓名 FROM 技师 ORDER BY 入职日期 DESC",
		"列出技师姓名，按入职日期排序":       "SELECT 技师姓名 FROM 技师 ORDER BY 入职日期",
	} {
		sql, _ := shop.ask(t, question)
		require.Contains(t, strings.ReplaceAll(sql, `"`, ""), want, question)
	}
}
