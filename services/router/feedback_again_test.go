package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// TestFeedbackSentAgainCountsOnce: whichever of the three that are told of a verdict fails,
// the person is told, and the same verdict sent again counts once with each.
func TestFeedbackSentAgainCountsOnce(t *testing.T) {
	t.Parallel()
	broken := &brokenStore{}
	w := newWorld(t, func(_ *routerConfig, d *routerDeps) { broken.Store, d.Store = d.Store, broken })
	ctx, alice := as(t.Context(), "alice"), run.Principal{ID: "alice"}
	down := fault.New(codes.Unavailable, "TEST_DOWN", "It is down.")
	for _, failing := range []string{"nothing", "the proposal", "a call of the store 1", "a call of the store 2", "a call of the store 3", "a call of the store 4", "find data"} {
		w.team.feedback, w.team.examples = nil, nil
		a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
		w.team.addExample, w.team.feed = nil, nil
		switch failing {
		case "nothing":
		case "the proposal":
			w.team.addExample = func(*text2sqlv1.AddExampleRequest) error { return down }
		case "find data":
			w.team.feed = func(*findatav1.FeedbackRequest) error { return down }
		default:
			broken.failAt(int(failing[len(failing)-1] - '0'))
		}
		verdict := &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP, Comment: "right", ProposeExample: true}
		_, err := w.client.SubmitFeedback(ctx, verdict)
		require.Equal(t, failing != "nothing", err != nil, failing)
		w.team.addExample, w.team.feed = nil, nil
		broken.failAt(0)
		if err != nil {
			require.Empty(t, w.team.feedback, "%s: what adds up is told last", failing)
			_, err = w.client.SubmitFeedback(ctx, verdict)
			require.NoError(t, err, failing)
		}
		kept, err := w.store.Feedback(t.Context(), alice, a.GetRunId())
		require.NoError(t, err)
		require.Len(t, kept, 1, failing)
		require.Equal(t, store.RatingUp, kept[0].Rating)
		require.Len(t, w.team.feedback, 1, failing)
		for _, e := range w.team.examples {
			require.Equal(t, w.team.examples[0].GetQuestion(), e.GetQuestion(), "one proposal takes the place of the other")
		}
	}
}

// TestFeedbackWithoutASQLToProposeKeepsNothing: the person is told, and may send it without
// the wish.
func TestFeedbackWithoutASQLToProposeKeepsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	verdict := &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_DOWN, RejectedTables: []string{"sg.shop.orders"}, ProposeExample: true}
	ctx, alice := as(t.Context(), "alice"), run.Principal{ID: "alice"}
	_, err := w.client.SubmitFeedback(ctx, verdict)
	require.Equal(t, "RUN_WITHOUT_EXAMPLE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "leave propose_example out")
	kept, err := w.store.Feedback(t.Context(), alice, a.GetRunId())
	require.NoError(t, err)
	require.Empty(t, kept)
	require.Empty(t, w.team.feedback)
	require.Empty(t, w.team.examples)
	verdict.ProposeExample = false
	_, err = w.client.SubmitFeedback(ctx, verdict)
	require.NoError(t, err)
	require.Len(t, w.team.feedback, 1)
}
