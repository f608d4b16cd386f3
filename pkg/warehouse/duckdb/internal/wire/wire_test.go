package wire_test

import (
	"encoding/binary"
	"io"
	"math"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// page writes rows as the child does, without the header of its frame.
func page(t *testing.T, rows [][]any) []byte {
	t.Helper()
	out := wire.AppendPage(nil, len(rows), 42)
	for _, row := range rows {
		for _, v := range row {
			var err error
			out, err = wire.AppendValue(out, v)
			require.NoError(t, err)
		}
	}
	return out
}

func TestPageKeepsEveryKindOfValue(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{nil, true, false, int64(0), int64(math.MaxInt64)},
		{int64(math.MinInt64), -0.5, math.Inf(-1), "", "中文 \x00 'x'"},
		{[]byte{}, []byte{0, 255}, []any{}, []any{int64(1), []any{nil, "a"}}, map[string]any{"": nil, "k": map[string]any{"x": 1.5}}},
	}
	got, bytes, err := wire.Page(page(t, rows), 5)
	require.NoError(t, err)
	require.Equal(t, rows, got)
	require.EqualValues(t, 42, bytes)
	none, _, err := wire.Page(page(t, nil), 5)
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = wire.AppendValue(nil, int32(1))
	require.Error(t, err, "a form that the warehouse does not document is no silent text")
}

// TestRowsOfAPageAreApart: appending to one row does not write into the next.
func TestRowsOfAPageAreApart(t *testing.T) {
	t.Parallel()
	got, _, err := wire.Page(page(t, [][]any{{"a"}, {"b"}}), 1)
	require.NoError(t, err)
	_ = append(got[0], "c")
	require.Equal(t, "b", got[1][0])
}

func TestBrokenPagesAreErrors(t *testing.T) {
	t.Parallel()
	good := page(t, [][]any{{int64(300), "text"}, {nil, []any{"x"}}})
	for n := range good {
		rows, bytes, err := wire.Page(good[:n], 2)
		require.Error(t, err, n)
		require.Nil(t, rows, "no half page")
		require.Zero(t, bytes)
	}
	_, _, err := wire.Page(append(good, 0), 2)
	require.Error(t, err, "something is left over")
	_, _, err = wire.Page(wire.AppendPage(nil, math.MaxInt32, 0), 0)
	require.Error(t, err, "rows without columns take no memory that nobody sent")
	deep := wire.AppendPage(nil, 1, 0)
	for range 100_000 {
		deep = append(deep, 7, 1)
	}
	_, _, err = wire.Page(append(deep, 0), 1)
	require.Error(t, err, "lists nested without end")
}

// TestValuesThatAreCut: a value of each kind that ends too early is no value.
func TestValuesThatAreCut(t *testing.T) {
	t.Parallel()
	for _, value := range []any{
		nil, true, false, int64(-1 << 40), 1.5, "text", []byte("bytes"), []any{"a", []any{int64(300)}}, map[string]any{"key": "value", "other": int64(300)},
	} {
		whole := page(t, [][]any{{value}})
		got, _, err := wire.Page(whole, 1)
		require.NoError(t, err)
		require.Equal(t, value, got[0][0])
		for n := range whole {
			got, _, err := wire.Page(whole[:n], 1)
			require.Error(t, err, "%v after %d bytes", value, n)
			require.Nil(t, got)
		}
	}
	for name, damaged := range map[string][]byte{
		"an unknown tag":          {99},
		"a number without an end": {3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1},
		"a text that is too long": {5, 200, 1, 'a'},
		"a list that is too long": {7, 3, 0, 0},
		"a map that is too long":  {8, 2, 1, 'k', 0},
	} {
		_, _, err := wire.Page(append(wire.AppendPage(nil, 1, 0), damaged...), 1)
		require.Error(t, err, name)
	}
	for _, in := range []any{[]any{struct{}{}}, map[string]any{"k": struct{}{}}} {
		out, err := wire.AppendValue([]byte{1}, in)
		require.ErrorContains(t, err, "has no form on the wire")
		require.Nil(t, out)
	}
	nested := func(depth int) error {
		deep := wire.AppendPage(nil, 1, 0)
		for range depth {
			deep = append(deep, 7, 1)
		}
		_, _, err := wire.Page(append(deep, 0), 1)
		return err
	}
	require.NoError(t, nested(200))
	require.Error(t, nested(201))
}

// TestMessagesThatCannotBeSent: what JSON does not have, and a stream that is gone.
func TestMessagesThatCannotBeSent(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	require.NoError(t, b.Close())
	conn := wire.New(a)
	require.ErrorContains(t, conn.Send(wire.KindEnd, math.NaN()), "write a message of the embedded engine")
	require.ErrorIs(t, conn.Send(wire.KindEnd, nil), io.ErrClosedPipe)
	_, err := wire.Read[wire.End]([]byte("{"))
	require.ErrorContains(t, err, "read a message of the embedded engine")
}

func FuzzPage(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 200, 1}, 1)
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 8, 1, 1, 'k', 7, 1, 0}, 1)
	f.Fuzz(func(t *testing.T, payload []byte, columns int) {
		rows, _, err := wire.Page(payload, columns)
		if err != nil {
			return
		}
		again, _, err := wire.Page(page(t, rows), columns)
		require.NoError(t, err)
		require.Len(t, again, len(rows))
	})
}

func TestConn(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	left, right := wire.New(a), wire.New(b)
	go func() {
		_ = left.Send(wire.KindQuery, wire.Query{Text: "select 1", MaxRows: 7})
		_ = left.Send(wire.KindCancel, nil)
		_ = left.Close()
	}()
	kind, payload, err := right.Receive()
	require.NoError(t, err)
	require.Equal(t, wire.KindQuery, kind)
	q, err := wire.Read[wire.Query](payload)
	require.NoError(t, err)
	require.Equal(t, wire.Query{Text: "select 1", MaxRows: 7}, q)
	kind, payload, err = right.Receive()
	require.NoError(t, err)
	require.Equal(t, wire.KindCancel, kind)
	require.Empty(t, payload)
	_, _, err = right.Receive()
	require.ErrorIs(t, err, io.EOF)
}

// TestFramesAreBounded: neither side takes or sends a frame without bound.
func TestFramesAreBounded(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	conn := wire.New(b)
	go func() {
		head := binary.BigEndian.AppendUint32(nil, wire.MaxFrame+1)
		_, _ = a.Write(append(head, byte(wire.KindPage)))
	}()
	_, _, err := conn.Receive()
	require.ErrorIs(t, err, wire.ErrTooLarge)
	require.ErrorIs(t, conn.Send(wire.KindQuery, wire.Query{Text: strings.Repeat("x", wire.MaxFrame)}), wire.ErrTooLarge)
}
