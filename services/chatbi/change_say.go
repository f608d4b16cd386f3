package chatbi

import (
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/explain"
	"github.com/dibrain/dibrain/services/chatbi/explain/words"
)

// ChangeText is an answer about a change in words.
type ChangeText struct {
	words.Text

	// Missing says which days are not there; it comes first.
	Missing []string
	// Basis says how the figures were made comparable.
	Basis []string
	// Measured names what the figures are: the metric, or its mean over days.
	Measured string
}

// Lines are all of it, the most important first.
func (t ChangeText) Lines() []string {
	var out []string
	out = append(out, t.Missing...)
	if t.Headline != "" {
		out = append(out, t.Headline)
	}
	for _, part := range [][]string{t.Factors, t.Cells, t.When, t.Basis, t.Notes} {
		out = append(out, part...)
	}
	return out
}

// say puts an explanation into words, what is missing first.
func (c *changeRun) say(e explain.Explanation, read changeRead) ChangeText {
	l, plan := c.query.Language, c.query.Plan
	labels := words.Labels{
		Metric: plan.Metric.Name, Unit: plan.Metric.Unit, Filters: plan.Filters,
		Factors: map[string]string{}, FactorUnits: map[string]string{},
		Before: periodText(plan.Before, l), After: periodText(plan.After, l),
	}
	for _, f := range plan.Factors {
		labels.Factors[f.ID], labels.FactorUnits[f.ID] = f.Name, f.Unit
	}
	labels.Dimensions, labels.Countries = c.service.dimensionLabels(plan)
	sentence := func(key string, args map[string]string) string { return c.service.analyst.Sentence(l, key, args) }
	if read.perDay {
		labels.Metric = sentence("change_per_day", map[string]string{"metric": plan.Metric.Name})
	}
	out := ChangeText{Missing: c.missing(read.gaps), Measured: labels.Metric}
	if read.gaps.empty(plan.Before, read.gaps.before) || read.gaps.empty(plan.After, read.gaps.after) {
		return out // nothing can be compared
	}
	out.Text = c.service.changes.Say(e, labels, l)
	switch {
	case read.matched > 0:
		out.Basis = append(out.Basis, sentence("change_matched", map[string]string{"n": result.Int(int64(read.matched)).String()}))
	case read.perDay && read.gaps.any():
		out.Basis = append(out.Basis, sentence("change_like_for_like", nil))
	}
	return out
}

// missing says which days of the periods have no rows.
func (c *changeRun) missing(g changeGaps) []string {
	if !g.any() {
		return nil
	}
	l, plan := c.query.Language, c.query.Plan
	sentence := func(key string, args map[string]string) string { return c.service.analyst.Sentence(l, key, args) }
	var out []string
	if g.late {
		out = append(out, sentence("change_late", map[string]string{
			"table": g.table, "last": result.FormatMoment(g.last, result.GrainDay, l), "metric": plan.Metric.Name,
			"n": result.Int(int64(len(g.before) + len(g.after))).String(),
		}))
		return out
	}
	for _, period := range []struct {
		explain.Period

		days []time.Time
	}{{plan.After, g.after}, {plan.Before, g.before}} {
		if len(period.days) == 0 {
			continue
		}
		if len(period.days) == daysIn(period.Period) {
			out = append(out, sentence("change_missing_all", map[string]string{"table": g.table, "metric": plan.Metric.Name, "period": periodText(period.Period, l)}))
			continue
		}
		out = append(out, sentence("change_missing", map[string]string{
			"table": g.table, "metric": plan.Metric.Name, "n": result.Int(int64(len(period.days))).String(),
			"all": result.Int(int64(daysIn(period.Period))).String(), "period": periodText(period.Period, l), "days": dayList(period.days, l),
		}))
	}
	return out
}

// maxDaysNamed bounds the ranges of days that a sentence names.
const maxDaysNamed = 5

// dayList names days, those in a row as a range.
func dayList(days []time.Time, l lang.Language) string {
	var parts []string
	for i := 0; i < len(days); {
		k := i
		for k+1 < len(days) && days[k+1].Equal(days[k].AddDate(0, 0, 1)) {
			k++
		}
		if len(parts) == maxDaysNamed {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, periodText(explain.Period{From: days[i], To: days[k].AddDate(0, 0, 1)}, l))
		i = k + 1
	}
	return strings.Join(parts, l.Pick(", ", "、"))
}

// periodText names a period by its first and last day.
func periodText(p explain.Period, l lang.Language) string {
	first := result.FormatMoment(p.From, result.GrainDay, l)
	last := result.FormatMoment(p.To.AddDate(0, 0, -1), result.GrainDay, l)
	if first == last {
		return first
	}
	return first + l.Pick(" to ", "至") + last
}
