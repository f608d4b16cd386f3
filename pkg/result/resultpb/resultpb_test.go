package resultpb_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

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
