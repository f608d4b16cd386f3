package router_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestARepairNeedsRoomForItsRun: a repair begins where the turn has calls left for it and
// for the run after it; where it has not, the failure is the answer, and not the bound.
func TestARepairNeedsRoomForItsRun(t *testing.T) {
	t.Parallel()
	for question, needs := range map[string]int{"run this: SELECT count(*) FROM ordrs": 1, "how many orders yesterday?": 3} {
		for most := needs; most <= needs+5; most++ {
			w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.MaxToolCalls = most })
			failures := []string{"TABLE_NOT_FOUND", "COLUMN_NOT_FOUND", "TYPE_MISMATCH"}
			w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
				code := failures[0]
				failures = failures[1:]
				return failedResult(code), nil
			}
			a := w.ask(t, &routerv1.Turn{Question: question})
			repairs := min((most-needs)/2, 2)
			require.Len(t, a.GetToolCalls(), needs+2*repairs, "%s with %d calls", question, most)
			require.Equal(t, routerv1.InterruptionReason_INTERRUPTION_REASON_UNSPECIFIED, a.GetInterruptionReason(), "%s with %d calls", question, most)
			require.Contains(t, a.GetText(), "The SQL failed on the engine", "%s with %d calls", question, most)
			require.Equal(t, routerv1.Outcome_OUTCOME_FAILED, a.GetOutcome())
			require.Equal(t, tools.Execute, a.GetToolCalls()[needs+2*repairs-1].GetToolName(), "it ends with a run, not with a repair that nobody runs")
		}
	}
}

// TestWhatATurnReadAddsUp over all statements that it ran.
func TestWhatATurnReadAddsUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ran := 0
	w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		if ran++; ran == 1 {
			failed := failedResult("TABLE_NOT_FOUND")
			failed.Certificate = &commonv1.Certificate{BytesScanned: 300}
			return failed, nil
		}
		return doneResult(), nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "run this: SELECT count(*) FROM ordrs"})
	require.Equal(t, 2, ran)
	require.EqualValues(t, 1300, a.GetUsage().GetBytesScanned())
}

// TestACallIDIsOfOneToolOfOneSession: what another tool, or a call of another session, has
// stored under an id is not given for a call's output, and the service is not called.
func TestACallIDIsOfOneToolOfOneSession(t *testing.T) {
	t.Parallel()
	const id = "call_00000000000000000000000b"
	fixed := func(_ *routerConfig, d *routerDeps) {
		d.IDs = func(prefix string) string {
			if prefix == run.PrefixCall {
				return id
			}
			return run.NewID(prefix, nil)
		}
	}
	for name, c := range map[string]struct {
		tool   string
		status run.Status
		other  bool // session
		reason string
		called int
	}{
		"the same call":             {tool: tools.Execute, status: run.StatusSucceeded},
		"another tool":              {tool: tools.FixSQL, status: run.StatusSucceeded, reason: store.ReasonIDTaken},
		"another session":           {tool: tools.Execute, status: run.StatusSucceeded, other: true, reason: store.ReasonIDTaken},
		"one that failed":           {tool: tools.Execute, status: run.StatusFailed, called: 1},
		"one that was interrupted":  {tool: tools.Execute, status: run.StatusInterrupted, called: 1},
		"one that asked and waits":  {tool: tools.Execute, status: run.StatusWaiting, called: 1},
		"another tool, that failed": {tool: tools.FixSQL, status: run.StatusFailed, called: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withStrategy(scripted(wants(tools.Execute, tools.Execute, tools.ExecuteArgs{SQL: theSQL}))), fixed)
			kept := doneResult()
			kept.Answer = "This was stored before."
			planted := stored(t, id, c.tool, "", kept)
			session := run.NewID(run.PrefixSession, nil)
			require.NoError(t, w.store.CreateSession(t.Context(), alice, store.Session{ID: session}))
			l, err := w.store.Lock(t.Context(), alice, session, time.Minute)
			require.NoError(t, err)
			planted.Status = c.status
			require.NoError(t, w.store.Commit(t.Context(), alice, l, store.Changes{ToolCalls: []store.ToolCall{planted}, Unlock: true}))
			if c.other {
				session = ""
			}
			resp, err := w.client.Ask(as(t.Context(), "alice"), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "q", SessionId: session}})
			require.Len(t, w.team.tools(), c.called)
			switch {
			case c.other: // nothing can be stored under the id
				require.Equal(t, c.reason, fault.ReasonOf(err))
				return
			case c.reason != "":
				require.NoError(t, err)
				require.Equal(t, c.reason, resp.GetAnswer().GetToolCalls()[0].GetErrorReason())
				require.NotContains(t, resp.GetAnswer().GetText(), kept.GetAnswer())
				return
			}
			require.NoError(t, err)
			want := kept.GetAnswer()
			if c.called > 0 {
				want = doneResult().GetAnswer()
			}
			require.Equal(t, want, resp.GetAnswer().GetText())
		})
	}
}

// TestARepairKnowsTheFailure: who asks to repair a call that failed need not say how, and
// who says it is believed.
func TestARepairKnowsTheFailure(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "TABLE_NOT_FOUND: Column 'ordrs' cannot be resolved", "it is too slow": "it is too slow"} {
		w := newWorld(t, withStrategy(scripted(wants(tools.FixSQL, tools.FixSQL, tools.FixSQLArgs{ToolCallID: "call_e2", ErrorInfo: given}))))
		session := w.plant(t, stored(t, "call_g", tools.GenerateSQL, "", sqlResult(theSQL)),
			stored(t, "call_e1", tools.Execute, "call_g", failedResult("COLUMN_NOT_FOUND")), stored(t, "call_e2", tools.Execute, "call_e1", failedResult("TABLE_NOT_FOUND")))
		w.ask(t, &routerv1.Turn{Question: "q", SessionId: session})
		request := w.team.call(0).request.(*fixsqlv1.FixSQLRequest)
		require.Equal(t, theSQL, request.GetSql())
		require.Equal(t, want, request.GetErrorInfo())
	}
}

// TestAnAnalysisThatBreaksIsNoAnswer: the last event before a stream broke is not what
// came of the analysis.
func TestAnAnalysisThatBreaksIsNoAnswer(t *testing.T) {
	t.Parallel()
	half := []*analysisv1.Analysis{{Message: "half of it"}}
	for name, c := range map[string]struct {
		events []*analysisv1.Analysis
		broke  error
		want   commonv1.RunStatus
	}{
		"to its end":            {half, nil, commonv1.RunStatus_RUN_STATUS_SUCCEEDED},
		"broken in the middle":  {half, status.Error(codes.ResourceExhausted, "no more room"), commonv1.RunStatus_RUN_STATUS_FAILED},
		"broken at once":        {half[:0], status.Error(codes.ResourceExhausted, "no more room"), commonv1.RunStatus_RUN_STATUS_FAILED},
		"without anything said": {half[:0], nil, commonv1.RunStatus_RUN_STATUS_FAILED},
	} {
		w := newWorld(t, withStrategy(scripted(wants(tools.Analyze, tools.Analyze, tools.AnalyzeArgs{Question: "why?"}))))
		w.team.analyse, w.team.broke = c.events, c.broke
		a := w.ask(t, &routerv1.Turn{Question: "q"})
		require.Equal(t, c.want, a.GetToolCalls()[0].GetStatus(), name)
		require.Equal(t, c.want == commonv1.RunStatus_RUN_STATUS_SUCCEEDED, a.GetText() == "half of it", "%s: %s", name, a.GetText())
	}
}

// TestWhatIsLikedIsWhatWasSaidLast: a turn whose newest SQL could not be written has none
// that could be proposed, and tells find data of no table that an earlier one read.
func TestWhatIsLikedIsWhatWasSaidLast(t *testing.T) {
	t.Parallel()
	abstains := &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "no table has it"}
	for name, c := range map[string]struct {
		results []*text2sqlv1.GenerateResult
		sql     string
	}{
		"one":           {[]*text2sqlv1.GenerateResult{sqlResult("SELECT 1")}, "SELECT 1"},
		"the newer one": {[]*text2sqlv1.GenerateResult{sqlResult("SELECT 1"), sqlResult("SELECT 2")}, "SELECT 2"},
		"none any more": {[]*text2sqlv1.GenerateResult{sqlResult("SELECT 1"), abstains}, ""},
		"one at last":   {[]*text2sqlv1.GenerateResult{abstains, sqlResult("SELECT 2")}, "SELECT 2"},
	} {
		write := wants(tools.Execute, tools.GenerateSQL, tools.GenerateSQLArgs{UserQuestion: "q"})
		w := newWorld(t, withStrategy(scripted(append(repeated(write, len(c.results)), says("done"))...)))
		left := c.results
		w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
			next := left[0]
			left = left[1:]
			return next, nil
		}
		a := w.ask(t, &routerv1.Turn{Question: "q"})
		require.Empty(t, left, name)
		_, err := w.client.SubmitFeedback(as(t.Context(), "alice"), &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP, ProposeExample: true})
		if c.sql == "" {
			require.Equal(t, "RUN_WITHOUT_EXAMPLE", fault.ReasonOf(err), name)
			_, err = w.client.SubmitFeedback(as(t.Context(), "alice"), &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP})
			require.NoError(t, err, name)
			require.Empty(t, w.team.examples, name)
			require.Empty(t, w.team.feedback, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.sql, w.team.examples[0].GetSql(), name)
		require.Equal(t, []string{"sg.shop.orders"}, w.team.feedback[0].GetTables(), name)
	}
}

func repeated[T any](one T, n int) (all []T) {
	for range n {
		all = append(all, one)
	}
	return all
}

// TestWaitingForASessionHasAnEnd: who waits for a session that stays at work is told so
// after the time that may be waited, and sooner where the caller's own time is up.
func TestWaitingForASessionHasAnEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.OnBusy, c.MaxBusyWait = router.BusyWait, 700*time.Millisecond })
	session := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"}).GetSessionId()
	began, _ := w.hang()
	working, stop := context.WithCancel(t.Context())
	defer stop()
	w.askLater(working, &routerv1.Turn{Question: "run " + theSQL, SessionId: session})
	within(t, began, "the call begins")
	for most, want := range map[time.Duration]codes.Code{20 * time.Second: codes.Aborted, 30 * time.Millisecond: codes.DeadlineExceeded} {
		ctx, done := context.WithTimeout(t.Context(), most)
		_, err := w.client.Ask(as(ctx, "alice"), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "run " + theSQL, SessionId: session}})
		done()
		require.Equal(t, want, status.Code(err), "%v", err)
		if want == codes.Aborted {
			require.Equal(t, store.ReasonSessionBusy, fault.ReasonOf(err))
		}
	}
}

// TestATimeThatIsUpOnTheOtherSideFirst: a service that shares the turn's deadline may say a
// moment before the turn that it is over. That is the end of the turn's time, and no
// failure of the service; a time of its own that is up earlier is one.
func TestATimeThatIsUpOnTheOtherSideFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		most, before time.Duration
		want         routerv1.InterruptionReason
	}{
		"the turn's": {500 * time.Millisecond, 20 * time.Millisecond, routerv1.InterruptionReason_INTERRUPTION_REASON_TIMEOUT},
		"its own":    {20 * time.Second, 19900 * time.Millisecond, routerv1.InterruptionReason_INTERRUPTION_REASON_UNSPECIFIED},
	} {
		w := newWorld(t, func(config *routerConfig, _ *routerDeps) { config.MaxExecute = c.most })
		w.team.execute = func(ctx context.Context, _ *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
			deadline, ok := ctx.Deadline()
			if !ok {
				return nil, fmt.Errorf("the call has no deadline")
			}
			early, done := context.WithDeadline(ctx, deadline.Add(-c.before))
			defer done()
			<-early.Done()
			return nil, status.Error(codes.DeadlineExceeded, "too late")
		}
		a := w.ask(t, &routerv1.Turn{Question: "run " + theSQL})
		require.Equal(t, c.want, a.GetInterruptionReason(), "%s: %s", name, a.GetText())
	}
}

// TestWhoseZoneATurnHas: the zone that the request names, else that of the run which it
// came in, else the configured one; all services of the turn agree on it.
func TestWhoseZoneATurnHas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, run, configured, want string }{
		{"", "", "", "UTC"}, {"", "", "Europe/Rome", "Europe/Rome"}, {"", "Asia/Tokyo", "Europe/Rome", "Asia/Tokyo"}, {"", "Asia/Tokyo", "", "Asia/Tokyo"},
		{"America/Lima", "Asia/Tokyo", "Europe/Rome", "America/Lima"}, {"America/Lima", "", "", "America/Lima"},
	} {
		w := newWorld(t, func(config *routerConfig, _ *routerDeps) { config.TimeZone = c.configured })
		ctx := run.Outgoing(run.With(as(t.Context(), "alice"), run.Context{TimeZone: c.run}))
		_, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "how many orders yesterday?", UserContext: &commonv1.UserContext{TimeZone: c.asked}}})
		require.NoError(t, err)
		require.Len(t, w.team.tools(), 3)
		for i := range 3 {
			require.Equal(t, c.want, w.team.call(i).context.TimeZone, "%+v", c)
		}
	}
}

// TestAThreadThatCannotBeReadIsMadeAnew: of a state that is broken nothing is taken, also
// what could be read before it broke.
func TestAThreadThatCannotBeReadIsMadeAnew(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{
		`{"source": "shop"}`: "shop", `{"source": "shop", "later": 1}`: "shop", ``: "given", `{}`: "given",
		`{"source": "shop", "pending": 5}`: "given", `{"source": "shop", "summary": "x"}`: "given", `{"source": "shop"`: "given", `[]`: "given", "\x00": "given",
		`{"source": "shop", "pending": {"ask_human_sub_tool_name": "execute_sql_and_analyze_result", "options": 7}}`: "given",
	} {
		w := newWorld(t)
		session := run.NewID(run.PrefixSession, nil)
		require.NoError(t, w.store.CreateSession(t.Context(), alice, store.Session{ID: session, Source: "given"}))
		l, err := w.store.Lock(t.Context(), alice, session, time.Minute)
		require.NoError(t, err)
		require.NoError(t, w.store.Commit(t.Context(), alice, l, store.Changes{Chat: &store.Chat{ID: "main", State: []byte(state)}, Unlock: true}))
		a := w.ask(t, &routerv1.Turn{Question: "yes", SessionId: session})
		require.Empty(t, called(a), state)
		w.ask(t, &routerv1.Turn{Question: "run " + theSQL, SessionId: session})
		require.Equal(t, want, w.team.call(0).request.(*chatbiv1.ExecuteQuery).GetSource(), state)
	}
}

// TestRefusalsInARowAreCounted: what a tool refused counts against a turn until one is
// accepted, and is told to the next decision only.
func TestRefusalsInARowAreCounted(t *testing.T) {
	t.Parallel()
	const most = 3
	bad := wants(tools.Execute, tools.DataDiscovery, map[string]int{"no_such_argument": 1})
	for name, c := range map[string]struct {
		rounds []int // refusals before each accepted call
		fails  bool
	}{
		"none":             {[]int{0, 0, 0}, false},
		"few":              {[]int{most}, false},
		"few, and again":   {[]int{most, most, most}, false},
		"one too many":     {[]int{most + 1}, true},
		"too many at last": {[]int{1, most, most + 1}, true},
	} {
		var steps []func(decide.In) (decide.Decision, error)
		told := map[int]bool{}   // by the number of the decision: a refusal was told
		counted := map[int]int{} // and the refusals that were counted for it
		watched := func(step func(decide.In) (decide.Decision, error)) {
			n := len(steps)
			steps = append(steps, func(in decide.In) (decide.Decision, error) {
				told[n], counted[n] = in.Refused != "", in.Refusals
				return step(in)
			})
		}
		want, wantCounted := map[int]bool{}, map[int]int{}
		for _, refusals := range c.rounds {
			for i := range refusals {
				want[len(steps)], wantCounted[len(steps)] = i > 0, i
				watched(bad)
			}
			want[len(steps)], wantCounted[len(steps)] = refusals > 0, refusals
			watched(wants(tools.Execute, tools.DataDiscovery, discoverArgs))
		}
		want[len(steps)], wantCounted[len(steps)] = false, 0
		watched(says("done"))
		w := newWorld(t, withStrategy(scripted(steps...)), func(config *routerConfig, _ *routerDeps) { config.MaxValidationRetries = most })
		a := w.ask(t, &routerv1.Turn{Question: "q"})
		require.Equal(t, c.fails, a.GetResponseAgent() == "Error", "%s: %s", name, a.GetText())
		if !c.fails {
			require.Len(t, a.GetToolCalls(), len(c.rounds), name)
			require.Equal(t, want, told, name)
			require.Equal(t, wantCounted, counted, name)
		}
	}
}

// TestAModelIsOfferedWhatIsServed: what no service stands behind, and what only a request
// may name, is not among the tools that a decision may call.
func TestAModelIsOfferedWhatIsServed(t *testing.T) {
	t.Parallel()
	always := []string{tools.AskHuman, tools.DataDiscovery, tools.GenerateSQL, tools.FixSQL, tools.ExplainSQL, tools.Execute, tools.ExplainChange, tools.Reject}
	for name, c := range map[string]struct {
		without func(*routerDeps)
		want    []string
	}{
		"all":              {func(*routerDeps) {}, []string{tools.DatasuiteFAQ, tools.SearchLog, tools.Analyze}},
		"no knowledge":     {func(d *routerDeps) { d.Knowledge = nil }, []string{tools.SearchLog, tools.Analyze}},
		"no logs":          {func(d *routerDeps) { d.Logify = nil }, []string{tools.DatasuiteFAQ, tools.Analyze}},
		"no analysis":      {func(d *routerDeps) { d.Analysis = nil }, []string{tools.DatasuiteFAQ, tools.SearchLog}},
		"none of the rest": {func(d *routerDeps) { d.Knowledge, d.Logify, d.Analysis = nil, nil, nil }, nil},
	} {
		var offered []string
		w := newWorld(t, withStrategy(scripted(func(in decide.In) (decide.Decision, error) {
			for _, tool := range in.Tools {
				offered = append(offered, tool.Name)
				require.NotEmpty(t, tool.Description)
				require.Equal(t, "object", tool.Schema["type"])
			}
			return decide.Decision{Say: "welcome"}, nil
		})), func(_ *routerConfig, d *routerDeps) { c.without(d) })
		w.ask(t, &routerv1.Turn{Question: "q"})
		require.ElementsMatch(t, append(c.want, always...), offered, name)
	}
}

// TestAFailureThatIsLikedTeachesNothing: a turn whose statement failed accepts no table by
// itself; what the person names is told all the same.
func TestAFailureThatIsLikedTeachesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result   *chatbiv1.ExecuteResult
		accepted []string
		want     [][]string
	}{
		"it ran":                   {doneResult(), nil, [][]string{{"sg.shop.orders"}}},
		"it failed":                {failedResult("EXCEEDED_TIME_LIMIT"), nil, nil},
		"it failed, tables named":  {failedResult("EXCEEDED_TIME_LIMIT"), []string{"sg.shop.lines"}, [][]string{{"sg.shop.lines"}}},
		"it ran, tables are named": {doneResult(), []string{"sg.shop.lines"}, [][]string{{"sg.shop.lines"}}},
	} {
		w := newWorld(t)
		w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) { return c.result, nil }
		a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
		_, err := w.client.SubmitFeedback(as(t.Context(), "alice"), &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP, AcceptedTables: c.accepted})
		require.NoError(t, err, name)
		var told [][]string
		for _, f := range w.team.feedback {
			told = append(told, f.GetTables())
		}
		require.Equal(t, c.want, told, name)
	}
}

// TestAHistoryThatCannotBeRead still says what was said: of the detail of a message that is
// broken, or of a later version, nothing is taken.
func TestAHistoryThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]string{
		`{"rewritten": "all of it"}`: "all of it", `{"rewritten": "all of it", "later": {}}`: "all of it", `{}`: "asked", ``: "asked",
		`{"rewritten": "all of it", "steps": 5}`: "asked", `{"rewritten": "all of it"`: "asked", `7`: "asked", `{"rewritten": "all of it", "asked": 1}`: "asked",
	} {
		var history []decide.Message
		w := newWorld(t, withStrategy(scripted(func(in decide.In) (decide.Decision, error) {
			history = in.History
			return decide.Decision{Say: "welcome"}, nil
		})))
		session := run.NewID(run.PrefixSession, nil)
		require.NoError(t, w.store.CreateSession(t.Context(), alice, store.Session{ID: session}))
		l, err := w.store.Lock(t.Context(), alice, session, time.Minute)
		require.NoError(t, err)
		require.NoError(t, w.store.Commit(t.Context(), alice, l, store.Changes{Unlock: true, Messages: []store.Message{
			{ChatID: "main", Role: store.RoleUser, Content: "asked"}, {ChatID: "main", Role: store.RoleAssistant, Content: "answered", Detail: []byte(detail)},
		}}))
		w.ask(t, &routerv1.Turn{Question: "q", SessionId: session})
		require.Len(t, history, 2, detail)
		require.Equal(t, []string{want, "answered", ""}, []string{history[0].Content, history[1].Content, history[1].Asked}, detail)
	}
}
