package router

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/decide"
)

// TestAMessageOfATurnThatWasCutOffIsNotInTheSummary holds that what a person asked
// last, and got no answer to, is still to be summed up.
func TestAMessageOfATurnThatWasCutOffIsNotInTheSummary(t *testing.T) {
	t.Parallel()
	asked, answered := decide.Message{Role: store.RoleUser}, decide.Message{Role: store.RoleAssistant}
	talk := []decide.Message{asked, answered, asked, asked}
	summed := chatState{Summary: &decide.Summary{}}
	require.Equal(t, 2, summarized(&summed, talk))
	require.Equal(t, 2, summarized(&summed, talk[:2]))
	require.Zero(t, summarized(&summed, talk[:1]), "a summary of nothing that was answered")
	require.Zero(t, summarized(&chatState{}, talk), "without a summary nothing is in it")
}
