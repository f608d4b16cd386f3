package metric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// change asks a question, and then changes it.
func (a *asker) change(t *testing.T, first, said string) pipeline.Result {
	t.Helper()
	before := a.ask(first)
	require.Equal(t, pipeline.Answered, before.Outcome, "%s: %s", first, before.Reason)
	return a.pipeline.Answer(pipeline.Input{Question: said, FollowUp: said, Previous: before.Intent, Schema: a.schema, Now: today})
}

// TestChangesOfFigures changes questions by conditions on their figures, by best and
// worst, and by periods, and compares with the rows of the whole question.
func TestChangesOfFigures(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for _, c := range []struct{ first, change, whole string }{
		{"GMV by country in October", "only those above 5k", "countries with GMV above 5000 in October"},
		{"10月各国成交额", "只看超过5000的", "10月成交额超过5000的国家"},
		{"orders by seller in Taiwan in October", "only those with more than 2 orders", "sellers with more than 2 orders in Taiwan in October"},
		{"cancellation rate by country in October", "which ones are above 5%", "countries with a cancellation rate above 5% in October"},
		{"cancellation rate by country in October", "which ones are worse than 5%", "countries with a cancellation rate above 5% in October"},
		{"on-time rate by country in October", "only those worse than 95%", "countries with an on-time rate below 95% in October"},
		{"cancellation rate by country in October", "worst one", "which country had the highest cancellation rate in October"},
		{"on-time rate by country in October", "worst one", "which country had the lowest on-time rate in October"},
		{"10月各国取消率", "最好的是", "10月哪个国家取消率最低"},
		{"GMV by day in Singapore last month", "only top 3 days", "top 3 days by GMV in Singapore last month"},
		{"GMV in Singapore in October", "this time last year", "GMV in Singapore in October 2025"},
		{"GMV in Singapore in October", "and September's?", "GMV in Singapore in September"},
		{"GMV by country in October vs September", "which fell the most", "which country fell the most in GMV in October vs September"},
		{"GMV by country in October vs September", "only what rose", "countries whose GMV rose in October vs September"},
		{"10月各国成交额和9月对比", "哪个下降最多", "哪个国家10月成交额环比下降最多"},
		{"share of GMV by country in October", "vs September", "share of GMV by country in October vs September"},
	} {
		t.Run(c.first+", "+c.change, func(t *testing.T) {
			t.Parallel()
			got := a.change(t, c.first, c.change)
			require.Equal(t, pipeline.Answered, got.Outcome, "%s %v", got.Reason, got.Doubts)
			whole := a.ask(c.whole)
			require.Equal(t, pipeline.Answered, whole.Outcome, "%s: %s", c.whole, whole.Reason)
			require.Equal(t, a.presto(t, whole.SQL), a.presto(t, got.SQL), got.SQL)
		})
	}
}

// TestChangesThatAreRefused are those whose figures would mean nothing.
func TestChangesThatAreRefused(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for _, c := range []struct{ first, change, said string }{
		{"cancellation rate by country in October", "as a share", "no whole"},
		{"cancellation rate by country in October", "only those above 5", "above"}, // percent, or five times as many
		{"GMV by country in October", "above 5%", "above"},
		{"GMV in Singapore in October", "only above 5000", "single row"},
		{"stock by category", "worst one", "high or low is good"},
		{"GMV by country in October", "2025?", "2025"},
		{"GMV by country in October", "which fell the most", "not split and compared"},
		{"GMV by day in Singapore in October", "why did it fall?", "causes"},
		{"新加坡10月每天的成交额", "为什么下降了", "原因"},
	} {
		t.Run(c.first+", "+c.change, func(t *testing.T) {
			t.Parallel()
			got := a.change(t, c.first, c.change)
			require.Equal(t, pipeline.Abstained, got.Outcome, got.SQL)
			require.Contains(t, got.Reason, c.said)
			require.NotContains(t, got.Reason, "%!")
		})
	}
}
