package router

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/decide"
)

// TestAMessageOfATurnThatWasCutOffIsNotInTheSummary holds that what a person asked
// last, and got no answer to, is still to be summed up.
func TestAMessageOfATurnThatWasCutOffIsNotInTheSummary(t *testing.T) {
	t.Parallel()
	asked, answered := decide.Message{Role: store.RoleUser}, decide.Message{Role: store.RoleAssistant}
	talk := []decide.Message{asked, answered, asked, asked}
	summed := chatState{Summary: &decide.Summary{}}
	require.Equal(t, 2, summarized(&summed, talk))
	require.Equal(t, 2, summarized(&summed, talk[:2]))
	require.Zero(t, summarized(&summed, talk[:1]), "a summary of nothing that was answered")
	require.Zero(t, summarized(&chatState{}, talk), "without a summary nothing is in it")
}

// TestAFaultOfTheSourceNamesTheRunOfItsTurn: in a copy, as the fault itself may be that of
// other turns too.
func TestAFaultOfTheSourceNamesTheRunOfItsTurn(t *testing.T) {
	t.Parallel()
	ctx := run.With(t.Context(), run.Context{RunID: "run_outer"})
	_, root := run.Start(run.WithTracker(ctx, &run.Tracker{}), "router.ask")
	shared := fault.New(codes.NotFound, "SOURCE_UNKNOWN", "There is no such source.", "source", "shop")
	for _, err := range []*fault.Error{shared, fault.New(codes.NotFound, "SOURCE_UNKNOWN", "There is none.")} {
		one := &turn{root: root, calls: []*call{{err: err}}}
		told := fault.FromStatus(one.sourceFault())
		require.Equal(t, root.RunID(), told.Meta["run_id"])
		require.Equal(t, err.Meta["source"], told.Meta["source"])
		require.NotContains(t, err.Meta, "run_id")
	}
	require.NoError(t, (&turn{root: root, calls: []*call{{}, {err: shared}}}).sourceFault(), "the first call is the one that counts")
	require.NoError(t, (&turn{root: root, calls: []*call{{err: fault.New(codes.NotFound, "TABLE_UNKNOWN", "no")}}}).sourceFault())
	require.NoError(t, (&turn{root: root}).sourceFault())
}
