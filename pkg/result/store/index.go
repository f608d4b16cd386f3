package store

import (
	"context"
	"errors"

	"github.com/dibrain/dibrain/pkg/run"
)

// index says which results there are, whose they are and where their batches lie. A SQLite
// file is one for the processes of one machine, tables in PostgreSQL are one for those of
// several. Both are asked in the same words: SQL that both know, with the names of the
// tables as PostgreSQL has them.
type index interface {
	// write does all of do in one transaction or nothing; what other processes write comes
	// before it or after it. do may run more than once.
	write(ctx context.Context, doing string, do func(context.Context, querier) error) error
	// read asks outside of a transaction. do may run more than once.
	read(ctx context.Context, doing string, do func(context.Context, querier) error) error
	// claim makes an id for a result that this process is going to write, and lets all
	// processes know that it is being written.
	claim(ctx context.Context, owner run.Principal) (claim, error)
	// sweep removes what processes that are gone have left: room that they took, and files
	// that no result is of and that nobody writes.
	sweep(ctx context.Context, files Files) error
	// compact gives the room of removed rows back.
	compact(ctx context.Context) error
	close() error
}

// claim is the right of one process to write one result.
type claim interface {
	id() string
	// take has the index count so many bytes for the result. It is an error where others
	// took this process for gone, and the result with it.
	take(ctx context.Context, q querier, bytes int64) error
	// enter ends the claim in the transaction that enters the result.
	enter(ctx context.Context, q querier) error
	// drop ends the claim of a result that is not kept: the index does not know it
	// afterwards. taken says whether room was taken.
	drop(ctx context.Context, taken bool) error
	// release gives up what shows other processes that this one is at work. It follows
	// enter or drop, once the file is whole or gone.
	release() error
}

// querier is what asks the index.
type querier interface {
	exec(ctx context.Context, text string, args ...any) (changed int64, err error)
	// one reads one row, or errNone.
	one(ctx context.Context, text string, args []any, into ...any) error
	// texts reads rows of one text each.
	texts(ctx context.Context, text string, args ...any) ([]string, error)
	// remove removes at most so many of the results that are chosen, remembers of each why and
	// when, in milliseconds since 1970, and returns their ids.
	remove(ctx context.Context, of choice, now int64, most int) (ids []string, err error)
	// begin is what a transaction that prunes begins with.
	begin(ctx context.Context) error
}

// errNone is the error of one where there is no row.
var errNone = errors.New("there is no such row")
