package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// stubborn is an engine whose statements go on after they are cancelled, as
// DuckDB's do inside one long function.
type stubborn struct {
	begun chan struct{}
	end   chan struct{}
}

func (s stubborn) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s stubborn) Driver() driver.Driver                        { return nil }
func (stubborn) Prepare(string) (driver.Stmt, error)            { return nil, errors.ErrUnsupported }
func (stubborn) Begin() (driver.Tx, error)                      { return nil, errors.ErrUnsupported }
func (stubborn) Close() error                                   { return nil }

func (s stubborn) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	close(s.begun)
	<-s.end
	return nil, ctx.Err()
}

// TestSlotIsHeldUntilTheEnd cancels a statement that does not stop: as long as it
// works on, its slot is taken, so that no more than MaxConcurrent ever run.
func TestSlotIsHeldUntilTheEnd(t *testing.T) {
	t.Parallel()
	s := stubborn{begun: make(chan struct{}), end: make(chan struct{})}
	config := Config{Limits: warehouse.Limits{MaxConcurrent: 1, QueueWait: time.Millisecond}}.withDefaults()
	e := &Engine{config: config, db: sql.OpenDB(s), slots: warehouse.NewSlots(config.Limits), vocabulary: newVocabulary()}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := e.start(ctx, "select 1", nil, warehouse.Options{})
		done <- err
	}()
	<-s.begun
	cancel()
	var busy *fault.Error
	require.ErrorAs(t, e.slots.Acquire(t.Context()), &busy)
	require.Equal(t, "ENGINE_BUSY", busy.Reason)
	close(s.end)
	require.Error(t, <-done)
	require.NoError(t, e.slots.Acquire(t.Context()), "free again when it has ended")
}
