package duckdb

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// TestAClosedPool starts nothing, takes nothing back, and keeps no place.
func TestAClosedPool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		child, late := newTame(0, false), newTame(0, false)
		p := poolOf(0, child, late)
		w, err := p.lease(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.close())
		<-child.gone
		released := 0
		p.giveBack(w, func() { released++ })
		synctest.Wait()
		require.Equal(t, 1, released)
		require.Zero(t, idling(p))
		_, err = p.lease(t.Context())
		require.ErrorIs(t, err, errPoolClosed)
		_, err = p.start(t.Context())
		require.ErrorIs(t, err, errPoolClosed)
		synctest.Wait()
		<-late.gone
		require.Zero(t, living(p))
		require.True(t, p.room.free.TryAcquire(4), "each place is free")
		require.False(t, p.evict())
		_, any := p.idleSince()
		require.False(t, any)
		require.NoError(t, p.close(), "twice is once")
	})
}

// TestChildrenThatEndWhileIdleAreForgotten: all of them go, their places are free, and
// the statement runs on a new one.
func TestChildrenThatEndWhileIdleAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		children := []*tame{newTame(0, false), newTame(0, false), newTame(0, false), newTame(0, false), newTame(0, false)}
		p := poolOf(0, children...)
		defer p.close() // a failed test is to say why, not that a child is left
		var held []*worker
		for range 4 {
			w, err := p.lease(t.Context())
			require.NoError(t, err)
			held = append(held, w)
		}
		for _, w := range held {
			p.giveBack(w, func() {})
		}
		for _, c := range children[:4] {
			c.kill()
		}
		synctest.Wait()
		w, err := p.lease(t.Context())
		require.NoError(t, err, "the places of the four are free")
		require.Same(t, children[4], w.process)
		require.Equal(t, 1, living(p))
		require.Zero(t, idling(p))
		require.True(t, p.room.free.TryAcquire(3))
	})
}

// living is how many children a pool has.
func living(p *pool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.all)
}

// idling is how many of them do nothing.
func idling(p *pool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// TestIdleChildrenHaveATime: those beside the one used last are ended when they have
// been idle for as long as they are kept, and not before.
func TestIdleChildrenHaveATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := poolOf(0, newTame(0, false), newTame(0, false), newTame(0, false))
		defer p.close() // a failed test is to say why, not that a child is left
		var held []*worker
		for range 3 {
			w, err := p.lease(t.Context())
			require.NoError(t, err)
			held = append(held, w)
		}
		begun := time.Now()
		for i, w := range held {
			p.giveBack(w, func() {})
			since, any := p.idleSince()
			require.True(t, any)
			require.Equal(t, begun, since, "%d: the first has been idle for longest", i)
			time.Sleep(time.Second)
		}
		for after, left := range map[time.Duration]int{0: 3, p.keep - time.Second: 3} {
			require.Equal(t, left, living(p), after)
		}
		time.Sleep(p.keep - 3*time.Second - time.Nanosecond)
		synctest.Wait()
		require.Equal(t, 3, living(p))
		time.Sleep(time.Second + time.Nanosecond)
		synctest.Wait()
		require.Equal(t, 1, living(p), "the second to come is looked at when the third has come")
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, 1, idling(p), "one stays warm")
		require.Same(t, held[2], p.idle[0])
	})
}

// TestCloseTellsOfAChildThatStays: whoever closes is not kept waiting for the kernel,
// and the child's place stays its own until it is gone.
func TestCloseTellsOfAChildThatStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		child := unkillable{gone: make(chan struct{})}
		e := newEngine(Config{Launcher: child, Limits: warehouse.Limits{MaxConcurrent: 1}, Log: slog.New(slog.DiscardHandler)}.withDefaults(), 0)
		_, err := e.pool.lease(t.Context())
		require.NoError(t, err)
		begun := time.Now()
		require.ErrorContains(t, e.Close(), "did not end within 5s")
		require.Equal(t, reapWait, time.Since(begun))
		require.False(t, e.config.Room.free.TryAcquire(1))
		close(child.gone)
		synctest.Wait()
		require.True(t, e.config.Room.free.TryAcquire(1))
		require.Zero(t, living(e.pool))
	})
}

// TestAChildThatNeverEndsWhileItOpens is told as what it is, in time.
func TestAChildThatNeverEndsWhileItOpens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lingering{crowd: crowd{script: (frame{wire.KindFailed, []byte("{")}).bytes(t)[:5], ends: true}, gone: make(chan struct{})}
		e := newEngine(Config{Launcher: l, Limits: warehouse.Limits{MaxConcurrent: 1, QueueWait: time.Millisecond}, Log: slog.New(slog.DiscardHandler)}.withDefaults(), 0)
		begun := time.Now()
		_, _, err := told(t.Context(), e)
		require.ErrorContains(t, err, "cannot be spoken to")
		require.Equal(t, reapWait, time.Since(begun))
		require.NoError(t, e.Health(), "it may still end in time")
		time.Sleep(reapWait)
		synctest.Wait()
		require.Equal(t, ReasonStuck, fault.ReasonOf(e.Health()))
		require.ErrorContains(t, e.Health(), "1 of 1 processes")
		_, _, err = told(t.Context(), e)
		require.Equal(t, "ENGINE_BUSY", fault.ReasonOf(err))
		require.Equal(t, codes.ResourceExhausted, status.Code(err))
		close(l.gone)
		synctest.Wait()
		require.NoError(t, e.Health())
		require.NoError(t, e.Close())
	})
}

// lingering starts children whose streams end and that do not.
type lingering struct {
	crowd
	gone chan struct{}
}

func (l *lingering) launch() (process, error) {
	p, err := l.crowd.launch()
	return stays{p, l.gone}, err
}

type stays struct {
	process
	gone chan struct{}
}

func (s stays) done() <-chan struct{} { return s.gone }

// TestARoomThatIsFullSaysWhenToComeBack: a place that no child leaves in time is told
// with the wait.
func TestARoomThatIsFullSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRoom(warehouse.Limits{MaxConcurrent: 1})
		require.NoError(t, r.enter(t.Context()))
		begun := time.Now()
		err := r.enter(t.Context())
		require.Equal(t, placeWait, time.Since(begun))
		var busy *fault.Error
		require.ErrorAs(t, err, &busy)
		require.Equal(t, placeWait, busy.RetryAfter)
		require.Contains(t, busy.Error(), "all 1 processes")
		require.Zero(t, r.waiting, "who has gone waits no more")
		r.leave(false)
		require.NoError(t, r.enter(t.Context()))
	})
}

// TestMemoryIsWatched: a child over its limit is killed at the next look, one at its
// limit is not, and the person is told the limit.
func TestMemoryIsWatched(t *testing.T) {
	t.Parallel()
	const limit = 100 << 20
	for resident, over := range map[int64]bool{limit: false, limit + 1: true} {
		synctest.Test(t, func(t *testing.T) {
			p := poolOf(limit, newTame(resident, false))
			defer p.close() // a failed test is to say why, not that a child is left
			released := make(chan struct{})
			s, err := p.begin(t.Context(), wire.Query{Text: "select 1", Timeout: time.Minute}, func() { close(released) })
			require.NoError(t, err)
			begun := time.Now()
			time.AfterFunc(time.Second, func() { _ = s.worker.process.(*tame).theirs.Close() }) // it would say nothing more
			_, _, err = s.receive()
			require.Equal(t, over, time.Since(begun) <= memoryEvery, time.Since(begun))
			var failed *warehouse.Error
			require.ErrorAs(t, err, &failed)
			if over {
				require.Equal(t, warehouse.NameStatementMemory, failed.Name)
				require.Equal(t, warehouse.KindResources, failed.Kind)
				require.Contains(t, failed.Message, "100 MiB")
			} else {
				require.Equal(t, warehouse.NameEngineEnded, failed.Name)
			}
			<-released
		})
	}
}

// TestSizesOfMemory: what a child may take follows from DuckDB's own limit, and a text
// that is no size is told.
func TestSizesOfMemory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"2GB": 2_500_000_000 + 384<<20, "512MiB": 640<<20 + 384<<20, "1PiB": 1<<50 + 1<<48 + 384<<20} {
		got, err := ProcessMemory(text, 0)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		set, err := ProcessMemory(text, 77)
		require.NoError(t, err)
		require.EqualValues(t, 77, set)
	}
	for _, text := range []string{"", "much", "0", "-1GB", "2PiB", "99999EB"} {
		_, err := ProcessMemory(text, 77)
		require.Equal(t, "MEMORY_LIMIT", fault.ReasonOf(err), text)
		require.Equal(t, codes.InvalidArgument, status.Code(err), text)
		_, err = Open(t.Context(), Config{Launcher: InProcess(), Databases: map[string]string{"eu": "x"}, MemoryLimit: text + " "})
		require.Equal(t, "MEMORY_LIMIT", fault.ReasonOf(err), text)
	}
	_, err := Open(t.Context(), Config{Databases: map[string]string{"eu": "x"}})
	require.ErrorContains(t, err, "no launcher")
}

// TestFilesThatCannotBeOpened: each has its class before a child is started, and its
// path is for the operator alone.
func TestFilesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := dir + "/" + string(make([]byte, 5000))
	for path, reason := range map[string]string{dir: "DATABASE_CORRUPT", dir + "/none": "DATABASE_MISSING", long: "DATABASE_UNREADABLE"} {
		l := &crowd{}
		_, err := Open(t.Context(), Config{Launcher: l, Databases: map[string]string{"eu": path}})
		require.Equal(t, reason, fault.ReasonOf(err))
		require.Equal(t, codes.FailedPrecondition, status.Code(err))
		require.Contains(t, err.Error(), "region eu")
		require.Contains(t, fault.OperatorText(err), path)
		require.Empty(t, l.children, "none is started for it")
	}
	for _, region := range []string{"memory", "SYSTEM", "Temp"} {
		_, err := Open(t.Context(), Config{Launcher: &crowd{}, Databases: map[string]string{region: dir}})
		require.Equal(t, "REGION_NAME", fault.ReasonOf(err), region)
	}
	for text, reason := range map[string]string{
		"IO Error: Could not set lock on file": "DATABASE_LOCKED", "IO Error: Conflicting lock is held": "DATABASE_LOCKED",
		"Could not set lock on file: too many open files": "DATABASE_LOCKED",
	} {
		c := Config{Databases: map[string]string{"eu": "/x"}, Remake: "100% again"}
		require.Equal(t, reason, fault.ReasonOf(c.opening(&openFailure{wire.Failed{Region: "eu", Text: text}})), text)
	}
	c := Config{Databases: map[string]string{"eu": "/x"}, Remake: "make it 100% again"}
	require.ErrorContains(t, c.opening(&openFailure{wire.Failed{Region: "eu", Text: "no"}}), "make it 100% again")
	other := c.opening(&openFailure{wire.Failed{Text: "configure: Disk quota exceeded"}})
	require.Equal(t, "DISK_FULL", fault.ReasonOf(other))
	plain := c.opening(io.ErrShortWrite)
	require.Equal(t, io.ErrShortWrite, plain, "what is not known stays as it is")
	unknown := &openFailure{wire.Failed{Text: "configure: no"}}
	require.ErrorIs(t, c.opening(unknown), unknown)
}

// TestFailuresInPrestosWords: each of DuckDB's has Trino's name, words of ours, and
// the engine's own as its cause.
func TestFailuresInPrestosWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"Invalid Input Error: PRESTO DIVISION_BY_ZERO: Division by zero": {"DIVISION_BY_ZERO", "Division by zero"},
		"PRESTO NOT_SUPPORTED: not here\nLINE 1: select":                 {"NOT_SUPPORTED", "not here"},
		"Conversion Error: Could not convert string 'ab' to INT32":       {warehouse.NameInvalidCast, "'ab' cannot be cast: use try_cast to get NULL instead"},
		"Conversion Error: other":                                        {warehouse.NameInvalidCast, "a value cannot be cast to the type that is asked for: use try_cast to get NULL instead"},
		"Out of Range Error: Overflow in addition":                       {warehouse.NameOutOfRange, "a number is out of range: cast the operands to a larger type, such as decimal(38,0) or double"},
		"Binder Error: no": {warehouse.NameInternal, "the embedded engine failed at this statement: write it another way; the log tells more"},
	} {
		cause := errors.New(text)
		var failed *warehouse.Error
		require.ErrorAs(t, failure(t.Context(), cause, time.Second), &failed, text)
		require.Equal(t, want, [2]string{failed.Name, failed.Message}, text)
		require.ErrorIs(t, failed, cause, text)
	}
}

// TestTheEnvironmentOfAChild, and what is kept of its words.
func TestTheEnvironmentOfAChild(t *testing.T) {
	t.Parallel()
	own := map[string]string{"LD_LIBRARY_PATH": "/lib", "DYLD_LIBRARY_PATH": "", "TZ": "UTC", "ZONEINFO": "/zones", "DIBRAIN_TOKEN": "secret"}
	require.Equal(t, []string{"LD_LIBRARY_PATH=/lib", "DYLD_LIBRARY_PATH=", "TZ=UTC", "ZONEINFO=/zones"}, kept(func(name string) (string, bool) {
		value, ok := own[name]
		return value, ok
	}))
	require.NotNil(t, kept(func(string) (string, bool) { return "", false }), "nil would be all of this process's")
	var words lastWords
	long := make([]byte, maxWords)
	for i := range long {
		long[i] = 'a'
	}
	for _, text := range []string{"first", string(long), "the end"} {
		n, err := io.WriteString(&words, text)
		require.NoError(t, err)
		require.Equal(t, len(text), n)
	}
	require.Len(t, words.String(), maxWords)
	require.Equal(t, string(long[len("the end"):])+"the end", words.String())
	resident, known := residentBytes(os.Getpid())
	if known {
		require.Greater(t, resident, int64(1<<20))
	}
	_, known = residentBytes(-1)
	require.False(t, known)
}

// TestNoStatement: an empty statement of the product's own is told as what it is.
func TestNoStatement(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, quiet := engineOf(t, &crowd{script: honest(t)[0].bytes(t)})
		_, err := e.Metadata(t.Context(), run.Principal{ID: "someone"}, meta.Statement{}, warehouse.Options{})
		require.Equal(t, "STATEMENT_MISSING", fault.ReasonOf(err))
		quiet("no statement")
	})
}

// TestAKillThatComesLate: a child that has ended its statement, and may be at another's,
// is not killed for it, nor told to stop.
func TestAKillThatComesLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		child := newTame(0, false)
		p := poolOf(0, child)
		defer p.close() // a failed test is to say why, not that a child is left
		s, err := p.begin(t.Context(), wire.Query{Text: "select 1", Timeout: time.Minute}, func() {})
		require.NoError(t, err)
		s.finish(true)
		s.kill(disobeyed)
		s.cancel()
		s.finish(false)
		s.abandon()
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Nil(t, s.sent)
		require.Equal(t, notKilled, s.why)
		select {
		case <-child.gone:
			require.Fail(t, "it was killed")
		default:
		}
		require.Equal(t, 1, idling(p))
	})
}

// TestArgumentsOfAChild: only the one argument makes a program a child.
func TestArgumentsOfAChild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"dibrain", "embedded-engine"}, true}, {[]string{"dibrain", "serve"}, false}, {[]string{"dibrain"}, false}, {nil, false},
		{[]string{"dibrain", "embedded-engine", "--help"}, false}, {[]string{"dibrain", "serve", "embedded-engine"}, false},
	} {
		require.Equal(t, c.want, IsChild(c.args), c.args)
	}
}

// TestACancelIsOutBeforeTheChildIsFree: a cancel that is on its way when its statement
// ends must not reach the next one.
func TestACancelIsOutBeforeTheChildIsFree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		child := &deaf{scripted: scripted{}}
		child.ours, child.theirs = net.Pipe()
		child.gone = make(chan struct{})
		p := newEngine(Config{Launcher: child, Log: slog.New(slog.DiscardHandler)}.withDefaults(), 0).pool
		defer p.close() // a failed test is to say why, not that a child is left
		conn := wire.New(child.theirs)
		hear := func(want wire.Kind) {
			kind, _, err := conn.Receive()
			require.NoError(t, err)
			require.Equal(t, want, kind)
		}
		go func() {
			hear(wire.KindOpen)
			_ = conn.Send(wire.KindOpened, nil)
			hear(wire.KindQuery)
			_ = conn.Send(wire.KindBegun, nil)
		}()
		s, err := p.begin(t.Context(), wire.Query{Text: "select 1", Timeout: time.Minute}, func() {})
		require.NoError(t, err)
		s.cancel()
		go s.finish(true)
		synctest.Wait()
		require.Zero(t, idling(p), "the cancel has not been read")
		hear(wire.KindCancel)
		synctest.Wait()
		require.Equal(t, 1, idling(p))
	})
}

// deaf is a child that a test speaks for.
type deaf struct{ scripted }

func (d *deaf) launch() (process, error) { return d, nil }
