// Package meta holds the product's own statements about a warehouse: what tables
// and columns there are, and small samples. They do not pass the guard, so they
// can be made only here, from constants and quoted names.
package meta

import (
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Statement is a statement of the product's own. Its zero value is none: engines
// refuse it.
type Statement struct {
	kind      string
	statement *tree.Statement
}

// IsZero reports whether there is no statement.
func (s Statement) IsZero() bool { return s.statement == nil }

// Kind names what the statement asks, for logs: "tables", "distinct_values".
func (s Statement) Kind() string { return s.kind }

// SQL is the Presto text. It is kept to what every engine reads alike.
func (s Statement) SQL() string { return printer.Print(s.statement) }

// Tree is the statement's tree.
func (s Statement) Tree() *tree.Statement { return s.statement }

// MaxSample is the most values that DistinctValues asks for.
const MaxSample = 100_000

// Tables lists the tables of a region: columns table_schema, table_name, sorted.
func Tables(region string) Statement {
	return information("tables", region, nil, "table_schema", "table_name")
}

// Columns lists the columns of a table: column_name, data_type in the engine's
// words, is_nullable, in stored order.
func Columns(table catalog.Name) Statement {
	where := []tree.Expr{
		tree.Op(tree.OpEq, quoted("table_schema"), tree.Str(table.Schema)),
		tree.Op(tree.OpEq, quoted("table_name"), tree.Str(table.Table)),
	}
	return information("columns", table.Region, where, "column_name", "data_type", "is_nullable")
}

// DistinctValues returns up to limit distinct values of a column that are not
// null, in no order.
func DistinctValues(table catalog.Name, column string, limit int) Statement {
	limit = min(max(limit, 1), MaxSample)
	q := selectFrom(table, tree.Item(quoted(column), ""))
	body := q.Body.(*tree.Select)
	body.Quantifier = tree.QuantifierDistinct
	body.Where = &tree.IsNull{X: quoted(column), Not: true}
	q.Limit = tree.LimitTo(int64(limit))
	return Statement{kind: "distinct_values", statement: tree.StatementOf(q)}
}

// CountRows returns the number of rows of a table: one bigint.
func CountRows(table catalog.Name) Statement {
	q := selectFrom(table, tree.Item(tree.CountStar(), "row_count"))
	return Statement{kind: "count_rows", statement: tree.StatementOf(q)}
}

// MaxValue returns the largest value of a column.
func MaxValue(table catalog.Name, column string) Statement {
	q := selectFrom(table, tree.Item(tree.Fn("max", quoted(column)), "max_value"))
	return Statement{kind: "max_value", statement: tree.StatementOf(q)}
}

// MinValue returns the smallest value of a column.
func MinValue(table catalog.Name, column string) Statement {
	q := selectFrom(table, tree.Item(tree.Fn("min", quoted(column)), "min_value"))
	return Statement{kind: "min_value", statement: tree.StatementOf(q)}
}

func information(view, region string, where []tree.Expr, columns ...string) Statement {
	where = append([]tree.Expr{tree.Op(tree.OpEq, quoted("table_catalog"), tree.Str(region))}, where...)
	where = append(where, tree.Op(tree.OpNe, quoted("table_schema"), tree.Str("information_schema")))
	sel := &tree.Select{Where: tree.And(where...)}
	for _, c := range columns {
		sel.Items = append(sel.Items, tree.Item(quoted(c), ""))
	}
	source := tree.TableOf(region, "information_schema", view)
	for _, part := range source.Name.Parts {
		part.Quoted = true
	}
	sel.From = []tree.Relation{source}
	q := tree.QueryOf(sel)
	if view == "columns" {
		q.OrderBy = []*tree.SortItem{tree.By(quoted("ordinal_position"), false)}
	} else {
		q.OrderBy = []*tree.SortItem{tree.By(quoted("table_schema"), false), tree.By(quoted("table_name"), false)}
	}
	return Statement{kind: view, statement: tree.StatementOf(q)}
}

func selectFrom(table catalog.Name, items ...tree.SelectItem) *tree.Query {
	source := tree.TableOf(table.Region, table.Schema, table.Table)
	for _, part := range source.Name.Parts {
		part.Quoted = true
	}
	return tree.QueryOf(&tree.Select{Items: items, From: []tree.Relation{source}})
}

func quoted(column string) *tree.ColumnRef {
	return &tree.ColumnRef{Parts: []*tree.Ident{{Name: column, Quoted: true}}}
}
