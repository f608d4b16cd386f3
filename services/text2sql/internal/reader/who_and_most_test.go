package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Who does something is not what is done, a verb is not the column that is called alike where there is most of
// something else, and so many who are asked for are as many.
func TestWhoDidMostOfWhat(t *testing.T) {
	t.Parallel()
	games := catalog.Table{Name: catalog.Name{Table: "games"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "player_id", Type: "varchar", NotNull: true, Distinct: 80}, {Name: "team", Type: "varchar", NotNull: true, Distinct: 12, Samples: []string{"Reds", "Blues"}},
		{Name: "hits", Type: "bigint", NotNull: true, Distinct: 40}, {Name: "home_runs", Type: "bigint", NotNull: true, Distinct: 20}, {Name: "double_plays", Type: "bigint", NotNull: true, Distinct: 30},
	}}
	open(t, games).answers(t, map[string]string{
		"How many players are there per team?": "SELECT team, count(DISTINCT player_id) AS number_of_player_ids FROM games GROUP BY team ORDER BY number_of_player_ids DESC, team",
		"Which team hit the most home runs?":   "SELECT team FROM games GROUP BY team ORDER BY sum(home_runs) DESC LIMIT 1",
		"Which team has the most hits?":        "SELECT team FROM games GROUP BY team ORDER BY sum(hits) DESC LIMIT 1",
	})
	runners := open(t,
		catalog.Table{Name: catalog.Name{Table: "runners"}, RowCount: 90, Columns: []catalog.Column{key("runner_id"), {Name: "name", Type: "varchar", NotNull: true, Distinct: 90}, {Name: "birth_year", Type: "bigint", Distinct: 40}}},
		catalog.Table{Name: catalog.Name{Table: "races"}, RowCount: 40, Columns: []catalog.Column{key("race_id"), {Name: "event", Type: "varchar", NotNull: true, Distinct: 5, Samples: []string{"Harbour Mile"}}, col("entry_fee", "double")}},
		catalog.Table{Name: catalog.Name{Table: "results"}, RowCount: 900, Columns: []catalog.Column{key("result_id"), col("runner_id", "bigint"), col("race_id", "bigint"), col("finish_minutes", "double")},
			ForeignKeys: []catalog.ForeignKey{to("runner_id", "runners"), to("race_id", "races")}},
	)
	got, _ := runners.ask(t, "Who finished the most races?")
	require.NotContains(t, got, "finish_minutes")
	got, read := runners.ask(t, "Who are the 5 runners with the most results?")
	require.Contains(t, got, "LIMIT 5", "%+v", read.Notes)
	require.Empty(t, read.Unread)
	got, _ = runners.ask(t, "How many entries are there?")
	require.NotContains(t, got, "sum(")
}

// Words for amounts of money are no rows, in Chinese neither.
func TestMoneyInChineseIsNoRows(t *testing.T) {
	t.Parallel()
	got, read := open(t, catalog.Table{Name: catalog.Name{Table: "报名"}, RowCount: 900, Columns: []catalog.Column{
		key("报名编号"), texts("支付方式", "微信", "支付宝"), col("金额", "double"), col("人数", "bigint")}},
	).ask(t, "微信和支付宝收款各是多少？")
	require.False(t, strings.Contains(got, "count(*)") && len(read.Unread) == 0, got)
}
