package rank

import (
	"math"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/findata/preprocess"
)

// feature values a table for a question; 0 leaves it out of the list.
type feature struct {
	name  string
	value func(t *catalog.Table, q *preprocess.Question, c *Context) float64
}

// features are the lists beside those of the corpus.
func features() []feature {
	return []feature{
		{"usage", func(t *catalog.Table, _ *preprocess.Question, _ *Context) float64 {
			return math.Floor(2 * math.Log1p(float64(t.QueryCount30d))) // steps: nearly equal use is equal
		}},
		{"layer", layerFit},
		{"grain", grainFit},
		{"mart", func(t *catalog.Table, _ *preprocess.Question, c *Context) float64 {
			if i := slices.IndexFunc(c.Marts, func(m string) bool { return strings.EqualFold(m, t.Mart) }); i >= 0 {
				return float64(len(c.Marts) - i)
			}
			return 0
		}},
		{"country", countryFit},
		{"every", func(t *catalog.Table, q *preprocess.Question, c *Context) float64 {
			return truth(q.Every && c.Countries.CoversAll(t))
		}},
		{"fresh", func(t *catalog.Table, _ *preprocess.Question, c *Context) float64 {
			return truth(!t.UpdatedAt.IsZero() && t.UpdatedAt.After(c.FreshSince))
		}},
		{"own", func(t *catalog.Table, _ *preprocess.Question, c *Context) float64 {
			return max(0, ownOf(c, t))
		}},
		{"recent", func(t *catalog.Table, _ *preprocess.Question, c *Context) float64 {
			if len(c.Recent) == 0 {
				return 0
			}
			return c.Recent[t.Name.Key()]
		}},
		{"active", func(t *catalog.Table, _ *preprocess.Question, _ *Context) float64 {
			return truth(t.QueryCount30d > 0 && t.Successor == "")
		}},
		{"schema", func(t *catalog.Table, q *preprocess.Question, _ *Context) float64 {
			return truth(slices.ContainsFunc(q.Schemas, func(s string) bool { return strings.EqualFold(s, t.Name.Schema) }))
		}},
		{"quality", func(t *catalog.Table, _ *preprocess.Question, _ *Context) float64 { return t.Quality }},
		{"maturity", func(t *catalog.Table, _ *preprocess.Question, _ *Context) float64 { return maturity(t) }},
		{"metric", func(t *catalog.Table, _ *preprocess.Question, c *Context) float64 {
			return truth(c.HasMetric != nil && c.HasMetric(t))
		}},
		{"conversation", func(t *catalog.Table, q *preprocess.Question, _ *Context) float64 {
			return truth(slices.Contains(q.Earlier, t))
		}},
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func layerFit(t *catalog.Table, q *preprocess.Question, _ *Context) float64 {
	if i := slices.Index(q.Layers, strings.ToLower(t.Layer)); i >= 0 {
		return float64(len(q.Layers) - i)
	}
	return 0
}

func grainFit(t *catalog.Table, q *preprocess.Question, _ *Context) float64 {
	name := "_" + strings.ToLower(t.Name.Table) + "_"
	for _, g := range q.Grains {
		for _, part := range g.Names {
			if strings.Contains(name, "_"+part+"_") {
				return 1
			}
		}
		for _, word := range g.Words {
			if slices.Contains(strings.FieldsFunc(strings.ToLower(t.Grain), func(r rune) bool { return r == ' ' || r == ',' }), word) {
				return 1
			}
		}
	}
	return 0
}

// countryFit prefers the table that alone covers what is asked.
func countryFit(t *catalog.Table, q *preprocess.Question, c *Context) float64 {
	of := c.Countries.Of(t)
	switch {
	case len(q.Countries) > 1:
		covered := 0
		for _, code := range q.Countries {
			if slices.Contains(of, code) {
				covered++
			}
		}
		return float64(covered)
	case len(q.Countries) == 1:
		return truth(slices.Contains(of, q.Countries[0]))
	case q.Region != "":
		return truth(slices.Contains(of, q.Region))
	}
	return 0
}

// ownOf is what the asker's own use says of a table.
func ownOf(c *Context, t *catalog.Table) float64 {
	if len(c.Own) == 0 { // most people's: a key is not made for nothing
		return 0
	}
	return c.Own[t.Name.Key()]
}

// maturity is how many of these are known of a table: what it is about, who answers for
// it, what a row is, and what most of its columns mean.
func maturity(t *catalog.Table) float64 {
	return truth(t.Description != "") + truth(t.Owner != "") + truth(t.Grain != "" || len(t.PrimaryKey()) > 0) + truth(isDescribed(t))
}

// isDescribed reports whether half of a table's columns or more have a comment.
func isDescribed(t *catalog.Table) bool {
	left := (len(t.Columns) + 1) / 2
	for i := range t.Columns { // each is large: none is copied, and no more are looked at than it takes
		if left == 0 || left > len(t.Columns)-i {
			break
		}
		if t.Columns[i].Comment != "" {
			left--
		}
	}
	return left == 0 && len(t.Columns) > 0
}
