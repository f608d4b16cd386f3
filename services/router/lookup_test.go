package router_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
)

var alice = run.Principal{ID: "alice"}

// plant stores finished calls in a new session of alice's.
func (w *world) plant(t *testing.T, calls ...store.ToolCall) string {
	t.Helper()
	ctx, id := t.Context(), run.NewID(run.PrefixSession, nil)
	require.NoError(t, w.store.CreateSession(ctx, alice, store.Session{ID: id}))
	l, err := w.store.Lock(ctx, alice, id, time.Minute)
	require.NoError(t, err)
	for i := range calls {
		calls[i].Status = run.StatusSucceeded
	}
	require.NoError(t, w.store.Commit(ctx, alice, l, store.Changes{ToolCalls: calls}))
	require.NoError(t, w.store.Unlock(ctx, l))
	return id
}

func stored(t *testing.T, id, tool, source string, output proto.Message) store.ToolCall {
	t.Helper()
	c := store.ToolCall{ID: id, ToolName: tool, SourceID: source}
	if output != nil {
		raw, err := proto.Marshal(output)
		require.NoError(t, err)
		c.OutputType, c.Output = string(proto.MessageName(output)), raw
	}
	return c
}

func TestLookUpFollowsTheChain(t *testing.T) {
	t.Parallel()
	execute := func(id string) *script {
		return scripted(wants(tools.Execute, tools.Execute, tools.ExecuteArgs{ToolCallID: id}))
	}
	t.Run("execute, generate, data_discovery", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, withStrategy(execute("call_e")))
		ses := w.plant(t, stored(t, "call_d", tools.DataDiscovery, "", tablesResult()),
			stored(t, "call_g", tools.GenerateSQL, "call_d", sqlResult(theSQL)),
			stored(t, "call_e", tools.Execute, "call_g", doneResult()))
		a := w.ask(t, &routerv1.Turn{Question: "q", SessionId: ses, ChatId: "another"})
		q := w.team.call(0).request.(*chatbiv1.ExecuteQuery)
		require.Equal(t, theSQL, q.GetSql(), "of the session, from another chat")
		require.Equal(t, "orders", q.GetTables()[0].GetRef().GetTable())
		require.InDelta(t, 0.9, q.GetConfidence(), 1e-9)
		require.Equal(t, "call_e", a.GetToolCalls()[0].GetSourceToolCallId())
	})
	for name, tc := range map[string]struct {
		calls  []store.ToolCall
		id     string
		reason string
	}{
		"cycle":       {[]store.ToolCall{stored(t, "call_a", tools.Execute, "call_b", nil), stored(t, "call_b", tools.FixSQL, "call_a", nil)}, "call_a", "TOOL_CALL_CYCLE"},
		"itself":      {[]store.ToolCall{stored(t, "call_a", tools.Execute, "call_a", nil)}, "call_a", "TOOL_CALL_CYCLE"},
		"unknown":     {nil, "call_nowhere", "TOOL_CALL_UNKNOWN"},
		"broken link": {[]store.ToolCall{stored(t, "call_g", tools.GenerateSQL, "call_gone", sqlResult(theSQL))}, "call_g", "TOOL_CALL_UNKNOWN"},
		"no SQL":      {[]store.ToolCall{stored(t, "call_d", tools.DataDiscovery, "", tablesResult())}, "call_d", "TOOL_CALL_WITHOUT_SQL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withStrategy(execute(tc.id)))
			a := w.ask(t, &routerv1.Turn{Question: "q", SessionId: w.plant(t, tc.calls...)})
			require.Empty(t, w.team.tools())
			require.Equal(t, tc.reason, a.GetToolCalls()[0].GetErrorReason())
			require.Contains(t, a.GetText(), "call_", "the error names the id")
		})
	}
	t.Run("a repair wins over what it repaired, the newest over the older", func(t *testing.T) {
		t.Parallel()
		fixed := func(sql string) *fixsqlv1.FixSQLResponse {
			return &fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: sql}, Changed: true}
		}
		retyped := stored(t, "call_retyped", tools.Execute, "call_fix2", doneResult())
		retyped.Arguments = []byte(`{"sql": "SELECT wrongly retyped", "tool_call_id": "call_fix2"}`)
		byHand := stored(t, "call_hand", tools.Execute, "", failedResult("COLUMN_NOT_FOUND"))
		byHand.Arguments = []byte(`{"sql": "SELECT by_hand"}`)
		chain := []store.ToolCall{
			stored(t, "call_d", tools.DataDiscovery, "", tablesResult()),
			stored(t, "call_g", tools.GenerateSQL, "call_d", sqlResult(theSQL)),
			stored(t, "call_e1", tools.Execute, "call_g", failedResult("TABLE_NOT_FOUND")),
			stored(t, "call_fix1", tools.FixSQL, "call_e1", fixed("SELECT 1")),
			stored(t, "call_e2", tools.Execute, "call_fix1", failedResult("COLUMN_NOT_FOUND")),
			stored(t, "call_fix2", tools.FixSQL, "call_e2", fixed("SELECT 2")),
			stored(t, "call_e3", tools.Execute, "call_fix2", doneResult()),
			stored(t, "call_gaveup", tools.FixSQL, "call_e3", fixed("")),
			retyped, byHand,
			stored(t, "call_handfix", tools.FixSQL, "call_hand", fixed("SELECT hand_fixed")),
		}
		for asked, want := range map[string]string{
			"call_g": theSQL, "call_e1": theSQL, "call_fix1": "SELECT 1", "call_e2": "SELECT 1", "call_fix2": "SELECT 2",
			"call_e3": "SELECT 2", "call_gaveup": "SELECT 2", "call_retyped": "SELECT 2", "call_hand": "SELECT by_hand", "call_handfix": "SELECT hand_fixed",
		} {
			w := newWorld(t, withStrategy(execute(asked)))
			w.ask(t, &routerv1.Turn{Question: "q", SessionId: w.plant(t, chain...)})
			require.Equal(t, want, w.team.call(0).request.(*chatbiv1.ExecuteQuery).GetSql(), asked)
		}
	})
	t.Run("a call of another session is unknown", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, withStrategy(execute("call_g")))
		w.plant(t, stored(t, "call_g", tools.GenerateSQL, "", sqlResult(theSQL)))
		a := w.ask(t, &routerv1.Turn{Question: "q"})
		require.Equal(t, "TOOL_CALL_UNKNOWN", a.GetToolCalls()[0].GetErrorReason())
	})
}

// TestTheNextTurnGoesOnWithTheRepairedSQL: "run it again" and "explain it" mean the
// statement as it was repaired last.
func TestTheNextTurnGoesOnWithTheRepairedSQL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	failures := []string{"TABLE_NOT_FOUND", "COLUMN_NOT_FOUND"}
	w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		if len(failures) == 0 {
			return doneResult(), nil
		}
		code := failures[0]
		failures = failures[1:]
		return failedResult(code), nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	require.Equal(t, []string{"discover", "generate", "execute", "fix", "execute", "fix", "execute"}, w.team.tools())
	const twice = theSQL + " -- fixed -- fixed"
	w.ask(t, &routerv1.Turn{Question: "run it again", SessionId: a.GetSessionId()})
	require.Equal(t, twice, w.team.call(7).request.(*chatbiv1.ExecuteQuery).GetSql())
	w.ask(t, &routerv1.Turn{Question: "explain the SQL", SessionId: a.GetSessionId()})
	require.Equal(t, twice, w.team.call(8).request.(*fixsqlv1.ExplainSQLRequest).GetSql())
}

func TestARepeatedCallIDReturnsTheStoredOutput(t *testing.T) {
	t.Parallel()
	const id = "call_00000000000000000000000a"
	w := newWorld(t, withStrategy(scripted(wants(tools.Execute, tools.Execute, tools.ExecuteArgs{SQL: theSQL}))),
		func(_ *routerConfig, d *routerDeps) {
			d.IDs = func(prefix string) string {
				if prefix == run.PrefixCall {
					return id
				}
				return run.NewID(prefix, nil)
			}
		})
	w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		return doneResult(), nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "q"})
	b := w.ask(t, &routerv1.Turn{Question: "q", SessionId: a.GetSessionId()})
	require.Equal(t, a.GetText(), b.GetText())
	require.Len(t, w.team.tools(), 1, "the service was called once")
}
