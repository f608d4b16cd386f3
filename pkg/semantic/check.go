package semantic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// checker validates files one by one and, at the end, what refers across files.
type checker struct {
	seen     map[string]Problem  // "metrics/gmv" -> where it was first
	dims     map[string]struct{} // ids of dimensions
	cids     bool                // a country was declared
	pending  []reference
	ways     []joined
	cidTable []Problem          // uses of {cid}
	metrics  map[string]Problem // id -> where it is
	catalog  *catalogCheck      // nil: not checked
}

type reference struct {
	at Problem
	id string
}

// joined are tables that joins have to lead from and to.
type joined struct {
	at       Problem
	from, to string
	via      bool // from is a table or a role
}

func newChecker(tables []catalog.Table) *checker {
	c := &checker{seen: map[string]Problem{}, dims: map[string]struct{}{}, metrics: map[string]Problem{}}
	if tables != nil {
		c.catalog = newCatalogCheck(tables)
	}
	return c
}

var (
	idForm    = regexp.MustCompile(`^[a-z一-鿿][a-z0-9_一-鿿]*$`)
	tableForm = regexp.MustCompile(`^([\pL\pM\pN_-]+\.){0,2}[\pL\pM\pN_-]+$`)
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
	if m != nil && m.Kind == yaml.AliasNode {
		m = m.Alias
	}
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

func (c *fileCheck) warn(at Problem, format string, args ...any) {
	at.Warning = true
	c.report(at, format, args...)
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
		fc.entity(i, x)
	}
	for i, x := range f.Dimensions {
		fc.dimension(i, x)
	}
	for i, x := range f.Metrics {
		fc.metric(i, x)
	}
	for section, list := range map[string][]Filter{"filters": f.Filters, "exclusions": f.Exclusions} {
		for i, x := range list {
			fc.filter(section, i, x)
		}
	}
	for i, x := range f.Joins {
		fc.join(i, x)
	}
	for i, x := range f.Dates {
		fc.date(i, x)
	}
	fc.texts(f)
	if w := f.Time.WeekStart; w != "" && w != "monday" && w != "sunday" && w != "saturday" {
		fc.report(fc.inside("time", "week_start"), "time.week_start is %q: monday, sunday or saturday", w)
	}
	if m := f.Time.FiscalOffsetMonths; m < -11 || m > 11 {
		fc.report(fc.inside("time", "fiscal_offset_months"), "time.fiscal_offset_months is %d: from -11 to 11", m)
	}
	return fc.problems
}

// inside returns the line of a field of a section that is no list.
func (p place) inside(section, field string) Problem {
	pr := Problem{File: p.name}
	if v := mapValue(mapValue(p.root.Content[0], section), field); v != nil {
		pr.Line = v.Line
	}
	return pr
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

// named checks what all items have.
func (c *fileCheck) named(section string, i int, id string, names Text) {
	c.identified(section, i, id)
	if names.EN == "" && names.ZH == "" {
		c.report(c.at(section, i, "names"), "%q needs a name: names: {en: ..., zh: ...}", id)
	}
}

func (c *fileCheck) identified(section string, i int, id string) {
	if !idForm.MatchString(id) {
		c.report(c.at(section, i, "id"), "id %q: lower-case letters, digits and _, a letter first", id)
	}
	c.unique(section, i, "id", id)
}

func (c *fileCheck) item(section string, i int, id string, names Text, table string) {
	c.named(section, i, id, names)
	c.table(c.at(section, i, "table"), table)
}

func (c *fileCheck) table(at Problem, table string) {
	if !nameable(table) {
		c.report(at, "table %q: schema.table, the country as {cid}", table)
		return
	}
	if strings.Contains(table, CIDPlaceholder) {
		c.cidTable = append(c.cidTable, at)
	}
	c.known(at, table)
}

func (c *fileCheck) entity(i int, x Entity) {
	c.item("entities", i, x.ID, x.Names, x.Table)
	if len(x.Key) == 0 {
		c.report(c.at("entities", i, "key"), "entity %q needs key: the columns that tell one row from another", x.ID)
	}
	for _, k := range x.Key {
		c.column(c.at("entities", i, "key"), x.Table, k)
	}
	for _, l := range x.Label {
		c.column(c.at("entities", i, "label"), x.Table, l)
	}
	c.way("entities", i, x.Via, x.Table)
}

func (c *fileCheck) dimension(i int, x Dimension) {
	c.item("dimensions", i, x.ID, x.Names, x.Table)
	c.dims[x.ID] = struct{}{}
	at, expr := c.at("dimensions", i, "expr"), x.Expr
	if expr == "" { // the column has the id's name, without the part that names a table
		expr, _, _ = strings.Cut(x.ID, "__")
	}
	if c.rowExpression(at, expr) {
		c.selects(at, x.Table, expr, nil, false)
		c.values(i, x, expr)
	}
	switch x.Role {
	case "", RoleKey, RoleLabel, RoleCategory, RoleTime, RoleMeasure, RoleText:
	default:
		c.report(c.at("dimensions", i, "role"), "role %q: key, label, category, time, measure or text", x.Role)
	}
	c.way("dimensions", i, x.Via, x.Table)
	for _, h := range x.Hierarchy {
		c.pending = append(c.pending, reference{at: c.at("dimensions", i, "hierarchy"), id: h})
	}
	seen := map[string]bool{}
	for _, v := range x.Values {
		if v.Value == "" || seen[v.Value] {
			c.report(c.at("dimensions", i, "values"), "dimension %q has the value %q twice or empty", x.ID, v.Value)
		}
		seen[v.Value] = true
	}
}

// way notes by what a table is reached: a table on the way, or the role of a join.
func (c *fileCheck) way(section string, i int, via, to string) {
	if via == "" {
		return
	}
	at := c.at(section, i, "via")
	if strings.Contains(via, ".") { // the name of a role has none
		c.known(at, via)
	}
	c.ways = append(c.ways, joined{at: at, from: via, to: to, via: true})
}

// date checks a column that dates rows.
func (c *fileCheck) date(i int, x DateColumn) {
	c.item("dates", i, x.ID, x.Names, x.Table)
	at := c.at("dates", i, "expr")
	if c.rowExpression(at, x.Column()) {
		c.dated(at, x.Table, x.Column())
	}
	oneOf(c, c.at("dates", i, "grain"), "grain", x.Grain, grains)
	c.way("dates", i, x.Via, x.Table)
}

func (c *fileCheck) filter(section string, i int, x Filter) {
	c.item(section, i, x.ID, x.Names, x.Table)
	c.way(section, i, x.Via, x.Table)
	at := c.at(section, i, "expr")
	if c.rowExpression(at, x.Expr) {
		c.selects(at, x.Table, "1", []string{x.Expr}, false)
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
	key := "joins/" + columnsKey(x.From, x.Columns, x.To, x.ToColumns)
	if first, ok := c.seen[key]; ok {
		c.report(c.at("joins", i, "from"), "this join was given at %s:%d already", first.File, first.Line)
	}
	c.seen[key] = c.at("joins", i, "from")
	c.role(i, x)
	c.joins(i, x)
}

// role checks the role of a join. One role may be that of joins from several tables,
// never of two from one.
func (c *fileCheck) role(i int, x Join) {
	at := c.at("joins", i, "role")
	if x.Role == "" {
		if x.Names != (Text{}) || len(x.Synonyms) > 0 {
			c.report(c.at("joins", i, "names"), "the names of a join are those of its role: give it one, role: home")
		}
		return
	}
	if !idForm.MatchString(x.Role) || strings.Contains(x.Role, "__") {
		c.report(at, "role %q: lower-case letters, digits and _, a letter first", x.Role)
	}
	if forward(x).From == "" {
		c.report(at, "role %q is of a join that finds many rows: a role is that of one row", x.Role)
	}
	key := "roles/" + x.Role + "/" + forward(x).From
	if first, ok := c.seen[key]; ok {
		c.report(at, "role %q was given to another join of this table at %s:%d", x.Role, first.File, first.Line)
	}
	c.seen[key] = at
	if x.Names.EN == "" && x.Names.ZH == "" {
		if _, ok := c.seen["rolenames/"+x.Role]; !ok {
			c.report(at, "role %q needs a name: names: {en: ..., zh: ...}", x.Role)
		}
	}
	c.seen["rolenames/"+x.Role] = at
}

// texts checks rules, glossary and examples: what has no table.
func (c *fileCheck) texts(f *file) {
	for i, x := range f.Rules {
		c.identified("rules", i, x.ID)
		if x.Text == (Text{}) {
			c.report(c.at("rules", i, "text"), "rule %q needs a text: text: {en: ..., zh: ...}", x.ID)
		}
	}
	for i, x := range f.Glossary {
		c.named("glossary", i, x.ID, x.Names)
		if x.Text == (Text{}) {
			c.report(c.at("glossary", i, "text"), "term %q needs a text: text: {en: ..., zh: ...}", x.ID)
		}
	}
	for i, x := range f.Examples {
		c.identified("examples", i, x.ID)
		if x.Question == (Text{}) {
			c.report(c.at("examples", i, "question"), "example %q needs a question: question: {en: ..., zh: ...}", x.ID)
		}
		at := c.at("examples", i, "sql")
		stmt, err := parser.Parse(x.SQL)
		switch {
		case err != nil:
			c.report(at, "example %q: %v", x.ID, err)
		case stmt.Query == nil:
			c.report(at, "example %q: its SQL is no query", x.ID)
		default:
			c.resolves(at, stmt)
		}
	}
}

// expression reports whether a text is one expression without queries of its own,
// whose columns are then those of the item's table.
func (c *fileCheck) expression(at Problem, expr string) (tree.Expr, bool) {
	if strings.TrimSpace(expr) == "" {
		c.report(at, "needs an expression")
		return nil, false
	}
	x, err := ParseExpr(expr)
	if err != nil {
		c.report(at, "%v", err)
		return nil, false
	}
	ok := true
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			c.report(at, "expression %q has a query in it: join the table instead", expr)
			ok = false
		case *tree.Call:
			if n.Over != nil {
				c.report(at, "expression %q has a window: rows are grouped by what is asked", expr)
				ok = false
			}
		}
		return ok
	})
	return x, ok
}

// rowExpression is an expression over one row.
func (c *fileCheck) rowExpression(at Problem, expr string) bool {
	x, ok := c.expression(at, expr)
	if ok && resolve.Aggregates(x) {
		c.report(at, "expression %q aggregates: it is over one row", expr)
		return false
	}
	return ok
}

// references reports what points nowhere, once all files are read.
func (c *checker) references(layer *Layer) Problems {
	var problems Problems
	for _, r := range c.pending {
		if _, ok := c.dims[r.id]; !ok {
			r.at.Message = fmt.Sprintf("hierarchy names dimension %q, which does not exist", r.id)
			problems = append(problems, r.at)
		}
	}
	for _, w := range c.ways {
		if w.via {
			if message := unreachedVia(layer, w.from, w.to); message != "" {
				w.at.Message = message
				problems = append(problems, w.at)
			}
			continue
		}
		if _, ok := layer.Path(w.from, w.to, ""); !ok {
			w.at.Message = fmt.Sprintf("no joins lead from %s to %s, each to one row, in one way only: write them under joins", w.from, w.to)
			problems = append(problems, w.at)
		}
	}
	problems = append(problems, c.sameWays(layer)...)
	if !c.cids && len(c.cidTable) > 0 {
		at := c.cidTable[0]
		at.Message = "a table has {cid} but no file declares countries"
		problems = append(problems, at)
	}
	problems = append(problems, c.composed(layer)...)
	return append(problems, c.sharedNames(layer)...)
}

// sameWays warns of joins between the same tables that have no role: no question says
// which of them it means.
func (c *checker) sameWays(layer *Layer) (problems Problems) {
	seen := map[[2]string]int{}
	for i, j := range layer.Joins {
		if j = forward(j); j.From == "" {
			continue
		}
		key := [2]string{j.From, j.To}
		first, again := seen[key]
		if !again {
			seen[key] = i
			continue
		}
		if other := forward(layer.Joins[first]); (j.Role == "" || other.Role == "") && !(slices.Equal(j.Columns, other.Columns) && slices.Equal(j.ToColumns, other.ToColumns)) {
			at := c.seen["joins/"+columnsKey(layer.Joins[i].From, layer.Joins[i].Columns, layer.Joins[i].To, layer.Joins[i].ToColumns)]
			at.Warning = true
			at.Message = fmt.Sprintf("several joins lead from %s to %s: give each of them a role, or questions over them are refused", j.From, j.To)
			problems = append(problems, at)
		}
	}
	return problems
}

// unreachedVia says why a table is not reached by what a via names; empty where it is.
func unreachedVia(layer *Layer, via, to string) string {
	joins := layer.roleJoins(via)
	if len(joins) == 0 {
		if !strings.Contains(via, ".") && !layer.joinsTable(via) {
			return fmt.Sprintf("via %q is neither a table nor the role of a join: write role: %s at the join that is meant", via, via)
		}
		if _, ok := layer.Path(via, to, ""); !ok {
			return fmt.Sprintf("no joins lead from %s to %s, each to one row, in one way only: write them under joins", via, to)
		}
		return ""
	}
	for _, j := range joins {
		if _, ok := layer.Path(forward(j).To, to, ""); ok {
			return ""
		}
	}
	return fmt.Sprintf("the role %s leads to %s, and no joins from there to %s, each to one row, in one way only", via, forward(joins[0]).To, to)
}

// joinsTable reports whether some join has a table.
func (l *Layer) joinsTable(table string) bool {
	return slices.ContainsFunc(l.Joins, func(j Join) bool { return j.From == table || j.To == table })
}

// sharedNames warns of metrics with one name: a question that says it means either.
// By convention x__y is x in another table, and may share its names.
func (c *checker) sharedNames(layer *Layer) Problems {
	var problems Problems
	owner := map[string]string{}
	for _, m := range layer.Metrics {
		base, _, _ := strings.Cut(m.ID, "__")
		for _, name := range append([]string{m.Names.EN, m.Names.ZH}, m.Synonyms...) {
			name = Fold(name)
			if name == "" {
				continue
			}
			if other, ok := owner[name]; ok && other != base {
				at := c.metrics[m.ID]
				at.Warning = true
				at.Message = fmt.Sprintf("%q is a name of metric %q, too: a question that says it will be asked back", name, other)
				problems = append(problems, at)
				continue
			}
			owner[name] = base
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Message, b.Message) })
	return problems
}
