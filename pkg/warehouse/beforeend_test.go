package warehouse_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/warehouse"
)

// TestAnErrorBeforeTheEndIsNotTheEnd: a connection that ended is among the causes of
// many errors, and is no end of a result; all else that is asked of the error stays.
func TestAnErrorBeforeTheEndIsNotTheEnd(t *testing.T) {
	t.Parallel()
	other := errors.New("another")
	failed := &warehouse.Error{Name: warehouse.NameTimeLimit, Message: "too slow", Cause: errors.Join(other, fmt.Errorf("read: %w", io.EOF))}
	require.ErrorIs(t, failed, io.EOF, "or the rest shows nothing")
	err := fmt.Errorf("run: %w", warehouse.BeforeEnd(failed))
	require.NotErrorIs(t, err, io.EOF)
	require.ErrorIs(t, err, other)
	require.ErrorIs(t, err, failed)
	var found *warehouse.Error
	require.ErrorAs(t, err, &found)
	require.Same(t, failed, found)
	require.Equal(t, codes.DeadlineExceeded, status.Code(warehouse.BeforeEnd(failed)))
	require.Equal(t, "run: "+failed.Error(), err.Error())
	require.Same(t, other, warehouse.BeforeEnd(other), "what has none stays as it is")
	require.NoError(t, warehouse.BeforeEnd(nil))
}
