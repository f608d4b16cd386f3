package chatbi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/services/chatbi"
)

// cellsOf is the statement of the cells of shop.orders by country over two periods.
func cellsOf(value, from, middle, to string) string {
	return fmt.Sprintf(`SELECT GROUPING(country) AS whole, period, %s AS value, CAST(NULL AS double) AS base, count(DISTINCT dt) AS days, country
FROM (SELECT amount, dt, country, CASE WHEN dt >= DATE '%s' THEN 'after' ELSE 'before' END AS period FROM sg.shop.orders
  WHERE dt >= DATE '%s' AND dt < DATE '%s') AS x
GROUP BY GROUPING SETS ((period), (period, country))`, value, middle, from, to)
}

const dailySQL = `SELECT dt, CAST(sum(amount) AS double), CAST(NULL AS double) FROM sg.shop.orders GROUP BY dt`

// plan compares 16 to 18 with 10 to 12 November: all days are there.
func plan() *commonv1.ChangePlan {
	return &commonv1.ChangePlan{
		Metric:     &commonv1.ChangeMetric{Id: "sales", Name: "sales", Unit: "USD", Kind: commonv1.ChangeKind_CHANGE_KIND_ADDITIVE},
		Before:     &commonv1.ChangePeriod{From: "2026-11-10", To: "2026-11-13"},
		After:      &commonv1.ChangePeriod{From: "2026-11-16", To: "2026-11-19"},
		Dimensions: []*commonv1.ChangeItem{{Id: "country", Name: "country"}},
		Metrics:    []string{"sales: what was paid"},
		Statements: []*commonv1.ChangeStatement{
			{Role: commonv1.ChangeRole_CHANGE_ROLE_CELLS, Sql: strings.Replace(cellsOf("CAST(sum(amount) AS double)", "2026-11-10", "2026-11-16", "2026-11-19"), "WHERE ", "WHERE (dt < DATE '2026-11-13' OR dt >= DATE '2026-11-16') AND ", 1)},
			{Role: commonv1.ChangeRole_CHANGE_ROLE_DAILY, Sql: dailySQL},
		},
	}
}

func explainChange(t *testing.T, s *chatbi.Service, who string, q *chatbiv1.ExplainQuery) (*chatbiv1.ExplainResult, error) {
	t.Helper()
	resp, err := s.ExplainChangeUnary(as(t.Context(), who), &chatbiv1.ExplainChangeUnaryRequest{Query: q})
	return resp.GetResult(), err
}

// TestExplainChange: the figures are those of a statement by hand, each has its SQL, and
// the cells are told in the asker's language.
func TestExplainChange(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	r, err := explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: plan(), UserQuestion: "why did sales rise?"})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetAnswer())
	sum := func(from, to int) (total float64) { // i % 10 is the day
		for i := range 1000 {
			if i%10 >= from && i%10 < to && i%10 != 4 {
				total += float64(i) + 0.10
			}
		}
		return total
	}
	require.InDelta(t, sum(0, 3), r.GetFigures().GetBefore(), 1e-6)
	require.InDelta(t, sum(6, 9), r.GetFigures().GetAfter(), 1e-6)
	require.Empty(t, r.GetDataProblems())
	require.Len(t, r.GetRuns(), 2)
	for _, run := range r.GetRuns() {
		require.Contains(t, run.GetExecutedSql(), "sg.shop.orders")
		require.Positive(t, run.GetRows())
	}
	require.Equal(t, "sg.shop.orders", r.GetCertificate().GetTables()[0].GetTable())
	require.Equal(t, []string{"sales: what was paid"}, r.GetCertificate().GetMetrics())
	require.Len(t, r.GetPage().GetRows(), len(r.GetElements()))
	require.True(t, strings.HasPrefix(r.GetAnswer(), r.GetHeadline()), "the headline comes first")

	r, err = explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: plan(), UserQuestion: "为什么销售额上升了"})
	require.NoError(t, err)
	require.Contains(t, r.GetAnswer(), "2026年11月16日")
}

// TestExplainChangeTellsMissingDays: what is not there comes first, and the days that are
// there are compared like for like.
func TestExplainChangeTellsMissingDays(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for name, c := range map[string]struct {
		from, middle, to string
		want             string
		before, after    float64 // of a day, over the days that both have: 49,510 and 100 for each day after the 10th
	}{
		"a gap": {"2026-11-10", "2026-11-13", "2026-11-16", "2026-11-14", 49610, 49910},                             // the 14th is missing, so the 11th does not count
		"late":  {"2026-11-15", "2026-11-18", "2026-11-21", "is late: its newest day is 19 Nov 2026", 50060, 50360}, // the 20th is not over, so the 17th does not count
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plan()
			p.Before, p.After = &commonv1.ChangePeriod{From: c.from, To: c.middle}, &commonv1.ChangePeriod{From: c.middle, To: c.to}
			p.Statements[0].Sql = cellsOf("CAST(sum(amount) AS double)", c.from, c.middle, c.to)
			r, err := explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: p, UserQuestion: "why did it fall?"})
			require.NoError(t, err)
			require.Equal(t, chatbiv1.ChangeOutcome_CHANGE_OUTCOME_DATA_MISSING, r.GetChange())
			require.Len(t, r.GetDataProblems(), 1)
			if name == "a gap" {
				require.True(t, strings.HasPrefix(r.GetDataProblems()[0], "sg.shop.orders has no rows for 14 Nov 2026: 1 of the 3 days of 13 Nov 2026 to 15 Nov 2026 are missing"), r.GetDataProblems()[0])
			} else {
				require.True(t, strings.HasPrefix(r.GetDataProblems()[0], "sg.shop.orders "+c.want), r.GetDataProblems()[0])
			}
			require.True(t, strings.HasPrefix(r.GetAnswer(), r.GetDataProblems()[0]))
			require.InDelta(t, c.before, r.GetFigures().GetBefore(), 1e-6)
			require.InDelta(t, c.after, r.GetFigures().GetAfter(), 1e-6)
			require.Empty(t, r.GetElements(), "the cells are of all days")
			require.Contains(t, r.GetAnswer(), "Compared per day over the 2 days that have data in both periods")
			require.Contains(t, r.GetAnswer(), "days are missing in one of the periods")
		})
	}
}

// TestExplainChangeOfNothing: a period without any day says so and computes nothing.
func TestExplainChangeOfNothing(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	p := plan()
	p.After = &commonv1.ChangePeriod{From: "2027-01-01", To: "2027-01-04"}
	p.Statements[0].Sql = cellsOf("CAST(count(*) AS double)", "2026-11-10", "2027-01-01", "2027-01-04")
	r, err := explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: p, UserQuestion: "why did it fall?"})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ChangeOutcome_CHANGE_OUTCOME_DATA_MISSING, r.GetChange())
	require.Equal(t, []string{"sg.shop.orders is late: its newest day is 19 Nov 2026, so that 3 days are missing. What there is of sales is low because the rest is not there yet."}, r.GetDataProblems())
	require.Empty(t, r.GetHeadline())
	require.Empty(t, r.GetElements(), "no group accounts for what is not there")

	p = plan() // the table goes on after these days, so that they are no late ones
	p.Before, p.After = &commonv1.ChangePeriod{From: "2026-11-13", To: "2026-11-14"}, &commonv1.ChangePeriod{From: "2026-11-14", To: "2026-11-15"}
	p.Statements[0].Sql = cellsOf("CAST(count(*) AS double)", "2026-11-13", "2026-11-14", "2026-11-15")
	p.Statements[1].Sql = strings.Replace(dailySQL, "GROUP BY dt", "WHERE dt < DATE '2026-11-15' GROUP BY dt", 1)
	r, err = explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: p, UserQuestion: "why did it fall?"})
	require.NoError(t, err)
	require.Equal(t, []string{"sg.shop.orders has no rows for 14 Nov 2026, so that there is no figure for sales to compare."}, r.GetDataProblems())
	require.Empty(t, r.GetElements())
}

// TestExplainChangeIsGuarded: each statement goes through the guard as the asker, all of
// them under one cost gate, and no more of them than the budget.
func TestExplainChangeIsGuarded(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	r, err := explainChange(t, s, "eve", &chatbiv1.ExplainQuery{Plan: plan()})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, r.GetOutcome())
	require.Empty(t, r.GetRuns(), "nothing ran")

	p := plan()
	p.Statements[1].Sql = "DELETE FROM sg.shop.orders"
	r, err = explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: p})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, r.GetOutcome())
	require.Empty(t, r.GetRuns(), "the others did not run either")

	// Each statement reads 900 rows: one alone is below the gate, both together are not.
	dear := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Cost.AskRows = 1000 })
	r, err = explainChange(t, dear, "alice", &chatbiv1.ExplainQuery{Plan: plan(), UserQuestion: "why?"})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, r.GetOutcome(), r.GetAnswer())
	require.Equal(t, "explain_change", r.GetQuestion().GetToolName())
	require.Empty(t, r.GetRuns())
	r, err = explainChange(t, dear, "alice", &chatbiv1.ExplainQuery{Plan: plan(), CostConfirmed: true, UserQuestion: "why?"})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome())

	few := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Limits.MaxChangeStatements = 1 })
	_, err = explainChange(t, few, "alice", &chatbiv1.ExplainQuery{Plan: plan()})
	require.Equal(t, "CHANGE_TOO_MANY_STATEMENTS", fault.ReasonOf(err))
}

// TestExplainChangeRefusesOtherPlans: what text2sql would not write is refused with what
// to do.
func TestExplainChangeRefusesOtherPlans(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for name, change := range map[string]func(*commonv1.ChangePlan){
		"no cells":        func(p *commonv1.ChangePlan) { p.Statements = p.GetStatements()[1:] },
		"no days":         func(p *commonv1.ChangePlan) { p.After.To = p.GetAfter().GetFrom() },
		"no date":         func(p *commonv1.ChangePlan) { p.After.To = "2026-13-01" },
		"more dimensions": func(p *commonv1.ChangePlan) { p.Dimensions = append(p.Dimensions, &commonv1.ChangeItem{Id: "x"}) },
		"periods of other name": func(p *commonv1.ChangePlan) {
			p.Statements[0].Sql = strings.Replace(p.Statements[0].Sql, "'after'", "'later'", 1)
		},
	} {
		p := proto.CloneOf(plan())
		change(p)
		_, err := explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: p})
		require.Equal(t, "CHANGE_PLAN_INVALID", fault.ReasonOf(err), name)
	}
}

// TestWholeDaysAreEvents: a dimension that all rows of a day share is told as an event,
// and no cells are made of it.
func TestWholeDaysAreEvents(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	p := plan()
	p.Dimensions = append(p.Dimensions, &commonv1.ChangeItem{Id: "sale", Name: "sale"})
	sale := "CASE WHEN dt = DATE '2026-11-17' THEN 'mid-month' END"
	cells := strings.Replace(p.Statements[0].Sql, "days, country", "days, country, sale", 1)
	cells = strings.Replace(cells, "SELECT amount, dt, country,", "SELECT amount, dt, country, "+sale+" AS sale,", 1)
	p.Statements[0].Sql = strings.Replace(cells, "(period, country)", "(period, country, sale)", 1)
	p.Statements = append(p.Statements, &commonv1.ChangeStatement{
		Role: commonv1.ChangeRole_CHANGE_ROLE_EVENTS,
		Sql:  "SELECT dt, CAST(NULL AS varchar), coalesce(max(" + sale + "), '') FROM sg.shop.orders WHERE dt < DATE '2026-11-13' OR dt >= DATE '2026-11-16' GROUP BY dt",
	})
	r, err := explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: p, UserQuestion: "why did sales rise?"})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetAnswer())
	require.Equal(t, []string{"mid-month"}, r.GetEvents())
	for _, e := range r.GetElements() {
		for _, at := range e.GetPlaces() {
			require.Equal(t, "country", at.GetDimension())
		}
	}
}
