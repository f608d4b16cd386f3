package followup

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// TestAConditionStaysOnItsFigure: "only what rose" holds of the change of the figure that was
// compared, whatever else the same words add, take away or put in its place.
func TestAConditionStaysOnItsFigure(t *testing.T) {
	t.Parallel()
	figure := func(id string, agg intent.Agg) intent.Output {
		return intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: id}, Agg: agg}
	}
	museum := intent.Field{Kind: intent.KindEntity, ID: "museum"}
	before := intent.Intent{
		Select:  []intent.Output{figure("visits", ""), figure("visits", intent.AggPrevious), figure("visits", intent.AggChange), figure("visits", intent.AggChangeRate)},
		GroupBy: []intent.Field{museum}, Time: &intent.Time{From: "2026-10-01", To: "2026-11-01", Compare: &intent.Compare{Unit: "month", N: 1}},
	}
	for name, edits := range map[string][]Edit{
		"alone":           {{Do: Moved, Desc: true}},
		"a figure more":   {{Do: Moved, Desc: true}, {Do: AddMetric, Values: []string{"guides"}}},
		"a figure before": {{Do: AddMetric, Values: []string{"guides"}}, {Do: Moved, Desc: true}},
		"two more":        {{Do: Moved, Desc: true}, {Do: AddMetric, Values: []string{"guides", "shops"}}},
	} {
		got, refusal := Apply(before, edits, Over{Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)})
		require.Nil(t, refusal, name)
		require.Len(t, got.Having, 1, name)
		require.Equal(t, intent.Gt, got.Having[0].Op)
		require.Equal(t, figure("visits", intent.AggChange), *got.Having[0].Left, name)
		require.Contains(t, got.Select, *got.Having[0].Left, name)
		require.Equal(t, figure("visits", intent.AggPrevious), before.Select[1], "the intent before stays as it was")
	}
}
