package analysis_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/analysis"
)

// TestSettings: what is left open has its default, and what is out of bounds is refused by
// its name; the nearest value that is right is taken.
func TestSettings(t *testing.T) {
	t.Parallel()
	got, err := analysis.Config{}.Complete()
	require.NoError(t, err)
	require.Equal(t, analysis.Config{
		Review: analysis.ReviewWait, Python: analysis.PythonOff, PythonTries: 3, PythonFallback: analysis.FallbackOn, PythonTimeout: time.Minute, PythonMemoryMB: 2048, PythonRunning: 2, PythonClaimPort: 7443, PythonClaimReady: 30 * time.Second, MaxRows: 500, MaxInputRows: 100_000, MaxInputBytes: 32 << 20, MaxStateBytes: 32 << 20, MaxRunning: 20, MaxAnalyses: 200,
		MaxDuration: time.Hour, StepTimeout: 10 * time.Minute, EstimateTimeout: 30 * time.Second, Lease: 10 * time.Second, Poll: 500 * time.Millisecond, Look: 50 * time.Millisecond,
		MaxArtifactBytes: 8 << 20, MaxWatches: 100, WatchRunning: 2, WatchInterval: 15 * time.Minute, WatchGrant: 90 * 24 * time.Hour,
		WatchLook: 15 * time.Second, WatchRecheck: 5 * time.Minute, WatchTimeout: 15 * time.Second,
	}, got)
	for name, c := range map[string]struct {
		wrong, right analysis.Config
		says         string
	}{
		"review":    {analysis.Config{Review: "maybe"}, analysis.Config{Review: analysis.ReviewNone}, `analysis.review is "maybe": use wait or none`},
		"no runner": {analysis.Config{Python: analysis.PythonRemote}, analysis.Config{Python: analysis.PythonRemote, PythonRunner: "https://r:1", PythonRunnerTokenFile: "t"}, "set analysis.python_runner or analysis.python_claim_pool"},
		"no token":  {analysis.Config{Python: analysis.PythonRemote, PythonClaimPool: "p"}, analysis.Config{Python: analysis.PythonRemote, PythonClaimPool: "p", PythonRunnerTokenFile: "t"}, "set analysis.python_runner_token_file"},
		"python":    {analysis.Config{Python: "on"}, analysis.Config{Python: analysis.PythonSandbox}, `analysis.python is "on": use off, sandbox or remote`},
		"tries":     {analysis.Config{PythonTries: 4}, analysis.Config{PythonTries: 3}, "analysis.python_tries is 4: the most is 3"},
		"fallback":  {analysis.Config{PythonFallback: "maybe"}, analysis.Config{PythonFallback: analysis.FallbackOff}, `analysis.python_fallback is "maybe"`},
		"memory":    {analysis.Config{PythonMemoryMB: 1}, analysis.Config{PythonMemoryMB: 64}, "analysis.python_memory_mb"},
		"a program": {analysis.Config{PythonTimeout: 1}, analysis.Config{PythonTimeout: time.Second}, "analysis.python_timeout"},
		"programs":  {analysis.Config{PythonRunning: -1}, analysis.Config{PythonRunning: 1}, "analysis.python_running is -1"},
		"rows":      {analysis.Config{MaxRows: -1}, analysis.Config{MaxRows: 1}, "analysis.max_rows is -1"},
		"input":     {analysis.Config{MaxInputRows: -1}, analysis.Config{MaxInputRows: 1}, "analysis.max_input_rows is -1"},
		"bytes":     {analysis.Config{MaxInputBytes: -1}, analysis.Config{MaxInputBytes: 1}, "analysis.max_input_bytes is -1"},
		"state":     {analysis.Config{MaxStateBytes: -1}, analysis.Config{MaxStateBytes: 1}, "analysis.max_state_bytes is -1"},
		"running":   {analysis.Config{MaxRunning: -1}, analysis.Config{MaxRunning: 1}, "analysis.max_running is -1"},
		"analyses":  {analysis.Config{MaxAnalyses: -1}, analysis.Config{MaxAnalyses: 1}, "analysis.max_analyses is -1"},
		"duration":  {analysis.Config{MaxDuration: -1}, analysis.Config{MaxDuration: 1}, "analysis.max_duration is -1ns"},
		"timeout":   {analysis.Config{StepTimeout: -1}, analysis.Config{StepTimeout: 1}, "analysis.step_timeout is -1ns"},
		"estimate":  {analysis.Config{EstimateTimeout: -1}, analysis.Config{EstimateTimeout: 1}, "analysis.estimate_timeout is -1ns"},
		"lease":     {analysis.Config{Lease: -1}, analysis.Config{Lease: time.Second}, "analysis.lease is -1ns"},
		"poll":      {analysis.Config{Poll: -1}, analysis.Config{Poll: 1}, "analysis.poll is -1ns"},
		"files":     {analysis.Config{MaxArtifactBytes: -1}, analysis.Config{MaxArtifactBytes: 1}, "analysis.max_artifact_bytes is -1"},
		"watches":   {analysis.Config{MaxWatches: -1}, analysis.Config{MaxWatches: 1}, "analysis.max_watches is -1"},
		"at a time": {analysis.Config{WatchRunning: -1}, analysis.Config{WatchRunning: 1}, "analysis.watch_running is -1"},
		"interval":  {analysis.Config{WatchInterval: -1}, analysis.Config{WatchInterval: 1}, "analysis.watch_interval is -1ns"},
		"grant":     {analysis.Config{WatchGrant: -1}, analysis.Config{WatchGrant: 1}, "analysis.watch_grant is -1ns"},
		"look":      {analysis.Config{WatchLook: -1}, analysis.Config{WatchLook: 1}, "analysis.watch_look is -1ns"},
		"recheck":   {analysis.Config{WatchRecheck: -1}, analysis.Config{WatchRecheck: 1}, "analysis.watch_recheck is -1ns"},
		"webhook":   {analysis.Config{WatchTimeout: -1}, analysis.Config{WatchTimeout: 1}, "analysis.watch_timeout is -1ns"},
		"lost soon": {analysis.Config{Lease: 999 * time.Millisecond}, analysis.Config{Lease: time.Second, Poll: 500 * time.Millisecond}, "at least twice analysis.poll"},
	} {
		_, err := c.wrong.Complete()
		require.ErrorContains(t, err, c.says, name)
		_, err = c.right.Complete()
		require.NoError(t, err, name)
	}
}

// TestWhatTheServiceNeeds: clients of three services, and a store for what it keeps.
func TestWhatTheServiceNeeds(t *testing.T) {
	t.Parallel()
	team := newTeam()
	whole := analysis.Deps{FindData: team, Text2SQL: team, ChatBI: team, Store: analysis.OpenSQLite(t.TempDir())}
	for name, c := range map[string]struct {
		leave func(*analysis.Deps)
		says  string
	}{
		"find data":   {func(d *analysis.Deps) { d.FindData = nil }, "find data, text to SQL and chat BI"},
		"text to SQL": {func(d *analysis.Deps) { d.Text2SQL = nil }, "find data, text to SQL and chat BI"},
		"chat BI":     {func(d *analysis.Deps) { d.ChatBI = nil }, "find data, text to SQL and chat BI"},
		"a store":     {func(d *analysis.Deps) { d.Store = nil }, "needs a store"},
	} {
		deps := whole
		c.leave(&deps)
		_, err := analysis.New(analysis.Config{}, deps)
		require.ErrorContains(t, err, c.says, name)
	}
	s, err := analysis.New(analysis.Config{}, whole)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}
