package duckdb

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (e *emitter) groupBy(g *tree.GroupBy) string {
	e.checkSets(g)
	for _, element := range g.Elements {
		for _, set := range element.Sets {
			for _, x := range set.Exprs {
				if holdsMap(e.typeOf(x)) {
					return e.no(x, "GROUP BY of a map")
				}
			}
		}
	}
	if g.Quantifier == tree.QuantifierDistinct {
		return e.distinctSets(g)
	}
	return join(g.Elements, ", ", e.grouping)
}

func (e *emitter) grouping(g *tree.GroupingElement) string {
	sets := join(g.Sets, ", ", func(s *tree.GroupingSet) string {
		text := join(s.Exprs, ", ", e.expr)
		if s.Parens || len(s.Exprs) != 1 {
			return "(" + text + ")"
		}
		return text
	})
	if g.Kind == tree.GroupingSimple {
		return sets
	}
	return string(g.Kind) + " (" + sets + ")"
}

// distinctSets writes GROUP BY DISTINCT: all sets that the elements make together,
// each once.
func (e *emitter) distinctSets(g *tree.GroupBy) string {
	all := [][]string{nil}
	for _, element := range g.Elements {
		var next [][]string
		for _, have := range all {
			for _, set := range e.setsOf(element) {
				next = append(next, append(have[:len(have):len(have)], set...))
			}
		}
		all = next
	}
	var written []string
	seen := map[string]bool{}
	for _, set := range all {
		slices.Sort(set)
		text := strings.Join(slices.Compact(set), ", ")
		if !seen[text] {
			seen[text] = true
			written = append(written, "("+text+")")
		}
	}
	text := "GROUPING SETS (" + strings.Join(written, ", ") + ")"
	e.fits(len(text))
	return text
}

// setsOf returns the sets of an element, each of the texts of its expressions.
func (e *emitter) setsOf(g *tree.GroupingElement) [][]string {
	steps := make([][]string, len(g.Sets))
	for i, s := range g.Sets {
		steps[i] = e.exprs(s.Exprs)
	}
	switch g.Kind {
	case tree.GroupingRollup:
		sets := [][]string{nil}
		var prefix []string
		for _, step := range steps {
			prefix = append(prefix[:len(prefix):len(prefix)], step...)
			sets = append(sets, prefix)
		}
		return sets
	case tree.GroupingCube:
		sets := [][]string{nil}
		for _, step := range steps {
			for _, have := range sets {
				sets = append(sets, append(have[:len(have):len(have)], step...))
			}
		}
		return sets
	case tree.GroupingSimple:
		return [][]string{slices.Concat(steps...)}
	}
	return steps
}
