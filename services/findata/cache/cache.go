// Package cache keeps what was computed, bounded in number and in time: the entry
// unused for longest makes room, and what is too old is not given out.
//
// Whoever fills a cache puts into the key all that the value depends on: the
// asker's rights, the generation of the source, the question.
package cache

import (
	"container/list"
	"sync"
	"time"
)

// Cache maps keys to values. It may be used concurrently.
type Cache[K comparable, V any] struct {
	most  int
	keep  time.Duration
	clock func() time.Time
	told  func(hit bool) // nil: nobody is

	mu      sync.Mutex
	entries map[K]*list.Element
	order   *list.List // most recently used first
}

type entry[K comparable, V any] struct {
	key  K
	val  V
	made time.Time
}

// New returns an empty cache of at most so many entries, each kept for so long.
func New[K comparable, V any](most int, keep time.Duration, clock func() time.Time) *Cache[K, V] {
	return &Cache[K, V]{most: most, keep: keep, clock: clock, entries: make(map[K]*list.Element), order: list.New()}
}

// Telling lets told hear whether Get found what was asked for; it must be quick. It
// returns c.
func (c *Cache[K, V]) Telling(told func(hit bool)) *Cache[K, V] {
	c.told = told
	return c
}

// Get returns the value of a key that is not too old.
func (c *Cache[K, V]) Get(key K) (val V, ok bool) {
	if c.told != nil {
		defer func() { c.told(ok) }()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.entries[key]
	if !ok {
		return val, false
	}
	e := at.Value.(*entry[K, V])
	if c.clock().Sub(e.made) >= c.keep {
		c.remove(at)
		return val, false
	}
	c.order.MoveToFront(at)
	return e.val, true
}

// Put keeps a value.
func (c *Cache[K, V]) Put(key K, val V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[key]; ok {
		c.remove(at)
	}
	if c.most <= 0 {
		return
	}
	for len(c.entries) >= c.most {
		c.remove(c.order.Back())
	}
	c.entries[key] = c.order.PushFront(&entry[K, V]{key, val, c.clock()})
}

// Drop forgets the entries whose keys are stale.
func (c *Cache[K, V]) Drop(stale func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, at := range c.entries {
		if stale(key) {
			c.remove(at)
		}
	}
}

// Len returns how many entries there are, old ones included.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

// remove forgets an entry. Called with mu held.
func (c *Cache[K, V]) remove(at *list.Element) {
	delete(c.entries, at.Value.(*entry[K, V]).key)
	c.order.Remove(at)
}
