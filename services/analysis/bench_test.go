package analysis_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/status"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	"github.com/dibrain/dibrain/services/analysis"
)

// benchmarked is a world with a process that works and one that looks on, both as they are
// configured where nobody changes anything.
func benchmarked(b *testing.B) (w *world, worker, other *analysis.Service) {
	b.Helper()
	w = newWorld(b)
	process := func() *analysis.Service {
		s, err := analysis.New(analysis.Config{}, analysis.Deps{FindData: w.team, Text2SQL: w.team, ChatBI: w.team, Store: w.open()})
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, s.Close()) })
		return s
	}
	return w, process(), process()
}

// begun starts an analysis and waits until its first statement runs; done gets how it ended.
func begun(ctx context.Context, b *testing.B, worker, other *analysis.Service, running <-chan struct{}) (id string, done <-chan error) {
	b.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := worker.StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{Question: question, Review: analysisv1.Review_REVIEW_NONE}})
		ended <- err
	}()
	<-running
	list, err := other.ListAnalyses(ctx, &analysisv1.ListAnalysesRequest{PageSize: 1})
	require.NoError(b, err)
	return list.GetAnalyses()[0].GetAnalysisId(), ended
}

// BenchmarkCancel is the time from the call that cancels an analysis to the end of its statement.
func BenchmarkCancel(b *testing.B) {
	for name, elsewhere := range map[string]bool{"the same process": false, "another process": true} {
		b.Run(name, func(b *testing.B) {
			w, worker, canceller := benchmarked(b)
			if !elsewhere {
				canceller = worker
			}
			ann := as(b.Context(), "ann")
			running, ended := make(chan struct{}), make(chan time.Time)
			w.team.hold = func(ctx context.Context, _ string) error {
				running <- struct{}{}
				<-ctx.Done()
				ended <- time.Now()
				return status.FromContextError(ctx.Err()).Err()
			}
			var total, most time.Duration
			for b.Loop() {
				id, done := begun(ann, b, worker, canceller, running)
				began := time.Now()
				_, err := canceller.CancelAnalysis(ann, &analysisv1.CancelAnalysisRequest{AnalysisId: id})
				require.NoError(b, err)
				took := (<-ended).Sub(began)
				total, most = total+took, max(most, took)
				require.NoError(b, <-done)
			}
			b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms/cancel")
			b.ReportMetric(float64(most.Milliseconds()), "ms/worst")
		})
	}
}

// BenchmarkEvent is the time from the end of a step's statement to the event that tells of its
// result, to who follows in the same process and in another one.
func BenchmarkEvent(b *testing.B) {
	for name, elsewhere := range map[string]bool{"the same process": false, "another process": true} {
		b.Run(name, func(b *testing.B) {
			w, worker, follower := benchmarked(b)
			if !elsewhere {
				follower = worker
			}
			ann := as(b.Context(), "ann")
			running, goOn := make(chan struct{}), make(chan struct{})
			w.team.hold = func(context.Context, string) error {
				running <- struct{}{}
				<-goOn
				return nil
			}
			var total, most time.Duration
			for b.Loop() {
				id, done := begun(ann, b, worker, follower, running)
				events := make(chan *analysisv1.Analysis, 1000)
				ended := make(chan error, 1)
				go func() {
					ended <- follower.WatchAnalysis(&analysisv1.WatchAnalysisRequest{AnalysisId: id}, &watching{ctx: ann, take: func(a *analysisv1.Analysis) { events <- a }})
				}()
				<-events // where it stands at first
				began := time.Now()
				goOn <- struct{}{}
				for told := false; !told; {
					told = (<-events).GetResults()[0].GetStatus() == analysisv1.StepStatus_STEP_STATUS_DONE
				}
				took := time.Since(began)
				total, most = total+took, max(most, took)
				for at := true; at; {
					select {
					case <-running:
						goOn <- struct{}{}
					case err := <-done:
						require.NoError(b, err)
						at = false
					}
				}
				require.NoError(b, <-ended)
			}
			b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms/event")
			b.ReportMetric(float64(most.Milliseconds()), "ms/worst")
		})
	}
}
