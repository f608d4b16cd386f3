package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestAChangeSaysWhatTheWholeQuestionSays asks in two steps and at once.
func TestAChangeSaysWhatTheWholeQuestionSays(t *testing.T) {
	t.Parallel()
	layer, err := semantic.Load("../../../pkg/semantic/testdata/shop")
	require.NoError(t, err)
	p := newPipeline(t)
	schema := p.Prepare(shopTables(), p.PrepareLayer(layer))
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	ask := func(question string) pipeline.Result {
		res := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: now})
		require.Equal(t, pipeline.Answered, res.Outcome, "%s: %s", question, res.Reason)
		return res
	}
	for _, c := range []struct{ first, change, whole string }{
		{"daily GMV in Singapore over the past 30 days", "by week, please", "weekly GMV in Singapore over the past 30 days"},
		{"GMV in Singapore last month", "and for Brazil?", "GMV in Brazil last month"},
		{"GMV in Singapore last month", "AOV instead", "AOV in Singapore last month"},
		{"GMV in Singapore last month", "vs last year", "GMV in Singapore last month compared with last year"},
		{"GMV in Singapore last month", "by seller type", "GMV by seller type in Singapore last month"},
		{"GMV by seller in Singapore last month", "top 3", "GMV by seller in Singapore last month top 3"},
		{"上个月新加坡的成交额", "只看巴西", "上个月巴西的成交额"},
		{"上个月新加坡的成交额", "换成客单价", "上个月新加坡的客单价"},
		{"过去30天新加坡每天的成交额", "按周", "过去30天新加坡每周的成交额"},
		{"GMV in Singapore last month", "AOV in Brazil yesterday", "AOV in Brazil yesterday"}, // no change at all
	} {
		t.Run(c.first+", "+c.change, func(t *testing.T) {
			t.Parallel()
			before := ask(c.first)
			got := p.Answer(pipeline.Input{Question: c.first + ", " + c.change, FollowUp: c.change, Previous: before.Intent, Schema: schema, Now: now})
			require.Equal(t, ask(c.whole).SQL, got.SQL, got.Reason)
			require.Equal(t, c.change == c.whole, len(got.Changes) == 0)
		})
	}
}

func TestAChangeThatCannotBeMadeIsTold(t *testing.T) {
	t.Parallel()
	layer, err := semantic.Load("../../../pkg/semantic/testdata/shop")
	require.NoError(t, err)
	p := newPipeline(t)
	schema := p.Prepare(shopTables(), p.PrepareLayer(layer))
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	before := p.Answer(pipeline.Input{Question: "GMV in Singapore last month", Schema: schema, Now: now})
	for change, said := range map[string]string{
		"only unicorns": "unicorns", "without Singapore": "Country left out: Singapore.", "top 3": "The first 3 only.",
	} {
		got := p.Answer(pipeline.Input{Question: "x", FollowUp: change, Previous: before.Intent, Schema: schema, Now: now, Language: lang.English})
		require.Equal(t, pipeline.Abstained, got.Outcome, change)
		require.Empty(t, got.SQL)
		require.Contains(t, got.Reason, said)
	}
}

// TestChangesOverTables changes questions that no metric answers.
func TestChangesOverTables(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	for _, c := range []struct{ first, change, whole string }{
		{"How many owners are there in Bern?", "and in Chur?", "How many owners are there in Chur?"},
		{"List the names of the dogs", "only cats", "List the names of the cats"},
		{"How many pets are there for each species?", "top 2", ""},
		{"How many pets are there for each species?", "vs last year", ""},
		{"How many owners are there in Bern?", "and on the moon?", ""},
	} {
		first := p.Answer(pipeline.Input{Question: c.first, Schema: schema})
		require.Equal(t, pipeline.Answered, first.Outcome, "%s: %s", c.first, first.Reason)
		got := p.Answer(pipeline.Input{Question: "x", FollowUp: c.change, Previous: first.Intent, Schema: schema})
		switch {
		case c.whole != "":
			require.Equal(t, p.Answer(pipeline.Input{Question: c.whole, Schema: schema}).SQL, got.SQL, got.Reason)
		case c.change == "top 2":
			require.Contains(t, got.SQL, "DESC")
			require.Contains(t, got.SQL, "LIMIT 2")
		default:
			require.Equal(t, pipeline.Abstained, got.Outcome, got.SQL)
			require.NotEmpty(t, got.Reason)
		}
	}
}
