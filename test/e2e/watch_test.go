package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
)

// TestAWatchIsKilledAtWork: the process is killed in the middle of a run, at one node of its
// analysis after another. The next one takes the watch up by itself, goes on with the one
// analysis, and writes one result.
func TestAWatchIsKilledAtWork(t *testing.T) {
	t.Parallel()
	dir, out := freshDemo(t), t.TempDir()
	targets := filepath.Join(t.TempDir(), "targets.yaml")
	require.NoError(t, os.WriteFile(targets, []byte("targets: [{name: folder, kind: file, folder: '"+out+"'}]"), 0o600))
	env := []string{
		"DIBRAIN_ANALYSIS_LEASE=400ms", "DIBRAIN_ANALYSIS_POLL=100ms", "DIBRAIN_ANALYSIS_WATCH_LOOK=100ms", "DIBRAIN_ANALYSIS_WATCH_TARGETS_FILE=" + targets,
	}
	c := monolith(t, dir, env...)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	client := analysisv1.NewAnalysisServiceClient(dial(t, c.router))
	_, err := client.CreateWatch(ctx, &analysisv1.CreateWatchRequest{Spec: &analysisv1.WatchSpec{
		Name: "gmv", Question: "anomaly sweep over GMV", Schedule: "0 0 1 1 *", Target: "folder", Gates: &analysisv1.WatchGates{OnFinding: true},
	}})
	require.NoError(t, err)
	get := func() *analysisv1.Watch {
		r, err := client.GetWatch(ctx, &analysisv1.GetWatchRequest{WatchId: "gmv"})
		require.NoError(t, err)
		return r.GetWatch()
	}
	store := hold(t, dir)
	nodes := []string{"sql_execute", "python_analyze", "report_generator"}
	store.at(nodes[0])
	for i, node := range nodes {
		if i == 0 { // later ones are begun by the loop of the process
			go func() { _, _ = client.RunWatch(ctx, &analysisv1.RunWatchRequest{WatchId: "gmv"}) }()
		}
		store.waitHeld(node)
		c.kill(c.processes["all"])
		store.do("DROP TRIGGER test_hold")
		store.do("UPDATE watches SET due_at = 1") // its tick has come
		if i+1 < len(nodes) {
			store.at(nodes[i+1])
		}
		c.start("all", c.router, env...)
	}
	require.Eventually(t, func() bool { return len(get().GetRuns()) > 0 }, time.Minute, 50*time.Millisecond, "nobody takes it up")
	w := get()
	require.Equal(t, analysisv1.WatchOutcome_WATCH_OUTCOME_DELIVERED, w.GetRuns()[0].GetOutcome(), w.GetRuns()[0].GetMessage())
	require.NotEmpty(t, w.GetRuns()[0].GetFindings())
	require.Len(t, w.GetRuns(), 1)
	list, err := client.ListAnalyses(ctx, &analysisv1.ListAnalysesRequest{})
	require.NoError(t, err)
	require.Len(t, list.GetAnalyses(), 1)
	files, err := filepath.Glob(filepath.Join(out, "*.txt"))
	require.NoError(t, err)
	require.Len(t, files, 1)
}
