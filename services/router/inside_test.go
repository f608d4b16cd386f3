package router

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// TestParentsComeFirst: a tree is shown with each record once, behind its parent, and
// otherwise in the order that it was kept in, whatever that was.
func TestParentsComeFirst(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var records []run.Record
		for i := range 1 + random.IntN(9) {
			r := run.Record{RunID: "r" + strconv.Itoa(i)}
			switch {
			case i > 0 && random.IntN(5) > 0:
				r.ParentRunID = "r" + strconv.Itoa(random.IntN(i))
			case random.IntN(3) == 0:
				r.ParentRunID = "elsewhere"
			}
			records = append(records, r)
		}
		random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		given := slices.Clone(records)
		out := parentsFirst(records)
		require.Equal(t, given, records, "what was given stays")
		require.ElementsMatch(t, given, out)
		at := map[string]int{}
		for i, r := range out {
			at[r.RunID] = i
		}
		for i, r := range out {
			if parent, here := at[r.ParentRunID]; here {
				require.Less(t, parent, i)
			}
		}
		require.Equal(t, out, parentsFirst(out), "what is in order stays so")
	}
	circle := []run.Record{{RunID: "a", ParentRunID: "b"}, {RunID: "c"}, {RunID: "b", ParentRunID: "a"}, {RunID: "d", ParentRunID: "c"}}
	var ids []string
	for _, r := range parentsFirst(circle) {
		ids = append(ids, r.RunID)
	}
	require.Equal(t, []string{"c", "d", "a", "b"}, ids, "those in a circle are shown too")
}

// TestIDsBeginWithTheTime of the clock that was put in, so that those of one time lie together.
func TestIDsBeginWithTheTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	d := Deps{Clock: func() time.Time { return at }}.complete()
	const digits = len(run.PrefixCall) + 10
	require.Equal(t, run.NewIDAt(run.PrefixCall, at, nil)[:digits], d.IDs(run.PrefixCall)[:digits])
	require.True(t, d.idsAreNew)
}

// TestClosingWaitsForRuns: closing cancels the runs at work, says why, and waits until
// each has left.
func TestClosingWaitsForRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a activeRuns
		var contexts []context.Context
		var leaves []func()
		for i := range 3 {
			ctx, cancel := context.WithCancelCause(t.Context())
			contexts = append(contexts, ctx)
			leaves = append(leaves, a.enter("run_"+strconv.Itoa(i), cancel))
		}
		ended := a.cancel("run_1", errCancelled)
		require.NotNil(t, ended)
		require.Nil(t, a.cancel("run_7", errCancelled), "not here")
		require.ErrorIs(t, context.Cause(contexts[1]), errCancelled)
		require.NoError(t, contexts[0].Err())
		select {
		case <-ended:
			t.Fatal("it has not left")
		default:
		}
		leaves[1]()
		<-ended
		require.Nil(t, a.cancel("run_1", errCancelled), "it has left")

		closed := make(chan struct{})
		go func() { a.close(); close(closed) }()
		synctest.Wait()
		require.ErrorIs(t, context.Cause(contexts[0]), errClosing)
		require.ErrorIs(t, context.Cause(contexts[2]), errClosing)
		leaves[0]()
		synctest.Wait()
		select {
		case <-closed:
			t.Fatal("one is at work yet")
		default:
		}
		leaves[2]()
		synctest.Wait()
		<-closed
	})
}

// TestGateOfTurns: who waits in vain is told how long, nobody's place is lost, and
// nothing is remembered of who has left.
func TestGateOfTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(2, 1)
		alice, bob, carol := run.Principal{ID: "alice"}, run.Principal{ID: "bob"}, run.Principal{ID: "carol"}
		enter := func(p run.Principal) func() {
			leave, err := g.enter(t.Context(), p, time.Minute)
			require.NoError(t, err)
			return leave
		}
		full := func(p run.Principal, what string) {
			began := time.Now()
			_, err := g.enter(t.Context(), p, time.Minute)
			require.Equal(t, time.Minute, time.Since(began))
			f := fault.FromStatus(err)
			require.Equal(t, codes.ResourceExhausted, f.Code)
			require.Equal(t, reasonTooManyTurns, f.Reason)
			require.Equal(t, time.Second, f.RetryAfter)
			require.Contains(t, f.Message, what)
		}
		leaveAlice := enter(alice)
		full(alice, "1 questions of yours")
		leaveBob := enter(bob)
		full(carol, "2 questions are at work")
		require.Len(t, g.own, 2, "carol has left")
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := g.enter(gone, carol, time.Minute)
		require.ErrorIs(t, err, context.Canceled, "her own end is no full house")

		next := make(chan func())
		go func() { next <- enter(alice) }()
		synctest.Wait()
		leaveAlice()
		leaveAlice() // a second time does nothing
		leaveNext := <-next
		full(carol, "2 questions are at work")
		leaveNext()
		leaveBob()
		require.Empty(t, g.own)
		require.Empty(t, g.all)
		leave := enter(carol)
		leave()

		// Who waited in vain for a place among all keeps none of their own.
		g = newGate(2, 2)
		leaveAlice, leaveBob = enter(alice), enter(bob)
		full(alice, "2 questions are at work")
		leaveBob()
		leaveSecond := enter(alice)
		full(alice, "2 questions of yours")
		leaveAlice()
		leaveSecond()
		require.Empty(t, g.own)
	})
}
