package storetest

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// model is the store as its contract describes it, in maps: what the random
// operations of TestConformance compare an implementation with. A handle is a
// number; owners are handles, and noOwner is nobody.
type model struct {
	now      func() time.Time
	sessions map[string]*sessionModel
	runs     map[string]*runModel
	calls    map[string]*callModel
	removed  map[string]removedModel
}

const noOwner = -1

type sessionModel struct {
	principal string
	store.Session
	chats    map[string]store.Chat
	messages []store.Message
	owner    int
	token    int64
	expires  time.Time
}

type runModel struct {
	principal string
	owner     int
	store.Run
	steps    []run.Record // below the root, in the order of their first mention
	feedback []store.Feedback
}

type callModel struct{ store.ToolCall }

type removedModel struct {
	principal string
	at        time.Time
	rule      string
}

func newModel(now func() time.Time) *model {
	return &model{now: now, sessions: map[string]*sessionModel{}, runs: map[string]*runModel{}, calls: map[string]*callModel{}, removed: map[string]removedModel{}}
}

func (m *model) clone() *model {
	c := newModel(m.now)
	for id, s := range m.sessions {
		x := *s
		x.chats, x.messages = maps.Clone(s.chats), slices.Clone(s.messages)
		c.sessions[id] = &x
	}
	for id, r := range m.runs {
		x := *r
		x.steps, x.feedback = slices.Clone(r.steps), slices.Clone(r.feedback)
		c.runs[id] = &x
	}
	for id, k := range m.calls {
		x := *k
		c.calls[id] = &x
	}
	c.removed = maps.Clone(m.removed)
	return c
}

func (m *model) session(p run.Principal, id string) (*sessionModel, error) {
	if s := m.sessions[id]; s != nil && s.principal == p.ID {
		return s, nil
	}
	if r, ok := m.removed[id]; ok && r.principal == p.ID {
		return nil, store.SessionRemoved(id, r.at, r.rule)
	}
	return nil, store.SessionUnknown(id)
}

func (m *model) run(p run.Principal, id string) (*runModel, error) {
	if r := m.runs[id]; r != nil && r.principal == p.ID {
		return r, nil
	}
	if r, ok := m.removed[id]; ok && r.principal == p.ID {
		return nil, store.RunRemoved(id, r.at, r.rule)
	}
	return nil, store.RunUnknown(id)
}

func (m *model) call(p run.Principal, id string) (*callModel, error) {
	if c := m.calls[id]; c != nil && m.sessions[c.SessionID].principal == p.ID {
		return c, nil
	}
	return nil, store.ToolCallUnknown(id)
}

func (m *model) create(p run.Principal, s store.Session) error {
	if m.sessions[s.ID] != nil {
		return store.IDTaken(s.ID)
	}
	m.sessions[s.ID] = &sessionModel{principal: p.ID, Session: s, chats: map[string]store.Chat{}, owner: noOwner}
	return nil
}

func (m *model) lock(p run.Principal, handle int, id string, lease time.Duration) (store.Lock, error) {
	s, err := m.session(p, id)
	if err != nil {
		return store.Lock{}, err
	}
	if s.owner != noOwner && s.expires.After(m.now()) {
		return store.Lock{}, store.SessionBusy(id, time.Second)
	}
	s.owner, s.token, s.expires = handle, s.token+1, m.now().Add(lease)
	return store.Lock{SessionID: id, Token: s.token, ExpiresAt: s.expires}, nil
}

func (m *model) holds(handle int, l store.Lock) *sessionModel {
	if s := m.sessions[l.SessionID]; s != nil && s.owner == handle && s.token == l.Token {
		return s
	}
	return nil
}

func (m *model) renew(handle int, l store.Lock, runID string, lease time.Duration) (store.Lock, bool, error) {
	s := m.holds(handle, l)
	if s == nil {
		return store.Lock{}, false, store.LockLost(l.SessionID)
	}
	s.expires = m.now().Add(lease)
	l.ExpiresAt = s.expires
	r := m.runs[runID]
	return l, r != nil && r.CancelRequested, nil
}

func (m *model) unlock(handle int, l store.Lock) {
	if s := m.holds(handle, l); s != nil {
		s.owner, s.expires = noOwner, time.Time{}
	}
}

// commit returns what the store is after a step, or as it was with the error.
func (m *model) commit(p run.Principal, handle int, l store.Lock, c store.Changes) (*model, error) {
	after := m.clone()
	if err := after.step(p, handle, l, c); err != nil {
		return m, err
	}
	return after, nil
}

func (m *model) step(p run.Principal, handle int, l store.Lock, c store.Changes) error {
	if c.Open != nil {
		if err := m.create(p, *c.Open); err != nil {
			return err
		}
		s := m.sessions[c.Open.ID]
		s.owner, s.token, s.expires = handle, l.Token, l.ExpiresAt
	}
	s, err := m.session(p, l.SessionID)
	if err != nil {
		return err
	}
	if m.holds(handle, l) == nil {
		return store.LockLost(l.SessionID)
	}
	if c.Session != nil {
		s.Title, s.Source, s.UpdatedAt, s.Turns = c.Session.Title, c.Session.Source, c.Session.UpdatedAt, c.Session.Turns
	}
	if c.Chat != nil {
		chat := *c.Chat
		chat.SessionID = l.SessionID
		s.chats[chat.ID] = chat
	}
	if c.Run != nil {
		if err := m.putRun(p, handle, l.SessionID, c); err != nil {
			return err
		}
	}
	for _, id := range c.DropToolCalls {
		if k := m.calls[id]; k != nil && k.SessionID == l.SessionID {
			delete(m.calls, id)
		}
	}
	for _, call := range c.ToolCalls {
		if err := m.putCall(l.SessionID, call); err != nil {
			return err
		}
	}
	for _, message := range c.Messages {
		message.SessionID = l.SessionID
		s.messages = append(s.messages, message)
	}
	if c.Unlock {
		m.unlock(handle, l)
	}
	return nil
}

func (m *model) putRun(p run.Principal, handle int, session string, c store.Changes) error {
	r := m.runs[c.Run.Record.RunID]
	switch {
	case r == nil:
		r = &runModel{principal: p.ID, Run: *c.Run}
		r.SessionID, r.CancelRequested = session, false
		m.runs[c.Run.Record.RunID] = r
	case r.SessionID != session:
		return store.IDTaken(c.Run.Record.RunID)
	}
	r.owner = handle
	if c.Run.Record.Status != run.StatusRunning {
		r.owner = noOwner
	}
	to, from := &r.Record, c.Run.Record
	to.Status, to.EndedAt, to.Attributes, to.Error = from.Status, from.EndedAt, from.Attributes, from.Error
	for _, step := range c.Records {
		i := slices.IndexFunc(r.steps, func(old run.Record) bool { return old.RunID == step.RunID })
		switch {
		case step.RunID == to.RunID: // the root's own row is newer
		case i < 0:
			r.steps = append(r.steps, step)
		default:
			r.steps[i] = step
		}
	}
	return nil
}

func (m *model) putCall(session string, call store.ToolCall) error {
	k := m.calls[call.ID]
	switch {
	case k == nil:
		call.SessionID = session
		m.calls[call.ID] = &callModel{call}
	case k.SessionID != session:
		return store.IDTaken(call.ID)
	case k.Status != run.StatusSucceeded:
		k.RunID, k.Arguments, k.SourceID, k.Status, k.EndedAt = call.RunID, call.Arguments, call.SourceID, call.Status, call.EndedAt
		k.OutputType, k.Output, k.Error, k.ErrorReason = call.OutputType, call.Output, call.Error, call.ErrorReason
	}
	if source := m.calls[call.SourceID]; source != nil && source.SessionID == session && call.SourceID != call.ID {
		source.NextID = call.ID
	}
	return nil
}

// tree is what Run returns of a run's records.
func (r *runModel) tree() []run.Record {
	out := []run.Record{r.Record}
	for _, step := range r.steps {
		if step.Status == run.StatusRunning && r.Record.Status == run.StatusInterrupted {
			step.Status, step.EndedAt, step.Error = r.Record.Status, r.Record.EndedAt, r.Record.Error
		}
		out = append(out, step)
	}
	return out
}

func (m *model) cancel(p run.Principal, id string) (run.Status, error) {
	r, err := m.run(p, id)
	if err != nil {
		return "", err
	}
	r.CancelRequested = r.Record.Status == run.StatusRunning
	return r.Record.Status, nil
}

func (m *model) remove(session string) {
	delete(m.sessions, session)
	maps.DeleteFunc(m.runs, func(_ string, r *runModel) bool { return r.SessionID == session })
	maps.DeleteFunc(m.calls, func(_ string, c *callModel) bool { return c.SessionID == session })
}

// died ends what the process of a handle left at work, with the words that the
// implementation has for it.
func (m *model) died(handle int, words string) {
	now := m.now()
	for _, r := range m.runs {
		if r.owner != handle {
			continue
		}
		r.owner, r.Record.Status, r.Record.EndedAt, r.Record.Error = noOwner, run.StatusInterrupted, now, words
		for _, c := range m.calls {
			if c.RunID == r.Record.RunID && c.Status == run.StatusRunning {
				c.Status, c.EndedAt, c.Error, c.ErrorReason = run.StatusInterrupted, now, words, "INTERRUPTED"
			}
		}
	}
	for _, s := range m.sessions {
		if s.owner == handle {
			s.owner, s.expires = noOwner, time.Time{}
		}
	}
}

// aged is an entry that a sweep may remove.
type aged struct {
	id, principal string
	at            time.Time
	free          bool
}

// chosen returns what a sweep removes of one kind, oldest first, with its rule.
func (m *model) chosen(all []aged, age time.Duration, most, batch int, byAge, byNumber string) (ids []string, notes map[string]removedModel) {
	slices.SortFunc(all, func(a, b aged) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.id, a.id)) })
	notes = map[string]removedModel{}
	position := map[string]int{}
	for _, a := range all {
		position[a.principal]++
		old, beyond := age > 0 && a.at.Before(m.now().Add(-age)), most > 0 && position[a.principal] > most
		switch {
		case !a.free || !old && !beyond:
			continue
		case old:
			notes[a.id] = removedModel{a.principal, m.now(), byAge}
		default:
			notes[a.id] = removedModel{a.principal, m.now(), byNumber}
		}
		ids = append(ids, a.id)
	}
	slices.Reverse(ids)
	if batch > 0 && len(ids) > batch {
		ids = ids[:batch]
	}
	return ids, notes
}

func (m *model) sweep(r store.Retention) store.Swept {
	var sessions, runs []aged
	for id, s := range m.sessions {
		sessions = append(sessions, aged{id, s.principal, s.UpdatedAt, s.owner == noOwner})
	}
	gone, notes := m.chosen(sessions, r.SessionsFor, r.MaxSessions, r.Batch, store.RuleSessionsFor, store.RuleMaxSessions)
	for _, id := range gone {
		m.removed[id] = notes[id]
		for _, u := range m.runs {
			if u.SessionID == id {
				m.removed[u.Record.RunID] = removedModel{u.principal, m.now(), notes[id].rule}
			}
		}
		m.remove(id)
	}
	for id, u := range m.runs {
		runs = append(runs, aged{id, u.principal, u.Record.StartedAt, u.owner == noOwner})
	}
	ended, notes := m.chosen(runs, r.RunsFor, r.MaxRuns, r.Batch, store.RuleRunsFor, store.RuleMaxRuns)
	for _, id := range ended {
		m.removed[id] = notes[id]
		delete(m.runs, id)
		maps.DeleteFunc(m.calls, func(_ string, c *callModel) bool { return c.RunID == id })
	}
	if r.MaxRemoved > 0 {
		newest := slices.SortedFunc(maps.Keys(m.removed), func(a, b string) int {
			return cmp.Or(m.removed[b].at.Compare(m.removed[a].at), cmp.Compare(b, a))
		})
		for _, id := range newest[min(len(newest), r.MaxRemoved):] {
			delete(m.removed, id)
		}
	}
	return store.Swept{
		Sessions: int64(len(gone)), Runs: int64(len(ended)),
		More: r.Batch > 0 && (len(gone) >= r.Batch || len(ended) >= r.Batch),
	}
}
