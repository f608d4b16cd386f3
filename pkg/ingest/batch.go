package ingest

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// A batch is closed at the first of these; batchesAhead of them are read while one is worked on. They bound what is
// in memory of a file, except for a record that is longer by itself.
const (
	batchRecords = 4096
	batchCells   = 64 << 10
	batchBytes   = 512 << 10
	batchesAhead = 2
)

// batch are records that follow each other, with values of their own: they stay good while the reader goes on.
type batch struct {
	records []record
	cells   []cell
	bytes   int
}

// readValue is what a column makes of a cell; ok is false where its type has no place for it.
type readValue struct {
	value driver.Value
	ok    bool
}

func (b *batch) add(r record) {
	from := len(b.cells)
	b.cells = append(b.cells, r.cells...)
	for _, c := range r.cells {
		b.bytes += len(c.text)
	}
	// Where adding moves the cells of the batch, those of earlier records stay where they were.
	r.cells = b.cells[from:len(b.cells):len(b.cells)]
	b.records = append(b.records, r)
}

func (b *batch) full() bool {
	return len(b.records) >= batchRecords || len(b.cells) >= batchCells || b.bytes >= batchBytes
}

// errEnough ends the reading of a file whose records nobody takes any more.
var errEnough = errors.New("nobody takes more records")

// batches hands over what each does, many records at a time and in their order, while the next ones are read by a
// goroutine of its own, which prepares each batch too where prepare is not nil. It returns when that has ended, so that what
// each notes of the file may be read then.
func (f *csvFile) batches(ctx context.Context, prepare func(*batch), take func(*batch) error) error {
	ready, stop := make(chan *batch, batchesAhead), make(chan struct{})
	enough := sync.OnceFunc(func() { close(stop) })
	defer enough()
	var readErr error
	var panicked any
	go func() {
		defer close(ready)
		defer func() { panicked = recover() }() // it is the caller's, as one of each is
		at := &batch{}
		hand := func() error {
			if prepare != nil {
				prepare(at)
			}
			select {
			case ready <- at:
				at = &batch{records: make([]record, 0, len(at.records)), cells: make([]cell, 0, len(at.cells))}
				return nil
			case <-stop:
				return errEnough
			}
		}
		readErr = f.each(ctx, func(r record) error {
			if at.add(r); at.full() {
				return hand()
			}
			return nil
		})
		if readErr == nil && len(at.records) > 0 {
			readErr = hand()
		}
	}()
	var err error
	for b := range ready {
		if err != nil {
			continue // only waiting for the reader's end
		}
		if err = take(b); err != nil {
			enough()
		}
	}
	switch {
	case panicked != nil:
		panic(panicked)
	case err != nil:
		return err
	}
	return readErr
}

// sideBySide calls do for each column, several at a time. What one call touches no other one may.
func sideBySide(columns []*column, workers int, do func(at int, c *column)) {
	workers = min(workers, len(columns))
	if workers < 2 {
		for i, c := range columns {
			do(i, c)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	panics := make([]any, workers)
	for w := range workers {
		group.Go(func() {
			defer func() { panics[w] = recover() }()
			for i := int(next.Add(1)) - 1; i < len(columns); i = int(next.Add(1)) - 1 {
				do(i, columns[i])
			}
		})
	}
	group.Wait()
	if i := slices.IndexFunc(panics, func(p any) bool { return p != nil }); i >= 0 {
		panic(panics[i])
	}
}

// readValues reads the values of the records that fit the columns, for put.
func (b *batch) readValues(columns []*column) {
	width := len(columns)
	values := make([]readValue, len(b.records)*width)
	for i := range b.records {
		r := &b.records[i]
		if r.fault != nil {
			continue
		}
		r.values = values[i*width : (i+1)*width]
		for at, c := range columns {
			if !c.dropped && !r.cells[at].null {
				r.values[at].value, r.values[at].ok = c.value(r.cells[at].text)
			}
		}
	}
}
