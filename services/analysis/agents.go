package analysis

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/words"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// agents calls the other services for the workflow, each call as the asker and with a
// deadline of its own.
type agents struct {
	config Config
	deps   Deps
	words  *words.Words
}

func (a *agents) user(q workflow.Query) *commonv1.UserContext {
	u := &commonv1.UserContext{TimeZone: q.TimeZone, Region: q.Region, Department: q.Department, Background: q.Background, Language: commonv1.Language_LANGUAGE_EN}
	if q.Language == lang.Chinese {
		u.Language = commonv1.Language_LANGUAGE_ZH
	}
	return u
}

func (a *agents) ask(q workflow.Query, text string, e text2sqlv1.Execution) *text2sqlv1.GenerateQuery {
	return &text2sqlv1.GenerateQuery{Source: q.Source, UserQuestion: text, UserContext: a.user(q), Execution: e, ShowBasis: true}
}

// Parse implements workflow.Agents.
func (a *agents) Parse(ctx context.Context, q workflow.Query, text string) (plan.Parsed, error) {
	ctx, done := context.WithTimeout(ctx, a.config.StepTimeout)
	defer done()
	r, err := a.deps.Text2SQL.ParseQuestion(ctx, &text2sqlv1.ParseQuestionRequest{Query: a.ask(q, text, text2sqlv1.Execution_EXECUTION_NONE)})
	if err != nil {
		return plan.Parsed{}, err
	}
	out := plan.Parsed{NotUnderstood: r.GetNotUnderstood()}
	for _, s := range r.GetUnderstood() {
		span := plan.Span{Text: s.GetText(), Kind: s.GetKind()}
		if span.Kind == "time" {
			span.Days = daysOf(s.GetMeaning())
		}
		out.Spans = append(out.Spans, span)
	}
	return out, nil
}

// dayRange is what text to SQL says of a period.
var dayRange = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}) to (\d{4}-\d{2}-\d{2})$`)

// daysOf are the days that a piece of a question is, none where it is no period. Text to SQL
// says the first day and the one after the last.
func daysOf(meaning string) plan.Days {
	m := dayRange.FindStringSubmatch(meaning)
	if m == nil {
		return plan.Days{}
	}
	first, err := time.Parse(time.DateOnly, m[1])
	last, also := time.Parse(time.DateOnly, m[2])
	if err != nil || also != nil || !first.Before(last) {
		return plan.Days{}
	}
	return plan.Days{First: first, Last: last.AddDate(0, 0, -1)}
}

// Metrics implements workflow.Agents.
func (a *agents) Metrics(ctx context.Context, q workflow.Query) ([]plan.Metric, error) {
	ctx, done := context.WithTimeout(ctx, a.config.StepTimeout)
	defer done()
	r, err := a.deps.Text2SQL.ListMetrics(ctx, &text2sqlv1.ListMetricsRequest{Source: q.Source})
	if err != nil {
		return nil, err
	}
	var out []plan.Metric
	for _, m := range r.GetMetrics() {
		name := cmp.Or(m.GetNameEn(), m.GetNameZh(), m.GetId())
		if q.Language == lang.Chinese {
			name = cmp.Or(m.GetNameZh(), m.GetNameEn(), m.GetId())
		}
		out = append(out, plan.Metric{Name: name, Mart: m.GetMart(), Unit: m.GetUnit()})
	}
	return out, nil
}

// Writes implements workflow.Agents.
func (a *agents) Writes(ctx context.Context, q workflow.Query, question string) (bool, error) {
	ctx, done := context.WithTimeout(ctx, a.config.StepTimeout)
	defer done()
	r, err := a.deps.Text2SQL.GenerateSQLUnary(ctx, &text2sqlv1.GenerateSQLUnaryRequest{Query: a.ask(q, question, text2sqlv1.Execution_EXECUTION_NONE)})
	return r.GetResult().GetOutcome() == text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, err
}

// Adds implements workflow.Agents.
func (a *agents) Adds(ctx context.Context, q workflow.Query, question string) (plan.Adds, string, error) {
	ctx, done := context.WithTimeout(ctx, a.config.StepTimeout)
	defer done()
	r, err := a.deps.Text2SQL.PlanChange(ctx, &text2sqlv1.PlanChangeRequest{Query: a.ask(q, question, text2sqlv1.Execution_EXECUTION_UNSPECIFIED)})
	if err != nil {
		return "", "", err
	}
	measured := r.GetPlan().GetMetric()
	return map[commonv1.ChangeKind]plan.Adds{
		commonv1.ChangeKind_CHANGE_KIND_ADDITIVE: plan.AddsUp, commonv1.ChangeKind_CHANGE_KIND_SEMI_ADDITIVE: plan.AddsLevel,
		commonv1.ChangeKind_CHANGE_KIND_RATIO: plan.AddsRatio, commonv1.ChangeKind_CHANGE_KIND_DISTINCT: plan.AddsNever,
	}[measured.GetKind()], measured.GetId(), nil
}

// Discover implements workflow.Agents.
func (a *agents) Discover(ctx context.Context, q workflow.Query, text string) (workflow.Found, error) {
	ctx, done := context.WithTimeout(ctx, a.config.StepTimeout)
	defer done()
	r, err := a.deps.FindData.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{
		Source: q.Source, UserQuery: text, UserContext: a.user(q), ForSql: true, KnowledgeBaseList: q.Documents(),
	}})
	if err != nil {
		return workflow.Found{}, err
	}
	found := r.GetResult()
	var out workflow.Found
	for _, c := range found.GetRelatedTables() {
		if c.GetLocked() {
			continue // the asker may know of it and not read it
		}
		t := c.GetTable()
		name := strings.Join([]string{t.GetRef().GetIdcRegion(), t.GetRef().GetSchema(), t.GetRef().GetTable()}, ".")
		d := workflow.Document{Name: name, Why: strings.Join(c.GetReasons(), "; ")}
		for _, column := range t.GetColumns() {
			d.Columns = append(d.Columns, column.GetName()+" "+column.GetType())
		}
		for _, key := range t.GetForeignKeys() {
			ref := key.GetRefTable()
			d.References = append(d.References, fmt.Sprintf("%s -> %s.%s(%s)", strings.Join(key.GetColumns(), ", "),
				ref.GetSchema(), ref.GetTable(), strings.Join(key.GetRefColumns(), ", ")))
		}
		out.Tables = append(out.Tables, d)
	}
	for _, g := range found.GetGlossaryTerms() {
		out.Evidence = append(out.Evidence, workflow.Evidence{Kind: "term", Name: g.GetTerm(), Text: g.GetDefinition()})
	}
	for _, rule := range found.GetRules() {
		out.Evidence = append(out.Evidence, workflow.Evidence{Kind: "rule", Name: rule.GetId(), Text: rule.GetText()})
	}
	for _, doc := range found.GetRelatedDocs() {
		out.Evidence = append(out.Evidence, workflow.Evidence{Kind: "document", Name: doc.GetTitle(), Text: doc.GetText()})
	}
	if len(out.Tables) == 0 {
		out.Reason = cmp.Or(found.GetQuestion().GetText(), found.GetAnswer())
		for _, o := range found.GetQuestion().GetOptions() {
			out.Nearest = append(out.Nearest, o.GetLabel())
		}
		for _, u := range found.GetUnknownTables() {
			out.Nearest = append(out.Nearest, u.GetNear()...)
		}
	}
	return out, nil
}

// Bounds of what text to SQL is told of statements that did not do, in bytes, as in its
// contract.
const (
	maxTriedSQL    = 65536
	maxTriedReason = 4096
)

// Write implements workflow.Agents.
func (a *agents) Write(ctx context.Context, q workflow.Query, s plan.Step, tried []workflow.Tried) (workflow.Written, error) {
	ctx, done := context.WithTimeout(ctx, a.config.StepTimeout)
	defer done()
	switch s.Kind {
	case plan.ExplainChange:
		return a.planChange(ctx, q, s)
	case plan.Study:
		return a.planStudy(ctx, q, s)
	}
	question := a.ask(q, s.Instruction, text2sqlv1.Execution_EXECUTION_VALIDATE)
	for _, t := range tried {
		if len(t.SQL) <= maxTriedSQL {
			question.Tried = append(question.Tried, &text2sqlv1.TriedStatement{Sql: t.SQL, Reason: lang.Clip(t.Reason, maxTriedReason)})
		}
	}
	r, err := a.deps.Text2SQL.GenerateSQLUnary(ctx, &text2sqlv1.GenerateSQLUnaryRequest{Query: question})
	if err != nil {
		return workflow.Written{}, err
	}
	out := r.GetResult()
	if out.GetOutcome() != text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL || len(out.GetCandidates()) == 0 {
		return workflow.Written{}, a.open(q, out.GetAbstainedReason(), out.GetQuestion())
	}
	best := out.GetCandidates()[0]
	query := &chatbiv1.ExecuteQuery{
		Sql: best.GetSql(), Metrics: out.GetMetrics(), Assumptions: best.GetAssumptions(), Labels: best.GetLabels(), Confidence: out.GetConfidence(),
	}
	opaque, err := proto.MarshalOptions{Deterministic: true}.Marshal(query)
	if err != nil {
		return workflow.Written{}, fmt.Errorf("keep the SQL of a step: %w", err)
	}
	said := groupsOf(out.GetIntentJson())
	said.NotUnderstood = out.GetNotUnderstood()
	return workflow.Written{SQL: best.GetSql(), Opaque: opaque, Said: said}, nil
}

// open says why nothing was written: a reason, or what would have to be said first.
func (a *agents) open(q workflow.Query, reason string, question *commonv1.Question) error {
	if reason == "" {
		reason = a.words.Say(q.Language, "not_settled", "question", question.GetText())
	}
	return &workflow.CannotError{Reason: reason}
}

// groupsOf reads of an intent what its rows are by.
func groupsOf(intent string) workflow.Said {
	var read struct {
		GroupBy []struct {
			Kind  string `json:"kind"`
			ID    string `json:"id"`
			Grain string `json:"grain"`
		} `json:"group_by"`
		Time struct {
			Grain string `json:"grain"`
		} `json:"time"`
	}
	if intent == "" || json.Unmarshal([]byte(intent), &read) != nil {
		return workflow.Said{} // such as of a verified query: nothing is known
	}
	said := workflow.Said{Known: true, ByTime: read.Time.Grain != ""}
	for _, g := range read.GroupBy {
		if g.Grain != "" || g.Kind == "time" {
			said.ByTime = true
			continue
		}
		if strings.Count(g.ID, ".") > 1 { // a column of a table, which may hold days or names
			return workflow.Said{}
		}
		said.ByCategory = true
	}
	return said
}

func (a *agents) planChange(ctx context.Context, q workflow.Query, s plan.Step) (workflow.Written, error) {
	r, err := a.deps.Text2SQL.PlanChange(ctx, &text2sqlv1.PlanChangeRequest{Query: a.ask(q, s.Instruction, text2sqlv1.Execution_EXECUTION_UNSPECIFIED)})
	if err != nil {
		return workflow.Written{}, err
	}
	if r.GetPlan() == nil {
		return workflow.Written{}, a.open(q, r.GetAbstainedReason(), r.GetQuestion())
	}
	opaque, err := proto.MarshalOptions{Deterministic: true}.Marshal(r.GetPlan())
	if err != nil {
		return workflow.Written{}, fmt.Errorf("keep the plan of a change: %w", err)
	}
	out := workflow.Written{Opaque: opaque, Said: workflow.Said{NotUnderstood: r.GetNotUnderstood(), Change: true}}
	for _, statement := range r.GetPlan().GetStatements() {
		out.SQL += statement.GetSql() + ";\n"
	}
	return out, nil
}

// studyKind is the contract's name of a study.
func studyKind(name string) commonv1.StudyKind {
	return commonv1.StudyKind(commonv1.StudyKind_value["STUDY_KIND_"+strings.ToUpper(name)])
}

func (a *agents) planStudy(ctx context.Context, q workflow.Query, s plan.Step) (workflow.Written, error) {
	r, err := a.deps.Text2SQL.PlanStudy(ctx, &text2sqlv1.PlanStudyRequest{
		Query: a.ask(q, s.Instruction, text2sqlv1.Execution_EXECUTION_UNSPECIFIED), Kind: studyKind(s.Study),
	})
	if err != nil {
		return workflow.Written{}, err
	}
	if r.GetOutcome() != text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL {
		return workflow.Written{}, &workflow.CannotError{Reason: r.GetAbstainedReason()}
	}
	opaque, err := proto.MarshalOptions{Deterministic: true}.Marshal(&chatbiv1.ExecuteQuery{
		Sql: r.GetSql(), Labels: r.GetLabels(), Assumptions: r.GetAssumptions(),
	})
	if err != nil {
		return workflow.Written{}, fmt.Errorf("keep the SQL of a step: %w", err)
	}
	return workflow.Written{SQL: r.GetSql(), Opaque: opaque}, nil
}

// Estimate implements workflow.Agents. All steps together have analysis.estimate_timeout.
func (a *agents) Estimate(ctx context.Context, q workflow.Query, steps []plan.Step) []plan.Cost {
	ctx, done := context.WithTimeout(ctx, a.config.EstimateTimeout)
	defer done()
	out := []plan.Cost{}
	for _, s := range steps {
		if !s.Kind.Reads() {
			continue
		}
		cost, err := a.estimate(ctx, q, s)
		if err != nil {
			cost = plan.Cost{Rows: -1, Bytes: -1, Unknown: a.words.Say(q.Language, "cost_unknown")}
			if cannot := (*workflow.CannotError)(nil); errors.As(err, &cannot) {
				cost.Unknown = cannot.Reason
			}
		}
		cost.Step = s.ID
		out = append(out, cost)
	}
	return out
}

// estimate adds up what the statements of a step would read.
func (a *agents) estimate(ctx context.Context, q workflow.Query, s plan.Step) (plan.Cost, error) {
	w, err := a.Write(ctx, q, s, nil)
	if err != nil {
		return plan.Cost{}, err
	}
	statements := []string{w.SQL}
	if w.Said.Change {
		change := &commonv1.ChangePlan{}
		if err := proto.Unmarshal(w.Opaque, change); err != nil {
			return plan.Cost{}, fmt.Errorf("read the plan of a change: %w", err)
		}
		statements = nil
		for _, one := range change.GetStatements() {
			statements = append(statements, one.GetSql())
		}
	}
	var out plan.Cost
	for _, text := range statements {
		r, err := a.deps.ChatBI.EstimateCost(ctx, &chatbiv1.EstimateCostRequest{Source: q.Source, Sql: text})
		if err != nil {
			return plan.Cost{}, err
		}
		out.Rows, out.Bytes = known(out.Rows, r.GetRows()), known(out.Bytes, r.GetBytes())
	}
	return out, nil
}

// known adds to a total that is not known (-1) once a part of it is not.
func known(total, more int64) int64 {
	switch {
	case total < 0 || more < 0:
		return -1
	case more > math.MaxInt64-total:
		return math.MaxInt64
	}
	return total + more
}

// Chart implements workflow.Agents.
func (a *agents) Chart(ctx context.Context, q workflow.Query, t workflow.Table) workflow.Chart {
	ctx, done := context.WithTimeout(ctx, a.config.StepTimeout)
	defer done()
	page, err := resultpb.ToPage(t.Result())
	if err != nil {
		return workflow.Chart{}
	}
	r, err := a.deps.ChatBI.AdviseChart(ctx, &chatbiv1.AdviseChartRequest{Page: page, UserContext: a.user(q)})
	if err != nil {
		a.deps.Log.WarnContext(ctx, "a computed table has no chart", "error", err)
		return workflow.Chart{}
	}
	return workflow.Chart{Kind: int(r.GetChart().GetKind()), Title: r.GetChart().GetTitle(), Option: r.GetChart().GetEchartsOptionJson()}
}

// Execute implements workflow.Agents.
func (a *agents) Execute(ctx context.Context, q workflow.Query, s plan.Step, w workflow.Written) (workflow.Result, error) {
	ctx, done := context.WithTimeout(ctx, a.config.StepTimeout)
	defer done()
	if w.Said.Change {
		return a.explain(ctx, q, s, w)
	}
	query := &chatbiv1.ExecuteQuery{}
	if err := proto.Unmarshal(w.Opaque, query); err != nil {
		return workflow.Result{}, fmt.Errorf("read the SQL of a step: %w", err)
	}
	query.Source, query.UserQuestion, query.UserContext = q.Source, s.Instruction, a.user(q)
	query.PageSize, query.CostConfirmed = int32(min(a.config.MaxRows, maxPage)), q.CostConfirmed
	r, err := a.deps.ChatBI.ExecuteAndAnalyzeUnary(ctx, &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: query})
	if err != nil {
		return workflow.Result{}, err
	}
	out := r.GetResult()
	if err := a.outcome(q, out.GetOutcome(), out.GetQuestion(), out.GetError()); err != nil {
		return workflow.Result{}, err
	}
	table, err := toTable(workflow.TableResult, out.GetPage(), query.GetLabels())
	if err != nil {
		return workflow.Result{}, err
	}
	if s.Kind == plan.Study && s.Study == "funnel" && !passed(table) {
		return workflow.Result{}, &workflow.CannotError{Reason: a.words.Say(q.Language, "no_funnel")}
	}
	return workflow.Result{
		Answer: out.GetAnswer(), Tables: []workflow.Table{table}, SQL: []string{out.GetExecutedSql()},
		Chart:    workflow.Chart{Kind: int(out.GetChart().GetKind()), Title: out.GetChart().GetTitle(), Option: out.GetChart().GetEchartsOptionJson()},
		Evidence: toEvidence(out.GetCertificate()), Warnings: toWarnings(out.GetWarnings()), Findings: toFindings(out.GetFindings()),
	}, nil
}

// passed reports whether those at the stages of a funnel went from one to another: who
// reached any but the largest stage was, for the greater part, at another one too. It is true
// of tables that do not tell.
func passed(t workflow.Table) bool {
	at := func(name string) int {
		return slices.IndexFunc(t.Columns, func(c workflow.Column) bool { return c.Name == name })
	}
	reached, elsewhere := at("reached"), at("elsewhere")
	if reached < 0 || elsewhere < 0 {
		return true
	}
	var all, several, largest, ofLargest float64
	for _, row := range t.Rows {
		n, _ := result.FloatOf(row[reached], result.Column{Type: t.Columns[reached].Type})
		m, _ := result.FloatOf(row[elsewhere], result.Column{Type: t.Columns[elsewhere].Type})
		all, several = all+n, several+m
		if n > largest {
			largest, ofLargest = n, m
		}
	}
	return several-ofLargest >= (all-largest)/2
}

// beyondChance are the kinds of chat BI's findings that it has tested; the others describe.
var beyondChance = []string{"outlier", "shift", "trend", "difference", "together", "correlation"}

func toFindings(list []*commonv1.Finding) []workflow.Finding {
	var out []workflow.Finding
	for _, f := range list {
		if !slices.Contains(beyondChance, f.GetKind()) {
			continue
		}
		found := workflow.Finding{Kind: f.GetKind(), Text: f.GetText()}
		if f.GetKind() == "outlier" { // what is usual moves with each day, the value does not
			found.At = strconv.FormatFloat(f.GetEvidence()["value"], 'g', -1, 64)
		}
		out = append(out, found)
	}
	return out
}

// Rows implements workflow.Agents: it reads a stored result page by page, as far as
// analysis.max_input_rows and analysis.max_input_bytes let it.
func (a *agents) Rows(ctx context.Context, q workflow.Query, t workflow.Table) ([][]any, error) {
	ctx, done := context.WithTimeout(ctx, a.config.StepTimeout)
	defer done()
	if t.Total > int64(a.config.MaxInputRows) {
		return nil, &workflow.CannotError{Reason: a.words.Say(q.Language, "rows_over", "have", strconv.FormatInt(t.Total, 10), "most", strconv.Itoa(a.config.MaxInputRows))}
	}
	var rows [][]any
	token, size := "", 0
	for {
		r, err := a.deps.ChatBI.GetResultPage(ctx, &chatbiv1.GetResultPageRequest{ResultId: t.ResultID, PageToken: token, PageSize: maxPage})
		if err != nil {
			return nil, err
		}
		if size += proto.Size(r.GetPage()); size > a.config.MaxInputBytes {
			return nil, &workflow.CannotError{Reason: a.words.Say(q.Language, "bytes_over", "most", strconv.Itoa(a.config.MaxInputBytes))}
		}
		page, err := resultpb.FromPage(r.GetPage())
		if err != nil {
			return nil, fmt.Errorf("read the rows of a step: %w", err)
		}
		rows = append(rows, page.Rows...)
		if token = r.GetPage().GetNextPageToken(); token == "" || len(page.Rows) == 0 || len(rows) > a.config.MaxInputRows {
			break
		}
	}
	if int64(len(rows)) != t.Total { // some would be missing, or be there twice
		return nil, &workflow.CannotError{Reason: a.words.Say(q.Language, "rows_changed", "have", strconv.Itoa(len(rows)), "total", strconv.FormatInt(t.Total, 10))}
	}
	return rows, nil
}

// maxPage is the most rows of a page, as in chat BI's contract.
const maxPage = 10_000

// outcome is an error where a statement did not run. What the engine failed is worth
// another SQL; what was refused, or needs a yes, is not.
func (a *agents) outcome(q workflow.Query, o chatbiv1.ExecuteOutcome, question *commonv1.Question, problem *commonv1.SqlDiagnostic) error {
	switch o {
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE:
		return nil
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK:
		return &workflow.CannotError{Reason: a.words.Say(q.Language, "costly", "question", question.GetText())}
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED:
		return &workflow.CannotError{Reason: problem.GetMessage()}
	}
	return &engineError{problem.GetMessage()}
}

func (a *agents) explain(ctx context.Context, q workflow.Query, s plan.Step, w workflow.Written) (workflow.Result, error) {
	change := &commonv1.ChangePlan{}
	if err := proto.Unmarshal(w.Opaque, change); err != nil {
		return workflow.Result{}, fmt.Errorf("read the plan of a change: %w", err)
	}
	r, err := a.deps.ChatBI.ExplainChangeUnary(ctx, &chatbiv1.ExplainChangeUnaryRequest{Query: &chatbiv1.ExplainQuery{
		Source: q.Source, Plan: change, UserQuestion: s.Instruction, UserContext: a.user(q), CostConfirmed: q.CostConfirmed,
	}})
	if err != nil {
		return workflow.Result{}, err
	}
	out := r.GetResult()
	if err := a.outcome(q, out.GetOutcome(), out.GetQuestion(), out.GetError()); err != nil {
		return workflow.Result{}, err
	}
	res := workflow.Result{
		Answer: out.GetAnswer(), Tables: changeTables(change, out, q.Language), Evidence: toEvidence(out.GetCertificate()), Warnings: toWarnings(out.GetWarnings()),
		Outcome: strings.ToLower(strings.TrimPrefix(out.GetChange().String(), "CHANGE_OUTCOME_")),
	}
	for _, run := range out.GetRuns() {
		res.SQL = append(res.SQL, run.GetExecutedSql())
	}
	for _, text := range out.GetDataProblems() {
		res.Warnings = append(res.Warnings, workflow.Warning{Code: "DATA_MISSING", Text: text})
	}
	for _, text := range out.GetNotes() {
		res.Warnings = append(res.Warnings, workflow.Warning{Code: "NOTE", Text: text})
	}
	return res, nil
}

// changeTables lay a change out as tables, so that each of its numbers is a cell.
func changeTables(p *commonv1.ChangePlan, r *chatbiv1.ExplainResult, l lang.Language) []workflow.Table {
	unit := p.GetMetric().GetUnit()
	text := func(name, en, zh string) workflow.Column {
		return workflow.Column{Name: name, Type: "varchar", Label: l.Pick(en, zh)}
	}
	figure := func(name, unit, en, zh string) workflow.Column {
		c := workflow.Column{Name: name, Type: "double", Unit: unit, Label: l.Pick(en, zh)}
		if workflow.IsCurrency(unit) {
			c.Type = fmt.Sprintf("decimal(38,%d)", penceDigits)
		}
		return c
	}
	amount := func(v float64) any { return amountOf(v, unit) }
	period := func(p *commonv1.ChangePeriod) string { // the contract's end is the day after
		last := p.GetTo()
		if end, err := time.Parse(time.DateOnly, last); err == nil {
			last = end.AddDate(0, 0, -1).Format(time.DateOnly)
		}
		return p.GetFrom() + l.Pick(" to ", "至") + last
	}
	before, after := r.GetFigures().GetBefore(), r.GetFigures().GetAfter()
	var rate any
	if before != 0 {
		rate = (after - before) / math.Abs(before)
	}
	changeUnit := unit
	if unit == "fraction" || unit == "%" {
		changeUnit = "pp"
	}
	tables := []workflow.Table{{
		Name: workflow.TableFigures,
		Columns: []workflow.Column{
			text("metric", "Figure", "指标"), text("before_period", "Compared period", "对比期"), figure("before", unit, "Before", "之前"),
			text("after_period", "Period", "当期"), figure("after", unit, "After", "之后"),
			figure("change", changeUnit, "Change", "变化"), figure("change_rate", "%", "Change rate", "变化率"),
		},
		Rows: [][]any{{cmp.Or(r.GetMeasured(), p.GetMetric().GetName()), period(p.GetBefore()), amount(before), period(p.GetAfter()), amount(after), amount(after - before), rate}},
	}}
	parts := func(name, unit string) workflow.Table {
		return workflow.Table{Name: name, Columns: []workflow.Column{
			text("name", "Where", "位置"), figure("before", unit, "Before", "之前"), figure("after", unit, "After", "之后"),
			figure("accounts", changeUnit, "Accounts for", "占变化"), figure("share", "%", "Share of the change", "占变化的比例"),
		}}
	}
	elements := parts(workflow.TableElements, unit)
	for _, e := range r.GetElements() {
		elements.Rows = append(elements.Rows, []any{e.GetName(), amount(e.GetFigures().GetBefore()), amount(e.GetFigures().GetAfter()), amount(e.GetAccounts()), e.GetShare()})
	}
	factors := parts(workflow.TableFactors, "") // each in a unit of its own
	factors.Columns[0].Label = l.Pick("Factor", "因子")
	for _, f := range r.GetFactors() {
		name := cmp.Or(f.GetName(), f.GetId())
		switch name { // the contract's ids of the parts of a ratio
		case "numerator":
			name = l.Pick("the numerator", "分子")
		case "denominator":
			name = l.Pick("the denominator", "分母")
		}
		factors.Rows = append(factors.Rows, []any{name, rounded(f.GetFigures().GetBefore()), rounded(f.GetFigures().GetAfter()), amount(f.GetAccounts()), f.GetShare()})
	}
	for _, t := range []workflow.Table{elements, factors} {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// penceDigits are the digits behind the point of an amount of money.
const penceDigits = 2

// amountOf is a figure as a cell: money to two digits behind the point.
func amountOf(v float64, unit string) any {
	if !workflow.IsCurrency(unit) {
		return rounded(v)
	}
	return strconv.FormatFloat(v, 'f', penceDigits, 64)
}

// rounded leaves out what the addition of binary fractions has made up.
func rounded(v float64) float64 {
	if math.Abs(v) > 1e9 {
		return math.Round(v*100) / 100
	}
	return math.Round(v*1e6) / 1e6
}

// toTable takes over a page with how people call its columns.
func toTable(name string, p *commonv1.ResultPage, labels []*commonv1.ColumnLabel) (workflow.Table, error) {
	plain, err := resultpb.FromPage(p)
	if err != nil {
		return workflow.Table{}, fmt.Errorf("read the rows of a step: %w", err)
	}
	out := workflow.Table{Name: name, Rows: plain.Rows, Total: p.GetTotalRows(), Truncated: p.GetTruncated(), ResultID: p.GetResultId()}
	for _, c := range plain.Columns {
		column := workflow.Column{Name: c.Name, Type: c.Type}
		for _, label := range labels {
			if label.GetColumn() == c.Name {
				column.Label, column.Unit = label.GetLabel(), label.GetUnit()
			}
		}
		out.Columns = append(out.Columns, column)
	}
	return out, nil
}

func toWarnings(list []*commonv1.Warning) []workflow.Warning {
	var out []workflow.Warning
	for _, w := range list {
		out = append(out, workflow.Warning{Code: w.GetCode(), Text: w.GetMessage()})
	}
	return out
}

func toEvidence(c *commonv1.Certificate) workflow.Evidences {
	out := workflow.Evidences{
		Metrics: c.GetMetrics(), Filters: c.GetFilters(), Assumptions: c.GetAssumptions(),
		Rows: c.GetRows(), Bytes: c.GetBytesScanned(), Confidence: c.GetConfidence(), SHA256: c.GetStatementSha256(), Paragraph: c.GetParagraph(),
	}
	for _, t := range c.GetTables() {
		s := workflow.Source{Name: t.GetTable(), Newest: t.GetLatestPartition()}
		if t.GetUpdatedAt() != nil {
			s.Updated = t.GetUpdatedAt().AsTime()
		}
		out.Sources = append(out.Sources, s)
	}
	for _, g := range c.GetGuardChanges() {
		out.Guard = append(out.Guard, g.GetMessage())
	}
	return out
}

// engineError is what an engine said of a statement.
type engineError struct{ message string }

// Error implements error.
func (e *engineError) Error() string { return e.message }

// GRPCStatus makes it one that another SQL may mend.
func (e *engineError) GRPCStatus() *status.Status { return status.New(codes.Aborted, e.message) }
