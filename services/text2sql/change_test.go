package text2sql_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/services/text2sql"
)

func planned(t *testing.T, s *text2sql.Service, question string) *text2sqlv1.PlanChangeResponse {
	t.Helper()
	resp, err := s.PlanChange(askAt(), &text2sqlv1.PlanChangeRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: question}})
	require.NoError(t, err)
	return resp
}

func sqlOf(plan *commonv1.ChangePlan, role commonv1.ChangeRole) string {
	for _, s := range plan.GetStatements() {
		if s.GetRole() == role {
			return strings.Join(strings.Fields(s.GetSql()), " ")
		}
	}
	return ""
}

// TestPlanOfAChange: both periods, the metric, what is filtered, and a statement for each
// look, over the tables that the metric is read from.
func TestPlanOfAChange(t *testing.T) {
	t.Parallel()
	s, c := newService(t)
	resp := planned(t, s, "why did GMV drop in Singapore last week?")
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, resp.GetOutcome())
	require.Contains(t, resp.GetIntentJson(), `"country":["SG"]`)
	plan := resp.GetPlan()
	require.Equal(t, "gmv", plan.GetMetric().GetId())
	require.Equal(t, "GMV", plan.GetMetric().GetName())
	require.Equal(t, "USD", plan.GetMetric().GetUnit())
	require.Equal(t, commonv1.ChangeKind_CHANGE_KIND_ADDITIVE, plan.GetMetric().GetKind())
	require.Equal(t, [4]string{"2026-11-02", "2026-11-09", "2026-11-09", "2026-11-16"},
		[4]string{plan.GetBefore().GetFrom(), plan.GetBefore().GetTo(), plan.GetAfter().GetFrom(), plan.GetAfter().GetTo()})
	require.Equal(t, []string{"Singapore"}, plan.GetFilters())
	require.Empty(t, plan.GetDimensions())
	require.Equal(t, []string{"mp_order.dws_seller_gmv_1d__sg_s0_live"}, c.described)
	var roles []commonv1.ChangeRole
	for _, st := range plan.GetStatements() {
		roles = append(roles, st.GetRole())
		require.Len(t, st.GetTables(), 1)
		require.Equal(t, "sg.mp_order.dws_seller_gmv_1d__sg_s0_live", st.GetTables()[0].GetName())
	}
	require.Equal(t, []commonv1.ChangeRole{commonv1.ChangeRole_CHANGE_ROLE_CELLS, commonv1.ChangeRole_CHANGE_ROLE_DAILY, commonv1.ChangeRole_CHANGE_ROLE_DAYS}, roles)
	require.Contains(t, sqlOf(plan, commonv1.ChangeRole_CHANGE_ROLE_CELLS), "WHERE grass_date >= DATE '2026-11-02' AND grass_date < DATE '2026-11-16' AND tz_type = 'local'")
	require.NotContains(t, sqlOf(plan, commonv1.ChangeRole_CHANGE_ROLE_DAYS), "tz_type", "days with rows, whatever the conditions")
}

// TestPlanOfAChangeOfAllCountries splits by the country, reads all tables, and asks on
// which days one country alone has rows.
func TestPlanOfAChangeOfAllCountries(t *testing.T) {
	t.Parallel()
	s, c := newService(t)
	plan := planned(t, s, "why did GMV drop last week?").GetPlan()
	require.Len(t, plan.GetDimensions(), 1)
	require.Equal(t, "country", plan.GetDimensions()[0].GetId())
	require.Equal(t, []string{"mp_order.dws_seller_gmv_1d__sg_s0_live", "mp_order.dws_seller_gmv_1d__br_s0_live"}, c.described)
	require.Contains(t, sqlOf(plan, commonv1.ChangeRole_CHANGE_ROLE_CELLS), "GROUPING SETS ((period), (period, country))")
	require.Contains(t, sqlOf(plan, commonv1.ChangeRole_CHANGE_ROLE_EVENTS), "max(country)")
}

// TestPeriodsOfAChange: two periods that are named are compared with each other, and are
// not one range; a question after a figure is about that figure over the periods it names.
func TestPeriodsOfAChange(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	of := func(resp *text2sqlv1.PlanChangeResponse) string {
		before, after := resp.GetPlan().GetBefore(), resp.GetPlan().GetAfter()
		return before.GetFrom() + " " + before.GetTo() + ", " + after.GetFrom() + " " + after.GetTo()
	}
	shown := planned(t, s, "why did GMV drop in Singapore last week?").GetIntentJson()
	for _, c := range []struct{ question, alone, want string }{
		{"What accounts for the change in GMV between September and October in Singapore?", "What accounts for the change between September and October?", "2026-09-01 2026-10-01, 2026-10-01 2026-11-01"},
		{"why did GMV in Singapore drop from July to September?", "why did it drop from July to September?", "2026-07-01 2026-08-01, 2026-09-01 2026-10-01"},
		{"新加坡9月和10月之间成交额变化的原因是什么？", "9月和10月之间变化的原因是什么？", "2026-09-01 2026-10-01, 2026-10-01 2026-11-01"},
		{"为什么新加坡9月到10月成交额变化了？", "为什么9月到10月变化了？", "2026-09-01 2026-10-01, 2026-10-01 2026-11-01"},
		{"What explains the change in GMV in Singapore between Q2 and Q3 2026?", "what explains the change between Q2 and Q3 2026?", "2026-04-01 2026-07-01, 2026-07-01 2026-10-01"},
		{"why did GMV in Singapore change between last month and this month?", "why between last month and this month?", "2026-10-01 2026-11-01, 2026-11-01 2026-11-20"},
		{"why was GMV in Singapore in October lower than that of September?", "why was it lower in October than in September?", "2026-09-01 2026-10-01, 2026-10-01 2026-11-01"},
		{"why did GMV in Singapore drop from 2 November to 8 November?", "why did it drop from 2 November to 8 November?", "2026-10-26 2026-11-02, 2026-11-02 2026-11-09"},
	} {
		require.Equal(t, c.want, of(planned(t, s, c.question)), c.question)
		resp, err := s.PlanChange(askAt(), &text2sqlv1.PlanChangeRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: c.alone, FollowUp: c.alone, PreviousIntentJson: shown}})
		require.NoError(t, err)
		require.Equal(t, c.want, of(resp), "%s: %s", c.alone, resp.GetAbstainedReason())
		require.Equal(t, []string{"Singapore"}, resp.GetPlan().GetFilters(), c.alone)
	}
}

// TestBoundsOfAChange: how far the course goes back is the configuration's.
func TestBoundsOfAChange(t *testing.T) {
	shorttest.Rules(t, "what bounds are told")
	t.Parallel()
	s, _ := newServiceWith(t, text2sql.Config{ChangeHistoryDays: 10, MaxChangeCells: 50}, text2sql.Deps{})
	plan := planned(t, s, "why did GMV drop last week?").GetPlan()
	require.Contains(t, sqlOf(plan, commonv1.ChangeRole_CHANGE_ROLE_DAILY), "grass_date >= DATE '2026-10-23'", "ten days before the earlier period")
	require.Contains(t, sqlOf(plan, commonv1.ChangeRole_CHANGE_ROLE_CELLS), "LIMIT 102", "for each period the cells and the whole")
}

// TestChangesThatCannotBePlanned: what was not understood is told, and an empty question
// is the caller's mistake.
func TestChangesThatCannotBePlanned(t *testing.T) {
	shorttest.Rules(t, "which changes are refused")
	t.Parallel()
	s, c := newService(t)
	for question, word := range map[string]string{"why did GMV of unicorns drop in Singapore?": "unicorns", "why?": ""} {
		resp := planned(t, s, question)
		require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, resp.GetOutcome(), question)
		require.NotEmpty(t, resp.GetAbstainedReason(), question)
		require.Nil(t, resp.GetPlan(), question)
		require.Equal(t, word, strings.Join(resp.GetNotUnderstood(), " "), question)
	}
	require.Empty(t, c.described, "what is not understood is not looked up")
	_, err := s.PlanChange(askAt(), &text2sqlv1.PlanChangeRequest{})
	require.Equal(t, "QUESTION_EMPTY", fault.ReasonOf(err))
}

func study(t *testing.T, s *text2sql.Service, kind commonv1.StudyKind, question string) *text2sqlv1.PlanStudyResponse {
	t.Helper()
	resp, err := s.PlanStudy(askAt(), &text2sqlv1.PlanStudyRequest{Kind: kind, Query: &text2sqlv1.GenerateQuery{UserQuestion: question}})
	require.NoError(t, err)
	return resp
}

// TestPlanOfAStudy: the statement looks at the table that the question names, its columns
// are named for people, and a question without a table is told which there are.
func TestPlanOfAStudy(t *testing.T) {
	t.Parallel()
	s, c := newService(t)
	const table = "sg.mp_order.dws_seller_gmv_1d__sg_s0_live"
	resp := study(t, s, commonv1.StudyKind_STUDY_KIND_NULLS, "how many nulls has mp_order.dws_seller_gmv_1d__sg_s0_live?")
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, resp.GetOutcome(), resp.GetAbstainedReason())
	require.Equal(t, table, resp.GetTable())
	require.Equal(t, []string{"mp_order.dws_seller_gmv_1d__sg_s0_live"}, c.described)
	require.Contains(t, resp.GetSql(), "count(*) - count(orders)")
	require.Equal(t, 1, strings.Count(resp.GetSql(), "FROM "+table))
	last := resp.GetLabels()[len(resp.GetLabels())-1]
	require.Equal(t, [3]string{"missing_share", "missing", "fraction"}, [3]string{last.GetColumn(), last.GetLabel(), last.GetUnit()})

	rows := study(t, s, commonv1.StudyKind_STUDY_KIND_ROWS, "rows of "+table)
	require.Equal(t, table, rows.GetTable())
	require.NotEqual(t, resp.GetSql(), rows.GetSql(), "each kind has its own statement")

	c.described = nil
	none := study(t, s, commonv1.StudyKind_STUDY_KIND_NULLS, "nulls of nothing")
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, none.GetOutcome())
	require.Contains(t, none.GetAbstainedReason(), table)
	require.Empty(t, none.GetSql())
	require.Empty(t, c.described, "no word is written as a table's name")
	for _, empty := range []string{"", "  "} {
		_, err := s.PlanStudy(askAt(), &text2sqlv1.PlanStudyRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: empty}})
		require.Equal(t, "QUESTION_EMPTY", fault.ReasonOf(err))
	}
}

// TestNamesOfAQuestionAreBounded: of many names only the first few are looked up.
func TestNamesOfAQuestionAreBounded(t *testing.T) {
	t.Parallel()
	s, c := newService(t)
	study(t, s, commonv1.StudyKind_STUDY_KIND_ROWS, "rows of a.t1, a.t2 and a_b, plain words, 1.5, a.t3. and a.t4 or a.t5, a.t6")
	require.Equal(t, []string{"a.t1", "a.t2", "a_b"}, c.described[:3])
	require.Len(t, c.described, 5)
	require.NotContains(t, c.described, "a.t6")
}
