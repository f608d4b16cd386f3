package memory_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/services/findata/memory"
)

func TestReadingMakesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := memory.New(memory.Config{MaxFeedback: 10}, dir, time.Now)
	entries, err := s.Recent(t.Context(), "ann", "demo", 10)
	require.NoError(t, err)
	require.Empty(t, entries)
	_, ok, err := s.Preferences(t.Context(), "ann", "demo")
	require.NoError(t, err)
	require.False(t, ok)
	require.NoDirExists(t, filepath.Join(dir, "findata"))
	require.NoError(t, s.Close())
}

func TestFeedbackIsBoundedByPerson(t *testing.T) {
	t.Parallel()
	s := memory.New(memory.Config{MaxFeedback: 3}, t.TempDir(), time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	for _, table := range []string{"a", "b", "c", "d", "e"} {
		require.NoError(t, s.Add(t.Context(), "ann", "demo", "q", []string{table}, memory.Accepted))
	}
	require.NoError(t, s.Add(t.Context(), "bob", "demo", "q", []string{"z"}, memory.Shown))
	entries, err := s.Recent(t.Context(), "ann", "demo", 10)
	require.NoError(t, err)
	var tables []string
	for _, e := range entries {
		tables = append(tables, e.Table)
	}
	require.Equal(t, []string{"e", "d", "c"}, tables, "the latest, newest first")
}

func TestPreferencesSurvive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := memory.Preferences{Marts: []string{"Order"}, Region: "SG"}
	s := memory.New(memory.Config{MaxFeedback: 3}, dir, time.Now)
	require.NoError(t, s.SetPreferences(t.Context(), "ann", "demo", want))
	require.NoError(t, s.Close())
	s = memory.New(memory.Config{MaxFeedback: 3}, dir, time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	got, ok, err := s.Preferences(t.Context(), "ann", "demo")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, got)
}

func TestCorruptStoreSaysWhatToDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "findata"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "findata", "findata.db"), []byte("this is no database, and long enough to be read as one"), 0o600))
	s := memory.New(memory.Config{MaxFeedback: 3}, dir, time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	_, err := s.Recent(t.Context(), "ann", "demo", 10)
	require.Equal(t, "PREFERENCES_UNAVAILABLE", fault.ReasonOf(err))
	require.NotContains(t, err.Error(), "findata.db", "clients get no path of the server")
	require.Contains(t, fault.OperatorText(err), "findata.db")
}

func TestShownIsJudgedCountedAndBounded(t *testing.T) {
	t.Parallel()
	s := memory.New(memory.Config{MaxFeedback: 10, MaxShown: 2}, t.TempDir(), time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	answer := func(question string) memory.Answer {
		return memory.Answer{Question: question, Names: []string{"f", "g"}, Candidates: []memory.Candidate{
			{Table: "r.s.One", Features: []float32{1, 0.5}}, {Table: "r.s.two", Features: []float32{0, 0.25}},
		}}
	}
	for _, q := range []string{"old", "first", "second"} {
		require.NoError(t, s.AddShown(t.Context(), "ann", "demo", answer(q)))
	}
	require.NoError(t, s.AddShown(t.Context(), "bob", "demo", answer("first")))
	require.NoError(t, s.Add(t.Context(), "ann", "demo", "first", []string{"r.s.one"}, memory.Accepted))
	require.NoError(t, s.Add(t.Context(), "ann", "demo", "first", []string{"r.s.one"}, memory.Clicked))
	require.NoError(t, s.Add(t.Context(), "ann", "demo", "first", []string{"r.s.two"}, memory.Rejected))
	require.NoError(t, s.Add(t.Context(), "ann", "demo", "old", []string{"r.s.two"}, memory.Accepted))

	var judged []memory.Answer
	require.NoError(t, s.EachJudged(t.Context(), "demo", func(a memory.Answer) error { judged = append(judged, a); return nil }))
	want := answer("first")
	want.Candidates[0].Kind, want.Candidates[1].Kind = memory.Accepted, memory.Rejected
	require.Equal(t, []memory.Answer{want}, judged, "the oldest is gone, other people's and unjudged ones are not told")

	mine, err := s.Use(t.Context(), "ann", "demo")
	require.NoError(t, err)
	require.Equal(t, memory.Figures{Shown: 2, Clicked: 1, Accepted: 2, Rejected: 1}, mine)
	require.InDelta(t, 0.5, mine.ClickRate(), 1e-9)
	require.InDelta(t, 2.0/3, mine.AcceptanceRate(), 1e-9)
	all, err := s.Use(t.Context(), "", "demo")
	require.NoError(t, err)
	require.EqualValues(t, 3, all.Shown)
}
