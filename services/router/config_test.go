package router_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
	"github.com/dibrain/dibrain/services/router"
)

// TestConfigurationsThatAreRefused say which setting is wrong and what it may be, and the
// nearest one that is right is taken.
func TestConfigurationsThatAreRefused(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	team := &struct {
		findatav1.FindDataServiceClient
	}{}
	w := newWorld(t)
	make := func(change func(*router.Config)) error {
		cfg := router.Config{}
		change(&cfg)
		deps := w.deps
		deps.Store, deps.FindData = db, team
		s, err := router.New(cfg, deps)
		if err == nil {
			require.NoError(t, s.Close())
		}
		return err
	}
	for name, c := range map[string]struct {
		wrong, right func(*router.Config)
		says         string
	}{
		"strategy":       {func(c *router.Config) { c.Strategy = "dice" }, func(c *router.Config) { c.Strategy = router.StrategyRules }, `strategy is "dice"; use rules or llm`},
		"busy":           {func(c *router.Config) { c.OnBusy = "queue" }, func(c *router.Config) { c.OnBusy = router.BusyWait }, `on_busy is "queue"; use "reject" or "wait"`},
		"turns":          {func(c *router.Config) { c.MaxTurns = -1 }, func(c *router.Config) { c.MaxTurns = 1 }, "max_turns is -1"},
		"own turns":      {func(c *router.Config) { c.MaxOwnTurns = -1 }, func(c *router.Config) { c.MaxOwnTurns = 1 }, "max_own_turns -1"},
		"turn wait":      {func(c *router.Config) { c.TurnWait = -time.Nanosecond }, func(c *router.Config) { c.TurnWait = time.Nanosecond }, "turn_wait -1ns"},
		"sweep every":    {func(c *router.Config) { c.Retention.SweepEvery = -1 }, func(c *router.Config) { c.Retention.SweepEvery = time.Hour }, "retention.sweep_every is -1ns"},
		"sweep batch":    {func(c *router.Config) { c.Retention.SweepBatch = -1 }, func(c *router.Config) { c.Retention.SweepBatch = 1 }, "retention.sweep_batch -1"},
		"time zone":      {func(c *router.Config) { c.TimeZone = "Asia/Atlantis" }, func(c *router.Config) { c.TimeZone = "Asia/Singapore" }, `time_zone is "Asia/Atlantis"`},
		"a short secret": {func(c *router.Config) { c.Secret = []byte("fifteen bytes !") }, func(c *router.Config) { c.Secret = []byte("sixteen bytes !!") }, "the secret has 15 bytes; at least 16"},
	} {
		require.ErrorContains(t, make(c.wrong), c.says, name)
		require.NoError(t, make(c.right), name)
	}
}

// TestWhatARouterNeeds: it is not made without its store and the four main services.
func TestWhatARouterNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, leave := range map[string]func(*router.Deps){
		"store": func(d *router.Deps) { d.Store = nil }, "find data": func(d *router.Deps) { d.FindData = nil }, "text to SQL": func(d *router.Deps) { d.Text2SQL = nil },
		"fix SQL": func(d *router.Deps) { d.FixSQL = nil }, "chat BI": func(d *router.Deps) { d.ChatBI = nil },
	} {
		deps := w.deps
		leave(&deps)
		_, err := router.New(router.Config{}, deps)
		require.ErrorContains(t, err, "findata, text2sql, fixsql and chatbi are needed", name)
	}
}

// TestDefaultsOfTheRouter are those that its documentation tells; what is set stays.
func TestDefaultsOfTheRouter(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	got := router.Config{}.Complete()
	require.Len(t, got.Secret, 32)
	require.NotEqual(t, got.Secret, router.Config{}.Complete().Secret, "each start makes its own")
	got.Secret = nil
	require.Equal(t, router.Config{
		Strategy: router.StrategyRules, TimeZone: "UTC", MaxExecute: 2 * time.Minute, MaxToolCalls: 12, MaxSteps: 64, RepairBudget: 2, MaxValidationRetries: 3,
		ValidationRetryWait: time.Second, HistoryMessages: 12, MaxRunBytes: 1 << 20, OnBusy: router.BusyReject, MaxBusyWait: 30 * time.Second, Lease: 30 * time.Second,
		MaxTurns: 64, MaxOwnTurns: 16, TurnWait: 30 * time.Second, PersistTimeout: 30 * time.Second,
		Retention: router.RetentionConfig{
			SessionsFor: 90 * day, RunsFor: 30 * day, MaxSessions: 1000, MaxRuns: 10_000, MaxTurns: 1000, MaxSessionBytes: 64 << 20, MaxRemoved: 10_000, SweepEvery: time.Hour, SweepBatch: 200,
		},
	}, got)
	set := router.Config{Strategy: router.StrategyLLM, RepairBudget: -1, MaxSteps: 7, Secret: []byte("0123456789abcdef"), Retention: router.RetentionConfig{MaxRuns: -1}}.Complete()
	require.Equal(t, []any{router.StrategyLLM, -1, 7, "0123456789abcdef", -1}, []any{set.Strategy, set.RepairBudget, set.MaxSteps, string(set.Secret), set.Retention.MaxRuns})
}
