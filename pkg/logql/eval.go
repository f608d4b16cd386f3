package logql

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

// Source gives the lines of the streams that a selector picks, at times in
// (from, to], in any order, until each returns an error, which Lines returns.
type Source interface {
	Lines(ctx context.Context, matchers []Matcher, from, to time.Time, each func(Entry) error) error
}

// Entries is a Source of lines in memory.
type Entries []Entry

// Lines implements Source.
func (s Entries) Lines(ctx context.Context, matchers []Matcher, from, to time.Time, each func(Entry) error) error {
	selects, err := Selects(matchers)
	if err != nil {
		return err
	}
	for i, e := range s {
		if i%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !e.Time.After(from) || e.Time.After(to) || !selects(e.Labels) {
			continue
		}
		if err := each(e); err != nil {
			return err
		}
	}
	return nil
}

// Window is what a query is asked of.
type Window struct {
	// From and To bound the lines of a log query; To is when a metric is computed.
	From, To time.Time
	// Step computes a metric again and again from From to To; 0: once, at To.
	Step time.Duration
	// Limit is the most lines of a log query, the newest first; 0: all.
	Limit int
}

// Bounds of an evaluation.
type Bounds struct {
	// Lines is the most lines that may be read, Series the most series of a result,
	// Steps the most times of a metric.
	Lines, Series, Steps int
}

// ErrTooMuch wraps errors of queries that pass the Bounds.
var ErrTooMuch = errors.New("the query asks for too much")

// ErrPipeline wraps errors of metrics over lines that a stage could not read.
var ErrPipeline = errors.New("a stage could not read a line")

// Point is a number of a series.
type Point struct {
	Time   time.Time
	Labels map[string]string
	Value  float64
}

// Output is what a query gives: lines, or points of series in the order of time and
// then of labels, or of value for sort and topk.
type Output struct {
	Lines  []Entry
	Points []Point
	Metric bool
	// Cut says that more lines than the limit passed.
	Cut bool
	// Read is the number of lines that were read.
	Read int
}

// Evaluate runs a query that Check has passed over the lines of a source.
func Evaluate(ctx context.Context, e Expr, source Source, w Window, b Bounds) (*Output, error) {
	v := &evaluator{ctx: ctx, source: source, bounds: b, ranges: map[*RangeAgg]*samples{}, out: &Output{}}
	if l, is := e.(*LogExpr); is {
		return v.out, v.logs(l, w)
	}
	v.out.Metric = true
	from := w.To
	if w.Step > 0 {
		from = w.From
		if n := w.To.Sub(from)/w.Step + 1; b.Steps > 0 && n > time.Duration(b.Steps) {
			return nil, fmt.Errorf("%w: %d steps, at most %d", ErrTooMuch, n, b.Steps)
		}
	}
	var err error
	Ranges(e, func(r *RangeAgg) {
		if err == nil {
			err = v.read(r, from, w.To)
		}
	})
	if err != nil {
		return nil, err
	}
	for at := from; !at.After(w.To); at = at.Add(w.Step) {
		points, err := v.vector(e, at)
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			p.Time = at
			v.out.Points = append(v.out.Points, p)
		}
		if b.Series > 0 && len(points) > b.Series {
			return nil, fmt.Errorf("%w: %d series, at most %d", ErrTooMuch, len(points), b.Series)
		}
		if w.Step <= 0 {
			break
		}
	}
	return v.out, nil
}

type evaluator struct {
	ctx    context.Context
	source Source
	bounds Bounds
	ranges map[*RangeAgg]*samples
	out    *Output
}

// series is the samples of a range aggregation with the same labels, in the order
// of time.
type series struct {
	labels  map[string]string
	samples []timed
}

type timed struct {
	at    time.Time
	value float64
	bytes int
}

type samples struct{ series []*series }

func (v *evaluator) lines(l *LogExpr, from, to time.Time, each func(*sample, *pipeline) error) error {
	p, err := compile(l)
	if err != nil {
		return err
	}
	return v.source.Lines(v.ctx, l.Matchers, from, to, func(e Entry) error {
		v.out.Read++
		if v.bounds.Lines > 0 && v.out.Read > v.bounds.Lines {
			return fmt.Errorf("%w: more than %d lines have to be read", ErrTooMuch, v.bounds.Lines)
		}
		if s := p.run(e); s != nil {
			return each(s, p)
		}
		return nil
	})
}

func (v *evaluator) logs(l *LogExpr, w Window) error {
	err := v.lines(l, w.From, w.To, func(s *sample, _ *pipeline) error {
		v.out.Lines = append(v.out.Lines, Entry{Time: s.time, Labels: s.labels, Line: s.line})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(v.out.Lines, func(a, b Entry) int { return b.Time.Compare(a.Time) })
	if w.Limit > 0 && len(v.out.Lines) > w.Limit {
		v.out.Lines, v.out.Cut = v.out.Lines[:w.Limit], true
	}
	return nil
}

// read collects the samples of a range aggregation for all times from..to.
func (v *evaluator) read(r *RangeAgg, from, to time.Time) error {
	bySeries := map[string]*series{}
	out := &samples{}
	err := v.lines(r.Log, from.Add(-r.Range-r.Offset), to.Add(-r.Offset), func(s *sample, p *pipeline) error {
		if kind := s.labels[ErrorLabel]; kind != "" {
			return fmt.Errorf("%w: %s (%s). Add | __error__=\"\" to leave such lines out", ErrPipeline, s.labels[errorDetailsLabel], kind)
		}
		if p.unwraps != "" {
			delete(s.labels, p.unwraps)
		}
		labels := s.labels
		if r.By != nil {
			labels = r.By.of(labels)
		}
		key := labelKey(labels)
		one := bySeries[key]
		if one == nil {
			one = &series{labels: labels}
			bySeries[key] = one
			out.series = append(out.series, one)
			if v.bounds.Series > 0 && len(out.series) > v.bounds.Series {
				return fmt.Errorf("%w: more than %d series", ErrTooMuch, v.bounds.Series)
			}
		}
		one.samples = append(one.samples, timed{s.time, s.value, len(s.line)})
		return nil
	})
	for _, s := range out.series {
		sort.SliceStable(s.samples, func(i, j int) bool { return s.samples[i].at.Before(s.samples[j].at) })
	}
	v.ranges[r] = out
	return err
}

// of returns the labels that a grouping leaves.
func (g *Grouping) of(labels map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range labels {
		if slices.Contains(g.Labels, name) != g.Without && value != "" {
			out[name] = value
		}
	}
	return out
}

// labelKey is the same for equal labels.
func labelKey(labels map[string]string) string {
	names := make([]string, 0, len(labels))
	for name, value := range labels {
		if value != "" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name)
		b.WriteByte(0)
		b.WriteString(labels[name])
		b.WriteByte(1)
	}
	return b.String()
}

func (v *evaluator) vector(e Expr, at time.Time) ([]Point, error) {
	switch e := e.(type) {
	case *Number:
		return []Point{{Value: e.Value}}, nil
	case *VectorFunc:
		return []Point{{Value: e.Value, Labels: map[string]string{}}}, nil
	case *RangeAgg:
		return v.rangeAgg(e, at), nil
	case *VectorAgg:
		inner, err := v.vector(e.Inner, at)
		if err != nil {
			return nil, err
		}
		return aggregate(e, inner), nil
	case *LabelReplace:
		return v.labelReplace(e, at)
	case *Binary:
		return v.binary(e, at)
	}
	return nil, fmt.Errorf("%T has no number", e)
}

func (v *evaluator) rangeAgg(e *RangeAgg, at time.Time) []Point {
	to := at.Add(-e.Offset)
	from := to.Add(-e.Range)
	var out []Point
	for _, s := range v.ranges[e].series {
		first := sort.Search(len(s.samples), func(i int) bool { return s.samples[i].at.After(from) })
		end := sort.Search(len(s.samples), func(i int) bool { return s.samples[i].at.After(to) })
		if first < end {
			out = append(out, Point{Labels: s.labels, Value: overTime(e, s.samples[first:end])})
		}
	}
	sortPoints(out)
	if e.Op == "absent_over_time" {
		if len(out) > 0 {
			return nil
		}
		labels := map[string]string{}
		for _, m := range e.Log.Matchers {
			if m.Op == Equal {
				labels[m.Label] = m.Value
			}
		}
		return []Point{{Labels: labels, Value: 1}}
	}
	return out
}

func sortPoints(points []Point) {
	sort.SliceStable(points, func(i, j int) bool { return labelKey(points[i].Labels) < labelKey(points[j].Labels) })
}

// overTime computes a range aggregation of at least one sample.
func overTime(e *RangeAgg, all []timed) float64 {
	unwraps := slices.ContainsFunc(e.Log.Stages, func(s Stage) bool { _, is := s.(*Unwrap); return is })
	values := make([]float64, len(all))
	bytes := 0.0
	for i, s := range all {
		values[i] = s.value
		bytes += float64(s.bytes)
	}
	seconds := e.Range.Seconds()
	switch e.Op {
	case "count_over_time", "absent_over_time":
		return float64(len(all))
	case "rate":
		if unwraps {
			return sum(values) / seconds
		}
		return float64(len(all)) / seconds
	case "bytes_over_time":
		return bytes
	case "bytes_rate":
		return bytes / seconds
	case "rate_counter":
		return increase(values) / seconds
	case "first_over_time":
		return values[0]
	case "last_over_time":
		return values[len(values)-1]
	case "quantile_over_time":
		return Quantile(*e.Param, values)
	}
	return Fold(strings.TrimSuffix(e.Op, "_over_time"), values)
}

// increase sums the rises of a counter; a fall is a restart from zero.
func increase(values []float64) float64 {
	total := 0.0
	for i := 1; i < len(values); i++ {
		rise := values[i] - values[i-1]
		if rise < 0 {
			rise = values[i]
		}
		total += rise
	}
	return total
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// Fold computes sum, avg, max, min, count, stddev or stdvar of at least one number;
// the deviations are of the population, as in Prometheus.
func Fold(op string, values []float64) float64 {
	n := float64(len(values))
	switch op {
	case "sum":
		return sum(values)
	case "avg":
		return sum(values) / n
	case "max":
		return slices.Max(values)
	case "min":
		return slices.Min(values)
	case "count":
		return n
	}
	mean, variance := sum(values)/n, 0.0
	for _, v := range values {
		variance += (v - mean) * (v - mean) / n
	}
	if op == "stddev" {
		return math.Sqrt(variance)
	}
	return variance
}

// Quantile interpolates between the two nearest of the numbers, as Prometheus does.
func Quantile(q float64, values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	rank := q * float64(len(sorted)-1)
	low := int(math.Floor(rank))
	high := min(low+1, len(sorted)-1)
	weight := rank - float64(low)
	return sorted[low]*(1-weight) + sorted[high]*weight
}

func aggregate(e *VectorAgg, in []Point) []Point {
	if e.Op == "sort" || e.Op == "sort_desc" {
		out := slices.Clone(in)
		sort.SliceStable(out, func(i, j int) bool {
			if e.Op == "sort" {
				return out[i].Value < out[j].Value
			}
			return out[i].Value > out[j].Value
		})
		return out
	}
	by := e.By
	if by == nil {
		by = &Grouping{}
	}
	var order []string
	groups := map[string][]Point{}
	for _, p := range in {
		key := labelKey(by.of(p.Labels))
		if _, known := groups[key]; !known {
			order = append(order, key)
		}
		groups[key] = append(groups[key], p)
	}
	var out []Point
	for _, key := range order {
		group := groups[key]
		if e.Param != nil {
			out = append(out, best(e.Op, int(*e.Param), group)...)
			continue
		}
		values := make([]float64, len(group))
		for i, p := range group {
			values[i] = p.Value
		}
		out = append(out, Point{Labels: by.of(group[0].Labels), Value: Fold(e.Op, values)})
	}
	if e.Param == nil {
		sortPoints(out)
	}
	return out
}

// best returns the k highest points, or the lowest for bottomk, in that order.
func best(op string, k int, group []Point) []Point {
	group = slices.Clone(group)
	sort.SliceStable(group, func(i, j int) bool {
		if op == "bottomk" {
			return group[i].Value < group[j].Value
		}
		return group[i].Value > group[j].Value
	})
	return group[:min(k, len(group))]
}
