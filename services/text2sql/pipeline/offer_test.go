package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestOffersSayWhatTheyLeaveOut: a reading is offered in words that say all of it, with the
// word that nothing is known of, and a choice of it is answered as a person's.
func TestOffersSayWhatTheyLeaveOut(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(gardens(), nil)
	for _, c := range []struct {
		question, label, sql string
	}{
		{"How many zenlux gardeners are there in each country?", `number of gardeners by country; without "zenlux"`, "SELECT country, count(*) AS number_of_gardeners FROM gardener GROUP BY country ORDER BY number_of_gardeners DESC, country"},
		{"统计各country的gardener数量泽鲁", "按country统计的gardener数量；不含“泽鲁”", "SELECT country, count(*) AS number_of_gardeners FROM gardener GROUP BY country ORDER BY number_of_gardeners DESC, country"},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			in := pipeline.Input{Question: c.question, Schema: schema, Language: lang.Detect(c.question)}
			refused := p.Answer(in)
			require.NotEqual(t, pipeline.Answered, refused.Outcome)
			offers := p.Offers(in)
			require.NotEmpty(t, offers)
			require.Equal(t, c.label, offers[0].Label)
			require.Equal(t, c.sql, strings.Join(strings.Fields(offers[0].SQL()), " "))
			in.Chosen = offers[0].ID
			got := p.Answer(in)
			require.Equal(t, pipeline.Answered, got.Outcome)
			require.InDelta(t, 0.95, got.Confidence, 1e-9)
			require.Contains(t, got.Changes[0], c.label, "an answer says which reading it is")
			require.Equal(t, offers[0].Unread, got.NotUnderstood)
		})
	}
}

// TestNothingThatMattersIsLeftOut: no option leaves out a number, a negation, a comparison
// or a time, and none is there where the data is not about the question.
func TestNothingThatMattersIsLeftOut(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(gardens(), nil)
	for _, question := range []string{
		"What is the moon phase?", "How tall is the Eiffel tower?", "Which invoices are overdue?", "月亮有多远？",
		"How many gardeners never zenluxed 77 gardens?", "average zenlux quux of gardeners",
		"How many gardeners are there in each country 77?", "number of gardeners by country never", "number of gardeners by country not",
		"What is the wage of gardeners by country?", "各country的gardener工资",
	} {
		for _, o := range p.Offers(pipeline.Input{Question: question, Schema: schema, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}) {
			require.Fail(t, "an offer", "%s: %s", question, o.Label)
		}
	}
}

// TestOffersKeepRules: where a rule comes with a question that a reading knows nothing of,
// the reading is not offered; nor is one in the place of a change.
func TestOffersKeepRules(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	in := pipeline.Input{Question: "How many zenlux gardeners are there in each country?", Schema: p.Prepare(gardens(), nil)}
	require.NotEmpty(t, p.Offers(in))
	ruled := in
	ruled.Rules = []catalog.Rule{{Text: "Gardeners that are retired do not count."}}
	require.Empty(t, p.Offers(ruled))
	changed := in
	changed.Previous = p.Answer(pipeline.Input{Question: "How many gardeners are there?", Schema: in.Schema}).Intent
	require.Empty(t, p.Offers(changed))
	changed.Alone = true
	require.NotEmpty(t, p.Offers(changed), "it is a question of its own")
}

// TestAMetricIsOfferedWithoutAnUnknownWord: over a written layer the metric, its country and
// its days stay.
func TestAMetricIsOfferedWithoutAnUnknownWord(t *testing.T) {
	t.Parallel()
	layer, err := semantic.Load("../../../pkg/semantic/testdata/shop")
	require.NoError(t, err)
	p := newPipeline(t)
	schema := p.Prepare(shopTables(), p.PrepareLayer(layer))
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for question, label := range map[string]string{
		"GMV in Singapore last month from Zenlux": `GMV; in Singapore; from 2026-10-01 to 2026-10-31; without "Zenlux"`,
		"上个月新加坡Zenlux的成交额":                        "成交总额；国家：新加坡；2026-10-01 至 2026-10-31；不含“Zenlux”",
	} {
		in := pipeline.Input{Question: question, Schema: schema, Now: now, Language: lang.Detect(question)}
		require.NotEqual(t, pipeline.Answered, p.Answer(in).Outcome, question)
		offers := p.Offers(in)
		require.Len(t, offers, 1, question)
		require.Equal(t, label, offers[0].Label)
		require.Contains(t, p.OfferQuestion(in, offers), "Zenlux")
		in.Chosen = offers[0].ID
		got := p.Answer(in)
		require.Equal(t, pipeline.Answered, got.Outcome, got.Reason)
		whole := p.Answer(pipeline.Input{Question: map[bool]string{true: "上个月新加坡的成交额", false: "GMV in Singapore last month"}[in.Language == lang.Chinese], Schema: schema, Now: now})
		require.Equal(t, whole.SQL, got.SQL)
	}
}

// TestAReadingThatIsGoneIsAskedAgain: an id of no reading answers nothing by itself.
func TestAReadingThatIsGoneIsAskedAgain(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	in := pipeline.Input{Question: "How many zenlux gardeners are there?", Schema: p.Prepare(gardens(), nil), Chosen: "reading:0123"}
	require.Equal(t, pipeline.Abstained, p.Answer(in).Outcome)
	in.Question = "How many gardeners are there?"
	got := p.Answer(in)
	require.Equal(t, pipeline.Answered, got.Outcome)
	require.Empty(t, got.Changes, "nobody chose it")
}

// tools is what a club lends, and to whom.
func tools() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "members"}, RowCount: 420, Columns: []catalog.Column{
			{Name: "member_no", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 420}, {Name: "joined_on", Type: "date", NotNull: true, Distinct: 300},
			{Name: "town", Type: "varchar", NotNull: true, Distinct: 3, Samples: []string{"Leith", "Gorgie", "Marchmont"}},
		}},
		{Name: catalog.Name{Table: "loans"}, RowCount: 3200, Columns: []catalog.Column{
			{Name: "loan_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 3200}, {Name: "member_no", Type: "bigint", Distinct: 400},
			{Name: "lent_on", Type: "date", NotNull: true, Distinct: 700}, {Name: "returned_on", Type: "date", Distinct: 700},
			{Name: "tool", Type: "varchar", NotNull: true, Distinct: 4, Samples: []string{"saw", "drill", "ladder", "mower"}},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"member_no"}, RefTable: catalog.Name{Table: "members"}, RefColumns: []string{"member_no"}}}},
	}
}

// TestTheOnlyConditionIsNotLeftOut: the number of all members is none of those in a town that
// is not there; it is said instead among which values the word was looked for. Where another
// condition holds, an option is a help.
func TestTheOnlyConditionIsNotLeftOut(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(tools(), nil)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for question, want := range map[string]string{
		"How many members live in Glasgow?": "\"Glasgow\"",
		"格拉斯哥有多少members？":                   "格拉斯哥",
	} {
		in := pipeline.Input{Question: question, Schema: schema, Now: now, Language: lang.Detect(question)}
		require.Empty(t, p.Offers(in), question)
		got := p.Answer(in)
		require.Equal(t, pipeline.Abstained, got.Outcome, question)
		require.Contains(t, got.Reason, want)
		require.Contains(t, got.Reason, "town", question)
		require.Contains(t, got.Reason, "Gorgie", question)
	}
	kept := p.Offers(pipeline.Input{Question: "How many zenlux members joined in 2025?", Schema: schema, Now: now, Language: lang.English})
	require.NotEmpty(t, kept)
	require.Contains(t, kept[0].Label, `without "zenlux"`)
}

// TestAnOptionKeepsTheComparison: no reading of a question that sets two periods beside each
// other leaves one of them out, whether it answers or is offered.
func TestAnOptionKeepsTheComparison(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(tools(), nil)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for _, question := range []string{
		"Compare loans in October 2026 with October 2025", "2026年10月的loans数量比2025年10月多多少？", "2026年10月的zenlux比2025年10月多多少？", "how many more zenlux loans in October 2026 than in October 2025",
	} {
		in := pipeline.Input{Question: question, Schema: schema, Now: now, Language: lang.Detect(question)}
		statements := []string{p.Answer(in).SQL}
		for _, o := range p.Offers(in) {
			statements = append(statements, o.SQL())
		}
		for _, sql := range statements {
			if sql != "" {
				require.Contains(t, sql, "2026-10-01", question)
				require.Contains(t, sql, "2025-10-01", question)
			}
		}
	}
	in := pipeline.Input{Question: "Compare loans in October 2026 with October 2025", Schema: schema, Now: now, Language: lang.English}
	got := p.Answer(in)
	require.Equal(t, pipeline.Answered, got.Outcome)
	require.Contains(t, got.Assumptions, "2026-10-01 to 2026-10-31 compared with 2025-10-01 to 2025-10-31, all days included.")
	changed := p.Answer(pipeline.Input{Question: in.Question, Schema: schema, Now: now, Language: lang.English, Previous: got.Intent, FollowUp: "and by town?"})
	require.Contains(t, changed.SQL, "2025-10-01")
	require.Contains(t, changed.Changes, "lent on from 2026-10-01 to 2026-10-31 compared with from 2025-10-01 to 2025-10-31.", "a change says both periods")
	labels := map[string]string{}
	for _, l := range got.Labels {
		labels[l.Column] = l.Label + l.Unit
	}
	require.Equal(t, map[string]string{
		"number_of_loans": "number of loans", "previous_number_of_loans": "number of loans in the compared period",
		"number_of_loans_change": "change of number of loans", "number_of_loans_change_rate": "change rate of number of loans%",
	}, labels)
}

// TestADoubtHasAReason: whoever is asked whether a reading is meant that uses every word is
// told why.
func TestADoubtHasAReason(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(tools(), nil)
	for question, want := range map[string]string{
		"top 3 most borrowed tools this year": `I am not sure that this is meant: "borrowed" was read as the rows of loans.`,
	} {
		in := pipeline.Input{Question: question, Schema: schema, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Language: lang.Detect(question)}
		offers := p.Offers(in)
		require.NotEmpty(t, offers, question)
		require.Empty(t, offers[0].Unread)
		require.Contains(t, p.OfferQuestion(in, offers), want)
	}
}
