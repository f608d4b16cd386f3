package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestBasis asks for the first rows of an order, with and without what they are
// ordered by.
func TestBasis(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	for _, c := range []struct{ question, plain, shown string }{
		{
			"heaviest dog",
			"SELECT name FROM pets WHERE species = 'dog' ORDER BY weight_kg DESC LIMIT 1",
			"SELECT name, weight_kg FROM pets WHERE species = 'dog' ORDER BY weight_kg DESC LIMIT 1",
		},
		{
			"Which city has the most owners?",
			"SELECT city FROM owners WHERE city IS NOT NULL GROUP BY city ORDER BY count(*) DESC LIMIT 1",
			"SELECT city, count(*) AS number_of_owners FROM owners WHERE city IS NOT NULL GROUP BY city ORDER BY number_of_owners DESC LIMIT 1",
		},
		{ // it is there
			"name and weight of the heaviest dog",
			"SELECT name, weight_kg FROM pets WHERE species = 'dog' ORDER BY weight_kg DESC LIMIT 1",
			"SELECT name, weight_kg FROM pets WHERE species = 'dog' ORDER BY weight_kg DESC LIMIT 1",
		},
		{ // no first rows
			"owners in city Bern",
			"SELECT name FROM owners WHERE city = 'Bern'",
			"SELECT name FROM owners WHERE city = 'Bern'",
		},
	} {
		in := pipeline.Input{Question: c.question, Schema: schema, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)}
		require.Equal(t, c.plain, normal(p.Answer(in).SQL), c.question)
		in.ShowBasis = true
		require.Equal(t, c.shown, normal(p.Answer(in).SQL), c.question)
	}
}
