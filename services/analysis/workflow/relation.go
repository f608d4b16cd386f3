package workflow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/statistics"
)

const (
	// maxPairs bounds the pairs of figures or groups that are tested together.
	maxPairs = 45
	// maxGroups bounds the groups of a column that are compared: those with most rows.
	maxGroups = 8
)

// relation says whether the figures of its input go together, or its groups differ, by more
// than chance. Of two inputs the first figures are compared.
func (w *Workflow) relation(ctx context.Context, s *State, step plan.Step) (*Result, error) {
	tables := make([]Table, len(step.Inputs))
	for i, id := range step.Inputs {
		var err error
		if tables[i], err = w.table(ctx, s, id); err != nil {
			return nil, err
		}
	}
	var out *Result
	var err error
	if len(tables) == 2 {
		out, err = w.twoSeries(s, step, tables[0], tables[1])
	} else {
		out, err = w.within(s, tables[0])
	}
	if err != nil {
		return nil, w.explained(s, err)
	}
	return out, nil
}

// of are the columns of a table by what they hold.
func columnsOf(t Table) (days, names, figures []int) {
	figures = figureColumns(t)
	for i, c := range t.Columns {
		switch kind := (result.Column{Type: c.Type}).Kind(); {
		case slices.Contains(figures, i):
		case kind == result.KindDate || kind == result.KindTimestamp:
			days = append(days, i)
		default:
			names = append(names, i)
		}
	}
	return days, names, figures
}

// within looks at the rows of one table: two groups or more of a figure, of what a column
// of two values says, or figures side by side.
func (w *Workflow) within(s *State, t Table) (*Result, error) {
	days, names, figures := columnsOf(t)
	switch {
	case len(figures) >= 2:
		return w.correlations(s, t, days, figures)
	case len(figures) == 1 && len(names) > 0:
		return w.groups(s, t, days, names[len(names)-1], figures[0])
	case len(figures) == 0 && len(names) == 2:
		return w.shares(s, t, names[0], names[1])
	}
	return nil, w.cannot(s, "no_relation")
}

// correlations are those of each pair of figures, adjusted for how many pairs there are.
func (w *Workflow) correlations(s *State, t Table, days, figures []int) (*Result, error) {
	t.Rows = w.over(s, t, days)
	column := func(name, typ string) Column { return Column{Name: name, Type: typ, Label: w.say(s, "column_"+name)} }
	out := Table{Name: TableCorrelations, Columns: []Column{
		column("first", "varchar"), column("second", "varchar"), column("rows", "bigint"), column("independent", "double"),
		column("pearson", "double"), column("spearman", "double"), column("p", "varchar"), column("more_than_chance", "boolean"),
	}}
	var p []float64
	var problem error
	for i, a := range figures {
		for _, b := range figures[i+1:] {
			if len(p) == maxPairs {
				break
			}
			_, values := complete(t, []int{a, b})
			x, y := make([]float64, len(values)), make([]float64, len(values))
			for n, pair := range values {
				x[n], y[n] = pair[0], pair[1]
			}
			c, err := statistics.Correlate(x, y, len(days) > 0)
			if err != nil {
				problem = err
				continue
			}
			p = append(p, c.P)
			out.Rows = append(out.Rows, []any{
				t.Columns[a].called(), t.Columns[b].called(), int64(c.Rows), math.Round(c.Effective*10) / 10, settled(c.Pearson), settled(c.Spearman), "", false,
			})
		}
	}
	if len(p) == 0 {
		return nil, problem
	}
	judge(out.Rows, p)
	return &Result{Tables: []Table{out}}, nil
}

// over are the rows of days that are over, in their order; all where there are no days.
func (w *Workflow) over(s *State, t Table, days []int) [][]any {
	if len(days) == 0 {
		return t.Rows
	}
	today := s.Query.Now.Format(time.DateOnly)
	rows := slices.DeleteFunc(slices.Clone(t.Rows), func(row []any) bool { day := dayOf(row, days[0]); return day == "" || day >= today })
	slices.SortStableFunc(rows, func(a, b []any) int { return strings.Compare(dayOf(a, days[0]), dayOf(b, days[0])) })
	return rows
}

func dayOf(row []any, column int) string {
	text, _ := row[column].(string)
	return text
}

// judge sets the last two cells of each row by its p-value, adjusted for how many there are.
func judge(rows [][]any, p []float64) {
	for i, adjusted := range statistics.Adjusted(p) {
		text := fmt.Sprintf("= %.3f", adjusted)
		if adjusted < .001 {
			text = "< 0.001"
		}
		last := len(rows[i])
		rows[i][last-2], rows[i][last-1] = text, adjusted < statistics.Significant
	}
}

// differences is the table of a comparison, without rows.
func (w *Workflow) differences(s *State, unit string) Table {
	column := func(name, typ, unit string) Column {
		return Column{Name: name, Type: typ, Label: w.say(s, "column_"+name), Unit: unit}
	}
	gap := unit
	if unit == "%" || unit == "fraction" {
		gap = "pp"
	}
	return Table{Name: TableDifferences, Columns: []Column{
		column("figure", "varchar", ""), column("group_a", "varchar", ""), column("group_b", "varchar", ""), column("rows_a", "bigint", ""), column("rows_b", "bigint", ""),
		column("mean_a", "double", unit), column("mean_b", "double", unit), column("difference", "double", gap), column("low", "double", gap), column("high", "double", gap),
		column("test", "varchar", ""), column("p", "varchar", ""), column("more_than_chance", "boolean", ""),
	}}
}

func (w *Workflow) difference(s *State, figure, a, b string, d statistics.Difference) []any {
	finite := func(v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return settled(v)
	}
	return []any{
		figure, a, b, int64(d.RowsA), int64(d.RowsB), settled(d.MeanA), settled(d.MeanB), settled(d.Difference), finite(d.Low), finite(d.High),
		w.say(s, "test_"+string(d.Test)), "", false,
	}
}

// group is what the rows of one value of a column have.
type group struct {
	name   string
	days   []string // one for each value, where the rows have days
	values []float64
}

// groupsOf are the groups of a column with most rows.
func (w *Workflow) groupsOf(t Table, days []int, by, figure int) []group {
	at := make(map[string]int)
	var out []group
	for _, row := range t.Rows {
		v, ok := number(t, row, figure)
		name, _ := result.Text(row[by], result.Column{Type: t.Columns[by].Type})
		if !ok || row[by] == nil {
			continue
		}
		if _, known := at[name]; !known {
			at[name] = len(out)
			out = append(out, group{name: name})
		}
		g := &out[at[name]]
		g.values = append(g.values, v)
		if len(days) > 0 {
			g.days = append(g.days, dayOf(row, days[0]))
		}
	}
	slices.SortStableFunc(out, func(a, b group) int {
		if more := len(b.values) - len(a.values); more != 0 {
			return more
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}

// compare compares two groups: by the days that both have where each has one figure a day.
func compare(a, b group) (statistics.Difference, error) {
	if len(a.days) == 0 || len(b.days) == 0 {
		return statistics.Compare(a.values, b.values)
	}
	byDay := make(map[string]float64, len(b.days))
	for i, day := range b.days {
		byDay[day] = b.values[i]
	}
	seen := make(map[string]bool, len(a.days))
	var x, y []float64
	for i, day := range a.days {
		if v, both := byDay[day]; both {
			x, y = append(x, a.values[i]), append(y, v)
		}
		seen[day] = true
	}
	if len(byDay) < len(b.days) || len(seen) < len(a.days) { // several rows a day
		return statistics.Compare(a.values, b.values)
	}
	return statistics.ComparePaired(x, y)
}

// groups compares a figure between the groups of a column, each with each.
func (w *Workflow) groups(s *State, t Table, days []int, by, figure int) (*Result, error) {
	t.Rows = w.over(s, t, days)
	all := w.groupsOf(t, days, by, figure)
	return w.pairs(s, t.Columns[figure], all)
}

func (w *Workflow) pairs(s *State, figure Column, all []group) (*Result, error) {
	if len(all) < 2 {
		return nil, w.cannot(s, "one_group")
	}
	out := w.differences(s, figure.Unit)
	var p []float64
	var problem error
	compared := all[:min(len(all), maxGroups)]
	for i, a := range compared {
		for _, b := range compared[i+1:] {
			d, err := compare(a, b)
			if few := (*statistics.TooFewError)(nil); errors.As(err, &few) {
				problem = err
				continue
			} else if err != nil {
				return nil, err
			}
			p = append(p, d.P)
			out.Rows = append(out.Rows, w.difference(s, figure.called(), a.name, b.name, d))
		}
	}
	if len(p) == 0 {
		return nil, problem
	}
	judge(out.Rows, p)
	r := &Result{Tables: []Table{out}}
	if len(all) > maxGroups {
		r.Warnings = append(r.Warnings, Warning{Code: "GROUPS_LEFT_OUT", Text: w.say(s, "groups_left_out")})
	}
	return r, nil
}

// twoSeries compares the figures of two steps.
func (w *Workflow) twoSeries(s *State, step plan.Step, a, b Table) (*Result, error) {
	var groups []group
	var figure Column
	for i, t := range []Table{a, b} {
		days, _, figures := columnsOf(t)
		if len(figures) != 1 {
			return nil, w.cannot(s, "no_figures", "step", step.Inputs[i])
		}
		g := group{name: step.Inputs[i]}
		if input, ok := s.Plan.Step(step.Inputs[i]); ok && input.Title != "" {
			g.name = input.Title
		}
		if i < len(s.Request.Filters) && len(s.Request.Filters) == 2 && s.Request.Kind == "relation" {
			g.name = s.Request.Filters[i]
		}
		for _, row := range w.over(s, t, days) {
			v, ok := number(t, row, figures[0])
			if !ok {
				continue
			}
			g.values = append(g.values, v)
			if len(days) > 0 {
				g.days = append(g.days, dayOf(row, days[0]))
			}
		}
		groups = append(groups, g)
		if i == 0 {
			figure = t.Columns[figures[0]]
		}
	}
	return w.pairs(s, figure, groups)
}

// shares compares how many rows of each group have the value of a column of two. Of two
// columns that both could be it, the first one is.
func (w *Workflow) shares(s *State, t Table, outcome, by int) (*Result, error) {
	values := func(column int) []string {
		var out []string
		for _, row := range t.Rows {
			if text, _ := result.Text(row[column], result.Column{Type: t.Columns[column].Type}); row[column] != nil && !slices.Contains(out, text) {
				if out = append(out, text); len(out) > maxGroups {
					break
				}
			}
		}
		slices.Sort(out)
		return out
	}
	kinds := values(outcome)
	if len(kinds) != 2 {
		outcome, by = by, outcome
		kinds = values(outcome)
	}
	groups := values(by)
	if len(kinds) != 2 || len(groups) < 2 || len(groups) > maxGroups {
		return nil, w.cannot(s, "no_shares")
	}
	have, rows := make(map[string]int), make(map[string]int)
	for _, row := range t.Rows {
		if row[outcome] == nil || row[by] == nil {
			continue
		}
		name, _ := result.Text(row[by], result.Column{Type: t.Columns[by].Type})
		kind, _ := result.Text(row[outcome], result.Column{Type: t.Columns[outcome].Type})
		rows[name]++
		if kind == kinds[1] {
			have[name]++
		}
	}
	figure := w.say(s, "share_of", "column", t.Columns[outcome].called(), "value", kinds[1])
	out := w.differences(s, "%")
	var p []float64
	var problem error
	for i, a := range groups {
		for _, b := range groups[i+1:] {
			d, err := statistics.CompareShares(have[a], rows[a], have[b], rows[b])
			if err != nil {
				problem = err
				continue
			}
			p = append(p, d.P)
			out.Rows = append(out.Rows, w.difference(s, figure, a, b, d))
		}
	}
	if len(p) == 0 {
		return nil, problem
	}
	judge(out.Rows, p)
	return &Result{Tables: []Table{out}}, nil
}
