// Package pause waits, for as long as somebody wants the result.
package pause

import (
	"context"
	"time"
)

// For waits for d. It returns the error of the context where that ends first.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
