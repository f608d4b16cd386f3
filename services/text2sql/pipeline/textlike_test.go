package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestARefusalNamesTextsThatLookLikeNumbers: who asks for a total of amounts that are
// text is told which column is text and why; who asks for a number is not.
func TestARefusalNamesTextsThatLookLikeNumbers(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	s := p.Prepare([]catalog.Table{{
		Name: catalog.Name{Region: "own", Schema: "main", Table: "payments"}, RowCount: 60,
		Columns: []catalog.Column{
			{Name: "id", Type: "bigint", PrimaryKey: true},
			{Name: "amount", Type: "varchar", Resembles: catalog.ResemblesNumber, Written: "its numbers have several units: EUR, USD"},
			{Name: "fee", Type: "double"},
			{Name: "took", Type: "varchar", Resembles: catalog.ResemblesTime, Samples: []string{"1h 20m", "45m"}},
			{Name: "opened", Type: "varchar", Resembles: catalog.ResemblesTime, Samples: []string{"07:30", "11:15"}},
			{Name: "method", Type: "varchar", Samples: []string{"card", "cash"}},
		},
	}}, nil)
	ask := func(question string, l lang.Language) pipeline.Result {
		return p.Answer(pipeline.Input{Question: question, Schema: s, Language: l})
	}
	for _, c := range []struct {
		question string
		language lang.Language
		want     string
	}{
		{"What is the total amount by method?", lang.English, "payments.amount is text that looks like numbers (its numbers have several units: EUR, USD), so that it is not added up"},
		{"average amount by method", lang.English, "payments.amount is text that looks like numbers"},
		{"每种method的amount合计是多少？", lang.Chinese, "payments.amount 是看起来像数字的文本，无法"},
		{"Which method has the highest amount?", lang.English, "payments.amount is text that looks like numbers"},
		{"Which payment has the highest amount?", lang.English, "payments.amount is text that looks like numbers"},
		{"哪个payment的amount最高", lang.Chinese, "payments.amount 是看起来像数字的文本，无法"},
		{"Which payment has the lowest took?", lang.English, "payments.took is text that looks like times of day or lengths of time"},
	} {
		res := ask(c.question, c.language)
		require.Equal(t, pipeline.Abstained, res.Outcome, "%s: %s", c.question, res.SQL)
		require.Contains(t, res.Reason, c.want, c.question)
	}
	res := ask("What is the total fee by method?", lang.English)
	require.Equal(t, pipeline.Answered, res.Outcome, res.Reason)
	require.NotContains(t, res.Reason, "text")
	for _, question := range []string{"Which payment has the highest amount?", "哪个payment的amount最高"} {
		for _, o := range p.Offers(pipeline.Input{Question: question, Schema: s}) {
			require.NotContains(t, o.SQL(), "ORDER BY amount", question)
		}
	}
}
