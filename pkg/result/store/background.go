package store

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

const (
	// maxToRemove bounds the files that wait to be removed; those for which there is no
	// place go with the next sweep.
	maxToRemove = 4096
	// removers is how many of them are removed at a time.
	removers = 2
	// drainTime bounds how long Close waits for those that wait still.
	drainTime = 5 * time.Second
)

// background removes the files of results that the index has let go, so that nobody who
// stores a result waits for that, and goes on evicting where one transaction was not enough.
// The index is the truth: a file that is not removed here, because that failed, because too
// many wait or because the process ended, is one that the index does not know, and goes with
// the next sweep of any process.
type background struct {
	files   Files
	meter   *meter.Set
	log     *slog.Logger
	evict   func(context.Context, func(ids []string)) error
	ctx     context.Context // ends with what is at work
	stop    context.CancelFunc
	again   chan struct{} // holds one entry where there is something to evict
	working sync.WaitGroup
	failing atomic.Bool // the last removal failed

	mu     sync.RWMutex // held for reading while something is put into queue
	queue  chan string
	closed bool
}

func newBackground(files Files, config Config, evict func(context.Context, func(ids []string)) error) *background {
	b := &background{
		files: files, meter: config.Meter, log: config.Log, evict: evict, again: make(chan struct{}, 1), queue: make(chan string, maxToRemove),
	}
	b.ctx, b.stop = context.WithCancel(context.Background())
	for range removers {
		b.working.Go(func() {
			for id := range b.queue {
				if b.ctx.Err() != nil {
					b.meter.ResultFile(context.Background(), meter.FileLeft, 1)
					continue
				}
				b.remove(b.ctx, id)
			}
		})
	}
	b.working.Go(func() {
		for range b.again {
			if err := b.evict(b.ctx, func(ids []string) { b.toRemove(b.ctx, ids) }); err != nil && b.ctx.Err() == nil {
				b.log.WarnContext(b.ctx, "results beyond the bounds could not be removed; the next sweep does it", "error", err)
			}
		}
	})
	return b
}

// remove removes a file. A failure is told once until one is removed again.
func (b *background) remove(ctx context.Context, id string) bool {
	err := b.files.Remove(ctx, id)
	if err == nil {
		b.failing.Store(false)
		b.meter.ResultFile(ctx, meter.FileRemoved, 1)
		return true
	}
	b.meter.ResultFile(ctx, meter.FileFailed, 1)
	if !b.failing.Swap(true) {
		b.log.WarnContext(ctx, "rows of results that were let go could not be removed; the next sweep does it", "error", err)
	}
	return false
}

// removeNow removes files, and leaves those after one that it cannot remove to the next sweep:
// nobody waits for each of them to fail too.
func (b *background) removeNow(ctx context.Context, ids []string) {
	for i, id := range ids {
		if !b.remove(ctx, id) {
			b.meter.ResultFile(ctx, meter.FileLeft, len(ids)-i-1)
			return
		}
	}
}

// letGo takes over what a transaction has let go, and waits for nothing.
func (b *background) letGo(ctx context.Context, e evicted) {
	b.toRemove(ctx, e.ids)
	b.mu.RLock()
	defer b.mu.RUnlock()
	if !e.more || b.closed {
		return
	}
	select {
	case b.again <- struct{}{}:
	default: // it is to be done already
	}
}

// toRemove has files removed. For those that find no place there is the sweep.
func (b *background) toRemove(ctx context.Context, ids []string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for i, id := range ids {
		if !b.closed {
			select {
			case b.queue <- id:
				continue
			default:
			}
		}
		b.meter.ResultFile(ctx, meter.FileLeft, len(ids)-i)
		return
	}
}

// close takes nothing more and waits, for drainTime at most, until all that waits is removed.
func (b *background) close() {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.queue)
		close(b.again)
	}
	b.mu.Unlock()
	late := time.AfterFunc(drainTime, b.stop)
	defer late.Stop()
	b.working.Wait()
	b.stop()
}

// maxStuck bounds the files, one behind the other, that a sweep cannot remove before it ends:
// where none goes any more, nobody waits for each of them to fail too. What lies behind so many
// waits until one of them goes.
const maxStuck = 3

// sweeping are files as a sweep removes them: fewer than maxStuck that cannot be removed do not
// keep those behind them.
type sweeping struct {
	Files
	meter *meter.Set

	inARow int   // could not be removed, the last ones
	stuck  error // why the first one could not
}

// Remove implements Files.
func (s *sweeping) Remove(ctx context.Context, id string) error {
	err := s.Files.Remove(ctx, id)
	if err == nil {
		s.meter.ResultFile(ctx, meter.FileSwept, 1)
		s.inARow = 0
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	s.meter.ResultFile(ctx, meter.FileStuck, 1)
	if s.stuck == nil {
		s.stuck = err
	}
	if s.inARow++; s.inARow >= maxStuck {
		return err
	}
	return nil
}
