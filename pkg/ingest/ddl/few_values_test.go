package ddl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// TestRowsOfTooFewValuesAreLeftOut: an INSERT row with too few values is no row.
func TestRowsOfTooFewValuesAreLeftOut(t *testing.T) {
	t.Parallel()
	_, rows, err := rowsOf(strings.NewReader("CREATE TABLE t (a int, b int); INSERT INTO t VALUES (1), (2, 3);"), ddl.Config{})
	require.NoError(t, err)
	require.Len(t, rows, 1, "%v", rows)
}
