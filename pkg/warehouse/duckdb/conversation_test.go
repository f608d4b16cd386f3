package duckdb

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/types"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// frame is something that one side says.
type frame struct {
	kind    wire.Kind
	payload []byte
}

func (f frame) bytes(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, wire.New(buffer{&out}).SendFrame(f.kind, append(wire.Frame(nil), f.payload...)))
	return out.Bytes()
}

type buffer struct{ io.ReadWriter }

func (buffer) Close() error { return nil }

// aPage is the payload of a page of one column.
func aPage(t *testing.T, values ...any) []byte {
	t.Helper()
	page := wire.AppendPage(nil, len(values), int64(10*len(values)))
	for _, v := range values {
		var err error
		page, err = wire.AppendValue(page, v)
		require.NoError(t, err)
	}
	return page
}

// honest is what a child says when all goes well: four rows in two pages.
func honest(t *testing.T) []frame {
	t.Helper()
	return []frame{
		{wire.KindOpened, nil},
		{wire.KindBegun, nil},
		{wire.KindColumns, []byte(`{"Names":["n"],"Types":["bigint"]}`)},
		{wire.KindPage, aPage(t, int64(1), int64(2), int64(3))},
		{wire.KindPage, aPage(t, int64(4))},
		{wire.KindEnd, []byte(`{"Truncated":true}`)},
	}
}

// scripted is a child that says what it is told to, whatever it is asked, and then
// ends or waits until it is killed.
type scripted struct {
	script  []byte
	ends    bool
	how     string
	ours    net.Conn
	theirs  net.Conn
	gone    chan struct{}
	once    sync.Once
	mu      sync.Mutex
	heard   []frame
	hearing chan struct{} // closed when nothing more is heard
}

// speak says the first frame when the child is told what to open, and the rest when it
// has a statement.
func (c *scripted) speak() {
	c.ours, c.theirs = net.Pipe()
	c.gone, c.hearing = make(chan struct{}), make(chan struct{})
	first := c.script
	if len(first) > 4 {
		first = first[:min(len(first), 5+int(binary.BigEndian.Uint32(first)))]
	}
	go func() {
		defer close(c.hearing)
		conn := wire.New(c.theirs)
		for n := 1; ; n++ {
			kind, payload, err := conn.Receive()
			if err != nil {
				return
			}
			c.mu.Lock()
			c.heard = append(c.heard, frame{kind, payload})
			c.mu.Unlock()
			switch n {
			case 1:
				c.say(first, len(first) == len(c.script))
			case 2:
				go c.say(c.script[len(first):], true)
			}
		}
	}()
}

func (c *scripted) say(text []byte, last bool) {
	_, _ = c.theirs.Write(text)
	if last && c.ends {
		c.kill()
	}
}

// words are what the child has heard.
func (c *scripted) words() []frame {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.heard)
}

func (c *scripted) stream() io.ReadWriteCloser { return c.ours }
func (c *scripted) done() <-chan struct{}      { return c.gone }
func (c *scripted) memory() (int64, bool)      { return 0, false }
func (c *scripted) end() string                { return c.how }
func (c *scripted) kill() {
	c.once.Do(func() {
		_ = c.theirs.Close()
		close(c.gone)
	})
}

// crowd starts children that all say the same.
type crowd struct {
	script   []byte
	ends     bool
	how      string
	err      error // of starting one
	children []*scripted
}

func (c *crowd) launch() (process, error) {
	if c.err != nil {
		return nil, c.err
	}
	child := &scripted{script: c.script, ends: c.ends, how: c.how}
	child.speak()
	c.children = append(c.children, child)
	return child, nil
}

// engineOf is an engine with room for two statements. quiet checks what has to hold
// when none runs: every slot and place is free, and what is left of children is idle.
func engineOf(t *testing.T, l Launcher) (e *Engine, quiet func(why string)) {
	t.Helper()
	e = newEngine(Config{
		Launcher: l, Limits: warehouse.Limits{MaxConcurrent: 2, MaxPerPrincipal: 2, QueueWait: time.Millisecond, Timeout: 20 * time.Second},
		Log: slog.New(slog.DiscardHandler),
	}.withDefaults(), 0)
	t.Cleanup(func() { _ = e.Close() }) // a failed test is to say why, not that a child is left
	return e, func(why string) {
		t.Helper()
		synctest.Wait()
		for range 2 {
			release, err := e.slot(t.Context(), "someone")
			require.NoError(t, err, "%s: a slot is lost", why)
			defer release()
		}
		all, idle := e.Children()
		require.Equal(t, idle, all, "%s: a child is neither idle nor gone", why)
		require.NoError(t, e.Health(), why)
		require.NoError(t, e.Close(), why)
		synctest.Wait()
		require.True(t, e.config.Room.free.TryAcquire(2), "%s: a place is lost", why)
		require.Empty(t, e.config.Room.pools, why)
		require.Zero(t, living(e.pool), why)
	}
}

// told runs a statement and reads all of it.
func told(ctx context.Context, e *Engine) (values []any, stats warehouse.Stats, err error) {
	rows, err := e.start(ctx, run.Principal{ID: "someone"}, "select n from t", nil, warehouse.Options{})
	if err != nil {
		return nil, warehouse.Stats{}, err
	}
	for {
		page, err := rows.Next(ctx, 2)
		if errors.Is(err, io.EOF) {
			return values, rows.Stats(), nil
		}
		if err != nil {
			return values, rows.Stats(), err
		}
		for _, row := range page {
			values = append(values, row...)
		}
		if len(page) < 2 {
			return values, rows.Stats(), nil
		}
	}
}

// TestAConversationThatIsCut ends a child after each byte of what it says: the person
// is told that the engine's process ended, a half result is never taken for a whole
// one, and nothing of the statement is left.
func TestAConversationThatIsCut(t *testing.T) {
	t.Parallel()
	var script []byte
	var opened, begun int
	for i, f := range honest(t) {
		script = append(script, f.bytes(t)...)
		switch i {
		case 0:
			opened = len(script)
		case 1:
			begun = len(script)
		}
	}
	for n := range len(script) + 1 {
		synctest.Test(t, func(t *testing.T) {
			why := fmt.Sprintf("cut after %d bytes", n)
			l := &crowd{script: script[:n], ends: true, how: "exit status 7"}
			e, quiet := engineOf(t, l)
			values, stats, err := told(t.Context(), e)
			if n == len(script) {
				require.NoError(t, err, why)
				require.Equal(t, []any{int64(1), int64(2), int64(3), int64(4)}, values)
				require.True(t, stats.Truncated)
				require.EqualValues(t, 40, stats.Bytes)
				require.EqualValues(t, 4, stats.Rows)
				require.Equal(t, "select n from t", stats.SQL)
			} else {
				var ended *warehouse.Error
				require.ErrorAs(t, err, &ended, why)
				require.Equal(t, warehouse.NameEngineEnded, ended.Name, why)
				require.Equal(t, warehouse.KindExternal, ended.Kind, why)
				require.ErrorContains(t, ended.Cause, "exit status 7", why)
				during := "while the statement ran"
				if n < opened {
					during = "while it was started"
				}
				require.Contains(t, ended.Message, during, why)
				tries := 1
				if opened <= n && n < begun {
					tries = maxTries // no child has the statement: another may
				}
				require.Len(t, l.children, tries, why)
			}
			quiet(why)
		})
	}
}

// TestAConversationThatIsWrong has a child say each kind of frame in each place, whole
// and damaged. Whatever it says, the person gets the result or an error in time, and
// nothing of the statement is left.
func TestAConversationThatIsWrong(t *testing.T) {
	t.Parallel()
	right := honest(t)
	payloads := func(kind wire.Kind) [][]byte {
		out := [][]byte{nil, []byte("{"), []byte(`{"Names":["n","m"],"Types":["bigint"]}`), {0, 0, 0, 9}, right[2].payload}
		for _, f := range right {
			if f.kind == kind {
				out = append(out, f.payload)
			}
		}
		if kind == wire.KindFailed {
			out = append(out, []byte(`{"Text":"Conversion Error: no"}`))
		}
		return out
	}
	for at := range right {
		for _, kind := range []wire.Kind{0, wire.KindOpen, wire.KindQuery, wire.KindCancel, wire.KindOpened, wire.KindBegun, wire.KindColumns, wire.KindPage, wire.KindEnd, wire.KindFailed, 200} {
			for _, payload := range payloads(kind) {
				if kind == right[at].kind && (at < 2 || bytes.Equal(payload, right[at].payload)) {
					continue // that is right: the first two have no payload
				}
				synctest.Test(t, func(t *testing.T) {
					why := fmt.Sprintf("frame %d is of kind %d and holds %q", at, kind, payload)
					var script []byte
					for i, f := range right {
						if i == at {
							f = frame{kind, payload}
						}
						script = append(script, f.bytes(t)...)
					}
					l := &crowd{script: script}
					e, quiet := engineOf(t, l)
					begun := time.Now()
					values, _, err := told(t.Context(), e)
					require.LessOrEqual(t, time.Since(begun), e.config.Timeout+3*obeyWait+reapWait, why)
					switch {
					case err == nil:
						require.Contains(t, [][]any{nil, {int64(1), int64(2), int64(3)}, {int64(1), int64(2), int64(3), int64(4)}, {int64(4)},
							{int64(1), int64(2), int64(3), int64(1), int64(2), int64(3)}, {int64(1), int64(2), int64(3), int64(1), int64(2), int64(3), int64(4)},
							{int64(4), int64(4)}}, values, why)
						require.True(t, at > 2 && (kind == wire.KindPage || kind == wire.KindEnd), why)
					case kind == wire.KindFailed && bytes.Contains(payload, []byte("Conversion")) && at > 1:
						var failed *warehouse.Error
						require.ErrorAs(t, err, &failed, why)
						require.Equal(t, warehouse.NameInvalidCast, failed.Name, why)
					default:
						require.NotEmpty(t, err.Error(), why)
					}
					if at == 1 { // who does not say that it has the statement is not asked again
						require.Len(t, l.children, maxTries, why)
					}
					quiet(why)
				})
			}
		}
	}
}

// TestAChildThatStalls has a child go silent in each place: who cancels, and who has
// a deadline, is told so soon after, and the child is gone.
func TestAChildThatStalls(t *testing.T) {
	t.Parallel()
	right := honest(t)
	for said := range right {
		for name, tc := range map[string]struct {
			until func(ctx context.Context) (context.Context, context.CancelFunc)
			want  string
		}{
			"the caller goes": {func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Second, cancel)
				return ctx, cancel
			}, warehouse.NameCanceled},
			"the deadline comes": {context.WithCancel, warehouse.NameTimeLimit},
		} {
			synctest.Test(t, func(t *testing.T) {
				why := fmt.Sprintf("%d frames, then %s", said, name)
				var script []byte
				for _, f := range right[:said] {
					script = append(script, f.bytes(t)...)
				}
				l := &crowd{script: script}
				e, quiet := engineOf(t, l)
				ctx, cancel := tc.until(t.Context())
				defer cancel()
				begun := time.Now()
				_, _, err := told(ctx, e)
				limit := time.Second
				if tc.want == warehouse.NameTimeLimit {
					limit = e.config.Timeout
				}
				require.GreaterOrEqual(t, time.Since(begun), limit, why)
				require.LessOrEqual(t, time.Since(begun), limit+2*obeyWait, why)
				if said <= 2 || tc.want == warehouse.NameTimeLimit {
					var failed *warehouse.Error
					require.ErrorAs(t, err, &failed, why)
					require.Equal(t, tc.want, failed.Name, why)
					require.Error(t, failed.Cause, why)
				} else {
					require.Error(t, err, why) // of the reader, or of the statement: both have gone
				}
				if said > 1 { // it had the statement, and was asked to stop before it was killed
					<-l.children[0].hearing
					heard := l.children[0].words()
					require.Equal(t, wire.KindCancel, heard[len(heard)-1].kind, why)
				}
				quiet(why)
			})
		}
	}
}

// TestAReaderThatGoes: the context of one read ends that read, and the statement, as
// nobody knows how much of the next page was read.
func TestAReaderThatGoes(t *testing.T) {
	t.Parallel()
	right := honest(t)
	for said := 3; said < len(right); said++ {
		synctest.Test(t, func(t *testing.T) {
			var script []byte
			for _, f := range right[:said] {
				script = append(script, f.bytes(t)...)
			}
			e, quiet := engineOf(t, &crowd{script: script})
			rows, err := e.start(t.Context(), run.Principal{ID: "someone"}, "select n from t", nil, warehouse.Options{})
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err = rows.Next(ctx, 100)
			require.Equal(t, context.Canceled, err, "%d frames", said)
			_, err = rows.Next(t.Context(), 100)
			require.Equal(t, io.EOF, err)
			require.ErrorIs(t, rows.statement.ctx.Err(), context.Canceled, "nothing is kept for a deadline that is far")
			quiet(fmt.Sprintf("%d frames", said))

			e, quiet = engineOf(t, &crowd{script: script})
			rows, err = e.start(t.Context(), run.Principal{ID: "someone"}, "select n from t", nil, warehouse.Options{})
			require.NoError(t, err)
			_, err = rows.Next(ctx, 100)
			require.Equal(t, context.Canceled, err, "who has gone reads nothing")
			quiet(fmt.Sprintf("%d frames, read by nobody", said))
		})
	}
}

// TestHowAChildEnds: what the system or the library says at its end is the class of
// what went wrong, while it is opened and while it works.
func TestHowAChildEnds(t *testing.T) {
	t.Parallel()
	right := honest(t)
	for how, want := range map[string][2]string{
		"signal: killed":                                              {warehouse.NameEngineEnded, warehouse.NameEngineEnded},
		"exit status 0":                                               {warehouse.NameEngineEnded, warehouse.NameEngineEnded},
		"exit status 2\nruntime: out of memory":                       {warehouse.NameEngineEnded, warehouse.NameStatementMemory},
		"signal: aborted\nterminate called: std::BAD_ALLOC":           {warehouse.NameEngineEnded, warehouse.NameStatementMemory},
		"exit status 1\nmmap: Cannot allocate memory":                 {"OUT_OF_MEMORY", warehouse.NameStatementMemory},
		"exit status 1\nruntime: resource temporarily unavailable":    {"OUT_OF_PROCESSES", warehouse.NameEngineEnded},
		"exit status 1\nopen /data/x.duckdb: Too many open files":     {"OUT_OF_DESCRIPTORS", warehouse.NameEngineEnded},
		"exit status 1\nwrite /tmp/core: No space left on device now": {"DISK_FULL", warehouse.NameEngineEnded},
	} {
		for said, name := range map[int]string{0: want[0], 2: want[1], 3: want[1]} {
			synctest.Test(t, func(t *testing.T) {
				var script []byte
				for _, f := range right[:said] {
					script = append(script, f.bytes(t)...)
				}
				e, quiet := engineOf(t, &crowd{script: script, ends: true, how: how})
				_, _, err := told(t.Context(), e)
				got := fault.ReasonOf(err)
				if failed := (*warehouse.Error)(nil); errors.As(err, &failed) {
					got = failed.Name
				}
				require.Equal(t, name, got, "%q after %d frames: %v", how, said, err)
				quiet(how)
			})
		}
	}
}

// TestWhatAChildIsTold: what an engine is configured with and what a statement asks
// for reaches the child, all of it.
func TestWhatAChildIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var script []byte
		for _, f := range honest(t) {
			script = append(script, f.bytes(t)...)
		}
		l := &crowd{script: script}
		config := Config{
			Launcher: l, Databases: map[string]string{"eu": "/data/eu", "us": "/data/us"}, MemoryLimit: "3GB", Threads: 7, TimeZone: "Asia/Shanghai",
			Limits: warehouse.Limits{MaxRows: 70, MaxBytes: 700, Timeout: 7 * time.Second},
		}
		e := newEngine(config.withDefaults(), 9<<20)
		rows, err := e.start(t.Context(), run.Principal{ID: "someone"}, "select n from t",
			[]resolve.Output{{Name: "n", Type: types.Bigint()}}, warehouse.Options{MaxRows: 50, Progress: func(warehouse.Progress) { time.Sleep(time.Second) }})
		require.NoError(t, err)
		require.Equal(t, []warehouse.Column{{Name: "n", Type: "bigint"}}, rows.Columns())
		stats := rows.Stats()
		require.Equal(t, time.Second, stats.Queued, "what went by before it had a slot")
		require.Equal(t, 2*time.Second, stats.Elapsed)
		require.NoError(t, rows.Close())
		require.NoError(t, e.Close())
		<-l.children[0].hearing
		heard := l.children[0].words()
		open, err := wire.Read[wire.Open](heard[0].payload)
		require.NoError(t, err)
		require.Equal(t, wire.Open{
			Databases: config.Databases, MemoryLimit: "3GB", Threads: 7, TimeZone: "Asia/Shanghai", DataLimit: 18<<20 + 1<<30,
		}, open)
		query, err := wire.Read[wire.Query](heard[1].payload)
		require.NoError(t, err)
		require.Equal(t, wire.Query{
			Text: "select n from t", MaxRows: 50, MaxBytes: 700, Timeout: 7 * time.Second, Outputs: []wire.Output{{Name: "n", Type: types.Bigint()}},
		}, query)
	})
	defaults := Config{}.withDefaults()
	require.Equal(t, "2GB", defaults.MemoryLimit)
	require.Equal(t, "UTC", defaults.TimeZone)
	require.Equal(t, "ingest it again", defaults.Remake)
	require.Equal(t, 30*time.Second, defaults.KeepIdle)
	require.Equal(t, 4, defaults.MaxConcurrent)
	require.Equal(t, 4, defaults.Room.places)
	set := Config{MemoryLimit: "1GB", TimeZone: "Asia/Tokyo", Remake: "load it", KeepIdle: time.Second, Log: slog.New(slog.DiscardHandler), Room: NewRoom(warehouse.Limits{MaxConcurrent: 9})}
	kept := set.withDefaults()
	kept.Limits = warehouse.Limits{}
	require.Equal(t, set, kept, "what is set stays")
}

// TestAStatementThatIsTooLongIsTriedOnce: no other child would take it either.
func TestAStatementThatIsTooLongIsTriedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &crowd{script: honest(t)[0].bytes(t)}
		e, quiet := engineOf(t, l)
		long := string(make([]byte, wire.MaxFrame/6+1)) // each of its bytes takes six
		_, err := e.start(t.Context(), run.Principal{ID: "someone"}, long, nil, warehouse.Options{})
		require.ErrorIs(t, err, wire.ErrTooLarge)
		require.Len(t, l.children, 1)
		quiet("too long")
	})
}

// TestAChildThatCannotBeStarted: the error is the system's, and neither slot nor place
// is lost with it.
func TestAChildThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("no such program")
		e, quiet := engineOf(t, &crowd{err: broken})
		for range 5 {
			_, _, err := told(t.Context(), e)
			require.ErrorIs(t, err, broken)
		}
		quiet("not started")
	})
}
