package pipeline_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestMeaningsAreTold: what a word was taken to mean is told in the language of the
// question, the answer is less sure than one in the words of the data, and where two names
// may be meant nothing is answered.
func TestMeaningsAreTold(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	text := func(n string, v ...string) catalog.Column {
		return catalog.Column{Name: n, Type: "varchar", Samples: v, Distinct: int64(len(v))}
	}
	boats := func(more ...catalog.Column) *pipeline.Schema {
		return p.Prepare([]catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "crossings"}, RowCount: 4000, Columns: append([]catalog.Column{
			{Name: "crossingId", Type: "bigint", PrimaryKey: true, Distinct: 4000}, text("boatName", "Heron", "Gannet", "Tern"), text("port", "Vigo", "Cadiz"),
			{Name: "fare_EUR", Type: "double", Distinct: 300}, {Name: "leftOn", Type: "date", Distinct: 700},
		}, more...)}}, nil)
	}
	ask := func(s *pipeline.Schema, question string) pipeline.Result {
		return p.Answer(pipeline.Input{Question: question, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
	}
	ward := p.Prepare([]catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "诊疗"}, RowCount: 3000, Columns: []catalog.Column{
		text("院区", "东院", "西院"), {Name: "医师", Type: "varchar", Distinct: 40}, {Name: "费用(元)", Type: "double", Distinct: 900}, {Name: "就诊日期", Type: "date", Distinct: 700},
	}}}, nil)
	for _, question := range []string{"每个大夫的诊疗次数", "各大夫的平均费用"} {
		got := ask(ward, question)
		require.Equal(t, pipeline.Answered, got.Outcome, question)
		require.Contains(t, got.Assumptions, "“大夫”按 医师 理解。", question)
	}
	one, two := boats(), boats(catalog.Column{Name: "deposit_EUR", Type: "double", Distinct: 300})
	for question, told := range map[string]string{
		"total money by port":   `I took "money" to be fare_EUR.`,
		"average money by boat": `I took "money" to be fare_EUR.`,
	} {
		got := ask(one, question)
		require.Equal(t, pipeline.Answered, got.Outcome, "%s: %v", question, got.NotUnderstood)
		require.Contains(t, got.SQL, "fare_EUR", question)
		require.Contains(t, got.Assumptions, told, question)
		require.False(t, ask(two, question).Outcome == pipeline.Answered, question)
	}
	require.NotEqual(t, pipeline.Answered, ask(one, "total fare by district").Outcome, "hardly a port")
	require.Less(t, ask(one, "total money by port").Confidence, ask(one, "total fare by port").Confidence)
	require.True(t, slices.ContainsFunc(p.Offers(pipeline.Input{Question: "total money by port", Schema: two}), func(o pipeline.Offer) bool {
		return o.SQL() != "" && len(o.Unread) == 0
	}), "what may be meant is offered")
}
