package examples

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
)

// keyed is an example of the model, with the key of its question.
type keyed struct {
	Example
	key string
}

// model is what a store of examples has to do, written out.
type model struct {
	all  map[string]keyed // by id
	most int
}

func (m *model) some(of func(keyed) bool) []keyed {
	return slices.DeleteFunc(slices.Collect(maps.Values(m.all)), func(e keyed) bool { return !of(e) })
}

func (m *model) approvedKey(source, key string) bool {
	return len(m.some(func(e keyed) bool { return e.Source == source && e.key == key && e.Status == Approved })) > 0
}

func (m *model) add(e keyed) string {
	if len(m.some(func(o keyed) bool { return o.Source == e.Source })) >= m.most {
		return ReasonFull
	}
	if e.Status == Approved && m.approvedKey(e.Source, e.key) {
		return ReasonExists
	}
	if e.Status == Proposed { // of one person's proposals for one question the newest stays
		maps.DeleteFunc(m.all, func(_ string, o keyed) bool {
			return o.Source == e.Source && o.key == e.key && o.AddedBy == e.AddedBy && o.Status == Proposed
		})
	}
	m.all[e.ID] = e
	return ""
}

// list is what is kept of a source, newest first.
func (m *model) list(source string, status Status) []Example {
	var out []Example
	for _, e := range m.some(func(e keyed) bool { return e.Source == source && (status == "" || e.Status == status) }) {
		out = append(out, e.Example)
	}
	slices.SortFunc(out, func(a, b Example) int { return cmp.Or(b.AddedAt.Compare(a.AddedAt), cmp.Compare(b.ID, a.ID)) })
	return out
}

// TestStoreAgainstAModel: whatever people add, approve and remove in whatever order, each
// list is that of the model, page by page and at once, nobody's examples go with another's,
// and whoever reads in another process is told of each change of what answers.
func TestStoreAgainstAModel(t *testing.T) {
	t.Parallel()
	overKinds(t, againstAModel)
}

func againstAModel(t *testing.T, place func(*testing.T) opener) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			draw := rand.New(rand.NewPCG(seed, 77)) //nolint:gosec // a test's own chance
			pick := func(of ...string) string { return of[draw.IntN(len(of))] }
			open := place(t)
			s, other := open(9), open(9)
			m := &model{all: map[string]keyed{}, most: 9}
			sources := []string{"shop", "lake"}
			approvedOf := func() map[string][]Example {
				return map[string][]Example{"shop": m.list("shop", Approved), "lake": m.list("lake", Approved)}
			}
			for n := range 120 {
				before, revisions := approvedOf(), map[string]int64{}
				for _, source := range sources {
					r, err := other.Revision(t.Context(), source)
					require.NoError(t, err)
					revisions[source] = r
				}
				ids := slices.Sorted(maps.Keys(m.all))
				switch do := draw.IntN(5); {
				case do < 3 || len(ids) == 0:
					e := keyed{example(n, Proposed), pick("k1", "k2", "k3", "k4")}
					e.Source, e.AddedBy, e.AddedAt = pick(sources...), pick("alice", "bob"), time.Unix(int64(1+n/3), 0).UTC() // some at one moment
					if draw.IntN(2) == 0 {
						e.Status, e.ApprovedBy, e.ApprovedAt = Approved, "carol", time.Unix(int64(n), 5).UTC()
					}
					require.Equal(t, m.add(e), fault.ReasonOf(s.Add(t.Context(), e.Example, e.key)))
				case do == 3:
					e := m.all[pick(ids...)]
					at := time.Unix(int64(1000+n), 0).UTC()
					want := ""
					if e.Status == Proposed && m.approvedKey(e.Source, e.key) {
						want = ReasonExists
					}
					require.Equal(t, want, fault.ReasonOf(s.Approve(t.Context(), e.Example, "dora", at)))
					if want == "" && e.Status == Proposed {
						e.Status, e.ApprovedBy, e.ApprovedAt = Approved, "dora", at
						m.all[e.ID] = e
					}
				default:
					id := pick(ids...)
					require.NoError(t, s.Remove(t.Context(), m.all[id].Example))
					delete(m.all, id)
				}
				after := approvedOf()
				for _, source := range sources {
					now, err := other.Revision(t.Context(), source)
					require.NoError(t, err)
					require.GreaterOrEqual(t, now, revisions[source])
					if fmt.Sprint(before[source]) != fmt.Sprint(after[source]) {
						require.Greater(t, now, revisions[source], "what answers has changed")
					}
					approved, err := other.AllApproved(t.Context(), source)
					require.NoError(t, err)
					require.Equal(t, after[source], approved)
				}
				status, source, size := Status(pick("", string(Approved), string(Proposed))), pick(sources...), 1+draw.IntN(4)
				require.Equal(t, m.list(source, status), pages(t, s, source, status, size))
				id := fmt.Sprintf("ex_%d", draw.IntN(n+1))
				got, ok, err := s.Get(t.Context(), id)
				require.NoError(t, err)
				want, is := m.all[id]
				require.Equal(t, is, ok)
				require.Equal(t, want.Example, got)
			}
		})
	}
}

// pages reads a list page by page: none is longer than was asked for, and only the last
// may be shorter.
func pages(t *testing.T, s *Store, source string, status Status, size int) []Example {
	t.Helper()
	var all []Example
	for token := ""; ; {
		list, next, err := s.List(t.Context(), source, status, store.Page{Size: size, Token: token})
		require.NoError(t, err)
		all = append(all, list...)
		if next == "" {
			require.LessOrEqual(t, len(list), size)
			return all
		}
		require.Len(t, list, size)
		token = next
		rest, _, err := s.List(t.Context(), source, status, store.Page{Size: 1, Token: token})
		require.NoError(t, err)
		require.Len(t, rest, 1, "a token is given where there is more")
	}
}
