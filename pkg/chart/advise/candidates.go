package advise

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/chart"
)

// Bounds of what is proposed: a result of 500 columns is not tried in all its pairs.
const (
	maxDimensions = 6
	maxPairs      = 4 // measures that are set against each other
)

// sameScale is how many times greater than another a measure may be that shares its axis.
const sameScale = 50

// candidates are the charts that the roles of the columns allow, the plainest of each
// kind first. Whether one misleads is for the rules.
func candidates(d Data) []Choice {
	out := []Choice{{Kind: chart.Table, X: -1, Series: -1}}
	dims, measures := d.dimensions(), d.measures()
	if len(measures) > 0 && len(d.Fields) == 1 {
		out = append(out, Choice{Kind: chart.BigNumber, X: -1, Y: measures[:1], Series: -1})
	}
	if len(measures) > 0 {
		together := d.together(measures)
		for _, x := range dims {
			for _, kind := range []chart.Kind{chart.Line, chart.Bar} {
				out = append(out, Choice{Kind: kind, X: x, Y: together, Series: -1})
			}
			out = append(out, Choice{Kind: chart.Pie, X: x, Y: measures[:1], Series: -1})
		}
		for _, x := range dims {
			for _, series := range dims {
				if series == x || d.Fields[series].Role == Time {
					continue
				}
				for _, kind := range []chart.Kind{chart.Line, chart.Bar, chart.StackedBar} {
					out = append(out, Choice{Kind: kind, X: x, Y: measures[:1], Series: series})
				}
				if d.Fields[x].Role != Time && x < series {
					out = append(out, Choice{Kind: chart.Heatmap, X: x, Y: measures[:1], Series: series})
				}
			}
		}
	}
	return append(out, d.scatters()...)
}

// dimensions are the columns that can be an axis of names; those that name things come
// before numbers that stand for them.
func (d Data) dimensions() []int {
	var out []int
	for i, f := range d.Fields {
		if f.Role != Other && f.Role != Measure {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return d.Fields[a].naming() - d.Fields[b].naming() })
	return out[:min(len(out), maxDimensions)]
}

func (f Field) naming() int {
	if f.Role == Identifier || f.Numeric && f.Role != Time {
		return 1
	}
	return 0
}

// measures are the columns of numbers, the one that the statement sorts by first.
func (d Data) measures() []int {
	var out []int
	for i, f := range d.Fields {
		if f.Role == Measure && f.Numbers > 0 {
			out = append(out, i)
		}
	}
	if at := slices.Index(out, d.SortedBy); at > 0 {
		out = slices.Insert(slices.Delete(out, at, at+1), 0, d.SortedBy)
	}
	return out
}

// together are the measures that can share an axis with the first: those of its unit
// and of about its size.
func (d Data) together(measures []int) []int {
	first := d.Fields[measures[0]]
	out := measures[:1:1]
	for _, m := range measures[1:] {
		f := d.Fields[m]
		if len(out) < chart.MaxSeries && f.Unit == first.Unit && f.Peak > 0 && first.Peak > 0 &&
			f.Peak/first.Peak < sameScale && first.Peak/f.Peak < sameScale {
			out = append(out, m)
		}
	}
	return out
}

// scatters set two columns of numbers against each other. Numbers that stand for things
// are among them, for whoever asks how they go together; the rules see to the rest.
func (d Data) scatters() []Choice {
	var numbers, groups []int
	for i, f := range d.Fields {
		switch {
		case f.Role == Measure && f.Numbers > 0 || f.Role == Identifier && f.Numeric:
			numbers = append(numbers, i)
		case f.Role == Category || f.Role == Geography:
			groups = append(groups, i)
		}
	}
	numbers = numbers[:min(len(numbers), maxPairs)]
	var out []Choice
	for i, x := range numbers {
		for _, y := range numbers[i+1:] {
			for _, series := range append([]int{-1}, groups[:min(len(groups), maxDimensions)]...) {
				out = append(out, Choice{Kind: chart.Scatter, X: x, Y: []int{y}, Series: series})
			}
		}
	}
	return out
}
