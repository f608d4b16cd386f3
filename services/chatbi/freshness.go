package chatbi

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Bounds of looking for the newest partitions.
const (
	freshTables  = 8 // of one statement
	freshTimeout = 2 * time.Second
	// freshFor is how long the data of a remote engine is taken not to have changed.
	freshFor = time.Minute
	// freshRows is how many rows a table of a remote engine may have, for the engine
	// reads them all; one whose number is not known is left alone.
	freshRows = 10_000_000
	// freshKnown bounds what is remembered.
	freshKnown = 10_000
)

// freshness remembers the oldest and the newest partition of tables. It belongs
// to an engine of one generation. The data of an embedded one never changes; that
// of a remote one does, and is not the same for everybody.
type freshness struct {
	remote bool
	clock  func() time.Time

	mu    sync.Mutex
	known map[edge]seen
}

// edge is one end of a table's data, as somebody sees it.
type edge struct {
	table     string // its key
	principal string // empty: everybody
	first     bool
}

// seen is a value and when it was read.
type seen struct {
	value string
	at    time.Time
}

func newFreshness(kind source.EngineKind, clock func() time.Time) *freshness {
	return &freshness{remote: kind != source.EngineDuckDB, clock: clock, known: map[edge]seen{}}
}

// edge returns the key of a table's end; false where it is not looked for.
func (f *freshness) edge(p run.Principal, t *catalog.Table, first bool) (edge, bool) {
	key := edge{table: t.Name.Key(), first: first}
	if !f.remote {
		return key, true
	}
	key.principal = p.ID
	return key, t.RowCount >= 0 && t.RowCount <= freshRows
}

func (f *freshness) get(key edge) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.known[key]
	if ok && f.remote && f.clock().Sub(s.at) > freshFor {
		return "", false
	}
	return s.value, ok
}

func (f *freshness) put(key edge, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.known) >= freshKnown {
		clear(f.known)
	}
	f.known[key] = seen{value: value, at: f.clock()}
}

// partition returns the newest value, or the oldest, of a table's partition column
// that holds dates; empty where there is none, or where it is not known in time:
// it adorns an answer, and no answer waits for it.
func (x *engine) partition(ctx context.Context, p run.Principal, t *catalog.Table, first bool) string {
	column := datePartition(t)
	if column == "" {
		return ""
	}
	key, wanted := x.freshness.edge(p, t, first)
	if !wanted {
		return ""
	}
	if known, ok := x.freshness.get(key); ok {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, freshTimeout)
	defer cancel()
	statement := meta.MaxValue(t.Name, column)
	if first {
		statement = meta.MinValue(t.Name, column)
	}
	value, err := one(ctx, x, p, statement)
	if err != nil {
		return ""
	}
	if _, _, ok := result.ParseMoment(value, time.UTC); !ok {
		value = ""
	}
	x.freshness.put(key, value)
	return value
}

// datePartition is the table's first partition column that may hold dates.
func datePartition(t *catalog.Table) string {
	for _, c := range t.Columns {
		kind := result.Column{Type: c.Type}.Kind()
		if c.Partition && (kind == result.KindDate || kind == result.KindTimestamp || kind == result.KindText) {
			return c.Name
		}
	}
	return ""
}

// one runs a statement that returns one text.
func one(ctx context.Context, x *engine, p run.Principal, statement meta.Statement) (value string, err error) {
	rows, err := x.Metadata(ctx, p, statement, warehouse.Options{MaxRows: 1, Timeout: freshTimeout})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	page, err := rows.Next(ctx, 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if len(page) == 1 && len(page[0]) == 1 {
		value, _ = page[0][0].(string)
	}
	return value, nil
}
