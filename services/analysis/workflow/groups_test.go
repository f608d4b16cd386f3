package workflow

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/plan"
)

// computed runs a step over tables that are there, one an input.
func computed(t *testing.T, kind plan.Kind, l lang.Language, tables ...Table) *Result {
	t.Helper()
	w := made(t, &others{}, nil)
	s := asking("visits")
	s.Query.Language = l
	step := plan.Step{ID: "c", Kind: kind, Title: "Computed", Instruction: "compute"}
	s.Plan = plan.Plan{Version: 1}
	for i, table := range tables {
		id := fmt.Sprint("s", i+1)
		step.Inputs = append(step.Inputs, id)
		s.Plan.Steps = append(s.Plan.Steps, plan.Step{ID: id, Kind: plan.SQL, Title: id, Instruction: "visits"})
		s.Results = append(s.Results, Result{Step: id, Status: StepDone, Tables: []Table{table}})
	}
	s.Plan.Steps = append(s.Plan.Steps, step, plan.Step{ID: "report", Kind: plan.Report, Instruction: "write", Inputs: []string{"c"}})
	s.Next, s.Valid = PlanExecutor, true
	to(t, w, s)
	require.Equal(t, run.StatusSucceeded, s.Status, s.Error)
	return s.result("c")
}

func clinics(n int, of func(i int) (visits, fees any)) Table {
	t := Table{Name: TableResult, Columns: []Column{{Name: "clinic_id", Type: "bigint"}, {Name: "clinic", Type: "varchar"}, {Name: "visits", Type: "bigint", Label: "Visits"}, {Name: "fees", Type: "double", Unit: "NOK"}}}
	for i := range n {
		visits, fees := of(i)
		t.Rows = append(t.Rows, []any{int64(i), fmt.Sprint("c", i), visits, fees})
	}
	return t
}

// TestSegmentsAreNamedByWhatTheyHave: in words of both languages, with their sizes and means,
// the rows of each, and a cloud of points for each.
func TestSegmentsAreNamedByWhatTheyHave(t *testing.T) {
	t.Parallel()
	rows := clinics(61, func(i int) (any, any) {
		if i == 60 {
			return int64(100), nil // left out and said
		}
		if i%3 == 0 {
			return int64(900 + i), 20 + float64(i%7)
		}
		return int64(100 + i), 500 + float64(i%11)
	})
	for l, names := range map[lang.Language][]string{
		lang.English: {"low fees, high Visits", "high fees, low Visits"}, lang.Chinese: {"fees低、Visits高", "fees高、Visits低"},
	} {
		r := computed(t, plan.Segments, l, rows)
		require.Equal(t, StepDone, r.Status, r.Problem)
		require.Equal(t, []string{TableSegments, TableMembers, TableDivision}, []string{r.Tables[0].Name, r.Tables[1].Name, r.Tables[2].Name})
		sum := 0.
		for i := 0; i < 60; i += 3 {
			sum += float64(900 + i)
		}
		require.Equal(t, []any{names[0], int64(20), 1. / 3, settled(sum / 20)}, r.Tables[0].Rows[0][:4])
		require.Equal(t, names[1], r.Tables[0].Rows[1][0])
		require.Equal(t, "NOK", r.Tables[0].Columns[4].Unit)
		require.Len(t, r.Tables[1].Rows, 60)
		for i, row := range r.Tables[1].Rows {
			require.Equal(t, names[map[bool]int{true: 0, false: 1}[i%3 == 0]], row[4])
		}
		require.Equal(t, []any{int64(60), int64(1), int64(2)}, r.Tables[2].Rows[0][:3])
		require.Equal(t, "ROWS_LEFT_OUT", r.Warnings[0].Code)
		drawn, err := chart.ReadOption(r.Chart.Option)
		require.NoError(t, err)
		require.Equal(t, chart.Scatter, drawn.Kind)
		require.Len(t, drawn.Series, 2)
		require.Len(t, drawn.Series[0].Points, 20)
		require.Equal(t, "fees (NOK)", drawn.Y.Name)
	}
}

// TestRowsWithoutSegmentsAreToldSo, and what cannot be divided with its reason.
func TestRowsWithoutSegmentsAreToldSo(t *testing.T) {
	t.Parallel()
	even := clinics(100, func(i int) (any, any) { return int64(i * 37 % 100), float64(i * 61 % 100) })
	r := computed(t, plan.Segments, lang.English, even)
	require.Equal(t, StepDone, r.Status, r.Problem)
	require.Len(t, r.Tables, 1)
	require.Equal(t, int64(0), r.Tables[0].Rows[0][2])
	require.Empty(t, r.Chart.Option)

	r = computed(t, plan.Segments, lang.English, clinics(6, func(i int) (any, any) { return int64(i), 1. }))
	require.Contains(t, r.Problem, "there are 6 rows")
	r = computed(t, plan.Segments, lang.English, clinics(30, func(int) (any, any) { return int64(3), 1. }))
	require.Contains(t, r.Problem, "the same in all rows")
	words := even
	words.Columns = []Column{{Name: "a", Type: "varchar"}, {Name: "b", Type: "varchar"}, {Name: "c", Type: "varchar"}, {Name: "d", Type: "varchar"}}
	require.Contains(t, computed(t, plan.Segments, lang.English, words).Problem, "do not have the figures")
}

// TestRelationsAreTestedByWhatTheRowsAre: figures side by side, groups, shares, and two
// series of the same days; each is told with its test, and chance as such.
func TestRelationsAreTestedByWhatTheRowsAre(t *testing.T) {
	t.Parallel()
	together := clinics(40, func(i int) (any, any) { return int64(i * 37 % 40), 3*float64(i*37%40) + float64(i*7%5) })
	r := computed(t, plan.Relation, lang.English, together)
	require.Equal(t, TableCorrelations, r.Tables[0].Name)
	require.Equal(t, []any{"Visits", "fees", int64(40), 40.}, r.Tables[0].Rows[0][:4])
	require.Equal(t, []any{"< 0.001", true}, r.Tables[0].Rows[0][6:])
	apart := clinics(40, func(i int) (any, any) { return int64(i * 37 % 40), float64(i * 23 % 17) })
	require.Equal(t, false, computed(t, plan.Relation, lang.English, apart).Tables[0].Rows[0][7])

	groups := Table{Name: TableResult, Columns: []Column{{Name: "fee", Type: "double"}, {Name: "town", Type: "varchar"}}}
	kinds := Table{Name: TableResult, Columns: []Column{{Name: "came", Type: "boolean"}, {Name: "town", Type: "varchar"}}}
	for i := range 90 {
		town := []string{"Oslo", "Bergen", "Moss"}[i%3]
		groups.Rows = append(groups.Rows, []any{float64(i*31%17) + map[string]float64{"Moss": 20}[town], town})
		kinds.Rows = append(kinds.Rows, []any{i%3 == 0 || i%5 == 0, town})
	}
	r = computed(t, plan.Relation, lang.English, groups)
	require.Len(t, r.Tables[0].Rows, 3)
	for _, row := range r.Tables[0].Rows {
		require.Equal(t, row[1] == "Moss" || row[2] == "Moss", row[12], "%v", row)
		require.Equal(t, "Welch's test", row[10])
	}
	r = computed(t, plan.Relation, lang.English, kinds)
	require.Equal(t, []any{"share of came being true", "Bergen", "Moss", int64(30), int64(30), .2, .2}, r.Tables[0].Rows[0][:7])
	require.Equal(t, false, r.Tables[0].Rows[0][12])
	require.Equal(t, true, r.Tables[0].Rows[1][12])

	day := func(level float64) Table {
		t := Table{Name: TableResult, Columns: []Column{{Name: "day", Type: "date"}, {Name: "visits", Type: "double"}}}
		for i := range 60 {
			noise := math.Sin(float64(i*i)) + level*math.Cos(float64(3*i*i))
			t.Rows = append(t.Rows, []any{today.AddDate(0, 0, -i).Format(time.DateOnly), level + 10*float64(i%7) + noise})
		}
		return t
	}
	r = computed(t, plan.Relation, lang.English, day(5), day(2))
	require.Equal(t, TableDifferences, r.Tables[0].Name)
	require.Equal(t, []any{"visits", "s1", "s2", int64(59), int64(59)}, r.Tables[0].Rows[0][:5], "a day that is not over is left out")
	require.Equal(t, true, r.Tables[0].Rows[0][12])
	require.Contains(t, computed(t, plan.Relation, lang.English, Table{Name: TableResult, Columns: day(1).Columns, Rows: day(1).Rows[:40]}).Problem, "neither two figures")
}
