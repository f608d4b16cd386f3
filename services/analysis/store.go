package analysis

import (
	"context"
	"errors"
	"time"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/analysis/watch"
)

// Record is an analysis as it is stored.
type Record struct {
	ID, Owner string
	// Title is the question, cut short.
	Title  string
	Status run.Status
	// Revision counts the changes of the state: whoever saves names the one that they
	// read, and of two who read the same one wins.
	Revision int64
	// Runner is the process at work, taken to live until LeaseUntil; empty: none.
	Runner     string
	LeaseUntil time.Time
	Created    time.Time
	Updated    time.Time
	// State is the JSON of a workflow.State; lists leave it out.
	State []byte
}

// Errors of a Store that callers decide by.
var (
	// ErrUnknown: there is no such analysis of that owner.
	ErrUnknown = errors.New("no such analysis")
	// ErrChanged: somebody else has saved since the record was read.
	ErrChanged = errors.New("the analysis was changed meanwhile")
	// ErrFull: the owner has as many analyses that have not ended as one may.
	ErrFull = errors.New("too many analyses")
)

// Store keeps analyses. Each method is atomic; it may be used concurrently and by
// several processes. OpenSQLite keeps them for one data directory, OpenPostgres for
// several machines.
type Store interface {
	// Create adds one. The owner's oldest that have ended make room, so that there are
	// at most as many as most; ErrFull where those that have not ended are as many.
	Create(ctx context.Context, r Record, most int) error
	// Get reads one of the owner's, or ErrUnknown.
	Get(ctx context.Context, owner, id string) (Record, error)
	// Revision reads how often one of the owner's was saved, or ErrUnknown. It reads nothing
	// else: it is asked many times a second.
	Revision(ctx context.Context, owner, id string) (int64, error)
	// Save replaces one whose revision is still r's, and returns the next revision;
	// else ErrChanged.
	Save(ctx context.Context, r Record) (int64, error)
	// Extend says that the runner lives; ErrChanged where the analysis is no longer its.
	Extend(ctx context.Context, id, runner string, until time.Time) error
	// List returns the owner's after a cursor, newest first.
	List(ctx context.Context, owner string, after store.Cursor, limit int) ([]Record, error)
	// Watches are kept beside them.
	watch.Store
	Close() error
}

// openStates are the states of analyses that have not ended.
const openStates = `('running', 'waiting')`

const columns = `id, owner, title, status, revision, runner, lease_until, created_at, updated_at`

// scan reads a row of columns, and what the statement has behind them.
func scan(row interface{ Scan(...any) error }, further ...func(*Record) any) (Record, error) {
	var r Record
	var status string
	var lease, created, updated int64
	into := []any{&r.ID, &r.Owner, &r.Title, &status, &r.Revision, &r.Runner, &lease, &created, &updated}
	for _, f := range further {
		into = append(into, f(&r))
	}
	if err := row.Scan(into...); err != nil {
		return Record{}, err
	}
	r.Status, r.LeaseUntil, r.Created, r.Updated = run.Status(status), store.FromNanos(lease), store.FromNanos(created), store.FromNanos(updated)
	return r, nil
}
