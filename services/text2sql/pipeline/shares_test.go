package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

func sales() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "sales"}, RowCount: 400, Columns: []catalog.Column{
		{Name: "order_id", Type: "bigint", PrimaryKey: true, Distinct: 400}, {Name: "sold_on", Type: "date"},
		{Name: "city", Type: "varchar", Distinct: 3, Samples: []string{"Lyon", "Lima", "Rome"}},
		{Name: "product", Type: "varchar", Distinct: 4, Samples: []string{"lamp", "desk", "chair", "rug"}},
		{Name: "amount", Type: "double"}, {Name: "quantity", Type: "integer"},
		{Name: "status", Type: "varchar", Distinct: 3, Samples: []string{"paid", "cancelled", "open"}},
	}}}
}

// What is said behind the verb is the part, what stands before it the whole.
func TestSharesOfWhat(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	shop, green := p.Prepare(sales(), nil), p.Prepare(gardens(), nil)
	const cancelled = "CAST(count_if(status = 'cancelled') AS double) / nullif(count(*), 0)"
	for _, c := range []struct {
		schema         *pipeline.Schema
		question, draw string // a part of the SQL; empty: declined
		where          string
	}{
		{shop, "What share of sales in Lyon were cancelled?", cancelled, "city = 'Lyon'"},
		{shop, "What share of sales were cancelled in Rome?", cancelled, "city = 'Rome'"},
		{shop, "What fraction of the cancelled sales are from Rome?", "count_if(city = 'Rome')", "status = 'cancelled'"},
		{shop, "what percentage of Lima sales are paid?", "count_if(status = 'paid')", "city = 'Lima'"},
		{green, "What share of gardeners from Peru are older than 30?", "count_if(age > 30)", "country = 'Peru'"},
		{green, "share of gardens in Lyon that are public", "count_if(is_public = 'Y')", "city = 'Lyon'"},
		{shop, "share of lamp sales in Lyon", "", ""},
		{shop, "What is the share of cancelled sales in Rome?", "", ""},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c.question, Schema: c.schema, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
			if c.draw == "" {
				require.NotEqual(t, pipeline.Answered, res.Outcome, res.SQL)
				return
			}
			require.Equal(t, pipeline.Answered, res.Outcome, res.Reason)
			require.Contains(t, res.SQL, c.draw)
			require.Contains(t, res.SQL, "WHERE "+c.where)
		})
	}
}

// A part of a whole is called so and told as a percentage, with the condition that makes it; a
// number that was asked for in percent is one already.
func TestPartsAreTold(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	s := p.Prepare(sales(), nil)
	for question, want := range map[string][]pipeline.Label{
		"What share of sales have an amount over 50?": {{Column: "sales_share", Label: "share of the rows with amount > 50", Unit: "%"}},
		"share of sales by city":                      {{Column: "sales_share_of_total", Label: "share of sales", Unit: "%"}},
		"各城市的销售占比":                                    {{Column: "sales_share_of_total", Label: "sales占比", Unit: "%"}},
	} {
		res := p.Answer(pipeline.Input{Question: question, Language: lang.Detect(question), Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
		require.Equal(t, pipeline.Answered, res.Outcome, "%s: %s", question, res.Reason)
		require.Equal(t, want, res.Labels, question)
	}
}

// The first of some groups are those with the most of the one figure shown.
func TestTheFirstByTheirTotal(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(sales(), nil)
	for _, question := range []string{"total amount by city, top 2", "total amount per city, top 2", "each city's total amount, top 2", "top 2 total amount by city"} {
		res := p.Answer(pipeline.Input{Question: question, Schema: schema})
		require.Equal(t, pipeline.Answered, res.Outcome, "%s: %s", question, res.Reason)
		require.Regexp(t, `(?s)ORDER BY (total_amount|sum\(amount\)) DESC.*LIMIT 2`, res.SQL, question)
	}
}

// The figures of one period are no answer to how they changed.
func TestAChangeIsNotPassedOver(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(sales(), nil)
	for _, question := range []string{"amount growth by city in percent", "total amount growth by city", "year over year total amount by city"} {
		res := p.Answer(pipeline.Input{Question: question, Schema: schema})
		require.NotEqual(t, pipeline.Answered, res.Outcome, "%s: %s", question, res.SQL)
	}
	res := p.Answer(pipeline.Input{Question: "total amount by city", Schema: schema})
	require.Equal(t, pipeline.Answered, res.Outcome, res.Reason)
}
