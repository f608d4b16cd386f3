package router_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

func executionOf(outcome chatbiv1.ExecuteOutcome, code string) func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
	return func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		return &chatbiv1.ExecuteResult{Outcome: outcome, Error: &commonv1.SqlDiagnostic{Code: code, Message: "no"}}, nil
	}
}

func failingExecution(err error) func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
	return func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) { return nil, err }
}

// TestOutcomes: what came of a turn is in its answer and on its run, whatever the
// gRPC code says.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	const (
		refused = chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED
		failed  = chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED
	)
	for name, tc := range map[string]struct {
		set      func(*team)
		strategy decide.Strategy
		question string
		want     routerv1.Outcome
	}{
		"numbers":             {want: routerv1.Outcome_OUTCOME_ANSWERED},
		"a greeting":          {question: "hello", want: routerv1.Outcome_OUTCOME_ANSWERED},
		"a SQL":               {question: "write a query for orders per day", want: routerv1.Outcome_OUTCOME_ANSWERED},
		"more is needed":      {question: "run it", want: routerv1.Outcome_OUTCOME_ASKED},
		"out of scope":        {question: "tell me a joke", want: routerv1.Outcome_OUTCOME_REFUSED},
		"unsafe":              {question: "please drop the table sg.shop.orders", want: routerv1.Outcome_OUTCOME_REFUSED},
		"refused by a rule":   {set: func(f *team) { f.execute = executionOf(refused, "COST_LIMIT_EXCEEDED") }, want: routerv1.Outcome_OUTCOME_REFUSED},
		"denied by the guard": {set: func(f *team) { f.execute = executionOf(refused, "SYSTEM_TABLE_DENIED") }, want: routerv1.Outcome_OUTCOME_DENIED},
		"denied by Trino":     {set: func(f *team) { f.execute = executionOf(failed, "PERMISSION_DENIED") }, want: routerv1.Outcome_OUTCOME_DENIED},
		"denied by a service": {set: func(f *team) { f.execute = failingExecution(status.Error(codes.PermissionDenied, "no")) }, want: routerv1.Outcome_OUTCOME_DENIED},
		"failed":              {set: func(f *team) { f.execute = executionOf(failed, "DIVISION_BY_ZERO") }, want: routerv1.Outcome_OUTCOME_FAILED},
		"a repair in vain":    {set: func(f *team) { f.execute = executionOf(failed, "TABLE_NOT_FOUND") }, want: routerv1.Outcome_OUTCOME_FAILED},
		"out of time":         {set: func(f *team) { f.execute = executionOf(failed, "EXCEEDED_TIME_LIMIT") }, want: routerv1.Outcome_OUTCOME_CUT},
		"a service away":      {set: func(f *team) { f.execute = failingExecution(status.Error(codes.Unavailable, "no")) }, want: routerv1.Outcome_OUTCOME_FAILED},
		"nothing certain": {set: func(f *team) {
			f.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
				return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN}, nil
			}
		}, want: routerv1.Outcome_OUTCOME_ABSTAINED},
		"nothing found": {set: func(f *team) {
			f.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
				return &findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND}, nil
			}
		}, want: routerv1.Outcome_OUTCOME_ABSTAINED},
		"a question back": {set: func(f *team) {
			f.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
				return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, Question: &commonv1.Question{Text: "?"}}, nil
			}
		}, want: routerv1.Outcome_OUTCOME_ASKED},
		"too many steps": {strategy: scripted(wants(tools.Execute, tools.DataDiscovery, discoverArgs)), want: routerv1.Outcome_OUTCOME_CUT},
		"broken inside": {strategy: scripted(func(decide.In) (decide.Decision, error) {
			return decide.Decision{}, errors.New("x")
		}), want: routerv1.Outcome_OUTCOME_FAILED},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(_ *routerConfig, d *routerDeps) { d.Strategy = tc.strategy })
			if tc.set != nil {
				tc.set(w.team)
			}
			if tc.question == "" {
				tc.question = "how many orders yesterday?"
			}
			a := w.ask(t, &routerv1.Turn{Question: tc.question})
			require.Equal(t, tc.want, a.GetOutcome(), a.GetText())
			got, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: a.GetRunId()})
			require.NoError(t, err)
			require.Equal(t, tc.want.String(), "OUTCOME_"+strings.ToUpper(got.GetRecords()[0].GetAttributes()["outcome"]))
		})
	}
}

// TestAServiceThatEndsInTheMiddle: its stream breaks or it ends the call by itself,
// and the person reads what happened and what to do.
func TestAServiceThatEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	stopping := fault.New(codes.Unavailable, rpc.ReasonStopping, "This server is being stopped.")
	for name, err := range map[string]error{"it stops": stopping, "it cancels": status.Error(codes.Canceled, "context canceled")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.team.execute = failingExecution(err)
			a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
			require.Equal(t, "The Chat BI Agent stopped in the middle of its work, so there is no result; nothing was changed. It was ended or restarted. Ask again in a moment.", a.GetText())
			last := a.GetToolCalls()[2]
			require.Equal(t, commonv1.RunStatus_RUN_STATUS_FAILED, last.GetStatus())
			require.Equal(t, "SERVICE_LOST", last.GetErrorReason())
			require.Equal(t, routerv1.Outcome_OUTCOME_FAILED, a.GetOutcome())
			got, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: a.GetRunId()})
			require.NoError(t, err)
			require.Equal(t, commonv1.RunStatus_RUN_STATUS_FAILED, got.GetRecords()[0].GetStatus())
		})
	}
}

// TestARouterThatCloses ends its turns in words, and their runs as interrupted.
func TestARouterThatCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began, ended := w.hang()
	answer := w.askLater(t.Context(), &routerv1.Turn{Question: "how many orders yesterday?"})
	within(t, began, "the call begins")
	require.NoError(t, w.service.Close())
	require.Error(t, within(t, ended, "the call ends"))
	a := within(t, answer, "the answer")
	require.Equal(t, routerv1.InterruptionReason_INTERRUPTION_REASON_SERVER_STOPPED, a.GetInterruptionReason())
	require.Contains(t, a.GetText(), "This server is being stopped, so the question ended early; nothing was changed. Ask again in a moment: the session is kept.")
	require.Contains(t, a.GetText(), theSQL, "what there is, is shown")
	require.Equal(t, routerv1.Outcome_OUTCOME_CUT, a.GetOutcome())
	got, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: a.GetRunId()})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_INTERRUPTED, got.GetRecords()[0].GetStatus())
}

// TestEveryCallKnowsTheStoredRun: what services tell an engine leads to a run that
// can be looked up, also when the caller has a run of its own.
func TestEveryCallKnowsTheStoredRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := run.Outgoing(run.With(as(t.Context(), "alice"), run.Context{RunID: "run_ofthecaller"}))
	response, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "how many orders yesterday?"}})
	require.NoError(t, err)
	id := response.GetAnswer().GetRunId()
	require.Len(t, w.team.tools(), 3)
	for i := range 3 {
		require.Equal(t, id, w.team.call(i).context.Tag())
	}
	_, err = w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: id})
	require.NoError(t, err)
}
