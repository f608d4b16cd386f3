package chatbi

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Bounds of looking for the newest partitions.
const (
	freshTables  = 8 // of one statement
	freshTimeout = 2 * time.Second
	// freshRows is how many rows a table of a remote engine may have, for the engine
	// reads them all; one whose number is not known is left alone.
	freshRows = 10_000_000
	// freshKnown and plansKnown bound what is remembered.
	freshKnown = 10_000
	plansKnown = 500
)

// freshness remembers the oldest and the newest partition of tables. It belongs
// to an engine of one generation. The data of an embedded one never changes; that
// of a remote one does, and is not the same for everybody.
type freshness struct {
	remote   bool
	knownFor time.Duration // that the data of a remote engine is taken not to have changed
	clock    func() time.Time

	mu    sync.Mutex
	known map[edge]seen
	plans map[planOf]seenPlan
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

func newFreshness(kind source.EngineKind, knownFor time.Duration, clock func() time.Time) *freshness {
	return &freshness{remote: kind != source.EngineDuckDB, knownFor: knownFor, clock: clock, known: map[edge]seen{}, plans: map[planOf]seenPlan{}}
}

// planOf is a statement as somebody may run it: the writer of a SQL asks for its
// plan, and the run asks again.
type planOf struct{ principal, sha256 string }

type seenPlan struct {
	plan warehouse.Plan
	at   time.Time
}

// explain asks a remote engine for the plan of a statement, once in a while.
func (x *engine) explain(ctx context.Context, p run.Principal, approved guard.Approved) (warehouse.Plan, error) {
	f, key := x.freshness, planOf{p.ID, approved.SHA256()}
	if !f.remote {
		return x.Explain(ctx, p, approved)
	}
	f.mu.Lock()
	known, ok := f.plans[key]
	f.mu.Unlock()
	if ok && f.clock().Sub(known.at) <= f.knownFor {
		return known.plan, nil
	}
	plan, err := x.Explain(ctx, p, approved)
	if err != nil {
		return plan, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.plans) >= plansKnown {
		clear(f.plans)
	}
	f.plans[key] = seenPlan{plan: plan, at: f.clock()}
	return plan, nil
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
	if ok && f.remote && f.clock().Sub(s.at) > f.knownFor {
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

// freshnessOf is how fresh a table is, as far as is known of it; its newest partition only
// where that may be told.
func (x *engine) freshnessOf(ctx context.Context, p run.Principal, known *catalogrpc.Excerpt, name catalog.Name, newest bool) Freshness {
	f := Freshness{Table: name}
	t, ok := known.Lookup(name)
	if !ok {
		return f
	}
	f.UpdatedAt = t.UpdatedAt
	if newest {
		f.LatestPartition = x.partition(ctx, p, t, false)
	}
	return f
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
	rows, err := x.Metadata(ctx, p, statement, warehouse.Options{MaxRows: 1, Timeout: freshTimeout, Tag: run.From(ctx).Tag()})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for { // to the end: a statement that is left before it counts as cancelled on the server
		page, err := rows.Next(ctx, 1)
		if errors.Is(err, io.EOF) {
			return value, nil
		}
		if err != nil {
			return "", err
		}
		if len(page) == 1 && len(page[0]) == 1 {
			value, _ = page[0][0].(string)
		}
	}
}
