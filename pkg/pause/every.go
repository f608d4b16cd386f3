package pause

import (
	"context"
	"time"
)

// shortest is the least time between two looks at a clock.
const shortest = time.Millisecond

// Every calls do whenever so much time has passed by a clock, until ctx ends. A timer
// of the system says when to look at the clock, which decides: one that stands still
// calls nothing.
func Every(ctx context.Context, every time.Duration, clock func() time.Time, do func(context.Context)) {
	next := clock().Add(every)
	for {
		if For(ctx, min(max(next.Sub(clock()), shortest), max(every, shortest))) != nil {
			return
		}
		if !clock().Before(next) {
			do(ctx)
			next = clock().Add(every)
		}
	}
}
