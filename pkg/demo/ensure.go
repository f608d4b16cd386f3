package demo

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

// errThere stops a maker that finds, once it holds the lock, that another
// process has made the same warehouse meanwhile.
var errThere = errors.New("the demo warehouse is there already")

// Ensure returns the demo warehouse of cfg's day. It makes it where there is
// none, or where there is one of another day, version or scale, or a damaged
// one; progress, which may be nil, is told of that. While somebody makes it,
// others wait, and readers go on with the one before. Errors: the store's, and
// DEMO_NOT_MADE where the engine or the disk fails.
func Ensure(ctx context.Context, store *source.Store, cfg Config, progress Progress) (*source.Generation, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(int, int, string) {}
	}
	if g, ok := current(store, cfg); ok {
		return g, nil
	}
	g, err := store.Make(ctx, Name, func(ctx context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		if _, ok := current(store, cfg); ok {
			return source.Manifest{}, nil, errThere
		}
		return makeIn(ctx, dir, cfg, progress)
	})
	if errors.Is(err, errThere) {
		return store.Current(Name)
	}
	if err != nil {
		return nil, explain(ctx, err)
	}
	return g, nil
}

// explain turns what the engine or the disk said into an error that says what to
// do. A store's own faults and the caller's own deadline say it already.
func explain(ctx context.Context, err error) error {
	var own *fault.Error
	if errors.As(err, &own) || ctx.Err() != nil {
		return fmt.Errorf("make the demo warehouse: %w", err)
	}
	return fault.New(codes.Unavailable, "DEMO_NOT_MADE",
		"the demo warehouse could not be made: see that the data directory can be written and has 200 MB free, then try again").Because(err)
}

// current returns the demo warehouse that is there, if it is the one of cfg.
func current(store *source.Store, cfg Config) (*source.Generation, bool) {
	g, err := store.Current(Name)
	if err != nil { // unknown or damaged: made anew either way
		return nil, false
	}
	want := cfg.day().Format("2006-01-02")
	return g, g.Day == want && g.Version == cfg.version()
}
