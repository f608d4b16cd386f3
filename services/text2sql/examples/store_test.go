package examples

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/small"
)

func example(n int, status Status) Example {
	e := Example{ID: fmt.Sprintf("ex_%d", n), Source: "shop", Mart: "m", Question: "q", SQL: "SELECT 1", Tables: []string{"a.b.c"}, Status: status,
		Origin: Person, AddedBy: "alice", AddedAt: time.Unix(int64(n), 0).UTC(), RunID: "run_1"}
	if status == Approved {
		e.ApprovedBy, e.ApprovedAt = "carol", time.Unix(int64(n), 5).UTC()
	}
	return e
}

func TestReadingMakesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := NewStore(small.InFile(File(dir)), 5)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	list, err := s.AllApproved(t.Context(), "shop")
	require.NoError(t, err)
	require.Empty(t, list)
	_, err = os.Stat(filepath.Join(dir, "text2sql"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestStores holds what each kind of store promises.
func TestStores(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, place func(*testing.T) opener) {
		for name, test := range map[string]func(*testing.T, opener){
			"one tells the other": storesShare, "pages and bounds": storesPage, "proposals have a bound": storesBoundProposals,
			"texts of any kind": storesTexts, "the bound holds for several at once": storesAtOnce,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, place(t))
			})
		}
	})
}

func storesShare(t *testing.T, open opener) {
	ctx, s := t.Context(), open(5)
	list, err := s.AllApproved(ctx, "shop")
	require.NoError(t, err)
	require.Empty(t, list)

	one := example(1, Approved)
	require.NoError(t, s.Add(ctx, one, "k1"))
	require.Equal(t, ReasonExists, fault.ReasonOf(s.Add(ctx, example(2, Approved), "k1")))
	require.NoError(t, s.Add(ctx, example(3, Proposed), "k2"))
	require.NoError(t, s.Add(ctx, example(4, Proposed), "k2"), "the newest proposal stays")
	got, ok, err := s.Get(ctx, "ex_1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, one, got)
	_, ok, err = s.Get(ctx, "ex_3")
	require.NoError(t, err)
	require.False(t, ok)

	other := open(5) // another process
	before, err := other.Revision(ctx, "shop")
	require.NoError(t, err)
	require.NoError(t, s.Approve(ctx, example(4, Proposed), "carol", time.Unix(9, 0)))
	after, err := other.Revision(ctx, "shop")
	require.NoError(t, err)
	require.Greater(t, after, before)
	list, err = other.AllApproved(ctx, "shop")
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "carol", list[0].ApprovedBy)

	require.NoError(t, s.Add(ctx, example(5, Proposed), "k1"), "another SQL may be proposed")
	require.Equal(t, ReasonExists, fault.ReasonOf(s.Approve(ctx, example(5, Proposed), "carol", time.Unix(9, 0))))
	require.NoError(t, s.Remove(ctx, one))
	require.NoError(t, s.Approve(ctx, example(5, Proposed), "carol", time.Unix(9, 0)))
}

func storesPage(t *testing.T, open opener) {
	ctx, s := t.Context(), open(5)
	for n := range 5 {
		require.NoError(t, s.Add(ctx, example(n, Approved), fmt.Sprint(n)))
	}
	require.Equal(t, ReasonFull, fault.ReasonOf(s.Add(ctx, example(9, Approved), "9")))
	var ids []string
	token := ""
	for {
		list, next, err := s.List(ctx, "shop", Approved, store.Page{Size: 2, Token: token})
		require.NoError(t, err)
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		if next == "" {
			break
		}
		token = next
	}
	require.Equal(t, []string{"ex_4", "ex_3", "ex_2", "ex_1", "ex_0"}, ids)
	_, _, err := s.List(ctx, "other", "", store.Page{Size: 2, Token: token})
	require.Equal(t, store.ReasonPageToken, fault.ReasonOf(err))
}

func storesBoundProposals(t *testing.T, open opener) {
	s := open(1000)
	for n := range maxProposals {
		require.NoError(t, s.Add(t.Context(), example(n, Proposed), fmt.Sprint(n)))
	}
	require.Equal(t, ReasonFull, fault.ReasonOf(s.Add(t.Context(), example(900, Proposed), "900")))
	other := example(901, Proposed)
	other.AddedBy = "bob"
	require.NoError(t, s.Add(t.Context(), other, "900"))
}

// storesTexts: the longest question that the contract takes, and what PostgreSQL cannot hold.
func storesTexts(t *testing.T, open opener) {
	s := open(10)
	long := make([]byte, MaxQuestionBytes)
	draw := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test's own chance
	for i := range long {
		long[i] = byte('a' + draw.IntN(26))
	}
	e := example(1, Approved)
	e.Question = string(long)
	require.NoError(t, s.Add(t.Context(), e, e.Question))
	got, ok, err := open(10).Get(t.Context(), e.ID)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, e, got)
	twice := example(2, Approved)
	require.Equal(t, ReasonExists, fault.ReasonOf(s.Add(t.Context(), twice, e.Question)))
	require.NoError(t, s.Add(t.Context(), twice, e.Question[1:]+"b"))
	odd := example(3, Approved)
	odd.Question, odd.AddedBy = "what\x00 \xff 为什么", "al\x00ice"
	require.NoError(t, s.Add(t.Context(), odd, "odd\x00"))
	_, ok, err = s.Get(t.Context(), "ex_\x00")
	require.NoError(t, err)
	require.False(t, ok)
}

// storesAtOnce: of several processes that add at once no more come in than there is room for.
func storesAtOnce(t *testing.T, open opener) {
	const most, tries = 5, 16
	handles := []*Store{open(most), open(most)}
	errs := make([]error, tries)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = handles[i%2].Add(t.Context(), example(i, Approved), fmt.Sprint(i)) })
	}
	all.Wait()
	added := 0
	for _, err := range errs {
		if err == nil {
			added++
			continue
		}
		require.Equal(t, ReasonFull, fault.ReasonOf(err))
	}
	require.Equal(t, most, added)
}
