package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// gym writes three small files with known faults and brings them into a data directory as
// the source gym: no layer, no mart, names of nobody else's.
func gym(t *testing.T, dataDir string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "gym")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	day := func(back int) string { return ago(back).Format(time.DateOnly) }
	var members, visits, takings strings.Builder
	members.WriteString("member_id,joined_on,plan\n")
	visits.WriteString("visit_id,member_id,visited_at,stage\n")
	stages := []string{"tour", "trial", "signup", "training"}
	visit := 0
	for i := 1; i <= 150; i++ {
		joined := 30 + i%150
		fmt.Fprintf(&members, "%d,%s,%s\n", i, day(joined), []string{"basic", "plus"}[i%2])
		for s := range stages[:1+min(3, i%5)] {
			visit++
			fmt.Fprintf(&visits, "%d,%d,%s 10:00:00,%s\n", visit, i, day(joined-7*s), stages[s])
		}
	}
	fmt.Fprintf(&members, "150,%s,Basic\n", day(40))
	fmt.Fprintf(&members, "151,%s,\n", day(-30)) // it lies in the future
	takings.WriteString("day,amount,desk\n")
	for back := 139; back >= 0; back-- {
		at := ago(back)
		for i, desk := range []string{"north", "south"} {
			amount := 100 + 10*int(at.Weekday()) + back*7%5 + 20*i
			if back == 45 && i == 0 {
				amount += 400
			}
			fmt.Fprintf(&takings, "%s,%d,%s\n", at.Format(time.DateOnly), amount, desk)
		}
	}
	for name, text := range map[string]string{"members": members.String(), "visits": visits.String(), "takings": takings.String()} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o600))
	}
	r := command(t, "", nil, "ingest", "csv", dir, "--name", "gym", "--data-dir", dataDir)
	require.Zero(t, r.code, r.err)
}

// analysed runs a question over a source to its end.
func (c *cluster) analysed(t *testing.T, source, question string) *analysisv1.Analysis {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	client := analysisv1.NewAnalysisServiceClient(dial(t, c.router))
	r, err := client.StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{
		Source: source, Question: question, Review: analysisv1.Review_REVIEW_NONE,
	}})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, r.GetAnalysis().GetStatus(), "%s: %s", question, r.GetAnalysis().GetError())
	got, err := client.GetAnalysis(ctx, &analysisv1.GetAnalysisRequest{AnalysisId: r.GetAnalysis().GetAnalysisId()})
	require.NoError(t, err)
	cellsOnly(t, got.GetAnalysis())
	return got.GetAnalysis()
}

// over runs SQL that is written in the test over a source.
func (c *cluster) over(t *testing.T, source, sql string) [][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := chatbiv1.NewChatBIServiceClient(dial(t, c.router)).ExecuteAndAnalyzeUnary(ctx, &chatbiv1.ExecuteAndAnalyzeUnaryRequest{
		Query: &chatbiv1.ExecuteQuery{Source: source, Sql: sql, PageSize: 1000},
	})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetResult().GetOutcome(), r.GetResult().GetError())
	return textRows(r.GetResult().GetPage())
}

// TestKindsOfAnalyses: checks of quality, cohorts, funnels, sweeps and forecasts, in both
// languages, over the demo and over files of which nobody has said anything; each number is
// held against SQL that is written here.
func TestKindsOfAnalyses(t *testing.T) {
	t.Parallel()
	dir := freshDemo(t)
	gym(t, dir)
	c := monolith(t, dir, "DIBRAIN_LIMITS_REQUESTS_PER_SECOND=0") // each number is asked for once more, at once
	const items = "sg.mp_order.dwd_order_item_di__sg_s0_live"

	for source, questions := range map[string][2]string{
		"gym":  {"data quality check of members", "members的数据质量"},
		"demo": {"data quality of " + items, items + "的数据质量"},
	} {
		from, key, column := "gym.main.members", "member_id", "plan"
		if source == "demo" {
			from, key, column = items, "order_item_id", "cancel_reason"
		}
		want := c.over(t, source, fmt.Sprintf("SELECT count(*), count(DISTINCT %[1]s), count(*) - count(%[1]s), count(*) - count(%[2]s) FROM %[3]s", key, column, from))[0]
		for _, q := range questions {
			a := c.analysed(t, source, q)
			require.Equal(t, "quality", a.GetRequestKind())
			rows := table(t, a, 0, "result")[0]
			if source == "gym" || len(rows) == 4 {
				require.Equal(t, want[:3], rows[:3], q)
			}
			require.Equal(t, want[0], rows[0], q)
			found := false
			for _, row := range table(t, a, 1, "result") {
				if row[0] == column {
					found = true
					require.Equal(t, want[3], row[1], q)
				}
			}
			require.True(t, found, "%s: there is a row of %s", q, column)
		}
	}
	members := c.analysed(t, "gym", "data quality check of members")
	require.Equal(t, analysisv1.StepStatus_STEP_STATUS_UNANSWERED, members.GetResults()[2].GetStatus(), "there are no numbers beside the key")
	require.Equal(t, [][]string{{"joined_on", ago(179).Format(time.DateOnly), ago(-30).Format(time.DateOnly), "1", "0"}}, table(t, members, 3, "result"))
	require.Equal(t, []string{ago(30).Format(time.DateOnly), "31"}, table(t, members, 4, "result")[0])
	require.Equal(t, "Basic", table(t, members, 5, "result")[0][1])

	for _, q := range []string{"funnel of visits by stage and where it leaks", "visits的stage漏斗"} {
		rows := table(t, c.analysed(t, "gym", q), 0, "result")
		require.Len(t, rows, 4)
		for i, stage := range []string{"tour", "trial", "signup", "training"} {
			require.Equal(t, stage, rows[i][0])
			require.Equal(t, c.over(t, "gym", "SELECT count(DISTINCT member_id) FROM gym.main.visits WHERE stage = '"+stage+"'")[0][0], rows[i][1])
		}
	}

	for source, x := range map[string]struct{ questions, columns []string }{
		"gym":  {[]string{"cohort retention of visits by member", "visits按会员的留存分析"}, []string{"gym.main.visits", "member_id", "visited_at"}},
		"demo": {[]string{"cohort retention of " + items + " by buyer"}, []string{items, "buyer_id", "grass_date"}},
	} {
		for _, q := range x.questions {
			rows := table(t, c.analysed(t, source, q), 0, "result")
			require.NotEmpty(t, rows)
			for _, row := range rows {
				want := c.over(t, source, fmt.Sprintf(`SELECT count(DISTINCT a.%[2]s) FROM %[1]s a
					JOIN (SELECT %[2]s AS who, date_trunc('month', min(%[3]s)) AS began FROM %[1]s GROUP BY %[2]s) b ON a.%[2]s = b.who
					WHERE CAST(b.began AS date) = DATE '%[4]s' AND date_diff('month', b.began, date_trunc('month', a.%[3]s)) = %[5]s`,
					x.columns[0], x.columns[1], x.columns[2], row[0], row[1]))[0][0]
				require.Equal(t, want, row[3], "%s: %v", q, row)
				if row[1] == "0" {
					require.Equal(t, row[2], row[3])
				}
			}
		}
	}

	for _, q := range []string{"any anomalies in total amount of takings over the last 90 days"} {
		a := c.analysed(t, "gym", q)
		rows := table(t, a, len(a.GetPlan().GetSteps())-2, "unusual")
		require.NotEmpty(t, rows)
		require.Equal(t, ago(45).Format(time.DateOnly), rows[0][2], "the most telling first")
		require.InDelta(t, figure(t, c.over(t, "gym", "SELECT sum(amount) FROM gym.main.takings WHERE day = DATE '"+rows[0][2]+"'")[0][0]), figure(t, rows[0][3]), .01)
	}
	sweep := c.analysed(t, "demo", "anomaly sweep over the KPIs")
	for i, step := range sweep.GetPlan().GetSteps() {
		if step.GetKind() == analysisv1.StepKind_STEP_KIND_ANOMALIES {
			for _, row := range table(t, sweep, i, "unusual")[:1] {
				require.Equal(t, "-11-11", row[2][4:], "the demo's largest day")
			}
		}
	}

	for source, questions := range map[string][]string{
		"gym":  {"forecast total amount of takings for the next 10 days"},
		"demo": {"forecast GMV for the next 10 days", "预测未来10天的GMV"},
	} {
		sql := "SELECT sum(amount) AS v FROM gym.main.takings GROUP BY day ORDER BY day DESC LIMIT 28"
		if source == "demo" {
			sql = "SELECT sum(gmv_usd) AS v FROM sg.general.ads_business_overview_1d__reg_s0_live GROUP BY grass_date ORDER BY grass_date DESC LIMIT 28"
		}
		bounds := c.over(t, source, "SELECT min(v), max(v) FROM ("+sql+") AS d")[0]
		for _, q := range questions {
			rows := table(t, c.analysed(t, source, q), 1, "forecast")
			require.Len(t, rows, 10, q)
			for i, row := range rows {
				require.Equal(t, ago(-1-i).Format(time.DateOnly), row[0], q)
				low, v, high := figure(t, row[2]), figure(t, row[1]), figure(t, row[3])
				require.LessOrEqual(t, low, v)
				require.LessOrEqual(t, v, high)
				require.Greater(t, v, .8*figure(t, bounds[0]), "%s: %v", q, row)
				require.Less(t, v, 1.2*figure(t, bounds[1]), "%s: %v", q, row)
			}
		}
	}

	segmentsAndRelations(t, c)
	comparisons(t, c)
}

// segmentsAndRelations: over a layer and over files, in both languages; sizes, means and
// differences agree with SQL, and desks that differ by plan are told apart from days that do not.
func segmentsAndRelations(t *testing.T, c *cluster) {
	t.Helper()
	last := func(a *analysisv1.Analysis, name string) [][]string {
		return table(t, a, len(a.GetPlan().GetSteps())-2, name)
	}
	for _, q := range []string{"segment member id by number of visits", "把member id按visits的数量分群"} {
		a := c.analysed(t, "gym", q)
		require.Equal(t, "segments", a.GetRequestKind(), q)
		want := c.over(t, "gym", "SELECT count(DISTINCT member_id) FROM gym.main.visits")[0][0]
		require.Equal(t, want, last(a, "division")[0][0], q)
	}
	for _, q := range []string{"is amount different between desk of takings", "does amount depend on desk of takings"} {
		rows := last(c.analysed(t, "gym", q), "differences")
		require.Len(t, rows, 1)
		want := c.over(t, "gym", "SELECT avg(CASE WHEN desk = '"+rows[0][1]+"' THEN amount END), avg(CASE WHEN desk = '"+rows[0][2]+"' THEN amount END) FROM gym.main.takings")[0]
		require.InDelta(t, figure(t, want[0]), figure(t, rows[0][5]), .01)
		require.InDelta(t, figure(t, want[1]), figure(t, rows[0][6]), .01)
		require.Equal(t, "true", rows[0][12], "the south takes twenty more")
	}
	for _, q := range []string{"is GMV related to orders over the last 60 days", "过去60天GMV和订单数有关系吗"} {
		rows := last(c.analysed(t, "demo", q), "correlations")
		from := "FROM sg.general.ads_business_overview_1d__reg_s0_live WHERE grass_date >= DATE '" + ago(60).Format(time.DateOnly) + "' AND grass_date < DATE '" + ago(0).Format(time.DateOnly) + "'"
		want := c.over(t, "demo", "SELECT corr(g, o) FROM (SELECT sum(gmv_usd) AS g, sum(order_cnt) AS o "+from+" GROUP BY grass_date) AS d")
		require.InDelta(t, figure(t, want[0][0]), figure(t, rows[0][4]), 1e-3, q)
		require.Equal(t, "true", rows[0][7])
	}
	for _, q := range []string{"is the difference in GMV between Singapore and Malaysia real?", "新加坡和马来西亚的GMV差异是否显著"} {
		a := c.analysed(t, "demo", q)
		rows := last(a, "differences")
		sg, my := table(t, a, 0, "result"), table(t, a, 1, "result")
		require.Len(t, sg, 90)
		mean := func(rows [][]string) float64 {
			sum := 0.
			for _, row := range rows {
				sum += figure(t, row[1])
			}
			return sum / float64(len(rows))
		}
		require.InDelta(t, mean(sg)-mean(my), figure(t, rows[0][7]), .02)
		require.Equal(t, "true", rows[0][12])
	}
	for _, q := range []string{"cluster sellers by GMV and orders in Singapore", "把新加坡的卖家按GMV和订单数分群"} {
		a := c.analysed(t, "demo", q)
		division := last(a, "division")
		sellers := table(t, a, 0, "result")
		require.Equal(t, fmt.Sprint(len(sellers)), division[0][0], q)
		require.Greater(t, len(sellers), 20, q)
	}
}

// comparisons: reviews, both ends and what changed at an event, whose totals agree with SQL
// over the demo; a source without figures refuses them with the reason.
func comparisons(t *testing.T, c *cluster) {
	t.Helper()
	const overview = "sg.general.ads_business_overview_1d__reg_s0_live"
	sum := func(from, to int) float64 {
		return figure(t, c.over(t, "demo", fmt.Sprintf("SELECT sum(gmv_usd) FROM %s WHERE grass_date >= DATE '%s' AND grass_date < DATE '%s'", overview, ago(from).Format(time.DateOnly), ago(to).Format(time.DateOnly)))[0][0])
	}
	event := ago(20).Format(time.DateOnly)
	for _, q := range []string{"GMV before and after " + event, event + "前后的GMV对比"} {
		row := table(t, c.analysed(t, "demo", q), 0, "result")[0]
		require.InDelta(t, sum(20, 13), figure(t, row[0]), .02, q)
		require.InDelta(t, sum(27, 20), figure(t, row[1]), .02, q)
	}
	monday := (int(ago(-1).Weekday())+6)%7 - 1 // days from the last Monday, today at the latest, to yesterday
	for _, q := range []string{"Write a weekly business review", "写一份周报"} {
		a := c.analysed(t, "demo", q)
		require.Equal(t, "review", a.GetRequestKind(), q)
		found := false
		for i, step := range a.GetPlan().GetSteps() {
			if step.GetKind() != analysisv1.StepKind_STEP_KIND_SQL {
				continue
			}
			if row := table(t, a, i, "result")[0]; len(row) > 1 && row[0] != "" {
				if v := figure(t, row[0]); v > .999*sum(monday+7, monday) && v < 1.001*sum(monday+7, monday) {
					found = true
				}
			}
		}
		require.True(t, found, "%s: the GMV of last week is in it", q)
	}
	for _, q := range []string{"Show the top and bottom 2 regions by GMV last month and the reasons", "上月GMV最高和最低的2个地区及原因"} {
		a := c.analysed(t, "demo", q)
		require.Equal(t, "top_bottom", a.GetRequestKind(), q)
		top, bottom := table(t, a, 0, "result"), table(t, a, 1, "result")
		require.Len(t, top, 2, q)
		require.Len(t, bottom, 2, q)
		require.Greater(t, figure(t, top[1][1]), figure(t, bottom[0][1]), q)
	}
	// Over files periods are compared, too; what drives a change is of a layer, and told so.
	takings := func(desk string, from, to int) float64 {
		return figure(t, c.over(t, "gym", fmt.Sprintf("SELECT sum(amount) FROM gym.main.takings WHERE day >= DATE '%s' AND day < DATE '%s' AND '%s' IN ('', desk)", ago(from).Format(time.DateOnly), ago(to).Format(time.DateOnly), desk))[0][0])
	}
	row := table(t, c.analysed(t, "gym", "takings before and after "+event), 0, "result")[0]
	require.InDelta(t, takings("", 20, 13), figure(t, row[0]), .02)
	require.InDelta(t, takings("", 27, 20), figure(t, row[1]), .02)
	desks := table(t, c.analysed(t, "gym", "compare takings of last week and the week before by desk"), 1, "result")
	require.Len(t, desks, 2)
	for _, row := range desks {
		require.InDelta(t, takings(row[0], monday+7, monday), figure(t, row[1]), .02, "%v", row)
		require.InDelta(t, takings(row[0], monday+14, monday+7), figure(t, row[2]), .02, "%v", row)
	}
}
