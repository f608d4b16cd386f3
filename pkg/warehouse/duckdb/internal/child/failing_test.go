package child

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math"
	"math/big"
	"testing"

	duck "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault/faulttest"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/sql/types"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// failing is DuckDB, one call of which fails.
type failing struct {
	driver.Connector
	calls *faulttest.Calls
}

func (f failing) Connect(ctx context.Context) (driver.Conn, error) {
	if err := f.calls.Next("connect"); err != nil {
		return nil, err
	}
	conn, err := f.Connector.Connect(ctx)
	return failingConn{conn, f.calls}, err
}

type failingConn struct {
	driver.Conn
	calls *faulttest.Calls
}

func (c failingConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.calls.Next(text); err != nil {
		return nil, err
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, text, args)
}

func (c failingConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.calls.Next(text); err != nil {
		return nil, err
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, text, args)
}

// TestEverythingIsSetOrNothingOpens fails each statement that opening makes: a database
// without one of its settings is never used, and above all not one without its locks.
func TestEverythingIsSetOrNothingOpens(t *testing.T) {
	t.Parallel()
	names := faulttest.EveryCall(t, func(t *testing.T, calls *faulttest.Calls) {
		connector, err := duck.NewConnector("", nil)
		require.NoError(t, err)
		d := &database{db: sql.OpenDB(failing{connector, calls}), vocabulary: newVocabulary()}
		defer d.db.Close()
		err = d.prepare(t.Context(), wire.Open{MemoryLimit: "1GB", TimeZone: "UTC", Threads: 2})
		if calls.Failed() == "" {
			require.NoError(t, err)
			return
		}
		require.ErrorIs(t, err, faulttest.ErrInjected, calls.Failed())
		require.ErrorContains(t, err, "the embedded engine", calls.Failed())
	})
	require.Contains(t, names, "SET GLOBAL enable_external_access = false")
	require.Equal(t, "SET GLOBAL lock_configuration = true", names[len(names)-1])
}

// TestAVocabularyThatCannotBeMade: what failed is told and made by the next statement.
func TestAVocabularyThatCannotBeMade(t *testing.T) {
	t.Parallel()
	macro := transpile.MacroNames()[0]
	names := faulttest.EveryCall(t, func(t *testing.T, calls *faulttest.Calls) {
		connector, err := duck.NewConnector("", nil)
		require.NoError(t, err)
		d := &database{db: sql.OpenDB(failing{connector, calls}), vocabulary: newVocabulary()}
		d.db.SetMaxOpenConns(1) // one that is not given back is missed
		defer d.db.Close()
		err = d.vocabulary.ensure(t.Context(), d.db, macro+"(x)")
		require.Equal(t, err == nil, d.vocabulary.made[macro])
		if calls.Failed() == "" {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, faulttest.ErrInjected)
			require.ErrorContains(t, err, "embedded engine")
		}
		calls.Stop()
		require.NoError(t, d.vocabulary.ensure(t.Context(), d.db, macro+"(x)"))
		require.True(t, d.vocabulary.made[macro])
		require.NoError(t, d.db.PingContext(t.Context()), "the connection was given back")
	})
	require.Len(t, names, 2, "a connection, and all macros in one go")
	d := opened(t)
	broken := errors.New("no such type")
	d.vocabulary.functions["presto_broken"] = func() (duck.ScalarFunc, error) { return nil, broken }
	d.vocabulary.made = map[string]bool{}
	err := d.vocabulary.create(t.Context(), d.db, []string{"presto_broken"}, []string{macro})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "make the embedded engine's function presto_broken")
	require.Empty(t, d.vocabulary.made)
}

// TestNothingToMakeIsNoWork: a statement that calls nothing of ours is not kept from
// the engine, which tells of a cancel itself.
func TestNothingToMakeIsNoWork(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, newVocabulary().ensure(gone, nil, "select 1"))
}

// TestWideNumbers are exact, in the type that Presto gives them.
func TestWideNumbers(t *testing.T) {
	t.Parallel()
	huge, _ := new(big.Int).SetString("170141183460469231731687303715884105727", 10)
	for _, c := range []struct {
		value any
		typ   string
		want  any
	}{
		{huge, "decimal(38,0)", huge.String()}, {huge, "decimal(38,2)", huge.String() + ".00"}, {huge, "bigint", huge.String()}, {big.NewInt(7), "bigint", int64(7)},
		{big.NewInt(7), "decimal(38,2)", "7.00"}, {big.NewInt(7), "double", 7.0}, {uint64(math.MaxUint64), "", "18446744073709551615"},
		{uint64(7), "", int64(7)}, {int8(-7), "decimal(3,1)", "-7.0"}, {int64(7), "real", 7.0}, {float32(0.1), "real", 0.1},
	} {
		require.Equal(t, c.want, value(c.value, types.Parse(c.typ)), "%v as %s", c.value, c.typ)
	}
}
