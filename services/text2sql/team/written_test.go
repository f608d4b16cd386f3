package team

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestWhichReadingsAreWritten: the reading that answers comes first however sure it is;
// others follow from the threshold on, in their order, as many as were asked for; and none
// that failed before comes again.
func TestWhichReadingsAreWritten(t *testing.T) {
	t.Parallel()
	const threshold = 0.6
	for name, c := range map[string]struct {
		first   float64
		others  []float64 // statements 1, 2, …
		failed  []int
		allowed int
		want    []int // statements
	}{
		"the answer alone":                              {0.9, nil, nil, 3, []int{0}},
		"one at the threshold":                          {0.9, []float64{0.6}, nil, 3, []int{0, 1}},
		"one just below it":                             {0.9, []float64{0.5999}, nil, 3, []int{0}},
		"above and below":                               {0.9, []float64{0.8, 0.2, 0.7, 0}, nil, 9, []int{0, 1, 3}},
		"as many as were asked for":                     {0.9, []float64{0.8, 0.8, 0.8}, nil, 2, []int{0, 1}},
		"none was asked for":                            {0.9, []float64{0.8}, nil, 0, []int{0}},
		"an answer that is not sure":                    {0.1, []float64{0.8}, nil, 3, []int{0, 1}},
		"the answer failed":                             {0.9, []float64{0.8, 0.7}, []int{0}, 1, []int{1}},
		"the answer failed, another is not sure":        {0.9, []float64{0.2, 0.7}, []int{0}, 3, []int{2}},
		"the answer failed, none of the others is":      {0.9, []float64{0.2, 0.1}, []int{0}, 3, nil},
		"all failed":                                    {0.9, []float64{0.8}, []int{0, 1}, 3, nil},
		"one in between failed and takes nobody's room": {0.9, []float64{0.8, 0.7}, []int{1}, 2, []int{0, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := board(t, Task{Threshold: threshold, Candidates: c.allowed})
			res := pipeline.Result{Outcome: pipeline.Answered, SQL: "SELECT 0", Reason: "r", Confidence: c.first, Assumptions: []string{"a"}}
			for i, confidence := range c.others {
				res.Alternatives = append(res.Alternatives, pipeline.Alternative{SQL: fmt.Sprint("SELECT ", i+1), Confidence: confidence})
			}
			b.Reading = &Reading{Result: res, Restatement: "said again"}
			for _, n := range c.failed {
				b.Learned = append(b.Learned, Finding{Class: "X", SQL: fmt.Sprint("SELECT ", n)})
			}
			d, err := RulesGenerator{}.Generate(t.Context(), b)
			require.NoError(t, err)
			require.Equal(t, pipeline.Answered, d.Outcome)
			require.Equal(t, ByRules, d.By)
			require.Equal(t, "said again", d.Restatement)
			var got []int
			for _, one := range d.Candidates {
				var n int
				_, err := fmt.Sscanf(one.SQL, "SELECT %d", &n)
				require.NoError(t, err)
				got = append(got, n)
				require.Equal(t, ByRules, one.By)
				if n == 0 {
					require.Equal(t, Candidate{SQL: "SELECT 0", Reason: "r", By: ByRules, Confidence: c.first, Assumptions: []string{"a"}}, one)
				} else {
					require.InDelta(t, c.others[n-1], one.Confidence, 1e-12)
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestAReadingThatIsNoAnswerIsHandedOn: a question to the asker and a refusal are the
// draft's, with nothing to run.
func TestAReadingThatIsNoAnswerIsHandedOn(t *testing.T) {
	t.Parallel()
	options := []pipeline.Option{{ID: "a", Label: "A"}}
	for _, res := range []pipeline.Result{
		{Outcome: pipeline.Asked, Question: "which?", Options: options, SQL: "SELECT 0"},
		{Outcome: pipeline.Abstained, Reason: "no such column", SQL: "SELECT 0", Alternatives: []pipeline.Alternative{{SQL: "SELECT 1", Confidence: 1}}},
	} {
		b := board(t, Task{Candidates: 3})
		b.Reading = &Reading{Result: res}
		d, err := RulesGenerator{}.Generate(t.Context(), b)
		require.NoError(t, err)
		require.Equal(t, Draft{Outcome: res.Outcome, Question: res.Question, Options: res.Options, Reason: res.Reason, By: ByRules}, d)
	}
}
