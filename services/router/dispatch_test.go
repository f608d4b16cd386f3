package router_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
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
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// script is a strategy that gives fixed decisions, one after another; the last
// is given again.
type script struct {
	mu    sync.Mutex
	next  int
	steps []func(decide.In) (decide.Decision, error)
}

func (s *script) Name() string { return "script" }

func (s *script) Decide(_ context.Context, in decide.In) (decide.Decision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	step := s.steps[min(s.next, len(s.steps)-1)]
	s.next++
	return step(in)
}

func (s *script) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

func wants(goal, tool string, args any) func(decide.In) (decide.Decision, error) {
	return func(decide.In) (decide.Decision, error) {
		raw, err := json.Marshal(args)
		return decide.Decision{Goal: goal, Tool: tool, Arguments: raw, Rewritten: "q"}, err
	}
}

func says(key string) func(decide.In) (decide.Decision, error) {
	return func(decide.In) (decide.Decision, error) { return decide.Decision{Say: key}, nil }
}

func scripted(steps ...func(decide.In) (decide.Decision, error)) *script {
	return &script{steps: steps}
}

var discoverArgs = tools.DataDiscoveryArgs{UserQuestion: "q"}

func TestRule1InternalError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withStrategy(scripted(func(decide.In) (decide.Decision, error) {
		return decide.Decision{}, errors.New("secret of a driver")
	})))
	a := w.ask(t, &routerv1.Turn{Question: "q"})
	require.Equal(t, "Error", a.GetResponseAgent())
	require.Contains(t, a.GetText(), a.GetRunId())
	require.NotContains(t, a.GetText(), "secret")
}

func TestRule2AskHuman(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withStrategy(scripted(wants("", tools.AskHuman, tools.AskHumanArgs{Question: "Which one?", Options: []string{"red", "blue"}}))))
	a := w.ask(t, &routerv1.Turn{Question: "q"})
	require.True(t, a.GetAskHuman())
	require.Equal(t, "Which one?\n1) red\n2) blue", a.GetText())
	require.Equal(t, "blue", a.GetQuestion().GetOptions()[1].GetLabel())
	require.Empty(t, a.GetToolCalls())
}

func TestRule3AnyOtherToolIsRecordedAndCalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withStrategy(scripted(wants(tools.DataDiscovery, tools.DataDiscovery, discoverArgs))))
	during := make(chan commonv1.RunStatus, 1)
	w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		call := w.team.call(0).context
		resp, err := w.client.GetToolCall(as(t.Context(), "alice"), &routerv1.GetToolCallRequest{ToolCallId: call.ToolCallID})
		if err != nil {
			return nil, err
		}
		during <- resp.GetToolCall().GetStatus()
		return tablesResult(), nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "q"})
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_RUNNING, <-during, "the call is stored before it is made")
	require.Regexp(t, `^call_[0-9a-f]{24}$`, a.GetToolCalls()[0].GetToolCallId())
}

func TestRule4NoToolIsTheText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withStrategy(scripted(says("welcome"))))
	require.Equal(t, "You are welcome.", w.ask(t, &routerv1.Turn{Question: "q"}).GetText())
}

func TestRule5ValidationErrorsAreDecidedAgain(t *testing.T) {
	t.Parallel()
	refuse := func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		return nil, status.Error(codes.InvalidArgument, "too vague")
	}
	t.Run("three times, then an internal error", func(t *testing.T) {
		t.Parallel()
		s := scripted(wants(tools.DataDiscovery, tools.DataDiscovery, discoverArgs))
		w := newWorld(t, withStrategy(s))
		w.team.discover = refuse
		a := w.ask(t, &routerv1.Turn{Question: "q"})
		require.Equal(t, 4, s.asked())
		require.Equal(t, "Error", a.GetResponseAgent())
		require.Empty(t, a.GetToolCalls(), "the calls are dropped from the maps")
		_, err := w.client.GetToolCall(as(t.Context(), "alice"), &routerv1.GetToolCallRequest{ToolCallId: w.team.call(0).context.ToolCallID})
		require.Equal(t, codes.NotFound, status.Code(err))
	})
	t.Run("a better decision goes on", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, withStrategy(scripted(
			func(decide.In) (decide.Decision, error) {
				return decide.Decision{Goal: tools.DataDiscovery, Tool: tools.DataDiscovery, Arguments: []byte(`{"wrong":1}`)}, nil
			},
			wants(tools.DataDiscovery, "no_such_tool", discoverArgs),
			wants(tools.DataDiscovery, tools.DataDiscovery, discoverArgs))))
		a := w.ask(t, &routerv1.Turn{Question: "q"})
		require.Equal(t, []string{tools.DataDiscovery}, called(a))
		require.Equal(t, []string{"discover"}, w.team.tools(), "bad arguments do not reach the service")
	})
	t.Run("the rules strategy says what was refused", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.team.discover = refuse
		require.Contains(t, w.ask(t, &routerv1.Turn{Question: "which tables hold x?"}).GetText(), "too vague")
	})
}

func TestRule6OtherErrorsAreTold(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]string{
		codes.PermissionDenied: "You may not see this mart.",
		codes.Unavailable:      "cannot be reached",
		codes.Internal:         "Something went wrong on our side",
	} {
		w := newWorld(t)
		w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
			return nil, status.Error(code, "You may not see this mart.")
		}
		a := w.ask(t, &routerv1.Turn{Question: "which tables hold orders?"})
		require.Contains(t, a.GetText(), want)
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_FAILED, a.GetToolCalls()[0].GetStatus())
		require.Equal(t, a.GetText(), a.GetToolCalls()[0].GetError())
	}
}

// TestRule6TheEngineIsAway: the agent answers, so its words are told.
func TestRule6TheEngineIsAway(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"ENGINE_UNREACHABLE":         "the server sleeps",
		rpc.ReasonServiceUnreachable: "cannot be reached at the moment",
	} {
		w := newWorld(t)
		w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
			return nil, fault.New(codes.Unavailable, reason, "the server sleeps").GRPCStatus().Err()
		}
		a := w.ask(t, &routerv1.Turn{Question: "run this: SELECT count(*) FROM orders"})
		require.Contains(t, a.GetText(), want)
	}
}

func TestRule6FailedSQLIsRepaired(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, outcomes ...*chatbiv1.ExecuteResult) (*world, *routerv1.Answer) {
		w := newWorld(t)
		n := 0
		w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
			n++
			return outcomes[min(n, len(outcomes))-1], nil
		}
		return w, w.ask(t, &routerv1.Turn{Question: "run this: SELECT count(*) FROM ordrs"})
	}
	t.Run("and run again", func(t *testing.T) {
		t.Parallel()
		w, a := run(t, failedResult("TABLE_NOT_FOUND"), doneResult())
		require.Equal(t, []string{"execute", "fix", "execute"}, w.team.tools())
		fix := w.team.call(1).request.(*fixsqlv1.FixSQLRequest)
		require.Equal(t, "SELECT count(*) FROM ordrs", fix.GetSql(), "taken from the failed call")
		require.Contains(t, fix.GetErrorInfo(), "TABLE_NOT_FOUND")
		require.Equal(t, "SELECT count(*) FROM ordrs -- fixed", w.team.call(2).request.(*chatbiv1.ExecuteQuery).GetSql())
		require.Contains(t, a.GetText(), "There were 42 orders.")
		require.Contains(t, a.GetText(), "ordrs became orders", "the answer says what was changed")
	})
	t.Run("once for a class of error", func(t *testing.T) {
		t.Parallel()
		w, a := run(t, failedResult("TABLE_NOT_FOUND"))
		require.Equal(t, []string{"execute", "fix", "execute"}, w.team.tools())
		require.Contains(t, a.GetText(), "The SQL failed on the engine")
	})
	t.Run("at most twice", func(t *testing.T) {
		t.Parallel()
		w, _ := run(t, failedResult("TABLE_NOT_FOUND"), failedResult("COLUMN_NOT_FOUND"), failedResult("TYPE_MISMATCH"))
		require.Equal(t, []string{"execute", "fix", "execute", "fix", "execute"}, w.team.tools())
	})
	t.Run("not what a repair cannot cure", func(t *testing.T) {
		t.Parallel()
		w, a := run(t, failedResult("EXCEEDED_TIME_LIMIT"))
		require.Equal(t, []string{"execute"}, w.team.tools())
		require.Contains(t, a.GetText(), "The SQL failed on the engine")
	})
	t.Run("not what failed on protected data", func(t *testing.T) {
		t.Parallel()
		hidden := failedResult("DATA_ERROR")
		hidden.Error.Message = "DATA_ERROR; the engine's own words are not shown, because rows or values of a table are protected from you"
		w, a := run(t, hidden)
		require.Equal(t, []string{"execute"}, w.team.tools(), "a repair would guess, again and again")
		require.Contains(t, a.GetText(), "The SQL failed on the engine")
		require.Contains(t, a.GetText(), "are protected from you")
	})
	t.Run("a repair that does not help", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
			return failedResult("TABLE_NOT_FOUND"), nil
		}
		w.team.fix = func(_ context.Context, r *fixsqlv1.FixSQLRequest) (*fixsqlv1.FixSQLResponse, error) {
			return &fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: r.GetSql()},
				Remaining: []*commonv1.SqlDiagnostic{{Code: "TABLE_NOT_FOUND", Message: "no table is near"}}}, nil
		}
		a := w.ask(t, &routerv1.Turn{Question: "run this: SELECT count(*) FROM ordrs"})
		require.Equal(t, []string{"execute", "fix"}, w.team.tools())
		require.Contains(t, a.GetText(), "cannot be resolved")
		require.Contains(t, a.GetText(), "no table is near")
	})
}

func TestRule7SubAgentQuestion(t *testing.T) {
	t.Parallel()
	asking := func(w *world) {
		w.team.discover = func(_ context.Context, q *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
			if q.GetChosenOptionId() != "" {
				return tablesResult(), nil
			}
			return &findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK, Question: &commonv1.Question{
				Text: "Which mart?", Options: []*commonv1.Option{{Id: "mart_order", Label: "Order"}, {Id: "mart_traffic", Label: "Traffic"}}}}, nil
		}
	}
	for name, reply := range map[string]*routerv1.Turn{
		"by id":      {ChosenOptionId: "mart_traffic"},
		"by number":  {Question: "the second one"},
		"by words":   {Question: "Traffic please"},
		"in Chinese": {Question: "第二个"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			asking(w)
			a := w.ask(t, &routerv1.Turn{Question: "how many visits were there yesterday?"})
			require.True(t, a.GetAskHuman())
			require.Equal(t, tools.DataDiscovery, a.GetQuestion().GetToolName())
			id := a.GetToolCalls()[0].GetToolCallId()
			require.Equal(t, id, a.GetQuestion().GetToolCallId())
			require.Contains(t, a.GetText(), "2) Traffic")

			reply.SessionId = a.GetSessionId()
			b := w.ask(t, reply)
			require.Equal(t, []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}, called(b), "and on to the earlier goal")
			require.Equal(t, id, b.GetToolCalls()[0].GetToolCallId(), "back to the same call")
			q := w.team.call(1).request.(*findatav1.DiscoverQuery)
			require.Equal(t, "mart_traffic", q.GetChosenOptionId())
			require.Equal(t, "how many visits were there yesterday?", q.GetUserQuery())
		})
	}
	t.Run("a new question is a new question", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		asking(w)
		a := w.ask(t, &routerv1.Turn{Question: "how many visits were there yesterday?"})
		b := w.ask(t, &routerv1.Turn{Question: "write a query that counts the late parcels of every hub", SessionId: a.GetSessionId()})
		require.NotEqual(t, a.GetToolCalls()[0].GetToolCallId(), b.GetToolCalls()[0].GetToolCallId())
		require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_GENERATE_SQL, b.GetFinalIntent())
	})
}

// TestOnlyAYesRunsADearStatement: a yes runs what was asked about, a no and the
// other option end the turn, and anything else is a new question, which is said.
func TestOnlyAYesRunsADearStatement(t *testing.T) {
	t.Parallel()
	const (
		runs   = "There were 42 orders."
		off    = "the statement was not run"
		narrow = "Nothing was run. Say how to narrow it"
		anew   = "this is taken as a new question"
	)
	for name, tc := range map[string]struct {
		reply *routerv1.Turn
		want  string
	}{
		"yes":                      {&routerv1.Turn{Question: "yes, continue"}, runs},
		"the verb":                 {&routerv1.Turn{Question: "run it please"}, runs},
		"why not":                  {&routerv1.Turn{Question: "why not"}, runs},
		"number":                   {&routerv1.Turn{Question: "1"}, runs},
		"ordinal":                  {&routerv1.Turn{Question: "the first one please"}, runs},
		"id":                       {&routerv1.Turn{ChosenOptionId: "run"}, runs},
		"label":                    {&routerv1.Turn{Question: "Run it as it is"}, runs},
		"no":                       {&routerv1.Turn{Question: "no"}, off},
		"no thanks":                {&routerv1.Turn{Question: "no, don't run it"}, off},
		"other number":             {&routerv1.Turn{Question: "2"}, narrow},
		"other id":                 {&routerv1.Turn{ChosenOptionId: "narrow"}, narrow},
		"unknown id":               {&routerv1.Turn{ChosenOptionId: "runn", Question: "yes"}, anew},
		"yes but":                  {&routerv1.Turn{Question: "yes but only for Brazil"}, anew},
		"a condition":              {&routerv1.Turn{Question: "only the last 7 days"}, anew},
		"words of an option":       {&routerv1.Turn{Question: "how many deliveries run late"}, anew},
		"an ordinal of the data":   {&routerv1.Turn{Question: "what was the first order of each customer"}, anew},
		"a question about running": {&routerv1.Turn{Question: "how long will it run?"}, anew},
		"another question":         {&routerv1.Turn{Question: "which tables hold the orders?"}, anew},
		"nonsense":                 {&routerv1.Turn{Question: "purple"}, anew},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var confirmed []bool
			w.team.execute = func(_ context.Context, q *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
				confirmed = append(confirmed, q.GetCostConfirmed())
				if q.GetCostConfirmed() {
					return doneResult(), nil
				}
				return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, Question: &commonv1.Question{Text: "2 TB. Go on?",
					Options: []*commonv1.Option{{Id: "run", Label: "Run it as it is"}, {Id: "narrow", Label: "Make it smaller"}}}}, nil
			}
			a := w.ask(t, &routerv1.Turn{Question: "run " + theSQL})
			require.True(t, a.GetAskHuman())
			tc.reply.SessionId = a.GetSessionId()
			b := w.ask(t, tc.reply)
			require.Contains(t, b.GetText(), tc.want)
			if tc.want == runs {
				require.Equal(t, []bool{false, true}, confirmed)
				return
			}
			require.NotContains(t, confirmed, true, "nothing dear ran")
		})
	}
	t.Run("in Chinese", func(t *testing.T) {
		t.Parallel()
		for reply, want := range map[string]string{"好的，执行吧": "There were 42 orders.", "算了": "该语句没有执行", "为什么要执行这么久": "按新的问题处理", "只看巴西的": "按新的问题处理"} {
			w := newWorld(t)
			w.team.execute = func(_ context.Context, q *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
				if q.GetCostConfirmed() {
					return doneResult(), nil
				}
				return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, Question: &commonv1.Question{Text: "要执行吗？",
					Options: []*commonv1.Option{{Id: "run", Label: "执行"}, {Id: "narrow", Label: "缩小范围"}}}}, nil
			}
			a := w.ask(t, &routerv1.Turn{Question: "执行 " + theSQL})
			require.True(t, a.GetAskHuman(), a.GetText())
			require.Contains(t, w.ask(t, &routerv1.Turn{Question: reply, SessionId: a.GetSessionId()}).GetText(), want, reply)
		}
	})
}

func TestRule8DirectToolEndsTheTurn(t *testing.T) {
	t.Parallel()
	s := scripted(says("welcome"))
	w := newWorld(t, withStrategy(s))
	a := w.ask(t, &routerv1.Turn{Question: "orders", AgentName: "Data Discovery"})
	require.Equal(t, []string{tools.DataDiscovery}, called(a))
	require.Zero(t, s.asked(), "no decision is made")
}

func TestRule9ToolsWithoutAnIntentEndTheTurn(t *testing.T) {
	t.Parallel()
	for tool, args := range map[string]any{
		tools.ExplainSQL: tools.ExplainSQLArgs{SQL: theSQL},
		tools.Reject:     tools.RejectArgs{},
	} {
		s := scripted(wants(tools.Execute, tool, args))
		a := newWorld(t, withStrategy(s)).ask(t, &routerv1.Turn{Question: "q"})
		require.Equal(t, []string{tool}, called(a))
		require.Equal(t, 1, s.asked())
	}
}

func TestRule10TheGoalsAgentEndsTheTurn(t *testing.T) {
	t.Parallel()
	s := scripted(
		wants(tools.GenerateSQL, tools.DataDiscovery, discoverArgs),
		wants(tools.GenerateSQL, tools.GenerateSQL, tools.GenerateSQLArgs{UserQuestion: "q"}),
		says("internal"))
	a := newWorld(t, withStrategy(s)).ask(t, &routerv1.Turn{Question: "q"})
	require.Equal(t, []string{tools.DataDiscovery, tools.GenerateSQL}, called(a))
	require.Equal(t, 2, s.asked())
}

func TestRule11ConfirmEachStep(t *testing.T) {
	t.Parallel()
	confirm := routerv1.DispatchStrategy_DISPATCH_STRATEGY_CONFIRM_EACH_STEP
	t.Run("tables found are shown", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", DispatchStrategy: confirm})
		require.Equal(t, []string{tools.DataDiscovery}, called(a))
		b := w.ask(t, &routerv1.Turn{Question: "go ahead", SessionId: a.GetSessionId(), DispatchStrategy: confirm})
		require.Equal(t, []string{tools.GenerateSQL}, called(b))
		require.True(t, b.GetAskHuman())
		c := w.ask(t, &routerv1.Turn{Question: "yes", SessionId: a.GetSessionId(), DispatchStrategy: confirm})
		require.Equal(t, []string{tools.Execute}, called(c))
		require.Equal(t, "There were 42 orders.", c.GetText())
	})
	t.Run("chosen tables are not asked about", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", DispatchStrategy: confirm, SelectedTables: []string{"sg.shop.orders"}})
		require.Equal(t, []string{tools.DataDiscovery, tools.GenerateSQL}, called(a))
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, a.GetToolCalls()[1].GetStatus())
	})
}

func TestToolCallLimit(t *testing.T) {
	t.Parallel()
	s := scripted(wants(tools.Execute, tools.DataDiscovery, discoverArgs))
	w := newWorld(t, withStrategy(s), func(c *routerConfig, _ *routerDeps) { c.MaxToolCalls = 3 })
	a := w.ask(t, &routerv1.Turn{Question: "q"})
	require.Len(t, a.GetToolCalls(), 3)
	require.Equal(t, routerv1.InterruptionReason_INTERRUPTION_REASON_TOOL_CALL_LIMIT, a.GetInterruptionReason())
	require.Contains(t, a.GetText(), "limit of 3")
}

func TestStoredValueWinsOverWhatIsRetyped(t *testing.T) {
	t.Parallel()
	ids := make(chan string, 1)
	s := scripted(
		wants(tools.Execute, tools.GenerateSQL, tools.GenerateSQLArgs{UserQuestion: "q"}),
		func(in decide.In) (decide.Decision, error) {
			ids <- in.Calls[0].ID
			return wants(tools.Execute, tools.Execute, tools.ExecuteArgs{SQL: "SELECT wrongly retyped", ToolCallID: in.Calls[0].ID})(in)
		})
	w := newWorld(t, withStrategy(s))
	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return sqlResult(theSQL), nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "q"})
	require.Equal(t, theSQL, w.team.call(1).request.(*chatbiv1.ExecuteQuery).GetSql())
	require.Equal(t, <-ids, a.GetToolCalls()[1].GetSourceToolCallId())
}
