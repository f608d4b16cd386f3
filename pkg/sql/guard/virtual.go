package guard

import (
	"context"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// informationSchema is the schema whose tables are answered from the catalog: a
// read of one is covered by the rows that the asker may see.
const informationSchema = "information_schema"

// virtualColumns are the columns of those tables, as Trino has them.
func virtualColumns(table string) []string {
	switch table {
	case "tables":
		return []string{"table_catalog", "table_schema", "table_name", "table_type"}
	case "columns":
		return []string{"table_catalog", "table_schema", "table_name", "column_name", "ordinal_position", "column_default", "is_nullable", "data_type"}
	case "schemata":
		return []string{"catalog_name", "schema_name"}
	case "views":
		return []string{"table_catalog", "table_schema", "table_name", "view_definition"}
	}
	return nil
}

func known(table string) bool { return virtualColumns(table) != nil }

func isVirtual(n catalog.Name) bool { return strings.EqualFold(n.Schema, informationSchema) }

func virtualType(column string) string {
	if column == "ordinal_position" {
		return "bigint"
	}
	return "varchar"
}

func virtualTable(name catalog.Name) (*catalog.Table, bool) {
	key := strings.ToLower(name.Table)
	if !known(key) {
		return nil, false
	}
	t := &catalog.Table{Name: catalog.Name{Region: name.Region, Schema: informationSchema, Table: key}, RowCount: -1}
	for _, c := range virtualColumns(key) {
		t.Columns = append(t.Columns, catalog.Column{Name: c, Type: virtualType(c)})
	}
	return t, true
}

// rowsOf returns the rows of a table of information_schema.
func (a *approval) rowsOf(ctx context.Context, asked *resolve.Resolution, at *tree.Table, name catalog.Name) (*policy.Cover, error) {
	rows := &literalRows{names: virtualColumns(name.Table)}
	for _, c := range rows.names {
		rows.types = append(rows.types, virtualType(c))
	}
	filter := Filter{Region: strings.ToLower(name.Region), WithColumns: name.Table == "columns"}
	if name.Table != "schemata" {
		narrow(asked, &filter)
	}
	tables, err := a.tables(ctx, filter, at)
	if err != nil {
		return nil, err
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
		if !isRef || !isText || len(asked.Places(ref)) != 1 || text.Value == "" || text.Value != strings.ToLower(text.Value) {
			continue
		}
		switch ref.Parts[len(ref.Parts)-1].Key() {
		case "table_schema":
			f.Schema = text.Value
		case "table_name":
			f.Table = text.Value
		}
	}
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
