package chatbi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/fault"
)

// given is a table that chat BI did not read itself.
func given(types []string, rows ...[]any) *commonv1.ResultPage {
	page := &commonv1.ResultPage{}
	for i, kind := range types {
		page.Columns = append(page.Columns, &commonv1.ResultColumn{Name: string(rune('a' + i)), Type: kind})
	}
	for _, row := range rows {
		r := &commonv1.ResultRow{}
		for _, v := range row {
			value, _ := structpb.NewValue(v)
			r.Values = append(r.Values, value)
		}
		page.Rows = append(page.Rows, r)
	}
	return page
}

func TestATableOfOthersGetsAChart(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	advise := func(page *commonv1.ResultPage, kind commonv1.ChartKind) (*commonv1.Chart, error) {
		res, err := s.AdviseChart(as(t.Context(), "alice"), &chatbiv1.AdviseChartRequest{Page: page, ChartKind: kind})
		return res.GetChart(), err
	}
	counts := given([]string{"varchar", "double"}, []any{"checkout", 30.0}, []any{"search", 12.0}, []any{"login", 3.0})
	chart, err := advise(counts, 0)
	require.NoError(t, err)
	require.Equal(t, commonv1.ChartKind_CHART_KIND_BAR, chart.GetKind())
	require.Equal(t, "a", chart.GetX())
	require.Equal(t, []string{"b"}, chart.GetY())
	require.Contains(t, chart.GetEchartsOptionJson(), "checkout")
	// A kind that would show the table wrongly is not taken.
	chart, err = advise(counts, commonv1.ChartKind_CHART_KIND_LINE)
	require.NoError(t, err)
	require.Equal(t, commonv1.ChartKind_CHART_KIND_BAR, chart.GetKind())

	many := given([]string{"double"})
	for range 5001 {
		many.Rows = append(many.Rows, &commonv1.ResultRow{Values: []*structpb.Value{structpb.NewNumberValue(1)}})
	}
	for reason, page := range map[string]*commonv1.ResultPage{
		"TABLE_TOO_LARGE": many,
		"TABLE_INVALID":   given([]string{"varchar", "double"}, []any{"checkout"}),
	} {
		_, err = advise(page, 0)
		require.Equal(t, reason, fault.ReasonOf(err))
	}
	_, err = advise(&commonv1.ResultPage{}, 0)
	require.Equal(t, "TABLE_INVALID", fault.ReasonOf(err))
	// Values that are not of their column's type are refused, for analysis trusts types.
	for _, page := range []*commonv1.ResultPage{
		given([]string{"varchar", "double"}, []any{"x", "many"}),
		given([]string{"varchar", "double"}, []any{[]any{"y"}, 1.0}),
		given([]string{"varchar", "double"}, []any{map[string]any{"z": 1.0}, 1.0}),
		given([]string{"date", "bigint"}, []any{"no day", 1.0}),
		given([]string{"boolean", "bigint"}, []any{"true", 1.0}),
		given([]string{"date", "bigint"}, []any{"2026-11-01", true}),
	} {
		_, err = advise(page, commonv1.ChartKind_CHART_KIND_BAR)
		require.Equal(t, "TABLE_INVALID", fault.ReasonOf(err))
	}
	_, err = advise(given([]string{"varchar", "double"}, []any{"x", nil}, []any{nil, 1.0}), 0)
	require.NoError(t, err, "null is of every type")
	_, err = advise(given([]string{"double", "double"}), 0)
	require.NoError(t, err)
	_, err = s.AdviseChart(t.Context(), &chatbiv1.AdviseChartRequest{Page: counts})
	require.Equal(t, "UNAUTHENTICATED", fault.ReasonOf(err))
}
