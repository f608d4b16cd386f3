package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// MaxJoins bounds the joins of one part of a plan.
const MaxJoins = 24

// join adds the joins of a path and returns what the choice calls the table at its
// end. A table that is there already by the same way is read once; by another way, as
// the city of a store beside that of a customer, it is read once more, under its name
// with a number (see stored).
func (c *Choice) join(path []semantic.Join) (end string, ok bool) {
	end = c.Table
	for _, j := range path {
		at := slices.IndexFunc(c.Joins, func(x semantic.Join) bool {
			return x.From == end && stored(x.To) == j.To && slices.Equal(x.Columns, j.Columns) && slices.Equal(x.ToColumns, j.ToColumns)
		})
		if at < 0 {
			if len(c.Joins) == MaxJoins {
				return "", false
			}
			to := j.To
			for n := 2; to == c.Table || slices.ContainsFunc(c.Joins, func(x semantic.Join) bool { return x.To == to }); n++ {
				to = fmt.Sprintf("%s%s%d", j.To, againMark, n)
			}
			j.From, j.To = end, to
			c.Joins = append(c.Joins, j)
			c.cost += costJoin
			at = len(c.Joins) - 1
		}
		end = c.Joins[at].To
	}
	return end, true
}

// againMark stands in the names of tables that are read once more; no table's name in
// a layer has it.
const againMark = "#"

// stored is the layer's name of a table that a choice reads.
func stored(table string) string {
	name, _, _ := strings.Cut(table, againMark)
	return name
}

// Names returns the layer's table names that a choice reads, with the countries
// put in.
func (c Choice) Names(layer *semantic.Layer) []string {
	var out []string
	for _, t := range append([]string{c.Table}, c.joined()...) {
		for _, code := range c.each(t) {
			if name := physical(layer, stored(t), code); !slices.Contains(out, name) {
				out = append(out, name)
			}
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
