package analysis

import (
	"cmp"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// How much of an analysis is sent.
const (
	brief = false // without tables
	whole = true
)

var kinds = map[plan.Kind]analysisv1.StepKind{
	plan.SQL: analysisv1.StepKind_STEP_KIND_SQL, plan.ExplainChange: analysisv1.StepKind_STEP_KIND_EXPLAIN_CHANGE,
	plan.Study: analysisv1.StepKind_STEP_KIND_STUDY, plan.Forecast: analysisv1.StepKind_STEP_KIND_FORECAST,
	plan.Segments: analysisv1.StepKind_STEP_KIND_SEGMENTS, plan.Relation: analysisv1.StepKind_STEP_KIND_RELATION,
	plan.Anomalies: analysisv1.StepKind_STEP_KIND_ANOMALIES, plan.Python: analysisv1.StepKind_STEP_KIND_PYTHON, plan.Report: analysisv1.StepKind_STEP_KIND_REPORT,
}

var shapes = map[plan.Shape]analysisv1.OutputShape{
	plan.Figures: analysisv1.OutputShape_OUTPUT_SHAPE_FIGURES, plan.Categories: analysisv1.OutputShape_OUTPUT_SHAPE_CATEGORIES,
	plan.Series: analysisv1.OutputShape_OUTPUT_SHAPE_SERIES, plan.Change: analysisv1.OutputShape_OUTPUT_SHAPE_CHANGE,
	plan.Document: analysisv1.OutputShape_OUTPUT_SHAPE_DOCUMENT,
}

var stepStatuses = map[workflow.StepStatus]analysisv1.StepStatus{
	workflow.StepRunning: analysisv1.StepStatus_STEP_STATUS_RUNNING, workflow.StepDone: analysisv1.StepStatus_STEP_STATUS_DONE,
	workflow.StepUnanswered: analysisv1.StepStatus_STEP_STATUS_UNANSWERED,
}

// status is where an analysis stands, as people see it.
func (s *Service) status(r Record) commonv1.RunStatus {
	if s.interrupted(r) {
		return runpb.FromStatus(run.StatusInterrupted)
	}
	return runpb.FromStatus(r.Status)
}

// listed is an analysis in a list.
func (s *Service) listed(r Record) *analysisv1.Analysis {
	return &analysisv1.Analysis{
		AnalysisId: r.ID, Status: s.status(r), Question: prose.Safe(r.Title),
		StartedAt: timestamppb.New(r.Created), UpdatedAt: timestamppb.New(r.Updated),
	}
}

func (s *Service) toAnalysis(i *item, tables bool) *analysisv1.Analysis {
	st := i.state
	a := s.listed(i.record)
	if st.Query.Agent != nil {
		a.AgentId = st.Query.Agent.ID
	}
	a.Question, a.Source, a.Node = prose.Safe(st.Query.Question), st.Query.Source, st.Node
	a.CanonicalQuestion, a.RequestKind = prose.Safe(st.Canonical), st.Request.Kind
	a.CurrentStep, a.Message, a.Error, a.HasReport = st.Current, prose.Safe(st.Message), prose.Safe(st.Error), st.Report != nil
	if st.Report != nil {
		for _, text := range st.Report.Summary {
			a.Summary = append(a.Summary, prose.Safe(text))
		}
	}
	if st.Plan.Version > 0 {
		a.Plan = toPlan(st.Plan)
	}
	for _, step := range st.Plan.Steps {
		r := &analysisv1.StepResult{StepId: step.ID, Status: analysisv1.StepStatus_STEP_STATUS_PENDING}
		for _, have := range st.Results {
			if have.Step == step.ID {
				r = toResult(have, tables)
			}
		}
		a.Results = append(a.Results, r)
	}
	if i.record.Status == run.StatusRunning && !s.interrupted(i.record) {
		a.NodeAtWork = cmp.Or(st.Next, workflow.IntentRecognition)
	}
	if i.record.Status == run.StatusWaiting {
		a.Pending = &commonv1.Question{Text: prose.Safe(st.Asked), ToolName: "analyze", Options: []*commonv1.Option{
			{Id: "approve", Label: s.words.Say(st.Query.Language, "approve")}, {Id: "reject", Label: s.words.Say(st.Query.Language, "reject")},
		}}
	}
	return a
}

func toPlan(p plan.Plan) *analysisv1.Plan {
	out := &analysisv1.Plan{Version: int32(p.Version)}
	for _, a := range p.Assumptions {
		out.Assumptions = append(out.Assumptions, prose.Safe(a))
	}
	for _, s := range p.Steps {
		out.Steps = append(out.Steps, &analysisv1.PlanStep{
			Id: s.ID, Kind: kinds[s.Kind], Title: prose.Safe(s.Title), Instruction: prose.Safe(s.Instruction), Inputs: s.Inputs, Expects: shapes[s.Expects],
			Study: studyKind(s.Study), Days: int32(s.Days), //nolint:gosec // Check bounds it to plan.MaxDays
		})
	}
	for _, c := range p.Costs {
		out.Costs = append(out.Costs, &analysisv1.StepCost{StepId: c.Step, Rows: c.Rows, Bytes: c.Bytes, UnknownReason: prose.Safe(c.Unknown)})
	}
	for _, u := range p.Unanswered {
		out.Unanswered = append(out.Unanswered, &analysisv1.UnansweredPart{Part: prose.Safe(u.Text), Reason: prose.Safe(u.Reason)})
	}
	return out
}

func fromSteps(list []*analysisv1.PlanStep) []plan.Step {
	out := make([]plan.Step, 0, len(list))
	for _, m := range list {
		s := plan.Step{ID: m.GetId(), Title: m.GetTitle(), Instruction: m.GetInstruction(), Inputs: m.GetInputs(), Days: int(m.GetDays())}
		if m.GetStudy() != commonv1.StudyKind_STUDY_KIND_UNSPECIFIED {
			s.Study = strings.ToLower(strings.TrimPrefix(m.GetStudy().String(), "STUDY_KIND_"))
		}
		for kind, number := range kinds {
			if number == m.GetKind() {
				s.Kind = kind
			}
		}
		for shape, number := range shapes {
			if number == m.GetExpects() {
				s.Expects = shape
			}
		}
		out = append(out, s)
	}
	return out
}

func toResult(r workflow.Result, tables bool) *analysisv1.StepResult {
	out := &analysisv1.StepResult{
		StepId: r.Step, Status: stepStatuses[r.Status], Problem: prose.Safe(r.Problem), Answer: prose.Safe(r.Answer), SqlTries: int32(r.Tries), ExecutedSql: r.SQL,
	}
	if len(r.Tables) > 0 {
		out.Rows = max(r.Tables[0].Total, int64(len(r.Tables[0].Rows)))
	}
	for _, w := range r.Warnings {
		out.Warnings = append(out.Warnings, &commonv1.Warning{Code: w.Code, Message: prose.Safe(w.Text)})
	}
	if !tables {
		return out
	}
	if r.Chart.Kind != 0 {
		out.Chart = &commonv1.Chart{Kind: commonv1.ChartKind(r.Chart.Kind), Title: prose.Safe(prose.Line(r.Chart.Title)), EchartsOptionJson: r.Chart.Option}
	}
	out.Certificate = toCertificate(r.Evidence)
	for _, a := range artifactsOf(r) {
		out.Artifacts = append(out.Artifacts, &analysisv1.Artifact{Name: a.name, MediaType: a.media})
	}
	for _, t := range r.Tables {
		page, err := resultpb.ToPage(t.Result())
		if err != nil { // a cell of a type that no page has; the others are told
			out.Warnings = append(out.Warnings, &commonv1.Warning{Code: "TABLE_UNREADABLE", Message: prose.Safe(err.Error())})
			continue
		}
		page.ResultId, page.TotalRows = t.ResultID, max(t.Total, int64(len(t.Rows)))
		out.Tables = append(out.Tables, &analysisv1.NamedTable{Name: t.Name, Page: page})
	}
	return out
}

func toCertificate(e workflow.Evidences) *commonv1.Certificate {
	out := &commonv1.Certificate{
		Metrics: prose.SafeAll(e.Metrics), Filters: prose.SafeAll(e.Filters), Assumptions: prose.SafeAll(e.Assumptions), Rows: e.Rows, BytesScanned: e.Bytes, Confidence: e.Confidence, StatementSha256: e.SHA256, Paragraph: prose.Safe(e.Paragraph),
	}
	for _, s := range e.Sources {
		t := &commonv1.TableFreshness{Table: s.Name, LatestPartition: s.Newest}
		if !s.Updated.IsZero() {
			t.UpdatedAt = timestamppb.New(s.Updated)
		}
		out.Tables = append(out.Tables, t)
	}
	for _, g := range e.Guard {
		out.GuardChanges = append(out.GuardChanges, &commonv1.GuardChangeNote{Message: prose.Safe(g)})
	}
	return out
}
