// Package analysis answers long questions: it makes a plan, lets a person see and change
// it, runs its steps through the other services as the asker, and writes a report whose
// numbers are cells of the steps' results.
//
// service.go speaks gRPC and convert.go translates, watches.go both for watches; work.go keeps analyses at work, in
// this process and across processes; store.go says how they are kept, sqlite.go and
// postgres.go keep them (watches_sqlite.go and watches_postgres.go watches); agents.go calls the other services. What an analysis does is in workflow, how a
// request becomes a plan in plan, how results become a report in report.
package analysis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/analysis/agent"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/report"
	"github.com/dibrain/dibrain/services/analysis/watch"
	"github.com/dibrain/dibrain/services/analysis/words"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// Prefix of the ids of analyses.
const prefixAnalysis = "ana_"

// Service implements analysisv1.AnalysisServiceServer. It may be used concurrently.
type Service struct {
	analysisv1.UnimplementedAnalysisServiceServer

	config   Config
	deps     Deps
	words    *words.Words
	workflow *workflow.Workflow
	writer   *report.Writer
	live     *live
	instance string // this process, as the store knows it
	watches  *watch.Scheduler
}

// New returns the service.
func New(config Config, deps Deps) (*Service, error) {
	config, err := config.Complete()
	if err != nil {
		return nil, err
	}
	if deps, err = deps.complete(); err != nil {
		return nil, err
	}
	s := &Service{config: config, deps: deps, live: newLive(), instance: deps.IDs("proc_")}
	if s.words, err = words.New(); err != nil {
		return nil, err
	}
	rules, err := plan.NewRules()
	if err != nil {
		return nil, err
	}
	s.writer = report.New(s.words, config.MaxRows)
	python := workflow.Python{Tries: config.PythonTries, MaxFiles: config.MaxArtifactBytes, Strict: config.PythonFallback == FallbackOff, Log: deps.Log}
	if config.Python != PythonOff {
		python.Interpreter = deps.Interpreter
		if python.Runner, python.Coder = deps.Python, deps.Coder; deps.Python == nil {
			return nil, fmt.Errorf("analysis.python is %s and there is none", config.Python)
		}
	}
	if s.workflow, err = workflow.New(&agents{config: config, deps: deps, words: s.words}, rules, s.words, s.writer.Check, python, deps.Planner); err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	s.watches = s.scheduler()
	return s, nil
}

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { analysisv1.RegisterAnalysisServiceServer(r, s) }

// Close ends the analyses at work here, to be taken up after their last node by whoever
// comes next.
func (s *Service) Close() error {
	s.live.mu.Lock()
	for _, stop := range s.live.stop {
		stop(errStopping)
	}
	s.live.mu.Unlock()
	s.live.work.Wait()
	return s.deps.Store.Close()
}

func principal(ctx context.Context) (run.Principal, error) {
	p := run.From(ctx).Principal
	if p.IsZero() {
		return p, fault.New(codes.Unauthenticated, "UNAUTHENTICATED", "nobody is signed in: give a token")
	}
	return p, nil
}

// start begins an analysis and returns its id.
func (s *Service) start(ctx context.Context, p run.Principal, q *analysisv1.AnalysisQuery) (string, error) {
	return s.startAs(ctx, p, s.deps.IDs(prefixAnalysis), q)
}

// startAs begins an analysis under an id that no other one has.
func (s *Service) startAs(ctx context.Context, p run.Principal, id string, q *analysisv1.AnalysisQuery) (string, error) {
	question := strings.TrimSpace(q.GetQuestion())
	if question == "" {
		return "", fault.Invalid("query.question", "QUESTION_EMPTY", "The question is empty: say what to analyse.")
	}
	rc := run.From(ctx)
	if zone := q.GetUserContext().GetTimeZone(); zone != "" && run.ValidTimeZone(zone) {
		rc.TimeZone = zone
	}
	now := rc.Now
	if now.IsZero() {
		now = s.deps.Clock()
	}
	state := &workflow.State{ID: id, Status: run.StatusRunning, Query: workflow.Query{
		Source: q.GetSource(), Question: question, Language: languageOf(q.GetUserContext(), question), TimeZone: rc.TimeZone, Now: now.In(rc.Location()),
		Review:  q.GetReview() == analysisv1.Review_REVIEW_WAIT || q.GetReview() == analysisv1.Review_REVIEW_UNSPECIFIED && s.config.Review == ReviewWait,
		OnlySQL: q.GetOnlyNl2Sql(), CostConfirmed: q.GetCostConfirmed(), Tables: q.GetTables(),
		Region: q.GetUserContext().GetRegion(), Department: q.GetUserContext().GetDepartment(), Background: q.GetUserContext().GetBackground(),
	}}
	if err := s.takeAgent(p, q.GetAgentId(), &state.Query); err != nil {
		return "", err
	}
	if state.Query.Source == "" {
		state.Query.Source = s.config.DefaultSource
	}
	for _, e := range q.GetEarlier() {
		state.Query.Earlier = append(state.Query.Earlier, workflow.Earlier{Question: e.GetQuestion(), Plan: e.GetPlan()})
	}
	if s.live.at() >= s.config.MaxRunning {
		return "", fault.New(codes.ResourceExhausted, reasonRunning, fmt.Sprintf(
			"%d analyses are at work already, which is the most (analysis.max_running). Try again when one has ended.", s.config.MaxRunning))
	}
	at := s.deps.Clock()
	i := &item{state: state, record: Record{
		ID: state.ID, Owner: p.ID, Title: lang.Shorten(question, 200), Revision: 1, Runner: s.instance, LeaseUntil: at.Add(s.config.Lease), Created: at, Updated: at,
	}}
	if err := i.pack(s.config.MaxStateBytes); err != nil {
		return "", err
	}
	err := s.deps.Store.Create(ctx, i.record, s.config.MaxAnalyses)
	if errors.Is(err, ErrFull) {
		return "", fault.New(codes.ResourceExhausted, reasonFull, fmt.Sprintf(
			"%d analyses of yours are at work or wait for you, which is the most (analysis.max_analyses). Decide on some, or cancel them.", s.config.MaxAnalyses))
	}
	if err != nil {
		return "", err
	}
	s.work(ctx, i)
	return state.ID, nil
}

// takeAgent gives an analysis what its agent knows, as it is now: a file that changes later
// changes no analysis that has begun.
func (s *Service) takeAgent(p run.Principal, id string, q *workflow.Query) error {
	if id == "" {
		return nil
	}
	chosen, err := s.agentFor(p, id, q.Question)
	if err != nil {
		return err
	}
	q.Agent = &chosen
	q.Source = cmp.Or(q.Source, chosen.Source)
	return nil
}

// agentFor is what an agent that somebody may use knows that bears on a question.
func (s *Service) agentFor(p run.Principal, id, question string) (agent.Chosen, error) {
	chosen, ok := s.deps.Agents.For(p, id, question)
	if !ok {
		known := "there are none that you may use: whoever runs the server sets them up with analysis.agents_file"
		if names := s.deps.Agents.Names(p); len(names) > 0 {
			known = "name one of " + lang.Shorten(strings.Join(names, ", "), 500)
		}
		return chosen, fault.NotFound("AGENT_UNKNOWN", "There is no agent %q for analyses; %s.", lang.Shorten(id, 64), known)
	}
	return chosen, nil
}

// resume hears a person's word.
func (s *Service) resume(ctx context.Context, p run.Principal, d *analysisv1.ResumeDecision) error {
	i, err := s.load(ctx, p, d.GetAnalysisId())
	if err != nil {
		return err
	}
	if d.GetDecision() == analysisv1.Decision_DECISION_CONTINUE {
		if !s.interrupted(i.record) {
			return notWaiting()
		}
	} else {
		if i.state.Status != run.StatusWaiting {
			return notWaiting()
		}
		if int(d.GetPlanVersion()) != i.state.Plan.Version {
			return fault.New(codes.FailedPrecondition, reasonPlan, fmt.Sprintf(
				"The plan is version %d and the decision is about version %d: look at it again (GetAnalysis).", i.state.Plan.Version, d.GetPlanVersion()))
		}
		if err := s.decide(i.state, d); err != nil {
			return err
		}
		i.state.Status = run.StatusRunning
	}
	if err := s.claim(ctx, i); err != nil {
		return err
	}
	s.live.tell(i.record.ID)
	s.work(ctx, i)
	return nil
}

// decide writes a person's word into a state that waits.
func (s *Service) decide(state *workflow.State, d *analysisv1.ResumeDecision) error {
	switch d.GetDecision() {
	case analysisv1.Decision_DECISION_APPROVE:
		state.Human = workflow.Approved
	case analysisv1.Decision_DECISION_REJECT:
		words := strings.TrimSpace(d.GetFeedback())
		if words == "" {
			return fault.Invalid("decision.feedback", "FEEDBACK_EMPTY", "Say in feedback what another plan should do, or cancel the analysis.")
		}
		state.Human, state.Feedback = workflow.Rejected, append(state.Feedback, words)
	case analysisv1.Decision_DECISION_EDIT:
		edited := plan.Plan{
			Version: state.Plan.Version + 1, Steps: fromSteps(d.GetSteps()), Unanswered: state.Plan.Unanswered, Assumptions: state.Plan.Assumptions,
		}
		if problems := plan.Check(edited); len(problems) > 0 {
			texts := make([]string, 0, len(problems))
			for _, p := range problems {
				texts = append(texts, p.Text)
			}
			return fault.Invalid("decision.steps", reasonBadPlan, "The plan does not hold together: %s.", strings.Join(texts, "; "))
		}
		state.Human, state.Plan = workflow.Edited, edited
	default:
		return fault.Invalid("decision.decision", "DECISION_UNKNOWN", "Say what is wanted: APPROVE, REJECT, EDIT or CONTINUE.")
	}
	return nil
}

// maxCancelTries is how often a cancellation is tried against an analysis that changes.
const maxCancelTries = 50

// cancel ends an analysis, wherever it is at work.
func (s *Service) cancel(ctx context.Context, p run.Principal, id string) (*item, error) {
	for range maxCancelTries {
		i, err := s.load(ctx, p, id)
		if err != nil {
			return nil, err
		}
		if i.record.Status.Done() {
			return i, nil
		}
		i.state.Status = run.StatusCancelled
		i.state.Message = s.words.Say(i.state.Query.Language, "cancelled")
		i.record.Runner, i.record.Updated = "", s.deps.Clock()
		if err := i.pack(s.config.MaxStateBytes); err != nil {
			return nil, err
		}
		revision, err := s.deps.Store.Save(ctx, i.record)
		if errors.Is(err, ErrChanged) {
			continue // a node ended meanwhile
		}
		if err != nil {
			return nil, err
		}
		i.record.Revision = revision
		s.live.end(id, errCancelled)
		s.live.tell(id)
		return i, nil
	}
	return nil, fault.New(codes.Aborted, "ANALYSIS_BUSY", "The analysis changes too quickly to be cancelled: try again.")
}

// StartAnalysis implements the rpc.
func (s *Service) StartAnalysis(r *analysisv1.StartAnalysisRequest, stream grpc.ServerStreamingServer[analysisv1.StartAnalysisResponse]) error {
	ctx := stream.Context()
	p, err := principal(ctx)
	if err != nil {
		return err
	}
	id, err := s.start(ctx, p, r.GetQuery())
	if err != nil {
		return err
	}
	return s.follow(ctx, p, id, func(i *item) error {
		return stream.Send(&analysisv1.StartAnalysisResponse{Analysis: s.toAnalysis(i, brief)})
	})
}

// StartAnalysisUnary implements the rpc.
func (s *Service) StartAnalysisUnary(ctx context.Context, r *analysisv1.StartAnalysisUnaryRequest) (*analysisv1.StartAnalysisUnaryResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	id, err := s.start(ctx, p, r.GetQuery())
	if err != nil {
		return nil, err
	}
	last, err := s.last(ctx, p, id)
	return &analysisv1.StartAnalysisUnaryResponse{Analysis: last}, err
}

// last follows an analysis to its end, or to where it waits.
func (s *Service) last(ctx context.Context, p run.Principal, id string) (*analysisv1.Analysis, error) {
	var last *analysisv1.Analysis
	err := s.follow(ctx, p, id, func(i *item) error {
		last = s.toAnalysis(i, brief)
		return nil
	})
	return last, err
}

// ResumeAnalysis implements the rpc.
func (s *Service) ResumeAnalysis(r *analysisv1.ResumeAnalysisRequest, stream grpc.ServerStreamingServer[analysisv1.ResumeAnalysisResponse]) error {
	ctx := stream.Context()
	p, err := principal(ctx)
	if err != nil {
		return err
	}
	if err := s.resume(ctx, p, r.GetDecision()); err != nil {
		return err
	}
	return s.follow(ctx, p, r.GetDecision().GetAnalysisId(), func(i *item) error {
		return stream.Send(&analysisv1.ResumeAnalysisResponse{Analysis: s.toAnalysis(i, brief)})
	})
}

// ResumeAnalysisUnary implements the rpc.
func (s *Service) ResumeAnalysisUnary(ctx context.Context, r *analysisv1.ResumeAnalysisUnaryRequest) (*analysisv1.ResumeAnalysisUnaryResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.resume(ctx, p, r.GetDecision()); err != nil {
		return nil, err
	}
	last, err := s.last(ctx, p, r.GetDecision().GetAnalysisId())
	return &analysisv1.ResumeAnalysisUnaryResponse{Analysis: last}, err
}

// WatchAnalysis implements the rpc.
func (s *Service) WatchAnalysis(r *analysisv1.WatchAnalysisRequest, stream grpc.ServerStreamingServer[analysisv1.WatchAnalysisResponse]) error {
	ctx := stream.Context()
	p, err := principal(ctx)
	if err != nil {
		return err
	}
	return s.follow(ctx, p, r.GetAnalysisId(), func(i *item) error {
		return stream.Send(&analysisv1.WatchAnalysisResponse{Analysis: s.toAnalysis(i, brief)})
	})
}

// GetAnalysis implements the rpc.
func (s *Service) GetAnalysis(ctx context.Context, r *analysisv1.GetAnalysisRequest) (*analysisv1.GetAnalysisResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	i, err := s.load(ctx, p, r.GetAnalysisId())
	if err != nil {
		return nil, err
	}
	return &analysisv1.GetAnalysisResponse{Analysis: s.toAnalysis(i, whole)}, nil
}

// defaultPage is the size of a page that a request leaves open.
const defaultPage = 50

// ListAnalyses implements the rpc.
func (s *Service) ListAnalyses(ctx context.Context, r *analysisv1.ListAnalysesRequest) (*analysisv1.ListAnalysesResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	after, _, err := store.ParseCursor("analyses", r.GetPageToken())
	if err != nil {
		return nil, err
	}
	size := int(r.GetPageSize())
	if size == 0 {
		size = defaultPage
	}
	records, err := s.deps.Store.List(ctx, p.ID, after, size+1)
	if err != nil {
		return nil, err
	}
	out := &analysisv1.ListAnalysesResponse{}
	for n, record := range records {
		if n == size {
			last := records[n-1]
			out.NextPageToken = store.Cursor{List: "analyses", At: store.Nanos(last.Created), ID: last.ID}.Token()
			break
		}
		out.Analyses = append(out.Analyses, s.listed(record))
	}
	return out, nil
}

// CancelAnalysis implements the rpc.
func (s *Service) CancelAnalysis(ctx context.Context, r *analysisv1.CancelAnalysisRequest) (*analysisv1.CancelAnalysisResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	i, err := s.cancel(ctx, p, r.GetAnalysisId())
	if err != nil {
		return nil, err
	}
	return &analysisv1.CancelAnalysisResponse{Analysis: s.toAnalysis(i, brief)}, nil
}

// GetReport implements the rpc.
func (s *Service) GetReport(ctx context.Context, r *analysisv1.GetReportRequest) (*analysisv1.GetReportResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	i, err := s.load(ctx, p, r.GetAnalysisId())
	if err != nil {
		return nil, err
	}
	written := i.state.Report
	if written == nil {
		return nil, fault.New(codes.FailedPrecondition, reasonNoReport, fmt.Sprintf(
			"The analysis has no report: it is %s. GetAnalysis says more.", i.record.Status))
	}
	out := &analysisv1.GetReportResponse{Title: written.Title, MediaType: "text/markdown; charset=utf-8"}
	write := s.writer.Markdown
	if r.GetFormat() == analysisv1.ReportFormat_REPORT_FORMAT_HTML {
		write, out.MediaType = s.writer.HTML, "text/html; charset=utf-8"
	}
	if r.GetFormat() == analysisv1.ReportFormat_REPORT_FORMAT_PDF {
		write, out.MediaType = s.writer.PDF, "application/pdf"
	}
	var text bytes.Buffer
	if err := write(&text, i.state); err != nil {
		return nil, fmt.Errorf("write the report of %s: %w", i.record.ID, err)
	}
	if out.GetMediaType() == "application/pdf" {
		out.Data = text.Bytes()
	} else {
		out.Text = text.String()
	}
	return out, nil
}

// languageOf is the language that the asker chose, else that of the question.
func languageOf(u *commonv1.UserContext, question string) lang.Language {
	switch u.GetLanguage() {
	case commonv1.Language_LANGUAGE_EN:
		return lang.English
	case commonv1.Language_LANGUAGE_ZH:
		return lang.Chinese
	}
	return lang.Detect(question)
}
