package router

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/flow"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// persistStep stores the turn before every step that reaches outside: what was
// asked and a call's id are in the store before it is made, and all that came before. A
// model's decision reaches outside too. Other steps take microseconds, and are
// stored together with the next of these, or by persistEnd.
func (s *Service) persistStep(ctx context.Context, step flow.Step, t *turn) error {
	outside := step.Next == nodeToolCall || step.Next == nodeInvokeAgent && s.strategy.Name() != s.rules.Name()
	if !outside {
		return nil
	}
	return s.commit(ctx, t, s.changes(t))
}

// persistEnd stores the answer and the end of the run.
func (s *Service) persistEnd(ctx context.Context, t *turn, answer *routerv1.Answer) error {
	t.root.Set("goal", t.goal())
	failure := t.failure
	if failure == nil {
		failure = t.sourceFault()
	}
	t.root.SetOutcome(t.outcome())
	t.root.EndAs(endStatus(t), failure)
	detail, err := json.Marshal(s.detail(t))
	if err != nil {
		return fmt.Errorf("store the answer: %w", err)
	}
	now := s.deps.Clock()
	reply := store.Message{ChatID: t.chatID, RunID: t.root.RunID(), Role: store.RoleAssistant, Content: answer.GetText(), CreatedAt: now, Detail: detail}
	summary := s.rules.Summarize(t.chat.Summary, append(t.history[t.known:], readHistory([]store.Message{t.message, reply})...))
	state, err := json.Marshal(chatState{Pending: t.stillPending(), Source: t.chat.Source, Summary: &summary})
	if err != nil {
		return fmt.Errorf("store the thread: %w", err)
	}
	t.session.Turns++
	t.session.UpdatedAt = now
	c := s.changes(t)
	for _, k := range t.calls {
		reply.ToolCallIDs = append(reply.ToolCallIDs, k.ID)
	}
	c.Session, c.Chat = &t.session, &store.Chat{ID: t.chatID, State: state, UpdatedAt: now}
	c.Messages = append(c.Messages, reply)
	c.Unlock, c.MaxSessionBytes = true, s.config().Retention.MaxSessionBytes
	t.lock.stopRenewing() // before it is given up
	err = s.commit(ctx, t, c)
	if err == nil {
		t.lock.freed.Store(true)
	}
	return err
}

// stillPending is the question that waits for the person after the turn: its own, else the
// one before, whose options stay until something was answered. Leave to run what is dear
// is never kept.
func (t *turn) stillPending() *pendingQuestion {
	p := t.chat.Pending
	if t.pending != nil || p == nil || t.answered || len(p.Options) == 0 || p.Tool == tools.Execute || p.asksCost() {
		return t.pending
	}
	switch t.outcome() {
	case run.OutcomeAbstained, run.OutcomeRefused, run.OutcomeFailed, run.OutcomeCut, run.OutcomeCancelled:
		kept := *p
		kept.Kept = true
		return &kept
	}
	return nil
}

// changes is what differs from the store: the run, new and changed records, and
// calls.
func (s *Service) changes(t *turn) store.Changes {
	c := store.Changes{Run: &store.Run{Record: t.root.Record(), ChatID: t.chatID, Question: t.request.GetQuestion()}}
	for _, k := range t.calls {
		if k.dirty {
			c.ToolCalls = append(c.ToolCalls, k.ToolCall)
			k.dirty = false
		}
	}
	c.DropToolCalls, t.dropped = t.dropped, nil
	c.Messages, t.unsaved = t.unsaved, nil
	c.Records = t.recorder.Changed(func(id string, status run.Status) bool {
		if known, ok := t.written[id]; ok && known == status || id == t.root.RunID() {
			return false
		}
		t.written[id] = status
		return true
	})
	return c
}

func (s *Service) commit(ctx context.Context, t *turn, c store.Changes) error {
	write, done := s.persistContext(ctx)
	defer done()
	if t.lock.unopened {
		c.Open, c.Session = &t.session, nil
	}
	err := s.deps.Store.Commit(write, t.principal, t.lock.current(), c)
	switch {
	case err == nil:
		if t.lock.unopened {
			t.lock.opened(!c.Unlock)
		}
		return nil
	case write.Err() != nil:
		return fault.New(codes.Unavailable, store.ReasonUnavailable,
			"The store of sessions is too slow at the moment, and this turn could not be kept. Try again shortly.").Because(err)
	default:
		return fmt.Errorf("store the turn: %w", err)
	}
}

// endStatus is where the run stands when the turn is over.
func endStatus(t *turn) run.Status {
	switch t.interruption {
	case routerv1.InterruptionReason_INTERRUPTION_REASON_TIMEOUT:
		return run.StatusTimedOut
	case routerv1.InterruptionReason_INTERRUPTION_REASON_CANCELLED:
		return run.StatusCancelled
	case routerv1.InterruptionReason_INTERRUPTION_REASON_SERVER_STOPPED:
		return run.StatusInterrupted
	}
	last := t.last()
	switch {
	case t.failure != nil:
		return run.StatusFailed
	case t.question != nil:
		return run.StatusWaiting
	case last != nil && (last.err != nil || failed(last.output)):
		return run.StatusFailed
	default:
		return run.StatusSucceeded
	}
}

// detail is what later turns read of this one.
func (s *Service) detail(t *turn) messageDetail {
	d := messageDetail{Rewritten: t.rewritten(), Asked: t.asked}
	if t.first != nil && t.first.Topic != "" {
		d.Rewritten = t.first.Topic
	}
	if t.first != nil && t.first.Unchanged != "" && !slices.ContainsFunc(t.calls, func(c *call) bool { return sqlOf(c) != "" }) {
		d.Rewritten, d.Open = t.first.Unchanged, t.first.FollowUp
	} else if t.first != nil && t.first.Open != "" && len(t.changesMade()) > 0 && !s.rules.Rewords(t.first.FollowUp, t.first.Open) {
		d.Open = t.first.Open // until it is said anew, or something else is asked
	}
	if d.Offered = t.offered(); d.Offered.CallID != "" {
		d.Open = "" // it is no change that could not be made
	} else if d.Open != "" && t.first.Open != d.Open {
		d.Offered = t.first.Taken // which the change that could not be made was of
	}
	if t.pending != nil {
		d.Asked = "" // the answer goes back to the tool, by the thread's state
	}
	var tables []string
	sql := ""
	for _, c := range t.calls {
		if c.output == nil {
			continue
		}
		if of := tablesOf(c); len(of) > 0 {
			tables = of
		}
		if of := sqlOf(c); of != "" {
			sql = of
		} else if c.ToolName == tools.Execute && sql == "" && t.first != nil {
			sql = t.first.SQL // of an earlier turn
		}
		step := step{Tool: c.ToolName, CallID: c.ID, Tables: tables}
		switch c.output.(type) {
		case *text2sqlv1.GenerateResult, *fixsqlv1.FixSQLResponse, *chatbiv1.ExecuteResult, *fixsqlv1.ExplainSQLResponse:
			step.SQL = sql
		}
		d.Steps = append(d.Steps, step)
		d.Personal = d.Personal || c.personal()
	}
	return d
}

// offered is the one reading that the turn asks about; zero: it asks about none, or about several.
func (t *turn) offered() decide.Offered {
	p := t.pending
	if p == nil || p.Kept || p.Tool != tools.GenerateSQL || len(p.Options) != 1 {
		return decide.Offered{}
	}
	if t.first.Kind == "follow_up" && t.first.ChangesCall == "" { // read from messages one behind the other
		return decide.Offered{}
	}
	return decide.Offered{CallID: p.CallID, Label: p.Options[0].Label}
}

func tablesOf(c *call) []string {
	var out []string
	switch o := c.output.(type) {
	case *findatav1.DiscoverResult:
		for _, t := range o.GetRelatedTables() {
			if !t.GetLocked() {
				out = append(out, tableName(t.GetTable().GetRef()))
			}
		}
	case *text2sqlv1.GenerateResult:
		if len(o.GetCandidates()) > 0 {
			for _, t := range o.GetCandidates()[0].GetTables() {
				out = append(out, t.GetName())
			}
		}
	case *chatbiv1.ExecuteResult:
		for _, t := range o.GetCertificate().GetTables() {
			out = append(out, t.GetTable())
		}
	case *chatbiv1.ExplainResult:
		for _, t := range o.GetCertificate().GetTables() {
			out = append(out, t.GetTable())
		}
	}
	return out
}

// sqlOf is the statement that a call of this turn brought, once it ended well.
func sqlOf(c *call) string {
	if c.output == nil {
		return ""
	}
	return link{call: c.ToolCall, output: c.output}.sql()
}
