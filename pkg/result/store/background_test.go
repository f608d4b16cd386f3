package store

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

// slow are files whose removal takes until its context ends.
type slow struct{ Files }

func (slow) Remove(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestWhatWaitsIsBounded in number and, at the end, in time: what finds no place or no time is
// left to the sweep and counted, and nobody waits for it.
func TestWhatWaitsIsBounded(t *testing.T) {
	t.Parallel()
	set, read := metertest.New(t)
	synctest.Test(t, func(t *testing.T) {
		b := newBackground(slow{}, Config{Meter: set, Log: slog.New(slog.DiscardHandler)}, nil)
		var ids []string
		for i := range removers {
			ids = append(ids, strconv.Itoa(i))
		}
		b.toRemove(t.Context(), ids)
		synctest.Wait() // each remover has one
		for i := range maxToRemove + 7 {
			b.toRemove(t.Context(), []string{strconv.Itoa(i)})
		}
		require.EqualValues(t, 7, read()[`dibrain_result_files_total{end="left"}`])
		begun := time.Now()
		b.close()
		require.Equal(t, drainTime, time.Since(begun))
		b.letGo(t.Context(), evicted{ids: []string{"a", "b"}, more: true})
		b.close()
	})
	require.EqualValues(t, 7+maxToRemove+2, read()[`dibrain_result_files_total{end="left"}`])
	require.EqualValues(t, removers, read()[`dibrain_result_files_total{end="failed"}`])
}
