package chatbi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/run"
)

// TestNoCallerSetsThePolicysClock: a filter of the last days gives the same rows
// whatever "now" and time zone the run has, also where a hop carries them on.
func TestNoCallerSetsThePolicysClock(t *testing.T) {
	t.Parallel()
	s, _, clock := underPolicy(t, `rules: [{user: bob, filter: "dt > current_date - interval '3' day and cast(dt as timestamp) <= localtimestamp"}]`)
	*clock = time.Date(2026, 11, 18, 23, 30, 0, 0, time.UTC) // the day after begins in half an hour
	for _, forged := range []run.Context{
		{Now: now}, {}, {Now: now.AddDate(-20, 0, 0)}, {Now: now.AddDate(20, 0, 0)},
		{Now: now, TimeZone: "Pacific/Kiritimati"}, {TimeZone: "Pacific/Niue"},
	} {
		forged.RunID, forged.Principal = "run_1", run.Principal{ID: "bob"}
		res, err := s.ExecuteAndAnalyzeUnary(run.With(t.Context(), forged), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{
			Sql: "SELECT min(dt) AS first, max(dt) AS last, count(*) AS n FROM orders", UserContext: &commonv1.UserContext{TimeZone: forged.TimeZone},
		}})
		require.NoError(t, err)
		require.Nil(t, res.GetResult().GetError())
		var got []string
		for _, v := range res.GetResult().GetPage().GetRows()[0].GetValues()[:2] {
			got = append(got, v.GetStringValue())
		}
		require.Equal(t, []string{"2026-11-16", "2026-11-18"}, got, "%v", forged)
	}
}
