package analyse_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestOnlyDaysAreComparedByWeeks: seven months are no week, so of months, however
// many, the last is compared with the first.
func TestOnlyDaysAreComparedByWeeks(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	first := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for step, want := range map[string][2]float64{"month": {100, 250}, "day": {130, 220}} {
		in := analyse.Input{Language: lang.English, Now: first.AddDate(10, 0, 0), MaxPoints: 100, Columns: []analyse.Column{{}, {}}}
		in.Table.Columns = []result.Column{{Name: step, Type: "date"}, {Name: "price", Type: "double"}}
		for i := range 16 {
			at := first.AddDate(0, i, 0)
			if step == "day" {
				at = first.AddDate(0, 0, i)
			}
			in.Table.Rows = append(in.Table.Rows, []any{at.Format(time.DateOnly), float64(100 + 10*i)})
		}
		out := analyst.Analyse(in)
		i := slices.IndexFunc(out.Findings, func(f analyse.Finding) bool { return f.Kind == "change" })
		require.GreaterOrEqual(t, i, 0, "%v", out.Findings)
		evidence := out.Findings[i].Evidence
		require.Equal(t, want, [2]float64{evidence["first"], evidence["last"]}, out.Findings[i].Text)
	}
}
