package chatbi

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// TestProgressEndsWithTheJob: what an engine tells later is dropped, and waits for nobody;
// whoever does not listen ends no job.
func TestProgressEndsWithTheJob(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, want := range []error{nil, broken} {
		var later func(Progress)
		var sent []*chatbiv1.ExecuteProgress
		err := sendingProgress(func(p *chatbiv1.ExecuteProgress) error {
			sent = append(sent, p)
			return errors.New("gone")
		}, func(progress func(Progress)) error {
			progress(Progress{Phase: "running", Fraction: 0.5, Rows: 7})
			progress(Progress{Phase: "fetching", Fraction: -1, Rows: 9})
			later = progress
			return want
		})
		require.Equal(t, want, err)
		later(Progress{Phase: "late"})
		require.Len(t, sent, 2)
		require.Equal(t, "running", sent[0].GetPhase())
		require.InDelta(t, 0.5, sent[0].GetFraction(), 0)
		require.EqualValues(t, 7, sent[0].GetRows())
		require.Equal(t, "fetching", sent[1].GetPhase())
	}
}

// TestValuesOfTheirColumnsType: what an engine could have given as a value of a column.
func TestValuesOfTheirColumnsType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ  string
		yes  []any
		nope []any
	}{
		{"bigint", []any{int64(1), nil}, []any{true, "x"}},
		{"double", []any{1.5, nil}, []any{"x", false}},
		{"boolean", []any{true, nil}, []any{"true", int64(1)}},
		{"date", []any{"2026-11-01", nil}, []any{"no day", "", int64(1)}},
		{"timestamp(3)", []any{"2026-11-01 08:00:00", nil}, []any{"soon", 1.5}},
		{"varchar", []any{"", "x", nil}, []any{int64(1), true, []any{"x"}}},
	} {
		for _, v := range c.yes {
			require.True(t, fits(v, result.Column{Name: "a", Type: c.typ}), "%s %v", c.typ, v)
		}
		for _, v := range c.nope {
			require.False(t, fits(v, result.Column{Name: "a", Type: c.typ}), "%s %v", c.typ, v)
		}
	}
}

// TestNumbersThatLettersMisorder are those of several lengths before the point; what has
// one text that is no number is ordered by its letters on purpose.
func TestNumbersThatLettersMisorder(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for _, c := range []struct {
		values []string
		want   bool
	}{
		{[]string{"9.5", "10.5"}, true}, {[]string{"9.25", "8.5"}, false}, {[]string{"9", "10"}, true}, {[]string{"09", "10"}, false},
		{[]string{"9", "ten"}, false}, {[]string{"9", "10", "ten"}, false}, {[]string{"9"}, false}, {nil, false},
	} {
		require.Equal(t, c.want, numbersOfSeveralLengths(words, c.values), "%v", c.values)
	}
}

// numbered is an engine that says the id of a statement on its server.
type numbered struct{ warehouse.Engine }

func (numbered) Kind() string { return "numbered" }

func (numbered) Query(_ context.Context, _ run.Principal, _ guard.Approved, o warehouse.Options) (warehouse.Rows, error) {
	o.Started("20261120_000001_00001_abcde")
	return nil, errors.New("that was all")
}

// TestTheServersIDOfAStatementIsInTheTrace, where whoever runs the server looks for it.
func TestTheServersIDOfAStatementIsInTheTrace(t *testing.T) {
	t.Parallel()
	config, err := Config{}.Complete()
	require.NoError(t, err)
	s := serving(config, &Service{deps: Deps{Clock: time.Now}})
	approved, err := guard.New(guard.Config{}).Approve(t.Context(), run.Principal{ID: "bob"}, "SELECT 1", resolve.Scope{})
	require.NoError(t, err)
	recorder := run.NewRecorder(0)
	ctx := run.WithRecorder(run.WithTracker(t.Context(), &run.Tracker{}), recorder)
	_, err = s.fetch(ctx, run.Principal{ID: "bob"}, &engine{Engine: numbered{}}, approved, s.config().Limits, nil, func(Progress) {})
	require.ErrorContains(t, err, "that was all")
	records, _ := recorder.Records()
	require.Len(t, records, 1)
	require.Equal(t, "20261120_000001_00001_abcde", records[0].Attributes["query_id"])
	require.Equal(t, "numbered", records[0].Attributes["engine"])
}

// TestAnEstimateIsOfItsMoment: a condition on the last days leaves out the partitions before
// them, counted from the run's own day.
func TestAnEstimateIsOfItsMoment(t *testing.T) {
	t.Parallel()
	config, err := Config{}.Complete()
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	s := serving(config, &Service{deps: Deps{Clock: func() time.Time { return now }}})
	table := daily(3650)
	table.Columns[0].Distinct = 3650
	scope := resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{*table}), DefaultRegion: "sg", DefaultSchema: "mart"}
	rows := func(sql string) int64 {
		approved, err := guard.New(guard.Config{}).Approve(t.Context(), run.Principal{ID: "bob"}, sql, scope)
		require.NoError(t, err)
		return s.fromCatalog(approved, now).Rows
	}
	all, week := rows("SELECT day FROM daily"), rows("SELECT day FROM daily WHERE day >= current_date - interval '7' day AND day < current_date")
	require.EqualValues(t, 3650, all)
	require.Less(t, week, all)
	require.Equal(t, rows("SELECT day FROM daily WHERE day >= DATE '2026-11-13' AND day < DATE '2026-11-20'"), week)
}
