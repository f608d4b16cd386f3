package resultpb_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
)

func TestValuesSurviveThePage(t *testing.T) {
	t.Parallel()
	in := result.Table{
		Columns: []result.Column{{Name: "i", Type: "bigint"}, {Name: "d", Type: "decimal(38,2)"}, {Name: "f", Type: "double"}, {Name: "s", Type: "varchar"}, {Name: "b", Type: "boolean"}, {Name: "day", Type: "date"}},
		Rows: [][]any{
			{int64(1<<53 + 1), "12345678901234567890.10", 0.1, "12", true, "2026-11-19"},
			{int64(-5), nil, 3.0, nil, nil, nil},
			{int64(math.MinInt64), "0.00", math.Inf(-1), "", false, "0001-01-01"},
		},
		Truncated: true,
	}
	page, err := resultpb.ToPage(in)
	require.NoError(t, err)
	raw, err := protojson.Marshal(page)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"9007199254740993"`)
	require.Contains(t, string(raw), `"-Infinity"`)
	back := &commonv1.ResultPage{}
	require.NoError(t, protojson.Unmarshal(raw, back))
	out, err := resultpb.FromPage(back)
	require.NoError(t, err)
	require.Equal(t, in, out)
}

func TestNestedValuesHaveAPlace(t *testing.T) {
	t.Parallel()
	page, err := resultpb.ToPage(result.Table{
		Columns: []result.Column{{Name: "a", Type: "array(bigint)"}, {Name: "m", Type: "map(varchar, varchar)"}, {Name: "x", Type: "varbinary"}},
		Rows:    [][]any{{[]any{int64(1), nil}, map[string]any{"k": "v"}, []byte{0xff}}},
	})
	require.NoError(t, err)
	values := page.GetRows()[0].GetValues()
	require.Len(t, values[0].GetListValue().GetValues(), 2)
	require.Equal(t, "v", values[1].GetStructValue().GetFields()["k"].GetStringValue())
	require.Equal(t, "/w==", values[2].GetStringValue())
	_, err = resultpb.ToPage(result.Table{Columns: []result.Column{{Name: "c"}}, Rows: [][]any{{struct{}{}}}})
	require.ErrorContains(t, err, "column c")
}

func TestARaggedPageIsAnError(t *testing.T) {
	t.Parallel()
	_, err := resultpb.FromPage(&commonv1.ResultPage{Columns: []*commonv1.ResultColumn{{Name: "a"}}, Rows: []*commonv1.ResultRow{{}}})
	require.Error(t, err)
}

// TestIntegersAreExact: what a double cannot hold travels as text, at both ends.
func TestIntegersAreExact(t *testing.T) {
	t.Parallel()
	const exact = int64(1) << 53
	columns := []result.Column{{Name: "i", Type: "bigint"}, {Name: "f", Type: "double"}, {Name: "s", Type: "varchar"}}
	in := result.Table{Columns: columns, Rows: [][]any{
		{exact, math.Inf(1), "1"}, {-exact, 1.5, "-Infinity"}, {exact + 1, 1e300, "x"}, {-exact - 1, -0.5, ""}, {int64(0), 2.0, "NaN"},
	}}
	page, err := resultpb.ToPage(in)
	require.NoError(t, err)
	require.EqualValues(t, 5, page.GetTotalRows())
	for i, text := range []bool{false, false, true, true, false} {
		require.Equal(t, text, page.GetRows()[i].GetValues()[0].GetStringValue() != "", i)
	}
	out, err := resultpb.FromPage(page)
	require.NoError(t, err)
	require.Equal(t, in, out)

	// What another program wrote into a column that it does not fit stays as it is.
	page.Rows = []*commonv1.ResultRow{{Values: []*structpb.Value{structpb.NewNumberValue(1.5), structpb.NewStringValue("much"), structpb.NewNumberValue(7)}},
		{Values: []*structpb.Value{structpb.NewStringValue("1.5"), structpb.NewBoolValue(true), structpb.NewNullValue()}},
		{Values: []*structpb.Value{structpb.NewNumberValue(1e300), structpb.NewBoolValue(false), structpb.NewStringValue("y")}}}
	out, err = resultpb.FromPage(page)
	require.NoError(t, err)
	require.Equal(t, [][]any{{1.5, "much", 7.0}, {"1.5", true, nil}, {1e300, false, "y"}}, out.Rows)

	nested := result.Table{Columns: columns[:1], Rows: [][]any{{[]any{"a", map[string]any{"k": []any{true, int64(2)}}}}}}
	page, err = resultpb.ToPage(nested)
	require.NoError(t, err)
	out, err = resultpb.FromPage(page)
	require.NoError(t, err)
	require.Equal(t, [][]any{{[]any{"a", map[string]any{"k": []any{true, 2.0}}}}}, out.Rows)
	for _, bad := range []any{[]any{1, struct{}{}}, map[string]any{"k": struct{}{}}} {
		_, err = resultpb.ToPage(result.Table{Columns: columns[:1], Rows: [][]any{{bad}}})
		require.ErrorContains(t, err, "row 1, column i")
	}
}
