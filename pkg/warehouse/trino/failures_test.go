package trino_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

func TestSentWithAStatement(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) { write(w, f.page("[[1]]", false)) })
	config := f.config()
	config.Connection.Session = map[string]string{"join_distribution_type": "AUTOMATIC", "a.b": "x,y=z"}
	config.Connection.Regions = map[string]source.TrinoPlace{"sg": {Catalog: "hive", SchemaPrefix: "sg_"}}
	config.DefaultRegion, config.DefaultSchema = "sg", "mart"
	e := open(t, config)
	_, stats, err := ask(t, e, warehouse.Options{Tag: "run 1,2\n", Timeout: 3 * time.Second})
	require.NoError(t, err)
	require.Equal(t, "select 1 as n", f.texts[0])
	require.Equal(t, f.texts[0], stats.SQL)
	h := f.post(0).Header
	for name, want := range map[string]string{
		"X-Trino-User": "svc", "X-Trino-Source": "dibrain", "X-Trino-Catalog": "hive", "X-Trino-Schema": "sg_mart", "X-Trino-Time-Zone": "UTC",
		"X-Trino-Client-Tags": "dibrain,run12", "X-Trino-Trace-Token": "run12", "Authorization": "", "X-Trino-Query-Data-Encoding": "",
		"X-Trino-Session": "a.b=x%2Cy%3Dz,join_distribution_type=AUTOMATIC,query_max_run_time=4000ms",
	} {
		require.Equal(t, want, h.Get(name), name)
	}
	require.Contains(t, h.Get("X-Trino-Client-Capabilities"), "PARAMETRIC_DATETIME")
}

func TestServerFailures(t *testing.T) {
	t.Parallel()
	serve := func(status int, body string) func(*fake, http.ResponseWriter, int) {
		return func(_ *fake, w http.ResponseWriter, _ int) {
			w.WriteHeader(status)
			write(w, body)
		}
	}
	for name, tc := range map[string]struct {
		answer func(*fake, http.ResponseWriter, int)
		reason string
		code   codes.Code
		tries  int
	}{
		"login refused":         {serve(401, "Invalid credentials"), trino.ReasonLogin, codes.FailedPrecondition, 1},
		"user refused":          {serve(403, "Access Denied"), trino.ReasonLogin, codes.PermissionDenied, 1},
		"no Trino here":         {serve(404, "<html>"), trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"method not allowed":    {serve(405, ""), trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"a web page":            {serve(200, "<html>welcome</html>"), trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"empty":                 {serve(200, ""), trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"other JSON":            {serve(200, `{"hello": 1}`), trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"internal server error": {serve(500, "boom"), trino.ReasonUnavailable, codes.Unavailable, 1},
		"a redirect": {func(_ *fake, w http.ResponseWriter, _ int) {
			w.Header().Set("Location", "http://elsewhere.example/")
			w.WriteHeader(307)
		}, trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"the rest is elsewhere": {func(f *fake, w http.ResponseWriter, _ int) {
			write(w, strings.ReplaceAll(f.page("", true), f.URL, "http://elsewhere.example"))
		}, trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"rows without columns":  {serve(200, `{"id": "q", "data": [[1]], "stats": {}}`), trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"no columns at all":     {serve(200, `{"id": "q", "stats": {}}`), trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"spooled data":          {serve(200, `{"id": "q", "columns": [], "data": {"encoding": "json", "segments": []}, "stats": {}}`), trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"a row too short":       {func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[]]", false)) }, trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"a value of other type": {func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page(`[["x"]]`, false)) }, trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"a broken page":         {func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page(`[[1], 2]`, false)) }, trino.ReasonProtocol, codes.FailedPrecondition, 1},
		"starting up": {func(f *fake, w http.ResponseWriter, _ int) {
			write(w, f.failed("INTERNAL_ERROR", "SERVER_STARTING_UP"))
		},
			trino.ReasonUnavailable, codes.Unavailable, 3}, // after 0.25 and 0.75 s; the next would be after 1.75 s
		"its queue is full": {func(f *fake, w http.ResponseWriter, _ int) {
			write(w, f.failed("INSUFFICIENT_RESOURCES", "QUERY_QUEUE_FULL"))
		}, trino.ReasonBusy, codes.ResourceExhausted, 1},
		"of the statement": {func(f *fake, w http.ResponseWriter, _ int) { write(w, f.failed("USER_ERROR", "SYNTAX_ERROR")) },
			"SYNTAX_ERROR", codes.InvalidArgument, 1},
		"of memory": {func(f *fake, w http.ResponseWriter, _ int) {
			write(w, f.failed("INSUFFICIENT_RESOURCES", "EXCEEDED_GLOBAL_MEMORY_LIMIT"))
		}, "EXCEEDED_GLOBAL_MEMORY_LIMIT", codes.ResourceExhausted, 1},
		"of rights": {func(f *fake, w http.ResponseWriter, _ int) { write(w, f.failed("USER_ERROR", "PERMISSION_DENIED")) },
			"PERMISSION_DENIED", codes.PermissionDenied, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, tc.answer)
			config := f.config()
			config.RetryTimeout = time.Second
			_, _, err := ask(t, open(t, config), warehouse.Options{})
			require.Error(t, err)
			if code := status.Code(err); code == codes.Unavailable || tc.reason == trino.ReasonBusy {
				require.Positive(t, fault.FromStatus(err).RetryAfter, "whoever asks learns when it is worth trying again")
			}
			require.Equal(t, tc.reason, fault.ReasonOf(err), err)
			require.Equal(t, tc.code, status.Code(err))
			require.NotContains(t, err.Error(), f.URL, "clients get no address of the server")
			posts, _, _ := f.counts()
			require.Equal(t, tc.tries, posts)
		})
	}
}

func TestStatementErrorHasItsPlace(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) { write(w, f.failed("USER_ERROR", "TYPE_MISMATCH")) })
	_, _, err := ask(t, open(t, f.config()), warehouse.Options{})
	var failure *warehouse.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "Trino says: it went wrong", failure.Message)
	require.Equal(t, [2]int{2, 3}, [2]int{failure.Line, failure.Column})
	require.Equal(t, warehouse.KindUser, failure.Kind)
}

// TestBusyServer answers with 503 and 502 before it works.
func TestBusyServer(t *testing.T) {
	t.Parallel()
	var tries int
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) {
		f.mu.Lock()
		tries++
		now := tries
		f.mu.Unlock()
		switch now {
		case 1, 4:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.WriteHeader(http.StatusBadGateway)
		case 3:
			write(w, f.page("[[1]]", true))
		default:
			write(w, f.page("[[2]]", false))
		}
	})
	rows, _, err := ask(t, open(t, f.config()), warehouse.Options{})
	require.NoError(t, err)
	require.Equal(t, [][]any{{int64(1)}, {int64(2)}}, rows, "a page that is asked for again is not delivered twice")
}

func TestBusyForLong(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(_ *fake, w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusServiceUnavailable) })
	config := f.config()
	config.RetryTimeout = 300 * time.Millisecond
	_, _, err := ask(t, open(t, config), warehouse.Options{})
	require.Equal(t, trino.ReasonUnavailable, fault.ReasonOf(err))
	require.Positive(t, fault.FromStatus(err).RetryAfter)
}

func TestRetriedStatementSucceeds(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) {
		if posts, _, _ := f.counts(); posts == 1 {
			write(w, f.failed("INTERNAL_ERROR", "NO_NODES_AVAILABLE"))
			return
		}
		write(w, f.page("[[7]]", false))
	})
	rows, _, err := ask(t, open(t, f.config()), warehouse.Options{})
	require.NoError(t, err)
	require.Equal(t, [][]any{{int64(7)}}, rows)
}

// TestNoRetryAfterRows fails in a way that is worth a try, too late for one.
func TestNoRetryAfterRows(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) {
		if n < 2 {
			write(w, f.page("[[1]]", true))
			return
		}
		write(w, f.failed("INTERNAL_ERROR", "REMOTE_TASK_ERROR"))
	})
	rows, _, err := ask(t, open(t, f.config()), warehouse.Options{})
	require.Equal(t, trino.ReasonUnavailable, fault.ReasonOf(err))
	require.Equal(t, [][]any{{int64(1)}, {int64(1)}}, rows, "each was given when it came, once")
	posts, _, _ := f.counts()
	require.Equal(t, 1, posts)
}

// TestEndlessResult never comes to an end by itself.
func TestEndlessResult(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1], [2], [3]]", true)) })
	rows, stats, err := ask(t, open(t, f.config()), warehouse.Options{MaxRows: 100})
	require.NoError(t, err)
	require.Len(t, rows, 100)
	require.True(t, stats.Truncated)
	_, pages, deleted := f.counts()
	require.Less(t, pages, 60)
	require.Equal(t, 1, deleted, "the server is told, once")
}

// TestSlowServer has nothing to show; the statement's time ends it.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) {
		if n > 0 {
			<-time.After(20 * time.Millisecond) // as a server that waits for something to show
		}
		write(w, f.page("", true))
	})
	var states []warehouse.Progress
	_, _, err := ask(t, open(t, f.config()), warehouse.Options{Timeout: 2 * time.Second, Progress: func(p warehouse.Progress) { states = append(states, p) }})
	var failure *warehouse.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, warehouse.NameTimeLimit, failure.Name)
	_, _, deleted := f.counts()
	require.Equal(t, 1, deleted)
	require.Equal(t, "queued", states[0].State)
	require.Equal(t, "running", states[len(states)-1].State)
	require.InDelta(t, 0.5, states[len(states)-1].Fraction, 0)
}

// TestHangingServer takes the statement and never answers.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	f := newFake(t, func(*fake, http.ResponseWriter, int) { <-done })
	defer close(done)
	_, _, err := ask(t, open(t, f.config()), warehouse.Options{Timeout: 200 * time.Millisecond})
	require.Equal(t, codes.DeadlineExceeded, status.Code(err))
}

// TestCancelBetweenPages ends the context while nobody reads.
func TestCancelBetweenPages(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", true)) })
	ctx, cancel := context.WithCancel(t.Context())
	e := open(t, f.config())
	rows, err := e.Query(ctx, someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{})
	require.NoError(t, err)
	cancel()
	require.Eventually(t, func() bool {
		_, _, deleted := f.counts()
		return deleted == 1
	}, time.Minute, time.Millisecond)
	_, err = rows.Next(t.Context(), 1)
	for err == nil {
		_, err = rows.Next(t.Context(), 1) // pages that were there already
	}
	require.Equal(t, codes.Canceled, status.Code(err))
	require.NoError(t, rows.Close())
}

func TestClosedEarly(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", true)) })
	e := open(t, f.config())
	rows, err := e.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{})
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	_, _, deleted := f.counts()
	require.Equal(t, 1, deleted, "when Close returns, the server was told")
	_, err = rows.Next(t.Context(), 1)
	require.ErrorIs(t, err, io.EOF)
}

func TestServerIsAway(t *testing.T) {
	t.Parallel()
	f := newFake(t, nil)
	config := f.config()
	config.RetryTimeout = time.Hour // a server that is away is not waited for
	f.Close()
	_, _, err := ask(t, open(t, config), warehouse.Options{})
	require.Equal(t, trino.ReasonUnreachable, fault.ReasonOf(err))
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.Contains(t, fault.OperatorText(err), f.URL)
}

func TestBusyEngine(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", true)) })
	config := f.config()
	config.MaxConcurrent, config.QueueWait = 1, 20*time.Millisecond
	e := open(t, config)
	held, err := e.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{})
	require.NoError(t, err)
	_, _, err = ask(t, e, warehouse.Options{})
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.NoError(t, held.Close())
	_, _, err = ask(t, e, warehouse.Options{MaxRows: 1})
	require.NoError(t, err, "a closed result gives its slot back")
}

func TestLargePage(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) {
		write(w, `{"id": "`)
		chunk := strings.Repeat("x", 1<<20)
		for range 65 {
			write(w, chunk)
		}
		write(w, `"}`)
	})
	_, _, err := ask(t, open(t, f.config()), warehouse.Options{})
	require.Equal(t, trino.ReasonTooLarge, fault.ReasonOf(err))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.ErrorContains(t, err, "64 MiB")
}

// TestOwnStatementsAreReadToTheirEnd: what is left before its end counts as
// cancelled in the server's list, where operators look for what went wrong.
func TestOwnStatementsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) {
		plan := strings.ReplaceAll(f.page(`[["{}"]]`, n == 0), "bigint", "varchar")
		if n > 0 {
			plan = strings.ReplaceAll(f.page("", false), "bigint", "varchar")
		}
		write(w, plan)
	})
	e := open(t, f.config())
	_, err := e.Explain(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}))
	require.NoError(t, err)
	_, pages, deleted := f.counts()
	require.Equal(t, 1, pages)
	require.Zero(t, deleted)
}

// TestTheStatementsNameIsTold once the server has given it, and when it fails too.
func TestTheStatementsNameIsTold(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(f *fake, w http.ResponseWriter, n int){
		"one that ends":  func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", false)) },
		"one that fails": func(f *fake, w http.ResponseWriter, _ int) { write(w, f.failed("USER_ERROR", "SYNTAX_ERROR")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ids []string
			_, _, _ = ask(t, open(t, newFake(t, answer).config()), warehouse.Options{Started: func(id string) { ids = append(ids, id) }})
			require.Equal(t, []string{"q1"}, ids)
		})
	}
}

// TestRowsAreNotKeptBack: what has come is given at once, however long the server takes for
// the rest, so that a person sees the first rows of a slow statement.
func TestRowsAreNotKeptBack(t *testing.T) {
	t.Parallel()
	slow := make(chan struct{})
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) {
		switch n {
		case 0, 1:
			write(w, f.page("", true))
		case 2:
			write(w, f.page("[[1], [2]]", true))
		default:
			<-slow
			write(w, f.page("[[3]]", false))
		}
	})
	let := sync.OnceFunc(func() { close(slow) })
	t.Cleanup(let) // before the server's own, which waits for its calls
	rows, err := open(t, f.config()).Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{MaxRows: 100, MaxBytes: 1 << 20})
	require.NoError(t, err)
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	page, err := rows.Next(soon, 100)
	require.NoError(t, err)
	require.Equal(t, [][]any{{int64(1)}, {int64(2)}}, page)
	require.EqualValues(t, 2, rows.Stats().Rows)
	let()
	page, err = rows.Next(t.Context(), 100)
	require.NoError(t, err)
	require.Equal(t, [][]any{{int64(3)}}, page)
	_, err = rows.Next(t.Context(), 100)
	require.ErrorIs(t, err, io.EOF)
	require.False(t, rows.Stats().Truncated)
	require.NoError(t, rows.Close())
}
