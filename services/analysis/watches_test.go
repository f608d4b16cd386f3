package analysis_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/analysis/deliver"
)

// watched makes a world with a process whose results may go to a folder, "folder".
func watched(t *testing.T) (*world, *analysis.Service, string) {
	t.Helper()
	w := newWorld(t)
	w.team.newest = "2026-03-03"
	dir := t.TempDir()
	path := filepath.Join(dir, "targets.yaml")
	require.NoError(t, os.WriteFile(path, []byte("targets: [{name: folder, kind: file, folder: '"+dir+"'}]"), 0o600))
	targets, err := deliver.Open(path, time.Second, w.clock.Now, slog.Default())
	require.NoError(t, err)
	return w, w.process(func(d *analysis.Deps) { d.Targets = targets }), dir
}

func spec(change func(*analysisv1.WatchSpec)) *analysisv1.CreateWatchRequest {
	s := &analysisv1.WatchSpec{Name: "visits", Question: "visits by clinic", Schedule: "0 8 * * *", TimeZone: "Asia/Singapore", Target: "folder", Gates: &analysisv1.WatchGates{}}
	if change != nil {
		change(s)
	}
	return &analysisv1.CreateWatchRequest{Spec: s}
}

func sent(t *testing.T, dir string) (out []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		out = append(out, string(text))
	}
	return out
}

// TestAWatchFromItsQuestionToItsFile: it is asked at its tick as its owner, once there is new
// data and something new to tell.
func TestAWatchFromItsQuestionToItsFile(t *testing.T) {
	t.Parallel()
	w, s, dir := watched(t)
	ann := as(t.Context(), "ann")
	w.team.findings = []*commonv1.Finding{
		{Kind: "outlier", Text: "visits on 2 Mar 2026 were 900, usually 12.", Evidence: map[string]float64{"value": 900}}, {Kind: "total", Text: "The total is 1."},
	}
	made, err := s.CreateWatch(ann, spec(func(s *analysisv1.WatchSpec) { s.Gates.OnNewData, s.Gates.OnFinding = true, true }))
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC), made.GetWatch().GetNextAt().AsTime(), "08:00 in Singapore")
	require.Equal(t, "ann", made.GetWatch().GetGrant().GetPrincipal())
	require.NoError(t, s.RunDue(t.Context()))
	require.Empty(t, w.team.ran)

	tick := func() {
		w.clock.Move(24 * time.Hour)
		require.NoError(t, s.RunDue(t.Context()))
	}
	tick()
	require.Equal(t, map[string]bool{"ann": true}, w.team.as)
	require.Len(t, sent(t, dir), 1)
	require.Contains(t, sent(t, dir)[0], "• visits on 2 Mar 2026 were 900, usually 12.\n")
	require.NotContains(t, sent(t, dir)[0], "The total is 1", "that describes, and is no finding")
	got, err := s.GetWatch(ann, &analysisv1.GetWatchRequest{WatchId: "visits"})
	require.NoError(t, err)
	done := got.GetWatch().GetRuns()[0]
	require.Equal(t, analysisv1.WatchOutcome_WATCH_OUTCOME_DELIVERED, done.GetOutcome())
	report, err := s.GetReport(ann, &analysisv1.GetReportRequest{AnalysisId: done.GetAnalysisId()})
	require.NoError(t, err)
	require.Contains(t, report.GetText(), "visits by clinic")

	tick() // no new data
	require.Equal(t, []string{`SELECT count(*) AS n FROM "eu"."care"."visit"`}, w.team.fresh)
	require.Len(t, sent(t, dir), 1)
	w.team.newest = "2026-03-05"
	w.team.findings[0].Text = "visits on 2 Mar 2026 were 900, usually 14." // the same day
	w.clock.Move(5 * time.Minute)
	require.NoError(t, s.RunDue(t.Context()))
	got, err = s.GetWatch(ann, &analysisv1.GetWatchRequest{WatchId: "visits"})
	require.NoError(t, err)
	require.Equal(t, analysisv1.WatchOutcome_WATCH_OUTCOME_QUIET, got.GetWatch().GetRuns()[0].GetOutcome())
	require.Len(t, sent(t, dir), 1)

	forced, err := s.RunWatch(ann, &analysisv1.RunWatchRequest{WatchId: "visits", IgnoreGates: true})
	require.NoError(t, err)
	require.Equal(t, analysisv1.WatchOutcome_WATCH_OUTCOME_DELIVERED, forced.GetWatch().GetRuns()[0].GetOutcome())
	require.Len(t, sent(t, dir), 2)
}

// TestTheAuditLogTellsOfWorkInTheBackground: on whose behalf it is, on what, and which tables
// were read, though no call lasts meanwhile.
func TestTheAuditLogTellsOfWorkInTheBackground(t *testing.T) {
	t.Parallel()
	w, _, _ := watched(t)
	var mu sync.Mutex
	var text strings.Builder
	s := w.process(func(d *analysis.Deps) { d.Audit = slog.New(slog.NewJSONHandler(&locked{mu: &mu, Builder: &text}, nil)) })
	_, err := s.CreateWatch(as(t.Context(), "ann"), spec(func(s *analysisv1.WatchSpec) { s.Target = "" }))
	require.NoError(t, err)
	require.NoError(t, s.RunDue(t.Context()))
	mu.Lock()
	require.Empty(t, text.String(), "nothing was due")
	mu.Unlock()
	w.clock.Move(24 * time.Hour)
	require.NoError(t, s.RunDue(t.Context()))
	mu.Lock()
	defer mu.Unlock()
	lines := map[string]string{}
	for line := range strings.Lines(text.String()) {
		var l struct {
			Method, Principal, Object, Outcome string
			Tables                             []string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &l), line)
		require.NotEmpty(t, l.Object, line)
		lines[l.Method] = strings.Join(append(l.Tables, l.Principal, l.Outcome), " ")
	}
	require.Equal(t, map[string]string{"analysis": "eu.care.visit ann done", "watch": "eu.care.visit ann done"}, lines, text.String())
	require.NotContains(t, text.String(), "visits", "no word of what is asked")
}

// locked is a text that several write.
type locked struct {
	mu *sync.Mutex
	*strings.Builder
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(b)
}

// TestWatchesOfOthersDoNotExist, and an administrator ends their grants and reads nothing.
func TestWatchesOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	_, s, _ := watched(t)
	made, err := s.CreateWatch(as(t.Context(), "ann"), spec(nil))
	require.NoError(t, err)
	boss := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "boss", Admin: true}})
	for _, ctx := range []context.Context{as(t.Context(), "bob"), boss} {
		for _, id := range []string{"visits", made.GetWatch().GetWatchId()} {
			_, err := s.GetWatch(ctx, &analysisv1.GetWatchRequest{WatchId: id})
			require.Equal(t, "WATCH_UNKNOWN", fault.ReasonOf(err))
			_, err = s.RunWatch(ctx, &analysisv1.RunWatchRequest{WatchId: id})
			require.Equal(t, "WATCH_UNKNOWN", fault.ReasonOf(err))
			_, err = s.PauseWatch(ctx, &analysisv1.PauseWatchRequest{WatchId: id})
			require.Equal(t, "WATCH_UNKNOWN", fault.ReasonOf(err))
			_, err = s.ResumeWatch(ctx, &analysisv1.ResumeWatchRequest{WatchId: id})
			require.Equal(t, "WATCH_UNKNOWN", fault.ReasonOf(err))
			_, err = s.DeleteWatch(ctx, &analysisv1.DeleteWatchRequest{WatchId: id})
			require.Equal(t, "WATCH_UNKNOWN", fault.ReasonOf(err))
		}
		list, err := s.ListWatches(ctx, &analysisv1.ListWatchesRequest{})
		require.NoError(t, err)
		require.Empty(t, list.GetWatches())
	}
	_, err = s.RevokeWatchGrants(as(t.Context(), "bob"), &analysisv1.RevokeWatchGrantsRequest{Principal: "ann"})
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	for _, want := range []int32{1, 0} { // once
		r, err := s.RevokeWatchGrants(boss, &analysisv1.RevokeWatchGrantsRequest{Principal: "ann"})
		require.NoError(t, err)
		require.Equal(t, want, r.GetStopped())
	}
}

// TestARevokedGrantEndsTheRunAtWork, down to its statement; another grant lets it run again.
func TestARevokedGrantEndsTheRunAtWork(t *testing.T) {
	t.Parallel()
	w, s, dir := watched(t)
	ann := as(t.Context(), "ann")
	_, err := s.CreateWatch(ann, spec(nil))
	require.NoError(t, err)
	running, ended := make(chan struct{}), make(chan error, 1)
	w.team.hold = func(ctx context.Context, _ string) error {
		close(running)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	}
	w.clock.Move(24 * time.Hour)
	due := make(chan error, 1)
	go func() { due <- s.RunDue(t.Context()) }()
	await(t, running)
	_, err = s.RunWatch(ann, &analysisv1.RunWatchRequest{WatchId: "visits"})
	require.Equal(t, "WATCH_BUSY", fault.ReasonOf(err))
	r, err := s.RevokeWatchGrants(ann, &analysisv1.RevokeWatchGrantsRequest{})
	require.NoError(t, err)
	require.EqualValues(t, 1, r.GetStopped())
	require.ErrorIs(t, <-ended, context.Canceled)
	require.NoError(t, <-due)
	got, err := s.GetWatch(ann, &analysisv1.GetWatchRequest{WatchId: "visits"})
	require.NoError(t, err)
	require.Equal(t, analysisv1.WatchStatus_WATCH_STATUS_STOPPED, got.GetWatch().GetStatus())
	require.Contains(t, got.GetWatch().GetStoppedBecause(), "was revoked by ann on 2026-03-05")
	require.Equal(t, analysisv1.WatchOutcome_WATCH_OUTCOME_STOPPED, got.GetWatch().GetRuns()[0].GetOutcome())
	require.Nil(t, got.GetWatch().GetNextAt())
	require.Empty(t, sent(t, dir))
	_, err = s.RunWatch(ann, &analysisv1.RunWatchRequest{WatchId: "visits"})
	require.Equal(t, "WATCH_STOPPED", fault.ReasonOf(err))
	require.ErrorContains(t, err, `dibrain watch resume "visits"`)

	w.team.mu.Lock()
	w.team.hold = nil
	w.team.mu.Unlock()
	_, err = s.ResumeWatch(ann, &analysisv1.ResumeWatchRequest{WatchId: "visits"})
	require.NoError(t, err)
	w.clock.Move(24 * time.Hour)
	require.NoError(t, s.RunDue(t.Context()))
	require.Len(t, sent(t, dir), 1)
}

func await(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(hangs):
		t.Fatal("it did not get so far")
	}
}

// TestAWatchGoesOnInAnotherProcess: one that dies while the question is at work leaves its
// analysis to the next, and one result is sent.
func TestAWatchGoesOnInAnotherProcess(t *testing.T) {
	t.Parallel()
	w, first, dir := watched(t)
	ann := as(t.Context(), "ann")
	_, err := first.CreateWatch(ann, spec(nil))
	require.NoError(t, err)
	running := make(chan struct{})
	w.team.hold = func(ctx context.Context, _ string) error {
		close(running)
		<-ctx.Done()
		return ctx.Err()
	}
	w.clock.Move(24 * time.Hour)
	ctx, dies := context.WithCancel(t.Context())
	due := make(chan error, 1)
	go func() { due <- first.RunDue(ctx) }()
	await(t, running)
	dies()
	require.Error(t, <-due)
	require.NoError(t, first.Close())
	w.team.mu.Lock()
	w.team.hold = nil
	w.team.mu.Unlock()

	targets, err := deliver.Open(filepath.Join(dir, "targets.yaml"), time.Second, w.clock.Now, slog.Default())
	require.NoError(t, err)
	second := w.process(func(d *analysis.Deps) { d.Targets = targets })
	w.clock.Move(time.Minute)
	require.NoError(t, second.RunDue(t.Context()))
	require.Len(t, sent(t, dir), 1)
	list, err := second.ListAnalyses(ann, &analysisv1.ListAnalysesRequest{})
	require.NoError(t, err)
	require.Len(t, list.GetAnalyses(), 1, "it is one analysis")
	for statement, ids := range w.team.ran {
		for _, id := range ids {
			require.Equal(t, ids[0], id, "%s ran under two ids", statement)
		}
	}
}

// TestWatchesThatAreNone are refused in words.
func TestWatchesThatAreNone(t *testing.T) {
	t.Parallel()
	_, s, _ := watched(t)
	ann := as(t.Context(), "ann")
	_, err := s.CreateWatch(ann, spec(nil))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		reason string
		change func(*analysisv1.WatchSpec)
	}{
		"too often":        {"WATCH_SCHEDULE_INVALID", func(s *analysisv1.WatchSpec) { s.Schedule = "* * * * *" }},
		"a zone of Mars":   {"WATCH_SCHEDULE_INVALID", func(s *analysisv1.WatchSpec) { s.TimeZone = "Mars/Olympus" }},
		"an address":       {"WATCH_TARGET_UNKNOWN", func(s *analysisv1.WatchSpec) { s.Target = "https://hooks.example/x" }},
		"two lines":        {"WATCH_NAME_INVALID", func(s *analysisv1.WatchSpec) { s.Name = "a\nb" }},
		"no question":      {"QUESTION_EMPTY", func(s *analysisv1.WatchSpec) { s.Question = " " }},
		"tables of nobody": {"WATCH_GATES_INVALID", func(s *analysisv1.WatchSpec) { s.Gates.Tables = []string{"eu.care.visit"} }},
		"there already":    {"WATCH_EXISTS", func(*analysisv1.WatchSpec) {}},
	} {
		_, err := s.CreateWatch(ann, spec(c.change))
		require.Equal(t, c.reason, fault.ReasonOf(err), name)
	}
	targets, err := s.ListWatchTargets(ann, &analysisv1.ListWatchTargetsRequest{})
	require.NoError(t, err)
	require.Equal(t, "folder", targets.GetTargets()[0].GetName())
	_, err = s.ListWatchTargets(t.Context(), &analysisv1.ListWatchTargetsRequest{})
	require.Equal(t, codes.Unauthenticated, status.Code(err))
}

// TestFilesOfSteps: what is listed can be read, by whoever the analysis belongs to.
func TestFilesOfSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.process()
	ann := as(t.Context(), "ann")
	a := begin(t, s, analysisv1.Review_REVIEW_NONE)
	got, err := s.GetAnalysis(ann, &analysisv1.GetAnalysisRequest{AnalysisId: a.GetAnalysisId()})
	require.NoError(t, err)
	var names []string
	for _, step := range got.GetAnalysis().GetResults() {
		for _, file := range step.GetArtifacts() {
			names = append(names, file.GetName())
			r, err := s.GetArtifact(ann, &analysisv1.GetArtifactRequest{AnalysisId: a.GetAnalysisId(), Name: file.GetName()})
			require.NoError(t, err)
			require.Equal(t, file.GetMediaType(), r.GetMediaType())
			require.NotEmpty(t, r.GetData())
			if strings.HasSuffix(file.GetName(), ".json") {
				require.True(t, json.Valid(r.GetData()))
			}
		}
	}
	require.True(t, slices.Contains(names, "s1.result.csv"), names)
	r, err := s.GetArtifact(ann, &analysisv1.GetArtifactRequest{AnalysisId: a.GetAnalysisId(), Name: "s1.result.csv"})
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(r.GetData()))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{{"visits", "previous_visits", "visits_change"}, {"1234", "1000", "234"}}, rows)
	_, err = s.GetArtifact(as(t.Context(), "bob"), &analysisv1.GetArtifactRequest{AnalysisId: a.GetAnalysisId(), Name: "s1.result.csv"})
	require.Equal(t, "ANALYSIS_UNKNOWN", fault.ReasonOf(err))
	_, err = s.GetArtifact(ann, &analysisv1.GetArtifactRequest{AnalysisId: a.GetAnalysisId(), Name: "../analyses.db"})
	require.Equal(t, "ARTIFACT_UNKNOWN", fault.ReasonOf(err))
	small, err := analysis.New(analysis.Config{MaxArtifactBytes: 8}, analysis.Deps{FindData: w.team, Text2SQL: w.team, ChatBI: w.team, Store: w.open()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, small.Close()) })
	_, err = small.GetArtifact(ann, &analysisv1.GetArtifactRequest{AnalysisId: a.GetAnalysisId(), Name: "s1.result.csv"})
	require.Equal(t, "ARTIFACT_TOO_LARGE", fault.ReasonOf(err))
}
