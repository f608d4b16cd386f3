package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestAWishForAChartIsNoPartOfTheQuestion: the SQL is the same as without it, and the answer
// says what was done with the words.
func TestAWishForAChartIsNoPartOfTheQuestion(t *testing.T) {
	t.Parallel()
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	vets := p.Prepare(clinic(), nil)
	now := time.Date(2031, 5, 14, 9, 0, 0, 0, time.UTC)
	for question, plain := range map[string]string{
		"How many pets are there by species, as a pie chart?": "How many pets are there by species?",
		"Draw a bar chart of the number of pets by species":   "number of pets by species",
		"Draw the number of pets by species as a bar chart":   "the number of pets by species",
		"画出各物种的宠物数量":                                          "各物种的宠物数量",
		"用饼图显示各物种的宠物数量":                                       "各物种的宠物数量",
	} {
		want := p.Answer(pipeline.Input{Question: plain, Schema: vets, Now: now})
		require.Equal(t, pipeline.Answered, want.Outcome, "%s: %s", plain, want.Reason)
		got := p.Answer(pipeline.Input{Question: question, Schema: vets, Now: now})
		require.Equal(t, want.SQL, got.SQL, question)
		require.Len(t, got.Assumptions, len(want.Assumptions)+1, question)
		require.Regexp(t, "how the result is drawn|对图表的要求", got.Assumptions[len(got.Assumptions)-1])
	}
}
