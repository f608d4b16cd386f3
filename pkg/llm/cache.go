package llm

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// Cache is a Model that remembers answers of another one: the same request gets
// the same answer again, at no cost, for a while. The whole request is the key, so
// nobody is told what was answered to somebody who may see more.
type Cache struct {
	model Model
	size  int
	keep  time.Duration
	clock func() time.Time
	meter *meter.Set
	name  meter.Cache

	mu      sync.Mutex
	recent  *list.List // of *remembered, the latest used first
	entries map[string]*list.Element
}

type remembered struct {
	key    string
	answer Response
	until  time.Time
}

// NewCache returns a cache of at most size answers, each kept for so long.
func NewCache(m Model, size int, keep time.Duration, clock func() time.Time) *Cache {
	return &Cache{model: m, size: size, keep: keep, clock: clock, recent: list.New(), entries: make(map[string]*list.Element)}
}

// Measured tells the meter what is found; name is the cache's. It returns c.
func (c *Cache) Measured(m *meter.Set, name meter.Cache) *Cache {
	c.meter, c.name = m, name
	return c
}

// Chat implements Model. What is remembered costs no budget and is told at once.
func (c *Cache) Chat(ctx context.Context, r Request) (Response, error) {
	key, err := record(r).key()
	if err != nil {
		return Response{}, err
	}
	answer, ok := c.lookup(key)
	c.meter.Looked(ctx, c.name, ok)
	if ok {
		if r.OnText != nil && answer.Text != "" {
			r.OnText(answer.Text)
		}
		answer.Usage = Usage{}
		return answer, nil
	}
	answer, err = c.model.Chat(ctx, r)
	if err == nil {
		c.store(key, answer)
	}
	return answer, err
}

func (c *Cache) lookup(key string) (Response, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return Response{}, false
	}
	kept := e.Value.(*remembered)
	if !c.clock().Before(kept.until) {
		c.remove(e)
		return Response{}, false
	}
	c.recent.MoveToFront(e)
	return kept.answer, true
}

func (c *Cache) store(key string, answer Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		c.remove(e)
	}
	c.entries[key] = c.recent.PushFront(&remembered{key, answer, c.clock().Add(c.keep)})
	if c.recent.Len() > c.size {
		c.remove(c.recent.Back())
	}
}

func (c *Cache) remove(e *list.Element) {
	delete(c.entries, e.Value.(*remembered).key)
	c.recent.Remove(e)
}
