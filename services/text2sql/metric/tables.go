package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

func (c *Choice) join(j semantic.Join) {
	if !slices.ContainsFunc(c.Joins, func(x semantic.Join) bool { return x.To == j.To }) {
		c.Joins = append(c.Joins, j)
		c.cost += costJoin
	}
}

// joinTo is a join that finds at most one row of to for a row of from, so that
// no number is counted twice.
func joinTo(layer *semantic.Layer, from, to string) (semantic.Join, bool) {
	for _, j := range layer.Joins {
		if j.From == from && j.To == to && (j.Cardinality == "" || j.Cardinality == semantic.ManyToOne || j.Cardinality == semantic.OneToOne) {
			return j, true
		}
		if j.From == to && j.To == from && (j.Cardinality == semantic.OneToMany || j.Cardinality == semantic.OneToOne) {
			return semantic.Join{From: from, Columns: j.ToColumns, To: to, ToColumns: j.Columns}, true
		}
	}
	return semantic.Join{}, false
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
