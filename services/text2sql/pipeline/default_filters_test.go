package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// bookings is a schema under a layer whose amount leaves out what was cancelled.
func bookings(t *testing.T, p *pipeline.Pipeline, further string) *pipeline.Schema {
	t.Helper()
	return bookingsOf(t, p, `"status <> 'cancelled'"`, further)
}

// bookingsOf is a schema under a layer whose amount has the filters.
func bookingsOf(t *testing.T, p *pipeline.Pipeline, filters, further string) *pipeline.Schema {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "layer.yaml"), []byte(`
metrics:
  - {id: revenue, names: {en: amount, zh: 收入}, table: main.booking, expr: SUM(amount), unit: USD, default_filters: [`+filters+`]}
`+further), 0o600))
	layer, err := semantic.Load(dir)
	require.NoError(t, err)
	text := func(n string, v ...string) catalog.Column {
		return catalog.Column{Name: n, Type: "varchar", Samples: v, Distinct: int64(len(v))}
	}
	return p.Prepare([]catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "booking"}, RowCount: 70, Columns: []catalog.Column{
		{Name: "booking_id", Type: "bigint", PrimaryKey: true, Distinct: 70}, text("guest", "Ann", "Bob"), text("town", "Rome", "Oslo"), text("status", "cancelled", "paid"),
		{Name: "amount", Type: "bigint", Distinct: 60}, {Name: "nights", Type: "bigint", Distinct: 9}, {Name: "day", Type: "date", Distinct: 50},
	}}}, p.PrepareLayer(layer))
}

// TestAMetricKeepsItsFilters: a metric with filters of its own is not read as the sum of
// its column where the layer does not cover the question.
func TestAMetricKeepsItsFilters(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	s := bookings(t, p, "")
	for _, q := range []string{
		"total amount per guest", "total amount in Rome", "amount per town", "which guest has the highest amount", "total amount for Ann",
	} {
		res := p.Answer(pipeline.Input{Question: q, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
		if res.Outcome == pipeline.Answered {
			require.Contains(t, res.SQL, "'cancelled'", q)
		}
	}
}

// TestAFigureIsTheLayersOwn: SQL over the tables that computes a metric which the
// question names, without the metric's conditions, is refused with them; another figure
// of the same column, a metric without conditions and conditions that are said are not.
func TestAFigureIsTheLayersOwn(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	for _, c := range []struct{ layer, question, sql string }{
		{"", "total amount of bookings with more than 3 nights", ""},
		{"", "total amount of bookings per guest and town", ""},
		{"", "average amount of bookings in Rome", "avg(amount)"},
		{"", "how many bookings have more than 3 nights", "count(*)"},
		{"", "total nights per town", "sum(nights)"},
		{"  - {id: paid, names: {en: paid bookings, zh: 已付}, table: main.booking, expr: COUNT(*), default_filters: [\"status = 'paid'\"]}\n", "how many bookings have more than 3 nights", "count(*)"},
		{"  - {id: many, names: {en: bookings, zh: 预订数}, table: main.booking, expr: COUNT(*), default_filters: [\"status = 'paid'\"]}\n", "how many bookings have more than 3 nights", ""},
	} {
		res := p.Answer(pipeline.Input{Question: c.question, Schema: bookings(t, p, c.layer), Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
		if c.sql == "" {
			require.Equal(t, pipeline.Abstained, res.Outcome, "%s: %s", c.question, res.SQL)
			require.Empty(t, res.SQL, c.question)
			if c.layer == "" {
				require.Contains(t, res.Reason, "status <> 'cancelled'", c.question)
			}
			require.Empty(t, res.Alternatives)
			continue
		}
		require.Equal(t, pipeline.Answered, res.Outcome, "%s: %s", c.question, res.Reason)
		require.Contains(t, res.SQL, c.sql, c.question)
	}
}

// TestAllConditionsOfAMetricAreKept: SQL that has some of a metric's conditions is
// refused as SQL that has none, whichever of them it lacks; SQL that has all of them,
// because the question says them, is not.
func TestAllConditionsOfAMetricAreKept(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	for _, c := range []struct {
		filters, question string
		refused           bool
	}{
		{`"status <> 'cancelled'", "nights > 3"`, "total amount of bookings with more than 3 nights", true},
		{`"nights > 3", "status = 'paid'"`, "total amount of bookings with more than 3 nights", true},
		{`"nights > 3", "town = 'Rome'", "status = 'paid'"`, "total amount of bookings in Rome with more than 3 nights", true},
		{`"nights > 3", "town = 'Rome'"`, "total amount of bookings in Oslo with more than 3 nights", true},
		{`"nights > 3"`, "total amount of bookings with more than 3 nights", false},
		{`"nights > 3", "town = 'Rome'"`, "total amount of bookings in Rome with more than 3 nights", false},
	} {
		res := p.Answer(pipeline.Input{Question: c.question, Schema: bookingsOf(t, p, c.filters, ""), Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
		if !c.refused {
			require.Equal(t, pipeline.Answered, res.Outcome, "%s of %s: %s", c.question, c.filters, res.Reason)
			require.Contains(t, res.SQL, "sum(amount)", c.question)
			continue
		}
		require.Equal(t, pipeline.Abstained, res.Outcome, "%s of %s: %s", c.question, c.filters, res.SQL)
		require.Empty(t, res.SQL, c.question)
		for _, filter := range strings.Split(c.filters, ", ") {
			require.Contains(t, res.Reason, strings.Trim(filter, `"`), c.question)
		}
	}
}

// TestTheGreatestOfEachGroupIsNoRanking: where a metric is the sum of a column, the highest of it per group is the
// greatest row of each group, as it is over the tables; the group that has the most of it is ranked.
func TestTheGreatestOfEachGroupIsNoRanking(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	s := bookingsOf(t, p, "", "")
	filtered := bookings(t, p, "")
	for question, want := range map[string]string{
		"highest amount per guest":        "SELECT guest, max(amount) AS highest_amount FROM eu.main.booking GROUP BY guest",
		"the lowest amount for each town": "SELECT town, min(amount) AS lowest_amount FROM eu.main.booking GROUP BY town",
	} {
		res := p.Answer(pipeline.Input{Question: question, Schema: s})
		require.Contains(t, strings.Join(strings.Fields(res.SQL), " "), want, question)
	}
	for _, question := range []string{"which guest has the highest amount", "top 3 guests by amount", "amount per town"} {
		require.NotContains(t, p.Answer(pipeline.Input{Question: question, Schema: s}).SQL, "max(", question)
	}
	res := p.Answer(pipeline.Input{Question: "highest amount per guest", Schema: filtered})
	require.NotContains(t, res.SQL, "max(", "a metric with conditions of its own means more than its column")
}
