package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// join adds the joins of a path. Each table is read once: one that is there already
// by another way, as the city of a store beside that of a customer, is refused.
func (c *Choice) join(path []semantic.Join) bool {
	for _, j := range path {
		at := slices.IndexFunc(c.Joins, func(x semantic.Join) bool { return x.To == j.To })
		switch {
		case at >= 0 && (c.Joins[at].From != j.From || !slices.Equal(c.Joins[at].Columns, j.Columns)), j.To == c.Table:
			return false
		case at < 0:
			c.Joins = append(c.Joins, j)
			c.cost += costJoin
		}
	}
	return true
}

// Names returns the layer's table names that a choice reads, with the countries
// put in.
func (c Choice) Names(layer *semantic.Layer) []string {
	var out []string
	for _, t := range append([]string{c.Table}, c.joined()...) {
		for _, code := range c.each(t) {
			out = append(out, physical(layer, t, code))
		}
	}
	return out
}

func (c Choice) joined() []string {
	var out []string
	for _, j := range c.Joins {
		out = append(out, j.To)
	}
	return out
}

// each returns the countries whose tables stand for a layer's table; an empty
// code where it has all.
func (c Choice) each(table string) []string {
	if !strings.Contains(table, semantic.CIDPlaceholder) || len(c.Countries) == 0 {
		return []string{""}
	}
	return c.Countries
}

func physical(layer *semantic.Layer, table, code string) string {
	country, ok := layer.Country(code)
	if !ok {
		return table
	}
	return strings.ReplaceAll(table, semantic.CIDPlaceholder, country.CID)
}

// find picks the stored tables for a layer's table name and a country. Where
// several data centres hold a table of that name, each holds its own countries,
// unless one of them is where the rest is read from.
func find(table, code, region string, tables []catalog.Table) []*catalog.Table {
	var out []*catalog.Table
	for _, t := range semantic.Tables(table, tables) {
		if strings.Contains(table, semantic.CIDPlaceholder) && !strings.EqualFold(t.Country, code) {
			continue
		}
		if region != "" && t.Name.Region == region {
			return []*catalog.Table{t}
		}
		out = append(out, t)
	}
	return out
}
