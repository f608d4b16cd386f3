package guard

import (
	"context"
	_ "embed" // of the columns of information_schema
	"slices"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// informationSchema is the schema whose tables are answered from the catalog: a
// read of one is covered by the rows that the asker may see.
const informationSchema = "information_schema"

//go:embed information_schema.tsv
var virtualFile string

// virtualColumn is a column of a table of information_schema.
type virtualColumn struct{ table, name, typ string }

// allVirtual are the columns of all tables of Trino's information_schema.
var allVirtual = sync.OnceValue(func() []virtualColumn {
	var out []virtualColumn
	for line := range strings.Lines(virtualFile) {
		if cells := strings.Split(strings.TrimSpace(line), "\t"); len(cells) == 3 {
			out = append(out, virtualColumn{cells[0], cells[1], cells[2]})
		}
	}
	return out
})

// virtualTables are those tables with their columns, by name.
func virtualTables(region string) []catalog.Table {
	var out []catalog.Table
	for _, c := range allVirtual() {
		if n := len(out); n == 0 || out[n-1].Name.Table != c.table {
			out = append(out, catalog.Table{Name: catalog.Name{Region: region, Schema: informationSchema, Table: c.table}, RowCount: -1})
		}
		last := &out[len(out)-1]
		last.Columns = append(last.Columns, catalog.Column{Name: c.name, Type: c.typ})
	}
	return out
}

// known reports a table of information_schema that is answered.
func known(table string) bool {
	switch table {
	case "tables", "columns", "schemata", "views":
		return true
	}
	return false
}

func isVirtual(n catalog.Name) bool { return strings.EqualFold(n.Schema, informationSchema) }

func virtualTable(name catalog.Name) (*catalog.Table, bool) {
	key := strings.ToLower(name.Table)
	tables := virtualTables(name.Region)
	i := slices.IndexFunc(tables, func(t catalog.Table) bool { return t.Name.Table == key })
	if i < 0 || !known(key) {
		return nil, false
	}
	return &tables[i], true
}

// rowsOf returns the rows of a table of information_schema.
func (a *approval) rowsOf(ctx context.Context, asked *resolve.Resolution, at *tree.Table, name catalog.Name) (*policy.Cover, error) {
	rows := &literalRows{}
	for _, c := range allVirtual() {
		if c.table == name.Table {
			rows.names, rows.types = append(rows.names, c.name), append(rows.types, c.typ)
		}
	}
	filter := Filter{Region: strings.ToLower(name.Region), WithColumns: name.Table == "columns"}
	if name.Table != "schemata" {
		narrow(asked, &filter)
	}
	tables, err := a.tables(ctx, filter, at)
	if err != nil {
		return nil, err
	}
	if filter.Schema != informationSchema && (len(tables) > 0 || strings.EqualFold(name.Region, a.scope.DefaultRegion)) { // a region that is there
		tables = append(tables, slices.DeleteFunc(virtualTables(name.Region), func(t catalog.Table) bool { return !filter.Fits(t.Name) })...)
	}
	schemas := map[string]bool{}
	for i := range tables {
		t := &tables[i]
		switch name.Table {
		case "tables":
			kind := "BASE TABLE"
			if t.Kind == catalog.KindView {
				kind = "VIEW"
			}
			rows.add(t.Name.Region, t.Name.Schema, t.Name.Table, kind)
		case "schemata":
			if !schemas[t.Name.Schema] {
				schemas[t.Name.Schema] = true
				rows.add(t.Name.Region, t.Name.Schema)
			}
		case "views":
			if t.Kind == catalog.KindView {
				rows.addExprs(tree.Str(t.Name.Region), tree.Str(t.Name.Schema), tree.Str(t.Name.Table), &tree.Null{})
			}
		case "columns":
			addColumns(rows, t)
		}
		if err := a.bounded(rows, at); err != nil {
			return nil, err
		}
	}
	return &policy.Cover{Query: rows.query()}, nil
}

func addColumns(rows *literalRows, t *catalog.Table) {
	for i, c := range t.Columns {
		nullable := "YES"
		if c.NotNull {
			nullable = "NO"
		}
		rows.addExprs(tree.Str(t.Name.Region), tree.Str(t.Name.Schema), tree.Str(t.Name.Table), tree.Str(c.Name),
			integer(i+1), &tree.Null{}, tree.Str(nullable), tree.Str(c.Type))
	}
}

// narrow reads from a statement's conditions which schema and table it asks about,
// so that a big warehouse is not listed for one table. It does so only where the
// statement is a single SELECT over one relation: there a condition joined by AND
// is one on every row.
func narrow(asked *resolve.Resolution, f *Filter) {
	s, ok := asked.Statement().Query.Body.(*tree.Select)
	if !ok || len(s.From) != 1 || len(asked.Tables()) != 1 || nested(asked.Statement()) {
		return
	}
	for _, x := range tree.Conjuncts(s.Where) {
		eq, ok := tree.Unparen(x).(*tree.Binary)
		if !ok || eq.Op != tree.OpEq {
			continue
		}
		ref, isRef := eq.Left.(*tree.ColumnRef)
		text, isText := eq.Right.(*tree.String)
		if !isRef || !isText || text.Value == "" || text.Value != strings.ToLower(text.Value) {
			continue
		}
		switch listingColumn(asked, ref) {
		case "table_schema":
			f.Schema = text.Value
		case "table_name":
			f.Table = text.Value
		}
	}
}

// listingColumn is the name that a column has in the listing, where the statement may
// give it another: FROM information_schema.tables AS t (table_schema, ...) calls the
// catalogs so. It is empty for a column of anything else.
func listingColumn(asked *resolve.Resolution, ref *tree.ColumnRef) string {
	for _, place := range asked.Places(ref) {
		if t, ok := place.Relation.(*tree.Table); ok {
			if stored, ok := asked.Stored(t); ok && place.Index < len(stored.Columns) {
				return stored.Columns[place.Index].Name
			}
		}
	}
	return ""
}

// nested reports a statement with more than one SELECT or with a join.
func nested(stmt *tree.Statement) bool {
	selects, joins := 0, 0
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.Select:
			selects++
		case *tree.Join:
			joins++
		}
		return true
	})
	return selects != 1 || joins > 0
}
