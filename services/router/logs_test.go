package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

func TestNumbersOfLogsComeWithTheChartOfChatBI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := &commonv1.ResultPage{
		Columns: []*commonv1.ResultColumn{{Name: "service", Type: "varchar"}, {Name: "value", Type: "double"}},
		Rows: []*commonv1.ResultRow{
			{Values: []*structpb.Value{structpb.NewStringValue("checkout"), structpb.NewNumberValue(30)}},
			{Values: []*structpb.Value{structpb.NewStringValue("search"), structpb.NewNumberValue(2)}},
		},
	}
	w.team.logs = func(*logifyv1.GenerateLogQLRequest) (*logifyv1.GenerateLogQLResponse, error) {
		return &logifyv1.GenerateLogQLResponse{Logql: "sum by (service) (rate({a=`b`}[1h]))", Answer: "2 results.", Page: page}, nil
	}
	turn := &routerv1.Turn{Question: "errors per service", AgentName: "Logify Agent"}

	// Chat BI cannot advise: the numbers are the answer.
	call := w.ask(t, turn).GetToolCalls()[0]
	require.Len(t, call.GetPage().GetRows(), 2)
	require.Nil(t, call.GetChart())

	w.team.advise = func(r *chatbiv1.AdviseChartRequest) (*chatbiv1.AdviseChartResponse, error) {
		require.Len(t, r.GetPage().GetRows(), 2)
		return &chatbiv1.AdviseChartResponse{Chart: &commonv1.Chart{Kind: commonv1.ChartKind_CHART_KIND_BAR, X: "service", Y: []string{"value"}}}, nil
	}
	call = w.ask(t, turn).GetToolCalls()[0]
	require.Equal(t, commonv1.ChartKind_CHART_KIND_BAR, call.GetChart().GetKind())
	require.Equal(t, "sum by (service) (rate({a=`b`}[1h]))", call.GetText())

	// One number is no chart, and nobody is asked for one.
	page.Rows = page.GetRows()[:1]
	asked := len(w.team.tools())
	w.team.advise = func(*chatbiv1.AdviseChartRequest) (*chatbiv1.AdviseChartResponse, error) {
		return &chatbiv1.AdviseChartResponse{Chart: &commonv1.Chart{}}, nil
	}
	require.Nil(t, w.ask(t, turn).GetToolCalls()[0].GetChart())
	require.NotContains(t, w.team.tools()[asked:], "advise")
}
