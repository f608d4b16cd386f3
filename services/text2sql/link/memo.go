package link

import "sync"

// maxMemo bounds the spans whose meanings are kept; then all are forgotten.
const maxMemo = 4096

// memo keeps what was looked up: questions share most of their words.
type memo[T any] struct {
	mu   sync.Mutex
	held map[string]T
}

// get returns what find returned for the key before, or finds it.
func (m *memo[T]) get(key string, find func() T) T {
	m.mu.Lock()
	v, ok := m.held[key]
	m.mu.Unlock()
	if ok {
		return v
	}
	v = find()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held == nil || len(m.held) >= maxMemo {
		m.held = make(map[string]T)
	}
	m.held[key] = v
	return v
}
