package memory_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/pkg/store/small/smalltest"
	"github.com/dibrain/dibrain/services/findata/memory"
)

func TestReadingMakesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := memory.New(memory.Config{MaxFeedback: 10}, small.InFile(memory.File(dir)), time.Now)
	entries, err := s.Recent(t.Context(), "ann", "demo", 10)
	require.NoError(t, err)
	require.Empty(t, entries)
	_, ok, err := s.Preferences(t.Context(), "ann", "demo")
	require.NoError(t, err)
	require.False(t, ok)
	require.NoDirExists(t, filepath.Join(dir, "findata"))
	require.NoError(t, s.Close())
}

// opener opens one more handle on the same tables, as another process would.
type opener func(memory.Config) *memory.Store

// overKinds runs a test over each kind of store; place makes one that is empty.
func overKinds(t *testing.T, test func(t *testing.T, place func(*testing.T) opener)) {
	smalltest.OverKinds(t, func(t *testing.T, place smalltest.Place) {
		test(t, func(t *testing.T) opener {
			open := place(t, memory.Tables)
			return func(c memory.Config) *memory.Store { return memory.New(c, open(), time.Now) }
		})
	})
}

// TestStores holds what each kind of store promises.
func TestStores(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, place func(*testing.T) opener) {
		for name, test := range map[string]func(*testing.T, opener){
			"feedback has a bound": storesBound, "preferences are another's too": storesSet, "what was shown is judged": storesJudge,
			"a mark changes with what is stored": storesMark, "what went wrong is reviewed": storesReview, "several write at once": storesAtOnce,
			"more than is read at once": storesReadOn,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, place(t))
			})
		}
	})
}

func storesBound(t *testing.T, open opener) {
	s := open(memory.Config{MaxFeedback: 3})
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

func storesSet(t *testing.T, open opener) {
	one, other := open(memory.Config{}), open(memory.Config{})
	_, ok, err := other.Preferences(t.Context(), "ann", "demo")
	require.NoError(t, err)
	require.False(t, ok)
	for _, want := range []memory.Preferences{{Marts: []string{"Order"}, Region: "SG"}, {Grain: "daily\x00"}} {
		require.NoError(t, one.SetPreferences(t.Context(), "ann", "demo", want))
		got, ok, err := other.Preferences(t.Context(), "ann", "demo")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
}

// storesMark: each change of somebody's own that one process makes another one sees by the mark.
func storesMark(t *testing.T, open opener) {
	one, other := open(memory.Config{MaxFeedback: 2}), open(memory.Config{})
	seen := map[string]bool{}
	look := func(person string) string {
		mark, err := other.Mark(t.Context(), person, "demo")
		require.NoError(t, err)
		return mark
	}
	none := look("bob")
	seen[look("ann")] = true
	for i, change := range []func() error{
		func() error { return one.SetPreferences(t.Context(), "ann", "demo", memory.Preferences{Region: "SG"}) },
		func() error { return one.SetPreferences(t.Context(), "ann", "demo", memory.Preferences{Region: "ID"}) },
		func() error { return one.Add(t.Context(), "ann", "demo", "q", []string{"a"}, memory.Accepted) },
		func() error { return one.Add(t.Context(), "ann", "demo", "q", []string{"a"}, memory.Accepted) },
		func() error { return one.Add(t.Context(), "ann", "demo", "q", []string{"b"}, memory.Rejected) },
	} {
		require.NoError(t, change())
		require.False(t, seen[look("ann")], "change %d", i)
		require.Equal(t, look("ann"), look("ann"))
		seen[look("ann")] = true
	}
	require.Equal(t, none, look("bob"), "what is of others changes nothing")
}

func storesReview(t *testing.T, open opener) {
	one, other := open(memory.Config{}), open(memory.Config{})
	long := strings.Repeat("为什么 \\x", 700) // longer than an index of PostgreSQL takes
	for _, q := range []string{"What", " what ", long, long, "other"} {
		require.NoError(t, one.AddReview(t.Context(), "demo", memory.Unsure, q, memory.Reading{Subjects: []string{q}}, 2))
	}
	list, err := other.Reviews(t.Context(), "demo", memory.Open, "", 10, 0)
	require.NoError(t, err)
	require.Len(t, list, 2, "the oldest is gone")
	require.Equal(t, long, list[0].Question)
	require.EqualValues(t, 2, list[0].Times)
	require.NoError(t, other.Resolve(t.Context(), "demo", list[0].ID, memory.Resolved, "term: why", "carol"))
	r, ok, err := one.Review(t.Context(), "demo", list[0].ID)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, memory.Resolved, r.Status)
	require.Equal(t, "carol", r.ResolvedBy)
	require.NoError(t, one.AddReview(t.Context(), "demo", memory.Unsure, long, memory.Reading{}, 2))
	list, err = other.Reviews(t.Context(), "demo", memory.Open, memory.Unsure, 1, 1)
	require.NoError(t, err)
	require.Len(t, list, 1, "it went wrong again: two are open")
	_, ok, err = one.Review(t.Context(), "shop", r.ID)
	require.NoError(t, err)
	require.False(t, ok, "it is of another source")
}

// storesAtOnce: what several processes write at once is there, once and within the bounds.
func storesAtOnce(t *testing.T, open opener) {
	const each, most = 12, 5
	handles := []*memory.Store{open(memory.Config{MaxFeedback: most, MaxShown: most}), open(memory.Config{MaxFeedback: most, MaxShown: most})}
	var all sync.WaitGroup
	errs := make(chan error, 8*each)
	for i := range 2 * each {
		s := handles[i%2]
		all.Go(func() {
			errs <- s.AddCame(t.Context(), "demo", memory.Came{Asked: 1, Clarified: 1})
			errs <- s.AddReview(t.Context(), "demo", memory.Declined, "one", memory.Reading{}, 10)
			errs <- s.Add(t.Context(), "ann", "demo", "q", []string{"a", "b"}, memory.Accepted)
			errs <- s.AddShown(t.Context(), "ann", "demo", memory.Answer{Question: "q", Names: []string{"f"}, Candidates: []memory.Candidate{{Table: "a", Features: []float32{1}}}})
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	came, err := handles[0].CameSince(t.Context(), "demo", "")
	require.NoError(t, err)
	require.Equal(t, memory.Came{Asked: 2 * each, Clarified: 2 * each}, came)
	list, err := handles[1].Reviews(t.Context(), "demo", "", "", 10, 0)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.EqualValues(t, 2*each, list[0].Times)
	entries, err := handles[0].Recent(t.Context(), "ann", "demo", 100)
	require.NoError(t, err)
	require.Len(t, entries, most)
	use, err := handles[1].Use(t.Context(), "ann", "demo")
	require.NoError(t, err)
	require.EqualValues(t, most, use.Shown)
}

// storesReadOn: answers that do not fit into one read are told each once, in order.
func storesReadOn(t *testing.T, open opener) {
	s := open(memory.Config{MaxFeedback: 1, MaxShown: 2000})
	const many = 101
	for i := range many {
		q := fmt.Sprint(i)
		require.NoError(t, s.AddShown(t.Context(), "ann", "demo", memory.Answer{Question: q, Names: []string{"f"}, Candidates: []memory.Candidate{{Table: "a", Features: []float32{1}}, {Table: "b", Features: []float32{2}}}}))
		require.NoError(t, s.Add(t.Context(), "ann", "demo", q, []string{"b"}, memory.Clicked))
	}
	next := 0
	require.NoError(t, s.EachJudged(t.Context(), "demo", func(a memory.Answer) error {
		require.Equal(t, fmt.Sprint(next), a.Question)
		require.Len(t, a.Candidates, 2)
		next++
		return nil
	}))
	require.Equal(t, many, next)
	full := errors.New("full")
	require.ErrorIs(t, s.EachJudged(t.Context(), "demo", func(memory.Answer) error { return full }), full)
}

func TestCorruptStoreSaysWhatToDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "findata"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "findata", "findata.db"), []byte("this is no database, and long enough to be read as one"), 0o600))
	s := memory.New(memory.Config{MaxFeedback: 3}, small.InFile(memory.File(dir)), time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	_, err := s.Recent(t.Context(), "ann", "demo", 10)
	require.Equal(t, "PREFERENCES_UNAVAILABLE", fault.ReasonOf(err))
	require.NotContains(t, err.Error(), "findata.db", "clients get no path of the server")
	require.Contains(t, fault.OperatorText(err), "findata.db")
}

func storesJudge(t *testing.T, open opener) {
	s := open(memory.Config{MaxFeedback: 10, MaxShown: 2})
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
