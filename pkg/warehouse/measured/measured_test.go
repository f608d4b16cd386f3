package measured_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/measured"
)

// engine answers as a test says.
type engine struct {
	warehouse.Engine
	start, next, health error
}

func (e *engine) Kind() string  { return "trino" }
func (e *engine) Health() error { return e.health }

func (e *engine) Query(context.Context, run.Principal, guard.Approved, warehouse.Options) (warehouse.Rows, error) {
	if e.start != nil {
		return nil, e.start
	}
	return &rows{err: e.next}, nil
}

func (e *engine) Metadata(ctx context.Context, p run.Principal, _ meta.Statement, o warehouse.Options) (warehouse.Rows, error) {
	return e.Query(ctx, p, guard.Approved{}, o)
}

func (e *engine) Explain(context.Context, run.Principal, guard.Approved) (warehouse.Plan, error) {
	return warehouse.Plan{}, e.start
}

type rows struct {
	warehouse.Rows
	err error
}

func (r *rows) Next(context.Context, int) ([][]any, error) { return nil, r.err }
func (r *rows) Stats() warehouse.Stats                     { return warehouse.Stats{Rows: 3, Bytes: 40} }
func (r *rows) Close() error                               { return nil }

func TestAStatementIsMeasuredOnceByHowItEnds(t *testing.T) {
	t.Parallel()
	failure := func(name string, kind warehouse.Kind) error { return &warehouse.Error{Name: name, Kind: kind} }
	for name, tc := range map[string]struct {
		start, next error
		result      string
	}{
		"read to its end":      {nil, io.EOF, "ok"},
		"closed before":        {nil, nil, "cancelled"},
		"wrong statement":      {failure("COLUMN_NOT_FOUND", warehouse.KindUser), nil, "refused"},
		"fails on data":        {nil, failure(warehouse.NameDivisionByZero, ""), "refused"},
		"engine is at fault":   {nil, failure("X", warehouse.KindInternal), "failed"},
		"process ended":        {nil, failure(warehouse.NameEngineEnded, ""), "failed"},
		"too much memory":      {nil, failure(warehouse.NameMemoryLimit, ""), "busy"},
		"no resources":         {nil, failure("X", warehouse.KindResources), "busy"},
		"its time is over":     {nil, failure(warehouse.NameTimeLimit, ""), "timeout"},
		"ended on the server":  {nil, failure(warehouse.NameCanceled, ""), "cancelled"},
		"no place":             {fault.New(codes.ResourceExhausted, "ENGINE_BUSY", "x"), nil, "busy"},
		"server away":          {fault.New(codes.Unavailable, "TRINO_UNAVAILABLE", "x"), nil, "failed"},
		"something not worded": {errors.New("x"), nil, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, read := metertest.New(t)
			e := measured.Engine(&engine{start: tc.start, next: tc.next}, m)
			at := map[string]float64{}
			if r, err := e.Query(t.Context(), run.Principal{}, guard.Approved{}, warehouse.Options{}); err == nil {
				require.Equal(t, 1.0, read()[`dibrain_dependency_in_flight{dependency="trino"}`])
				_, _ = r.Next(t.Context(), 1)
				require.NoError(t, r.Close())
				require.NoError(t, r.Close())
				at[`dibrain_engine_rows_total{engine="trino"}`], at[`dibrain_engine_bytes_total{engine="trino"}`] = 3, 40
			} else {
				require.ErrorIs(t, err, tc.start)
				at[`dibrain_engine_rows_total{engine="trino"}`], at[`dibrain_engine_bytes_total{engine="trino"}`] = 0, 0
			}
			at[`dibrain_dependency_in_flight{dependency="trino"}`] = 0
			at[`dibrain_engine_seconds{engine="trino",operation="query",result="`+tc.result+`"}`] = 1
			at[`dibrain_dependency_seconds{dependency="trino",operation="query",result="`+tc.result+`"}`] = 1
			require.Equal(t, at, read())
		})
	}
}

func TestWhoWentAwayCancelled(t *testing.T) {
	t.Parallel()
	m, read := metertest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := measured.Engine(&engine{next: &warehouse.Error{Name: "X", Kind: warehouse.KindInternal}}, m).Metadata(ctx, run.Principal{}, meta.Statement{}, warehouse.Options{})
	require.NoError(t, err)
	cancel()
	_, err = r.Next(ctx, 1)
	require.Error(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, 1.0, read()[`dibrain_engine_seconds{engine="trino",operation="metadata",result="cancelled"}`])
}

func TestPlansAndHealthPassThrough(t *testing.T) {
	t.Parallel()
	m, read := metertest.New(t)
	sick := errors.New("no place is left")
	e := measured.Engine(&engine{health: sick}, m)
	_, err := e.Explain(t.Context(), run.Principal{}, guard.Approved{})
	require.NoError(t, err)
	require.Equal(t, 1.0, read()[`dibrain_engine_seconds{engine="trino",operation="explain",result="ok"}`])
	require.ErrorIs(t, e.(interface{ Health() error }).Health(), sick)
	inner := &engine{}
	require.Same(t, inner, measured.Engine(inner, nil), "nobody measures")
}
