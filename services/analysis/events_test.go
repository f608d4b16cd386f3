package analysis_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/services/analysis"
)

// stream takes the events of a call.
type stream struct {
	grpc.ServerStreamingServer[analysisv1.StartAnalysisResponse]
	ctx  context.Context //nolint:containedctx // a stream has one
	take func(*analysisv1.Analysis)
}

func (s *stream) Context() context.Context { return s.ctx }
func (s *stream) Send(m *analysisv1.StartAnalysisResponse) error {
	s.take(m.GetAnalysis())
	return nil
}

// TestEventsOfAnotherProcessDoNotWaitForItsSigns: what another process stores is told soon,
// however seldom that one says that it lives.
func TestEventsOfAnotherProcessDoNotWaitForItsSigns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	process := func() *analysis.Service {
		s, err := analysis.New(analysis.Config{Poll: time.Hour, Lease: 3 * time.Hour, Look: time.Millisecond}, analysis.Deps{
			FindData: w.team, Text2SQL: w.team, ChatBI: w.team, Clock: w.clock.Now, Store: w.open(),
		})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	worker, other := process(), process()
	ctx, cancel := context.WithTimeout(as(t.Context(), "ann"), hangs)
	defer cancel()
	waiting := begin(t, worker, analysisv1.Review_REVIEW_WAIT)
	held, goOn := make(chan struct{}, 100), make(chan struct{})
	w.team.hold = func(ctx context.Context, _ string) error {
		held <- struct{}{}
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := decide(ctx, worker, approval(waiting))
		done <- err
	}()
	<-held // it is at work there, in a statement
	seen := make(map[string]bool)
	err := other.WatchAnalysis(&analysisv1.WatchAnalysisRequest{AnalysisId: waiting.GetAnalysisId()}, &watching{ctx: ctx, take: func(a *analysisv1.Analysis) {
		if len(seen) == 0 {
			require.Equal(t, commonv1.RunStatus_RUN_STATUS_RUNNING, a.GetStatus())
			close(goOn)
		}
		seen[a.GetStatus().String()] = true
	}})
	require.NoError(t, err)
	require.NoError(t, <-done)
	require.True(t, seen[commonv1.RunStatus_RUN_STATUS_SUCCEEDED.String()], "%v", seen)
}

// watching takes the events of WatchAnalysis.
type watching struct {
	grpc.ServerStreamingServer[analysisv1.WatchAnalysisResponse]
	ctx  context.Context //nolint:containedctx // a stream has one
	take func(*analysisv1.Analysis)
}

func (s *watching) Context() context.Context { return s.ctx }
func (s *watching) Send(m *analysisv1.WatchAnalysisResponse) error {
	s.take(m.GetAnalysis())
	return nil
}

// TestEventsDoNotWaitToBeLookedFor: in the process that does the work each change is told
// when it is stored, however seldom other processes' are looked at.
func TestEventsDoNotWaitToBeLookedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, err := analysis.New(analysis.Config{Poll: time.Hour, Lease: 3 * time.Hour}, analysis.Deps{
		FindData: w.team, Text2SQL: w.team, ChatBI: w.team, Clock: w.clock.Now, Store: w.open(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	ctx, cancel := context.WithTimeout(as(t.Context(), "ann"), hangs)
	defer cancel()
	var last *analysisv1.Analysis
	err = s.StartAnalysis(&analysisv1.StartAnalysisRequest{Query: &analysisv1.AnalysisQuery{Question: question, Review: analysisv1.Review_REVIEW_NONE}},
		&stream{ctx: ctx, take: func(a *analysisv1.Analysis) { last = a }})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, last.GetStatus())
}
