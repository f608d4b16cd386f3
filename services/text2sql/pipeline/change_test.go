package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

func TestAChangeWithTwoMeaningsIsAsked(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	first := p.Answer(pipeline.Input{Question: "How many owners are there in Bern?", Schema: schema})
	require.Equal(t, pipeline.Answered, first.Outcome, first.Reason)
	in := pipeline.Input{Question: "x", FollowUp: "without Bern", Previous: first.Intent, Schema: schema, Language: lang.English}
	asked := p.Answer(in)
	require.Equal(t, pipeline.Asked, asked.Outcome, asked.SQL)
	require.Len(t, asked.Options, 2)
	var sqls []string
	for _, o := range asked.Options {
		require.NotEmpty(t, o.Label)
		in.Chosen = o.ID
		got := p.Answer(in)
		require.Equal(t, pipeline.Answered, got.Outcome, got.Reason)
		require.NotEmpty(t, got.Changes)
		sqls = append(sqls, got.SQL)
	}
	require.NotEqual(t, sqls[0], sqls[1])
}

func TestAQuestionOfItsOwnIsNoChange(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	first := p.Answer(pipeline.Input{Question: "How many owners are there in Bern?", Schema: schema})
	require.Equal(t, pipeline.Answered, first.Outcome, first.Reason)
	for said, alone := range map[string]string{
		"How many pets are there for each species?":         "How many pets are there for each species?",
		"Thanks! How many pets are there for each species?": "How many pets are there for each species?",
	} {
		got := p.Answer(pipeline.Input{Question: said, FollowUp: said, Previous: first.Intent, Schema: schema})
		require.Equal(t, p.Answer(pipeline.Input{Question: alone, Schema: schema}).SQL, got.SQL, "%s: %s", said, got.Reason)
		require.NotEmpty(t, got.SQL)
		require.Empty(t, got.Changes)
	}
}

func TestAnAnswerToAChangeSaysWhatIsInForce(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	first := p.Answer(pipeline.Input{Question: "How many owners are there in Bern?", Schema: schema})
	got := p.Answer(pipeline.Input{Question: "x", FollowUp: "and in Chur?", Previous: first.Intent, Schema: schema, Language: lang.English})
	require.Equal(t, pipeline.Answered, got.Outcome, got.Reason)
	require.Len(t, got.Changes, 2)
	require.Equal(t, "Only Chur.", got.Changes[0])
	require.Contains(t, got.Changes[1], "= Chur")
	require.NotContains(t, got.Changes[1], "Bern")
	require.Less(t, got.Confidence, 1.0)
}
