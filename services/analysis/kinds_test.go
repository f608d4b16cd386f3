package analysis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// daily is a page of figures by day up to the day before the clock's, newest first.
func daily(w *world, n int, of func(age int) float64) *commonv1.ResultPage {
	page := &commonv1.ResultPage{Columns: []*commonv1.ResultColumn{{Name: "day", Type: "date"}, {Name: "visits", Type: "double"}}, TotalRows: int64(n)}
	for age := range n {
		day := w.clock.Now().AddDate(0, 0, -1-age).Format(time.DateOnly)
		page.Rows = append(page.Rows, &commonv1.ResultRow{Values: []*structpb.Value{structpb.NewStringValue(day), structpb.NewNumberValue(of(age))}})
	}
	return page
}

// analysed runs a question to its end.
func analysed(t *testing.T, w *world, question string) *analysisv1.Analysis {
	t.Helper()
	s := w.process()
	ctx := as(t.Context(), "ann")
	r, err := s.StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{Question: question, Review: analysisv1.Review_REVIEW_NONE}})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, r.GetAnalysis().GetStatus(), r.GetAnalysis().GetError())
	got, err := s.GetAnalysis(ctx, &analysisv1.GetAnalysisRequest{AnalysisId: r.GetAnalysis().GetAnalysisId()})
	require.NoError(t, err)
	return got.GetAnalysis()
}

// TestAForecastIsComputedHere: the days to come with an interval, the methods that were
// tried, and a chart that chat BI advises; a day that is not over is left out.
func TestAForecastIsComputedHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.series = daily(w, 120, func(age int) float64 { return float64(100 + 10*(age%7)) })
	today := w.clock.Now().Format(time.DateOnly)
	w.team.series.Rows = append(w.team.series.Rows, &commonv1.ResultRow{Values: []*structpb.Value{structpb.NewStringValue(today), structpb.NewNumberValue(1)}})
	w.team.series.TotalRows++
	a := analysed(t, w, "forecast visits for the next 10 days")
	require.Equal(t, "forecast", a.GetRequestKind())
	require.EqualValues(t, 10, a.GetPlan().GetSteps()[1].GetDays())
	require.Empty(t, a.GetPlan().GetUnanswered())
	r := a.GetResults()[1]
	require.Equal(t, analysisv1.StepStatus_STEP_STATUS_DONE, r.GetStatus(), r.GetProblem())
	require.Equal(t, commonv1.ChartKind_CHART_KIND_LINE, r.GetChart().GetKind())
	days := r.GetTables()[0].GetPage().GetRows()
	require.Len(t, days, 10)
	require.Equal(t, today, days[0].GetValues()[0].GetStringValue())
	for i, row := range days {
		want := float64(100 + 10*((7*20-1-i)%7)) // ages go on below zero
		require.InDelta(t, want, row.GetValues()[1].GetNumberValue(), 1e-6)
	}
	require.Len(t, r.GetTables()[1].GetPage().GetRows(), 3)
	require.Contains(t, strings.Join(a.GetSummary(), " "), "Forecast for "+today)
}

// TestASweepNamesWhatIsUnusual, most telling first.
func TestASweepNamesWhatIsUnusual(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.series = daily(w, 90, func(age int) float64 {
		v := float64(200 + 10*(age%7) + age*37%5)
		switch age {
		case 30:
			return v * 2
		case 50:
			return v / 2
		}
		return v
	})
	a := analysed(t, w, "look for anomalies of visits")
	rows := a.GetResults()[1].GetTables()[0].GetPage().GetRows()
	require.Len(t, rows, 2)
	for i, age := range []int{30, 50} {
		require.Equal(t, w.clock.Now().AddDate(0, 0, -1-age).Format(time.DateOnly), rows[i].GetValues()[2].GetStringValue())
	}
	require.Contains(t, fmt.Sprint(a.GetSummary()), w.clock.Now().AddDate(0, 0, -31).Format(time.DateOnly))
}

// TestTooLittleDataIsSaid: a series that is too short makes no forecast, and the report says
// how many days there are and how many it takes.
func TestTooLittleDataIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.series = daily(w, 20, func(int) float64 { return 5 })
	a := analysed(t, w, "forecast visits")
	r := a.GetResults()[1]
	require.Equal(t, analysisv1.StepStatus_STEP_STATUS_UNANSWERED, r.GetStatus())
	require.Contains(t, r.GetProblem(), "there are 20 days that are over, and 48 are needed")
	require.Len(t, a.GetPlan().GetAssumptions(), 1, "how far is assumed, and said")
}

// TestEachCheckIsAnsweredOrSaysWhyNot: one that the table does not allow leaves the others.
func TestEachCheckIsAnsweredOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := analysed(t, w, "data quality check of wards")
	require.Equal(t, "quality", a.GetRequestKind())
	var done, not []string
	for i, r := range a.GetResults()[:6] {
		study := a.GetPlan().GetSteps()[i].GetStudy().String()
		if r.GetStatus() == analysisv1.StepStatus_STEP_STATUS_DONE {
			require.Equal(t, []string{"SELECT " + study}, r.GetExecutedSql())
			done = append(done, study)
			continue
		}
		require.Equal(t, "no usual set", r.GetProblem())
		not = append(not, study)
	}
	require.Len(t, done, 5)
	require.Equal(t, []string{"STUDY_KIND_VALUES"}, not)
}

// TestAWaitingPlanSaysWhatItWouldRead: by the estimate of the cost gate; what is not known
// is told as such, and a new version of the plan is estimated anew.
func TestAWaitingPlanSaysWhatItWouldRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.process()
	a := begin(t, s, analysisv1.Review_REVIEW_WAIT)
	costs := a.GetPlan().GetCosts()
	require.Len(t, costs, 4, "the report reads nothing")
	require.EqualValues(t, []int64{4321, 1 << 20}, []int64{costs[1].GetRows(), costs[1].GetBytes()})
	require.EqualValues(t, []int64{-1, -1}, []int64{costs[0].GetRows(), costs[0].GetBytes()})
	require.Empty(t, w.team.ran)
	steps := a.GetPlan().GetSteps()
	again, err := decide(as(t.Context(), "ann"), s, &analysisv1.ResumeDecision{
		AnalysisId: a.GetAnalysisId(), Decision: analysisv1.Decision_DECISION_EDIT, PlanVersion: 1,
		Steps: []*analysisv1.PlanStep{steps[1], {Id: "report", Kind: analysisv1.StepKind_STEP_KIND_REPORT, Instruction: "write", Inputs: []string{"s2"}}},
	})
	require.NoError(t, err)
	require.Len(t, again.GetPlan().GetCosts(), 1)
	require.EqualValues(t, 4321, again.GetPlan().GetCosts()[0].GetRows())
	require.Empty(t, begin(t, s, analysisv1.Review_REVIEW_NONE).GetPlan().GetCosts(), "nobody looks at a plan that runs at once")
}
