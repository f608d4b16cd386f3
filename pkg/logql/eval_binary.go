package logql

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"time"
)

func (v *evaluator) labelReplace(e *LabelReplace, at time.Time) ([]Point, error) {
	re, err := regexp.Compile("^(?s:" + e.Regex + ")$")
	if err != nil {
		return nil, err
	}
	points, err := v.vector(e.Inner, at)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(points)
	for i, p := range out {
		m := re.FindStringSubmatchIndex(p.Labels[e.Source])
		if m == nil {
			continue
		}
		labels := maps.Clone(p.Labels)
		if value := string(re.ExpandString(nil, e.Replacement, p.Labels[e.Source], m)); value != "" {
			labels[e.Dst] = value
		} else {
			delete(labels, e.Dst)
		}
		out[i].Labels = labels
	}
	return out, nil
}

// isNumber reports expressions without series.
func isNumber(e Expr) bool {
	switch e := e.(type) {
	case *Number:
		return true
	case *Binary:
		return isNumber(e.Left) && isNumber(e.Right)
	}
	return false
}

func (v *evaluator) binary(e *Binary, at time.Time) ([]Point, error) {
	left, err := v.vector(e.Left, at)
	if err != nil {
		return nil, err
	}
	right, err := v.vector(e.Right, at)
	if err != nil {
		return nil, err
	}
	switch {
	case isSetOperation(e.Op):
		return setOperation(e, left, right), nil
	case isNumber(e.Left) && isNumber(e.Right):
		value, keep := compute(e.Op, left[0].Value, right[0].Value)
		if isComparison(e.Op) {
			value = truth(keep)
		}
		return []Point{{Value: value}}, nil
	case isNumber(e.Right):
		return withNumber(e, left, right[0].Value, false), nil
	case isNumber(e.Left):
		return withNumber(e, right, left[0].Value, true), nil
	}
	return paired(e, left, right)
}

// compute applies an operator; keep is what a comparison says.
func compute(op string, a, b float64) (value float64, keep bool) {
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "/":
		return a / b, true
	case "%":
		return math.Mod(a, b), true
	case "^":
		return math.Pow(a, b), true
	}
	return a, compareNumbers(op, a, b)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func withNumber(e *Binary, points []Point, n float64, numberLeft bool) []Point {
	var out []Point
	for _, p := range points {
		a, b := p.Value, n
		if numberLeft {
			a, b = n, p.Value
		}
		value, keep := compute(e.Op, a, b)
		switch {
		case !isComparison(e.Op):
		case e.Bool:
			value = truth(keep)
		case !keep:
			continue
		default:
			value = p.Value
		}
		out = append(out, Point{Labels: p.Labels, Value: value})
	}
	return out
}

// pairing returns the labels by which series of the two sides belong together.
func pairing(m *Matching, labels map[string]string) string {
	g := Grouping{Without: true}
	if m != nil {
		g = Grouping{Without: !m.On, Labels: m.Labels}
	}
	return labelKey(g.of(labels))
}

func setOperation(e *Binary, left, right []Point) []Point {
	keys := func(points []Point) map[string]bool {
		out := map[string]bool{}
		for _, p := range points {
			out[pairing(e.Matching, p.Labels)] = true
		}
		return out
	}
	if e.Op == "or" {
		known := keys(left)
		out := slices.Clone(left)
		for _, p := range right {
			if !known[pairing(e.Matching, p.Labels)] {
				out = append(out, p)
			}
		}
		return out
	}
	known := keys(right)
	var out []Point
	for _, p := range left {
		if known[pairing(e.Matching, p.Labels)] == (e.Op == "and") {
			out = append(out, p)
		}
	}
	return out
}

func paired(e *Binary, left, right []Point) ([]Point, error) {
	group := ""
	if e.Matching != nil {
		group = e.Matching.Group
	}
	many, one := left, right
	if group == "right" {
		many, one = right, left
	}
	single := map[string]Point{}
	for _, p := range one {
		key := pairing(e.Matching, p.Labels)
		if _, twice := single[key]; twice {
			return nil, fmt.Errorf("several series of one side of %s have the same labels: add on(...), ignoring(...), or group_left", e.Op)
		}
		single[key] = p
	}
	used := map[string]bool{}
	var out []Point
	for _, p := range many {
		key := pairing(e.Matching, p.Labels)
		other, has := single[key]
		if !has {
			continue
		}
		if used[key] && group == "" {
			return nil, fmt.Errorf("several series of one side of %s pair with one of the other: add group_left or group_right", e.Op)
		}
		used[key] = true
		a, b := p.Value, other.Value
		if group == "right" {
			a, b = b, a
		}
		value, keep := compute(e.Op, a, b)
		if isComparison(e.Op) {
			if e.Bool {
				value = truth(keep)
			} else if !keep {
				continue
			}
		}
		out = append(out, Point{Labels: pairedLabels(e, p, other), Value: value})
	}
	return out, nil
}

// pairedLabels are those by which the two were paired, or all of the many side, with
// what the other includes.
func pairedLabels(e *Binary, p, other Point) map[string]string {
	m := e.Matching
	if m == nil {
		return p.Labels
	}
	if m.Group == "" {
		return (&Grouping{Without: !m.On, Labels: m.Labels}).of(p.Labels)
	}
	labels := maps.Clone(p.Labels)
	for _, name := range m.Include {
		if value := other.Labels[name]; value != "" {
			labels[name] = value
		} else {
			delete(labels, name)
		}
	}
	return labels
}
