package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDoubtsTellNoCountsOfProtectedRows: who may not see all rows is told that some were not read, not how many.
func TestDoubtsTellNoCountsOfProtectedRows(t *testing.T) {
	t.Parallel()
	d := doubts{protected: true, seen: map[string]bool{}, say: func(key string, _ map[string]string) string { return key }}
	d.warn(WarnRowsUnread, "rows_unread", map[string]string{"table": "orders", "n": "3"})
	require.Equal(t, "rows_unread_some", d.list[0].Message)
}
