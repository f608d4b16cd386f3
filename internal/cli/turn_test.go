package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/services/router/tools"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

func started(tool string) *routerv1.ChatResponse {
	return &routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolStarted{ToolStarted: &routerv1.ToolStarted{ToolCallId: "c", ToolName: tool, AgentName: "Agent"}}}
}

func progressed(message string, fraction float64) *routerv1.ChatResponse {
	return &routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolProgress{ToolProgress: &routerv1.ToolProgress{ToolCallId: "c", Message: message, Fraction: fraction}}}
}

// TestNarratorSpeaksTheLanguageOfTheQuestion: steps are told in people's words, and
// what a part says for the log is not.
func TestNarratorSpeaksTheLanguageOfTheQuestion(t *testing.T) {
	t.Parallel()
	for fraction, want := range map[float64]string{
		-1: "running the SQL …", 0: "running the SQL …", 0.09: "running the SQL …", 0.47: "running the SQL 40 % …", 1: "running the SQL 100 % …", 7: "running the SQL 100 % …",
	} {
		n := newNarrator("How many orders?")
		n.say(started("execute_sql_and_analyze_result"))
		require.Equal(t, want, n.say(progressed("running", fraction)))
	}
	n := newNarrator("有多少订单？")
	require.Equal(t, "正在编写 SQL …", n.say(started("generate_sql")))
	require.Equal(t, "正在理解问题 …", n.say(progressed("semantic_parser: the question is not read yet", -1)))
	require.Empty(t, n.say(progressed("sql, confidence 0.97, not understood: 0", -1)))
	require.Equal(t, "Agent …", n.say(started("forecast")), "an agent of others is told by its name")
	require.Equal(t, "asking the stars …", n.say(progressed("asking the stars", -1)), "and speaks for itself")

	understood := func(as string) *routerv1.ChatResponse {
		return &routerv1.ChatResponse{Event: &routerv1.ChatResponse_RunStarted{RunStarted: &routerv1.RunStarted{RewrittenQuestion: as}}}
	}
	require.Empty(t, n.say(understood("有多少订单？")), "the question as it was asked is nothing new")
	require.Equal(t, "理解为：新加坡有多少订单？", n.say(understood("新加坡有多少订单？")))
}

// TestEveryToolHasWords: a tool of the router that is new is told in people's words too.
func TestEveryToolHasWords(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		tools.DataDiscovery, tools.GenerateSQL, tools.FixSQL, tools.ExplainSQL, tools.Execute, tools.DatasuiteFAQ, tools.DataSuiteExpert, tools.SearchLog,
	} {
		for _, question := range []string{"a", "中"} {
			require.NotContains(t, newNarrator(question).say(started(name)), "Agent", name)
		}
	}
}

// told is a router whose turn has these events.
type told struct {
	routerv1.RouterServiceClient
	grpc.ServerStreamingClient[routerv1.ChatResponse]
	events []*routerv1.ChatResponse
}

func (r *told) Chat(context.Context, *routerv1.ChatRequest, ...grpc.CallOption) (grpc.ServerStreamingClient[routerv1.ChatResponse], error) {
	return r, nil
}

func (r *told) Recv() (*routerv1.ChatResponse, error) {
	if len(r.events) == 0 {
		return nil, io.EOF
	}
	next := r.events[0]
	r.events = r.events[1:]
	return next, nil
}

// pageOf is a page of so many rows.
func pageOf(rows int, column string) *commonv1.ResultPage {
	page := &commonv1.ResultPage{Columns: []*commonv1.ResultColumn{{Name: column, Type: "bigint"}}, TotalRows: -1}
	for i := range rows {
		page.Rows = append(page.Rows, rowOf(7000+i))
	}
	return page
}

func fetching(rows int64, page *commonv1.ResultPage) *routerv1.ChatResponse {
	e := progressed("fetching", -1)
	e.GetToolProgress().Rows, e.GetToolProgress().FirstPage = rows, page
	return e
}

// TestFirstRowsAreShownWhileTheRestComes, on a terminal, and are gone when the answer is
// there, with the columns that there is room for. Those of a small result wait for the answer.
func TestFirstRowsAreShownWhileTheRestComes(t *testing.T) {
	t.Parallel()
	done := &routerv1.ChatResponse{Event: &routerv1.ChatResponse_Answer{Answer: &routerv1.Answer{Text: "yes"}}}
	for name, tc := range map[string]struct {
		events  []*routerv1.ChatResponse
		isTTY   bool
		shown   int // rows
		printed bool
	}{
		"a large result":       {[]*routerv1.ChatResponse{fetching(30, pageOf(30, "n")), fetching(2000, nil), fetching(4000, nil)}, true, 10, true},
		"few rows of many":     {[]*routerv1.ChatResponse{fetching(3, pageOf(3, "n")), fetching(2000, nil)}, true, 3, true},
		"all of a small one":   {[]*routerv1.ChatResponse{fetching(30, pageOf(30, "n")), progressed("analysing", -1)}, true, 0, true},
		"nobody reads":         {[]*routerv1.ChatResponse{fetching(30, pageOf(30, "n")), fetching(2000, nil)}, false, 0, false},
		"columns without room": {[]*routerv1.ChatResponse{fetching(30, wide(40)), fetching(2000, nil)}, true, 1, true},
		"a server that is old": {[]*routerv1.ChatResponse{fetching(2000, nil)}, true, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var errs bytes.Buffer
			f := &Factory{IO: &IO{Out: io.Discard, Err: &errs, IsTTY: tc.isTTY, ErrTTY: tc.isTTY, Width: func() int { return 60 }}, Getenv: func(string) string { return "" }}
			steps := newStepLine(f)
			a, err := runTurn(t.Context(), &told{events: append(append([]*routerv1.ChatResponse{started("execute_sql_and_analyze_result")}, tc.events...), done)}, &routerv1.Turn{Question: "all orders"}, steps)
			require.NoError(t, err)
			require.Equal(t, "yes", a.GetText())
			before := errs.Len()
			steps.clear()
			for i := range 30 {
				require.Equal(t, i < tc.shown, bytes.Contains(errs.Bytes(), fmt.Append(nil, 7000+i)), "row %d in %q", i, errs.String())
			}
			require.Equal(t, tc.printed, errs.Len() > 0)
			above := bytes.Count(errs.Bytes()[:before], []byte("\n"))
			if tc.shown == 0 {
				require.Zero(t, above)
				return
			}
			require.Equal(t, tc.shown+2, above, "under a head")
			require.Equal(t, eraseLine+fmt.Sprintf(eraseUp, above), string(errs.Bytes()[before:]), "as many lines are taken away as there are")
			steps.clear()
			require.Equal(t, before+len(eraseLine+fmt.Sprintf(eraseUp, above)), errs.Len(), "once")
		})
	}
}

// wide is a page whose columns no terminal has room for.
func wide(columns int) *commonv1.ResultPage {
	page := &commonv1.ResultPage{Rows: []*commonv1.ResultRow{{}}}
	for i := range columns {
		page.Columns = append(page.Columns, &commonv1.ResultColumn{Name: fmt.Sprintf("column_%d", i), Type: "bigint"})
		page.Rows[0].Values = append(page.Rows[0].Values, rowOf(7000).GetValues()...)
	}
	return page
}

// deleting deletes what it has.
type deleting struct {
	chatbiv1.ChatBIServiceClient
	rows map[string]int64
}

func (d deleting) DeleteResult(_ context.Context, r *chatbiv1.DeleteResultRequest, _ ...grpc.CallOption) (*chatbiv1.DeleteResultResponse, error) {
	rows, ok := d.rows[r.GetResultId()]
	if !ok {
		return nil, fault.NotFound("RESULT_NOT_FOUND", "there is no result %q of yours", r.GetResultId())
	}
	delete(d.rows, r.GetResultId())
	return &chatbiv1.DeleteResultResponse{Rows: rows, Bytes: rows << 10}, nil
}

func TestResultsAreDeleted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	d := deleting{rows: map[string]int64{"res_1": 2048, "res_2": 1, "res_3": 1}}
	err := deleteResults(t.Context(), &Factory{IO: &IO{Out: &out}}, d, []string{"res_1", "res_2", "res_4", "res_3"})
	require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err))
	require.Equal(t, "res_1 is deleted: 2048 rows, 2 MiB\nres_2 is deleted: 1 row, 1 KiB\n", out.String())
	require.Equal(t, map[string]int64{"res_3": 1}, d.rows, "the first that is not there ends it")
}
