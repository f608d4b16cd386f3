package report

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// measure is a column of figures with those that compare it, by the names that text to
// SQL gives them; one that is not there is "".
type measure struct {
	name, previous, change, rate string
	label                        string
}

// prefixes and suffixes of the columns of a comparison.
const (
	previousPrefix = "previous_"
	changeSuffix   = "_change"
	rateSuffix     = "_change_rate"
)

// columnNames are the names of a table's columns of figures, and of the first others.
func columnNames(t workflow.Table) (figures []workflow.Column, names []workflow.Column) {
	for _, c := range t.Columns {
		if (result.Column{Type: c.Type}).Kind().Numeric() && !c.Identifies() {
			figures = append(figures, c)
		} else {
			names = append(names, c)
		}
	}
	return figures, names
}

func measureOf(t workflow.Table) (measure, bool) {
	figures, _ := columnNames(t)
	has := func(name string) string {
		if slices.ContainsFunc(figures, func(c workflow.Column) bool { return c.Name == name }) {
			return name
		}
		return ""
	}
	if len(figures) == 0 {
		return measure{}, false
	}
	first := figures[0]
	m := measure{name: first.Name, label: first.Label}
	if m.label == "" {
		m.label = first.Name
	}
	m.previous, m.change, m.rate = has(previousPrefix+first.Name), has(first.Name+changeSuffix), has(first.Name+rateSuffix)
	return m, true
}

// facts are what is said of a result, the most telling first. Each number is a cell.
func (d *draft) facts(step plan.Step, r *workflow.Result) []string {
	if len(r.Tables) == 0 {
		return []string{d.say("r_no_table", nil)}
	}
	switch step.Kind {
	case plan.ExplainChange:
		return d.changeFacts(r)
	case plan.Forecast:
		return d.forecastFacts(r)
	case plan.Anomalies:
		return d.unusualFacts(r)
	case plan.Segments:
		return d.segmentFacts(r)
	case plan.Relation:
		return d.relationFacts(r)
	case plan.Study:
		return d.studyFacts(step, r)
	}
	t := r.Tables[0]
	m, ok := measureOf(t)
	if len(t.Rows) == 0 {
		return []string{d.say("r_no_rows", nil)}
	}
	if !ok {
		return []string{d.say("r_rows", nil)}
	}
	_, names := columnNames(t)
	at := func(row int, column string) arg { return d.cell(Ref{r.Step, t.Name, row, column}) }
	if len(names) == 0 {
		if len(t.Rows) == 1 && m.previous != "" && m.change != "" {
			return []string{d.moved(t, 0, m, nil, at)}
		}
		if len(t.Rows) > 1 { // none of them has a name
			return []string{d.say("r_rows", nil)}
		}
		return []string{d.say("r_figure", map[string]arg{"label": quoted(m.label), "value": at(0, m.name)})}
	}
	if step.Expects == plan.Categories && m.change == "" && len(names) == 1 && len(t.Rows) > 1 && len(t.Rows) <= mostListed {
		return []string{d.listed(step.Title, t, names[0].Name, m.name, at)}
	}
	return d.rowFacts(t, m, names[0], at)
}

// mostListed is how many groups a sentence lists, each with its figure.
const mostListed = 5

// listed says each group with its figure, in their order.
func (d *draft) listed(title string, t workflow.Table, by, figure string, at cellAt) string {
	s := d.fill("r_listed", map[string]arg{"title": quoted(title)})
	for row := range t.Rows {
		key := "r_listed_next"
		if row == 0 {
			key = "r_listed_first"
		}
		s = append(s, d.fill(key, map[string]arg{"name": at(row, by), "value": at(row, figure)})...)
	}
	s = append(s, d.fill("r_listed_end", nil)...)
	d.said = append(d.said, s)
	return s.String()
}

type cellAt func(row int, column string) arg

// rowFacts are those of rows by category or by day.
func (d *draft) rowFacts(t workflow.Table, m measure, by workflow.Column, at cellAt) []string {
	values := numbers(t, m.name)
	most, least := extreme(values, 1), extreme(values, -1)
	if most < 0 {
		return []string{d.say("r_rows", nil)}
	}
	args := map[string]arg{"label": quoted(m.label), "most": at(most, by.Name), "most_value": at(most, m.name)}
	key := "r_most"
	if least != most {
		key, args["least"], args["least_value"] = "r_most_least", at(least, by.Name), at(least, m.name)
	}
	facts := []string{d.say(key, args)}
	if m.change == "" || m.previous == "" {
		return facts
	}
	changes := numbers(t, m.change)
	signs := []int{1, -1}
	if up, down := extreme(changes, 1), extreme(changes, -1); up >= 0 && changes[down].Abs().Cmp(changes[up].Abs()) > 0 {
		signs = []int{-1, 1} // what moved most comes first
	}
	for _, sign := range signs {
		row := extreme(changes, sign)
		if row < 0 || changes[row].Sign() != sign {
			continue
		}
		facts = append(facts, d.moved(t, row, m, at(row, by.Name), at))
	}
	// What moved most says more than what is largest.
	if len(facts) > 1 {
		facts = append(facts[1:], facts[0])
	}
	return facts
}

// moved says how a figure moved in a row; who is the row's name, nil for the whole.
func (d *draft) moved(t workflow.Table, row int, m measure, who arg, at cellAt) string {
	key := "r_same"
	switch change := numbers(t, m.change)[row]; {
	case change != nil && change.Sign() > 0:
		key = "r_rose"
	case change != nil && change.Sign() < 0:
		key = "r_fell"
	}
	args := map[string]arg{"label": quoted(m.label), "before": at(row, m.previous), "after": at(row, m.name), "change": at(row, m.change)}
	if who != nil {
		key, args["who"] = key+"_most", who
	}
	if m.rate != "" && numbers(t, m.rate)[row] != nil {
		key, args["rate"] = key+"_rate", at(row, m.rate)
	}
	return d.say(key, args)
}

// changeFacts are those of a change and what accounts for it.
func (d *draft) changeFacts(r *workflow.Result) []string {
	table := func(name string) (workflow.Table, bool) {
		i := slices.IndexFunc(r.Tables, func(t workflow.Table) bool { return t.Name == name })
		if i < 0 || len(r.Tables[i].Rows) == 0 {
			return workflow.Table{}, false
		}
		return r.Tables[i], true
	}
	var facts []string
	if t, ok := table(workflow.TableFigures); ok {
		at := func(row int, column string) arg { return d.cell(Ref{r.Step, t.Name, row, column}) }
		key := "r_change_same"
		switch n := numbers(t, "change")[0]; {
		case n != nil && n.Sign() > 0:
			key = "r_change_rose"
		case n != nil && n.Sign() < 0:
			key = "r_change_fell"
		}
		args := map[string]arg{
			"metric": at(0, "metric"), "before": at(0, "before"), "after": at(0, "after"), "change": at(0, "change"),
			"before_period": at(0, "before_period"), "after_period": at(0, "after_period"),
		}
		if numbers(t, "change_rate")[0] != nil {
			key, args["rate"] = key+"_rate", at(0, "change_rate")
		}
		facts = append(facts, d.say(key, args))
	}
	if key := "r_outcome_" + strings.ToLower(r.Outcome); d.words.Has(key) {
		facts = append(facts, d.say(key, nil))
	}
	element := "r_accounts"
	if slices.Contains([]string{"evenly_spread", "nothing_unusual"}, r.Outcome) { // none of them stands out
		element = "r_largest"
	}
	for _, part := range []struct{ table, key string }{{workflow.TableElements, element}, {workflow.TableFactors, "r_factor"}} {
		t, ok := table(part.table)
		for row := range t.Rows {
			if !ok {
				break
			}
			at := func(column string) arg { return d.cell(Ref{r.Step, t.Name, row, column}) }
			facts = append(facts, d.say(part.key, map[string]arg{
				"name": at("name"), "before": at("before"), "after": at("after"), "accounts": at("accounts"), "share": at("share"),
			}))
		}
	}
	return facts
}

// numbers are the values of a column; nil where there is none.
func numbers(t workflow.Table, column string) []*result.Number {
	out := make([]*result.Number, len(t.Rows))
	at := slices.IndexFunc(t.Columns, func(c workflow.Column) bool { return c.Name == column })
	if at < 0 {
		return out
	}
	for i, row := range t.Rows {
		if n, ok := result.NumberOf(row[at], result.Column{Type: t.Columns[at].Type}); ok && row[at] != nil {
			out[i] = &n
		}
	}
	return out
}

// extreme is the row with the largest (sign 1) or smallest value; -1: none has one.
func extreme(values []*result.Number, sign int) int {
	best := -1
	for i, v := range values {
		if v != nil && (best < 0 || v.Cmp(*values[best])*sign > 0) {
			best = i
		}
	}
	return best
}
