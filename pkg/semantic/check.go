package semantic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// checker validates files one by one and, at the end, what refers across files.
type checker struct {
	seen     map[string]Problem  // "metrics/gmv" -> where it was first
	dims     map[string]struct{} // ids of dimensions
	cids     bool                // a country was declared
	pending  []reference
	cidTable []Problem // uses of {cid}
}

type reference struct {
	at Problem
	id string
}

func newChecker() *checker {
	return &checker{seen: map[string]Problem{}, dims: map[string]struct{}{}}
}

var (
	idForm    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	tableForm = regexp.MustCompile(`^([A-Za-z0-9_]+\.){0,2}[A-Za-z0-9_]+$`)
)

// place finds lines in a file's node tree.
type place struct {
	name string
	root *yaml.Node
}

// at returns the line of item i of a section, or of a field of it.
func (p place) at(section string, i int, field string) Problem {
	pr := Problem{File: p.name}
	node := mapValue(p.root.Content[0], section)
	if node == nil || node.Kind != yaml.SequenceNode || i >= len(node.Content) {
		return pr
	}
	item := node.Content[i]
	pr.Line = item.Line
	if v := mapValue(item, field); v != nil {
		pr.Line = v.Line
	}
	return pr
}

func mapValue(m *yaml.Node, key string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// fileCheck gathers the problems of one file.
type fileCheck struct {
	*checker
	place
	problems Problems
}

func (c *fileCheck) report(at Problem, format string, args ...any) {
	at.Message = fmt.Sprintf(format, args...)
	c.problems = append(c.problems, at)
}

func (c *checker) file(name string, f *file, root *yaml.Node) Problems {
	fc := &fileCheck{checker: c, place: place{name: name, root: root}}
	for i, x := range f.Countries {
		c.cids = true
		if x.Code == "" || x.CID == "" {
			fc.report(fc.at("countries", i, "code"), "country needs code and cid")
		}
		fc.unique("countries", i, "code", strings.ToLower(x.Code))
	}
	for i, x := range f.Entities {
		fc.item("entities", i, x.ID, x.Names, x.Table)
		if len(x.Key) == 0 {
			fc.report(fc.at("entities", i, "key"), "entity %q needs key: the columns that tell one row from another", x.ID)
		}
	}
	for i, x := range f.Dimensions {
		fc.dimension(i, x)
	}
	for i, x := range f.Metrics {
		fc.metric(i, x)
	}
	for section, list := range map[string][]Filter{"filters": f.Filters, "exclusions": f.Exclusions} {
		for i, x := range list {
			fc.item(section, i, x.ID, x.Names, x.Table)
			fc.expression(fc.at(section, i, "expr"), x.Expr)
		}
	}
	for i, x := range f.Joins {
		fc.join(i, x)
	}
	for i, x := range f.Rules {
		fc.unique("rules", i, "id", x.ID)
	}
	if w := f.Time.WeekStart; w != "" && w != "monday" && w != "sunday" && w != "saturday" {
		fc.report(Problem{File: name}, "time.week_start is %q: monday, sunday or saturday", w)
	}
	slices.SortStableFunc(fc.problems, func(a, b Problem) int { return a.Line - b.Line })
	return fc.problems
}

func (c *fileCheck) unique(section string, i int, field, id string) {
	at := c.at(section, i, field)
	key := section + "/" + id
	if first, ok := c.seen[key]; ok {
		c.report(at, "%s id %q was used at %s:%d already", section, id, first.File, first.Line)
		return
	}
	c.seen[key] = at
}

func (c *fileCheck) item(section string, i int, id string, names Text, table string) {
	c.named(section, i, id, names)
	c.table(c.at(section, i, "table"), table)
}

// named checks what all items have.
func (c *fileCheck) named(section string, i int, id string, names Text) {
	if !idForm.MatchString(id) {
		c.report(c.at(section, i, "id"), "id %q: lower-case letters, digits and _", id)
	}
	c.unique(section, i, "id", id)
	if names.EN == "" && names.ZH == "" {
		c.report(c.at(section, i, "names"), "%q needs a name: names: {en: ..., zh: ...}", id)
	}
}

func (c *fileCheck) table(at Problem, table string) {
	if !tableForm.MatchString(strings.ReplaceAll(table, "{cid}", "x")) {
		c.report(at, "table %q: schema.table, the country as {cid}", table)
		return
	}
	if strings.Contains(table, "{cid}") {
		c.cidTable = append(c.cidTable, at)
	}
}

func (c *fileCheck) dimension(i int, x Dimension) {
	c.item("dimensions", i, x.ID, x.Names, x.Table)
	c.dims[x.ID] = struct{}{}
	if x.Expr != "" {
		c.expression(c.at("dimensions", i, "expr"), x.Expr)
	}
	switch x.Role {
	case "", RoleKey, RoleLabel, RoleCategory, RoleTime, RoleMeasure, RoleText:
	default:
		c.report(c.at("dimensions", i, "role"), "role %q: key, label, category, time, measure or text", x.Role)
	}
	for _, h := range x.Hierarchy {
		c.pending = append(c.pending, reference{at: c.at("dimensions", i, "hierarchy"), id: h})
	}
}

func (c *fileCheck) metric(i int, x Metric) {
	if x.Composed() {
		c.named("metrics", i, x.ID, x.Names)
	} else {
		c.item("metrics", i, x.ID, x.Names, x.Table)
	}
	c.metricType(i, x)
	switch x.Additivity {
	case "", Additive, SemiAdditive, NonAdditive:
	default:
		c.report(c.at("metrics", i, "additivity"), "additivity %q: additive, semi_additive or non_additive", x.Additivity)
	}
	if x.Better != "" && x.Better != BetterHigh && x.Better != BetterLow {
		c.report(c.at("metrics", i, "better"), "better %q: high or low", x.Better)
	}
	switch x.Grain {
	case "", "none", "hour", "day", "week", "month":
	default:
		c.report(c.at("metrics", i, "grain"), "grain %q: none, hour, day, week or month", x.Grain)
	}
	for _, f := range x.DefaultFilters {
		c.expression(c.at("metrics", i, "default_filters"), f)
	}
}

// metricType checks what the type of a metric needs and cannot have.
func (c *fileCheck) metricType(i int, x Metric) {
	switch x.Kind() {
	case Simple:
		c.expression(c.at("metrics", i, "expr"), x.Expr)
	case DistinctCount:
		c.expression(c.at("metrics", i, "distinct"), x.Distinct)
	case Derived:
		c.expression(c.at("metrics", i, "expr"), x.Expr)
	case Ratio, Cumulative:
	default:
		c.report(c.at("metrics", i, "type"), "type %q: simple, distinct_count, ratio, derived or cumulative", x.Type)
	}
}

func (c *fileCheck) join(i int, x Join) {
	c.table(c.at("joins", i, "from"), x.From)
	c.table(c.at("joins", i, "to"), x.To)
	if len(x.Columns) == 0 || len(x.Columns) != len(x.ToColumns) {
		c.report(c.at("joins", i, "columns"), "join needs as many columns as to_columns, at least one")
	}
	switch x.Cardinality {
	case "", ManyToOne, OneToOne, OneToMany, ManyToMany:
	default:
		c.report(c.at("joins", i, "cardinality"), "cardinality %q: many_to_one, one_to_one, one_to_many or many_to_many", x.Cardinality)
	}
}

func (c *fileCheck) expression(at Problem, expr string) {
	if strings.TrimSpace(expr) == "" {
		c.report(at, "needs an expression")
		return
	}
	if _, err := ParseExpr(expr); err != nil {
		c.report(at, "%v", err)
	}
}

// references reports what points nowhere, once all files are read.
func (c *checker) references() Problems {
	var problems Problems
	for _, r := range c.pending {
		if _, ok := c.dims[r.id]; !ok {
			r.at.Message = fmt.Sprintf("hierarchy names dimension %q, which does not exist", r.id)
			problems = append(problems, r.at)
		}
	}
	if !c.cids && len(c.cidTable) > 0 {
		at := c.cidTable[0]
		at.Message = "a table has {cid} but no file declares countries"
		problems = append(problems, at)
	}
	return problems
}
