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
}

// found is the query of a question, and what it gave.
type found struct {
	Query       rules.Query
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
	q, err := s.write(ctx, in.Question, now, known.known)
	if err != nil {
		return found{}, err
	}
	out := found{Query: q, Window: logql.Window{From: q.From, To: q.To, Limit: s.limit(in.Limit, q.Limit)}}
	if q.Ask != nil {
		return out, nil
	}
	if metric(q.Expr) { // its range and offset say when
		out.Window.To = now
		out.Window.From = now
	}
	out.LogQL = logql.Print(q.Expr)
	out.Explanation = explain.Query(q.Expr, in.Language)
	if _, err := guard.Read(out.LogQL); err != nil {
		return found{}, fmt.Errorf("the rules wrote a query that is wrong: %w", err)
	}
	if !in.Execute {
		return out, nil
	}
	if out.Output, _, err = s.run(ctx, scope, q.Expr, out.Window); err != nil {
		return found{}, err
	}
	out.Answer = answerOf(out.Output, in.Language)
	return out, nil
}

// write lets the model write the query where one is configured, and the rules where
// it fails or there is none. What the question says of time and number of lines is
// read by the rules in any case.
func (s *Service) write(ctx context.Context, question string, now time.Time, known *rules.Known) (rules.Query, error) {
	q := s.rules.Generate(question, now, known)
	if s.model == nil {
		return q, nil
	}
	e, err := s.model.Write(budget.Ensure(ctx, s.deps.ModelBudget), question, now, known)
	switch {
	case err != nil:
		reason, ok := llm.FallBack(ctx, err)
		if !ok {
			return q, err
		}
		q.Notes = append(q.Notes, lang.Detect(question).Pick("The model did not write a query ("+reason+"): the rules did.",
			"模型没有给出查询（"+reason+"），改由规则生成。"))
	case e != nil:
		q.Expr, q.Ask, q.Notes = e, nil, nil
	}
	return q, nil
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
	approved, err := guard.Approve(e, scope.Streams, w, guard.Limits{Range: s.config.MaxRange})
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

// answerOf says what was found: a number as such, of several the first.
func answerOf(out *logql.Output, l lang.Language) string {
	number := func(v float64) string { return strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64) }
	if v := out.Points; out.Metric {
		switch {
		case len(v) == 0:
			return l.Pick("Nothing was found: no line fits.", "没有找到符合条件的日志。")
		case len(v) == 1:
			return l.Pick("The result is ", "结果为 ") + number(v[0].Value) + nameOf(v[0].Labels, l) + l.Pick(".", "。")
		}
		top := v[0]
		for _, p := range v {
			if p.Value > top.Value {
				top = p
			}
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
