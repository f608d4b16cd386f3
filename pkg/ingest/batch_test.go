package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// sniffed is a file of text, ready to be read.
func sniffed(t *testing.T, text string) *csvFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	options := Options{}.complete()
	f := &csvFile{path: path, input: path, options: &options, words: written.NewWords(), meter: &meter{}}
	require.NoError(t, f.sniff(t.Context(), nil))
	return f
}

// longFile has more rows than a batch, and among them what is no row, on lines by themselves.
func longFile(rows int) string {
	var text strings.Builder
	text.WriteString("id,name,amount\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,name of %d,%d.50\n", i, i, i)
		switch {
		case i%1000 == 7:
			text.WriteString("short\n")
		case i%1000 == 8:
			text.WriteString("id,name,amount\n")
		case i%1000 == 9:
			text.WriteString("1,\"a\nb\",2\n")
		}
	}
	return text.String()
}

// TestBatchesAreTheRecordsOfTheFile: in their order, each with its line, its fault and its cells, which stay as they
// are while the reader goes on.
func TestBatchesAreTheRecordsOfTheFile(t *testing.T) {
	t.Parallel()
	f := sniffed(t, longFile(3*batchRecords))
	show := func(r record) string {
		return fmt.Sprint(r.number, " ", r.line, " ", r.cells, " ", r.fault, " ", r.laid)
	}
	var want []string
	require.NoError(t, f.each(t.Context(), func(r record) error {
		want = append(want, show(r))
		return nil
	}))
	repeated := f.repeated
	require.Positive(t, repeated)
	var all []*batch
	require.NoError(t, f.batches(t.Context(), nil, func(b *batch) error {
		require.LessOrEqual(t, len(b.records), batchRecords)
		all = append(all, b)
		return nil
	}))
	require.Equal(t, repeated, f.repeated)
	require.Greater(t, len(all), 3)
	var got []string
	for _, b := range all {
		for _, r := range b.records {
			got = append(got, show(r))
		}
	}
	require.Equal(t, want, got)
}

// TestBatchesAreBounded by records, by cells and by bytes.
func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ records, cells, text int }{{batchRecords, 1, 1}, {batchCells / 256, 256, 1}, {batchBytes / 1024, 1, 1024}} {
		b, n := &batch{}, 0
		for cells := make([]cell, c.cells); !b.full(); n++ {
			for i := range cells {
				cells[i].text = strings.Repeat("x", c.text)
			}
			b.add(record{cells: cells})
		}
		require.Equal(t, c.records, n)
	}
}

// TestReadingEnds where nobody takes more, where the file cannot be read any more, where the context ends and where
// one of the two sides panics.
func TestReadingEnds(t *testing.T) {
	t.Parallel()
	f := sniffed(t, longFile(5*batchRecords))
	enough := errors.New("enough")
	taken := 0
	require.ErrorIs(t, f.batches(t.Context(), nil, func(*batch) error { taken++; return enough }), enough)
	require.Equal(t, 1, taken)

	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, f.batches(ctx, nil, func(*batch) error { cancel(); return nil }), context.Canceled)

	broken := sniffed(t, longFile(2*batchRecords)+"1,\"never ends,2\n")
	var at *placed
	rows := 0
	require.ErrorAs(t, broken.batches(t.Context(), nil, func(b *batch) error { rows += len(b.records); return nil }), &at)
	require.Contains(t, at.message, "never ends")

	require.PanicsWithValue(t, "of the reader", func() {
		_ = f.batches(t.Context(), func(*batch) { panic("of the reader") }, func(*batch) error { return nil })
	})
	require.PanicsWithValue(t, "of who takes", func() {
		_ = f.batches(t.Context(), nil, func(*batch) error { panic("of who takes") })
	})
}

// TestColumnsSideBySide: each column once, however many work, and a panic is the caller's.
func TestColumnsSideBySide(t *testing.T) {
	t.Parallel()
	columns := make([]*column, 20)
	for i := range columns {
		columns[i] = newColumn(fmt.Sprint(i), nil)
	}
	for _, workers := range []int{0, 1, 2, 7, 50} {
		var calls [20]atomic.Int64
		sideBySide(columns, workers, func(at int, c *column) {
			if c.name == fmt.Sprint(at) {
				calls[at].Add(1)
			}
		})
		for i := range calls {
			require.EqualValues(t, 1, calls[i].Load(), "column %d of %d workers", i, workers)
		}
		require.PanicsWithValue(t, "one", func() {
			sideBySide(columns, workers, func(at int, _ *column) {
				if at == 11 {
					panic("one")
				}
			})
		})
	}
}

// TestValuesReadAheadAreThoseOfTheColumns, but for NULLs, records with a fault and columns that are left out.
func TestValuesReadAheadAreThoseOfTheColumns(t *testing.T) {
	t.Parallel()
	number, left := newColumn("n", nil), newColumn("left out", nil)
	number.typ, left.dropped = dataType{kind: kindBigint}, true
	b := &batch{}
	b.add(record{cells: []cell{{text: "12"}, {text: "1"}}})
	b.add(record{cells: []cell{{text: "x"}, {text: "1"}}})
	b.add(record{cells: []cell{{text: "7", null: true}, {text: "1"}}})
	b.add(record{cells: []cell{{text: "12"}}, fault: &placed{}})
	b.readValues([]*column{number, left})
	require.Equal(t, []readValue{{int64(12), true}, {}}, b.records[0].values)
	require.Equal(t, []readValue{{}, {}}, b.records[1].values)
	require.Equal(t, []readValue{{}, {}}, b.records[2].values)
	require.Nil(t, b.records[3].values)
}
