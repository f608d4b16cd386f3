package chatbi

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
)

// resultMemory is the memory that all results together may take while they are
// read, analysed and stored. A statement takes its part page by page, without anybody
// knowing how much it will be. Half is for all; the other half is for one statement
// at a time, the first that found nothing left: so that one always comes to its end
// and gives back what it has, however many wait with a part each.
type resultMemory struct {
	limit   int64
	wait    time.Duration
	shared  *semaphore.Weighted // bytes
	reserve *semaphore.Weighted // the right to the other half
}

func newResultMemory(limit int64, wait time.Duration) *resultMemory {
	return &resultMemory{limit: limit, wait: wait, shared: semaphore.NewWeighted(limit - limit/2), reserve: semaphore.NewWeighted(1)}
}

// part is what one statement has of the memory. It is for one goroutine.
type part struct {
	memory *resultMemory
	shared int64
	first  bool  // it has the reserve, and
	over   int64 // so much of it
}

func (m *resultMemory) part() *part { return &part{memory: m} }

// take adds the memory of rows to the part. Where others have it, it waits for a
// while; the error says what to do.
func (p *part) take(ctx context.Context, rows [][]any) error {
	m, n := p.memory, memoryOf(rows)
	if !p.first {
		if m.shared.TryAcquire(n) {
			p.shared += n
			return nil
		}
		if err := p.becomeFirst(ctx); err != nil {
			return err
		}
	}
	if p.over+n > m.limit/2 {
		return fault.New(codes.ResourceExhausted, "RESULT_TOO_LARGE",
			fmt.Sprintf("the result takes more memory than one may have of what all results have together (chatbi.limits.results_memory, %s): ask for fewer rows or columns", result.Bytes(m.limit)))
	}
	p.over += n
	return nil
}

// give gives the memory of rows back that are in no more use.
func (p *part) give(rows [][]any) {
	n := memoryOf(rows)
	over := min(n, p.over)
	p.over -= over
	p.shared -= n - over
	p.memory.shared.Release(n - over)
}

// becomeFirst waits for the right to the reserve.
func (p *part) becomeFirst(ctx context.Context) error {
	m := p.memory
	wait, cancel := context.WithTimeout(ctx, m.wait)
	defer cancel()
	if m.reserve.Acquire(wait, 1) != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		busy := fault.New(codes.ResourceExhausted, "RESULTS_BUSY",
			fmt.Sprintf("the results of other statements take all the memory that results may have (%s), and none was done within %s: try again in a moment, or ask for fewer rows", result.Bytes(m.limit), m.wait))
		busy.RetryAfter = m.wait
		return busy
	}
	p.first = true
	return nil
}

// release gives the part back; it may be called twice.
func (p *part) release() {
	p.memory.shared.Release(p.shared)
	if p.first {
		p.memory.reserve.Release(1)
	}
	p.shared, p.first, p.over = 0, false, 0
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
