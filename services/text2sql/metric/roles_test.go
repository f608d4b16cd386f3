package metric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// league is a layer of matches with a home and an away team, and of orders with several
// dates.
func league() *semantic.Layer {
	name := func(en, zh string) semantic.Text { return semantic.Text{EN: en, ZH: zh} }
	return &semantic.Layer{
		Entities: []semantic.Entity{{ID: "team", Names: name("team", "球队"), Table: "cup.teams", Key: []string{"id"}, Label: semantic.Label{"title"}}},
		Dimensions: []semantic.Dimension{
			{ID: "city", Names: name("city", "城市"), Table: "cup.towns", Expr: "town_name", Values: []semantic.Value{{Value: "Porto", Synonyms: []string{"波尔图"}}}},
			{ID: "colour", Names: name("colour", "球衣颜色"), Table: "cup.teams", Values: []semantic.Value{{Value: "red", Synonyms: []string{"红色"}}}},
		},
		Metrics: []semantic.Metric{
			{ID: "goals", Names: name("goals", "进球数"), Table: "cup.matches", Expr: "SUM(goals)", Time: "played_on", Grain: "day", Unit: "goals"},
			{ID: "tickets", Names: name("ticket revenue", "票房"), Table: "cup.matches", Expr: "SUM(ticket_sum)", Unit: "EUR"},
		},
		Joins: []semantic.Join{
			{From: "cup.matches", Columns: []string{"home_id"}, To: "cup.teams", ToColumns: []string{"id"}, Role: "home", Names: name("home team", "主队"), Synonyms: []string{"hosts"}, Declared: true},
			{From: "cup.matches", Columns: []string{"away_id"}, To: "cup.teams", ToColumns: []string{"id"}, Role: "away", Names: name("away team", "客队"), Declared: true},
			{From: "cup.teams", Columns: []string{"town_id"}, To: "cup.towns", ToColumns: []string{"id"}, Declared: true},
		},
		Dates: []semantic.DateColumn{
			{ID: "played", Names: name("match date", "比赛日期"), Synonyms: []string{"played", "比赛"}, Table: "cup.matches", Expr: "played_on"},
			{ID: "announced", Names: name("announcement date", "公布日期"), Synonyms: []string{"announced", "公布"}, Table: "cup.matches", Expr: "announced_on"},
		},
	}
}

func leagueTables() []catalog.Table {
	table := func(name string, columns ...string) catalog.Table {
		t := catalog.Table{Name: catalog.Name{Region: "eu", Schema: "cup", Table: name}}
		for _, c := range columns {
			typ := "bigint"
			switch {
			case strings.HasSuffix(c, "_on"):
				typ = "date"
			case c == "title", c == "town_name", c == "colour":
				typ = "varchar"
			}
			t.Columns = append(t.Columns, catalog.Column{Name: c, Type: typ})
		}
		return t
	}
	return []catalog.Table{
		table("matches", "id", "home_id", "away_id", "goals", "ticket_sum", "played_on", "announced_on"),
		table("teams", "id", "title", "colour", "town_id"), table("towns", "id", "town_name"),
	}
}

// askLeague answers a question over the league.
func askLeague(t *testing.T, layer *semantic.Layer) func(question, chosen string) pipeline.Result {
	t.Helper()
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	s := p.Prepare(leagueTables(), p.PrepareLayer(layer))
	return func(question, chosen string) pipeline.Result {
		return p.Answer(pipeline.Input{Question: question, Schema: s, Now: today, Chosen: chosen})
	}
}

func oneLine(r pipeline.Result) string {
	if r.Statement == nil {
		return string(r.Outcome) + " " + r.Question + r.Reason
	}
	return strings.Join(strings.Fields(printer.Print(r.Statement)), " ")
}

// TestRoles reaches one table by two ways: the name of a role says which, both may be
// asked for at once, and without one the question is asked back.
func TestRoles(t *testing.T) {
	t.Parallel()
	ask := askLeague(t, league())
	const may = " WHERE t1.played_on >= DATE '2026-05-01' AND t1.played_on < DATE '2026-06-01'"
	joined := func(alias, column string) string {
		return " LEFT JOIN eu.cup.teams AS " + alias + " ON t1." + column + " = " + alias + ".id"
	}
	byHome := "SELECT t1.home_id, t2.title AS home_title, SUM(t1.goals) AS goals FROM eu.cup.matches AS t1" + joined("t2", "home_id")
	for _, c := range []struct {
		want      string
		questions []string
	}{
		{byHome, []string{"goals by home team in May 2026", "2026年5月各主队的进球数", "goals per hosts in May 2026"}},
		{"t1.away_id, t2.title AS away_title", []string{"goals by away team in May 2026", "2026年5月各客队的进球数"}},
		{joined("t2", "home_id") + joined("t3", "away_id"), []string{"goals by home team and away team in May 2026", "2026年5月按主队和客队统计进球数"}},
		{joined("t2", "home_id") + " LEFT JOIN eu.cup.towns AS t3 ON t2.town_id = t3.id" + may, []string{"goals by home team city in May 2026", "goals by city of the home team in May 2026", "2026年5月按主队城市统计进球数"}},
		{
			" LEFT JOIN eu.cup.teams AS t2 ON t1.home_id = t2.id LEFT JOIN eu.cup.towns AS t3 ON t2.town_id = t3.id LEFT JOIN eu.cup.teams AS t4 ON t1.away_id = t4.id LEFT JOIN eu.cup.towns AS t5 ON t4.town_id = t5.id",
			[]string{"goals by home team city and away team city in May 2026", "2026年5月按主队城市和客队城市统计进球数"},
		},
		{"t2.colour = 'red'", []string{"goals where the home team colour is red in May 2026", "goals in May 2026 for away team colour red"}},
	} {
		for _, q := range c.questions {
			got := ask(q, "")
			require.Equal(t, pipeline.Answered, got.Outcome, "%s: %s", q, oneLine(got))
			require.Contains(t, oneLine(got), c.want, q)
		}
	}
	for _, q := range []string{"goals by team in May 2026", "2026年5月各球队的进球数", "goals by city in May 2026", "2026年5月各城市的进球数", "goals in Porto in May 2026", "2026年5月波尔图的进球数"} {
		got := ask(q, "")
		require.Equal(t, pipeline.Asked, got.Outcome, "%s: %s", q, oneLine(got))
		require.Len(t, got.Options, 2, q)
		require.Equal(t, "role:home", got.Options[0].ID, q)
		chosen := ask(q, got.Options[1].ID)
		require.Equal(t, pipeline.Answered, chosen.Outcome, "%s: %s", q, oneLine(chosen))
		require.Contains(t, oneLine(chosen), "away_id", q)
		require.NotContains(t, oneLine(chosen), "home_id", q)
	}
}

// TestDates reads by which date a question goes; without one it is the metric's own,
// which is told, and a metric without one is asked back.
func TestDates(t *testing.T) {
	t.Parallel()
	ask := askLeague(t, league())
	const announced, played = "announced_on >= DATE '2026-05-01' AND announced_on < DATE '2026-06-01'", "played_on >= DATE '2026-05-01' AND played_on < DATE '2026-06-01'"
	for _, c := range []struct {
		want, told string
		questions  []string
	}{
		{played, "match date. This figure also has: announcement date", []string{"goals in May 2026", "goals played in May 2026"}},
		{played, "比赛日期。该指标另有：公布日期", []string{"2026年5月的进球数", "2026年5月比赛的进球数"}},
		{announced, "announcement date. This figure also has: match date", []string{"goals announced in May 2026", "goals with announcement date in May 2026", "ticket revenue announced in May 2026"}},
		{announced, "公布日期。该指标另有：比赛日期", []string{"2026年5月公布的进球数", "公布日期在2026年5月的进球数"}},
		{"SELECT date_trunc('month', announced_on) AS month, SUM(goals) AS goals", "announcement date", []string{"goals by announcement month in 2026"}},
		{"SELECT date_trunc('month', announced_on) AS month, SUM(goals) AS goals", "公布日期", []string{"按公布月份统计2026年进球数"}},
		{"SELECT announced_on, SUM(goals) AS goals", "announcement date", []string{"goals by announcement date in May 2026"}},
	} {
		for _, q := range c.questions {
			got := ask(q, "")
			require.Equal(t, pipeline.Answered, got.Outcome, "%s: %s", q, oneLine(got))
			require.Contains(t, oneLine(got), c.want, q)
			require.Contains(t, strings.Join(got.Assumptions, " "), c.told, q)
		}
	}
	for _, q := range []string{"ticket revenue in May 2026", "2026年5月的票房", "monthly ticket revenue in 2026"} {
		got := ask(q, "")
		require.Equal(t, pipeline.Asked, got.Outcome, "%s: %s", q, oneLine(got))
		require.Equal(t, []string{"date:played", "date:announced"}, []string{got.Options[0].ID, got.Options[1].ID}, q)
		require.Contains(t, oneLine(ask(q, "date:announced")), "announced_on >= DATE '2026-", q)
	}
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	schema := p.Prepare(leagueTables(), p.PrepareLayer(league()))
	byModel := p.Write(pipeline.Input{Question: "goals announced in May 2026", Schema: schema, Now: today}, intent.Intent{
		Type: intent.Basic, Select: []intent.Output{measure("goals")}, Time: &intent.Time{From: "2026-05-01", To: "2026-06-01"},
	})
	require.Contains(t, oneLine(byModel), announced, "an intent that a model read")
	for _, q := range []string{"goals announced in April 2026 and played in May 2026", "goals announced"} {
		got := ask(q, "")
		require.Equal(t, pipeline.Abstained, got.Outcome, "%s: %s", q, oneLine(got))
	}
}
