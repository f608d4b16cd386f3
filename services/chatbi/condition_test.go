package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// TestConditionsAsPeopleWriteThem: a condition on a column and constants, in both languages.
// All else stays as it was told.
func TestConditionsAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	s := saying(t)
	table := catalog.Table{Name: catalog.Name{Region: "sg", Schema: "shop", Table: "visits"}, Columns: []catalog.Column{
		{Name: "town", Type: "varchar"}, {Name: "校区", Type: "varchar"}, {Name: "visit_id", Type: "bigint"}, {Name: "paid", Type: "boolean"},
		{Name: "rate", Type: "double", Unit: "%"}, {Name: "weight", Type: "double", Unit: "kg"}, {Name: "made_on", Type: "date"},
	}}
	known, err := catalogrpc.Describe(t.Context(), nil, "shop", catalog.Defaults{}, []catalog.Name{table.Name}, []catalog.Table{table})
	require.NoError(t, err)
	for _, c := range []struct{ column, sql, en, zh string }{
		{"town", "t2.town = 'Keswick'", "town: Keswick", "town：Keswick"},
		{"校区", `"校区" = '城西校区'`, "校区: 城西校区", "校区：城西校区"},
		{"town", "lower(t2.town) = 'keswick'", "town: keswick", "town：keswick"},
		{"town", "(town <> 'Keswick')", "town: not Keswick", "town：非Keswick"},
		{"town", "town IN ('a', 'b', 'c', 'd', 'e', 'f')", "town: a, b, c, d, 2 more", "town：a、b、c、d、另外2个"},
		{"town", "town NOT IN ('a', 'b')", "town: not a, b", "town：非a、b"},
		{"town", "town = ''", "town: (blank)", "town：（空白）"},
		{"town", "town = '<b>\u202e\n x'", "town: ‹b> x", "town：‹b> x"},
		{"town", "town IS NULL", "town is missing", "town：空值"},
		{"town", "town IS NOT NULL", "town is given", "town：有值"},
		{"town", "town LIKE '%wick%'", "town contains wick", "town包含wick"},
		{"town", "town LIKE 'Kes%'", "town begins with Kes", "town以Kes开头"},
		{"town", "town LIKE '%wick'", "town ends with wick", "town以wick结尾"},
		{"town", "town NOT LIKE '%wick%'", "town does not contain wick", "town不包含wick"},
		{"visit_id", "visit_id = 20260", "visit ID: 20260", "visit ID：20260"},
		{"visit_id", "visit_id > -5", "visit ID above -5", "visit ID大于-5"},
		{"paid", "paid", "paid: yes", "paid：是"},
		{"paid", "NOT paid", "paid: no", "paid：否"},
		{"paid", "NOT coalesce(paid, FALSE)", "paid: no", "paid：否"},
		{"paid", "coalesce(paid, FALSE)", "paid: yes", "paid：是"},
		{"paid", "coalesce(paid, TRUE)", "as told", "coalesce(paid, TRUE)"},
		{"town", "NOT coalesce(town = 'a', FALSE)", "town: not a", "town：非a"},
		{"town", "NOT (town <> 'a')", "town: a", "town：a"},
		{"town", "NOT (town IN ('a', 'b'))", "town: not a, b", "town：非a、b"},
		{"town", "NOT (town NOT IN ('a', 'b'))", "town: a, b", "town：a、b"},
		{"town", "NOT (town > 'a')", "as told", "NOT (town > 'a')"},
		{"paid", "paid = false", "paid: no", "paid：否"},
		{"rate", "rate >= 0.125", "rate at least 12.5%", "rate不低于12.5%"},
		{"weight", "weight BETWEEN 1 AND 2.5", "weight from 1 kg to 2.5 kg", "weight从1 kg到2.5 kg"},
		{"weight", "weight NOT BETWEEN 1 AND 2", "weight not from 1 kg to 2 kg", "weight不在1 kg到2 kg之间"},
		{"made_on", "made_on >= DATE '2026-10-01'", "made on: from 1 Oct 2026 on", "made on自2026年10月1日起"},
		{"made_on", "made_on < DATE '2026-10-01'", "made on: before 1 Oct 2026", "made on早于2026年10月1日"},
		{"", "count(*) > 40", "number of rows above 40", "行数大于40"},
		{"visit_id", "count(visit_id) >= 2", "number of rows with visit ID at least 2", "有visit ID的行数不低于2"},
		{"town", "count(DISTINCT t1.town) = 1", "number of different town: 1", "不同town的数量：1"},
		{"weight", "sum(weight) < 10", "total weight below 10 kg", "weight合计小于10 kg"},
		{"weight", "avg(weight) <= 2.5", "average weight at most 2.5 kg", "weight平均值不超过2.5 kg"},
		{"made_on", "max(made_on) < DATE '2026-10-01'", "highest made on: before 1 Oct 2026", "made on最大值早于2026年10月1日"},
		{"weight", "min(weight) > 1", "lowest weight above 1 kg", "weight最小值大于1 kg"},
		{"made_on", "date_format(made_on, '%W') = 'Saturday'", "day of the week of made on: Saturday", "made on的星期：星期六"},
		{"made_on", "date_format(made_on, '%W') IN ('Saturday', 'Sunday')", "day of the week of made on: Saturday, Sunday", "made on的星期：星期六、星期日"},
		{"made_on", "hour(made_on) >= 18", "hour of made on at least 18", "made on的小时不低于18"},
		{"made_on", "date_diff('year', made_on, CURRENT_DATE) > 60", "years since made on above 60", "made on至今的年数大于60"},
		// What has no such words.
		{"", "1 = 1", "as told", "1 = 1"},
		{"", "TRUE", "as told", "TRUE"},
		{"weight", "sum(DISTINCT weight) < 10", "as told", "sum(DISTINCT weight) < 10"},
		{"weight", "sum(weight + 1) < 10", "as told", "sum(weight + 1) < 10"},
		{"weight", "sum(weight) FILTER (WHERE paid) < 10", "as told", "sum(weight) FILTER (WHERE paid) < 10"},
		{"weight", "stddev(weight) < 10", "as told", "stddev(weight) < 10"},
		{"town", "town = upper(town)", "as told", "town = upper(town)"},
		{"town", "town LIKE 'K_s%'", "as told", "town LIKE 'K_s%'"},
		{"town", "town LIKE 'a!%' ESCAPE '!'", "as told", "town LIKE 'a!%' ESCAPE '!'"},
		{"town", "town NOT LIKE 'Kes%'", "as told", "town NOT LIKE 'Kes%'"},
		{"town", "town = 'a' OR town = 'b'", "as told", "town = 'a' OR town = 'b'"},
		{"made_on", "made_on = DATE 'soon'", "as told", "made_on = DATE 'soon'"},
		{"visit_id", "visit_id % 2 = 1", "as told", "visit_id % 2 = 1"},
		{"town", ")", "as told", ")"},
	} {
		f := lineage.Filter{SQL: c.sql, Chinese: c.sql, Text: "as told"}
		if c.column != "" {
			f.Columns = []resolve.Origin{{Table: table.Name, Column: c.column}}
		}
		require.Equal(t, c.en, s.conditionWords(known, lang.English).of(f), c.sql)
		require.Equal(t, c.zh, s.conditionWords(known, lang.Chinese).of(f), c.sql)
		f.Columns = []resolve.Origin{{Table: table.Name, Column: "town"}, {Table: table.Name, Column: "weight"}}
		require.Equal(t, "as told", s.conditionWords(known, lang.English).of(f), "of two columns")
	}
}
