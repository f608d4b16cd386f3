package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// TestRecordsAreWhatHappened tells tables of things from those of what happened to them.
func TestRecordsAreWhatHappened(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"门诊记录": true, "出库流水": true, "就诊记录表": true, "医生信息": false, "记录": false, "visits": false} {
		table := &schema.Table{Entity: &semantic.Entity{}}
		table.Names.EN = name
		require.Equal(t, want, table.Records(), name)
	}
}
