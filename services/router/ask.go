package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/flow"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/services/router/decide"
)

// Bounds of what a person sends, as in the contract.
const (
	maxQuestionBytes = 16 << 10
	maxTitleRunes    = 80
	defaultChat      = "main"
)

// reasonSessionFull is the reason of a turn that a session has no room for.
const reasonSessionFull = "SESSION_FULL"

// Why a turn was ended from outside.
var (
	errTimeUp    = errors.New("the time of the turn is up")
	errCancelled = errors.New("cancelled by its owner")
	errClosing   = errors.New("the server is stopping")
)

// Execute works on one turn and returns its answer. events, when there is one,
// is told what happens on the way; its error ends the turn as cancelled. What
// goes wrong inside a turn is an answer; the error is for a turn that could not
// begin or be stored, or whose source cannot be asked.
func (s *Service) Execute(ctx context.Context, request *routerv1.Turn, events func(*routerv1.ChatResponse) error) (*routerv1.Answer, error) {
	began := s.deps.Clock()
	ended := s.deps.Meter.Wait(ctx, meter.QueueTurns)
	leave, err := s.gate.enter(ctx, run.From(ctx).Principal, s.config().TurnWait)
	left := ended(err == nil, fault.ReasonOf(err) == reasonTooManyTurns)
	if err != nil {
		return nil, err
	}
	defer left()
	defer leave()
	t, err := s.begin(ctx, request, events)
	if err != nil {
		return nil, err
	}
	defer s.sweepIfDue()
	defer t.lock.release()

	ctx, end := s.context(ctx, t)
	defer end()
	t.message = store.Message{ChatID: t.chatID, RunID: t.root.RunID(), Role: store.RoleUser, Content: request.GetQuestion(), CreatedAt: began}
	t.unsaved = []store.Message{t.message}
	err = t.send(&routerv1.ChatResponse{Event: &routerv1.ChatResponse_RunStarted{RunStarted: &routerv1.RunStarted{
		RunId: t.root.RunID(), SessionId: t.session.ID, RewrittenQuestion: request.GetQuestion()}}})
	if err == nil {
		_, err = s.graph.Run(ctx, t, flow.Options[turn]{MaxSteps: s.config().MaxSteps, Around: s.trace, After: s.persistStep})
	}
	if lost := lockLost(ctx, err); lost != nil {
		t.root.End(lost)
		return nil, lost
	}
	s.settle(ctx, t, err)
	answer := s.answer(ctx, t, s.deps.Clock().Sub(began))
	if err := s.persistEnd(ctx, t, answer); err != nil {
		return answer, err
	}
	s.deps.Meter.Turn(ctx, t.goal(), t.outcome(), s.deps.Clock().Sub(began), t.confidence())
	if err := t.sourceFault(); err != nil { // kept as a failed run, and told as an error
		return nil, err
	}
	run.Conclude(ctx, t.outcome())
	return answer, nil
}

// begin checks the request, finds or makes its session, and locks it.
func (s *Service) begin(ctx context.Context, request *routerv1.Turn, events func(*routerv1.ChatResponse) error) (*turn, error) {
	principal := run.From(ctx).Principal
	if principal.IsZero() {
		return nil, fault.New(codes.Unauthenticated, "UNAUTHENTICATED", "Nobody is signed in. Send an API token in the authorization metadata.")
	}
	request, again, err := s.again(ctx, request)
	if err != nil {
		return nil, err
	}
	if err := s.check(request); err != nil {
		return nil, err
	}
	t := &turn{request: request, again: again, principal: principal, events: events, language: languageOf(request),
		recorder: run.NewRecorder(s.config().MaxRunBytes), written: map[string]run.Status{}}
	t.chatID = request.GetChatId()
	id, err := s.sessionOf(t)
	if err != nil {
		return nil, err
	}
	if id == "" {
		s.openSession(t)
		return t, nil
	}
	if t.lock, err = s.lock(ctx, principal, id); err != nil {
		return nil, err
	}
	if err := s.readSession(ctx, t, id); err != nil {
		t.lock.release()
		return nil, err
	}
	return t, nil
}

func (s *Service) check(r *routerv1.Turn) error {
	question := strings.TrimSpace(r.GetQuestion())
	switch {
	case question == "" && r.GetOriginalSql() == "" && r.GetChosenOptionId() == "":
		return fault.Invalid("turn.question", "QUESTION_EMPTY", "The question is empty. Say in a sentence what you want to know, for example: how many orders were there yesterday?")
	case len(r.GetQuestion()) > maxQuestionBytes:
		return fault.Invalid("turn.question", "QUESTION_TOO_LONG", "The question has %d bytes, at most %d are read. Shorten it; a long SQL goes into original_sql.",
			len(r.GetQuestion()), maxQuestionBytes)
	case !utf8.ValidString(r.GetQuestion()):
		return fault.Invalid("turn.question", "QUESTION_NOT_UTF8", "The question is not UTF-8 text. Send it in UTF-8.")
	}
	if err := checkSource("turn.source", r.GetSource()); err != nil {
		return err
	}
	if zone := r.GetUserContext().GetTimeZone(); zone != "" && !run.ValidTimeZone(zone) {
		return fault.Invalid("turn.user_context.time_zone", "TIME_ZONE_INVALID",
			"%q is no time zone that is known here. Give an IANA name such as Asia/Singapore, or leave it empty.", zone)
	}
	if agent := r.GetAgentName(); agent != "" {
		if _, ok := s.tools.ByDirectAgent(agent); !ok {
			return fault.Invalid("turn.agent_name", "AGENT_UNKNOWN", "There is no agent %q to call by name. Use one of: %s; or leave it empty, and the router decides.",
				agent, strings.Join(s.tools.DirectAgents(), ", "))
		}
	}
	for field, id := range map[string]string{"turn.session_id": r.GetSessionId(), "turn.chat_id": r.GetChatId(), "turn.run_again": r.GetRunAgain()} {
		if id != "" && !run.ValidID(id) {
			return fault.Invalid(field, "ID_INVALID", "The id must be 1 to %d letters, digits or signs of \"_-.:\".", run.MaxIDLength)
		}
	}
	return nil
}

// checkSource checks the form of a source's name; empty is the default's. Whether
// there is one of that name is for the services to say.
func checkSource(field, name string) error {
	if name == "" {
		return nil
	}
	err := source.ValidateName(name)
	if err == nil {
		return nil
	}
	e := *fault.FromStatus(err)
	e.Field = field
	return &e
}

// languageOf is the language of the answer: the one asked for, else that of the
// question.
func languageOf(r *routerv1.Turn) lang.Language {
	switch r.GetUserContext().GetLanguage() {
	case commonv1.Language_LANGUAGE_EN:
		return lang.English
	case commonv1.Language_LANGUAGE_ZH:
		return lang.Chinese
	default:
		// SQL in a question says nothing about its language.
		if words := decide.Split(r.GetQuestion()).Words; words != "" {
			return lang.Detect(words)
		}
		return lang.Detect(r.GetQuestion())
	}
}

// sessionOf returns the session that a request goes on with; empty: a new one.
func (s *Service) sessionOf(t *turn) (string, error) {
	id := t.request.GetSessionId()
	if id == "" && t.request.GetMidState() != "" {
		state, err := s.readMidState(t.principal, t.request.GetMidState())
		if err != nil {
			return "", err
		}
		id = state.SessionID
		if t.chatID == "" {
			t.chatID = state.ChatID
		}
	}
	if t.chatID == "" {
		t.chatID = defaultChat
	}
	return id, nil
}

// openSession makes the turn's session. It is stored, locked, with the first step
// that is: until then nobody else knows of it.
func (s *Service) openSession(t *turn) {
	now := s.deps.Clock()
	t.session = store.Session{ID: s.deps.IDs(run.PrefixSession), Title: lang.Shorten(lang.OneLine(t.request.GetQuestion()), maxTitleRunes), Source: t.request.GetSource(), CreatedAt: now, UpdatedAt: now}
	t.lock = s.hold(store.FirstLock(t.session.ID, now.Add(s.config().Lease)))
	t.lock.unopened = true
	s.settleSource(t)
}

// settleSource says which source the turn asks.
func (s *Service) settleSource(t *turn) {
	t.source = firstText(t.request.GetSource(), t.chat.Source, t.session.Source, s.config().DefaultSource)
	t.chat.Source = firstText(t.request.GetSource(), t.chat.Source)
}

// readSession reads what the session knows, under its lock.
func (s *Service) readSession(ctx context.Context, t *turn, id string) error {
	known, err := s.deps.Store.Thread(ctx, t.principal, id, t.chatID, s.config().HistoryMessages)
	if err != nil {
		return err
	}
	if most := s.config().Retention.MaxTurns; most > 0 && known.Session.Turns >= most {
		return fault.New(codes.FailedPrecondition, reasonSessionFull, fmt.Sprintf(
			"This session has %d turns, which is the most that one may have (router.retention.max_turns). Leave session_id empty for a new one.", known.Session.Turns), "session_id", id)
	}
	if t.session = known.Session; t.session.Title == "" {
		t.session.Title = lang.Shorten(lang.OneLine(t.request.GetQuestion()), maxTitleRunes)
	}
	if len(known.Chat.State) > 0 {
		if err := json.Unmarshal(known.Chat.State, &t.chat); err != nil {
			s.deps.Log.WarnContext(ctx, "the state of a thread cannot be read and is made anew", "session_id", t.session.ID, "error", err)
			t.chat = chatState{}
		}
	}
	t.history, t.earlier = readHistory(known.Messages), known.Earlier
	t.known = summarized(&t.chat, t.history)
	s.settleSource(t)
	return nil
}

// context makes the turn's own: its run with one "now", its deadline, and its
// place among the runs that can be cancelled. The lock is renewed until end.
func (s *Service) context(ctx context.Context, t *turn) (context.Context, func()) {
	rc := run.From(ctx)
	rc.SessionID, rc.ChatID = t.session.ID, t.chatID
	if zone := t.request.GetUserContext().GetTimeZone(); run.ValidTimeZone(zone) {
		rc.TimeZone = zone
	} else if rc.TimeZone == "" {
		rc.TimeZone = s.config().TimeZone
	}
	if rc.Now.IsZero() {
		rc.Now = s.deps.Clock()
	}
	ctx = budget.Ensure(run.WithRecorder(run.With(ctx, rc), t.recorder), s.deps.ModelBudget)
	ctx, stopTimer := context.WithTimeoutCause(ctx, s.timeOf(t), errTimeUp)
	ctx, t.root = run.Start(ctx, "router.ask", "strategy", s.strategy.Name(), "chat_id", t.chatID)
	ctx = run.With(ctx, run.From(ctx).AsRoot()) // the run that is stored
	ctx, cancel := context.WithCancelCause(ctx)
	leave := s.active.enter(t.root.RunID(), cancel)
	t.lock.beat = func() { t.lock.keep(ctx, t.root.RunID(), cancel) }
	if !t.lock.unopened {
		t.lock.beat()
	}
	return ctx, func() {
		leave()
		cancel(nil)
		stopTimer()
	}
}

// timeOf is how long a turn may take.
func (s *Service) timeOf(t *turn) time.Duration {
	if n := t.request.GetMaxExecuteSecond(); n > 0 {
		return time.Duration(n) * time.Second
	}
	return s.config().MaxExecute
}

// trace makes a run of every step.
func (s *Service) trace(ctx context.Context, step flow.Step, t *turn, next func(context.Context) error) error {
	ctx, node := run.Start(ctx, "router."+step.Node)
	err := next(ctx)
	if t.fresh && t.decision.Kind != "" {
		node.Set("kind", t.decision.Kind)
		node.Set("goal", t.decision.Goal)
		node.Set("tool", t.decision.Tool)
		if len(t.decision.Extra) > 0 {
			node.Set("not_called", strings.Join(t.decision.Extra, ", "))
		}
		if t.decision.FellBack != "" {
			node.Set("fell_back", t.decision.FellBack)
		}
	}
	node.End(err)
	return err
}

// settle turns an error of the graph into the way the turn ends.
func (s *Service) settle(ctx context.Context, t *turn, err error) {
	if err == nil {
		return
	}
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errTimeUp), errors.Is(cause, context.DeadlineExceeded):
		t.interruption = routerv1.InterruptionReason_INTERRUPTION_REASON_TIMEOUT
	case errors.Is(cause, errClosing), errors.Is(cause, rpc.ErrStopping):
		t.interruption = routerv1.InterruptionReason_INTERRUPTION_REASON_SERVER_STOPPED
	case cause != nil, errors.Is(err, context.Canceled), status.Code(err) == codes.Canceled:
		t.interruption = routerv1.InterruptionReason_INTERRUPTION_REASON_CANCELLED
	default:
		t.failure = err
	}
	if c := t.current; c != nil && c.Status == run.StatusRunning {
		c.Status, c.EndedAt, c.dirty = endStatus(t), s.deps.Clock(), true
	}
}

// lockLost returns the fault of a turn whose session was taken over.
func lockLost(ctx context.Context, err error) error {
	for _, e := range []error{err, context.Cause(ctx)} {
		if r := fault.ReasonOf(e); r == store.ReasonLockLost || r == store.ReasonSessionUnknown {
			return fault.FromStatus(e)
		}
	}
	return nil
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func (t *turn) rewritten() string {
	if t.first != nil && t.first.Rewritten != "" {
		if whole := t.restated(); whole != "" {
			return whole
		}
		return t.first.Rewritten
	}
	return t.request.GetQuestion()
}

// restated is the request after a change as text to SQL says it from what it read, where the
// change was made: the messages one behind the other name what no longer holds.
func (t *turn) restated() string {
	if t.first.ChangesCall == "" {
		return ""
	}
	return t.changed().GetRestatement()
}
