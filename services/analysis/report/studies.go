package report

import (
	"slices"

	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// maxToldRows bounds the rows of a table that are told in sentences; the table has them all.
const maxToldRows = 5

// tell says a sentence of a row whose places are columns of the table.
func (d *draft) tell(key string, r *workflow.Result, t workflow.Table, row int) string {
	args := make(map[string]arg, len(t.Columns))
	for _, c := range t.Columns {
		args[c.Name] = d.cell(Ref{r.Step, t.Name, row, c.Name})
	}
	return d.say(key, args)
}

// columnOf is where a column stands; -1: nowhere.
func columnOf(t workflow.Table, name string) int {
	return slices.IndexFunc(t.Columns, func(c workflow.Column) bool { return c.Name == name })
}

// where are the rows in which a column is above zero, as far as they are told.
func where(t workflow.Table, column string) []int {
	var rows []int
	for i, v := range numbers(t, column) {
		if v != nil && v.Sign() > 0 && len(rows) < maxToldRows {
			rows = append(rows, i)
		}
	}
	return rows
}

// studyFacts are what is said of a look at a table.
func (d *draft) studyFacts(step plan.Step, r *workflow.Result) []string {
	t := r.Tables[0]
	var facts []string
	each := func(key string, rows []int) {
		for _, row := range rows {
			facts = append(facts, d.tell(key, r, t, row))
		}
	}
	all := make([]int, 0, maxToldRows)
	for i := range t.Rows[:min(len(t.Rows), maxToldRows)] {
		all = append(all, i)
	}
	switch step.Study {
	case "rows":
		key := "r_study_rows"
		if columnOf(t, "rows_without_key") >= 0 {
			key = "r_study_rows_key"
		}
		each(key, all)
	case "nulls":
		rows := where(t, "missing_share")
		shares := numbers(t, "missing_share")
		slices.SortStableFunc(rows, func(a, b int) int { return shares[b].Cmp(*shares[a]) })
		each("r_study_nulls", rows)
	case "ranges":
		each("r_study_negatives", where(t, "negatives"))
	case "dates":
		each("r_study_future", where(t, "in_future"))
		each("r_study_past", where(t, "too_early"))
	case "freshness":
		if len(t.Rows) > 0 && t.Rows[0][0] != nil {
			each("r_study_freshness", all)
		}
	case "values":
		value, usual := columnOf(t, "value"), columnOf(t, "usual_spelling")
		for _, row := range all {
			key := "r_study_values"
			if value >= 0 && usual >= 0 && t.Rows[row][value] == t.Rows[row][usual] {
				key = "r_study_rare"
			}
			each(key, []int{row})
		}
	case "cohort":
		facts = d.cohortFacts(r, t)
	case "funnel":
		facts = d.funnelFacts(r, t)
	}
	if len(facts) == 0 {
		facts = append(facts, d.say("r_study_"+step.Study+"_none", nil))
	}
	return facts
}

// cohortFacts say how many of the cohorts came back in the period after their first one.
func (d *draft) cohortFacts(r *workflow.Result, t workflow.Table) []string {
	since, retention := numbers(t, "periods_since"), numbers(t, "retention")
	most, least := -1, -1
	for i := range t.Rows {
		if since[i] == nil || since[i].Float64() != 1 || retention[i] == nil {
			continue
		}
		if most < 0 || retention[i].Cmp(*retention[most]) > 0 {
			most = i
		}
		if least < 0 || retention[i].Cmp(*retention[least]) < 0 {
			least = i
		}
	}
	if most < 0 {
		return nil
	}
	facts := []string{d.tell("r_study_cohort_most", r, t, most)}
	if least != most {
		facts = append(facts, d.tell("r_study_cohort_least", r, t, least))
	}
	return facts
}

// funnelFacts say where most are lost, and how many reach the last stage.
func (d *draft) funnelFacts(r *workflow.Result, t workflow.Table) []string {
	if len(t.Rows) < 2 {
		return nil
	}
	facts := []string{d.tell("r_study_funnel_end", r, t, len(t.Rows)-1)}
	if leak := extreme(numbers(t, "lost"), 1); leak > 0 && numbers(t, "lost")[leak].Sign() > 0 {
		facts = append([]string{d.say("r_study_funnel_leak", map[string]arg{
			"before": d.cell(Ref{r.Step, t.Name, leak - 1, "stage"}), "stage": d.cell(Ref{r.Step, t.Name, leak, "stage"}),
			"lost": d.cell(Ref{r.Step, t.Name, leak, "lost"}), "share_of_previous": d.cell(Ref{r.Step, t.Name, leak, "share_of_previous"}),
		})}, facts...)
	}
	return facts
}

// forecastFacts say the first and the last day to come, and how far off the method was.
func (d *draft) forecastFacts(r *workflow.Result) []string {
	days, methods := r.Tables[0], r.Tables[1]
	facts := []string{d.tell("r_forecast", r, days, 0)}
	if last := len(days.Rows) - 1; last > 0 {
		facts = append(facts, d.tell("r_forecast", r, days, last))
	}
	key := "r_forecast_method"
	if methods.Rows[0][2] == nil {
		key = "r_forecast_method_plain"
	}
	return append(facts, d.tell(key, r, methods, 0))
}

// unusualFacts say what a sweep found, most telling first.
func (d *draft) unusualFacts(r *workflow.Result) []string {
	t, swept := r.Tables[0], r.Tables[1]
	var looked []string
	for row, values := range swept.Rows {
		key := "r_looked_at"
		switch {
		case values[columnOf(swept, "problem")] != "":
			key = "r_not_looked_at"
		case len(t.Rows) == 0:
			key = "r_nothing_unusual"
		}
		looked = append(looked, d.tell(key, r, swept, row))
	}
	if len(t.Rows) == 0 {
		return looked
	}
	var facts []string
	shift := d.words.Say(d.state.Query.Language, "kind_shift")
	for i, row := range t.Rows[:min(len(t.Rows), maxToldRows)] {
		key := "r_outlier"
		if row[1] == shift {
			key = "r_shift"
		}
		facts = append(facts, d.tell(key, r, t, i))
	}
	return append(facts, looked...)
}

// segmentFacts say how many segments there are, and each of them; or that there are none.
func (d *draft) segmentFacts(r *workflow.Result) []string {
	last := r.Tables[len(r.Tables)-1]
	if len(r.Tables) == 1 {
		return []string{d.tell("r_no_segments", r, last, 0)}
	}
	facts := []string{d.tell("r_segments", r, last, 0)}
	for row := range r.Tables[0].Rows {
		facts = append(facts, d.tell("r_segment", r, r.Tables[0], row))
	}
	return facts
}

// relationFacts say which figures go together and which groups differ, what is more than
// chance first.
func (d *draft) relationFacts(r *workflow.Result) []string {
	t := r.Tables[0]
	sure := columnOf(t, "more_than_chance")
	pearson := numbers(t, "pearson")
	var facts, others []string
	for i, row := range t.Rows {
		is, _ := row[sure].(bool)
		key := "r_may_be_chance"
		switch {
		case t.Name == workflow.TableCorrelations && !is:
			key = "r_not_related"
		case t.Name == workflow.TableCorrelations && pearson[i].Sign() < 0:
			key = "r_related_down"
		case t.Name == workflow.TableCorrelations:
			key = "r_related_up"
		case is:
			key = "r_differs"
		}
		if is {
			facts = append(facts, d.tell(key, r, t, i))
		} else {
			others = append(others, d.tell(key, r, t, i))
		}
	}
	facts = append(facts, others...)
	return facts[:min(len(facts), maxToldRows)]
}
