package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChangedRecords: only what is wanted is told, in the order of the beginnings, and within
// the bound of all.
func TestChangedRecords(t *testing.T) {
	t.Parallel()
	r := NewRecorder(0)
	r.Add(Record{RunID: "run_1", Status: StatusSucceeded}, Record{RunID: "run_2", Status: StatusRunning}, Record{RunID: "run_3", Status: StatusRunning})
	got := r.Changed(func(id string, status Status) bool { return status == StatusRunning && id != "run_2" })
	require.Equal(t, []Record{{RunID: "run_3", Status: StatusRunning}}, got)
	all, dropped := r.Records()
	require.Len(t, all, 3)
	require.Zero(t, dropped)
	var none *Recorder
	require.Empty(t, none.Changed(func(string, Status) bool { return true }))
}
