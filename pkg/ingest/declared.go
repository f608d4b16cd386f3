package ingest

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// Declared reads the tables that a script of CREATE TABLE statements declares, for
// looking names and types up without any data. A table without a schema is put
// into defaults. Types that are not known for certain are left empty. Statements
// that cannot be read are passed over; their problems come back.
func Declared(r io.Reader, defaults catalog.Defaults) ([]catalog.Table, []ddl.Problem, error) {
	schema, err := ddl.Read(r, ddl.Config{})
	if err != nil {
		return nil, nil, fmt.Errorf("read the declarations: %w", err)
	}
	var tables []catalog.Table
	for _, t := range schema.Tables {
		table := catalog.Table{Name: declaredName(t.Name, defaults), Description: t.Comment, RowCount: -1}
		for i := range t.Columns {
			c := &t.Columns[i]
			table.Columns = append(table.Columns, catalog.Column{
				Name: c.Name, Type: declaredType(c), Comment: c.Comment, NotNull: c.NotNull,
				PrimaryKey: slices.ContainsFunc(t.PrimaryKey, func(key string) bool { return strings.EqualFold(key, c.Name) }),
			})
		}
		tables = append(tables, table)
	}
	return tables, schema.Problems, nil
}

// declaredName splits region.schema, where both were written.
func declaredName(n ddl.Name, defaults catalog.Defaults) catalog.Name {
	name := catalog.Name{Region: defaults.Region, Schema: defaults.Schema, Table: n.Table}
	if n.Schema == "" {
		return name
	}
	name.Schema = n.Schema
	if region, schema, ok := strings.Cut(n.Schema, "."); ok {
		name.Region, name.Schema = region, schema
	}
	return name
}

// declaredType returns the Presto type of a declared one.
func declaredType(c *ddl.Column) string {
	if strings.Contains(c.Type, "array") {
		return ""
	}
	switch wanted := wantedType(c); wanted {
	case "number":
		return "double"
	case "decimal":
		switch len(c.Args) {
		case 0:
			return ""
		case 1:
			return fmt.Sprintf("decimal(%d,0)", c.Args[0])
		}
		return fmt.Sprintf("decimal(%d,%d)", c.Args[0], c.Args[1])
	case "varchar":
		if !isText(c.Type) {
			return "" // a type that the table of types does not know
		}
		return "varchar"
	default:
		return wanted
	}
}

func isText(declared string) bool {
	return slices.ContainsFunc([]string{"char", "text", "string", "clob", "uuid", "enum"}, func(word string) bool { return strings.Contains(declared, word) })
}
