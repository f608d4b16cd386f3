package router_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/router/tools"
)

func TestTheMainJob(t *testing.T) {
	t.Parallel()
	measures, read := metertest.New(t)
	w := newWorld(t, func(_ *router.Config, d *router.Deps) { d.Meter = measures })
	a := w.ask(t, &routerv1.Turn{Question: "How many orders were there yesterday?", PageSize: 7})
	require.Equal(t, []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}, called(a))
	require.Equal(t, "There were 42 orders.", a.GetText())
	require.Equal(t, "Chat BI Agent", a.GetResponseAgent())
	require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_EXECUTE_SQL_AND_ANALYZE_RESULT, a.GetFinalIntent())
	require.Equal(t, called(a), a.GetPlan())
	require.Len(t, a.GetWarnings(), 1, "the same warning of two services is told once")
	require.EqualValues(t, 1000, a.GetUsage().GetBytesScanned())
	require.Equal(t, map[string]float64{
		`dibrain_turn_seconds{intent="execute_sql_and_analyze_result",outcome="answered"}`: 1,
		`dibrain_answers_total{confidence="high",intent="execute_sql_and_analyze_result"}`: 1,
		`dibrain_queue_seconds{queue="turns"}`:                                             1,
		`dibrain_queue_waiting{queue="turns"}`:                                             0,
		`dibrain_queue_in_use{queue="turns"}`:                                              0,
	}, read())

	// Tables and SQL travelled by id, out of the store.
	discover, generate, execute := a.GetToolCalls()[0], a.GetToolCalls()[1], a.GetToolCalls()[2]
	require.Equal(t, discover.GetToolCallId(), generate.GetSourceToolCallId())
	require.Equal(t, generate.GetToolCallId(), execute.GetSourceToolCallId())
	gen := w.team.call(1).request.(*text2sqlv1.GenerateQuery)
	require.Equal(t, "orders", gen.GetTables()[0].GetRef().GetTable())
	require.Equal(t, "GMV", gen.GetGlossaryTerms()[0].GetTerm())
	require.Equal(t, text2sqlv1.Execution_EXECUTION_UNSPECIFIED, gen.GetExecution(), "what is run anyway may be tried")
	exec := w.team.call(2).request.(*chatbiv1.ExecuteQuery)
	require.Equal(t, theSQL, exec.GetSql())
	require.Equal(t, []string{"orders: count"}, exec.GetMetrics())
	require.Equal(t, []string{"all orders"}, exec.GetAssumptions())
	require.EqualValues(t, 7, exec.GetPageSize())
	require.NotEmpty(t, exec.GetTables())

	// One run, one now, one tree that holds the services' own steps.
	first := w.team.call(0).context
	for i := range 3 {
		c := w.team.call(i).context
		require.Equal(t, a.GetToolCalls()[i].GetToolCallId(), c.ToolCallID)
		require.Equal(t, a.GetSessionId(), c.SessionID)
		require.True(t, first.Now.Equal(c.Now), "a run has one now")
	}
	tree, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: a.GetRunId()})
	require.NoError(t, err)
	known, names := map[string]string{}, []string{}
	for i, r := range tree.GetRecords() {
		if i > 0 {
			require.Contains(t, known, r.GetParentRunId(), "parents come before children")
			names = append(names, known[r.GetParentRunId()]+" > "+r.GetName())
		}
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, r.GetStatus(), r.GetName())
		known[r.GetRunId()] = r.GetName()
	}
	require.Equal(t, "router.ask", tree.GetRecords()[0].GetName())
	for _, want := range []string{"router.ask > router.invoke_agent", "router.tool_call > tool.generate_sql",
		"tool.data_discovery > inner.discover", "tool.execute_sql_and_analyze_result > inner.execute"} {
		require.Contains(t, names, want)
	}
	call, err := w.client.GetToolCall(as(t.Context(), "alice"), &routerv1.GetToolCallRequest{ToolCallId: generate.GetToolCallId()})
	require.NoError(t, err)
	require.Equal(t, theSQL, call.GetToolCall().GetGenerateSql().GetCandidates()[0].GetSql())
	require.Equal(t, execute.GetToolCallId(), call.GetToolCall().GetNextToolCallId())
}

func TestChatTellsTheSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stream, err := w.client.Chat(as(t.Context(), "alice"), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "which tables hold orders?"}})
	require.NoError(t, err)
	var got []string
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e := e.GetEvent().(type) {
		case *routerv1.ChatResponse_RunStarted:
			got = append(got, "run")
		case *routerv1.ChatResponse_ToolStarted:
			got = append(got, "start "+e.ToolStarted.GetToolName())
		case *routerv1.ChatResponse_ToolProgress:
			got = append(got, "progress "+e.ToolProgress.GetMessage())
		case *routerv1.ChatResponse_ToolFinished:
			got = append(got, "finish "+e.ToolFinished.GetToolCall().GetToolName())
		case *routerv1.ChatResponse_Answer:
			got = append(got, "answer")
			require.Contains(t, e.Answer.GetText(), "sg.shop.orders: one order per row")
		}
	}
	require.Equal(t, []string{"run", "start data_discovery", "progress looking", "finish data_discovery", "answer"}, got)
}

func TestSQLOnlyExecutesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.ask(t, &routerv1.Turn{Question: "write a query for the number of orders per day"})
	require.Equal(t, []string{"discover", "generate"}, w.team.tools())
	require.Contains(t, a.GetText(), "```sql\n"+theSQL)
	require.Contains(t, a.GetText(), "Shall I execute it?")
	require.False(t, a.GetAskHuman(), "an offer is no question that the turn waits on")

	b := w.ask(t, &routerv1.Turn{Question: "yes", SessionId: a.GetSessionId()})
	require.Equal(t, []string{tools.Execute}, called(b))
	require.Contains(t, b.GetRewrittenQuestion(), "Execute the SQL")
	require.Equal(t, a.GetToolCalls()[1].GetToolCallId(), b.GetToolCalls()[0].GetSourceToolCallId())
	require.Equal(t, theSQL, w.team.call(2).request.(*chatbiv1.ExecuteQuery).GetSql())
	require.NotEmpty(t, w.team.call(2).request.(*chatbiv1.ExecuteQuery).GetTables(), "found by following the chain")

	c := w.ask(t, &routerv1.Turn{Question: "only the last 7 days", SessionId: a.GetSessionId()})
	require.Equal(t, []string{tools.GenerateSQL, tools.Execute}, called(c))
	require.Equal(t, "the number of orders per day, only the last 7 days", w.team.call(3).request.(*text2sqlv1.GenerateQuery).GetUserQuestion(),
		"the words of the confirmation do not stay in the way")
}

func TestConversationInChinese(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.ask(t, &routerv1.Turn{Question: "帮我写一个统计每日订单数的SQL"})
	require.Contains(t, a.GetText(), "SQL 如下")
	require.Equal(t, commonv1.Language_LANGUAGE_ZH, a.GetLanguage())
	b := w.ask(t, &routerv1.Turn{Question: "执行吧", SessionId: a.GetSessionId()})
	require.Equal(t, []string{tools.Execute}, called(b))
	require.Contains(t, b.GetRewrittenQuestion(), "执行")
	c := w.ask(t, &routerv1.Turn{Question: "改成按周看", SessionId: a.GetSessionId()})
	require.Equal(t, []string{tools.GenerateSQL, tools.Execute}, called(c))
	require.Contains(t, c.GetRewrittenQuestion(), "按周看")
}

func TestAbstentionSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN,
			AbstainedReason: "No column covers it.", NotUnderstood: []string{"zorgs"}}, nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "how many zorgs were there yesterday"})
	for _, want := range []string{"No column covers it.", "zorgs", "sg.shop.orders"} {
		require.Contains(t, a.GetText(), want)
	}
	require.Equal(t, []string{"discover", "generate"}, w.team.tools())
}

func TestNothingFoundIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		return &findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
			UnknownTables: []*findatav1.UnknownTable{{Name: "shop.ordrs", Near: []string{"sg.shop.orders"}}, {Name: "shop.zzz"}}}, nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "how many rows of shop.ordrs were late?"})
	require.Contains(t, a.GetText(), "There is no table shop.ordrs that you can see. Near it: sg.shop.orders.")
	require.Contains(t, a.GetText(), "There is no table shop.zzz that you can see.\n", "nothing is near, and nothing is named")
	require.Equal(t, []string{"discover"}, w.team.tools())
}

func TestServicesThatAreNotServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // knowledge and logify answer UNIMPLEMENTED
	bare := newWorld(t, func(_ *routerConfig, d *routerDeps) { d.Knowledge, d.Logify = nil, nil })
	for _, world := range []*world{w, bare} {
		a := world.ask(t, &routerv1.Turn{Question: "how do I apply for permission?"})
		require.Contains(t, a.GetText(), "The Datasuite FAQ Agent, which this needs, is not available here.")
		require.Equal(t, "Datasuite FAQ Agent", a.GetResponseAgent())
		a = world.ask(t, &routerv1.Turn{Question: "查一下支付服务昨晚的错误日志"})
		require.Contains(t, a.GetText(), "没有启用")
	}
}

func TestDirectAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fix := w.ask(t, &routerv1.Turn{Question: "解释一下 SELECT * FROM ordrs", AgentName: "Fix SQL Agent", ErrorMessage: "no such table"})
	require.Equal(t, []string{tools.FixSQL}, called(fix))
	req := w.team.call(0).request.(*fixsqlv1.FixSQLRequest)
	require.Equal(t, "SELECT * FROM ordrs", req.GetSql())
	require.Equal(t, "Presto SQL", req.GetSqlDialect())
	require.Equal(t, "no such table", req.GetErrorInfo())
	require.Contains(t, fix.GetText(), "-- fixed")

	explain := w.ask(t, &routerv1.Turn{OriginalSql: theSQL, AgentName: "Explain SQL Agent"})
	require.Equal(t, "It counts.", explain.GetText())
	require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_UNSPECIFIED, explain.GetFinalIntent())
	find := w.ask(t, &routerv1.Turn{Question: "orders", AgentName: "Data Discovery"})
	require.Equal(t, []string{tools.DataDiscovery}, called(find))
}

func TestWordsWithoutTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for question, want := range map[string]string{
		"hello": "Hello!", "谢谢": "不客气", "bye": "Goodbye", "tell me a joke": "I cannot help with that",
		"please drop the table sg.shop.orders": "I do not do that", "run it": "What should I work on?",
	} {
		require.Contains(t, w.ask(t, &routerv1.Turn{Question: question}).GetText(), want, question)
	}
	require.Empty(t, w.team.tools())
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tc := range map[string]struct {
		turn   *routerv1.Turn
		code   codes.Code
		reason string
	}{
		"empty":           {&routerv1.Turn{Question: " \n"}, codes.InvalidArgument, "QUESTION_EMPTY"},
		"long":            {&routerv1.Turn{Question: strings.Repeat("x", 1<<20)}, codes.InvalidArgument, "QUESTION_TOO_LONG"},
		"agent":           {&routerv1.Turn{Question: "x", AgentName: "Nobody"}, codes.InvalidArgument, "AGENT_UNKNOWN"},
		"session":         {&routerv1.Turn{Question: "x", SessionId: "ses_unknown"}, codes.NotFound, "SESSION_UNKNOWN"},
		"session id":      {&routerv1.Turn{Question: "x", SessionId: "a b"}, codes.InvalidArgument, "ID_INVALID"},
		"mid state":       {&routerv1.Turn{Question: "x", MidState: "forged.forged"}, codes.InvalidArgument, "MID_STATE_INVALID"},
		"no turn at all?": {nil, codes.InvalidArgument, "QUESTION_EMPTY"},
	} {
		_, err := w.client.Ask(as(t.Context(), "alice"), &routerv1.AskRequest{Turn: tc.turn})
		require.Equal(t, tc.code, status.Code(err), name)
		require.Equal(t, tc.reason, fault.ReasonOf(err), name)
	}
	_, err := w.client.Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "x"}})
	require.Equal(t, codes.Unauthenticated, status.Code(err))
}

func TestMidStateCarriesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.ask(t, &routerv1.Turn{Question: "write a query for orders per day"})
	b := w.ask(t, &routerv1.Turn{Question: "execute it", MidState: a.GetMidState()})
	require.Equal(t, a.GetSessionId(), b.GetSessionId())
	require.Equal(t, []string{tools.Execute}, called(b))
	side := w.ask(t, &routerv1.Turn{Question: "hello", SessionId: a.GetSessionId(), ChatId: "side"})
	require.Equal(t, "side", w.ask(t, &routerv1.Turn{Question: "hello", MidState: side.GetMidState()}).GetChatId(), "the thread goes on")
	require.Equal(t, "other", w.ask(t, &routerv1.Turn{Question: "hello", ChatId: "other", MidState: side.GetMidState()}).GetChatId(), "unless the turn names one")
	require.Equal(t, "main", w.ask(t, &routerv1.Turn{Question: "hello", SessionId: a.GetSessionId()}).GetChatId())
	_, err := w.client.Ask(as(t.Context(), "bob"), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "execute it", MidState: a.GetMidState()}})
	require.Equal(t, "MID_STATE_INVALID", fault.ReasonOf(err), "a state is signed for its principal")
}

func TestListTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *routerConfig, d *routerDeps) { d.Analysis = nil })
	resp, err := w.client.ListTools(as(t.Context(), "alice"), &routerv1.ListToolsRequest{})
	require.NoError(t, err)
	require.Len(t, resp.GetTools(), 12)
	for _, tool := range resp.GetTools() {
		require.Equal(t, tool.GetName() != tools.Analyze, tool.GetServed(), tool.GetName())
		require.Equal(t, "object", tool.GetArgumentsSchema().GetFields()["type"].GetStringValue())
	}
}

// TestQuestionsBackAreMeasured, with intents that are all in the list of the metric.
func TestQuestionsBackAreMeasured(t *testing.T) {
	t.Parallel()
	require.Subset(t, meter.Intents(), tools.Intents())
	measures, read := metertest.New(t)
	w := newWorld(t, func(_ *router.Config, d *router.Deps) { d.Meter = measures })
	a := w.ask(t, &routerv1.Turn{Question: "run it"})
	require.Equal(t, routerv1.Outcome_OUTCOME_ASKED, a.GetOutcome())
	require.Equal(t, 1.0, read()[`dibrain_clarifications_total{intent="none"}`], "%v", read())
	require.Equal(t, 1.0, read()[`dibrain_turn_seconds{intent="none",outcome="asked"}`])
}
