package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAsides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ question, rest, round string }{
		{"What is the average fee, rounded to 2 decimals?", "What is the average fee?", "2"},
		{"Ratio of fees to costs rounded to two decimal places", "Ratio of fees to costs", "2"},
		{"Average fee per vet. Round it to the nearest integer.", "Average fee per vet.", "0"},
		{"How many vets moved to 2 cities?", "How many vets moved to 2 cities?", ""},
		{"What is the total fee, treating missing fees as 0?", "What is the total fee?", ""},
		{"What is the average fee, treating missing fees as 0?", "What is the average fee, treating missing fees as 0?", ""},
	} {
		rest, round := asides(c.question)
		require.Equal(t, c.rest, rest)
		require.Equal(t, c.round, round, c.question)
	}
}
