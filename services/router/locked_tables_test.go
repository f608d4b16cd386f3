package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// TestLockedTablesAreNotSelected: tables that the asker may not read are not taken along to the next turn.
func TestLockedTablesAreNotSelected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		r := tablesResult()
		r.RelatedTables = append(r.GetRelatedTables(), &findatav1.TableCandidate{Locked: true, Table: &commonv1.TableDetail{Ref: &commonv1.TableRef{IdcRegion: "sg", Schema: "shop", Table: "payroll"}}})
		return r, nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "which tables hold the orders?"})
	w.ask(t, &routerv1.Turn{Question: "who owns them?", SessionId: a.GetSessionId()})
	q := w.team.call(1).request.(*findatav1.DiscoverQuery)
	require.Equal(t, []string{"sg.shop.orders"}, q.GetSelectedTables())
}
