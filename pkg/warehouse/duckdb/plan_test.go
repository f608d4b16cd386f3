package duckdb

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault/faulttest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// TestPlansOfAnotherForm: what is no plan is an error, and the child is free again.
func TestPlansOfAnotherForm(t *testing.T) {
	t.Parallel()
	two := []byte(`{"Names":["kind","plan"],"Types":["varchar","varchar"]}`)
	for name, tc := range map[string]struct {
		columns []byte
		values  []any
		plan    string
		says    string
	}{
		"a plan":       {two, []any{"physical_plan", "[]"}, "[]", ""},
		"no text":      {two, []any{"physical_plan", int64(1)}, "", "has another form"},
		"one column":   {[]byte(`{"Names":["plan"],"Types":["varchar"]}`), []any{"[]"}, "", "has another form"},
		"no rows":      {two, nil, "", "EOF"},
		"a broken row": {two, []any{struct{}{}}, "", "cannot be read"},
	} {
		synctest.Test(t, func(t *testing.T) {
			rows := 0
			if tc.values != nil {
				rows = 1
			}
			page := wire.AppendPage(nil, rows, 0)
			for _, v := range tc.values {
				if with, err := wire.AppendValue(page, v); err == nil {
					page = with
				}
			}
			right := honest(t)
			script := []frame{right[0], right[1], {wire.KindColumns, tc.columns}, {wire.KindPage, page}, {wire.KindEnd, []byte("{}")}}
			if rows == 0 {
				script = append(script[:3], script[4])
			}
			var bytes []byte
			for _, f := range script {
				bytes = append(bytes, f.bytes(t)...)
			}
			l := &crowd{script: bytes}
			e, quiet := engineOf(t, l)
			plan, err := e.plan(t.Context(), run.Principal{ID: "someone"}, "select 1")
			require.Equal(t, tc.plan, plan, name)
			if tc.says == "" {
				require.NoError(t, err, name)
			} else {
				require.ErrorContains(t, err, tc.says, name)
			}
			query, err := wire.Read[wire.Query](l.children[0].words()[1].payload)
			require.NoError(t, err)
			require.Equal(t, "EXPLAIN (FORMAT json) select 1", query.Text)
			quiet(name)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		e, quiet := engineOf(t, &crowd{err: faulttest.ErrInjected})
		_, err := e.plan(t.Context(), run.Principal{ID: "someone"}, "select 1")
		require.ErrorIs(t, err, faulttest.ErrInjected)
		quiet("no child")
	})
}

// TestEstimatesOfPlans: the topmost estimate is that of the statement, a scan has its
// own, and what is none is not known.
func TestEstimatesOfPlans(t *testing.T) {
	t.Parallel()
	of := func(name, table, estimate string, children ...operator) operator {
		o := operator{Name: name, Children: children, Extra: map[string]any{}}
		if table != "" {
			o.Extra["Table"] = table
		}
		if estimate != "" {
			o.Extra["Estimated Cardinality"] = estimate
		}
		return o
	}
	root := of("PROJECTION", "", "", of("FILTER", "", "much"), of("HASH_JOIN", "", "70",
		of("SEQ_SCAN ", "eu.shop.sales", "900"), of("Seq Scan", "eu.shop.shops", ""), of("FILTER", "eu.shop.none", "5"), of("TABLE_SCAN", "", "5")))
	require.Equal(t, 70.0, root.firstEstimate())
	var scans []warehouse.Scan
	root.scans(&scans)
	require.Equal(t, []warehouse.Scan{{Table: "eu.shop.sales", Rows: 900, Bytes: -1}, {Table: "eu.shop.shops", Rows: -1, Bytes: -1}}, scans)
	require.Equal(t, -1.0, of("X", "", "", of("Y", "", "")).firstEstimate())
	require.Equal(t, 0.0, of("X", "", "0", of("Y", "", "7")).firstEstimate())
	require.Equal(t, -1.0, operator{Extra: map[string]any{"Estimated Cardinality": 7}}.estimate(), "a form that is not known")
}

// TestAChildThatCannotBeToldWhatToOpen is the engine's end, and its place is free.
func TestAChildThatCannotBeToldWhatToOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		child := newTame(0, false)
		child.kill()
		p := poolOf(0, child)
		defer p.close() // a failed test is to say why, not that a child is left
		_, err := p.lease(t.Context())
		var ended *warehouse.Error
		require.ErrorAs(t, err, &ended)
		require.Equal(t, warehouse.NameEngineEnded, ended.Name)
		synctest.Wait()
		require.Zero(t, living(p))
		require.True(t, p.room.free.TryAcquire(4))
	})
}
