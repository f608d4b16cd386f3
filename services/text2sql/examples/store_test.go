package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
)

func example(n int, status Status) Example {
	e := Example{ID: fmt.Sprintf("ex_%d", n), Source: "shop", Mart: "m", Question: "q", SQL: "SELECT 1", Tables: []string{"a.b.c"}, Status: status,
		Origin: Person, AddedBy: "alice", AddedAt: time.Unix(int64(n), 0).UTC(), RunID: "run_1"}
	if status == Approved {
		e.ApprovedBy, e.ApprovedAt = "carol", time.Unix(int64(n), 5).UTC()
	}
	return e
}

func TestStore(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	s := NewStore(dir, 5)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	list, err := s.AllApproved(ctx, "shop")
	require.NoError(t, err)
	require.Empty(t, list)
	_, err = os.Stat(filepath.Join(dir, "text2sql"))
	require.ErrorIs(t, err, os.ErrNotExist, "reading makes no file")

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

	other := NewStore(dir, 5) // another process
	t.Cleanup(func() { require.NoError(t, other.Close()) })
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

func TestStoreIsPagedAndBounded(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := NewStore(t.TempDir(), 5)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
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

func TestProposalsOfOnePersonAreBounded(t *testing.T) {
	t.Parallel()
	s := NewStore(t.TempDir(), 1000)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for n := range maxProposals {
		require.NoError(t, s.Add(t.Context(), example(n, Proposed), fmt.Sprint(n)))
	}
	require.Equal(t, ReasonFull, fault.ReasonOf(s.Add(t.Context(), example(900, Proposed), "900")))
	other := example(901, Proposed)
	other.AddedBy = "bob"
	require.NoError(t, s.Add(t.Context(), other, "900"))
}
