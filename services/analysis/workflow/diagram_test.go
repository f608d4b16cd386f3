package workflow_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// TestTheDiagramOfTheDocs is that of the program.
func TestTheDiagramOfTheDocs(t *testing.T) {
	t.Parallel()
	drawn, err := workflow.Diagram()
	require.NoError(t, err)
	page, err := os.ReadFile("../../../docs/analysis.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "```mermaid\n")
	require.True(t, found)
	shown, _, _ := strings.Cut(rest, "```")
	require.Equal(t, drawn, shown, "docs/analysis.md: put in what `dibrain analyze graph` prints")
}
