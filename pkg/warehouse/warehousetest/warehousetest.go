// Package warehousetest is the suite that every engine passes. An engine's own
// test makes a Harness, which provides an engine over the same small warehouse,
// and says what the engine can; what it cannot is checked to be refused, never
// skipped.
package warehousetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Ability is something that engines may lack.
type Ability string

// Abilities.
const (
	// AbilityTimeZones: AT TIME ZONE and timestamps with a zone in their text.
	AbilityTimeZones Ability = "time zones"
	// AbilityRows: row values and their fields.
	AbilityRows Ability = "rows"
)

// Harness makes engines for the suite.
type Harness interface {
	// Engine returns an engine over the tables of Setup, closed by the harness.
	Engine(t *testing.T) warehouse.Engine
	// Abilities are what the engine can of the optional things.
	Abilities() []Ability
	// Region and Schema are where the tables are.
	Region() string
	Schema() string
}

// Setup are the statements, in standard SQL, that fill the warehouse. The tables
// are in a schema that is there already.
func Setup(schema string) []string {
	return []string{
		"CREATE TABLE " + schema + ".sales (id BIGINT, region VARCHAR, amount DECIMAL(12,2), day DATE, sold_at TIMESTAMP(6), ok BOOLEAN, score DOUBLE)",
		"INSERT INTO " + schema + `.sales VALUES
			(1, 'north', 10.50, DATE '2024-01-01', TIMESTAMP '2024-01-01 10:00:00', true, 1.5),
			(2, 'south', 20.25, DATE '2024-01-02', TIMESTAMP '2024-01-02 11:30:00', false, 2.5),
			(3, NULL, NULL, NULL, NULL, NULL, NULL),
			(4, 'north', 5.00, DATE '2024-02-01', TIMESTAMP '2024-02-01 00:00:01', true, -0.5)`,
	}
}

// Tables is the catalog of the warehouse that Setup makes.
func Tables(region, schema string) []catalog.Table {
	column := func(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }
	return []catalog.Table{{
		Name: catalog.Name{Region: region, Schema: schema, Table: "sales"},
		Columns: []catalog.Column{
			column("id", "bigint"), column("region", "varchar"), column("amount", "decimal(12,2)"), column("day", "date"),
			column("sold_at", "timestamp(6)"), column("ok", "boolean"), column("score", "double"),
		},
	}}
}

func someone() run.Principal { return run.Principal{ID: "someone"} }

type suite struct {
	Harness
	engine warehouse.Engine
	scope  resolve.Scope
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	t.Helper()
	s := suite{Harness: h, engine: h.Engine(t), scope: resolve.Scope{
		Catalog: resolve.NewTables(Tables(h.Region(), h.Schema())), DefaultRegion: h.Region(), DefaultSchema: h.Schema(),
	}}
	t.Run("values", s.values)
	t.Run("texts and floats", s.extremes)
	t.Run("no rows", s.noRows)
	t.Run("pages", s.pages)
	t.Run("many rows", s.manyRows)
	t.Run("closed early", s.closedEarly)
	t.Run("progress", s.progress)
	t.Run("bounds", s.bounds)
	t.Run("approval", s.approval)
	t.Run("errors", s.errors)
	t.Run("deadline", s.deadline)
	t.Run("cancel", s.cancel)
	t.Run("metadata", s.metadata)
	t.Run("explain", s.explain)
	t.Run("abilities", s.abilities)
}

func (s suite) approve(t *testing.T, sql string) guard.Approved {
	t.Helper()
	approved, err := guard.New(guard.Config{DefaultLimit: 1_000_000, MaxLimit: 1_000_000}).Approve(t.Context(), someone(), sql, s.scope)
	require.NoError(t, err, sql)
	return approved
}

func (s suite) query(t *testing.T, sql string, options warehouse.Options) (warehouse.Rows, error) {
	t.Helper()
	return s.engine.Query(t.Context(), someone(), s.approve(t, sql), options)
}

func drain(ctx context.Context, rows warehouse.Rows) ([][]any, error) {
	var all [][]any
	for {
		page, err := rows.Next(ctx, 100)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, page...)
	}
}

func (s suite) values(t *testing.T) {
	rows, err := s.query(t, "select id, region, amount, day, sold_at, ok, score from sales order by id", warehouse.Options{})
	require.NoError(t, err)
	require.Equal(t, []warehouse.Column{
		{Name: "id", Type: "bigint"}, {Name: "region", Type: "varchar"}, {Name: "amount", Type: "decimal(12,2)"}, {Name: "day", Type: "date"},
		{Name: "sold_at", Type: "timestamp(6)"}, {Name: "ok", Type: "boolean"}, {Name: "score", Type: "double"},
	}, rows.Columns())
	all, err := drain(t.Context(), rows)
	require.NoError(t, err)
	require.Equal(t, [][]any{
		{int64(1), "north", "10.50", "2024-01-01", "2024-01-01 10:00:00.000000", true, 1.5},
		{int64(2), "south", "20.25", "2024-01-02", "2024-01-02 11:30:00.000000", false, 2.5},
		{int64(3), nil, nil, nil, nil, nil, nil},
		{int64(4), "north", "5.00", "2024-02-01", "2024-02-01 00:00:01.000000", true, -0.5},
	}, all)
	require.EqualValues(t, 4, rows.Stats().Rows)
	require.False(t, rows.Stats().Truncated)

	rows, err = s.query(t, `select sum(id), sum(amount), avg(amount), avg(id), count(*), id / 2, interval '36' hour, interval '15' month,
		array[1, 2], date_diff('month', min(day), max(day)) from sales group by id / 2 order by 6`, warehouse.Options{})
	require.NoError(t, err)
	all, err = drain(t.Context(), rows)
	require.NoError(t, err)
	require.Equal(t, []any{int64(5), "20.25", "20.25", 2.5, int64(2), int64(1), "1 12:00:00.000", "1-3", []any{int64(1), int64(2)}, int64(0)}, all[1])
}

func (s suite) extremes(t *testing.T) {
	rows, err := s.query(t, "select 'a''b' || chr(10) || '中文 \U0001F600 \"x\" \\', cast('NaN' as double), cast('Infinity' as double), -cast('Infinity' as double), 9007199254740993, -9223372036854775807, cast(null as varchar), id, id from sales where id = 1", warehouse.Options{})
	require.NoError(t, err)
	all, err := drain(t.Context(), rows)
	require.NoError(t, err)
	require.Len(t, all, 1)
	nan, ok := all[0][1].(float64)
	require.True(t, ok && math.IsNaN(nan))
	all[0][1] = "NaN" // which is like nothing, itself too
	require.Equal(t, []any{"a'b\n中文 \U0001F600 \"x\" \\", "NaN", math.Inf(1), math.Inf(-1), int64(9007199254740993), int64(-9223372036854775807), nil, int64(1), int64(1)}, all[0])
}

func (s suite) noRows(t *testing.T) {
	rows, err := s.query(t, "select id, region as r, count(*) over () from sales where id > 100", warehouse.Options{})
	require.NoError(t, err)
	require.Equal(t, []warehouse.Column{{Name: "id", Type: "bigint"}, {Name: "r", Type: "varchar"}, {Name: "_col2", Type: "bigint"}}, rows.Columns())
	_, err = rows.Next(t.Context(), 10)
	require.ErrorIs(t, err, io.EOF)
	require.Zero(t, rows.Stats().Rows)
	require.False(t, rows.Stats().Truncated)
}

// manyRows takes more than one page of the engine's own.
func (s suite) manyRows(t *testing.T) {
	const n = 10_000
	rows, err := s.query(t, "select x, 'row ' || cast(x as varchar) from unnest(sequence(1, 10000)) t(x) order by x", warehouse.Options{})
	require.NoError(t, err)
	all, err := drain(t.Context(), rows)
	require.NoError(t, err)
	require.Len(t, all, n)
	for i, row := range all {
		require.Equal(t, []any{int64(i + 1), fmt.Sprintf("row %d", i+1)}, row)
	}
	require.EqualValues(t, n, rows.Stats().Rows)
}

func (s suite) closedEarly(t *testing.T) {
	rows, err := s.query(t, "select x from unnest(sequence(1, 10000)) t(x)", warehouse.Options{})
	require.NoError(t, err)
	_, err = rows.Next(t.Context(), 1)
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	_, err = rows.Next(t.Context(), 1)
	require.ErrorIs(t, err, io.EOF)
	rows, err = s.query(t, "select 1", warehouse.Options{})
	require.NoError(t, err, "the next statement runs")
	require.NoError(t, rows.Close())
}

func (s suite) progress(t *testing.T) {
	var states []string
	var last warehouse.Progress
	rows, err := s.query(t, "select id from sales", warehouse.Options{Progress: func(p warehouse.Progress) {
		states, last = append(states, p.State), p
	}})
	require.NoError(t, err)
	_, err = drain(t.Context(), rows)
	require.NoError(t, err)
	require.Equal(t, "queued", states[0])
	require.Equal(t, warehouse.Progress{Fraction: 1, Rows: 4, State: "finished", Elapsed: last.Elapsed}, last)
}

func (s suite) pages(t *testing.T) {
	rows, err := s.query(t, "select id from sales order by id", warehouse.Options{})
	require.NoError(t, err)
	sizes := []int{}
	for {
		page, err := rows.Next(t.Context(), 3)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		sizes = append(sizes, len(page))
	}
	require.Equal(t, []int{3, 1}, sizes)
	_, err = rows.Next(t.Context(), 3)
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, rows.Close())
	require.NoError(t, rows.Close(), "closing twice is allowed")
}

func (s suite) bounds(t *testing.T) {
	for name, options := range map[string]warehouse.Options{"rows": {MaxRows: 2}, "bytes": {MaxBytes: 10}} {
		rows, err := s.query(t, "select id from sales order by id", options)
		require.NoError(t, err)
		all, err := drain(t.Context(), rows)
		require.NoError(t, err)
		require.Len(t, all, 2, name)
		require.True(t, rows.Stats().Truncated, name)
	}
	rows, err := s.query(t, "select id from sales order by id", warehouse.Options{MaxRows: 4})
	require.NoError(t, err)
	_, err = drain(t.Context(), rows)
	require.NoError(t, err)
	require.False(t, rows.Stats().Truncated, "a result that just fits is whole")
}

func (s suite) approval(t *testing.T) {
	_, err := s.engine.Query(t.Context(), someone(), guard.Approved{}, warehouse.Options{})
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	_, err = s.engine.Query(t.Context(), run.Principal{ID: "somebody else"}, s.approve(t, "select 1"), warehouse.Options{})
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	_, err = s.engine.Metadata(t.Context(), someone(), meta.Statement{}, warehouse.Options{})
	require.Error(t, err)
}

func (s suite) errors(t *testing.T) {
	for sql, name := range map[string]string{
		"select id / (id - id) from sales":         warehouse.NameDivisionByZero,
		"select cast(region as bigint) from sales": warehouse.NameInvalidCast,
		"select (select id from sales) from sales": warehouse.NameSubquery,
	} {
		rows, err := s.query(t, sql, warehouse.Options{})
		if err == nil {
			_, err = drain(t.Context(), rows)
		}
		var failure *warehouse.Error
		require.ErrorAs(t, err, &failure, sql)
		require.Equal(t, name, failure.Name, "%s: %s", sql, failure.Message)
		require.NotEqual(t, codes.Unknown, status.Code(err))
	}
}

// slow takes long on every engine.
func slow() string {
	return "select count(*) from unnest(sequence(1, 10000)) a(x) cross join unnest(sequence(1, 10000)) b(y) cross join unnest(sequence(1, 10000)) c(z) cross join sales s where a.x * b.y * c.z % 7 = s.id"
}

// hangs is the time after which a statement was not ended in time, on machines
// that are busy: slow takes hours.
const hangs = time.Minute

func (s suite) deadline(t *testing.T) {
	begun := time.Now()
	rows, err := s.query(t, slow(), warehouse.Options{Timeout: 100 * time.Millisecond})
	if err == nil {
		_, err = drain(t.Context(), rows)
	}
	var failure *warehouse.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, warehouse.NameTimeLimit, failure.Name)
	require.Equal(t, codes.DeadlineExceeded, status.Code(err))
	require.Less(t, time.Since(begun), hangs)
}

func (s suite) cancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun := time.Now()
	timer := time.AfterFunc(50*time.Millisecond, cancel)
	defer timer.Stop()
	rows, err := s.engine.Query(ctx, someone(), s.approve(t, slow()), warehouse.Options{})
	if err == nil {
		_, err = drain(ctx, rows)
	}
	require.Error(t, err)
	require.Less(t, time.Since(begun), hangs, "cancelling ends the statement")
}

func (s suite) metadata(t *testing.T) {
	table := catalog.Name{Region: s.Region(), Schema: s.Schema(), Table: "sales"}
	read := func(m meta.Statement) [][]any {
		rows, err := s.engine.Metadata(t.Context(), someone(), m, warehouse.Options{})
		require.NoError(t, err)
		all, err := drain(t.Context(), rows)
		require.NoError(t, err)
		return all
	}
	require.Contains(t, read(meta.Tables(s.Region())), []any{s.Schema(), "sales"})
	require.Len(t, read(meta.Columns(table)), 7)
	require.Equal(t, [][]any{{int64(4)}}, read(meta.CountRows(table)))
	require.Equal(t, [][]any{{"2024-02-01"}}, read(meta.MaxValue(table, "day")))
	require.Equal(t, [][]any{{"2024-01-01"}}, read(meta.MinValue(table, "day")))
	require.Len(t, read(meta.DistinctValues(table, "region", 10)), 2)
	require.Len(t, read(meta.DistinctValues(table, "region", 1)), 1)
}

func (s suite) explain(t *testing.T) {
	plan, err := s.engine.Explain(t.Context(), someone(), s.approve(t, "select * from sales"))
	require.NoError(t, err)
	require.NotEmpty(t, plan.Text)
	require.NotEmpty(t, plan.Scans)
	require.Greater(t, plan.Scans[0].Rows, 0.0)
}

// abilities checks that what an engine cannot is refused as not supported.
func (s suite) abilities(t *testing.T) {
	has := map[Ability]bool{}
	for _, a := range s.Abilities() {
		has[a] = true
	}
	for ability, sql := range map[Ability]string{
		AbilityTimeZones: "select sold_at at time zone 'Asia/Singapore' from sales",
		AbilityRows:      "select row(id, region) from sales",
	} {
		rows, err := s.query(t, sql, warehouse.Options{})
		if has[ability] {
			require.NoError(t, err, fmt.Sprint(ability))
			require.NoError(t, rows.Close())
			continue
		}
		require.Equal(t, codes.Unimplemented, status.Code(err), "%s: %v", ability, err)
	}
}
