package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// step is what one Commit of a turn at work brought. The outputs of its calls are packed:
// codings says how, call by call.
type step struct {
	store.Changes
	codings []string
	expires time.Time // of the lock, where Open makes it
}

// stepForm is the first byte of a written step. A version that writes them otherwise takes
// another one, and reads this one as well: the turn of a process that was stopped for an
// upgrade may lie there.
const stepForm = 1

// marshal returns the step as it lies in turn_steps.
func (s *step) marshal() []byte {
	c := coder{out: make([]byte, 1, 1<<10)}
	c.out[0] = stepForm
	c.step(s)
	return c.out
}

// unmarshalStep reads what marshal returned.
func unmarshalStep(raw []byte) (step, error) {
	if len(raw) == 0 || raw[0] != stepForm {
		return step{}, errors.New("a step of a turn is written in a form that this version does not read")
	}
	c, s := coder{in: raw[1:], reading: true}, step{}
	c.step(&s)
	if c.err == nil && len(c.in) > 0 {
		c.err = errCut
	}
	if c.err != nil {
		return step{}, fmt.Errorf("a step of a turn: %w", c.err)
	}
	return s, nil
}

var errCut = errors.New("it is cut off or has too much")

// coder writes values one behind the other, or reads them into the same places: each
// type is described once for both ways. Numbers are varints; texts, bytes and lists have
// their length before them, and what may be nil has 0 for nil and else one more.
type coder struct {
	out, in []byte
	reading bool
	err     error
}

func (c *coder) number(v *int64) {
	if !c.reading {
		c.out = binary.AppendVarint(c.out, *v)
		return
	}
	n, size := binary.Varint(c.in)
	if size <= 0 {
		c.err, c.in = errCut, nil
		return
	}
	*v, c.in = n, c.in[size:]
}

// length codes a length, and reads none that is longer than what follows.
func (c *coder) length(n int) int {
	v := int64(n)
	c.number(&v)
	if c.reading && (v < 0 || v > int64(len(c.in))+1 || c.err != nil) {
		c.err, c.in = errCut, nil
		return 0
	}
	return int(v)
}

func (c *coder) raw(n int) []byte {
	if n > len(c.in) {
		c.err, c.in = errCut, nil
		return nil
	}
	out := c.in[:n:n]
	c.in = c.in[n:]
	return out
}

func (c *coder) text(v *string) {
	n := c.length(len(*v))
	if c.reading {
		*v = string(c.raw(n))
		return
	}
	c.out = append(c.out, *v...)
}

func (c *coder) bytes(v *[]byte) {
	if c.some(*v != nil) {
		n := c.length(len(*v))
		if c.reading {
			*v = append([]byte{}, c.raw(n)...)
			return
		}
		c.out = append(c.out, *v...)
	}
}

// some codes whether a value is there.
func (c *coder) some(there bool) bool {
	v := int64(0)
	if there {
		v = 1
	}
	c.number(&v)
	return v == 1
}

func (c *coder) time(v *time.Time) {
	n := store.Nanos(*v)
	c.number(&n)
	if c.reading {
		*v = store.FromNanos(n)
	}
}

func (c *coder) status(v *run.Status) { c.text((*string)(v)) }

// several codes a list.
func several[T any](c *coder, v *[]T, one func(*T)) {
	n := c.length(len(*v))
	if c.reading && n > 0 {
		*v = make([]T, n)
	}
	for i := range *v {
		one(&(*v)[i])
	}
}

// optional codes what may be nil.
func optional[T any](c *coder, v **T, one func(*T)) {
	if !c.some(*v != nil) {
		return
	}
	if c.reading {
		*v = new(T)
	}
	one(*v)
}

func (c *coder) step(s *step) {
	optional(c, &s.Open, c.session)
	if s.Open != nil {
		c.time(&s.expires)
	}
	optional(c, &s.Session, c.session)
	optional(c, &s.Chat, c.chat)
	optional(c, &s.Run, c.run)
	several(c, &s.Records, c.record)
	several(c, &s.Messages, c.message)
	several(c, &s.ToolCalls, c.call)
	several(c, &s.codings, c.text)
	several(c, &s.DropToolCalls, c.text)
	s.Unlock = c.some(s.Unlock)
	c.number(&s.MaxSessionBytes)
}

func (c *coder) session(s *store.Session) {
	c.text(&s.ID)
	c.text(&s.Title)
	c.text(&s.Source)
	c.time(&s.CreatedAt)
	c.time(&s.UpdatedAt)
	turns := int64(s.Turns)
	c.number(&turns)
	s.Turns = int(min(max(turns, 0), math.MaxInt32))
}

func (c *coder) chat(s *store.Chat) {
	c.text(&s.ID)
	c.bytes(&s.State)
	c.time(&s.UpdatedAt)
}

func (c *coder) run(u *store.Run) {
	c.record(&u.Record)
	c.text(&u.ChatID)
	c.text(&u.Question)
}

func (c *coder) record(r *run.Record) {
	c.text(&r.RunID)
	c.text(&r.ParentRunID)
	c.text(&r.Name)
	c.text(&r.Service)
	c.text(&r.ToolCallID)
	c.text(&r.ToolName)
	c.status(&r.Status)
	c.time(&r.StartedAt)
	c.time(&r.EndedAt)
	c.text(&r.Error)
	if !c.some(r.Attributes != nil) {
		return
	}
	n := c.length(len(r.Attributes))
	if !c.reading {
		for key, value := range r.Attributes {
			c.text(&key)
			c.text(&value)
		}
		return
	}
	r.Attributes = make(map[string]string, n)
	for range n {
		var key, value string
		c.text(&key)
		c.text(&value)
		r.Attributes[key] = value
	}
}

func (c *coder) message(m *store.Message) {
	c.text(&m.ChatID)
	c.text(&m.RunID)
	c.text(&m.Role)
	c.text(&m.Content)
	c.time(&m.CreatedAt)
	several(c, &m.ToolCallIDs, c.text)
	c.bytes(&m.Detail)
}

func (c *coder) call(t *store.ToolCall) {
	c.text(&t.ID)
	c.text(&t.ChatID)
	c.text(&t.RunID)
	c.text(&t.ToolName)
	c.text(&t.AgentName)
	c.bytes(&t.Arguments)
	c.text(&t.SourceID)
	c.text(&t.NextID)
	c.status(&t.Status)
	c.time(&t.StartedAt)
	c.time(&t.EndedAt)
	c.text(&t.OutputType)
	c.bytes(&t.Output)
	c.text(&t.Error)
	c.text(&t.ErrorReason)
}
