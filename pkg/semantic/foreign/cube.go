package foreign

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/semantic"
)

type cubeFile struct {
	Cubes []cube `yaml:"cubes"`
}

type cube struct {
	Name       string `yaml:"name"`
	Title      string `yaml:"title"`
	Table      string `yaml:"sql_table"`
	SQL        string `yaml:"sql"`
	Meta       meta   `yaml:"meta"`
	Dimensions []struct {
		Name        string `yaml:"name"`
		Title       string `yaml:"title"`
		Description string `yaml:"description"`
		SQL         string `yaml:"sql"`
		Type        string `yaml:"type"` // string, number, time, boolean, geo
		Primary     bool   `yaml:"primary_key"`
		Meta        meta   `yaml:"meta"`
	} `yaml:"dimensions"`
	Measures []cubeMeasure `yaml:"measures"`
	Segments []struct {
		Name        string `yaml:"name"`
		Title       string `yaml:"title"`
		Description string `yaml:"description"`
		SQL         string `yaml:"sql"`
		Meta        meta   `yaml:"meta"`
	} `yaml:"segments"`
	Joins []struct {
		Name         string `yaml:"name"`
		Relationship string `yaml:"relationship"`
		SQL          string `yaml:"sql"`
	} `yaml:"joins"`
}

type cubeMeasure struct {
	Name        string `yaml:"name"`
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	SQL         string `yaml:"sql"`
	Type        string `yaml:"type"`
	Meta        meta   `yaml:"meta"`
	Filters     []struct {
		SQL string `yaml:"sql"`
	} `yaml:"filters"`
	Rolling *struct {
		Trailing string `yaml:"trailing"`
		Leading  string `yaml:"leading"`
		Offset   string `yaml:"offset"`
	} `yaml:"rolling_window"`
}

// Cube reads a YAML model file of Cube: cubes over a table with their dimensions,
// measures, segments and joins. The first dimension of type time dates a cube.
func Cube(text []byte) (*semantic.Layer, []Skipped, error) {
	var f cubeFile
	if err := yaml.Unmarshal(text, &f); err != nil {
		return nil, nil, fmt.Errorf("read the Cube model: %w", err)
	}
	if len(f.Cubes) == 0 {
		return nil, nil, fmt.Errorf("read the Cube model: it has no cubes")
	}
	c := cubes{importer: newImporter(), metrics: map[string]string{}, time: map[string]string{}, byName: map[string]*cube{}}
	for i := range f.Cubes {
		c.byName[f.Cubes[i].Name] = &f.Cubes[i]
	}
	for i := range f.Cubes {
		if x := &f.Cubes[i]; x.Table == "" {
			c.skip("cube "+x.Name, "it is over a query, not over a table")
		} else {
			c.cube(x)
		}
	}
	c.settle()
	c.dates()
	return &c.layer, c.skipped, nil
}

type cubes struct {
	*importer
	byName  map[string]*cube
	metrics map[string]string // "cube.measure" -> id of its metric
	time    map[string]string // cube -> time column
}

func (c *cubes) cube(x *cube) {
	var key []string
	for _, d := range x.Dimensions {
		expr := c.own(x, cmp.Or(d.SQL, d.Name))
		if d.Primary {
			key = append(key, expr)
		}
		if d.Type == "geo" || !c.readable("dimension "+x.Name+"."+d.Name, expr) {
			continue
		}
		out := semantic.Dimension{
			ID: c.unique("dimensions", idOf(d.Name), x.Name), Names: named(d.Title, d.Name), Synonyms: words(d.Title, d.Name, d.Meta.Synonyms), Description: described(d.Description), Table: x.Table, Expr: expr,
		}
		switch {
		case d.Primary:
			out.Role = semantic.RoleKey
		case d.Type == "time":
			out.Role = semantic.RoleTime
			if c.time[x.Name] == "" {
				c.time[x.Name] = expr
			}
		}
		c.layer.Dimensions = append(c.layer.Dimensions, out)
	}
	if len(key) > 0 {
		id := c.unique("entities", idOf(x.Name), x.Name)
		c.layer.Entities = append(c.layer.Entities, semantic.Entity{ID: id, Names: named(x.Title, x.Name), Synonyms: words(x.Title, x.Name, x.Meta.Synonyms), Table: x.Table, Key: key})
	}
	for _, m := range x.Measures { // ids first: measures name one another in any order
		c.metrics[x.Name+"."+m.Name] = c.unique("metrics", idOf(m.Name), x.Name)
	}
	for i := range x.Measures {
		c.measure(x, &x.Measures[i])
	}
	for _, s := range x.Segments {
		expr := c.own(x, s.SQL)
		if c.readable("segment "+x.Name+"."+s.Name, expr) {
			c.layer.Filters = append(c.layer.Filters, semantic.Filter{ID: c.unique("filters", idOf(s.Name), x.Name), Names: named(s.Title, s.Name), Synonyms: words(s.Title, s.Name, s.Meta.Synonyms), Description: described(s.Description), Table: x.Table, Expr: expr})
		}
	}
	c.joins(x)
}

// own takes the cube's own name off its columns: {CUBE}.x, {orders}.x, {CUBE.x}.
func (c *cubes) own(x *cube, sql string) string {
	name := `\$?\{(?:CUBE|` + regexp.QuoteMeta(x.Name) + `)`
	sql = regexp.MustCompile(name+`\}\.`).ReplaceAllString(sql, "")
	return strings.TrimSpace(regexp.MustCompile(name+`\.(\w+)\}`).ReplaceAllString(sql, "$1"))
}

func (c *cubes) measure(x *cube, m *cubeMeasure) {
	what := "measure " + x.Name + "." + m.Name
	out := semantic.Metric{
		ID: c.metrics[x.Name+"."+m.Name], Names: named(m.Title, m.Name), Synonyms: words(m.Title, m.Name, m.Meta.Synonyms), Description: described(m.Description), Table: x.Table, Time: c.time[x.Name],
	}
	expr := c.own(x, m.SQL)
	switch m.Type {
	case "count":
		out.Expr = "COUNT(" + cmp.Or(expr, "*") + ")"
	case "sum", "running_total":
		out.Expr = "SUM(" + expr + ")"
	case "avg", "min", "max":
		out.Expr, out.Additivity = strings.ToUpper(m.Type)+"("+expr+")", semantic.NonAdditive
	case "count_distinct":
		out.Type, out.Distinct = semantic.DistinctCount, expr
	case "count_distinct_approx":
		out.Expr, out.Additivity = "APPROX_DISTINCT("+expr+")", semantic.NonAdditive
	case "number":
		c.number(what, x, m, out)
		return
	default:
		c.skip(what, "measures of type %s have no equivalent", m.Type)
		return
	}
	for _, f := range m.Filters {
		cond := c.own(x, f.SQL)
		if !c.readable(what, cond) {
			return
		}
		out.DefaultFilters = append(out.DefaultFilters, cond)
	}
	if !c.readable(what, cmp.Or(out.Expr, out.Distinct)) {
		return
	}
	window, why := windowOf(m)
	if why != "" {
		c.skip(what, "%s", why)
		return
	}
	if m.Rolling != nil || m.Type == "running_total" { // the plain number, and what accumulates it
		plain := out
		plain.ID = c.unique("metrics", out.ID+"_plain", x.Name)
		plain.Names, plain.Synonyms = semantic.Text{EN: out.Names.EN + " of the period"}, nil
		c.layer.Metrics = append(c.layer.Metrics, plain)
		out = semantic.Metric{ID: out.ID, Names: out.Names, Synonyms: out.Synonyms, Description: out.Description, Type: semantic.Cumulative, Of: plain.ID, Window: window}
	}
	c.layer.Metrics = append(c.layer.Metrics, out)
}

var reference = regexp.MustCompile(`\{(?:CUBE\.)?(\w+)\}`)

// number is a measure over other measures.
func (c *cubes) number(what string, x *cube, m *cubeMeasure, out semantic.Metric) {
	missing := ""
	expr := reference.ReplaceAllStringFunc(m.SQL, func(ref string) string {
		name := reference.FindStringSubmatch(ref)[1]
		id, ok := c.metrics[x.Name+"."+name]
		if !ok {
			missing = name
		}
		return id
	})
	switch {
	case missing != "":
		c.skip(what, "it names %s, which is no measure of the cube", missing)
	case len(m.Filters) > 0:
		c.skip(what, "a number over measures with filters of its own")
	case reference.MatchString(m.SQL):
		if c.readable(what, expr) {
			c.layer.Metrics = append(c.layer.Metrics, semantic.Metric{ID: out.ID, Names: out.Names, Synonyms: out.Synonyms, Description: out.Description, Type: semantic.Derived, Expr: expr})
		}
	default: // an aggregate that is written out
		out.Expr, out.Additivity = c.own(x, m.SQL), semantic.NonAdditive
		if c.readable(what, out.Expr) {
			c.layer.Metrics = append(c.layer.Metrics, out)
		}
	}
}

// windowOf reads "7 day"; a window without bounds is none.
func windowOf(m *cubeMeasure) (w *semantic.Window, why string) {
	if m.Rolling == nil || m.Rolling.Trailing == "unbounded" {
		return nil, ""
	}
	words := strings.Fields(m.Rolling.Trailing)
	if len(words) != 2 || m.Rolling.Leading != "" || m.Rolling.Offset == "start" {
		return nil, "its rolling window is not one up to the end of a period"
	}
	n, err := strconv.Atoi(words[0])
	unit := strings.TrimSuffix(words[1], "s")
	if err != nil || !slices.Contains([]string{"day", "week", "month", "quarter", "year"}, unit) {
		return nil, "its rolling window is " + m.Rolling.Trailing
	}
	return &semantic.Window{Count: n, Unit: unit}, ""
}

var equalColumns = regexp.MustCompile(`^\s*\$?\{(\w+)\}?\.(\w+)\}?\s*=\s*\$?\{(\w+)\}?\.(\w+)\}?\s*$`)

func (c *cubes) joins(x *cube) {
	relations := map[string]semantic.Cardinality{
		"many_to_one": semantic.ManyToOne, "belongs_to": semantic.ManyToOne, "belongsTo": semantic.ManyToOne,
		"one_to_many": semantic.OneToMany, "has_many": semantic.OneToMany, "hasMany": semantic.OneToMany,
		"one_to_one": semantic.OneToOne, "has_one": semantic.OneToOne, "hasOne": semantic.OneToOne,
	}
	for _, j := range x.Joins {
		what := "join " + x.Name + " to " + j.Name
		to, ok := c.byName[j.Name]
		sides := equalColumns.FindStringSubmatch(j.SQL)
		cardinality := relations[j.Relationship]
		if !ok || to.Table == "" || sides == nil || cardinality == "" {
			c.skip(what, "it is not one column equal to another: %s", j.SQL)
			continue
		}
		from, other := sides[2], sides[4]
		if sides[1] == j.Name {
			from, other = other, from
		}
		c.layer.Joins = append(c.layer.Joins, semantic.Join{From: x.Table, Columns: []string{from}, To: to.Table, ToColumns: []string{other}, Cardinality: cardinality})
	}
}
