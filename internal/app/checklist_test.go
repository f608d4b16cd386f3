package app_test

import (
	"encoding/json"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/source"
)

// talker asks the whole product, by rules, over the demo of a fixed day.
type talker struct {
	router routerv1.RouterServiceClient
	conn   grpc.ClientConnInterface
	source *source.Store
	passed atomic.Int64 // nanoseconds since demoNow
}

// demoNow is when it is asked.
var demoNow = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// demoTalker starts it with settings beside those that all have.
func demoTalker(t *testing.T, settings map[string]any) *talker {
	t.Helper()
	dir := t.TempDir()
	flags := map[string]any{"data_dir": dir, "router.time_zone": "UTC", "source": demo.Name, "limits.request_burst": 1000}
	maps.Copy(flags, settings)
	cfg, err := config.Load(config.Options{Environ: []string{"XDG_CONFIG_HOME=" + dir}, Flags: flags})
	require.NoError(t, err)
	w := &talker{}
	local, err := app.InProcess(t.Context(), cfg, app.Options{Clock: func() time.Time { return demoNow.Add(time.Duration(w.passed.Load())) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, local.Close()) })
	require.NoError(t, local.EnsureDemo(t.Context(), nil))
	store, err := source.Open(dir)
	require.NoError(t, err)
	w.router, w.conn, w.source = routerv1.NewRouterServiceClient(local.Conn()), local.Conn(), store
	return w
}

func (w *talker) turn(t *testing.T, turn *routerv1.Turn) *routerv1.Answer {
	t.Helper()
	turn.Source = demo.Name
	if turn.UserContext == nil {
		turn.UserContext = &commonv1.UserContext{TimeZone: "UTC"}
	}
	got, err := w.router.Ask(t.Context(), &routerv1.AskRequest{Turn: turn}, grpc.WaitForReady(true))
	require.NoError(t, err, turn.GetQuestion())
	return got.GetAnswer()
}

// talk says messages one after another and returns the last answer.
func (w *talker) talk(t *testing.T, messages ...string) (last *routerv1.Answer) {
	t.Helper()
	for _, m := range messages {
		last = w.turn(t, &routerv1.Turn{Question: m, SessionId: last.GetSessionId()})
	}
	return last
}

func calledBy(a *routerv1.Answer) (tools []string) {
	for _, c := range a.GetToolCalls() {
		tools = append(tools, c.GetToolName())
	}
	return tools
}

// writtenBy is the SQL of an answer; "" for none.
func writtenBy(a *routerv1.Answer) string {
	for _, c := range a.GetToolCalls() {
		if list := c.GetGenerateSql().GetCandidates(); len(list) > 0 {
			return list[0].GetSql()
		}
	}
	return ""
}

// toldBy are the assumptions of the SQL of an answer, as a person reads them.
func toldBy(a *routerv1.Answer) (told []string) {
	for _, c := range a.GetToolCalls() {
		for _, s := range c.GetGenerateSql().GetCandidates() {
			told = append(told, s.GetAssumptions()...)
		}
	}
	return told
}

// ranBy is what came of the statement that an answer ran; nil for none.
func ranBy(a *routerv1.Answer) *chatbiv1.ExecuteResult {
	for _, c := range a.GetToolCalls() {
		if e := c.GetExecute(); e.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE {
			return e
		}
	}
	return nil
}

// TestWhatTheRouterOwes asks, word by word, what the specification's checklist says of the
// router and of conversation, and looks at what a person gets. What needs a model is in
// TestWhatTheRouterOwesWithAModel; that the calls of one message of a model are made one after
// another, in TestSlipsOfWeakModels.
func TestWhatTheRouterOwes(t *testing.T) {
	t.Parallel()
	w := demoTalker(t, nil)
	for name, row := range map[string]func(t *testing.T){
		"an accepted offer writes SQL on the tables found": func(t *testing.T) {
			for _, talk := range [][]string{
				{"Which tables hold the daily GMV of Singapore?", "go ahead"},
				{"Which tables hold the daily GMV of Singapore?", "好的"},
				{"哪些表有新加坡每天的GMV？", "好的"},
				{"哪些表存有新加坡的每日GMV？", "go ahead"},
			} {
				a := w.talk(t, talk...)
				require.Equal(t, []string{"generate_sql"}, calledBy(a), talk)
				require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_GENERATE_SQL, a.GetFinalIntent(), talk)
				require.Contains(t, writtenBy(a), "FROM sg.mp_order.dws_order_gmv_1d__sg_s0_live", talk)
				require.Contains(t, writtenBy(a), "GROUP BY grass_date", talk)
			}
		},
		"figures that are asked for run at once": func(t *testing.T) {
			for _, question := range []string{"get Page View(PV) of Singapore for the last 7 days", "get Page View(PV) of the last 7 days", "获取最近7天新加坡的页面浏览量(PV)"} {
				a := w.talk(t, question)
				require.NotNil(t, ranBy(a), question)
				require.Contains(t, writtenBy(a), "SUM(page_view_cnt)", question)
				require.Contains(t, writtenBy(a), "DATE '2026-11-13'", question)
			}
			// The demo has no dashboards: a figure is sought, and none is made up.
			for question, unknown := range map[string]string{"Most visited dashboards in the past 3 days": `"dashboards"`, "过去3天访问最多的看板": "“看板”"} {
				a := w.talk(t, question)
				require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_EXECUTE_SQL_AND_ANALYZE_RESULT, a.GetFinalIntent(), question)
				require.Nil(t, ranBy(a), question)
				require.Contains(t, a.GetText(), unknown, question)
			}
		},
		"a number of each day is shown day by day": func(t *testing.T) {
			for _, question := range []string{
				"Generate a SQL to calculate daily active users", "How can I calculate the daily active users?", "生成计算日活跃用户数的SQL", "如何计算日活跃用户数？",
			} {
				a := w.talk(t, question)
				require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_GENERATE_SQL, a.GetFinalIntent(), question)
				require.Nil(t, ranBy(a), question)
				require.Contains(t, writtenBy(a), "SUM(active_user_cnt)", question)
				require.Contains(t, writtenBy(a), "GROUP BY grass_date", question)
			}
			for _, question := range []string{"I want to find the dau data for the last few days", "我想看最近几天的日活数据"} {
				a := w.talk(t, question)
				require.NotNil(t, ranBy(a), question)
				require.Contains(t, writtenBy(a), "DATE '2026-11-13'", question)
				require.Len(t, ranBy(a).GetPage().GetRows(), 7, question)
			}
		},
		"what a metric means is told with its current figure": func(t *testing.T) {
			for question, means := range map[string]string{
				"What is GMV?":                       "Value in US dollars of the items of all placed orders",
				"GMV 是什么意思":                          "所有已下单订单的商品金额",
				"what is meant by cancellation rate": "Cancelled orders divided by placed orders",
				"取消率是什么意思":                           "取消订单数除以",
			} {
				a := w.talk(t, question)
				first, _, _ := strings.Cut(a.GetText(), "\n")
				require.Contains(t, first, means, question)
				require.NotNil(t, ranBy(a), question)
				require.Contains(t, writtenBy(a), ">= DATE '2026-11-19'", question)
			}
			require.NotContains(t, writtenBy(w.talk(t, "What is the GMV?")), "WHERE", "a figure")
		},
		"a rewritten question stands alone": func(t *testing.T) {
			for _, talk := range [][]string{
				{"GMV in Singapore last month by day", "only Brazil", "by week"},
				{"上个月新加坡的GMV", "那泰国呢", "改看九月"},
			} {
				a := w.talk(t, talk...)
				require.NotContains(t, a.GetRewrittenQuestion(), talk[0])
				require.Equal(t, writtenBy(a), writtenBy(w.talk(t, a.GetRewrittenQuestion())), a.GetRewrittenQuestion())
			}
		},
		"wishes for pictures run": func(t *testing.T) {
			for _, c := range []struct {
				talk []string
				kind commonv1.ChartKind
			}{
				{[]string{"GMV in Singapore last month by day", "as a bar chart"}, commonv1.ChartKind_CHART_KIND_BAR},
				{[]string{"pie chart of GMV by country last month"}, commonv1.ChartKind_CHART_KIND_PIE},
				{[]string{"draw a line chart of daily GMV in Singapore last month"}, commonv1.ChartKind_CHART_KIND_LINE},
				{[]string{"用柱状图展示上个月各国的GMV"}, commonv1.ChartKind_CHART_KIND_BAR},
				{[]string{"上个月新加坡每天的GMV", "用柱状图展示"}, commonv1.ChartKind_CHART_KIND_BAR},
				{[]string{"各国上个月GMV的饼图"}, commonv1.ChartKind_CHART_KIND_PIE},
				{[]string{"用折线图展示上个月新加坡每天的GMV"}, commonv1.ChartKind_CHART_KIND_LINE},
			} {
				ran := ranBy(w.talk(t, c.talk...))
				require.NotNil(t, ran, c.talk)
				require.Equal(t, c.kind, ran.GetChart().GetKind(), c.talk)
			}
		},
		"a wish to analyse is no word of the data": func(t *testing.T) {
			for _, question := range []string{"Analyze GMV of last month by country", "分析上个月各国的GMV"} {
				a := w.talk(t, question)
				require.NotNil(t, ranBy(a), a.GetText())
				require.Contains(t, writtenBy(a), "DATE '2026-10-01'")
				require.Len(t, ranBy(a).GetPage().GetRows(), 8)
			}
			a := w.talk(t, "Analyze the purchase conversion rate of buyers")
			require.NotNil(t, ranBy(a), a.GetText())
			require.Contains(t, a.GetText(), "Conversion rate is ")
			require.NotContains(t, w.talk(t, "分析买家购买转化率").GetText(), "没有理解")
		},
		"what is not kept is told, with what is near": func(t *testing.T) {
			a := w.talk(t, "用户的购买力如何")
			require.Nil(t, ranBy(a))
			require.Contains(t, a.GetText(), "“购买力”")
			require.Contains(t, a.GetText(), "名称相近的指标")
		},
		"areas are the countries, which is told": func(t *testing.T) {
			for _, question := range []string{"各区域的销售总额", "total sales by region"} {
				a := w.talk(t, question)
				require.NotNil(t, ranBy(a), a.GetText())
				require.Len(t, ranBy(a).GetPage().GetRows(), 8)
				require.Contains(t, writtenBy(a), "GROUP BY grass_region")
			}
			a := w.talk(t, "各区域的销售总额")
			require.Contains(t, strings.Join(toldBy(a), "\n"), "“区域”按 国家 理解。")
		},
		"a SQL that is not run says how it was read": func(t *testing.T) {
			for question, read := range map[string]string{
				"生成查询最近7天用户数据的SQL":                                    "我读作：用户名（user）；条件：注册日期 2026-11-13–2026-11-19。",
				"Generate a SQL for the user data of the last 7 days": "I read: user name of user; where registration date 2026-11-13–2026-11-19.",
			} {
				a := w.talk(t, question)
				require.Nil(t, ranBy(a), question)
				require.Contains(t, a.GetText(), read)
			}
		},
		"blanks in Chinese say nothing": func(t *testing.T) {
			a := w.talk(t, "最近 7 天的销售额趋势")
			require.Equal(t, writtenBy(w.talk(t, "最近7天的销售额趋势")), writtenBy(a), a.GetText())
			require.Len(t, ranBy(a).GetPage().GetRows(), 7)
		},
		"a base period without data is told": func(t *testing.T) {
			for question, told := range map[string]string{
				"Q1流水同比增长多少":                                      "2025年1月1日至2025年3月31日的90天中缺90天",
				"How much did revenue grow in Q1 year over year?": "90 of the 90 days of 1 Jan 2025 to 31 Mar 2025 are missing",
				"GMV year to date vs last year":                   "has no rows for 1 Jan 2025 to 15 Oct 2025: 288 of the 323 days",
				"今年以来GMV与去年相比":                                    "缺少2025年1月1日至2025年10月15日的数据：2025年1月1日至2025年11月19日的323天中缺288天",
			} {
				a := w.talk(t, question)
				require.NotNil(t, ranBy(a), question)
				require.Contains(t, a.GetText(), told, question)
			}
			for _, question := range []string{"Q1流水同比增长多少", "How much did revenue grow in Q1 year over year?"} {
				got, err := text2sqlv1.NewText2SQLServiceClient(w.conn).ParseQuestion(t.Context(), &text2sqlv1.ParseQuestionRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: question}})
				require.NoError(t, err)
				require.Contains(t, got.GetIntentJson(), `"intent_type":"trend"`, question)
			}
		},
		"marts are taken as people write them": func(t *testing.T) {
			for _, group := range []string{"DataMart.Order Mart", "datamart_Order Mart", "Order Mart"} {
				call := w.turn(t, &routerv1.Turn{Question: "Which tables hold refunds?", SelectedTableGroups: []string{group}}).GetToolCalls()[0]
				require.Equal(t, "data_discovery", call.GetToolName(), group)
				require.Empty(t, call.GetErrorReason(), group)
				require.NotEmpty(t, call.GetDataDiscovery().GetRelatedTables(), group)
				require.Equal(t, []string{"Order"}, call.GetDataDiscovery().GetMarts(), group)
			}
		},
		"tools are listed with the schemas of their arguments": func(t *testing.T) {
			got, err := w.router.ListTools(t.Context(), &routerv1.ListToolsRequest{})
			require.NoError(t, err)
			listed := map[string]bool{}
			for _, tool := range got.GetTools() {
				listed[tool.GetName()] = true
				require.Equal(t, "object", tool.GetArgumentsSchema().GetFields()["type"].GetStringValue(), tool.GetName())
				require.NotEmpty(t, tool.GetArgumentsSchema().GetFields()["properties"].GetStructValue().GetFields(), tool.GetName())
			}
			for _, name := range []string{"data_discovery", "generate_sql", "execute_sql_and_analyze_result", "fix_sql", "explain_sql", "search_log"} {
				require.True(t, listed[name], name)
			}
		},
		"candidates say why they are written so": func(t *testing.T) {
			a := w.turn(t, &routerv1.Turn{Question: "Generate a SQL for GMV by category in Singapore last month", Execution: text2sqlv1.Execution_EXECUTION_VALIDATE})
			for _, c := range a.GetToolCalls() {
				for _, s := range c.GetGenerateSql().GetCandidates() {
					require.NotEmpty(t, s.GetReason())
					require.True(t, s.GetValidated())
				}
			}
			require.NotEmpty(t, writtenBy(a))
		},
		"what each member of the team did can be read": func(t *testing.T) {
			a := w.talk(t, "GMV in Singapore last month")
			got, err := w.router.GetRun(t.Context(), &routerv1.GetRunRequest{RunId: a.GetRunId()})
			require.NoError(t, err)
			var steps []string
			for _, r := range got.GetRecords() {
				if member, ok := strings.CutPrefix(r.GetName(), "text2sql."); ok && r.GetAttributes()["strategy"] != "" {
					steps = append(steps, member+" <- "+r.GetAttributes()["input"]+" -> "+r.GetAttributes()["result"])
					require.Equal(t, "true", r.GetAttributes()["success"])
					require.Empty(t, r.GetAttributes()["error"])
					require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, r.GetStatus())
				}
			}
			require.Equal(t, []string{
				"planner <- reading: none; draft: none; verdict: none -> semantic_parser: the question is not read yet",
				"semantic_parser <- the question, tables: 9, findings: 0 -> sql, confidence 0.97, not understood: 0",
				"planner <- reading: sql, confidence 0.97; draft: none; verdict: none -> sql_generator: there is no SQL yet",
				"sql_generator <- reading: sql, confidence 0.97 -> sql, candidates: 1",
				"planner <- reading: sql, confidence 0.97; draft: sql, candidates: 1; verdict: none -> result_evaluator: the SQL is not checked yet",
				"result_evaluator <- draft: sql, candidates: 1; repairs before: 0 -> holds",
				"planner <- reading: sql, confidence 0.97; draft: sql, candidates: 1; verdict: holds -> finish: the SQL holds",
			}, steps)
		},
		"a filter that the layer demands and a SQL lacks is told": func(t *testing.T) {
			const lacks, holds = "SELECT SUM(gmv_usd) AS net_gmv FROM sg.mp_order.dwd_order_item_di__sg_s0_live WHERE grass_date >= DATE '2026-11-01'", " AND order_status NOT IN ('CANCELLED', 'RETURNED')"
			for ask, told := range map[string]string{
				"fix this SQL:": "is net GMV of order items of the semantic layer, which always keeps to `order_status NOT IN ('CANCELLED', 'RETURNED')`; the statement does not.",
				"解释这条SQL：":      "其口径始终包含`order_status NOT IN ('CANCELLED', 'RETURNED')`，而该语句没有这一条件。",
			} {
				require.Contains(t, w.talk(t, ask+" "+lacks).GetText(), told)
				require.NotContains(t, w.talk(t, ask+" "+lacks+holds).GetText(), told)
			}
		},
	} {
		t.Run(name, func(t *testing.T) { row(t) })
	}
}

// TestWhatTheRouterOwesWithAModel: what the checklist says of prompts, of candidates and of
// the evaluator's own runs.
func TestWhatTheRouterOwesWithAModel(t *testing.T) {
	t.Parallel()
	model := &weak{}
	conn, endpoint := harbourConn(t, model)
	router, text2sql, find := routerv1.NewRouterServiceClient(conn), text2sqlv1.NewText2SQLServiceClient(conn), findatav1.NewFindDataServiceClient(conn)

	t.Run("who asks is in the prompts, with the day", func(t *testing.T) {
		asker := &commonv1.UserContext{Email: "ann@harbour.example", Department: "Pier", Region: "MT", Background: "I run the Pier."}
		sent := len(endpoint.Requests())
		model.begin(slip{asked: howMany})
		_, err := router.Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: howMany.question, UserContext: asker}})
		require.NoError(t, err)
		_, err = find.AnswerQuestion(t.Context(), &findatav1.AnswerQuestionRequest{Query: &findatav1.DiscoverQuery{
			UserQuery: "what does the column draught mean?", UserContext: asker, Strategy: findatav1.Strategy_STRATEGY_LLM,
		}})
		require.NoError(t, err)
		told := map[string]bool{}
		for _, r := range endpoint.Requests()[sent:] {
			var service string
			switch {
			case r.Body["tools"] != nil:
				service = "router"
			case strings.Contains(r.Raw, "You write Presto"):
				service = "text2sql"
			case strings.Contains(r.Raw, "You answer questions about the tables"):
				service = "findata"
			default:
				continue
			}
			told[service] = true
			for _, fact := range []string{"I run the Pier.", "department: Pier", "ann@harbour.example"} {
				require.Contains(t, r.Raw, fact, service)
			}
			require.Regexp(t, `[Tt]oday(?: is|:) 20\d\d-\d\d-\d\d`, r.Raw, service)
		}
		require.Equal(t, map[string]bool{"router": true, "text2sql": true, "findata": true}, told)
	})
	t.Run("several ways, each with its reason", func(t *testing.T) {
		ways := []any{
			map[string]any{"sql": share.sql, "reason": "the share of visits whose berth is North"},
			map[string]any{"sql": "SELECT avg(CASE WHEN berth = 'North' THEN 1e0 ELSE 0e0 END) FROM harbour.main.visits", "reason": "the mean of a flag"},
			map[string]any{"sql": "SELECT CAST((SELECT count(*) FROM harbour.main.visits WHERE berth = 'North') AS double) / (SELECT count(*) FROM harbour.main.visits)", "reason": "two counts, divided"},
		}
		raw, err := json.Marshal(map[string]any{"outcome": "sql", "understood": "x", "candidates": ways})
		require.NoError(t, err)
		model.begin(slip{asked: share, writes: said(string(raw))})
		got, err := text2sql.GenerateSQLUnary(t.Context(), &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: share.question, MaxCandidates: 3}})
		require.NoError(t, err)
		var reasons []string
		for _, c := range got.GetResult().GetCandidates() {
			reasons = append(reasons, c.GetReason())
			require.True(t, c.GetValidated(), c.GetSql())
		}
		require.ElementsMatch(t, []string{"the share of visits whose berth is North", "the mean of a flag", "two counts, divided"}, reasons)
	})
	t.Run("the evaluator runs what was written and repairs it twice at most", func(t *testing.T) {
		const none = "SELECT sum(pilot_id) FROM harbour.main.visits"
		model.begin(slip{asked: ofPanama, writes: wrote(none), mends: mended(ofPanama.sql)})
		got, err := router.Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Source: "harbour", Question: ofPanama.question}})
		require.NoError(t, err)
		require.Equal(t, ofPanama.rows, shown(t, got), got.GetAnswer().GetText())
		require.Positive(t, model.asked("repair"))

		model.begin(slip{asked: inMarch, writes: wrote(none), mends: mended(none, "SELECT max(pilot_id) FROM harbour.main.visits", "SELECT min(pilot_id) FROM harbour.main.visits", "SELECT avg(pilot_id) FROM harbour.main.visits")})
		_, err = router.Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Source: "harbour", Question: inMarch.question}})
		require.NoError(t, err)
		require.LessOrEqual(t, model.asked("repair"), 2*max(1, model.asked("sql")), "of one reading")
	})
}
