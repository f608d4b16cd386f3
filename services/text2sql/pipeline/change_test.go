package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
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

// TestAChangeThatIsNotSureIsAsked: it is said how it was read, and made where that is meant.
func TestAChangeThatIsNotSureIsAsked(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	first := p.Answer(pipeline.Input{Question: "How many visits were there per species?", Schema: schema})
	require.Equal(t, pipeline.Answered, first.Outcome, first.Reason)
	in := pipeline.Input{Question: "x", FollowUp: "换成价格", Previous: first.Intent, Schema: schema, Language: lang.Chinese}
	asked := p.Answer(in)
	require.Equal(t, pipeline.Asked, asked.Outcome, asked.SQL)
	require.Len(t, asked.Options, 1)
	require.Contains(t, asked.Question, "改为：fee合计。")
	require.NotEqual(t, first.Intent, asked.Intent, "whoever goes on changes what was asked about")
	on := p.Answer(pipeline.Input{Question: "x", FollowUp: "前2名", Previous: asked.Intent, Schema: schema, Language: lang.Chinese})
	require.Equal(t, pipeline.Answered, on.Outcome, on.Reason)
	require.Contains(t, on.SQL, "sum(")
	in.Chosen = asked.Options[0].ID
	got := p.Answer(in)
	require.Equal(t, pipeline.Answered, got.Outcome, got.Reason)
	require.Contains(t, got.SQL, "sum(")
	require.Contains(t, got.SQL, "species", "what was not changed stays")
}

// TestSentencesOfAChangeAreMadeOneByOne: a second sentence changes what came of the first, and where one of
// them is not understood nothing is changed.
func TestSentencesOfAChangeAreMadeOneByOne(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(clinic(), nil)
	first := p.Answer(pipeline.Input{Question: "How many visits of dogs were there?", Schema: schema})
	require.Equal(t, pipeline.Answered, first.Outcome, first.Reason)
	change := func(said string) pipeline.Result {
		return p.Answer(pipeline.Input{Question: "x", FollowUp: said, Previous: first.Intent, Schema: schema, Language: lang.English})
	}
	got := change("drop dogs. only cats")
	require.Equal(t, pipeline.Answered, got.Outcome, got.Reason)
	require.Contains(t, got.SQL, "'cat'")
	require.NotContains(t, got.SQL, "'dog'")
	require.NotEqual(t, pipeline.Answered, change("drop dogs. frobnicate").Outcome)
	require.NotEqual(t, pipeline.Answered, change("frobnicate. only cats").Outcome)
}

// TestOptionsOfAChangeAreToldApart: where the same words say both, what comes of each does.
func TestOptionsOfAChangeAreToldApart(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	town := catalog.Column{Name: "town", Type: "varchar", Samples: []string{"Bern", "Chur"}, Distinct: 2}
	schema := p.Prepare([]catalog.Table{
		{Name: catalog.Name{Table: "senders"}, RowCount: 20, Columns: []catalog.Column{{Name: "sender_id", Type: "bigint", PrimaryKey: true}, town}},
		{Name: catalog.Name{Table: "receivers"}, RowCount: 20, Columns: []catalog.Column{{Name: "receiver_id", Type: "bigint", PrimaryKey: true}, town}},
		{Name: catalog.Name{Table: "parcels"}, RowCount: 900, Columns: []catalog.Column{
			{Name: "parcel_id", Type: "bigint", PrimaryKey: true}, {Name: "sender_id", Type: "bigint"}, {Name: "receiver_id", Type: "bigint"},
		}, ForeignKeys: []catalog.ForeignKey{
			{Columns: []string{"sender_id"}, RefTable: catalog.Name{Table: "senders"}, RefColumns: []string{"sender_id"}},
			{Columns: []string{"receiver_id"}, RefTable: catalog.Name{Table: "receivers"}, RefColumns: []string{"receiver_id"}},
		}},
	}, nil)
	first := p.Answer(pipeline.Input{Question: "How many parcels are there?", Schema: schema})
	require.Equal(t, pipeline.Answered, first.Outcome, first.Reason)
	asked := p.Answer(pipeline.Input{Question: "x", FollowUp: "only Bern", Previous: first.Intent, Schema: schema, Language: lang.English})
	require.Equal(t, pipeline.Asked, asked.Outcome, asked.SQL)
	require.Len(t, asked.Options, 2)
	require.NotEqual(t, asked.Options[0].Label, asked.Options[1].Label)
	require.Contains(t, asked.Options[0].Label+asked.Options[1].Label, "sender")
}
