package sqlite

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

// batch is what steps of one turn come to when they are written one after the other: each
// row once, as the last step left it.
type batch struct {
	open     *step // the one that makes the session
	session  *store.Session
	chats    []store.Chat
	runs     []store.Run
	records  []treePart
	drops    []string
	calls    []packedCall
	messages []store.Message
	// What says of a call that another builds on it: of calls that only the tables can have,
	// before the calls of the batch are written, and of those, after it.
	before, after []link
	// last is the step that was added last: where it unlocks, the lock is given up.
	last *step
}

// treePart are records of one run.
type treePart struct {
	root    string
	records []run.Record
}

// marshalRecords returns the parts of trees as rows keep them, and their bytes in all.
func (b *batch) marshalRecords() (rows []string, bytes int64, err error) {
	for _, part := range b.records {
		raw, err := coding.MarshalStep(part.records)
		if err != nil {
			return nil, 0, err
		}
		rows, bytes = append(rows, string(raw)), bytes+int64(len(raw))
	}
	return rows, bytes, nil
}

// packedCall is a call whose output is packed.
type packedCall struct {
	store.ToolCall
	coding string
}

// link says that the call next builds on the call source.
type link struct{ source, next string }

// add has the batch come to what it does with one more step behind the others.
func (b *batch) add(s *step) {
	b.last = s
	if s.Open != nil {
		b.open = s
	}
	if s.Session != nil {
		b.session = s.Session
	}
	if s.Chat != nil {
		put(&b.chats, *s.Chat, func(c *store.Chat) bool { return c.ID == s.Chat.ID })
	}
	if s.Run != nil {
		b.addRun(s.Run, s.Records)
	}
	for _, id := range s.DropToolCalls {
		b.calls = slices.DeleteFunc(b.calls, func(c packedCall) bool { return c.ID == id })
		b.after = slices.DeleteFunc(b.after, func(l link) bool { return l.source == id }) // one of that id may come again
		b.drops = append(b.drops, id)
	}
	for i, t := range s.ToolCalls {
		b.addCall(packedCall{t, s.codings[i]})
	}
	b.messages = append(b.messages, s.Messages...)
}

// addRun keeps of a run that was there before what a row keeps of it.
func (b *batch) addRun(u *store.Run, records []run.Record) {
	next := *u
	if at := slices.IndexFunc(b.runs, func(r store.Run) bool { return r.Record.RunID == u.Record.RunID }); at >= 0 {
		known := b.runs[at]
		next.ChatID, next.Question = known.ChatID, known.Question
		r := &next.Record
		r.ParentRunID, r.Name, r.Service, r.StartedAt = known.Record.ParentRunID, known.Record.Name, known.Record.Service, known.Record.StartedAt
		b.runs[at] = next
	} else {
		b.runs = append(b.runs, next)
	}
	if len(records) == 0 {
		return
	}
	if at := slices.IndexFunc(b.records, func(p treePart) bool { return p.root == u.Record.RunID }); at >= 0 {
		b.records[at].records = append(b.records[at].records, records...)
		return
	}
	b.records = append(b.records, treePart{u.Record.RunID, slices.Clone(records)})
}

// addCall keeps a call that ended well as it is, and of any other that was there before
// what a row keeps of it.
func (b *batch) addCall(t packedCall) {
	at := b.call(t.ID)
	switch {
	case at < 0:
		b.calls = append(b.calls, t)
	case b.calls[at].Status != run.StatusSucceeded:
		known := b.calls[at]
		t.ChatID, t.ToolName, t.AgentName, t.NextID, t.StartedAt = known.ChatID, known.ToolName, known.AgentName, known.NextID, known.StartedAt
		b.calls[at] = t
	}
	if t.SourceID == "" || t.SourceID == t.ID {
		return
	}
	l := link{t.SourceID, t.ID}
	if b.call(t.SourceID) < 0 {
		b.before = append(b.before, l)
	} else {
		b.after = append(b.after, l)
	}
}

func (b *batch) call(id string) int {
	return slices.IndexFunc(b.calls, func(c packedCall) bool { return c.ID == id })
}

// put replaces the element that is the same, or appends.
func put[T any](list *[]T, v T, same func(*T) bool) {
	for i := range *list {
		if same(&(*list)[i]) {
			(*list)[i] = v
			return
		}
	}
	*list = append(*list, v)
}
