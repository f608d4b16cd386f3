package memory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store/small/smalltest"
	"github.com/dibrain/dibrain/services/findata/memory"
)

// kept is what the store has to know, as plain lists.
type kept struct {
	entries []owned[memory.Entry]
	answers []owned[memory.Answer]
	set     map[string]memory.Preferences
}

type owned[T any] struct {
	owner string // person and source
	of    T
}

func last[T any](all []owned[T], owner string, most int) []owned[T] {
	count := 0
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].owner == owner {
			if count++; count > most {
				all = slices.Delete(all, i, i+1)
			}
		}
	}
	return all
}

// TestAgainstLists holds the store to plain lists through calls drawn at random by two
// people in two sources: whose is whose, what is dropped, what a judgement changes, and
// what is counted.
func TestAgainstLists(t *testing.T) {
	t.Parallel()
	smalltest.OverKinds(t, againstLists)
}

func againstLists(t *testing.T, place smalltest.Place) {
	const mostFeedback, mostShown = 7, 3
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 9))
		now := time.UnixMilli(1_700_000_000_000)
		s := memory.New(memory.Config{MaxFeedback: mostFeedback, MaxShown: mostShown}, place(t, memory.Tables)(), func() time.Time { return now })
		model := kept{set: map[string]memory.Preferences{}}
		people, sources := []string{"ann", "bob"}, []string{"demo", "shop"}
		kinds := []memory.Kind{memory.Shown, memory.Clicked, memory.Accepted, memory.Rejected}
		for step := range 120 {
			now = now.Add(time.Second)
			person, source := people[random.IntN(2)], sources[random.IntN(2)]
			owner := person + "/" + source
			question := fmt.Sprint("q", random.IntN(2))
			table := func() string { return fmt.Sprint("r.s.T", random.IntN(3)) }
			what := fmt.Sprintf("seed %d, step %d", seed, step)
			switch random.IntN(4) {
			case 0:
				a := memory.Answer{Question: question, Names: []string{fmt.Sprint("f", random.IntN(2)), "g"}}
				for i := range random.IntN(3) { // none: nothing is kept
					a.Candidates = append(a.Candidates, memory.Candidate{Table: fmt.Sprint("r.s.T", i), Features: []float32{float32(step), -0.5}})
				}
				require.NoError(t, s.AddShown(t.Context(), person, source, a), what)
				if len(a.Candidates) > 0 {
					a.Candidates = slices.Clone(a.Candidates)
					for i := range a.Candidates {
						a.Candidates[i].Kind = memory.Shown
					}
					model.answers = last(append(model.answers, owned[memory.Answer]{owner, a}), owner, mostShown)
				}
			case 1:
				p := memory.Preferences{Marts: []string{fmt.Sprint("m", step)}, Region: "SG"}
				require.NoError(t, s.SetPreferences(t.Context(), person, source, p), what)
				model.set[owner] = p
			default:
				kind, tables := kinds[random.IntN(4)], []string{table(), table()}
				require.NoError(t, s.Add(t.Context(), person, source, question, tables, kind), what)
				for _, name := range tables {
					model.entries = append(model.entries, owned[memory.Entry]{owner, memory.Entry{Question: question, Table: name, Kind: kind, At: now}})
					model.judge(owner, question, name, kind)
				}
				model.entries = last(model.entries, owner, mostFeedback)
			}
			model.check(t, s, people, sources, what)
		}
	}
}

// judge is what somebody did with a table in what they were shown for a question. A click
// takes no judgement back.
func (k *kept) judge(owner, question, table string, kind memory.Kind) {
	for _, a := range k.answers {
		if a.owner != owner || a.of.Question != question || kind == memory.Shown {
			continue
		}
		for i, c := range a.of.Candidates {
			if strings.EqualFold(c.Table, table) && (kind != memory.Clicked || c.Kind == memory.Shown) {
				a.of.Candidates[i].Kind = kind
			}
		}
	}
}

func (k *kept) check(t *testing.T, s *memory.Store, people, sources []string, what string) {
	t.Helper()
	for _, source := range sources {
		var judged []memory.Answer
		require.NoError(t, s.EachJudged(t.Context(), source, func(a memory.Answer) error { judged = append(judged, a); return nil }))
		var want []memory.Answer
		for _, a := range k.answers {
			if strings.HasSuffix(a.owner, "/"+source) && slices.ContainsFunc(a.of.Candidates, func(c memory.Candidate) bool { return c.Kind != memory.Shown }) {
				want = append(want, a.of)
			}
		}
		require.Equal(t, want, judged, what)
		for _, person := range append([]string{""}, people...) {
			use, err := s.Use(t.Context(), person, source)
			require.NoError(t, err)
			require.Equal(t, k.use(person, source), use, "%s: %q in %s", what, person, source)
		}
		for _, person := range people {
			owner := person + "/" + source
			got, ok, err := s.Preferences(t.Context(), person, source)
			require.NoError(t, err)
			_, isSet := k.set[owner]
			require.Equal(t, isSet, ok, what)
			require.Equal(t, k.set[owner], got, what)
			var entries []memory.Entry
			for _, e := range slices.Backward(k.entries) {
				if e.owner == owner && len(entries) < 5 {
					entries = append(entries, e.of)
				}
			}
			recent, err := s.Recent(t.Context(), person, source, 5)
			require.NoError(t, err)
			require.Equal(t, entries, recent, what)
		}
	}
}

func (k *kept) use(person, source string) (f memory.Figures) {
	is := func(owner string) bool {
		return owner == person+"/"+source || person == "" && strings.HasSuffix(owner, "/"+source)
	}
	for _, a := range k.answers {
		if is(a.owner) {
			f.Shown++
			if slices.ContainsFunc(a.of.Candidates, func(c memory.Candidate) bool { return c.Kind == memory.Clicked || c.Kind == memory.Accepted }) {
				f.Clicked++
			}
		}
	}
	for _, e := range k.entries {
		if is(e.owner) && e.of.Kind == memory.Accepted {
			f.Accepted++
		}
		if is(e.owner) && e.of.Kind == memory.Rejected {
			f.Rejected++
		}
	}
	return f
}
