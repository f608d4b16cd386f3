package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOwnTerms(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"What is the toll per ship?", "What is the toll per ship?"},
		{"What is the total gain, defined as toll minus cost, per lock?", "What is the total toll minus cost, per lock?"},
		{"What is the loss rate of each lock, defined as lost water divided by used water?", "What is the lost water divided by used water of each lock?"},
		{"What is the average gain per pilot, where gain = toll - cost?", "What is the average toll minus cost per pilot?"},
		{"What is the average toll price, i.e. total toll divided by total weight, of each lock?", "What is the total toll divided by total weight, of each lock?"},
		{"What is the cost per ship, defined as cost divided by ships?", "What is the cost divided by ships?"},
		{"What is the gain (toll - cost) in May?", "What is the toll minus cost in May?"},
		{"Which locks have the highest gain, calculated as toll minus cost?", "Which locks have the highest toll minus cost?"},
		{"What is the toll rate of each lock? The toll rate is toll / weight.", "What is the toll divided by weight of each lock? "},
		{"Define gain as toll minus cost. What is the total gain per lock?", "What is the total toll minus cost per lock?"},
		{"How many ships passed late, that is after the due date?", "How many ships passed after the due date?"},
		{"How many ships (in thousands) passed?", "How many ships (in thousands) passed?"},
		{"Which pilot is the best, that is, who is he?", "Which pilot is the best, that is, who is he?"},
		{"Which lock is busy? The lock is deep.", "Which lock is busy? The lock is deep."},
	} {
		require.Equal(t, c[1], ownTerms(c[0]), c[0])
	}
}
