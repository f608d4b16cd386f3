package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// TestWhereABasisCanBeShown: what the first rows were chosen by stands beside them, once and
// behind what was asked for; where it would change the rows, they stay as they are.
func TestWhereABasisCanBeShown(t *testing.T) {
	t.Parallel()
	name := intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: "name"}}
	fee := intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: "fee"}, Agg: intent.AggSum}
	for what, c := range map[string]struct {
		change func(*intent.Intent)
		shown  bool
	}{
		"first rows":         {func(*intent.Intent) {}, true},
		"all rows":           {func(in *intent.Intent) { in.Limit = 0 }, false},
		"of each group":      {func(in *intent.Intent) { in.LimitPer = []intent.Field{name.Field} }, false},
		"of two sets":        {func(in *intent.Intent) { in.Set = &intent.Set{Op: "union"} }, false},
		"different ones":     {func(in *intent.Intent) { in.Distinct = true }, false},
		"no order":           {func(in *intent.Intent) { in.OrderBy = nil }, false},
		"it is shown anyway": {func(in *intent.Intent) { in.Select = append(in.Select, fee) }, false},
	} {
		in := intent.Intent{Select: []intent.Output{name}, OrderBy: []intent.Order{{By: fee, Desc: true}}, Limit: 3}
		c.change(&in)
		before := len(in.Select)
		got, ok := withBasis(&in)
		require.Equal(t, c.shown, ok, what)
		require.Len(t, in.Select, before, "the intent that was asked for stays as it is")
		if ok {
			require.Equal(t, []intent.Output{name, fee}, got.Select, what)
		}
	}
}
