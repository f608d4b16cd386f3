package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// TestMedian: the value in the middle is asked for as a mean is, and is never one.
func TestMedian(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for _, c := range []struct {
		question, mean string
	}{
		{"What is the median fee?", "What is the average fee?"},
		{"median fee by species", "average fee by species"},
		{"Which species has the highest median fee?", "Which species has the highest average fee?"},
		{"各物种费用的中位数是多少？", "各物种费用的平均值是多少？"},
		{"median duration of visits in 2030", "average duration of visits in 2030"},
	} {
		_, read := s.ask(t, c.question)
		_, mean := s.ask(t, c.mean)
		want := mean.Intent
		for i := range want.Select {
			if want.Select[i].Agg == intent.AggAvg {
				want.Select[i].Agg = intent.AggMedian
			}
		}
		for i := range want.OrderBy {
			if want.OrderBy[i].By.Agg == intent.AggAvg {
				want.OrderBy[i].By.Agg = intent.AggMedian
			}
		}
		require.Equal(t, want, read.Intent, c.question)
		require.Empty(t, read.Unread, c.question)
	}
}
