package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// The first of each group are rows of every group, never one row of all.
func TestFirstOfEachGroup(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	for question, want := range map[string]string{
		"Show the heaviest pet of each species.": "SELECT name, species FROM (SELECT name AS name, species AS species," +
			" rank() OVER (PARTITION BY species ORDER BY weight_kg DESC) AS place_no FROM pets) AS ranked WHERE place_no <= 1 ORDER BY species, place_no",
	} {
		drafts := p.Drafts(pipeline.Input{Question: question, Schema: schema})
		require.NotEmpty(t, drafts)
		require.Equal(t, want, drafts[0].SQL)
	}
}
