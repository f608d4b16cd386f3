package meta

import (
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// The statements of this file ask a Trino server what it holds. They name Trino's
// catalogs, not regions: they are asked before a source's regions are known.

// Catalogs lists a server's catalogs, sorted: catalog_name, connector_name.
func Catalogs() Statement {
	sel := &tree.Select{
		Items: []tree.SelectItem{tree.Item(quoted("catalog_name"), ""), tree.Item(quoted("connector_name"), "")},
		From:  []tree.Relation{quotedTable("system", "metadata", "catalogs")},
	}
	return sorted("catalogs", sel, "catalog_name")
}

// Nodes lists the nodes of a cluster: coordinator, a boolean, and state ("active", or what
// else it does).
func Nodes() Statement {
	sel := &tree.Select{
		Items: []tree.SelectItem{tree.Item(quoted("coordinator"), ""), tree.Item(quoted("state"), "")},
		From:  []tree.Relation{quotedTable("system", "runtime", "nodes")},
	}
	return sorted("nodes", sel, "state")
}

// Schemas lists the schemas of a catalog, sorted: schema_name.
func Schemas(catalogName string) Statement {
	sel := &tree.Select{
		Items: []tree.SelectItem{tree.Item(quoted("schema_name"), "")},
		From:  []tree.Relation{quotedTable(catalogName, "information_schema", "schemata")},
		Where: tree.Op(tree.OpNe, quoted("schema_name"), tree.Str("information_schema")),
	}
	return sorted("schemas", sel, "schema_name")
}

// SchemaTables lists tables and views of a schema: table_name, table_type ("BASE
// TABLE" or "VIEW"), sorted by name.
func SchemaTables(catalogName, schema string) Statement {
	return inSchema("schema_tables", "tables", catalogName, schema, "table_name", "table_type")
}

// SchemaColumns lists the columns of a schema's tables in stored order: table_name,
// column_name, data_type, is_nullable ("YES" or "NO"), comment, and extra_info,
// where connectors with partitions of their own say "partition key". The last two
// are hidden columns of information_schema.
func SchemaColumns(catalogName, schema string) Statement {
	return inSchema("schema_columns", "columns", catalogName, schema, "table_name", "column_name", "data_type", "is_nullable", "comment", "extra_info")
}

// PlainColumns is SchemaColumns without the hidden columns, for servers that do
// not have them.
func PlainColumns(catalogName, schema string) Statement {
	return inSchema("schema_columns", "columns", catalogName, schema, "table_name", "column_name", "data_type", "is_nullable")
}

// SchemaViews lists the views of a schema: table_name, view_definition, the text
// of the query, null for who may not see it.
func SchemaViews(catalogName, schema string) Statement {
	return inSchema("schema_views", "views", catalogName, schema, "table_name", "view_definition")
}

// ColumnRemarks lists the comments of the columns of one schema that have one:
// table_name, column_name, remarks. For servers whose information_schema hides them.
func ColumnRemarks(catalogName, schema string) Statement {
	sel := &tree.Select{
		Items: []tree.SelectItem{tree.Item(quoted("table_name"), ""), tree.Item(quoted("column_name"), ""), tree.Item(quoted("remarks"), "")},
		From:  []tree.Relation{quotedTable("system", "jdbc", "columns")},
		Where: tree.And(
			tree.Op(tree.OpEq, quoted("table_cat"), tree.Str(catalogName)),
			tree.Op(tree.OpEq, quoted("table_schem"), tree.Str(schema)),
			&tree.IsNull{X: quoted("remarks"), Not: true}),
	}
	return Statement{kind: "column_remarks", statement: tree.StatementOf(tree.QueryOf(sel))}
}

// TableComments lists the comments of the tables of one schema that have one:
// table_name, comment.
func TableComments(catalogName, schema string) Statement {
	sel := &tree.Select{
		Items: []tree.SelectItem{tree.Item(quoted("table_name"), ""), tree.Item(quoted("comment"), "")},
		From:  []tree.Relation{quotedTable("system", "metadata", "table_comments")},
		Where: tree.And(
			tree.Op(tree.OpEq, quoted("catalog_name"), tree.Str(catalogName)),
			tree.Op(tree.OpEq, quoted("schema_name"), tree.Str(schema)),
			&tree.IsNull{X: quoted("comment"), Not: true}),
	}
	return Statement{kind: "table_comments", statement: tree.StatementOf(tree.QueryOf(sel))}
}

// PartitionRow returns no row; the type of its one column, row(day date,
// id_bucket integer), names the partitioning of an Iceberg table.
func PartitionRow(table catalog.Name) Statement {
	table.Table += "$partitions"
	q := selectFrom(table, tree.Item(quoted("partition"), ""))
	q.Limit = tree.LimitTo(0)
	return Statement{kind: "partition_row", statement: tree.StatementOf(q)}
}

// Stats returns the statistics that a table's connector keeps: a row a column
// with column_name, data_size, distinct_values_count, nulls_fraction, row_count,
// low_value, high_value, and one with no column_name that has the row_count.
func Stats(table catalog.Name) Statement {
	text := "SHOW STATS FOR "
	from := len(text)
	parts := []string{table.Region, table.Schema, table.Table}
	for i, part := range parts {
		if parts[i] = printer.Quote(part); i > 0 {
			text += "."
		}
		text += parts[i]
	}
	source := tree.NewSource(text)
	name := &tree.Name{Meta: tree.At(source.Span(from, len(text)))}
	for i, part := range []string{table.Region, table.Schema, table.Table} {
		end := from + len(parts[i])
		name.Parts = append(name.Parts, &tree.Ident{Meta: tree.At(source.Span(from, end)), Name: part, Quoted: true})
		from = end + 1
	}
	whole := tree.At(source.Span(0, len(text)))
	return Statement{kind: "stats", statement: &tree.Statement{
		Meta: whole, Kind: tree.KindShowStats, Show: &tree.Show{Meta: whole, Name: name},
	}}
}

// FrequentValues returns up to limit distinct values of a text column that are
// neither null nor empty nor longer than longest characters, the frequent first.
func FrequentValues(table catalog.Name, column string, longest, limit int) Statement {
	q := selectFrom(table, tree.Item(quoted(column), ""))
	body := q.Body.(*tree.Select)
	body.Where = tree.And(
		tree.Op(tree.OpNe, quoted(column), tree.Str("")),
		tree.Op(tree.OpLe, tree.Fn("length", quoted(column)), tree.Int(int64(longest))))
	body.GroupBy = tree.GroupOn(quoted(column))
	q.OrderBy = []*tree.SortItem{tree.By(tree.CountStar(), true), tree.By(quoted(column), false)}
	q.Limit = tree.LimitTo(int64(min(max(limit, 1), MaxSample)))
	return Statement{kind: "frequent_values", statement: tree.StatementOf(q)}
}

// inSchema selects columns of a view of information_schema, for one schema: some
// connectors list all they have once for each schema that a statement names.
func inSchema(kind, view, catalogName, schema string, columns ...string) Statement {
	sel := &tree.Select{
		From:  []tree.Relation{quotedTable(catalogName, "information_schema", view)},
		Where: tree.Op(tree.OpEq, quoted("table_schema"), tree.Str(schema)),
	}
	for _, c := range columns {
		sel.Items = append(sel.Items, tree.Item(quoted(c), ""))
	}
	keys := []string{"table_name"}
	if view == "columns" {
		keys = append(keys, "ordinal_position")
	}
	return sorted(kind, sel, keys...)
}

func sorted(kind string, sel *tree.Select, keys ...string) Statement {
	q := tree.QueryOf(sel)
	for _, k := range keys {
		q.OrderBy = append(q.OrderBy, tree.By(quoted(k), false))
	}
	return Statement{kind: kind, statement: tree.StatementOf(q)}
}

func quotedTable(parts ...string) *tree.Table {
	table := tree.TableOf(parts...)
	for _, part := range table.Name.Parts {
		part.Quoted = true
	}
	return table
}

// KeyCheck returns one row, row_count and distinct_count: a column whose counts
// are equal is a key of the table.
func KeyCheck(table catalog.Name, column string) Statement {
	q := selectFrom(table,
		tree.Item(tree.CountStar(), "row_count"),
		tree.Item(tree.FnDistinct("count", quoted(column)), "distinct_count"))
	return Statement{kind: "key_check", statement: tree.StatementOf(q)}
}

// Orphans returns one bigint: how many rows of a table have a value in a column
// that refColumn of ref does not have.
func Orphans(table catalog.Name, column string, ref catalog.Name, refColumn string) Statement {
	q := selectFrom(table, tree.Item(tree.CountStar(), "orphan_count"))
	q.Body.(*tree.Select).Where = &tree.InQuery{X: quoted(column), Not: true, Query: selectFrom(ref, tree.Item(quoted(refColumn), ""))}
	return Statement{kind: "orphans", statement: tree.StatementOf(q)}
}
