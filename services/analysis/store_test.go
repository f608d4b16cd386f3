package analysis_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/analysis/watch"
)

// opener opens one more handle on the same analyses, as another process would.
type opener func() analysis.Store

// overKinds runs a test over each kind of store; place makes one that is empty.
func overKinds(t *testing.T, test func(t *testing.T, place func(testing.TB) opener)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, sqlitePlace)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		postgrestest.Server(t)
		test(t, postgresPlace)
	})
}

func sqlitePlace(t testing.TB) opener {
	dir := t.TempDir()
	return func() analysis.Store { return analysis.OpenSQLite(dir) }
}

func postgresPlace(t testing.TB) opener {
	t.Helper()
	dsn := postgrestest.DSN(t)
	return func() analysis.Store {
		s, err := analysis.OpenPostgres(t.Context(), postgres.Config{DSN: func() (string, error) { return dsn, nil }, MaxConnections: 3})
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 123456789, time.UTC)

func record(id, owner string, status run.Status) analysis.Record {
	return analysis.Record{
		ID: id, Owner: owner, Title: "why? " + id, Status: status, Revision: 1, Runner: "proc_1",
		LeaseUntil: noon.Add(time.Minute), Created: noon, Updated: noon.Add(time.Second), State: []byte(`{"a": 1}`),
	}
}

// TestStores holds what each kind of store promises.
func TestStores(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, place func(testing.TB) opener) {
		for name, test := range map[string]func(*testing.T, analysis.Store, opener){
			"what is created is read": storesReads, "a revision is saved once": storesSaves, "a lease is its runner's": storesLeases,
			"lists are in order": storesLists, "no more than the bound": storesBounds, "the bound holds for several at once": storesBoundsAtOnce,
			"watches are read and saved": storesWatches, "due ones are found": storesDue, "watches have a bound": storesWatchesBound,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				open := place(t)
				s := open()
				t.Cleanup(func() { require.NoError(t, s.Close()) })
				test(t, s, open)
			})
		}
	})
}

func storesReads(t *testing.T, s analysis.Store, open opener) {
	_, err := s.Get(t.Context(), "ann", "ana_1")
	require.ErrorIs(t, err, analysis.ErrUnknown)
	want := record("ana_1", "ann", run.StatusRunning)
	require.NoError(t, s.Create(t.Context(), want, 10))
	for _, handle := range []analysis.Store{s, open()} {
		got, err := handle.Get(t.Context(), "ann", "ana_1")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err = s.Get(t.Context(), "bob", "ana_1")
	require.ErrorIs(t, err, analysis.ErrUnknown, "another's is unknown")
	require.Error(t, s.Create(t.Context(), want, 10), "an id is there once")

	idle := record("ana_2", "ann", run.StatusWaiting)
	idle.Runner, idle.LeaseUntil, idle.Title = "", time.Time{}, "a\x00b 为什么"
	require.NoError(t, s.Create(t.Context(), idle, 10))
	got, err := s.Get(t.Context(), "ann", "ana_2")
	require.NoError(t, err)
	require.True(t, got.LeaseUntil.IsZero())
	require.Contains(t, got.Title, "为什么")
}

// storesSaves: of several that read the same revision one wins.
func storesSaves(t *testing.T, s analysis.Store, open opener) {
	r := record("ana_1", "ann", run.StatusRunning)
	_, err := s.Save(t.Context(), r)
	require.ErrorIs(t, err, analysis.ErrChanged, "there is nothing to save")
	require.NoError(t, s.Create(t.Context(), r, 10))
	handles := []analysis.Store{s, open()}
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			mine := r
			mine.State = fmt.Append(nil, i)
			_, errs[i] = handles[i%2].Save(t.Context(), mine)
		})
	}
	all.Wait()
	won := -1
	for i, err := range errs {
		if err == nil {
			require.Equal(t, -1, won, "two have won")
			won = i
			continue
		}
		require.ErrorIs(t, err, analysis.ErrChanged)
	}
	got, err := s.Get(t.Context(), "ann", "ana_1")
	require.NoError(t, err)
	require.EqualValues(t, 2, got.Revision)
	require.Equal(t, fmt.Append(nil, won), got.State)

	got.Status, got.Runner, got.Updated = run.StatusSucceeded, "", noon.Add(time.Hour)
	next, err := s.Save(t.Context(), got)
	require.NoError(t, err)
	got.Revision = next
	again, err := s.Get(t.Context(), "ann", "ana_1")
	require.NoError(t, err)
	require.Equal(t, got, again)
	revision, err := s.Revision(t.Context(), "ann", got.ID)
	require.NoError(t, err)
	require.Equal(t, got.Revision, revision)
	_, err = s.Revision(t.Context(), "bob", got.ID)
	require.ErrorIs(t, err, analysis.ErrUnknown, "it is not bob's")
	_, err = s.Revision(t.Context(), "ann", "ana_none")
	require.ErrorIs(t, err, analysis.ErrUnknown)
	got.Owner = "bob"
	_, err = s.Save(t.Context(), got)
	require.ErrorIs(t, err, analysis.ErrChanged, "it is not bob's")
}

func storesLeases(t *testing.T, s analysis.Store, _ opener) {
	require.NoError(t, s.Create(t.Context(), record("ana_1", "ann", run.StatusRunning), 10))
	require.NoError(t, s.Create(t.Context(), record("ana_2", "ann", run.StatusWaiting), 10))
	until := noon.Add(time.Hour)
	require.NoError(t, s.Extend(t.Context(), "ana_1", "proc_1", until))
	got, err := s.Get(t.Context(), "ann", "ana_1")
	require.NoError(t, err)
	require.Equal(t, until, got.LeaseUntil)
	require.EqualValues(t, 1, got.Revision, "the state is the same")
	require.ErrorIs(t, s.Extend(t.Context(), "ana_1", "proc_2", until), analysis.ErrChanged)
	require.ErrorIs(t, s.Extend(t.Context(), "ana_2", "proc_1", until), analysis.ErrChanged, "nobody is at work")
	require.ErrorIs(t, s.Extend(t.Context(), "ana_3", "proc_1", until), analysis.ErrChanged)
}

func storesLists(t *testing.T, s analysis.Store, _ opener) {
	found, err := s.List(t.Context(), "ann", store.Cursor{}, 10)
	require.NoError(t, err)
	require.Empty(t, found)
	for i, id := range []string{"ana_c", "ana_a", "ana_B", "ana_d"} {
		r := record(id, "ann", run.StatusSucceeded)
		r.Created = noon.Add(time.Duration(i/3) * time.Minute) // the first three in one moment
		require.NoError(t, s.Create(t.Context(), r, 10))
	}
	require.NoError(t, s.Create(t.Context(), record("ana_0", "bob", run.StatusSucceeded), 10))
	var ids []string
	after := store.Cursor{}
	for {
		found, err := s.List(t.Context(), "ann", after, 1)
		require.NoError(t, err)
		if len(found) == 0 {
			break
		}
		require.Len(t, found, 1)
		require.Nil(t, found[0].State)
		require.Equal(t, "why? "+found[0].ID, found[0].Title)
		ids = append(ids, found[0].ID)
		after = store.Cursor{At: store.Nanos(found[0].Created), ID: found[0].ID}
	}
	require.Equal(t, []string{"ana_d", "ana_B", "ana_a", "ana_c"}, ids)
}

// storesBounds: ended analyses make room, oldest first; those that have not ended stay.
func storesBounds(t *testing.T, s analysis.Store, _ opener) {
	const most = 3
	create := func(id, owner string, status run.Status, minute int) error {
		r := record(id, owner, status)
		r.Created = noon.Add(time.Duration(minute) * time.Minute)
		return s.Create(t.Context(), r, most)
	}
	require.NoError(t, create("ana_1", "ann", run.StatusWaiting, 1))
	require.NoError(t, create("ana_2", "ann", run.StatusSucceeded, 2))
	require.NoError(t, create("ana_3", "ann", run.StatusFailed, 3))
	require.NoError(t, create("ana_4", "ann", run.StatusRunning, 4))
	ids := func(owner string) (out []string) {
		found, err := s.List(t.Context(), owner, store.Cursor{}, 10)
		require.NoError(t, err)
		for _, r := range found {
			out = append(out, r.ID)
		}
		return out
	}
	require.Equal(t, []string{"ana_4", "ana_3", "ana_1"}, ids("ann"))
	require.NoError(t, create("ana_5", "ann", run.StatusRunning, 5))
	require.ErrorIs(t, create("ana_6", "ann", run.StatusRunning, 6), analysis.ErrFull)
	require.Equal(t, []string{"ana_5", "ana_4", "ana_1"}, ids("ann"), "nothing that has not ended is removed")
	require.NoError(t, create("ana_7", "bob", run.StatusRunning, 7), "another's do not count")
}

func storesBoundsAtOnce(t *testing.T, s analysis.Store, open opener) {
	const most = 4
	require.NoError(t, s.Create(t.Context(), record("ana_first", "ann", run.StatusRunning), most))
	handles := []analysis.Store{s, open()}
	errs := make([]error, 12)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			errs[i] = handles[i%2].Create(t.Context(), record(fmt.Sprint("ana_", i), "ann", run.StatusRunning), most)
		})
	}
	all.Wait()
	created := 1
	for _, err := range errs {
		if err == nil {
			created++
			continue
		}
		require.ErrorIs(t, err, analysis.ErrFull)
	}
	require.Equal(t, most, created)
}

func watchRecord(id, owner, name string, due time.Time) watch.Record {
	return watch.Record{
		ID: id, Owner: owner, Name: name, Status: watch.Active, Revision: 1, Due: due, Created: noon, Updated: noon, State: []byte(`{"a": 1}`),
	}
}

// storesWatches: of several that read the same revision one wins, and nobody has another's.
func storesWatches(t *testing.T, s analysis.Store, open opener) {
	_, err := s.GetWatch(t.Context(), "ann", "watch_1")
	require.ErrorIs(t, err, watch.ErrUnknown)
	_, err = s.SaveWatch(t.Context(), watchRecord("watch_1", "ann", "gmv", noon))
	require.ErrorIs(t, err, watch.ErrChanged)
	require.ErrorIs(t, s.DeleteWatch(t.Context(), "ann", "watch_1"), watch.ErrUnknown)
	want := watchRecord("watch_1", "ann", "周报", noon)
	require.NoError(t, s.CreateWatch(t.Context(), want, 10))
	for _, by := range []string{"watch_1", "周报"} {
		got, err := open().GetWatch(t.Context(), "ann", by)
		require.NoError(t, err)
		require.Equal(t, want, got)
		_, err = s.GetWatch(t.Context(), "bob", by)
		require.ErrorIs(t, err, watch.ErrUnknown)
	}
	handles := []analysis.Store{s, open()}
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			mine := want
			mine.Runner, mine.LeaseUntil = fmt.Sprint("proc_", i), noon.Add(time.Minute)
			_, errs[i] = handles[i%2].SaveWatch(t.Context(), mine)
		})
	}
	all.Wait()
	won := ""
	for i, err := range errs {
		if err == nil {
			require.Empty(t, won, "two have won")
			won = fmt.Sprint("proc_", i)
			continue
		}
		require.ErrorIs(t, err, watch.ErrChanged)
	}
	got, err := s.GetWatch(t.Context(), "ann", "watch_1")
	require.NoError(t, err)
	require.Equal(t, won, got.Runner)
	require.EqualValues(t, 2, got.Revision)
	require.NoError(t, s.ExtendWatch(t.Context(), "watch_1", won, noon.Add(time.Hour)))
	require.ErrorIs(t, s.ExtendWatch(t.Context(), "watch_1", "proc_other", noon.Add(time.Hour)), watch.ErrChanged)
	got, err = s.GetWatch(t.Context(), "ann", "watch_1")
	require.NoError(t, err)
	require.Equal(t, noon.Add(time.Hour), got.LeaseUntil)
	require.EqualValues(t, 2, got.Revision)
	got.Owner = "bob"
	_, err = s.SaveWatch(t.Context(), got)
	require.ErrorIs(t, err, watch.ErrChanged, "it is not bob's")
	require.ErrorIs(t, s.DeleteWatch(t.Context(), "bob", "watch_1"), watch.ErrUnknown)
	require.NoError(t, s.DeleteWatch(t.Context(), "ann", "watch_1"))
	_, err = s.GetWatch(t.Context(), "ann", "watch_1")
	require.ErrorIs(t, err, watch.ErrUnknown)
}

// storesDue: active ones whose time has come and that no living process has, the longest due
// first.
func storesDue(t *testing.T, s analysis.Store, _ opener) {
	found, err := s.DueWatches(t.Context(), noon, 10)
	require.NoError(t, err)
	require.Empty(t, found)
	for i, change := range []func(*watch.Record){
		func(r *watch.Record) { r.Due = noon },
		func(r *watch.Record) { r.Due = noon.Add(-time.Hour) },
		func(r *watch.Record) { r.Due = noon.Add(time.Nanosecond) },
		func(r *watch.Record) { r.Due = time.Time{} },
		func(r *watch.Record) { r.Status = watch.Paused },
		func(r *watch.Record) { r.Status = watch.Stopped },
		func(r *watch.Record) { r.Runner, r.LeaseUntil = "proc_1", noon },
		func(r *watch.Record) { r.Runner, r.LeaseUntil, r.Due = "proc_1", noon.Add(-1), noon.Add(-time.Minute) },
	} {
		r := watchRecord(fmt.Sprint("watch_", i), fmt.Sprint("owner", i%2), fmt.Sprint("w", i), noon)
		change(&r)
		require.NoError(t, s.CreateWatch(t.Context(), r, 10))
	}
	ids := func(limit int) (out []string) {
		found, err := s.DueWatches(t.Context(), noon, limit)
		require.NoError(t, err)
		for _, r := range found {
			out = append(out, r.ID)
		}
		return out
	}
	require.Equal(t, []string{"watch_1", "watch_7", "watch_0"}, ids(10))
	require.Equal(t, []string{"watch_1", "watch_7"}, ids(2))
}

func storesWatchesBound(t *testing.T, s analysis.Store, open opener) {
	const most = 3
	require.NoError(t, s.CreateWatch(t.Context(), watchRecord("watch_b", "ann", "b", noon), most))
	require.ErrorIs(t, s.CreateWatch(t.Context(), watchRecord("watch_c", "ann", "b", noon), most), watch.ErrExists)
	require.NoError(t, s.CreateWatch(t.Context(), watchRecord("watch_x", "bob", "b", noon), most), "names are their owner's")
	handles := []analysis.Store{s, open()}
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			errs[i] = handles[i%2].CreateWatch(t.Context(), watchRecord(fmt.Sprint("watch_", i), "ann", fmt.Sprint("a", i), noon), most)
		})
	}
	all.Wait()
	created := 1
	for _, err := range errs {
		if err == nil {
			created++
			continue
		}
		require.ErrorIs(t, err, watch.ErrFull)
	}
	require.Equal(t, most, created)
	found, err := s.ListWatches(t.Context(), "ann")
	require.NoError(t, err)
	require.Len(t, found, most)
	require.Equal(t, "b", found[2].Name)
}
