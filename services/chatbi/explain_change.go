package chatbi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// ChangeRole says what the rows of a statement of a plan are, in the contract's order.
type ChangeRole int

// Roles; what their columns are the contract says at ChangeRole.
const (
	RoleUnknown ChangeRole = iota
	RoleCells
	RoleDaily
	RoleFactors
	RoleEvents
	RoleDays
)

// ChangePlan is how a change is looked into: see the contract's ChangePlan.
type ChangePlan struct {
	Metric        ChangeItem
	Kind          explain.Kind
	Before, After explain.Period
	Filters       []string
	Dimensions    []ChangeItem
	Factors       []ChangeItem
	Statements    []ChangeStatement
	Metrics       []string
	Assumptions   []string
}

// ChangeItem is a metric, a dimension or a factor with what people call it.
type ChangeItem struct{ ID, Name, Unit string }

// ChangeStatement is one statement of a plan.
type ChangeStatement struct {
	Role ChangeRole
	SQL  string
}

// ChangeQuery is a change to look into.
type ChangeQuery struct {
	Source        string
	Plan          ChangePlan
	Language      lang.Language
	Now           time.Time // in the asker's time zone
	CostConfirmed bool
}

// ChangeAnswer is what accounts for a change.
type ChangeAnswer struct {
	Outcome     Outcome
	Explanation explain.Explanation
	Text        ChangeText
	// Missing is set where days of one of the periods are not there.
	Missing     bool
	Runs        []ChangeRun
	Estimate    Estimate // when the outcome is Ask
	Tables      []catalog.Name
	Certificate Certificate
	Warnings    []analyse.Warning
	Problem     *Problem
	// Question is what to ask when the outcome is Ask.
	Question string
}

// ChangeRun is one statement that was run.
type ChangeRun struct {
	Role    ChangeRole
	SQL     string
	Changes []guard.Change
	Rows    int64
	Time    time.Duration
}

// changeStep is a statement of a plan on its way: approved first, then run.
type changeStep struct {
	ChangeStatement

	approved guard.Approved
	known    *catalogrpc.Excerpt
	table    result.Table
}

// explainAs runs the statements of a plan, each through the guard and all under one
// cost gate, and says what accounts for the change. What the guard refuses and what the
// engine fails is an answer; an error is of the service or of the caller.
func (s *Service) explainAs(ctx context.Context, p run.Principal, q ChangeQuery, progress func(Progress)) (ChangeAnswer, error) {
	if err := s.checkPlan(q.Plan); err != nil {
		return ChangeAnswer{}, err
	}
	ctx, cancel := s.untilClose(ctx)
	defer cancel()
	x, release, err := s.engines.acquire(ctx, q.Source)
	if err != nil {
		return ChangeAnswer{}, err
	}
	defer release()
	c := &changeRun{service: s, engine: x, principal: p, query: q, progress: progress}
	if stop, err := c.approve(ctx); stop || err != nil {
		return c.answer, err
	}
	if stop, err := c.gate(ctx); stop || err != nil {
		return c.answer, err
	}
	held := s.memory.part()
	defer held.release()
	for i := range c.steps {
		if stop, err := c.run(ctx, &c.steps[i], held); stop || err != nil {
			return c.answer, err
		}
	}
	return c.answer, c.explain(ctx)
}

// checkPlan refuses a plan that cannot be what text2sql wrote.
func (s *Service) checkPlan(plan ChangePlan) error {
	if len(plan.Statements) > s.config().Limits.MaxChangeStatements {
		return fault.New(codes.ResourceExhausted, "CHANGE_TOO_MANY_STATEMENTS",
			fmt.Sprintf("the plan has %d statements and one answer may run %d (chatbi.limits.max_change_statements): ask about fewer figures", len(plan.Statements), s.config().Limits.MaxChangeStatements))
	}
	if !plan.Before.From.Before(plan.Before.To) || !plan.After.From.Before(plan.After.To) {
		return fault.Invalid("plan", "CHANGE_PLAN_INVALID", "a period of the plan has no days: its first day has to be before the one after its last")
	}
	if !slices.ContainsFunc(plan.Statements, func(st ChangeStatement) bool { return st.Role == RoleCells }) {
		return fault.Invalid("plan", "CHANGE_PLAN_INVALID", "the plan has no statement with the figures of both periods (CHANGE_ROLE_CELLS): take the plan as PlanChange of text2sql wrote it")
	}
	return nil
}

// changeRun is one change on its way.
type changeRun struct {
	service   *Service
	engine    *engine
	principal run.Principal
	query     ChangeQuery
	progress  func(Progress)
	steps     []changeStep
	answer    ChangeAnswer
}

// approve asks the guard for its yes to each statement.
func (c *changeRun) approve(ctx context.Context) (stop bool, err error) {
	c.progress(Progress{Phase: "guard", Fraction: -1})
	for _, st := range c.query.Plan.Statements {
		approved, known, err := c.service.approve(ctx, c.principal, Query{Source: c.query.Source, SQL: st.SQL}, c.engine)
		if refusal := (*guard.Refusal)(nil); errors.As(err, &refusal) {
			c.fail(OutcomeRefused, "refused", problemOf(refusal))
			return true, nil
		}
		if err != nil {
			return true, err
		}
		for _, name := range approved.Tables() {
			if !slices.Contains(c.answer.Tables, name) {
				c.answer.Tables = append(c.answer.Tables, name)
			}
		}
		c.steps = append(c.steps, changeStep{ChangeStatement: st, approved: approved, known: known})
	}
	return false, nil
}

// gate asks once for all statements together whether what they read may be read.
func (c *changeRun) gate(ctx context.Context) (stop bool, err error) {
	s := c.service
	ctx, step := run.Start(ctx, "chatbi.estimate")
	var approved guard.Approved
	defer func() { step.End(withheld(approved, err)) }()
	var total Estimate
	for i := range c.steps {
		approved = c.steps[i].approved
		estimate, err := s.estimateOf(ctx, c.principal, c.engine, approved, c.query.Now)
		if err != nil {
			return c.failure(ctx, err, approved)
		}
		total = total.plus(estimate, i == 0)
	}
	c.answer.Estimate = total
	for i := range c.steps { // one that may not be told withholds all
		c.answer.Estimate = c.answer.Estimate.told(c.steps[i].approved)
	}
	step.Set("rows", fmt.Sprint(c.answer.Estimate.Rows))
	action := s.gate(total, c.engine.Kind(), c.query.CostConfirmed)
	switch text := s.costText(action, c.answer.Estimate, c.answer.Tables, c.query.Language); action {
	case CostAsk:
		c.answer.Outcome, c.answer.Question = OutcomeAsk, text
		return true, nil
	case CostRefuse:
		c.fail(OutcomeRefused, "", costRefused(text))
		return true, nil
	}
	return false, nil
}

// plus is what two statements read together; first says that there is no total yet.
func (e Estimate) plus(more Estimate, first bool) Estimate {
	if first {
		return more
	}
	partitions := int64(0) // not known where those of one are not
	if e.Partitions > 0 && more.Partitions > 0 {
		partitions = e.Partitions + more.Partitions
	}
	return Estimate{
		Partitions: partitions, Rows: sum(e.Rows, float64(more.Rows)), Bytes: sum(e.Bytes, float64(more.Bytes)), Method: more.Method,
		Unbounded: e.Unbounded || more.Unbounded,
	}
}

// run reads the rows of one statement.
func (c *changeRun) run(ctx context.Context, step *changeStep, held *part) (stop bool, err error) {
	s := c.service
	read := &all{held: held, progress: c.progress}
	stats, err := s.fetch(ctx, c.principal, c.engine, step.approved, s.config().Limits, read, c.progress)
	table := read.head
	table.Truncated = stats.Truncated
	c.answer.Runs = append(c.answer.Runs, ChangeRun{
		Role: step.Role, SQL: step.approved.Shown(), Changes: step.approved.Changes(), Rows: int64(len(table.Rows)), Time: stats.Elapsed,
	})
	if err != nil {
		return c.failure(ctx, err, step.approved)
	}
	step.table = table
	if limit := step.approved.RowLimit(); limit > 0 && int64(len(table.Rows)) >= limit {
		step.table.Truncated = true
	}
	return false, nil
}

// failure answers with what the engine failed; what is not the statement's fault is the
// error.
func (c *changeRun) failure(ctx context.Context, err error, approved guard.Approved) (bool, error) {
	problem := c.service.engineProblem(ctx, err, c.query.Language, approved)
	if problem == nil {
		return true, err
	}
	c.fail(OutcomeFailed, "failed", problem)
	return true, nil
}

// fail ends the answer without an explanation.
func (c *changeRun) fail(outcome Outcome, key string, problem *Problem) {
	var a Answer
	c.service.fail(&a, Query{Language: c.query.Language, Metrics: c.query.Plan.Metrics, Assumptions: c.query.Plan.Assumptions}, outcome, key, problem)
	c.answer.Outcome, c.answer.Problem, c.answer.Certificate = outcome, problem, a.Certificate
	c.answer.Text.Headline = a.Analysis.Answer
}

// explain splits the change and says what accounts for it.
func (c *changeRun) explain(ctx context.Context) (err error) {
	c.progress(Progress{Phase: "analysing", Fraction: -1})
	ctx, step := run.Start(ctx, "chatbi.split")
	defer func() { step.End(err) }()
	read, err := c.read(ctx)
	if err != nil {
		return err
	}
	nothing := read.gaps.empty(c.query.Plan.Before, read.gaps.before) || read.gaps.empty(c.query.Plan.After, read.gaps.after)
	if nothing { // a period that is not there is no zero, and no group accounts for it
		read.input.Cells, read.input.Factors = nil, nil
	}
	e, err := explain.Explain(ctx, read.input, explain.Limits{})
	if err != nil {
		return fmt.Errorf("split the change: %w", err)
	}
	if read.matched > 0 {
		e.Refusals = append(e.Refusals, explain.Refusal{Split: explain.ByDimensions, Reason: explain.ReasonDays})
	}
	for _, id := range read.overlapping {
		e.Refusals = append(e.Refusals, explain.Refusal{Split: explain.ByDimensions, Reason: explain.ReasonOverlap, Subject: id})
	}
	step.Set("outcome", string(e.Outcome))
	c.answer.Outcome, c.answer.Explanation, c.answer.Missing = OutcomeDone, e, read.gaps.any()
	c.certify(ctx)
	read.gaps.late = read.gaps.late && !c.goesOn(read.gaps)
	c.answer.Text = c.say(e, read)
	return nil
}

// goesOn reports whether a table has rows of days after those that are missing: then they
// are a gap, and nothing is late. Where the newest day is not known, periods that end before
// today say nothing of being late.
func (c *changeRun) goesOn(g changeGaps) bool {
	last := slices.MaxFunc(slices.Concat(g.before, g.after), time.Time.Compare)
	for _, f := range c.answer.Certificate.Tables {
		if f.Table.String() != g.table || f.LatestPartition == "" {
			continue
		}
		newest, _, ok := result.ParseMoment(f.LatestPartition, time.UTC)
		return ok && newest.After(last)
	}
	y, m, d := c.query.Now.Date()
	return last.AddDate(0, 0, 1).Before(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
}

// certify writes the evidence of all statements together.
func (c *changeRun) certify(ctx context.Context) {
	plan := c.query.Plan
	cert := Certificate{Metrics: plan.Metrics, Assumptions: plan.Assumptions, Filters: plan.Filters}
	var policy Answer
	for i := range c.steps {
		step := &c.steps[i]
		cert.Rows += int64(len(step.table.Rows))
		for _, change := range step.approved.Changes() {
			if !slices.Contains(cert.Changes, change) {
				cert.Changes = append(cert.Changes, change)
			}
		}
		if step.Role == RoleCells {
			cert.SHA256 = step.approved.SHA256()
		}
		c.service.warnPolicy(Query{Language: c.query.Language}, step.approved, &policy)
		for _, name := range step.approved.Tables() {
			if slices.ContainsFunc(cert.Tables, func(f Freshness) bool { return f.Table == name }) {
				continue
			}
			newest := len(cert.Tables) < freshTables && !step.approved.Protected()
			cert.Tables = append(cert.Tables, c.engine.freshnessOf(ctx, c.principal, step.known, name, newest))
		}
	}
	for _, w := range policy.Analysis.Warnings {
		if !slices.Contains(c.answer.Warnings, w) {
			c.answer.Warnings = append(c.answer.Warnings, w)
		}
	}
	c.answer.Certificate = cert
}
