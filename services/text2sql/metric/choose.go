package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Choice is where the numbers of an intent come from.
type Choice struct {
	Metrics    []semantic.Metric             // in the order of the intent's select list
	Dimensions map[string]semantic.Dimension // by the intent's id
	Named      []semantic.Filter
	Joins      []semantic.Join // n:1 from the metrics' table
	Table      string          // of the metrics, as the layer names it
	Country    string          // code for {cid}; empty: the table has all countries
	cost       float64
}

// Problem is why an intent has no answer in the layer. Its fields say what to
// ask for or to change.
type Problem struct {
	Code      string   // NO_TABLE, NO_DIMENSION, NEED_COUNTRY, MANY_COUNTRIES, SEMI_ADDITIVE, TABLE_UNKNOWN
	What      []string // ids or names that the code is about
	Countries []string // codes to choose from, for NEED_COUNTRY
}

// Error describes the problem for logs; people get a text by code.
func (p *Problem) Error() string { return fmt.Sprintf("%s: %s", p.Code, strings.Join(p.What, ", ")) }

// Choose finds the table that has all metrics of an intent, and its dimensions
// in the same table or one join away to the one side.
func Choose(layer *semantic.Layer, in *intent.Intent) (Choice, error) {
	variants := map[string]map[string]semantic.Metric{} // intent id -> table -> metric
	var tables []string
	for _, o := range in.Select {
		variants[o.ID] = map[string]semantic.Metric{}
		for _, m := range layer.Metrics {
			if m.ID != o.ID && (Base(m.ID) != o.ID) {
				continue
			}
			if _, ok := variants[o.ID][m.Table]; !ok {
				variants[o.ID][m.Table] = m
				if !slices.Contains(tables, m.Table) {
					tables = append(tables, m.Table)
				}
			}
		}
	}
	var (
		best    *Choice
		problem error
	)
	for i, t := range tables {
		c, err := chooseTable(layer, in, t, variants)
		if err != nil {
			if problem == nil || rank(err) > rank(problem) {
				problem = err
			}
			continue
		}
		c.cost += 0.01 * float64(i)
		if best == nil || c.cost < best.cost {
			best = &c
		}
	}
	if best == nil {
		if problem == nil {
			problem = &Problem{Code: "NO_TABLE"}
		}
		return Choice{}, problem
	}
	return *best, nil
}

// rank says which problem tells most: a country to choose is nearest to an
// answer.
func rank(err error) int {
	p, ok := err.(*Problem) //nolint:errorlint // only chooseTable's own errors get here
	if !ok {
		return 0
	}
	return slices.Index([]string{"NO_TABLE", "NO_DIMENSION", "SEMI_ADDITIVE", "MANY_COUNTRIES", "NEED_COUNTRY"}, p.Code) + 1
}

func chooseTable(layer *semantic.Layer, in *intent.Intent, table string, variants map[string]map[string]semantic.Metric) (Choice, error) {
	c := Choice{Table: table, Dimensions: map[string]semantic.Dimension{}}
	for _, o := range in.Select {
		m, ok := variants[o.ID][table]
		if !ok {
			return c, &Problem{Code: "NO_TABLE", What: []string{o.ID}}
		}
		c.Metrics = append(c.Metrics, m)
		if m.ID != o.ID {
			c.cost += 0.2 // not the table that the metric is first of all defined on
		}
		if !additive(m, in) {
			return c, &Problem{Code: "SEMI_ADDITIVE", What: []string{m.ID}}
		}
	}
	perCountry := strings.Contains(table, semantic.CIDPlaceholder)
	needed := needs(in)
	if perCountry {
		switch len(in.Country) {
		case 1:
			c.Country = in.Country[0]
			needed = slices.DeleteFunc(needed, func(id string) bool { return id == countryDimension })
		case 0:
			return c, &Problem{Code: "NEED_COUNTRY", Countries: countryCodes(layer)}
		default:
			return c, &Problem{Code: "MANY_COUNTRIES", What: in.Country}
		}
	} else if len(in.Country) > 0 && !slices.Contains(needed, countryDimension) {
		needed = append(needed, countryDimension)
	}
	for _, id := range needed {
		if err := c.dimension(layer, table, id); err != nil {
			return c, err
		}
	}
	for _, f := range in.Filters {
		if f.Op == intent.Named {
			if err := c.named(layer, table, f.ID); err != nil {
				return c, err
			}
		}
	}
	if perCountry && len(in.Country) == 1 {
		c.cost -= 0.05 // the country's own table, where both have it
	}
	return c, nil
}

// countryDimension is the base id of the dimension that holds countries in
// tables of all of them.
const countryDimension = "country"

func countryCodes(layer *semantic.Layer) []string {
	out := make([]string, len(layer.Countries))
	for i, c := range layer.Countries {
		out[i] = c.Code
	}
	return out
}

// needs lists the dimensions that an intent groups by or filters on.
func needs(in *intent.Intent) []string {
	var out []string
	add := func(id string) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, f := range in.GroupBy {
		if f.Kind == intent.KindDimension {
			add(f.ID)
		}
	}
	for _, f := range in.Filters {
		if f.Left != nil {
			add(f.Left.ID)
		}
	}
	return out
}

// dimension finds a dimension in the table, else over a join that repeats no row.
func (c *Choice) dimension(layer *semantic.Layer, table, id string) error {
	for _, d := range layer.Dimensions {
		if Base(d.ID) == id && d.Table == table {
			c.Dimensions[id] = d
			return nil
		}
	}
	for _, d := range layer.Dimensions {
		if Base(d.ID) != id {
			continue
		}
		if j, ok := joinTo(layer, table, d.Table); ok {
			c.Dimensions[id] = d
			c.join(j)
			return nil
		}
	}
	return &Problem{Code: "NO_DIMENSION", What: []string{id}}
}

func (c *Choice) named(layer *semantic.Layer, table, id string) error {
	for _, list := range [][]semantic.Filter{layer.Filters, layer.Exclusions} {
		for _, f := range list {
			if f.ID != id {
				continue
			}
			if f.Table != table {
				j, ok := joinTo(layer, table, f.Table)
				if !ok {
					return &Problem{Code: "NO_DIMENSION", What: []string{id}}
				}
				c.join(j)
			}
			c.Named = append(c.Named, f)
			return nil
		}
	}
	return &Problem{Code: "NO_DIMENSION", What: []string{id}}
}

func (c *Choice) join(j semantic.Join) {
	if !slices.ContainsFunc(c.Joins, func(x semantic.Join) bool { return x.To == j.To }) {
		c.Joins = append(c.Joins, j)
		c.cost++
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

// Names returns the layer's table names that a choice reads, with the country
// put in.
func (c Choice) Names(layer *semantic.Layer) []string {
	out := []string{c.physical(layer, c.Table)}
	for _, j := range c.Joins {
		out = append(out, c.physical(layer, j.To))
	}
	return out
}

func (c Choice) physical(layer *semantic.Layer, table string) string {
	country, ok := layer.Country(c.Country)
	if !ok {
		return table
	}
	return strings.ReplaceAll(table, semantic.CIDPlaceholder, country.CID)
}

// find picks the stored table for a layer's table name. Of data centres that all
// hold it, the one that holds from wins: a join across them is none.
func (c Choice) find(table, region string, tables []catalog.Table) (*catalog.Table, bool) {
	var first *catalog.Table
	for _, t := range semantic.Tables(table, tables) {
		if strings.Contains(table, semantic.CIDPlaceholder) && !strings.EqualFold(t.Country, c.Country) {
			continue
		}
		if region != "" && t.Name.Region == region {
			return t, true
		}
		if first == nil {
			first = t
		}
	}
	return first, first != nil
}
