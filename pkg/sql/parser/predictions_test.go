package parser

import (
	"testing"

	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"
	"github.com/stretchr/testify/require"
)

// TestPredictionsAreForgotten guards the memory: without it 600 texts that all
// differ, of 1 kB each, held over 512 MB for the process's life.
func TestPredictionsAreForgotten(t *testing.T) {
	t.Parallel()
	var c predictions
	give := func(tokens int) *antlr.DFA {
		c.give(grammar.NewTrinoParser(nil), tokens)
		return c.dfas[0]
	}
	first := give(maxLearned)
	require.Same(t, first, give(1), "kept as long as little was learned")
	require.NotSame(t, first, give(1), "forgotten after that")
	require.Equal(t, 1, c.learned)
}
