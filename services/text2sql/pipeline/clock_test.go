package pipeline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// ended is a schema whose tables ended on days of their own; no day of the loans is known.
func ended() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	return []catalog.Table{
		{Name: name("tours"), RowCount: 400, Columns: []catalog.Column{
			{Name: "tour_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 400},
			{Name: "guide", Type: "varchar", Distinct: 3, Samples: []string{"Ann Roth", "Bo Lind", "Cy Marx"}},
			{Name: "price", Type: "double", Low: "10", High: "90"}, {Name: "toured_on", Type: "date", Low: "2011-03-02", High: "2013-11-15"},
		}},
		{Name: name("repairs"), RowCount: 50, Columns: []catalog.Column{
			{Name: "repair_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 50},
			{Name: "cost", Type: "double"}, {Name: "repaired_on", Type: "date", Low: "2012-01-01", High: "2013-08-31"},
		}},
		{Name: name("loans"), RowCount: 50, Columns: []catalog.Column{
			{Name: "loan_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 50},
			{Name: "fee", Type: "double"}, {Name: "lent_on", Type: "date"},
		}},
	}
}

// TestTimesAreThoseOfTheData: a part of the calendar without its year, and the last of the
// data, are those that the table at hand has; what says its year, and tables whose days are
// not known, go by the calendar of today.
func TestTimesAreThoseOfTheData(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(ended(), nil)
	for _, now := range []time.Time{time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC), time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)} {
		for question, want := range map[string][2]string{
			"How many tours were there in July?":                       {"2013-07-01", "2013-08-01"},
			"How many tours were there in December?":                   {"2012-12-01", "2013-01-01"},
			"7月的tours有多少":                                              {"2013-07-01", "2013-08-01"},
			"How many tours in the last month of the data?":            {"2013-11-01", "2013-12-01"},
			"How many repairs were there in October?":                  {"2012-10-01", "2012-11-01"},
			"How many repairs were there in the last week of the data": {"2013-08-26", "2013-09-02"},
		} {
			res := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: now})
			require.Equal(t, pipeline.Answered, res.Outcome, "%s: %s", question, res.Reason)
			require.Contains(t, res.SQL, want[0], question)
			require.Contains(t, res.SQL, want[1], question)
			require.Regexp(t, `as the data have it|按数据所及的时间`, res.Assumptions[0], question)
		}
		year := now.AddDate(0, -5, 0).Format("2006") // the last June
		for question, want := range map[string]string{
			"How many tours were there in July 2012?": "2012-07-01",
			"How many loans were there in June?":      year + "-06-01",
		} {
			res := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: now})
			require.Contains(t, res.SQL, want, question)
			require.NotContains(t, strings.Join(res.Assumptions, "\n"), "as the data have it", question)
		}
	}
}

// TestTimesAfterTheData: what is counted from today and lies after the data is no answer; it
// is told, and the same by the calendar of the data is offered, and given when chosen.
func TestTimesAfterTheData(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(ended(), nil)
	now := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	for question, want := range map[string]string{
		"How many tours were there last month?": "2013-10-01",
		"total price of the tours this year":    "2013-01-01",
		"上个月的tours有多少":                          "2013-10-01",
	} {
		in := pipeline.Input{Question: question, Schema: schema, Now: now}
		res := p.Answer(in)
		require.Equal(t, pipeline.Abstained, res.Outcome, question)
		require.Contains(t, res.Reason, "2013-11-15", question)
		offers := p.Offers(in)
		require.NotEmpty(t, offers, question)
		require.Contains(t, offers[0].SQL(), want, question)
		in.Chosen = offers[0].ID
		chosen := p.Answer(in)
		require.Equal(t, pipeline.Answered, chosen.Outcome, question)
		require.Equal(t, offers[0].SQL(), chosen.SQL, question)
	}
	res := p.Answer(pipeline.Input{Question: "How many tours were there last year?", Schema: schema, Now: time.Date(2014, 2, 1, 0, 0, 0, 0, time.UTC)})
	require.Equal(t, pipeline.Answered, res.Outcome, "what the data reach is asked by today's calendar")
	require.Contains(t, res.SQL, "2013-01-01")
}

// TestADayThatEndsTodayIsOver: the day before today, called by its date, has its end, though the
// rows go on; what began then and goes on has none.
func TestADayThatEndsTodayIsOver(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(ended(), nil)
	now := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	const begins, ends = "lent_on >= DATE '2026-11-23'", "lent_on < DATE '2026-11-24'"
	for question, want := range map[string][]string{
		"How many loans were there on 2026-11-23?":       {begins, ends},
		"What is the total fee of loans on 23 November?": {begins, ends},
		"How many loans were there before 2026-11-24?":   {ends},
		"How many loans were there since 2026-11-23?":    {begins},
	} {
		res := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: now})
		require.Equal(t, pipeline.Answered, res.Outcome, "%s: %s", question, res.Reason)
		for _, condition := range []string{begins, ends} {
			require.Equal(t, slices.Contains(want, condition), strings.Contains(res.SQL, condition), "%s: %s", question, res.SQL)
		}
	}
}
