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
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Bounds of looking for the newest partitions.
const (
	freshTables  = 8 // of one statement
	freshTimeout = 2 * time.Second
)

// freshness remembers the oldest and the newest partition of tables. It belongs
// to an engine of one generation, whose data never changes.
type freshness struct {
	mu    sync.Mutex
	known map[edge]string
}

// edge is one end of a table's data.
type edge struct {
	table string // its key
	first bool
}

func newFreshness() *freshness { return &freshness{known: map[edge]string{}} }

// partition returns the newest value, or the oldest, of a table's partition column
// that holds dates; empty where there is none, or where it is not known in time:
// it adorns an answer, and no answer waits for it.
func (x *engine) partition(ctx context.Context, p run.Principal, t *catalog.Table, first bool) string {
	column := datePartition(t)
	if column == "" {
		return ""
	}
	key := edge{table: t.Name.Key(), first: first}
	x.freshness.mu.Lock()
	known, ok := x.freshness.known[key]
	x.freshness.mu.Unlock()
	if ok {
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
	x.freshness.mu.Lock()
	defer x.freshness.mu.Unlock()
	x.freshness.known[key] = value
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
