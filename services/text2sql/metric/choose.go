package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Choice is where the numbers of an intent come from.
type Choice struct {
	Metrics    []semantic.Metric             // in the order of the intent's select list
	Dimensions map[string]semantic.Dimension // by the intent's id
	Entities   map[string]Key                // by the intent's id
	Named      []Named
	Joins      []semantic.Join // n:1 from the metrics' table
	Table      string          // of the metrics, as the layer names it
	// Countries are the codes for {cid}: more than one are read one below the
	// other. Empty: the table has all countries.
	Countries []string
	// TimeAt is the table of the metrics' time as the choice calls it; empty where that
	// is Table or nothing asks for it.
	TimeAt string
	// By is the id of the date that was taken in place of the metrics' own time.
	By   string
	cost float64
}

// Named is a named filter, or what it leaves out.
type Named struct {
	semantic.Filter
	Not bool
	// Segment counts from one which segment of the intent it is; 0: it holds for
	// all rows.
	Segment int
}

// namedFilter reads a condition that names a filter, as it is or turned around.
func namedFilter(c intent.Cond) (id string, not, ok bool) {
	if c.Op == intent.Not && len(c.Args) == 1 && c.Args[0].Op == intent.Named {
		return c.Args[0].ID, true, true
	}
	return c.ID, false, c.Op == intent.Named
}

// Key is what an entity is grouped by: columns of a table, and a label that is
// in the table of the entity.
type Key struct {
	Entity  semantic.Entity
	Table   string
	Columns []string
}

// Name is what the result calls a column of the entity: by a role, it has the role's
// name, so that the teams at home and away keep theirs apart.
func (k Key) Name(column string) string {
	if k.Entity.RoleOf == "" {
		return column
	}
	return k.Entity.Via + "_" + column
}

// Problem is why an intent has no answer in the layer. Its fields say what to
// ask for or to change.
type Problem struct {
	Code      string   // see rank
	What      []string // ids or names that the code is about
	Countries []string // codes to choose from, for NEED_COUNTRY
	Options   []string // ids to choose from, for SEVERAL_ROLES and SEVERAL_DATES
}

// Error describes the problem for logs; people get a text by code.
func (p *Problem) Error() string {
	if len(p.What) == 0 {
		return p.Code
	}
	return fmt.Sprintf("%s: %s", p.Code, strings.Join(p.What, ", "))
}

// chooseOne finds the table that has all metrics of an intent, and its dimensions
// in the same table or one join away to the one side.
func chooseOne(layer *semantic.Layer, in *intent.Intent) (Choice, error) {
	variants := map[string]map[string]semantic.Metric{} // intent id -> table -> metric
	var tables []string
	for _, o := range in.Select {
		variants[o.ID] = map[string]semantic.Metric{}
		for _, m := range layer.Metrics {
			if m.ID != o.ID && Base(m.ID) != o.ID {
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
	return slices.Index([]string{"NO_TABLE", "NO_DIMENSION", "NO_AVERAGE", "SEMI_ADDITIVE", "SEVERAL_ROLES", "SEVERAL_DATES", "NEED_COUNTRY"}, p.Code) + 1
}

// Costs of a choice; the cheapest one is taken.
const (
	costVariant = 0.2  // not the table that the metric is first of all defined on
	costDetail  = 0.1  // counts single rows where a summary might do
	costUnion   = 0.5  // several tables
	costJoin    = 1    // each
	gainOwn     = 0.05 // the country's own table
	gainNamed   = 0.15 // the variant is for what is asked
)

func chooseTable(layer *semantic.Layer, in *intent.Intent, table string, variants map[string]map[string]semantic.Metric) (Choice, error) {
	c := Choice{Table: table, Dimensions: map[string]semantic.Dimension{}, Entities: map[string]Key{}}
	for _, o := range in.Select {
		m, ok := variants[o.ID][table]
		if !ok {
			return c, &Problem{Code: "NO_TABLE", What: []string{o.ID}}
		}
		c.Metrics = append(c.Metrics, m)
		if m.ID != o.ID {
			c.cost += costVariant
		}
		if _, of, ok := strings.Cut(m.ID, "__"); ok && asked(in, of) {
			c.cost -= gainNamed
		}
		if strings.Contains(strings.ToUpper(m.Expr), "COUNT(DISTINCT") {
			c.cost += costDetail
		}
		if err := summable(m, o, in); err != nil {
			return c, err
		}
	}
	if slices.ContainsFunc(c.Metrics, func(m semantic.Metric) bool {
		return takesOne(m) && (m.OverTime != c.Metrics[0].OverTime || !takesOne(c.Metrics[0]))
	}) ||
		takesOne(c.Metrics[0]) && slices.ContainsFunc(c.Metrics, func(m semantic.Metric) bool { return !takesOne(m) }) {
		return c, &Problem{Code: "NO_TABLE", What: []string{in.Select[0].ID}} // not by the same rows
	}
	if in.Time != nil || slices.ContainsFunc(in.Select, overTime) {
		if err := c.time(layer, in); err != nil {
			return c, err
		}
	}
	needed := needs(in)
	if strings.Contains(table, semantic.CIDPlaceholder) {
		countries, err := c.countries(layer, in, needed)
		if err != nil {
			return c, err
		}
		c.Countries = countries
		needed = slices.DeleteFunc(needed, func(id string) bool { return id == countryDimension })
		c.cost += map[bool]float64{true: -gainOwn, false: costUnion}[len(countries) == 1]
	} else if len(in.Country) > 0 && !slices.Contains(needed, countryDimension) {
		needed = append(needed, countryDimension)
	}
	for _, id := range needed {
		if err := c.dimension(layer, table, id); err != nil {
			return c, err
		}
	}
	for _, f := range in.GroupBy {
		if f.Kind == intent.KindEntity {
			if err := c.entity(layer, table, f.ID, !in.Counted); err != nil {
				return c, err
			}
		}
	}
	for _, o := range in.Select {
		if o.Per.Kind == intent.KindEntity {
			if err := c.entity(layer, table, o.Per.ID, false); err != nil {
				return c, err
			}
		}
	}
	for i, f := range slices.Concat(in.Filters, in.Segments) {
		if id, not, ok := namedFilter(f); ok {
			if err := c.named(layer, table, id, Named{Not: not, Segment: max(0, i+1-len(in.Filters))}); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// entities lists what an intent groups by and what it takes means over.
func entities(in *intent.Intent) []string {
	var out []string
	for _, f := range in.GroupBy {
		if f.Kind == intent.KindEntity {
			out = append(out, f.ID)
		}
	}
	for _, o := range in.Select {
		if o.Per.Kind == intent.KindEntity {
			out = append(out, o.Per.ID)
		}
	}
	return out
}

// asked reports whether an intent needs the dimension or entity that a variant
// is named after.
func asked(in *intent.Intent, of string) bool {
	return slices.Contains(needs(in), of) || slices.Contains(entities(in), of)
}

// countries says which countries' tables are read.
func (c *Choice) countries(layer *semantic.Layer, in *intent.Intent, needed []string) ([]string, error) {
	switch {
	case len(in.Country) > 0:
		return in.Country, nil
	case in.AllCountries, slices.Contains(needed, countryDimension):
		return countryCodes(layer), nil
	}
	return nil, &Problem{Code: "NEED_COUNTRY", Countries: countryCodes(layer)}
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

// summable reports why a metric of a table must not be summed over the days of
// an intent. A balance may not, but for one day, day by day, or as a mean.
func summable(m semantic.Metric, o intent.Output, in *intent.Intent) error {
	switch {
	case o.Agg == intent.AggAvg && o.Per.Kind == intent.KindEntity:
		if m.Additivity != "" && m.Additivity != semantic.Additive {
			return &Problem{Code: "NO_AVERAGE", What: []string{m.ID}}
		}
		return nil
	case o.Agg == intent.AggAvg:
		if m.Additivity == semantic.NonAdditive || m.Time == "" || m.Additivity == semantic.SemiAdditive && o.Per.Grain != "" && o.Per.Grain != "day" {
			return &Problem{Code: "NO_AVERAGE", What: []string{m.ID}}
		}
		return nil
	case o.Agg == intent.AggWindow && m.Time == "":
		return &Problem{Code: "NO_DIMENSION", What: []string{"time"}}
	}
	if m.Additivity != semantic.SemiAdditive || m.Time == "" || takesOne(m) {
		return nil
	}
	t := in.Time
	if t != nil && (t.Grain == "day" || t.From != "" && t.To != "" && nextDay(t.From) == t.To) {
		return nil
	}
	return &Problem{Code: "SEMI_ADDITIVE", What: []string{m.ID}}
}

// takesOne reports whether a level over several times is that of the last or the
// first of them.
func takesOne(m semantic.Metric) bool {
	return m.Additivity == semantic.SemiAdditive && (m.OverTime == semantic.TakeLast || m.OverTime == semantic.TakeFirst)
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
	if id == dayTypeID {
		d, ok := dayTypeOf(c.Metrics[0])
		if !ok {
			return &Problem{Code: "NO_DIMENSION", What: []string{id}}
		}
		if d.Table, ok = c.dated(layer); !ok {
			return &Problem{Code: "NO_DIMENSION", What: []string{id}}
		}
		c.Dimensions[id] = d
		return nil
	}
	for _, d := range layer.Dimensions {
		if Base(d.ID) == id && d.Table == table && !layer.IsRole(d.Via) {
			c.Dimensions[id] = d
			return nil
		}
	}
	for _, d := range layer.Dimensions {
		if Base(d.ID) != id {
			continue
		}
		if path, ok := layer.Path(table, d.Table, d.Via); ok {
			if d.Table, ok = c.join(path); !ok {
				return &Problem{Code: "TOO_MANY_PARTS"}
			}
			c.Dimensions[id] = d
			return nil
		}
	}
	return unreached(layer, table, id)
}

// entity finds the key of an entity in the table, and joins its label where that
// is shown.
func (c *Choice) entity(layer *semantic.Layer, table, id string, labelled bool) error {
	for _, e := range layer.Entities {
		if e.ID != id {
			continue
		}
		if !labelled {
			e.Label = nil
		}
		if e.Table == table && e.Via == "" {
			c.Entities[id] = Key{Entity: e, Table: table, Columns: e.Key}
			return nil
		}
		path, ok := layer.Path(table, e.Table, e.Via)
		if !ok || !slices.Equal(path[len(path)-1].ToColumns, e.Key) {
			break
		}
		last := len(path) - 1
		before, ok := c.join(path[:last]) // the key itself is in the table before
		if !ok {
			break
		}
		k := Key{Entity: e, Table: before, Columns: path[last].Columns}
		if len(e.Label) > 0 {
			if k.Entity.Table, ok = c.join(path); !ok {
				break
			}
		}
		c.Entities[id] = k
		return nil
	}
	return unreached(layer, table, id)
}

// unreached says why a dimension or an entity is not reached from a table: it has
// several roles there and the question names none, or no joins lead to it.
func unreached(layer *semantic.Layer, table, id string) *Problem {
	if roles := layer.RolesOf(id, table); len(roles) > 1 {
		return &Problem{Code: "SEVERAL_ROLES", What: []string{id}, Options: roles}
	}
	return &Problem{Code: "NO_DIMENSION", What: []string{id}}
}

func (c *Choice) named(layer *semantic.Layer, table, id string, as Named) error {
	for _, list := range [][]semantic.Filter{layer.Filters, layer.Exclusions} {
		for _, f := range list {
			if f.ID != id {
				continue
			}
			if f.Table != table || f.Via != "" {
				path, ok := layer.Path(table, f.Table, f.Via)
				if !ok {
					return &Problem{Code: "NO_DIMENSION", What: []string{id}}
				}
				if f.Table, ok = c.join(path); !ok {
					return &Problem{Code: "TOO_MANY_PARTS"}
				}
			}
			as.Filter = f
			c.Named = append(c.Named, as)
			return nil
		}
	}
	return &Problem{Code: "NO_DIMENSION", What: []string{id}}
}
