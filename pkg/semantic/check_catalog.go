package semantic

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/spelling"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// maxNear bounds the names that a message suggests.
const maxNear = 3

// catalogCheck holds the tables that a layer is checked against.
type catalogCheck struct {
	scope  resolve.Scope
	tables []catalog.Table
	byName map[string][]*catalog.Table // by a layer's table name
	told   map[string]bool             // tables that were reported as unknown
}

func newCatalogCheck(tables []catalog.Table) *catalogCheck {
	return &catalogCheck{
		scope: resolve.Scope{Catalog: resolve.NewTables(tables)}, tables: tables,
		byName: map[string][]*catalog.Table{}, told: map[string]bool{},
	}
}

// of returns the tables that a layer's table name means.
func (k *catalogCheck) of(name string) []*catalog.Table {
	found, ok := k.byName[name]
	if !ok {
		found = Tables(name, k.tables)
		k.byName[name] = found
	}
	return found
}

// known reports a table that is not in the catalog, once.
func (c *fileCheck) known(at Problem, table string) {
	if c.catalog == nil || len(c.catalog.of(table)) > 0 || c.catalog.told[table] {
		return
	}
	c.catalog.told[table] = true
	names := make([]string, len(c.catalog.tables))
	for i := range c.catalog.tables {
		t := &c.catalog.tables[i]
		names[i] = t.Name.Schema + "." + cmp.Or(t.Manifest, t.Name.Table)
		if strings.Contains(t.Manifest, ".") {
			names[i] = t.Manifest
		}
	}
	c.report(at, "table %q is not in the catalog%s", table, nearest(table, names))
}

// column reports a column that a table of that name does not have.
func (c *fileCheck) column(at Problem, table, column string) {
	if c.catalog == nil {
		return
	}
	for _, t := range c.catalog.of(table) {
		if _, ok := t.Column(column); !ok {
			names := make([]string, len(t.Columns))
			for i, col := range t.Columns {
				names[i] = col.Name
			}
			c.report(at, "table %s has no column %q%s", t.Name, column, nearest(column, names))
			return
		}
	}
}

// selects reports what is wrong with an expression over a table, under conditions.
// Of the tables that the name means each has to have the columns.
func (c *fileCheck) selects(at Problem, table, expr string, conditions []string, aggregates bool) {
	if c.catalog == nil {
		return
	}
	for _, t := range c.catalog.of(table) {
		x, err := ParseExpr(expr)
		if err != nil {
			return // reported already
		}
		sel := &tree.Select{Items: []tree.SelectItem{tree.Item(x, "")}, From: []tree.Relation{tree.TableOf(t.Name.Region, t.Name.Schema, t.Name.Table)}}
		var where []tree.Expr
		for _, text := range conditions {
			cond, err := ParseExpr(text)
			if err != nil {
				return
			}
			where = append(where, cond)
		}
		sel.Where = tree.And(where...)
		if !aggregates {
			sel.Items = append(sel.Items, tree.Item(tree.Int(1), ""))
		}
		if c.resolves(at, tree.StatementOf(tree.QueryOf(sel))) {
			return // the others of the name would give the same again
		}
	}
}

// resolves reports the mistakes of a statement, and whether there were any.
func (c *fileCheck) resolves(at Problem, stmt *tree.Statement) bool {
	if c.catalog == nil {
		return false
	}
	_, found := resolve.Resolve(stmt, c.catalog.scope)
	for _, d := range found {
		hint := ""
		if len(d.Suggestions) > 0 {
			hint = ": did you mean " + strings.Join(d.Suggestions, ", ") + "?"
		}
		c.report(at, "%s%s", d.Message, hint)
	}
	return len(found) > 0
}

// dated reports a time column that holds no time.
func (c *fileCheck) dated(at Problem, table, expr string) {
	if c.catalog == nil {
		return
	}
	for _, t := range c.catalog.of(table) {
		x, err := ParseExpr(expr)
		if err != nil {
			return
		}
		ref, ok := x.(*tree.ColumnRef)
		if !ok || len(ref.Parts) != 1 {
			c.selects(at, table, expr, nil, false)
			return
		}
		name := ref.Parts[0].Name
		col, ok := t.Column(name)
		if !ok {
			c.column(at, table, name)
			return
		}
		if !IsTime(col.Type) && !IsText(col.Type) {
			c.report(at, "time column %s of %s is %s: it has to be a date, a timestamp, or a text with dates", name, t.Name, col.Type)
			return
		}
	}
}

// joins checks the columns of a join, and that the side that is said to be one is.
func (c *fileCheck) joins(i int, j Join) {
	if c.catalog == nil || len(j.Columns) != len(j.ToColumns) {
		return
	}
	for n := range j.Columns {
		c.column(c.at("joins", i, "columns"), j.From, j.Columns[n])
		c.column(c.at("joins", i, "to_columns"), j.To, j.ToColumns[n])
	}
	for _, t := range c.catalog.of(j.To) {
		if (j.Cardinality == "" || j.Cardinality == ManyToOne || j.Cardinality == OneToOne) && repeats(t, j.ToColumns) {
			c.warn(c.at("joins", i, "cardinality"), "%s has several rows for a value of %s: as %s the join would count rows twice",
				t.Name, strings.Join(j.ToColumns, ", "), cmp.Or(j.Cardinality, ManyToOne))
			return
		}
	}
}

// repeats reports whether a column is known to hold a value in several rows. The
// number of different values is often an estimate, off by a tenth and more.
func repeats(t *catalog.Table, columns []string) bool {
	if len(columns) != 1 {
		return false
	}
	col, ok := t.Column(columns[0])
	return ok && !col.PrimaryKey && col.Distinct > 0 && t.RowCount > 0 && col.Distinct < t.RowCount/2
}

// values warns of values that a column does not hold, where all that it holds are
// known.
func (c *fileCheck) values(i int, d Dimension, column string) {
	if c.catalog == nil || len(d.Values) == 0 {
		return
	}
	stored := map[string]bool{}
	for _, t := range c.catalog.of(d.Table) {
		col, ok := t.Column(column)
		if !ok || col.Distinct == 0 || int64(len(col.Samples)) < col.Distinct {
			return
		}
		for _, s := range col.Samples {
			stored[s] = true
		}
	}
	for _, v := range d.Values {
		if len(stored) > 0 && !stored[v.Value] {
			c.warn(c.at("dimensions", i, "values"), "dimension %q: no row has the value %q", d.ID, v.Value)
		}
	}
}

// nearest is the end of a message that names what may have been meant.
func nearest(name string, of []string) string {
	type scored struct {
		name     string
		distance int
	}
	name = strings.ToLower(name)
	var found []scored
	for _, n := range of {
		low := strings.ToLower(n)
		d := spelling.Distance(name, low)
		if len(name) > 2 && len(low) > 2 && (strings.Contains(low, name) || strings.Contains(name, low)) {
			d = min(d, 1)
		}
		if d <= max(1, len(name)/3) {
			found = append(found, scored{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name)) })
	found = slices.Compact(found)
	if len(found) == 0 {
		return ""
	}
	var names []string
	for _, f := range found[:min(len(found), maxNear)] {
		names = append(names, f.name)
	}
	return "; near it: " + strings.Join(names, ", ")
}
