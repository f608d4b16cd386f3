package analysis_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dibrain/dibrain/pkg/clocktest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/analysis"
)

const hangs = 20 * time.Second

// team is the other services: it understands "visits" and "by clinic", answers with the
// numbers of a table, and notes what it ran, as whom and under which id.
type team struct {
	findatav1.FindDataServiceClient
	text2sqlv1.Text2SQLServiceClient
	chatbiv1.ChatBIServiceClient

	mu   sync.Mutex
	ran  map[string][]string // idempotency ids by statement
	as   map[string]bool
	hold func(context.Context, string) error // before a statement runs

	series *commonv1.ResultPage // of a question by day
	charts int                  // asked for

	tried  [][]*text2sqlv1.TriedStatement // of each statement that was written, in order
	failed string                         // what the engine says of the first statement, "" nothing

	discovery error    // of finding tables
	bases     []string // knowledge bases that were looked into last

	newest   string              // partition of the table that is read
	fresh    []string            // statements whose freshness was asked for
	findings []*commonv1.Finding // of each statement
}

func newTeam() *team { return &team{ran: map[string][]string{}, as: map[string]bool{}} }

func (f *team) DiscoverUnary(_ context.Context, r *findatav1.DiscoverUnaryRequest, _ ...grpc.CallOption) (*findatav1.DiscoverUnaryResponse, error) {
	f.mu.Lock()
	f.bases = r.GetQuery().GetKnowledgeBaseList()
	f.mu.Unlock()
	if f.discovery != nil {
		return nil, f.discovery
	}
	return &findatav1.DiscoverUnaryResponse{Result: &findatav1.DiscoverResult{
		RelatedTables: []*findatav1.TableCandidate{{Table: &commonv1.TableDetail{Ref: &commonv1.TableRef{IdcRegion: "eu", Schema: "care", Table: "visit"}}}},
		GlossaryTerms: []*commonv1.GlossaryTerm{{Term: "visit", Definition: "one per person and day"}},
	}}, nil
}

func (f *team) ParseQuestion(_ context.Context, r *text2sqlv1.ParseQuestionRequest, _ ...grpc.CallOption) (*text2sqlv1.ParseQuestionResponse, error) {
	out := &text2sqlv1.ParseQuestionResponse{}
	rest := r.GetQuery().GetUserQuestion()
	for word, kind := range map[string]string{"visits": "metric", "by clinic": "dimension"} {
		if strings.Contains(rest, word) {
			out.Understood = append(out.Understood, &text2sqlv1.UnderstoodSpan{Text: word, Kind: kind})
			rest = strings.ReplaceAll(rest, word, "")
		}
	}
	out.NotUnderstood = strings.Fields(rest)
	return out, nil
}

func (f *team) GenerateSQLUnary(_ context.Context, r *text2sqlv1.GenerateSQLUnaryRequest, _ ...grpc.CallOption) (*text2sqlv1.GenerateSQLUnaryResponse, error) {
	question := r.GetQuery().GetUserQuestion()
	intent := `{}`
	f.mu.Lock()
	f.tried = append(f.tried, r.GetQuery().GetTried())
	f.mu.Unlock()
	if len(r.GetQuery().GetTried()) > 0 {
		question += " again" // it has one other
	}
	switch {
	case strings.Contains(question, "by clinic"):
		intent = `{"group_by": [{"kind": "dimension", "id": "clinic"}]}`
	case strings.Contains(question, "by day"):
		intent = `{"time": {"grain": "day"}}`
	}
	return &text2sqlv1.GenerateSQLUnaryResponse{Result: &text2sqlv1.GenerateResult{
		Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, IntentJson: intent,
		Candidates: []*commonv1.SqlStatement{{Sql: "SELECT '" + question + "'", Labels: []*commonv1.ColumnLabel{{Column: "visits", Label: "visits"}}}},
	}}, nil
}

func (f *team) ListMetrics(context.Context, *text2sqlv1.ListMetricsRequest, ...grpc.CallOption) (*text2sqlv1.ListMetricsResponse, error) {
	return &text2sqlv1.ListMetricsResponse{}, nil
}

func (f *team) PlanChange(context.Context, *text2sqlv1.PlanChangeRequest, ...grpc.CallOption) (*text2sqlv1.PlanChangeResponse, error) {
	return &text2sqlv1.PlanChangeResponse{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, Plan: &commonv1.ChangePlan{
		Metric: &commonv1.ChangeMetric{Id: "visits", Name: "visits", Kind: commonv1.ChangeKind_CHANGE_KIND_ADDITIVE},
		Before: &commonv1.ChangePeriod{From: "2026-01-01", To: "2026-02-01"}, After: &commonv1.ChangePeriod{From: "2026-02-01", To: "2026-03-01"},
		Statements: []*commonv1.ChangeStatement{{Sql: "SELECT change"}},
	}}, nil
}

// run notes that a statement was run.
func (f *team) run(ctx context.Context, statement string) error {
	rc := run.From(ctx)
	f.mu.Lock()
	f.ran[statement] = append(f.ran[statement], rc.ToolCallID)
	f.as[rc.Principal.ID] = true
	hold := f.hold
	f.mu.Unlock()
	if hold != nil {
		return hold(ctx, statement)
	}
	return nil
}

func (f *team) ExecuteAndAnalyzeUnary(ctx context.Context, r *chatbiv1.ExecuteAndAnalyzeUnaryRequest, _ ...grpc.CallOption) (*chatbiv1.ExecuteAndAnalyzeUnaryResponse, error) {
	rpc.AuditTables(ctx, "eu.care.visit") // as the client does with what a trailer says
	if err := f.run(ctx, r.GetQuery().GetSql()); err != nil {
		return nil, err
	}
	f.mu.Lock()
	failed := f.failed
	f.failed = ""
	f.mu.Unlock()
	if failed != "" {
		return &chatbiv1.ExecuteAndAnalyzeUnaryResponse{Result: &chatbiv1.ExecuteResult{
			Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED, Error: &commonv1.SqlDiagnostic{Message: failed},
		}}, nil
	}
	page := &commonv1.ResultPage{
		Columns: []*commonv1.ResultColumn{{Name: "visits", Type: "bigint"}, {Name: "previous_visits", Type: "bigint"}, {Name: "visits_change", Type: "bigint"}},
		Rows:    []*commonv1.ResultRow{{Values: []*structpb.Value{structpb.NewNumberValue(1234), structpb.NewNumberValue(1000), structpb.NewNumberValue(234)}}},
	}
	if strings.Contains(r.GetQuery().GetSql(), "by day, last") {
		page = f.series
	}
	return &chatbiv1.ExecuteAndAnalyzeUnaryResponse{Result: &chatbiv1.ExecuteResult{
		Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Page: page, ExecutedSql: r.GetQuery().GetSql(), Findings: f.findings,
		Certificate: &commonv1.Certificate{Tables: []*commonv1.TableFreshness{{Table: "eu.care.visit", LatestPartition: f.newest}}},
	}}, nil
}

func (f *team) AdviseChart(context.Context, *chatbiv1.AdviseChartRequest, ...grpc.CallOption) (*chatbiv1.AdviseChartResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.charts++
	return &chatbiv1.AdviseChartResponse{Chart: &commonv1.Chart{Kind: commonv1.ChartKind_CHART_KIND_LINE, Title: "visits", EchartsOptionJson: `{"xAxis": {"type": "category", "data": ["a"]}, "yAxis": {"type": "value"}, "series": [{"type": "line", "data": [1]}]}`}}, nil
}

// PlanStudy knows the table wards.
func (f *team) PlanStudy(_ context.Context, r *text2sqlv1.PlanStudyRequest, _ ...grpc.CallOption) (*text2sqlv1.PlanStudyResponse, error) {
	if r.GetKind() == commonv1.StudyKind_STUDY_KIND_UNSPECIFIED || !strings.Contains(r.GetQuery().GetUserQuestion(), "wards") {
		return &text2sqlv1.PlanStudyResponse{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "no such table"}, nil
	}
	if r.GetKind() == commonv1.StudyKind_STUDY_KIND_VALUES {
		return &text2sqlv1.PlanStudyResponse{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "no usual set"}, nil
	}
	return &text2sqlv1.PlanStudyResponse{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, Sql: "SELECT " + r.GetKind().String(), Table: "eu.care.wards"}, nil
}

// EstimateCost knows of statements by category that they read much, and nothing of others.
func (f *team) EstimateCost(_ context.Context, r *chatbiv1.EstimateCostRequest, _ ...grpc.CallOption) (*chatbiv1.EstimateCostResponse, error) {
	if r.GetFreshness() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.fresh = append(f.fresh, r.GetSql())
		return &chatbiv1.EstimateCostResponse{Rows: -1, Bytes: -1, Tables: []*commonv1.TableFreshness{{Table: "eu.care.visit", LatestPartition: f.newest}}}, nil
	}
	if !strings.Contains(r.GetSql(), "by clinic") {
		return &chatbiv1.EstimateCostResponse{Rows: -1, Bytes: -1, Method: "catalog"}, nil
	}
	return &chatbiv1.EstimateCostResponse{Rows: 4321, Bytes: 1 << 20, Method: "catalog"}, nil
}

func (f *team) ExplainChangeUnary(ctx context.Context, _ *chatbiv1.ExplainChangeUnaryRequest, _ ...grpc.CallOption) (*chatbiv1.ExplainChangeUnaryResponse, error) {
	if err := f.run(ctx, "change"); err != nil {
		return nil, err
	}
	return &chatbiv1.ExplainChangeUnaryResponse{Result: &chatbiv1.ExplainResult{
		Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Change: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_EVENLY_SPREAD,
		Figures: &chatbiv1.ChangePair{Before: 1000, After: 1234},
	}}, nil
}

// world is a store with the processes that share it.
type world struct {
	t     testing.TB
	open  opener
	team  *team
	clock *clocktest.Clock
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return newWorldIn(t, sqlitePlace)
}

func newWorldIn(t testing.TB, place func(testing.TB) opener) *world {
	t.Helper()
	return &world{t: t, open: place(t), team: newTeam(), clock: clocktest.At(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))}
}

// process starts a service over the directory; change may put another store in.
func (w *world) process(change ...func(*analysis.Deps)) *analysis.Service {
	w.t.Helper()
	d := analysis.Deps{FindData: w.team, Text2SQL: w.team, ChatBI: w.team, Clock: w.clock.Now}
	for _, c := range change {
		c(&d)
	}
	if d.Store == nil {
		d.Store = w.open()
	}
	s, err := analysis.New(analysis.Config{Poll: 10 * time.Millisecond, Lease: 50 * time.Millisecond}, d)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = s.Close() })
	return s
}

func as(ctx context.Context, who string) context.Context {
	return run.With(ctx, run.Context{Principal: run.Principal{ID: who}})
}

const question = "Compare visits of this month and last by clinic, find what drives the change, and write a report"

func begin(t *testing.T, s *analysis.Service, review analysisv1.Review) *analysisv1.Analysis {
	t.Helper()
	r, err := s.StartAnalysisUnary(as(t.Context(), "ann"), &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{Question: question, Review: review}})
	require.NoError(t, err)
	return r.GetAnalysis()
}

func decide(ctx context.Context, s *analysis.Service, d *analysisv1.ResumeDecision) (*analysisv1.Analysis, error) {
	r, err := s.ResumeAnalysisUnary(ctx, &analysisv1.ResumeAnalysisUnaryRequest{Decision: d})
	return r.GetAnalysis(), err
}

func approval(a *analysisv1.Analysis) *analysisv1.ResumeDecision {
	return &analysisv1.ResumeDecision{AnalysisId: a.GetAnalysisId(), Decision: analysisv1.Decision_DECISION_APPROVE, PlanVersion: a.GetPlan().GetVersion()}
}

func TestAnAnalysisWaitsAndAnotherProcessGoesOn(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, place func(testing.TB) opener) {
		w := newWorldIn(t, place)
		first := w.process()
		a := begin(t, first, analysisv1.Review_REVIEW_WAIT)
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_WAITING, a.GetStatus())
		require.Len(t, a.GetPlan().GetSteps(), 5)
		require.Empty(t, w.team.ran, "nothing runs before it is approved")
		require.NoError(t, first.Close())
		w.clock.Move(72 * time.Hour)

		second := w.process()
		got, err := decide(as(t.Context(), "ann"), second, approval(a))
		require.NoError(t, err)
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, got.GetStatus(), got.GetError())
		require.Equal(t, map[string]bool{"ann": true}, w.team.as, "as the asker, and nobody else")
		r, err := second.GetReport(as(t.Context(), "ann"), &analysisv1.GetReportRequest{AnalysisId: a.GetAnalysisId()})
		require.NoError(t, err)
		require.Contains(t, r.GetText(), "visits rose from 1,000 to 1,234: 234")
		require.Contains(t, r.GetText(), "2026-03-04 05:06", "it is of the day on which it was asked")
		page, err := second.GetReport(as(t.Context(), "ann"), &analysisv1.GetReportRequest{AnalysisId: a.GetAnalysisId(), Format: analysisv1.ReportFormat_REPORT_FORMAT_HTML})
		require.NoError(t, err)
		require.Contains(t, page.GetText(), "<html")
	})
}

// TestOfTwoApprovalsOneWins, whichever processes they come to, and each step runs once.
func TestOfTwoApprovalsOneWins(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, place func(testing.TB) opener) {
		w := newWorldIn(t, place)
		a := begin(t, w.process(), analysisv1.Review_REVIEW_WAIT)
		errs := make([]error, 8)
		read := &together{}
		read.all.Add(len(errs))
		read.left.Store(int64(len(errs)))
		meeting := func(d *analysis.Deps) { d.Store = &meetingStore{Store: w.open(), read: read} }
		processes := []*analysis.Service{w.process(meeting), w.process(meeting)}
		var wait sync.WaitGroup
		for i := range errs {
			wait.Go(func() { _, errs[i] = decide(as(t.Context(), "ann"), processes[i%2], approval(a)) })
		}
		wait.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			require.Equal(t, "ANALYSIS_NOT_WAITING", fault.ReasonOf(err))
		}
		require.Equal(t, 1, won)
		for statement, ids := range w.team.ran {
			require.Len(t, ids, 1, statement)
		}
	})
}

// together lets nobody go on before all have read.
type together struct {
	all  sync.WaitGroup
	left atomic.Int64
}

type meetingStore struct {
	analysis.Store
	read *together
}

func (m *meetingStore) Get(ctx context.Context, owner, id string) (analysis.Record, error) {
	r, err := m.Store.Get(ctx, owner, id)
	if m.read.left.Add(-1) >= 0 {
		m.read.all.Done()
		m.read.all.Wait()
	}
	return r, err
}

func TestApprovalIsOfOneVersionOfThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.process()
	a := begin(t, s, analysisv1.Review_REVIEW_WAIT)
	id := a.GetAnalysisId()
	steps := a.GetPlan().GetSteps()
	edit := func(steps []*analysisv1.PlanStep) (*analysisv1.Analysis, error) {
		return decide(as(t.Context(), "ann"), s, &analysisv1.ResumeDecision{AnalysisId: id, Decision: analysisv1.Decision_DECISION_EDIT, PlanVersion: 1, Steps: steps})
	}
	_, err := edit(steps[:1])
	require.Equal(t, "ANALYSIS_PLAN_INVALID", fault.ReasonOf(err), "a plan without a report")
	report := steps[len(steps)-1]
	report.Inputs = []string{"s1"}
	edited, err := edit([]*analysisv1.PlanStep{steps[0], report})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_WAITING, edited.GetStatus(), "an edit asks again")
	require.EqualValues(t, 2, edited.GetPlan().GetVersion())
	_, err = decide(as(t.Context(), "ann"), s, approval(a))
	require.Equal(t, "ANALYSIS_PLAN_CHANGED", fault.ReasonOf(err))
	rejected, err := decide(as(t.Context(), "ann"), s, &analysisv1.ResumeDecision{AnalysisId: id, Decision: analysisv1.Decision_DECISION_REJECT, PlanVersion: 2, Feedback: "last week and the week before"})
	require.NoError(t, err)
	require.EqualValues(t, 3, rejected.GetPlan().GetVersion())
	require.Contains(t, rejected.GetPlan().GetSteps()[0].GetInstruction(), "last week")
	same, err := decide(as(t.Context(), "ann"), s, &analysisv1.ResumeDecision{AnalysisId: id, Decision: analysisv1.Decision_DECISION_REJECT, PlanVersion: 3, Feedback: "sing"})
	require.NoError(t, err)
	require.EqualValues(t, 3, same.GetPlan().GetVersion(), "words that say no change leave the plan, and say so")
	require.Contains(t, same.GetPending().GetText(), "Nothing in your words")
	got, err := decide(as(t.Context(), "ann"), s, approval(same))
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, got.GetStatus())
}

// dying is a store of a process that dies after so many nodes: nothing gets through.
type dying struct {
	analysis.Store
	mu    sync.Mutex
	saves int
	dead  chan struct{}
}

var errDead = errors.New("the process is dead")

func (d *dying) Save(ctx context.Context, r analysis.Record) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.saves == 0 {
		return 0, errDead
	}
	revision, err := d.Store.Save(ctx, r)
	if d.saves--; d.saves == 0 {
		close(d.dead)
	}
	return revision, err
}

func (d *dying) Extend(context.Context, string, string, time.Time) error { return errDead }

// TestKilledAfterEachNode: wherever a process dies, another one goes on after the last
// node that ended, no finished step runs again, and what was cut in the middle runs under
// the same idempotency id.
func TestKilledAfterEachNode(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, place func(testing.TB) opener) {
		whole := newWorldIn(t, place)
		nodes := 0
		counted := &counting{Store: whole.open(), saves: &nodes}
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, begin(t, whole.process(func(d *analysis.Deps) { d.Store = counted }), analysisv1.Review_REVIEW_NONE).GetStatus())
		require.Greater(t, nodes, 16)
		for n := 1; n < nodes; n++ {
			t.Run(fmt.Sprintf("after node %d", n), func(t *testing.T) {
				t.Parallel()
				w := newWorldIn(t, place)
				killed := &dying{Store: w.open(), saves: n, dead: make(chan struct{})}
				first := w.process(func(d *analysis.Deps) { d.Store = killed })
				ctx, cancel := context.WithCancel(as(t.Context(), "ann"))
				go func() {
					_, _ = first.StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{Question: question, Review: analysisv1.Review_REVIEW_NONE}})
				}()
				select {
				case <-killed.dead:
				case <-time.After(hangs):
					t.Fatal("it did not get so far")
				}
				cancel()
				_ = first.Close() // a dead process does nothing more; its store is closed
				w.clock.Move(time.Minute)

				second := w.process()
				list, err := second.ListAnalyses(as(t.Context(), "ann"), &analysisv1.ListAnalysesRequest{})
				require.NoError(t, err)
				require.Len(t, list.GetAnalyses(), 1)
				require.Equal(t, commonv1.RunStatus_RUN_STATUS_INTERRUPTED, list.GetAnalyses()[0].GetStatus())
				id := list.GetAnalyses()[0].GetAnalysisId()
				before, err := second.GetAnalysis(as(t.Context(), "ann"), &analysisv1.GetAnalysisRequest{AnalysisId: id})
				require.NoError(t, err)
				ranBefore := make(map[string]int)
				for statement, ids := range w.team.ran {
					ranBefore[statement] = len(ids)
				}
				got, err := decide(as(t.Context(), "ann"), second, &analysisv1.ResumeDecision{AnalysisId: id, Decision: analysisv1.Decision_DECISION_CONTINUE})
				require.NoError(t, err)
				require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, got.GetStatus(), got.GetError())
				for _, r := range before.GetAnalysis().GetResults() {
					for _, statement := range r.GetExecutedSql() {
						require.Len(t, w.team.ran[statement], ranBefore[statement], "a finished step ran again: %s", statement)
					}
				}
				for statement, ids := range w.team.ran {
					for _, other := range ids {
						require.Equal(t, ids[0], other, "%s ran under two ids", statement)
					}
				}
			})
		}
	})
}

// counting counts the nodes that are stored.
type counting struct {
	analysis.Store
	saves *int
}

func (c *counting) Save(ctx context.Context, r analysis.Record) (int64, error) {
	*c.saves++
	return c.Store.Save(ctx, r)
}

// TestWhatAnotherServiceSaysIsTold: an answer that was written for people reaches them, and
// nothing else does.
func TestWhatAnotherServiceSaysIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for want, err := range map[string]error{
		`there is no source "gym"`: fault.NotFound("SOURCE_UNKNOWN", `there is no source "gym": known sources are demo`).GRPCStatus().Err(),
		"something went wrong":     status.Error(codes.Unavailable, "dial tcp 10.0.0.1: connection refused"),
		"something went wrong ":    fault.New(codes.Internal, "INTERNAL", "of another run").GRPCStatus().Err(),
	} {
		w.team.discovery = err
		a := begin(t, w.process(), analysisv1.Review_REVIEW_NONE)
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_FAILED, a.GetStatus())
		require.Contains(t, a.GetError(), strings.TrimSpace(want))
	}
}

// TestCancelReachesTheEngine from the same process and from another one.
func TestCancelReachesTheEngine(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, place func(testing.TB) opener) {
		for name, elsewhere := range map[string]bool{"the same process": false, "another process": true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorldIn(t, place)
				running, ended := make(chan struct{}), make(chan struct{})
				w.team.hold = func(ctx context.Context, _ string) error {
					close(running)
					<-ctx.Done()
					close(ended)
					return status.FromContextError(ctx.Err()).Err()
				}
				s := w.process()
				canceller := s
				if elsewhere {
					canceller = w.process()
				}
				done := make(chan *analysisv1.Analysis, 1)
				go func() { done <- begin(t, s, analysisv1.Review_REVIEW_NONE) }()
				<-running
				list, err := canceller.ListAnalyses(as(t.Context(), "ann"), &analysisv1.ListAnalysesRequest{})
				require.NoError(t, err)
				_, err = canceller.CancelAnalysis(as(t.Context(), "ann"), &analysisv1.CancelAnalysisRequest{AnalysisId: list.GetAnalyses()[0].GetAnalysisId()})
				require.NoError(t, err)
				select {
				case <-ended:
				case <-time.After(hangs):
					t.Fatal("the statement went on")
				}
				require.Equal(t, commonv1.RunStatus_RUN_STATUS_CANCELLED, (<-done).GetStatus())
			})
		}
	})
}

// TestOthersDoNotExist: to anybody else an analysis is what one that never was is.
func TestOthersDoNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.process()
	a := begin(t, s, analysisv1.Review_REVIEW_WAIT)
	bob := as(t.Context(), "bob")
	_, get := s.GetAnalysis(bob, &analysisv1.GetAnalysisRequest{AnalysisId: a.GetAnalysisId()})
	_, resume := decide(bob, s, approval(a))
	_, cancel := s.CancelAnalysis(bob, &analysisv1.CancelAnalysisRequest{AnalysisId: a.GetAnalysisId()})
	_, report := s.GetReport(bob, &analysisv1.GetReportRequest{AnalysisId: a.GetAnalysisId()})
	_, never := s.GetAnalysis(bob, &analysisv1.GetAnalysisRequest{AnalysisId: "ana_0"})
	for _, err := range []error{get, resume, cancel, report, never} {
		require.Equal(t, codes.NotFound, status.Code(err))
		require.Equal(t, "ANALYSIS_UNKNOWN", fault.ReasonOf(err))
	}
	list, err := s.ListAnalyses(bob, &analysisv1.ListAnalysesRequest{})
	require.NoError(t, err)
	require.Empty(t, list.GetAnalyses())
	_, err = s.GetAnalysis(t.Context(), &analysisv1.GetAnalysisRequest{AnalysisId: a.GetAnalysisId()})
	require.Equal(t, codes.Unauthenticated, status.Code(err))
}

// TestAStepThatFailsIsToldAndNeverDropped: what an engine fails is written again, and when
// the same SQL comes again the step is told as unanswered beside those that are.
func TestAStepThatFailsIsToldAndNeverDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.hold = func(_ context.Context, statement string) error {
		if strings.Contains(statement, "by clinic") {
			return status.Error(codes.Aborted, "the engine ran out of 7 spoons")
		}
		return nil
	}
	s := w.process()
	a := begin(t, s, analysisv1.Review_REVIEW_NONE)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, a.GetStatus())
	require.Equal(t, analysisv1.StepStatus_STEP_STATUS_UNANSWERED, a.GetResults()[1].GetStatus())
	r, err := s.GetReport(as(t.Context(), "ann"), &analysisv1.GetReportRequest{AnalysisId: a.GetAnalysisId()})
	require.NoError(t, err)
	require.Contains(t, r.GetText(), "the engine ran out of 7 spoons")
}

func TestOnlySQLRunsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.process()
	r, err := s.StartAnalysisUnary(as(t.Context(), "ann"), &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{Question: question, Review: analysisv1.Review_REVIEW_NONE, OnlyNl2Sql: true}})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, r.GetAnalysis().GetStatus())
	require.Empty(t, w.team.ran)
	require.NotEmpty(t, r.GetAnalysis().GetResults()[0].GetExecutedSql())
	_, err = s.GetReport(as(t.Context(), "ann"), &analysisv1.GetReportRequest{AnalysisId: r.GetAnalysis().GetAnalysisId()})
	require.Equal(t, "ANALYSIS_NO_REPORT", fault.ReasonOf(err))
}

// TestListsArePagedAndBounded: a person's oldest analyses that have ended make room, and
// those that wait do not.
func TestListsArePagedAndBounded(t *testing.T) {
	t.Parallel()
	s := analysis.OpenSQLite(filepath.Join(t.TempDir(), "d"))
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	create := func(n int, state run.Status) error {
		return s.Create(t.Context(), analysis.Record{
			ID: fmt.Sprintf("ana_%02d", n), Owner: "ann", Status: state, Revision: 1, Created: at.Add(time.Duration(n) * time.Minute), State: []byte("{}"),
		}, 4)
	}
	for n := range 6 {
		require.NoError(t, create(n, run.StatusSucceeded))
	}
	var ids []string
	var after store.Cursor
	for {
		page, err := s.List(t.Context(), "ann", after, 3)
		require.NoError(t, err)
		for _, r := range page {
			ids = append(ids, r.ID)
			after = store.Cursor{At: store.Nanos(r.Created), ID: r.ID}
		}
		if len(page) < 3 {
			break
		}
	}
	require.Equal(t, []string{"ana_05", "ana_04", "ana_03", "ana_02"}, ids)
	for n := 10; n < 14; n++ {
		require.NoError(t, create(n, run.StatusWaiting))
	}
	require.ErrorIs(t, create(20, run.StatusRunning), analysis.ErrFull)
	require.NoError(t, s.Close())
}

// TestWhatTheEngineSaysIsPassedOn: whoever writes the next statement is told the one that did
// not do and why; another step begins with none.
func TestWhatTheEngineSaysIsPassedOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.failed = "Column 'vists' cannot be resolved"
	a := begin(t, w.process(), analysisv1.Review_REVIEW_NONE)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, a.GetStatus(), a.GetError())
	require.Len(t, w.team.tried, 4, "three steps of SQL, the first one twice")
	require.Empty(t, w.team.tried[0])
	require.Len(t, w.team.tried[1], 1)
	require.Contains(t, w.team.tried[1][0].GetSql(), "SELECT 'visits")
	require.Equal(t, "Column 'vists' cannot be resolved", w.team.tried[1][0].GetReason())
	require.Empty(t, w.team.tried[2])
	require.EqualValues(t, 2, a.GetResults()[0].GetSqlTries())
	require.EqualValues(t, 1, a.GetResults()[0].GetRows())
}

// TestTheNodeAtWorkIsTold while it is at work, and no other.
func TestTheNodeAtWorkIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	running, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.team.hold = func(context.Context, string) error {
		once.Do(func() { close(running) })
		<-goOn
		return nil
	}
	s := w.process()
	ann := as(t.Context(), "ann")
	done := make(chan *analysisv1.Analysis, 1)
	go func() { done <- begin(t, s, analysisv1.Review_REVIEW_NONE) }()
	<-running
	list, err := s.ListAnalyses(ann, &analysisv1.ListAnalysesRequest{})
	require.NoError(t, err)
	got, err := s.GetAnalysis(ann, &analysisv1.GetAnalysisRequest{AnalysisId: list.GetAnalyses()[0].GetAnalysisId()})
	require.NoError(t, err)
	require.Equal(t, []string{"semantic_consistency", "sql_execute"}, []string{got.GetAnalysis().GetNode(), got.GetAnalysis().GetNodeAtWork()})
	close(goOn)
	require.Empty(t, (<-done).GetNodeAtWork())
}
