package eval

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// OwnAnswers reports whether rows answer a question of suite own.
func OwnAnswers(t *testing.T, question string, rows [][]any) bool {
	t.Helper()
	var q ownQuestion
	require.NoError(t, json.Unmarshal([]byte(question), &q))
	return q.answeredBy(tableOf(rows))
}
