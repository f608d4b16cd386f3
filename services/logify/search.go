package logify

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/logify/backend"
	"github.com/dibrain/dibrain/services/logify/explain"
	"github.com/dibrain/dibrain/services/logify/guard"
	"github.com/dibrain/dibrain/services/logify/rules"
)

// defaultLines is how many lines an answer has where the request does not say.
const defaultLines = 100

// asked is a question about logs.
type asked struct {
	Question string
	Execute  bool
	Limit    int
	Language lang.Language
	Zone     *time.Location
	// Strategy of the query; empty: that of the configuration.
	Strategy string
}

// found is the query of a question, and what it gave.
type found struct {
	Query rules.Query
	// Strategy that wrote the query: the rules too where a model failed.
	Strategy    string
	LogQL       string
	Explanation string
	Output      *logql.Output // nil: it was not run
	Answer      string
	Window      logql.Window
}

var errNoLogs = fault.New(codes.FailedPrecondition, "LOGS_NOT_CONFIGURED",
	"No logs are configured here: set logify.loki_url to a Loki server or logify.files to log files, or give `dibrain logs` a --file.")

// scope returns as whom logs are asked for.
func (s *Service) scope(p run.Principal) (backend.Scope, error) {
	if s.source == nil {
		return backend.Scope{}, errNoLogs
	}
	var policy *guard.Policy
	if s.policyFile != nil {
		var err error
		if policy, err = s.policyFile.Current(); err != nil {
			return backend.Scope{}, rulesUnreadable("stream policy", "logify.policy_file", err)
		}
	}
	return policy.ScopeOf(p.ID, s.config.Tenant)
}

// masks returns the masks in force.
func (s *Service) masks() (*guard.Masks, error) {
	if s.masksFile == nil {
		return s.ownMasks, nil
	}
	m, err := s.masksFile.Current()
	if err != nil {
		return nil, rulesUnreadable("masks of secrets", "logify.masks_file", err)
	}
	return m, nil
}

// rulesUnreadable is the fault while a file of rules is broken: nothing is shown until
// it is mended.
func rulesUnreadable(what, key string, err error) error {
	return fault.New(codes.FailedPrecondition, "LOGS_RULES_UNREADABLE", fmt.Sprintf(
		"The %s (%s) cannot be read, so no logs are shown: an administrator has to mend the file.", what, key)).ForOperator("%v", err).Because(err)
}

// Generate writes LogQL for a question, and runs it when that is asked.
func (s *Service) generate(ctx context.Context, p run.Principal, in asked) (found, error) {
	scope, err := s.scope(p)
	if err != nil {
		return found{}, err
	}
	now := run.Now(ctx).In(in.Zone)
	masks, err := s.masks()
	if err != nil {
		return found{}, err
	}
	known, err := s.known.of(ctx, scope, masks, now)
	if err != nil {
		return found{}, err
	}
	q, strategy, err := s.write(ctx, in, now, known.known)
	if err != nil {
		return found{}, err
	}
	out := found{Query: q, Strategy: strategy, Window: logql.Window{From: q.From, To: q.To, Step: q.Step, Limit: s.limit(in.Limit, q.Limit)}}
	if q.Ask != nil {
		return out, nil
	}
	if metric(q.Expr) && q.Step == 0 { // its range and offset say when
		out.Window.To = now
		out.Window.From = now
	}
	out.LogQL = logql.Print(q.Expr)
	out.Explanation = explain.Query(q.Expr, q.Step, in.Language)
	if _, err := guard.Read(out.LogQL); err != nil {
		return found{}, fmt.Errorf("the rules wrote a query that is wrong: %w", err)
	}
	if !in.Execute {
		return out, nil
	}
	if out.Output, _, err = s.run(ctx, scope, q.Expr, out.Window); err != nil {
		return found{}, err
	}
	out.Answer = answerOf(out.Output, q.Step > 0, in)
	return out, nil
}

// write lets the model write the query where that is asked for or configured, and the
// rules where it fails or there is none; it returns who did. What the question says of
// time and number of lines is read by the rules in any case.
func (s *Service) write(ctx context.Context, in asked, now time.Time, known *rules.Known) (q rules.Query, strategy string, err error) {
	strategy = in.Strategy
	if strategy == "" {
		strategy = s.config.Strategy
		if s.model == nil {
			strategy = StrategyRules
		}
	}
	if strategy == StrategyLLM && s.model == nil {
		return q, "", errNoModel
	}
	q = s.rules.Generate(in.Question, now, known)
	if strategy == StrategyRules {
		return q, StrategyRules, nil
	}
	e, err := s.model.Write(budget.Ensure(ctx, s.deps.ModelBudget), in.Question, q.Step, now, known)
	switch {
	case err != nil:
		reason, ok := llm.FallBack(ctx, err)
		if !ok {
			return q, "", err
		}
		q.Notes = append(q.Notes, in.Language.Pick("The model did not write a query ("+reason+"): the rules did.",
			"模型没有给出查询（"+reason+"），改由规则生成。"))
	case e != nil:
		q.Expr, q.Ask, q.Notes = e, nil, nil
		if !ofSpans(e, q.Step) {
			q.Step = 0
		}
		return q, StrategyLLM, nil
	}
	return q, StrategyRules, nil
}

// errNoModel is the fault where a request wants a model and there is none.
var errNoModel = fault.New(codes.FailedPrecondition, llm.ReasonNotConfigured,
	"No model is configured here: set llm.base_url and llm.model, or ask with the rules.")

// ofSpans reports a metric over spans of a length, which can be computed at the end of
// each of them.
func ofSpans(e logql.Expr, step time.Duration) bool {
	is := metric(e)
	logql.Ranges(e, func(r *logql.RangeAgg) { is = is && r.Range == step && r.Offset == 0 })
	return is
}

func metric(e logql.Expr) bool {
	_, lines := e.(*logql.LogExpr)
	return !lines
}

func (s *Service) limit(requested, said int) int {
	limit := defaultLines
	if requested > 0 {
		limit = requested
	}
	if said > 0 {
		limit = min(limit, said)
	}
	return min(limit, s.config.MaxLines)
}

// run approves and runs a query, masks what it gave, and returns it with the query
// as it ran.
func (s *Service) run(ctx context.Context, scope backend.Scope, e logql.Expr, w logql.Window) (*logql.Output, string, error) {
	if !metric(e) {
		w.Step = 0
	}
	if w.Step > 0 { // Loki finds nothing at parts of seconds
		w.From, w.To, w.Step = w.From.Truncate(time.Second), w.To.Truncate(time.Second), w.Step.Truncate(time.Second)
	}
	approved, err := guard.Approve(e, scope.Streams, w, guard.Limits{Range: s.config.MaxRange, Steps: s.config.MaxSteps})
	if err != nil {
		return nil, "", err
	}
	masks, err := s.masks()
	if err != nil {
		return nil, "", err
	}
	out, err := s.source.Query(ctx, scope, approved, w)
	if err != nil {
		return nil, "", err
	}
	for i := range out.Lines {
		out.Lines[i] = masks.Entry(out.Lines[i])
	}
	for i := range out.Points {
		out.Points[i].Labels = masks.Labels(out.Points[i].Labels)
	}
	return out, logql.Print(approved), nil
}

// answerOf says what was found: a number as such, of several the highest, of numbers
// over time when that was.
func answerOf(out *logql.Output, overTime bool, in asked) string {
	l := in.Language
	number := func(v float64) string { return strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64) }
	if v := out.Points; out.Metric {
		if len(v) == 0 {
			return l.Pick("Nothing was found: no line fits.", "没有找到符合条件的日志。")
		}
		top := v[0]
		for _, p := range v {
			if p.Value > top.Value {
				top = p
			}
		}
		switch {
		case overTime:
			return fmt.Sprintf(l.Pick("%d numbers over time; the highest is %s%s, up to %s.", "共 %d 个时间点的数值，最高为 %s%s，截至 %s。"),
				len(v), number(top.Value), nameOf(top.Labels, l), top.Time.In(in.Zone).Format("2006-01-02 15:04:05 MST"))
		case len(v) == 1:
			return l.Pick("The result is ", "结果为 ") + number(top.Value) + nameOf(top.Labels, l) + l.Pick(".", "。")
		}
		return fmt.Sprintf(l.Pick("%d results; the highest is %s%s.", "共 %d 个结果，最高为 %s%s。"), len(v), number(top.Value), nameOf(top.Labels, l))
	}
	n := len(out.Lines)
	switch {
	case n == 0:
		return l.Pick("No line fits.", "没有符合条件的日志。")
	case out.Cut:
		return fmt.Sprintf(l.Pick("The newest %d lines; there are more.", "最新的 %d 行，还有更多。"), n)
	}
	return fmt.Sprintf(l.Pick("%d lines.", "共 %d 行。"), n)
}

func nameOf(labels map[string]string, l lang.Language) string {
	var parts []string
	for name, value := range labels {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	sort.Strings(parts)
	return l.Pick(" (", "（") + strings.Join(parts, ", ") + l.Pick(")", "）")
}
