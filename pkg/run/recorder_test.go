package run_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
)

// TestRecordsAreBoundedAndWhole: however large records are and in which order they
// come, those that are kept fit the bound, have their parents before them, and are
// counted with those that are not.
func TestRecordsAreBoundedAndWhole(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		most := 200 + random.IntN(2000)
		r := run.NewRecorder(most)
		given := 1 + random.IntN(20)
		all := map[string]run.Record{}
		for i := range given {
			rec := run.Record{RunID: fmt.Sprint("run_", i), Name: strings.Repeat("n", random.IntN(150)), Status: run.StatusSucceeded,
				Attributes: map[string]string{"key": strings.Repeat("v", random.IntN(100))}}
			if i > 0 {
				rec.ParentRunID = fmt.Sprint("run_", random.IntN(i))
			}
			all[rec.RunID] = rec
			r.Add(rec)
		}
		kept, dropped := r.Records()
		require.Equal(t, given, len(kept)+dropped)
		seen, size := map[string]bool{}, 0
		for _, rec := range kept {
			require.Equal(t, all[rec.RunID], rec)
			require.True(t, rec.ParentRunID == "" || seen[rec.ParentRunID], "a child without its parent")
			seen[rec.RunID] = true
			size += 48 + len(rec.RunID) + len(rec.ParentRunID) + len(rec.Name) + len("key") + len(rec.Attributes["key"]) + 6
		}
		require.LessOrEqual(t, size, most)
		if dropped > 0 && len(kept) < given { // the first that is missing did not fit
			first := all[fmt.Sprint("run_", len(kept))]
			need := 48 + len(first.RunID) + len(first.ParentRunID) + len(first.Name) + 3 + len(first.Attributes["key"]) + 6
			require.Greater(t, size+need, most, "nothing is left out that fits")
		}
	}
}

// TestRecordsAreCopies: neither who gives a record nor who reads one changes it later.
func TestRecordsAreCopies(t *testing.T) {
	t.Parallel()
	attributes := map[string]string{"rows": "1"}
	r := run.NewRecorder(0)
	r.Add(run.Record{RunID: "run_1", Attributes: attributes})
	attributes["rows"] = "2"
	first, _ := r.Records()
	require.Equal(t, "1", first[0].Attributes["rows"])
	first[0].Attributes["rows"] = "3"
	again, _ := r.Records()
	require.Equal(t, "1", again[0].Attributes["rows"])
	var nobody *run.Recorder
	nobody.Add(run.Record{RunID: "run_1"})
	none, dropped := nobody.Records()
	require.Empty(t, none)
	require.Zero(t, dropped)
}

// TestFromOutside: the run that a caller from outside names is a fact about the own run.
func TestFromOutside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, want run.Context }{
		{run.Context{}, run.Context{}},
		{run.Context{RunID: "a", ParentRunID: "b", RootRunID: "c", SessionID: "s", ToolCallID: "t", TimeZone: "Asia/Singapore"}, run.Context{CallerRunID: "a", TimeZone: "Asia/Singapore"}},
		{run.Context{ParentRunID: "b"}, run.Context{CallerRunID: "b"}},
	} {
		got, err := c.from.FromOutside()
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}
