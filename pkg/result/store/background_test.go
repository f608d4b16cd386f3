package store

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
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

// stuckFiles holds files of which some cannot be removed.
type stuckFiles struct {
	Files
	stuck map[string]bool
	gone  []string
}

func (s *stuckFiles) Remove(_ context.Context, id string) error {
	if s.stuck[id] {
		return errors.New("no right to " + id)
	}
	s.gone = append(s.gone, id)
	return nil
}

// TestASweepPassesWhatIsStuck: one file that cannot be removed does not keep those after it, is
// told and counted; where nothing goes any more, the sweep ends.
func TestASweepPassesWhatIsStuck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		stuck       string // ids, a letter each
		gone        string
		swept, left float64
		ends        bool
	}{
		{name: "none", gone: "abcdefg", swept: 7},
		{name: "apart", stuck: "abdeg", gone: "cf", swept: 2, left: 5},
		{name: "in a row", stuck: "bcdf", gone: "a", swept: 1, left: 3, ends: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			set, read := metertest.New(t)
			under := &stuckFiles{stuck: map[string]bool{}}
			for _, id := range strings.Split(c.stuck, "") {
				under.stuck[id] = true
			}
			s := &sweeping{Files: under, meter: set}
			var ended error
			for _, id := range strings.Split("abcdefg", "") {
				if ended = s.Remove(t.Context(), id); ended != nil {
					break
				}
			}
			require.Equal(t, c.ends, ended != nil)
			require.Equal(t, c.gone, strings.Join(under.gone, ""))
			if c.stuck == "" {
				require.NoError(t, s.stuck)
			} else {
				require.EqualError(t, s.stuck, "no right to "+c.stuck[:1])
			}
			got := read()
			require.InDelta(t, c.swept, got[`dibrain_result_files_total{end="swept"}`], 0)
			require.InDelta(t, c.left, got[`dibrain_result_files_total{end="stuck"}`], 0)
		})
	}
}
