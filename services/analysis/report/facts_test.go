package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

func text(name string) workflow.Column { return workflow.Column{Name: name, Type: "varchar"} }
func number(name, unit string) workflow.Column {
	return workflow.Column{Name: name, Type: "double", Label: name, Unit: unit}
}

// saidOf are the facts of one result, which all agree with its cells.
func saidOf(t *testing.T, kind plan.Kind, r workflow.Result) []string {
	t.Helper()
	r.Step = "s1"
	s := &workflow.State{Query: workflow.Query{Language: lang.English}, Results: []workflow.Result{r}}
	d := &draft{Writer: writer(t), state: s, cells: cellsOf(s)}
	facts := d.facts(plan.Step{ID: "s1", Kind: kind}, &r)
	for _, sentence := range d.said {
		require.NoError(t, d.cells.check(sentence))
	}
	return facts
}

// TestWhatIsSaidOfATable: the figure, how it moved, and of rows those that are largest,
// smallest, and moved most.
func TestWhatIsSaidOfATable(t *testing.T) {
	t.Parallel()
	compared := []workflow.Column{number("fees", "USD"), number("previous_fees", "USD"), number("fees_change", "USD"), number("fees_change_rate", "%")}
	of := func(columns []workflow.Column, rows ...[]any) workflow.Result {
		return workflow.Result{Tables: []workflow.Table{{Name: workflow.TableResult, Columns: columns, Rows: rows}}}
	}
	by := append([]workflow.Column{text("clinic")}, compared...)
	for name, c := range map[string]struct {
		result workflow.Result
		want   []string
	}{
		"no table":            {workflow.Result{}, []string{"There is no table."}},
		"no rows":             {of(by), []string{"There are no rows."}},
		"no figures":          {of([]workflow.Column{text("clinic")}, []any{"East"}), []string{"The rows are in the table."}},
		"no value":            {of(by[:2], []any{"East", nil}), []string{"The rows are in the table."}},
		"a figure":            {of(compared[:1], []any{7.5}), []string{"fees: 7.50 USD."}},
		"it rose":             {of(compared, []any{12.0, 10.0, 2.0, 0.2}), []string{"fees rose from 10 USD to 12 USD: 2 USD (20%)."}},
		"it fell":             {of(compared, []any{8.0, 10.0, -2.0, -0.2}), []string{"fees fell from 10 USD to 8 USD: -2 USD (-20%)."}},
		"it stayed":           {of(compared, []any{8.0, 8.0, 0.0, 0.0}), []string{"fees stayed at 8 USD."}},
		"from nothing":        {of(compared, []any{8.0, 0.0, 8.0, nil}), []string{"fees rose from 0 USD to 8 USD: 8 USD."}},
		"without a rate":      {of(compared[:3], []any{8.0, 10.0, -2.0}), []string{"fees fell from 10 USD to 8 USD: -2 USD."}},
		"without what it was": {of([]workflow.Column{compared[0], compared[2]}, []any{8.0, -2.0}), []string{"fees: 8 USD."}},
		"one row":             {of(by[:2], []any{"East", 7.0}), []string{"fees is 7 USD at East."}},
		"most and least":      {of(by[:2], []any{"East", 7.0}, []any{"West", 9.0}, []any{"South", 3.0}, []any{"North", nil}), []string{"Of those shown, fees is highest at West (9 USD) and lowest at South (3 USD)."}},
		"the first of equals": {of(by[:2], []any{"East", 7.0}, []any{"West", 7.0}), []string{"fees is 7 USD at East."}},
		"what fell most comes first": {of(by, []any{"East", 12.0, 10.0, 2.0, 0.2}, []any{"West", 5.0, 10.0, -5.0, -0.5}), []string{
			"fees fell most in West: from 10 USD to 5 USD: -5 USD (-50%).", "fees rose most in East: from 10 USD to 12 USD: 2 USD (20%).", "Of those shown, fees is highest at East (12 USD) and lowest at West (5 USD).",
		}},
		"what rose most comes first": {of(by, []any{"East", 18.0, 10.0, 8.0, 0.8}, []any{"West", 5.0, 10.0, -5.0, -0.5}), []string{
			"fees rose most in East: from 10 USD to 18 USD: 8 USD (80%).", "fees fell most in West: from 10 USD to 5 USD: -5 USD (-50%).", "Of those shown, fees is highest at East (18 USD) and lowest at West (5 USD).",
		}},
		"all rose": {of(by, []any{"East", 18.0, 10.0, 8.0, 0.8}, []any{"West", 15.0, 10.0, 5.0, 0.5}), []string{
			"fees rose most in East: from 10 USD to 18 USD: 8 USD (80%).", "Of those shown, fees is highest at East (18 USD) and lowest at West (15 USD).",
		}},
	} {
		require.Equal(t, c.want, saidOf(t, plan.SQL, c.result), name)
	}
}

// TestWhatIsSaidOfAChange: the change with its periods, what came of it, and each part.
func TestWhatIsSaidOfAChange(t *testing.T) {
	t.Parallel()
	figures := func(before, after, change float64, rate any) workflow.Table {
		return workflow.Table{Name: workflow.TableFigures, Columns: []workflow.Column{
			text("metric"), text("before_period"), number("before", "USD"), text("after_period"), number("after", "USD"), number("change", "USD"), number("change_rate", "%"),
		}, Rows: [][]any{{"fees", "March", before, "April", after, change, rate}}}
	}
	parts := func(name string, rows ...[]any) workflow.Table {
		return workflow.Table{Name: name, Columns: []workflow.Column{text("name"), number("before", ""), number("after", ""), number("accounts", "USD"), number("share", "%")}, Rows: rows}
	}
	for name, c := range map[string]struct {
		result workflow.Result
		want   []string
	}{
		"it rose":    {workflow.Result{Tables: []workflow.Table{figures(10, 12, 2, 0.2)}}, []string{"fees rose from 10 USD (March) to 12 USD (April): 2 USD (20%)."}},
		"it fell":    {workflow.Result{Tables: []workflow.Table{figures(12, 9, -3, -0.25)}}, []string{"fees fell from 12 USD (March) to 9 USD (April): -3 USD (-25%)."}},
		"it stayed":  {workflow.Result{Tables: []workflow.Table{figures(9, 9, 0, 0.0)}}, []string{"fees is 9 USD in both periods (March; April)."}},
		"no rate":    {workflow.Result{Tables: []workflow.Table{figures(0, 9, 9, nil)}}, []string{"fees rose from 0 USD (March) to 9 USD (April): 9 USD."}},
		"no figures": {workflow.Result{Outcome: "no_change", Tables: []workflow.Table{parts(workflow.TableFactors)}}, []string{"Both periods are the same."}},
		"all of it": {workflow.Result{Outcome: "one_cause", Tables: []workflow.Table{
			figures(10, 12, 2, 0.2), parts(workflow.TableFactors, []any{"visits", 5.0, 6.0, 2.0, 1.0}), parts(workflow.TableElements, []any{"clinic: East", 4.0, 7.0, 3.0, 1.5}, []any{"clinic: West", 6.0, 5.0, -1.0, -0.5}),
		}}, []string{
			"fees rose from 10 USD (March) to 12 USD (April): 2 USD (20%).", "One group accounts for most of it.",
			"clinic: East went from 4 to 7 and accounts for 3 USD, 150% of the change.", "clinic: West went from 6 to 5 and accounts for -1 USD, -50% of the change.",
			"By factors, visits (5 before, 6 after) accounts for 2 USD, 100% of the change.",
		}},
		"none stands out": {workflow.Result{Outcome: "evenly_spread", Tables: []workflow.Table{
			figures(10, 12, 2, 0.2), parts(workflow.TableElements, []any{"clinic: East", 4.0, 7.0, 3.0, 1.5}),
		}}, []string{
			"fees rose from 10 USD (March) to 12 USD (April): 2 USD (20%).", "All groups moved alike; none stands out.",
			"Among the largest parts: clinic: East went from 4 to 7, 3 USD, 150% of the change.",
		}},
		"an outcome without words": {workflow.Result{Outcome: "unspecified", Tables: []workflow.Table{figures(10, 12, 2, nil)}}, []string{"fees rose from 10 USD (March) to 12 USD (April): 2 USD."}},
	} {
		require.Equal(t, c.want, saidOf(t, plan.ExplainChange, c.result), name)
	}
}

// TestFewGroupsAreListed with their figures, as the ends of a ranking are; of more, or of
// days, the highest and the lowest are said.
func TestFewGroupsAreListed(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"East", 9.0}, {"West", 7.5}}
	said := func(expects plan.Shape) []string {
		r := workflow.Result{Step: "s1", Tables: []workflow.Table{{Name: workflow.TableResult, Columns: []workflow.Column{text("clinic"), number("fees", "USD")}, Rows: rows}}}
		step := plan.Step{ID: "s1", Kind: plan.SQL, Title: "Highest fees", Expects: expects}
		s := &workflow.State{Query: workflow.Query{Language: lang.English}, Plan: plan.Plan{Steps: []plan.Step{step}}, Results: []workflow.Result{r}}
		d := &draft{Writer: writer(t), state: s, cells: cellsOf(s)}
		facts := d.facts(step, &r)
		for _, sentence := range d.said {
			require.NoError(t, d.cells.check(sentence))
		}
		return facts
	}
	require.Equal(t, []string{"Highest fees: East (9 USD), West (7.50 USD)."}, said(plan.Categories))
	require.Equal(t, []string{"Of those shown, fees is highest at East (9 USD) and lowest at West (7.50 USD)."}, said(plan.Series))
	rows = append(rows, []any{"North", 6.0}, []any{"South", 5.0}, []any{"Hill", 4.0}, []any{"Dale", 3.0})
	require.Equal(t, []string{"Of those shown, fees is highest at East (9 USD) and lowest at Dale (3 USD)."}, said(plan.Categories))
}

// TestValuesWithTheirUnits, as people read them.
func TestValuesWithTheirUnits(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		value any
		unit  string
	}{"1,234.5": {1234.5, ""}, "1,234.50 USD": {1234.5, "USD"}, "1,234 USD": {1234.0, "USD"}, "1,234.5 kg": {1234.5, "kg"}, "0.125 USD": {.125, "USD"}, "12%": {0.12, "%"}, "12.5%": {0.125, "fraction"}, "2 pp": {0.02, "pp"}} {
		require.Equal(t, want, textOf(c.value, number("x", c.unit)))
	}
	require.Equal(t, "East", textOf("East", text("clinic")))
	require.Equal(t, "20260101", textOf("20260101", text("day")), "digits of a text are no number")
}
