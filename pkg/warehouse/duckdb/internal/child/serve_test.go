package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault/faulttest"
	"github.com/dibrain/dibrain/pkg/sql/types"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// message is a frame that a parent sends; text is its payload where it is not empty.
type message struct {
	kind wire.Kind
	of   any
	text string
}

func (m message) send(conn *wire.Conn) error {
	if m.text != "" {
		return conn.SendFrame(m.kind, append(wire.Frame(nil), m.text...))
	}
	return conn.Send(m.kind, m.of)
}

func opens() message {
	return message{kind: wire.KindOpen, of: wire.Open{MemoryLimit: "1GB", TimeZone: "Asia/Tokyo", Threads: 3, DataLimit: 7}}
}

func asks(text string) message {
	return message{kind: wire.KindQuery, of: wire.Query{Text: text, MaxRows: 10_000, MaxBytes: 1 << 30}}
}

// heard is what a child said to what it was sent, one after the other, and what it
// returned in the end.
type heard struct {
	kinds []wire.Kind
	texts []string // payloads
	err   error
	ended *atomic.Int32
}

// talk serves a stream, and sends each message when the child has answered the one
// before: a failure, the end of a result, or that it is open.
func talk(t *testing.T, bound func(wire.Open) error, through func(io.ReadWriteCloser) io.ReadWriteCloser, messages ...message) (h heard) {
	t.Helper()
	h.ended = new(atomic.Int32)
	ours, theirs := net.Pipe()
	conn := wire.New(ours)
	stream := io.ReadWriteCloser(theirs)
	if through != nil {
		stream = through(theirs)
	}
	served := make(chan error, 1)
	go func() { served <- serve(stream, bound, func() { h.ended.Add(1) }) }()
	next := make(chan struct{}, len(messages)+1)
	next <- struct{}{}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			kind, payload, err := conn.Receive()
			if err != nil {
				return
			}
			h.kinds, h.texts = append(h.kinds, kind), append(h.texts, string(payload))
			switch kind {
			case wire.KindOpened, wire.KindEnd, wire.KindFailed:
				next <- struct{}{}
			}
		}
	}()
sending:
	for _, m := range messages {
		select {
		case <-next:
		case <-over:
			break sending
		}
		if m.send(conn) != nil {
			break
		}
	}
	select {
	case <-next:
	case <-over:
	}
	_ = ours.Close()
	h.err = <-served
	<-over
	return h
}

// TestWhatAChildIsSent: what is not to be understood ends the child, with words, and
// what the parent does in the end does not.
func TestWhatAChildIsSent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		messages []message
		kinds    []wire.Kind
		says     string // of the error
	}{
		"nothing":                    {nil, nil, ""},
		"only what to open":          {[]message{opens()}, []wire.Kind{wire.KindOpened}, ""},
		"a statement first":          {[]message{asks("select 1")}, nil, "the embedded engine was sent 2 before it was told what to open"},
		"what to open, damaged":      {[]message{{kind: wire.KindOpen, text: "{"}}, nil, "read a message of the embedded engine"},
		"a statement":                {[]message{opens(), asks("select 1")}, []wire.Kind{wire.KindOpened, wire.KindBegun, wire.KindColumns, wire.KindPage, wire.KindEnd}, ""},
		"a statement, damaged":       {[]message{opens(), {kind: wire.KindQuery, text: "{"}}, []wire.Kind{wire.KindOpened}, "read a message of the embedded engine"},
		"what it does not know":      {[]message{opens(), {kind: 77}}, []wire.Kind{wire.KindOpened}, "the embedded engine was sent a frame that it does not know: 77"},
		"a statement that fails":     {[]message{opens(), asks("select x"), asks("select 1")}, []wire.Kind{wire.KindOpened, wire.KindBegun, wire.KindFailed, wire.KindBegun, wire.KindColumns, wire.KindPage, wire.KindEnd}, ""},
		"one that fails at a row":    {[]message{opens(), asks("select case when i < 3 then 'a' else error('PRESTO X: no') end from range(5) t(i)")}, []wire.Kind{wire.KindOpened, wire.KindBegun, wire.KindFailed}, ""},
		"a file that is none":        {[]message{{kind: wire.KindOpen, of: wire.Open{Databases: map[string]string{"eu": "/none"}, MemoryLimit: "1GB", TimeZone: "UTC"}}}, []wire.Kind{wire.KindFailed}, ""},
		"a setting that is none":     {[]message{{kind: wire.KindOpen, of: wire.Open{MemoryLimit: "much", TimeZone: "UTC"}}}, []wire.Kind{wire.KindFailed}, ""},
		"a statement without result": {[]message{opens(), asks("select 1 where false")}, []wire.Kind{wire.KindOpened, wire.KindBegun, wire.KindColumns, wire.KindEnd}, ""},
	} {
		h := talk(t, nil, nil, tc.messages...)
		require.Equal(t, tc.kinds, h.kinds, name)
		if tc.says == "" {
			require.NoError(t, h.err, name)
		} else {
			require.ErrorContains(t, h.err, tc.says, name)
		}
		if len(h.kinds) > 0 && h.kinds[0] == wire.KindOpened {
			require.EqualValues(t, 1, h.ended.Load(), "%s: whoever runs the child is told that the parent has gone", name)
		}
		switch name {
		case "a file that is none":
			failed, err := wire.Read[wire.Failed]([]byte(h.texts[0]))
			require.NoError(t, err)
			require.Equal(t, "eu", failed.Region)
			require.Contains(t, failed.Text, "/none")
		case "a setting that is none":
			require.Contains(t, h.texts[0], "configure the embedded engine: SET GLOBAL memory_limit = 'much'")
			require.Contains(t, h.texts[0], `"Region":""`)
		}
	}
}

// TestBoundsComeFirst: limits that cannot be set are told, and nothing is opened.
func TestBoundsComeFirst(t *testing.T) {
	t.Parallel()
	broken := errors.New("no such limit")
	var got wire.Open
	h := talk(t, func(o wire.Open) error { got = o; return broken }, nil, opens(), asks("select 1"))
	require.ErrorIs(t, h.err, broken)
	require.Equal(t, opens().of, got)
	require.Equal(t, []wire.Kind{wire.KindFailed}, h.kinds)
	require.Contains(t, h.texts[0], "no such limit")
	h = talk(t, func(wire.Open) error { return nil }, nil, opens(), asks("select 1"))
	require.NoError(t, h.err)
	require.Equal(t, wire.KindEnd, h.kinds[len(h.kinds)-1])
	require.NoError(t, bound(wire.Open{}), "none is asked for")
}

// breaking is a stream of which one write fails.
type breaking struct {
	io.ReadWriteCloser
	calls *faulttest.Calls
	with  error
}

func (b breaking) Write(p []byte) (int, error) {
	if err := b.calls.Next(fmt.Sprintf("write of kind %d", p[4])); err != nil {
		return 0, errors.Join(b.with, err)
	}
	return b.ReadWriteCloser.Write(p)
}

// TestAParentThatCannotBeTold fails each write in turn: the child ends, says nothing
// more, and takes the parent's going for no error, but any other.
func TestAParentThatCannotBeTold(t *testing.T) {
	t.Parallel()
	wide := asks("select i, repeat('x', 100) from range(2500) t(i)")
	for _, with := range []error{errors.New("the wire is cut"), io.ErrClosedPipe, os.ErrClosed, io.ErrUnexpectedEOF, io.EOF, syscall.EPIPE, syscall.ECONNRESET} {
		gone := ignoreEnd(with) == nil
		require.Equal(t, with.Error() != "the wire is cut", gone, with)
		names := faulttest.EveryCall(t, func(t *testing.T, calls *faulttest.Calls) {
			h := talk(t, nil, func(s io.ReadWriteCloser) io.ReadWriteCloser { return breaking{s, calls, with} }, opens(), wide, asks("select x"))
			if calls.Failed() == "" || gone {
				require.NoError(t, h.err, calls.Failed())
				return
			}
			require.ErrorIs(t, h.err, faulttest.ErrInjected, calls.Failed())
			require.ErrorIs(t, h.err, with, calls.Failed())
			if len(h.kinds) > 0 {
				require.NotEqual(t, wire.KindFailed, h.kinds[len(h.kinds)-1], "%s: nothing follows", calls.Failed())
			}
		})
		require.Equal(t, []string{
			"write of kind 4", "write of kind 5", "write of kind 6", "write of kind 7", "write of kind 7", "write of kind 7", "write of kind 8",
			"write of kind 5", "write of kind 9",
		}, names)
		if testing.Short() {
			break
		}
	}
}

// pagesOf returns the numbers of rows of the pages, their sizes in bytes, the sum of
// their text, and whether the result was cut.
func pagesOf(t *testing.T, q wire.Query) (rows []int, sizes []int, text int64, truncated bool) {
	t.Helper()
	h := talk(t, nil, nil, opens(), message{kind: wire.KindQuery, of: q})
	require.NoError(t, h.err)
	columns := 0
	for i, kind := range h.kinds {
		switch kind {
		case wire.KindColumns:
			told, err := wire.Read[wire.Columns]([]byte(h.texts[i]))
			require.NoError(t, err)
			columns = len(told.Names)
		case wire.KindPage:
			page, bytes, err := wire.Page([]byte(h.texts[i]), columns)
			require.NoError(t, err)
			rows, sizes, text = append(rows, len(page)), append(sizes, len(h.texts[i])), text+bytes
		case wire.KindEnd:
			end, err := wire.Read[wire.End]([]byte(h.texts[i]))
			require.NoError(t, err)
			truncated = end.Truncated
		case wire.KindFailed:
			require.Fail(t, h.texts[i])
		}
	}
	return rows, sizes, text, truncated
}

// TestBoundsOfResults: pages are bounded in rows and bytes, results too, and one that
// is cut says so, one that just fits does not.
func TestBoundsOfResults(t *testing.T) {
	t.Parallel()
	const most = 1 << 40
	for name, tc := range map[string]struct {
		query     wire.Query
		rows      []int
		text      int64
		truncated bool
	}{
		"a page and a bit":    {wire.Query{Text: "select 7 from range(2001)", MaxRows: most, MaxBytes: most}, []int{1000, 1000, 1}, 8 * 2001, false},
		"a page":              {wire.Query{Text: "select 7 from range(1000)", MaxRows: most, MaxBytes: most}, []int{1000}, 8 * 1000, false},
		"as many as allowed":  {wire.Query{Text: "select 7 from range(5)", MaxRows: 5, MaxBytes: most}, []int{5}, 8 * 5, false},
		"one more":            {wire.Query{Text: "select 7 from range(6)", MaxRows: 5, MaxBytes: most}, []int{5}, 8 * 5, true},
		"as large as allowed": {wire.Query{Text: "select 'abcd' from range(5)", MaxRows: most, MaxBytes: 20}, []int{5}, 20, false},
		"one larger":          {wire.Query{Text: "select 'abcd' from range(6)", MaxRows: most, MaxBytes: 20}, []int{5}, 20, true},
		"over in the middle":  {wire.Query{Text: "select 'abcd' from range(6)", MaxRows: most, MaxBytes: 17}, []int{5}, 20, true},
		"of many columns":     {wire.Query{Text: "select 'ab', 7, 'c' from range(3)", MaxRows: most, MaxBytes: 12}, []int{2}, 22, true},
	} {
		rows, _, text, truncated := pagesOf(t, tc.query)
		require.Equal(t, tc.rows, rows, name)
		require.Equal(t, tc.truncated, truncated, name)
		require.Equal(t, tc.text, text, name)
	}
	const row = 10_000
	rows, sizes, _, _ := pagesOf(t, wire.Query{Text: "select repeat('x', 10000) from range(60)", MaxRows: most, MaxBytes: most})
	require.Greater(t, len(rows), 1)
	for i, size := range sizes {
		require.Less(t, size, pageBytes+row+100, "a page ends when it is full")
		if i < len(sizes)-1 {
			require.GreaterOrEqual(t, size, pageBytes, "and not before")
		}
	}
	r := &result{page: make([]byte, wire.MaxFrame), inPage: 1, conn: wire.New(nil)}
	require.ErrorContains(t, r.flush(), "PRESTO EXCEEDED_LOCAL_MEMORY_LIMIT: a row of the result takes more than 128 MiB")
}

// TestColumnsAreTheAskers: names and types are those that the statement was resolved
// to have; what it leaves open is the engine's.
func TestColumnsAreTheAskers(t *testing.T) {
	t.Parallel()
	double := types.Parse("double")
	for name, tc := range map[string]struct {
		outputs []wire.Output
		want    wire.Columns
	}{
		"none told":     {nil, wire.Columns{Names: []string{"a", "b"}, Types: []string{"integer", "varchar"}}},
		"all told":      {[]wire.Output{{Name: "x", Type: double}, {Name: "y", Type: types.Parse("varchar(3)")}}, wire.Columns{Names: []string{"x", "y"}, Types: []string{"double", "varchar(3)"}}},
		"names left":    {[]wire.Output{{Type: double}, {}}, wire.Columns{Names: []string{"_col0", "_col1"}, Types: []string{"double", "varchar"}}},
		"of other ones": {[]wire.Output{{Name: "x", Type: double}}, wire.Columns{Names: []string{"a", "b"}, Types: []string{"integer", "varchar"}}},
	} {
		h := talk(t, nil, nil, opens(), message{kind: wire.KindQuery, of: wire.Query{Text: "select 1::integer a, 'z' b", Outputs: tc.outputs, MaxRows: 1, MaxBytes: 10}})
		require.NoError(t, h.err)
		got, err := wire.Read[wire.Columns]([]byte(h.texts[2]))
		require.NoError(t, err)
		require.Equal(t, tc.want, got, name)
	}
}

// TestSettingsOfTheEngine: what the transpiler relies on is set, and nothing but the
// files of the source is in reach.
func TestSettingsOfTheEngine(t *testing.T) {
	t.Parallel()
	d := opened(t)
	for name, want := range map[string]string{
		"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "allow_community_extensions": "false",
		"temp_directory": "", "TimeZone": "UTC", "default_null_order": "NULLS_LAST", "preserve_insertion_order": "true",
		"enable_external_access": "false", "lock_configuration": "true", "memory_limit": "953.6 MiB",
	} {
		var got string
		require.NoError(t, d.db.QueryRow("SELECT current_setting('"+name+"')::VARCHAR").Scan(&got), name)
		require.Equal(t, strings.ToLower(want), strings.ToLower(got), name)
	}
	_, err := d.db.Exec("SET GLOBAL threads = 1")
	require.Error(t, err, "the configuration is locked")
	_, err = d.db.Exec("ATTACH '" + filepath.Join(t.TempDir(), "other.duckdb") + "' AS other")
	require.Error(t, err, "no other file")
	_, err = d.db.Exec("CREATE TABLE eu.main.t (a int)")
	require.ErrorContains(t, err, "read-only")
	with, err := openDatabase(t.Context(), opens().of.(wire.Open))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, with.close()) })
	var threads int
	require.NoError(t, with.db.QueryRow("SELECT current_setting('threads')").Scan(&threads))
	require.Equal(t, 3, threads)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = openDatabase(gone, opens().of.(wire.Open))
	require.ErrorIs(t, err, context.Canceled)
}

// TestACancelIsForTheStatementSentLast: one that comes between two statements ends
// neither, and one that comes while a statement runs ends it.
func TestACancelIsForTheStatementSentLast(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(theirs) }()
	conn := wire.New(ours)
	send := func(m message) { require.NoError(t, m.send(conn)) }
	until := func(want wire.Kind) {
		for {
			kind, payload, err := conn.Receive()
			require.NoError(t, err)
			if kind == want {
				return
			}
			require.NotEqual(t, wire.KindFailed, kind, string(payload))
		}
	}
	send(opens())
	until(wire.KindOpened)
	for range 3 {
		send(message{kind: wire.KindCancel})
		send(asks("select 1"))
		until(wire.KindEnd)
		send(message{kind: wire.KindCancel})
		send(asks("select count(*) from range(1000000000) a, range(1000000000) b"))
		until(wire.KindBegun)
		send(message{kind: wire.KindCancel})
		until(wire.KindFailed)
	}
	require.NoError(t, ours.Close())
	require.NoError(t, <-served)
}
