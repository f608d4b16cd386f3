package watch

import (
	"context"
	"errors"
	"time"
)

// Record is a watch as it is stored.
type Record struct {
	ID, Owner, Name string
	Status          Status
	// Revision counts the changes: whoever saves names the one that they read, and of two
	// who read the same one wins.
	Revision int64
	// Due is when something has to be done next; zero: never.
	Due time.Time
	// Runner is the process at work on it, taken to live until LeaseUntil; empty: none.
	Runner     string
	LeaseUntil time.Time
	Created    time.Time
	Updated    time.Time
	// State is the JSON of a State.
	State []byte
}

// Errors of a Store that callers decide by.
var (
	// ErrUnknown: there is no such watch of that owner.
	ErrUnknown = errors.New("no such watch")
	// ErrChanged: somebody else has saved since the record was read.
	ErrChanged = errors.New("the watch was changed meanwhile")
	// ErrFull: the owner has as many watches as one may.
	ErrFull = errors.New("too many watches")
	// ErrExists: the owner has one of that name.
	ErrExists = errors.New("a watch of that name is there")
)

// Store keeps watches. Each method is atomic; it may be used concurrently and by several
// processes.
type Store interface {
	// CreateWatch adds one, if its owner has fewer than most and none of that name.
	CreateWatch(ctx context.Context, r Record, most int) error
	// GetWatch reads one of the owner's by id, or by name; or ErrUnknown.
	GetWatch(ctx context.Context, owner, idOrName string) (Record, error)
	// SaveWatch replaces one whose revision is still r's, and returns the next revision;
	// else ErrChanged.
	SaveWatch(ctx context.Context, r Record) (int64, error)
	// ExtendWatch says that the runner lives; ErrChanged where the watch is no longer its.
	ExtendWatch(ctx context.Context, id, runner string, until time.Time) error
	// DeleteWatch removes one of the owner's, or ErrUnknown.
	DeleteWatch(ctx context.Context, owner, id string) error
	// ListWatches returns all of the owner's, by name.
	ListWatches(ctx context.Context, owner string) ([]Record, error)
	// DueWatches returns active ones whose time has come and that no living process has,
	// the longest due first.
	DueWatches(ctx context.Context, now time.Time, limit int) ([]Record, error)
}
