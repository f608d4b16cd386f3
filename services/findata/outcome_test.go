package findata

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

func TestWhatCameOfASearchIsToldToMetrics(t *testing.T) {
	t.Parallel()
	dir, err := demoStore()
	require.NoError(t, err)
	store, err := source.Open(dir)
	require.NoError(t, err)
	metrics, read := metertest.New(t)
	s, err := New(Config{}, Deps{Sources: store, DataDir: t.TempDir(), Clock: time.Now, Meter: metrics})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	find := &findDataServer{service: s}
	for question, want := range map[string]run.Outcome{
		"daily GMV in Singapore":        "", // nothing concluded: what the absence of an error says
		"what is the capital of France": run.OutcomeAbstained,
	} {
		ctx, concluded := run.NotingOutcome(run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}}))
		_, err := find.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{UserQuery: question}})
		require.NoError(t, err)
		require.Equal(t, want, concluded(), question)
	}
	ctx, concluded := run.NotingOutcome(t.Context())
	_, err = find.AnswerQuestion(ctx, &findatav1.AnswerQuestionRequest{Query: &findatav1.DiscoverQuery{UserQuery: "what is the capital of France"}})
	require.NoError(t, err)
	require.Equal(t, run.OutcomeAbstained, concluded())

	require.Equal(t, 1.0, read()["dibrain_findata_answers_total"], "one answer showed tables")

	ctx = run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
	_, err = find.Feedback(ctx, &findatav1.FeedbackRequest{Question: "daily GMV in Singapore", Tables: []string{"sg.mp_order.dws_order_gmv_1d__sg_s0_live"}, Kind: findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED})
	require.NoError(t, err)
	_, err = find.GetUseStats(admin(t), &findatav1.GetUseStatsRequest{})
	require.NoError(t, err)
	require.Equal(t, 1.0, read()[`dibrain_findata_click_rate{source="demo"}`], "asked for by stats")
	require.Equal(t, 1.0, read()[`dibrain_findata_acceptance_rate{source="demo"}`])
}
