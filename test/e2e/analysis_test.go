package e2e

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// weeks are the last whole week and the one before it: first days, and the day after.
func weeks() (before, after, end time.Time) {
	today := ago(-1)
	end = today.AddDate(0, 0, -(int(today.Weekday())+6)%7) // this week's Monday
	return end.AddDate(0, 0, -14), end.AddDate(0, 0, -7), end
}

// TestAnalysis: a long question in either language becomes a plan that waits; the process
// is killed and another one goes on; every number of the report agrees with SQL that is
// written here.
func TestAnalysis(t *testing.T) {
	t.Parallel()
	for language, question := range map[string]string{
		"en": "Compare GMV of last week and the week before by region, find what drives the change, and write a report",
		"zh": "比较上周和上上周各地区的GMV，找出变化的原因，写一份报告",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			c := monolith(t, freshDemo(t))
			client := analysisv1.NewAnalysisServiceClient(dial(t, c.router))
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			defer cancel()
			started, err := client.StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{Question: question, Review: analysisv1.Review_REVIEW_WAIT}})
			require.NoError(t, err)
			a := started.GetAnalysis()
			require.Equal(t, commonv1.RunStatus_RUN_STATUS_WAITING, a.GetStatus(), a.GetError())
			require.Len(t, a.GetPlan().GetSteps(), 5)
			require.Empty(t, a.GetPlan().GetUnanswered())

			c.kill(c.processes["all"])
			c.start("all", c.router)
			resumed, err := client.ResumeAnalysisUnary(ctx, &analysisv1.ResumeAnalysisUnaryRequest{Decision: &analysisv1.ResumeDecision{
				AnalysisId: a.GetAnalysisId(), Decision: analysisv1.Decision_DECISION_APPROVE, PlanVersion: a.GetPlan().GetVersion(),
			}})
			require.NoError(t, err)
			require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, resumed.GetAnalysis().GetStatus(), resumed.GetAnalysis().GetError())
			got, err := client.GetAnalysis(ctx, &analysisv1.GetAnalysisRequest{AnalysisId: a.GetAnalysisId()})
			require.NoError(t, err)
			agrees(t, c, got.GetAnalysis())

			report, err := client.GetReport(ctx, &analysisv1.GetReportRequest{AnalysisId: a.GetAnalysisId(), Format: analysisv1.ReportFormat_REPORT_FORMAT_HTML})
			require.NoError(t, err)
			for _, sentence := range got.GetAnalysis().GetSummary() {
				require.Contains(t, strings.ReplaceAll(report.GetText(), "&amp;", "&"), sentence)
			}
			require.NotRegexp(t, `(?i)(?:src|href)="https?://`, report.GetText())
		})
	}
}

// table returns the rows of a step's table as texts.
func table(t *testing.T, a *analysisv1.Analysis, step int, name string) [][]string {
	t.Helper()
	r := a.GetResults()[step]
	require.Equal(t, analysisv1.StepStatus_STEP_STATUS_DONE, r.GetStatus(), "%s: %s", r.GetStepId(), r.GetProblem())
	for _, have := range r.GetTables() {
		if have.GetName() == name {
			return textRows(have.GetPage())
		}
	}
	return nil
}

func textRows(p *commonv1.ResultPage) [][]string {
	var out [][]string
	for _, row := range p.GetRows() {
		var texts []string
		for _, v := range row.GetValues() {
			texts = append(texts, fmt.Sprint(v.AsInterface()))
		}
		out = append(out, texts)
	}
	return out
}

func figure(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return n
}

// byHand runs SQL that is written in the test.
func byHand(t *testing.T, c *cluster, sql string) [][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := chatbiv1.NewChatBIServiceClient(dial(t, c.router)).ExecuteAndAnalyzeUnary(ctx, &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: sql}})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetResult().GetOutcome(), r.GetResult().GetError())
	return textRows(r.GetResult().GetPage())
}

// agrees holds each table of an analysis against SQL written by hand, and each number of
// its summary against the tables.
func agrees(t *testing.T, c *cluster, a *analysisv1.Analysis) {
	t.Helper()
	before, after, end := weeks()
	day := func(at time.Time) string { return "DATE '" + at.Format(time.DateOnly) + "'" }
	in := func(from, to time.Time) string { return "grass_date >= " + day(from) + " AND grass_date < " + day(to) }
	sums := func(column, table, rest string) string {
		return fmt.Sprintf("SELECT %s sum(CASE WHEN %s THEN gmv_usd END) AS a, sum(CASE WHEN %s THEN gmv_usd END) AS b FROM %s WHERE %s %s",
			column, in(after, end), in(before, after), table, in(before, end), rest)
	}
	const overview = "sg.general.ads_business_overview_1d__reg_s0_live"
	whole := byHand(t, c, sums("", overview, ""))[0]
	gmv, previous := figure(t, whole[0]), figure(t, whole[1])
	totals := table(t, a, 0, "result")[0]
	require.InDelta(t, gmv, figure(t, totals[0]), .01)
	require.InDelta(t, previous, figure(t, totals[1]), .01)
	require.InDelta(t, gmv-previous, figure(t, totals[2]), .02)

	want := map[string][]string{}
	for _, row := range byHand(t, c, sums("grass_region,", overview, "GROUP BY grass_region")) {
		want[row[0]] = row[1:]
	}
	regions := table(t, a, 1, "result")
	require.Len(t, regions, len(want))
	for _, row := range regions {
		require.InDelta(t, figure(t, want[row[0]][0]), figure(t, row[1]), .01, row[0])
		require.InDelta(t, figure(t, want[row[0]][1]), figure(t, row[2]), .01, row[0])
	}
	days := byHand(t, c, "SELECT grass_date, sum(gmv_usd) FROM "+overview+" WHERE "+in(after, end)+" GROUP BY grass_date ORDER BY grass_date")
	for i, row := range table(t, a, 2, "result") {
		require.Equal(t, days[i][0], row[0])
		require.InDelta(t, figure(t, days[i][1]), figure(t, row[1]), .01)
	}
	explained(t, c, a, sums, gmv, previous)
	cellsOnly(t, a)
}

// explained holds what accounts for the change against the orders' own rows.
func explained(t *testing.T, c *cluster, a *analysisv1.Analysis, sums func(column, table, rest string) string, gmv, previous float64) {
	t.Helper()
	figures := table(t, a, 3, "figures")[0] // metric, period, before, period, after, change, rate
	require.InDelta(t, previous, figure(t, figures[2]), .02)
	require.InDelta(t, gmv, figure(t, figures[4]), .02)
	require.InDelta(t, gmv-previous, figure(t, figures[5]), .05)
	columns := map[string]string{
		"category": "level1_category", "类目": "level1_category", "payment method": "payment_method", "支付方式": "payment_method", "platform": "platform", "平台": "platform",
	}
	var union []string
	for country, centre := range map[string]string{"sg": "sg", "id": "sg", "th": "sg", "my": "sg", "ph": "sg", "vn": "sg", "tw": "sg", "br": "useast"} {
		union = append(union, "SELECT gmv_usd, grass_date, level1_category, payment_method, platform FROM "+centre+".mp_order.dwd_order_item_di__"+country+"_s0_live")
	}
	place := regexp.MustCompile(`^([^:：]+)[:：] ?([^,，]+)$`)
	for _, row := range table(t, a, 3, "elements") { // name, before, after, accounts, share
		m := place.FindStringSubmatch(row[0])
		if m == nil || columns[m[1]] == "" {
			continue // two places at once, or a country, which names a table
		}
		by := byHand(t, c, sums("", "("+strings.Join(union, " UNION ALL ")+") AS o", "AND "+columns[m[1]]+" = '"+strings.ReplaceAll(m[2], "'", "''")+"'"))[0]
		require.InDelta(t, figure(t, by[1]), figure(t, row[1]), .02, row[0])
		require.InDelta(t, figure(t, by[0]), figure(t, row[2]), .02, row[0])
		require.InDelta(t, figure(t, row[3])/(gmv-previous), figure(t, row[4]), .001, "%s: the share is of the whole change", row[0])
	}
	if factors := table(t, a, 3, "factors"); len(factors) > 0 {
		sum := 0.0
		for _, row := range factors {
			sum += figure(t, row[3])
		}
		require.InDelta(t, gmv-previous, sum, .05, "the factors account for all of it")
	}
}

var (
	dayText    = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
	figureText = regexp.MustCompile(`[-+]?\d[\d,]*(?:\.\d+)?`)
)

// cellsOnly: each number of the summary is a cell of a step, as it is or as percent, or stands
// in a cell of text.
func cellsOnly(t *testing.T, a *analysisv1.Analysis) {
	t.Helper()
	var cells []float64
	var names []string
	for _, r := range a.GetResults() {
		for _, tab := range r.GetTables() {
			for _, row := range textRows(tab.GetPage()) {
				for _, text := range row {
					if n, err := strconv.ParseFloat(text, 64); err == nil {
						cells = append(cells, n, n*100)
					} else if text != "" {
						names = append(names, text)
					}
				}
			}
		}
	}
	require.NotEmpty(t, a.GetSummary())
	for _, sentence := range a.GetSummary() {
		left := sentence
		for _, name := range names {
			left = strings.ReplaceAll(left, name, "")
		}
		for _, text := range figureText.FindAllString(dayText.ReplaceAllString(left, ""), -1) {
			n := figure(t, strings.ReplaceAll(text, ",", ""))
			near := false
			for _, cell := range cells {
				near = near || math.Abs(cell-n) <= math.Max(.0051, math.Abs(n)*1e-9) || math.Abs(cell-n) <= .051 && strings.Contains(sentence, text+"%")
			}
			require.True(t, near, "%s of %q is no cell", text, sentence)
		}
	}
}

// TestTheRouterHandsOverLongQuestions: a wish for a report over several steps is the tool
// analyze; one figure is not.
func TestTheRouterHandsOverLongQuestions(t *testing.T) {
	t.Parallel()
	c := monolith(t, freshDemo(t))
	for question, tool := range map[string]string{
		"Compare GMV of last week and the week before by region, find what drives the change, and write a report": "analyze",
		"比较上周和上上周各地区的GMV，找出变化的原因，写一份报告":                                                                           "analyze",
		"GMV by region last week":       "execute_sql_and_analyze_result",
		"why did GMV change last week?": "explain_change",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		resp, err := c.client().Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: question}})
		cancel()
		require.NoError(t, err)
		calls := resp.GetAnswer().GetToolCalls()
		require.NotEmpty(t, calls, question)
		require.Equal(t, tool, calls[len(calls)-1].GetToolName(), question)
		if tool == "analyze" {
			require.Equal(t, routerv1.Outcome_OUTCOME_ANSWERED, resp.GetAnswer().GetOutcome(), resp.GetAnswer().GetText())
			require.Contains(t, resp.GetAnswer().GetText(), "dibrain analyze report ana_")
		}
	}
}
