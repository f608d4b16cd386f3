package chatbi

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// resultMemory is the memory that all results together may take while they are
// read, analysed and stored. A statement takes its part page by page.
type resultMemory struct {
	limit int64
	wait  time.Duration
	free  *semaphore.Weighted
}

func newResultMemory(limit int64, wait time.Duration) *resultMemory {
	return &resultMemory{limit: limit, wait: wait, free: semaphore.NewWeighted(limit)}
}

// part is what one statement has of the memory.
type part struct {
	memory *resultMemory
	mu     sync.Mutex
	taken  int64
}

func (m *resultMemory) part() *part { return &part{memory: m} }

// take adds the memory of rows to the part. Where others have it, it waits for a
// while; the error says what to do.
func (p *part) take(ctx context.Context, rows [][]any) error {
	m, n := p.memory, memoryOf(rows)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken+n > m.limit {
		return fault.New(codes.ResourceExhausted, "RESULT_TOO_LARGE",
			fmt.Sprintf("the result takes more memory than all results together may have (chatbi.limits.results_memory, %s): ask for fewer rows or columns", size(m.limit)))
	}
	if !m.free.TryAcquire(n) {
		wait, cancel := context.WithTimeout(ctx, m.wait)
		defer cancel()
		if m.free.Acquire(wait, n) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			busy := fault.New(codes.ResourceExhausted, "RESULTS_BUSY",
				fmt.Sprintf("the results of other statements take all the memory that results may have (%s), and none was done within %s: try again in a moment, or ask for fewer rows", size(m.limit), m.wait))
			busy.RetryAfter = m.wait
			return busy
		}
	}
	p.taken += n
	return nil
}

// release gives the part back; it may be called twice.
func (p *part) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.memory.free.Release(p.taken)
	p.taken = 0
}

// What values take in memory beside their text, on a machine of 64 bits.
const (
	rowBytes  = 24 // a slice of values
	cellBytes = 16 // an interface
	textBytes = 16 // what points to a text or to a list
)

// memoryOf is roughly what rows take in memory, and as much again for what is made
// of them: the stored form of a result is about as large.
func memoryOf(rows [][]any) int64 {
	var n int64
	for _, row := range rows {
		n += rowBytes
		for _, v := range row {
			n += memoryOfValue(v)
		}
	}
	return 2 * n
}

func memoryOfValue(v any) int64 {
	switch v := v.(type) {
	case nil, bool:
		return cellBytes
	case string:
		return cellBytes + textBytes + int64(len(v))
	case []byte:
		return cellBytes + rowBytes + int64(len(v))
	case []any:
		n := int64(cellBytes + rowBytes)
		for _, item := range v {
			n += memoryOfValue(item)
		}
		return n
	case map[string]any:
		n := int64(cellBytes + 48)
		for k, item := range v {
			n += textBytes + int64(len(k)) + memoryOfValue(item)
		}
		return n
	}
	return cellBytes + 8
}
