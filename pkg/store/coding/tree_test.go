package coding_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

var began = time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)

func marshal(t *testing.T, records ...run.Record) string {
	t.Helper()
	raw, err := coding.MarshalStep(records)
	require.NoError(t, err)
	return string(raw)
}

// TestRecordsComeBackWhole: every field of a record is there after it was stored, times to
// the nanosecond and in UTC, and no time as none.
func TestRecordsComeBackWhole(t *testing.T) {
	t.Parallel()
	whole := run.Record{
		RunID: "run_2", ParentRunID: "run_1", Name: "generate", Service: "text2sql", ToolCallID: "call_1", ToolName: "generate_sql",
		Status: run.StatusFailed, StartedAt: began, EndedAt: began.Add(time.Second), Attributes: map[string]string{"rows": "7"}, Error: "no table",
	}
	local := whole
	local.StartedAt = began.In(time.FixedZone("east", 8*3600))
	open := run.Record{RunID: "run_3", ParentRunID: "run_1", Status: run.StatusRunning, StartedAt: began}
	root := run.Record{RunID: "run_1", Status: run.StatusRunning}
	got, err := coding.Tree(root, []string{marshal(t, local, open)})
	require.NoError(t, err)
	require.Equal(t, []run.Record{root, whole, open}, got)
	alone, err := coding.Tree(root, []string{marshal(t)})
	require.NoError(t, err)
	require.Equal(t, []run.Record{root}, alone)
}

// TestTreesAreInTheOrderInWhichTheyWereTold: the root is first and as its own row has it;
// a record that was told of twice stands where it was told of first, as it was told last.
func TestTreesAreInTheOrderInWhichTheyWereTold(t *testing.T) {
	t.Parallel()
	root := run.Record{RunID: "run_1", Name: "turn", Status: run.StatusSucceeded}
	at := func(id string, status run.Status) run.Record { return run.Record{RunID: id, Status: status} }
	got, err := coding.Tree(root, []string{
		marshal(t, at("run_1", run.StatusRunning), at("run_9", run.StatusRunning)),
		marshal(t, at("run_4", run.StatusRunning), at("run_9", run.StatusSucceeded)),
		marshal(t, at("run_4", run.StatusFailed), at("run_2", run.StatusSucceeded)),
	})
	require.NoError(t, err)
	require.Equal(t, []run.Record{root, at("run_9", run.StatusSucceeded), at("run_4", run.StatusFailed), at("run_2", run.StatusSucceeded)}, got)
}

// TestWhatADeadProcessLeftAtWorkEndedWithTheRun: of an interrupted run, what was at work
// ended when it did and for the same reason; what had ended stays. Of a run that goes on
// nothing has ended.
func TestWhatADeadProcessLeftAtWorkEndedWithTheRun(t *testing.T) {
	t.Parallel()
	running := run.Record{RunID: "run_2", Status: run.StatusRunning, StartedAt: began}
	done := run.Record{RunID: "run_3", Status: run.StatusSucceeded, StartedAt: began, EndedAt: began.Add(time.Second)}
	ended := running
	ended.Status, ended.EndedAt, ended.Error = run.StatusInterrupted, began.Add(time.Minute), "the process ended"
	for status, want := range map[run.Status]run.Record{run.StatusInterrupted: ended, run.StatusRunning: running, run.StatusFailed: running} {
		root := run.Record{RunID: "run_1", Status: status, EndedAt: began.Add(time.Minute), Error: "the process ended"}
		got, err := coding.Tree(root, []string{marshal(t, running, done)})
		require.NoError(t, err)
		require.Equal(t, []run.Record{root, want, done}, got, status)
	}
}

func TestStepsThatCannotBeReadAreAnError(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "{", `{"id": "run_2"}`} {
		got, err := coding.Tree(run.Record{RunID: "run_1"}, []string{marshal(t), raw})
		require.ErrorContains(t, err, "run records", raw)
		require.Nil(t, got)
	}
}
