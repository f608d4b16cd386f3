package chatbi

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

type telling struct{ warehouse.Engine }

func (telling) Kind() string { return "told" }

func (telling) Query(_ context.Context, _ run.Principal, _ guard.Approved, o warehouse.Options) (warehouse.Rows, error) {
	o.Progress(warehouse.Progress{State: "running", Rows: 77, Fraction: 0.5})
	return nil, errors.New("that was all")
}

// TestProgressTellsNothingOfProtectedRows: progress of a statement under a row filter tells no number of rows.
func TestProgressTellsNothingOfProtectedRows(t *testing.T) {
	t.Parallel()
	config, err := Config{}.Complete()
	require.NoError(t, err)
	s := serving(config, &Service{deps: Deps{Clock: time.Now}})
	x := &engine{Engine: telling{}, freshness: newFreshness(source.EngineDuckDB, time.Minute, time.Now)}
	scope := resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{*daily(100)}), DefaultRegion: "sg", DefaultSchema: "mart"}
	rules, err := policy.Parse("policy.yaml", []byte("rules: [{filter: day = date '2030-01-01'}]"))
	require.NoError(t, err)
	approved, err := guard.New(guard.Config{}).Under(guard.Terms{Policy: rules}).Approve(t.Context(), run.Principal{ID: "bob"}, "SELECT day FROM daily", scope)
	require.NoError(t, err)
	var told []Progress
	_, err = s.fetch(t.Context(), run.Principal{ID: "bob"}, x, approved, s.config().Limits, nil, func(p Progress) { told = append(told, p) })
	require.Error(t, err)
	require.Equal(t, []Progress{{Phase: "running", Fraction: -1, Rows: 0}}, told)
}
