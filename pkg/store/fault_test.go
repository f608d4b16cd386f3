package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
)

// TestFaults: programs know each fault by its code and reason, and people read what it
// is about, since when, and by which setting.
func TestFaults(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 4, 1, 17, 30, 0, 0, time.FixedZone("", 8*3600))
	const moment = "2026-04-01 09:30 UTC"
	for name, c := range map[string]struct {
		err    *fault.Error
		code   codes.Code
		reason string
		says   []string
	}{
		"session unknown":      {store.SessionUnknown("x1"), codes.NotFound, store.ReasonSessionUnknown, []string{`"x1"`, "router.retention"}},
		"run unknown":          {store.RunUnknown("x1"), codes.NotFound, store.ReasonRunUnknown, []string{`"x1"`, "router.retention"}},
		"call unknown":         {store.ToolCallUnknown("x1"), codes.NotFound, store.ReasonToolCallUnknown, []string{`"x1"`}},
		"session too old":      {store.SessionRemoved("x1", at, store.RuleSessionsFor), codes.NotFound, store.ReasonSessionUnknown, []string{`"x1"`, moment, "not been used for as long as " + store.RuleSessionsFor}},
		"sessions too many":    {store.SessionRemoved("x1", at, store.RuleMaxSessions), codes.NotFound, store.ReasonSessionUnknown, []string{`"x1"`, moment, "more newer ones than " + store.RuleMaxSessions}},
		"run too old":          {store.RunRemoved("x1", at, store.RuleRunsFor), codes.NotFound, store.ReasonRunUnknown, []string{`"x1"`, moment, "older than " + store.RuleRunsFor}},
		"runs too many":        {store.RunRemoved("x1", at, store.RuleMaxRuns), codes.NotFound, store.ReasonRunUnknown, []string{`"x1"`, moment, "more newer ones than " + store.RuleMaxRuns}},
		"run of an old one":    {store.RunRemoved("x1", at, store.RuleSessionsFor), codes.NotFound, store.ReasonRunUnknown, []string{`"x1"`, moment, "its session was removed by " + store.RuleSessionsFor}},
		"run of one too many":  {store.RunRemoved("x1", at, store.RuleMaxSessions), codes.NotFound, store.ReasonRunUnknown, []string{`"x1"`, moment, "its session was removed by " + store.RuleMaxSessions}},
		"what a call gave":     {store.OutputRemoved("x1", at), codes.FailedPrecondition, store.ReasonOutputRemoved, []string{"x1", moment, store.RuleMaxSessionBytes}},
		"another turn at work": {store.SessionBusy("x1", 3*time.Second), codes.Aborted, store.ReasonSessionBusy, []string{"Another turn"}},
		"lock lost":            {store.LockLost("x1"), codes.Aborted, store.ReasonLockLost, []string{"send it again"}},
		"id taken":             {store.IDTaken("x1"), codes.AlreadyExists, store.ReasonIDTaken, []string{"x1"}},
	} {
		require.Equal(t, c.code, c.err.Code, name)
		require.Equal(t, c.reason, fault.ReasonOf(c.err), name)
		for _, words := range c.says {
			require.Contains(t, c.err.Error(), words, name)
		}
	}
	require.Equal(t, 3*time.Second, store.SessionBusy("x1", 3*time.Second).RetryAfter)
	steps := store.StepsRemoved(at)
	require.Contains(t, steps, moment)
	require.Contains(t, steps, store.RuleMaxSessionBytes)
	require.Equal(t, store.Lock{SessionID: "x1", Token: 1, ExpiresAt: at}, store.FirstLock("x1", at))
}

// TestCursors: a token comes back as it was made, for its own list only.
func TestCursors(t *testing.T) {
	t.Parallel()
	c := store.Cursor{List: "runs/a", At: 1 << 60, ID: "run_1"}
	got, more, err := store.ParseCursor("runs/a", c.Token())
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, c, got)
	got, more, err = store.ParseCursor("runs/a", "")
	require.NoError(t, err)
	require.False(t, more)
	require.Zero(t, got)
	for _, wrong := range []struct{ list, token string }{{"runs/b", c.Token()}, {"runs/a", c.Token() + "!"}, {"runs/a", c.Token()[1:]}, {"runs/a", "e30"}} {
		_, _, err := store.ParseCursor(wrong.list, wrong.token)
		require.Equal(t, store.ReasonPageToken, fault.ReasonOf(err), wrong)
	}
}
