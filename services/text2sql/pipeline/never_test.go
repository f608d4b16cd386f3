package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// What was never done is not answered by all there is.
func TestNeverIsNotDropped(t *testing.T) {
	t.Parallel()
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	shop := p.Prepare(transit(), nil)
	vets := p.Prepare(clinic(), nil)
	for _, c := range []struct {
		question string
		schema   *pipeline.Schema
	}{
		{"How many members never complained?", shop},
		{"How many stations were never repainted?", shop},
		{"How many members have never scored?", shop},
		{"从未投诉的会员有多少？", shop},
		{"How many owners never haggled?", vets},
		{"How many vets were never thanked?", vets},
		{"How many pets were never groomed?", vets},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c.question, Schema: c.schema, Now: time.Date(2031, 5, 14, 9, 0, 0, 0, time.UTC)})
			if res.Outcome != pipeline.Answered {
				require.NotEmpty(t, res.Reason)
				return
			}
			require.True(t, strings.Contains(res.SQL, "NOT EXISTS") || strings.Contains(res.SQL, "NULL"), res.SQL)
			require.NotEmpty(t, res.Assumptions)
		})
	}
}
