package metric

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Adds says how the values of a metric add up, which decides how its change may be
// split.
type Adds string

// How values add up.
const (
	AddsUp    Adds = "additive"      // over dimensions and over time
	AddsLevel Adds = "semi_additive" // over dimensions; over days only their mean means something
	AddsRatio Adds = "ratio"         // a sum divided by a sum
	AddsNever Adds = "distinct"      // different things, each counted once
	AddsNot   Adds = ""              // not at all
)

// ChangeLimits bound how a change is split.
type ChangeLimits struct {
	Dimensions int   // that cells are grouped by
	Cells      int64 // that they may have, by what the catalog knows of distinct values
	Values     int64 // of one dimension: with more it names things and does not class them
	History    int   // days before the earlier period that the course begins
}

// Change is a metric over two periods and the statements that have its numbers.
type Change struct {
	Metric     semantic.Metric // that was asked for; of a variant the one that it is of
	Adds       Adds
	Dimensions []semantic.Dimension // of the cells, in the order of their columns
	Cells      Written              // see WriteCells
	Daily      Written              // the course by days, from a history before both periods on
	Events     *Written             // by day the one value of each dimension; nil: there is no dimension
	Days       *Written             // days with rows, whatever the conditions; nil: those of Daily are
	Factors    []semantic.Metric    // whose product is the metric
	Product    *Written             // both periods by factor; nil: the metric is no product
	// Parts are the metrics that a ratio divides and is divided by; nil: the layer has none
	// for one of them.
	Parts []semantic.Metric
}

// PlanChange says how the change of an intent's one metric, from the period that it is
// compared with to its own, is looked into: over the table of the metric that has the
// most dimensions, for a course of days over the one that costs least. tables are those
// that are known to exist. What the layer cannot do is a Problem.
func PlanChange(layer *semantic.Layer, in *intent.Intent, tables []catalog.Table, limits ChangeLimits) (Change, error) {
	if err := valid(layer, in); err != nil {
		return Change{}, err
	}
	m, ok := layer.Metric(in.Select[0].ID)
	if !ok || len(in.Select) != 1 {
		return Change{}, &Problem{Code: "INVALID", What: []string{in.Select[0].ID}}
	}
	p := changePlanner{layer: layer, in: in, tables: tables, limits: limits}
	out := Change{Metric: *m}
	inputs, err := p.inputs(m)
	if err != nil {
		return Change{}, err
	}
	cells, dims, err := p.choose(inputs)
	if err != nil {
		return Change{}, err
	}
	if out.Cells, out.Adds, err = p.cells(cells, dims, inputs); err != nil {
		return Change{}, err
	}
	if out.Adds == AddsNot { // only its course means something
		dims = nil
		if out.Cells, out.Adds, err = p.cells(cells, nil, inputs); err != nil {
			return Change{}, err
		}
	}
	out.Dimensions = dims
	if out.Daily, err = p.daily(inputs); err != nil {
		return Change{}, err
	}
	if len(dims) > 0 {
		w, err := p.ofDays(cells, dims, inputs)
		if err != nil {
			return Change{}, err
		}
		out.Events = &w
	}
	if out.Days, err = p.days(inputs); err != nil {
		return Change{}, err
	}
	out.Factors, out.Product = p.product(m)
	if out.Adds == AddsRatio {
		out.Parts = p.parts(m)
	}
	return out, nil
}

// parts are the metrics of both sides of a ratio; nil where one of them is none.
func (p *changePlanner) parts(m *semantic.Metric) []semantic.Metric {
	if m.Kind() == semantic.Ratio {
		above, ok := p.layer.Metric(m.Numerator)
		below, known := p.layer.Metric(m.Denominator)
		if !ok || !known {
			return nil
		}
		return []semantic.Metric{*above, *below}
	}
	above, below, ok := quotientOf(m.Expr)
	if !ok {
		return nil
	}
	out := make([]semantic.Metric, 2)
	for i, side := range []string{above, below} {
		at := slices.IndexFunc(p.layer.Metrics, func(o semantic.Metric) bool {
			return o.Table == m.Table && !o.Composed() && normal(o.Expr) == side && slices.Equal(o.DefaultFilters, m.DefaultFilters)
		})
		if at < 0 {
			return nil
		}
		out[i] = p.layer.Metrics[at]
	}
	return out
}

// changePlanner plans one change.
type changePlanner struct {
	layer  *semantic.Layer
	in     *intent.Intent
	tables []catalog.Table
	limits ChangeLimits
}

// inputs are the metrics whose aggregates the metric is computed from: itself, or the
// two that a ratio divides.
func (p *changePlanner) inputs(m *semantic.Metric) ([]intent.Output, error) {
	switch {
	case m.Time == "" && !m.Composed():
		return nil, &Problem{Code: "NO_DIMENSION", What: []string{"time"}}
	case m.Kind() == semantic.Ratio:
		return []intent.Output{plain(m.Numerator), plain(m.Denominator)}, nil
	case m.Composed():
		return nil, &Problem{Code: "NOT_SPLIT", What: []string{m.ID}}
	}
	return []intent.Output{plain(m.ID)}, nil
}

// block is the intent of some values in both periods: whole days, so that a level is
// asked for day by day.
func (p *changePlanner) block(outputs []intent.Output, dims []semantic.Dimension) *intent.Intent {
	in := blockIntent(p.in, outputs)
	in.AllCountries = in.AllCountries || len(in.Country) == 0
	in.GroupBy, in.Segments, in.Counted, in.Part = nil, nil, false, ""
	for _, d := range dims {
		in.GroupBy = append(in.GroupBy, intent.Field{Kind: intent.KindDimension, ID: Base(d.ID)})
	}
	in.Time = &intent.Time{From: p.in.Time.From, To: p.in.Time.To, Grain: "day"}
	return in
}

// choose finds the table of the metrics that has the most dimensions to split them by;
// of tables with as many, the one that costs least.
func (p *changePlanner) choose(outputs []intent.Output) (best Choice, dims []semantic.Dimension, err error) {
	var problem error
	found := false
	for _, table := range p.tablesOf(outputs) {
		variants := p.variants(outputs)
		c, err := chooseTable(p.layer, p.block(outputs, nil), table, variants)
		if err == nil && !p.exists(c) {
			err = &Problem{Code: "TABLE_UNKNOWN"}
		}
		if err != nil {
			if problem == nil || rank(err) > rank(problem) {
				problem = err
			}
			continue
		}
		split := p.dimensions(c)
		if len(split) > 0 {
			if c, err = chooseTable(p.layer, p.block(outputs, split), table, variants); err != nil {
				return best, nil, err
			}
		}
		if !found || len(split) > len(dims) || len(split) == len(dims) && c.cost < best.cost {
			best, dims, found = c, split, true
		}
	}
	if !found {
		if problem == nil {
			problem = &Problem{Code: "NO_TABLE", What: []string{outputs[0].ID}}
		}
		return best, nil, problem
	}
	return best, dims, nil
}

// tablesOf are the layer's tables that a metric is defined on, itself or as a variant.
func (p *changePlanner) tablesOf(outputs []intent.Output) []string {
	var out []string
	for _, m := range p.layer.Metrics {
		if Base(m.ID) == Base(outputs[0].ID) && m.Table != "" && !slices.Contains(out, m.Table) {
			out = append(out, m.Table)
		}
	}
	return out
}

func (p *changePlanner) variants(outputs []intent.Output) map[string]map[string]semantic.Metric {
	out := map[string]map[string]semantic.Metric{}
	for _, o := range outputs {
		out[o.ID] = map[string]semantic.Metric{}
		for _, m := range p.layer.Metrics {
			if _, has := out[o.ID][m.Table]; !has && (m.ID == o.ID || Base(m.ID) == o.ID) {
				out[o.ID][m.Table] = m
			}
		}
	}
	return out
}

// exists reports whether all stored tables of a choice are known.
func (p *changePlanner) exists(c Choice) bool {
	w := &writer{c: c, sources: map[string]*source{}}
	return w.find(p.tables) == nil
}

// dimensions are what the rows of a choice's own table can be split by: those that
// class rows and that the question does not pin to one value, with the fewest values
// first, as far as their cells stay within the limits.
func (p *changePlanner) dimensions(c Choice) []semantic.Dimension {
	type sized struct {
		semantic.Dimension

		values int64
	}
	var all []sized
	for _, d := range p.layer.Dimensions {
		if d.Table != c.Table || d.State || d.Role != "" && d.Role != semantic.RoleCategory || p.pinned(Base(d.ID)) {
			continue
		}
		if n := p.values(&d); n > 1 && n <= p.limits.Values {
			all = append(all, sized{d, n})
		}
	}
	if len(c.Countries) > 1 {
		all = append(all, sized{semantic.Dimension{ID: countryDimension, Table: c.Table}, int64(len(c.Countries))})
	}
	slices.SortStableFunc(all, func(a, b sized) int { return cmp.Compare(a.values, b.values) })
	var out []semantic.Dimension
	cells := int64(1)
	for _, d := range all {
		if len(out) == p.limits.Dimensions || cells*d.values > p.limits.Cells || p.finer(d.Dimension, out) {
			continue
		}
		cells *= d.values
		out = append(out, p.named(d.Dimension))
	}
	return out
}

// named gives a dimension that tables do not name the names of the layer's.
func (p *changePlanner) named(d semantic.Dimension) semantic.Dimension {
	for _, known := range p.layer.Dimensions {
		if d.Names == (semantic.Text{}) && known.ID == d.ID {
			d.Names = known.Names
		}
	}
	return d
}

// finer reports whether a dimension only divides the values of one that is there, or the
// other way round, or is there already.
func (p *changePlanner) finer(d semantic.Dimension, in []semantic.Dimension) bool {
	coarser := func(a, b semantic.Dimension) bool {
		return slices.ContainsFunc(a.Hierarchy, func(id string) bool { return Base(id) == Base(b.ID) })
	}
	return slices.ContainsFunc(in, func(o semantic.Dimension) bool {
		return Base(o.ID) == Base(d.ID) || coarser(d, o) || coarser(o, d)
	})
}

// pinned reports whether the question asks about one value of a dimension alone.
func (p *changePlanner) pinned(id string) bool {
	if id == countryDimension && len(p.in.Country) == 1 {
		return true
	}
	return slices.ContainsFunc(p.in.Filters, func(f intent.Cond) bool {
		return f.Left != nil && Base(f.Left.ID) == id && differing(f.Values) == 1 && (f.Op == intent.Eq || f.Op == intent.In)
	})
}

// values is how many values a dimension has, the most of its tables; 0: not known.
func (p *changePlanner) values(d *semantic.Dimension) int64 {
	most := int64(len(d.Values))
	columns := d.Reads().Columns
	if len(columns) != 1 {
		return most
	}
	for _, t := range semantic.Tables(d.Table, p.tables) {
		c, ok := t.Column(columns[0])
		switch {
		case !ok:
		case c.Type == "boolean":
			most = max(most, 2)
		default:
			most = max(most, c.Distinct)
		}
	}
	return most
}

// product finds the factors of a metric: a count and the ratio that divides the metric
// by it, as GMV is orders times the average order value. Without such a ratio, or where
// it cannot be written, there is none.
func (p *changePlanner) product(m *semantic.Metric) ([]semantic.Metric, *Written) {
	if m.Composed() || m.Additivity != "" && m.Additivity != semantic.Additive {
		return nil, nil
	}
	for i := range p.layer.Metrics {
		count, rate := p.divides(&p.layer.Metrics[i], m)
		if rate == nil {
			continue
		}
		w, err := p.factors(count, m)
		if err == nil {
			return []semantic.Metric{*count, *rate}, &w
		}
	}
	return nil, nil
}

// divides reports whether a metric is the quotient of m and a count over one table, and
// returns the count.
func (p *changePlanner) divides(rate, m *semantic.Metric) (count, is *semantic.Metric) {
	if rate.ID == m.ID || Base(rate.ID) != rate.ID {
		return nil, nil
	}
	if rate.Kind() == semantic.Ratio {
		by, ok := p.layer.Metric(rate.Denominator)
		if !ok || rate.Numerator != m.ID || !counts(by) || by.Composed() || by.Additivity != "" && by.Additivity != semantic.Additive {
			return nil, nil
		}
		return by, rate
	}
	if rate.Composed() || rate.Table != m.Table || len(rate.DefaultFilters) > 0 || len(m.DefaultFilters) > 0 {
		return nil, nil
	}
	above, below, ok := quotientOf(rate.Expr)
	if !ok || above != normal(m.Expr) {
		return nil, nil
	}
	for i := range p.layer.Metrics {
		by := &p.layer.Metrics[i]
		if by.Table == m.Table && normal(by.Expr) == below && len(by.DefaultFilters) == 0 && counts(by) {
			return by, rate
		}
	}
	return nil, nil
}

// IsProblem returns the Problem that an error is.
func IsProblem(err error) (*Problem, bool) {
	var p *Problem
	return p, errors.As(err, &p)
}

// normal is an expression of the layer in one spelling; empty where it cannot be read.
func normal(expr string) string {
	x, err := semantic.ParseExpr(expr)
	if err != nil {
		return ""
	}
	return strings.ToLower(printed(x))
}

// NamesOfChange are the layer's tables that the change of an intent's metric may be read
// from, with the countries put in: those of the metric and of its variants, and what the
// conditions join to them.
func NamesOfChange(layer *semantic.Layer, in *intent.Intent) []string {
	p := changePlanner{layer: layer, in: in}
	m, ok := layer.Metric(in.Select[0].ID)
	if !ok {
		return nil
	}
	outputs, err := p.inputs(m)
	if err != nil {
		return nil
	}
	var out []string
	for _, table := range p.tablesOf(outputs) {
		c, err := chooseTable(layer, p.block(outputs, nil), table, p.variants(outputs))
		if err != nil {
			continue
		}
		for _, name := range c.Names(layer) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
