package fixsql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/prose/prosetest"
	"github.com/dibrain/dibrain/pkg/sql/lint"
)

// TestRemarksAreText: a remark on a translation may quote the statement, which somebody
// may have pasted from anywhere, and a finding of the linter names columns.
func TestRemarksAreText(t *testing.T) {
	t.Parallel()
	m := remark("rule", "no such function: "+prosetest.Active, 2, 3)
	require.Equal(t, "no such function: "+prose.Safe(prosetest.Active), m.GetMessage())
	require.Equal(t, "rule", m.GetRule())
	require.EqualValues(t, 2, m.GetPosition().GetLine())
	require.EqualValues(t, 3, m.GetPosition().GetColumn())
	f := fromFinding(lint.Finding{Rule: lint.Rule{ID: "rule"}, Message: prosetest.Active}, 2, 3)
	require.Equal(t, prose.Safe(prosetest.Active), f.GetMessage())
}
