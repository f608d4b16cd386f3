package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// service returns the address at which callers from outside reach a service.
func (c *cluster) service(name string) string {
	if address, ok := c.addresses[name]; ok {
		return address
	}
	return c.router
}

// outsideRuns sends another's run id and a clock, as any client can: neither counts.
func outsideRuns(t *testing.T, c *cluster) {
	turn := &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "What was the GMV in Singapore yesterday?"}}
	first, err := c.client().Ask(t.Context(), turn)
	require.NoError(t, err)
	others := first.GetAnswer().GetRunId()
	before, err := c.client().GetRun(t.Context(), &routerv1.GetRunRequest{RunId: others})
	require.NoError(t, err)

	second, err := c.client().Ask(metadata.AppendToOutgoingContext(t.Context(),
		"x-dibrain-run-id", others, "x-dibrain-parent-run-id", others, "x-dibrain-session-id", first.GetAnswer().GetSessionId()), turn)
	require.NoError(t, err)
	require.NotEqual(t, first.GetAnswer().GetSessionId(), second.GetAnswer().GetSessionId(), "a session is named in the request")
	after, err := c.client().GetRun(t.Context(), &routerv1.GetRunRequest{RunId: others})
	require.NoError(t, err)
	require.Len(t, after.GetRecords(), len(before.GetRecords()), "nothing joined the run")
	own, err := c.client().GetRun(t.Context(), &routerv1.GetRunRequest{RunId: second.GetAnswer().GetRunId()})
	require.NoError(t, err)
	root := own.GetRecords()[0]
	require.Empty(t, root.GetParentRunId())
	require.Equal(t, others, root.GetAttributes()["caller_run_id"])
	shown := command(t, "", nil, "runs", "show", second.GetAnswer().GetRunId(), "--server", c.router)
	require.Zero(t, shown.code, shown.err)
	require.Contains(t, shown.out, "caller_run_id="+others)

	for _, name := range []string{"router", "chatbi"} {
		conn := dial(t, c.service(name))
		ctx := metadata.AppendToOutgoingContext(t.Context(), "x-dibrain-now", "2020-01-01T00:00:00Z")
		if name == "router" {
			_, err = routerv1.NewRouterServiceClient(conn).Ask(ctx, turn)
		} else {
			_, err = chatbiv1.NewChatBIServiceClient(conn).ExecuteAndAnalyzeUnary(ctx,
				&chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: "SELECT current_date"}})
		}
		require.Equal(t, codes.InvalidArgument, status.Code(err), name)
		require.ErrorContains(t, err, "x-dibrain-now is for calls between services", name)
	}
}

// outcomes asks for what is refused or not known, which is no error of a call, and
// reads from the metrics that it was.
func outcomes(t *testing.T, c *cluster) {
	execute := func(sql string) {
		_, err := chatbiv1.NewChatBIServiceClient(dial(t, c.service("chatbi"))).ExecuteAndAnalyzeUnary(t.Context(),
			&chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: sql}})
		require.NoError(t, err, sql)
	}
	execute("DELETE FROM sg.mp_order.dwd_order_item_di__sg_s0_live")
	execute("SELECT * FROM system.runtime.queries")
	execute("SELECT 1 / 0 AS x")
	_, err := text2sqlv1.NewText2SQLServiceClient(dial(t, c.service("text2sql"))).GenerateSQLUnary(t.Context(),
		&text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: "what is the capital of France"}})
	require.NoError(t, err)

	var told strings.Builder
	for _, p := range c.processes {
		text, err := p.metrics()
		require.NoError(t, err)
		told.WriteString(text)
	}
	const execution = `dibrain_rpc_outcomes_total{method="dibrain.chatbi.v1.ChatBIService/ExecuteAndAnalyzeUnary",outcome=`
	for _, line := range []string{
		execution + `"refused"}`, execution + `"denied"}`, execution + `"failed"}`,
		`dibrain_rpc_outcomes_total{method="dibrain.text2sql.v1.Text2SQLService/GenerateSQLUnary",outcome="abstained"}`,
		`dibrain_rpc_outcomes_total{method="dibrain.router.v1.RouterService/Ask",outcome="answered"}`,
		"dibrain_findata_answers_total",
	} {
		require.Contains(t, told.String(), line)
	}
}

// metrics returns what a process tells of itself, in Prometheus' text format.
func (p *process) metrics() (string, error) {
	response, err := http.Get("http://" + p.admin + "/metrics")
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}
