package semantic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Values that fields of metrics may have, in the order in which they are told.
var (
	metricTypes  = []MetricType{Simple, DistinctCount, Ratio, Derived, Cumulative}
	additivities = []Additivity{Additive, SemiAdditive, NonAdditive}
	overTimes    = []OverTime{TakeLast, TakeFirst, TakeMean, TakeMin, TakeMax}
	comparisons  = []Comparison{CompareYoY, CompareQoQ, CompareMoM, CompareWoW, CompareDoD, CompareYTD, CompareRolling, CompareNone}
	betters      = []Better{BetterHigh, BetterLow}
	grains       = []string{"none", "hour", "day", "week", "month"}
	windowUnits  = []string{"day", "week", "month", "quarter", "year"}
	toDates      = []string{"week", "month", "quarter", "year"}
)

// MaxWindow bounds the length of a cumulative metric's window, in its unit.
const MaxWindow = 1000

// oneOf reports a field that has none of the values it may have.
func oneOf[T ~string](c *fileCheck, at Problem, field string, value T, of []T) {
	if value == "" || slices.Contains(of, value) {
		return
	}
	words := make([]string, len(of))
	for i, w := range of {
		words[i] = string(w)
	}
	c.report(at, "%s %q: %s or %s", field, value, strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
}

func (c *fileCheck) metric(i int, x Metric) {
	at := func(field string) Problem { return c.at("metrics", i, field) }
	c.metrics[x.ID] = at("id")
	c.named("metrics", i, x.ID, x.Names)
	oneOf(c, at("type"), "type", x.Type, metricTypes)
	oneOf(c, at("additivity"), "additivity", x.Additivity, additivities)
	oneOf(c, at("over_time"), "over_time", x.OverTime, overTimes)
	oneOf(c, at("better"), "better", x.Better, betters)
	oneOf(c, at("grain"), "grain", x.Grain, grains)
	oneOf(c, at("to_date"), "to_date", x.ToDate, toDates)
	for _, v := range x.Comparisons {
		oneOf(c, at("comparisons"), "comparisons", v, comparisons)
	}
	if slices.Contains(x.Comparisons, CompareNone) && len(x.Comparisons) > 1 {
		c.report(at("comparisons"), "comparisons has none beside others")
	}
	if w := x.Window; w != nil {
		oneOf(c, at("window"), "window.unit", w.Unit, windowUnits)
		if w.Count < 1 || w.Count > MaxWindow || w.Unit == "" {
			c.report(at("window"), "window needs a count from 1 to %d and a unit", MaxWindow)
		}
	}
	c.metricFields(i, x)
	switch x.Kind() {
	case Simple, DistinctCount:
		c.aggregate(i, x)
	case Derived:
		c.derived(i, x)
	}
}

// fieldsOf are the fields that only some types have; true: they need it.
var fieldsOf = map[MetricType]map[string]bool{
	Simple:        {"table": true, "expr": true, "time": false, "time_table": false, "default_filters": false, "over_time": false},
	DistinctCount: {"table": true, "distinct": true, "time": false, "time_table": false, "default_filters": false},
	Ratio:         {"numerator": true, "denominator": true},
	Derived:       {"expr": true},
	Cumulative:    {"of": true, "window": false, "to_date": false},
}

// metricFields checks that a metric has the fields of its type, and no others.
func (c *fileCheck) metricFields(i int, x Metric) {
	needs, ok := fieldsOf[x.Kind()]
	if !ok {
		return
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"table", x.Table != ""}, {"expr", x.Expr != ""}, {"distinct", x.Distinct != ""}, {"numerator", x.Numerator != ""},
		{"denominator", x.Denominator != ""}, {"of", x.Of != ""}, {"window", x.Window != nil}, {"to_date", x.ToDate != ""},
		{"time", x.Time != ""}, {"time_table", x.TimeTable != ""}, {"default_filters", len(x.DefaultFilters) > 0}, {"over_time", x.OverTime != ""},
	} {
		need, has := needs[f.name]
		switch {
		case f.set && !has:
			c.report(c.at("metrics", i, f.name), "a %s metric has no %s", x.Kind(), f.name)
		case !f.set && need && f.name == "expr":
			c.report(c.at("metrics", i, f.name), "metric %q needs an expression: expr", x.ID)
		case !f.set && need:
			c.report(c.at("metrics", i, f.name), "a %s metric needs %s", x.Kind(), f.name)
		}
	}
	if x.Window != nil && x.ToDate != "" {
		c.report(c.at("metrics", i, "to_date"), "a cumulative metric has a window or to_date, not both")
	}
	if x.OverTime != "" && x.Additivity != SemiAdditive {
		c.report(c.at("metrics", i, "over_time"), "over_time is for semi_additive metrics")
	}
	if x.Additivity == SemiAdditive && x.OverTime != "" && x.Time == "" {
		c.report(c.at("metrics", i, "over_time"), "over_time needs time: the column that dates the levels")
	}
	if x.Kind() != Simple && x.Additivity != "" && x.Additivity != NonAdditive {
		c.report(c.at("metrics", i, "additivity"), "a %s metric is non_additive", x.Kind())
	}
}

// aggregate checks a metric that is computed from a table.
func (c *fileCheck) aggregate(i int, x Metric) {
	if x.Table != "" {
		c.table(c.at("metrics", i, "table"), x.Table)
	}
	field, expr := "expr", x.Expr
	if x.Kind() == DistinctCount {
		field, expr = "distinct", x.Distinct
	}
	at := c.at("metrics", i, field)
	ok := expr != ""
	switch {
	case !ok:
	case x.Kind() == DistinctCount:
		ok = c.rowExpression(at, expr)
		expr = "COUNT(DISTINCT " + expr + ")"
	default:
		var tree tree.Expr
		if tree, ok = c.expression(at, expr); ok {
			c.summed(i, x, tree)
		}
	}
	for _, f := range x.DefaultFilters {
		ok = c.rowExpression(c.at("metrics", i, "default_filters"), f) && ok
	}
	if !ok {
		return
	}
	c.selects(at, x.Table, expr, x.DefaultFilters, true)
	if x.Time != "" && c.rowExpression(c.at("metrics", i, "time"), x.Time) {
		c.dated(c.at("metrics", i, "time"), x.TimeOf(), x.Time)
	}
	if x.TimeTable != "" {
		at := c.at("metrics", i, "time_table")
		if x.Time == "" {
			c.report(at, "metric %q has a time_table without time: name the column, too", x.ID)
		}
		if x.Additivity == SemiAdditive {
			c.report(at, "metric %q is a level over time: its time has to be in its own table", x.ID)
		}
		c.known(at, x.TimeTable)
		c.ways = append(c.ways, joined{at: at, from: x.Table, to: x.TimeTable})
	}
}

// summed checks that an expression aggregates, and that one whose parts do not add
// up is not called additive.
func (c *fileCheck) summed(i int, x Metric, expr tree.Expr) {
	if !resolve.Aggregates(expr) {
		c.report(c.at("metrics", i, "expr"), "expression %q does not aggregate: a metric is a sum, count, average or the like", x.Expr)
		return
	}
	if x.Additivity == Additive || x.Additivity == "" {
		if why := notAdditive(expr); why != "" {
			c.report(c.at("metrics", i, "additivity"), "expression %q %s: its parts do not add up, so additivity is non_additive", x.Expr, why)
		}
	}
}

// notAdditive says why an expression cannot be summed up from parts.
func notAdditive(expr tree.Expr) (why string) {
	tree.Walk(expr, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Call:
			if n.Quantifier == tree.QuantifierDistinct {
				why = "counts what is distinct"
			}
			switch name := n.Name.Key(); name {
			case "avg", "approx_distinct", "approx_percentile", "geometric_mean", "stddev", "variance", "min", "max", "median":
				why = "has " + name
			}
			kind, _ := resolve.FunctionKind(n.Name.Key())
			return why == "" && kind != resolve.KindAggregate // inside of one there are rows, not sums
		case *tree.Binary:
			if n.Op == tree.OpDiv && resolve.Aggregates(n.Right) {
				why = "divides by an aggregate"
			}
		}
		return why == ""
	})
	return why
}

// derived checks the formula of a metric over metrics.
func (c *fileCheck) derived(i int, x Metric) {
	at := c.at("metrics", i, "expr")
	if x.Expr == "" {
		return
	}
	formula, ok := c.expression(at, x.Expr)
	if !ok {
		return
	}
	if resolve.Aggregates(formula) {
		c.report(at, "expression %q aggregates: it is over metrics, which are numbers already", x.Expr)
	}
	inputs := 0
	tree.Walk(formula, func(n tree.Node) bool {
		if col, ok := n.(*tree.ColumnRef); ok {
			inputs++
			if len(col.Parts) != 1 {
				c.report(at, "expression %q: metrics are named by their id alone", x.Expr)
			}
		}
		return true
	})
	if inputs == 0 {
		c.report(at, "expression %q names no metric", x.Expr)
	}
}

// composed checks metrics that are made of others: that those exist, make no cycle
// and can be put together.
func (c *checker) composed(layer *Layer) Problems {
	var problems Problems
	report := func(m *Metric, format string, args ...any) {
		at := c.metrics[m.ID]
		at.Message = fmt.Sprintf(format, args...)
		problems = append(problems, at)
	}
	hint := func(id, about string) string {
		if len(problems) >= MaxListed { // nobody reads them, and they take time
			return ""
		}
		return near(id, about, layer)
	}
	const (
		open = 1
		done = 2
	)
	state := map[string]int{}
	byID := make(map[string]*Metric, len(layer.Metrics))
	for i := range layer.Metrics {
		byID[layer.Metrics[i].ID] = &layer.Metrics[i]
	}
	var visit func(m *Metric, path []string)
	visit = func(m *Metric, path []string) {
		state[m.ID] = open
		path = append(path, m.ID)
		inputs, err := m.Inputs()
		if err != nil { // reported as an expression already
			inputs = nil
		}
		for _, id := range inputs {
			in, ok := byID[id]
			switch {
			case id == "":
			case !ok:
				report(m, "metric %q is made of %q, which is no metric%s", m.ID, id, hint(id, m.ID))
			case state[id] == open:
				report(m, "metric %q is made of itself: %s", m.ID, way(append(path[slices.Index(path, id):], id)))
			case state[id] != done:
				visit(in, path)
			}
			if ok && m.Kind() == Cumulative {
				switch {
				case in.Composed():
					report(m, "cumulative metric %q is of %q, which is %s: it has to be computed from a table", m.ID, id, in.Kind())
				case in.Time == "":
					report(m, "cumulative metric %q is of %q, which has no time column", m.ID, id)
				case in.Additivity == SemiAdditive:
					report(m, "cumulative metric %q is of %q, which is a level: levels are not added up over time", m.ID, id)
				}
			}
		}
		state[m.ID] = done
	}
	for i := range layer.Metrics {
		if m := &layer.Metrics[i]; state[m.ID] == 0 {
			visit(m, nil)
		}
	}
	return problems
}

// near is the end of a message that names metrics like id, but for the one that
// the message is about.
func near(id, about string, layer *Layer) string {
	var ids []string
	for _, m := range layer.Metrics {
		if m.ID != about {
			ids = append(ids, m.ID)
		}
	}
	return nearest(id, ids)
}

// way tells a way from metric to metric, without the middle of a long one.
func way(ids []string) string {
	const ends = 6
	if len(ids) > 2*ends {
		ids = slices.Concat(ids[:ends], []string{"..."}, ids[len(ids)-ends:])
	}
	return strings.Join(ids, " -> ")
}
