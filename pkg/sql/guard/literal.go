package guard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// literalRows are rows known beforehand.
type literalRows struct {
	names []string
	types []string // Presto types
	rows  [][]tree.Expr
}

// add appends a row of texts.
func (r *literalRows) add(values ...string) {
	row := make([]tree.Expr, len(values))
	for i, v := range values {
		row[i] = tree.Str(v)
	}
	r.addExprs(row...)
}

func (r *literalRows) addExprs(values ...tree.Expr) { r.rows = append(r.rows, values) }

// query is SELECT * FROM (VALUES ...) AS t (names). The first row says the types.
func (r *literalRows) query() *tree.Query {
	v := &tree.Values{}
	for i, row := range r.rows {
		if i == 0 {
			row = r.typed(row)
		}
		v.Rows = append(v.Rows, oneOf(row))
	}
	s := &tree.Select{Items: []tree.SelectItem{&tree.Star{}}}
	if len(r.rows) == 0 {
		nulls := make([]tree.Expr, len(r.names))
		for i := range nulls {
			nulls[i] = &tree.Null{}
		}
		v.Rows = []tree.Expr{oneOf(r.typed(nulls))}
		s.Where = &tree.Bool{}
	}
	alias := &tree.Aliased{Relation: &tree.Derived{Query: tree.QueryOf(v)}, Alias: tree.ID("answer")}
	for _, name := range r.names {
		alias.Columns = append(alias.Columns, &tree.Ident{Name: name, Quoted: name != strings.ToLower(name)})
	}
	s.From = []tree.Relation{alias}
	return tree.QueryOf(s)
}

func (r *literalRows) typed(row []tree.Expr) []tree.Expr {
	out := make([]tree.Expr, len(row))
	for i, x := range row {
		out[i] = tree.CastTo(x, r.types[i])
	}
	return out
}

func oneOf(row []tree.Expr) tree.Expr {
	if len(row) == 1 {
		return row[0]
	}
	return &tree.Row{Items: row}
}

// columnsOf answers SHOW COLUMNS and DESCRIBE.
func columnsOf(t *catalog.Table) *literalRows {
	rows := &literalRows{names: []string{"Column", "Type", "Extra", "Comment"}, types: []string{"varchar", "varchar", "varchar", "varchar"}}
	for _, c := range t.Columns {
		extra := ""
		if c.Partition {
			extra = "partition key"
		}
		rows.add(c.Name, c.Type, extra, c.Comment)
	}
	return rows
}

// unmeasured reports a table of which the catalog lacks a statistic.
func unmeasured(t *catalog.Table) bool {
	return t.RowCount < 0 || slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return c.Distinct <= 0 })
}

// statsOf answers SHOW STATS of a table that is not unmeasured.
func statsOf(t *catalog.Table) *literalRows {
	rows := &literalRows{
		names: []string{"column_name", "data_size", "distinct_values_count", "nulls_fraction", "row_count", "low_value", "high_value"},
		types: []string{"varchar", "double", "double", "double", "double", "varchar", "varchar"},
	}
	none := func() tree.Expr { return &tree.Null{} }
	for _, c := range t.Columns {
		rows.addExprs(tree.Str(c.Name), none(), tree.Float(float64(c.Distinct)), none(), none(), none(), none())
	}
	rows.addExprs(none(), none(), none(), none(), tree.Float(float64(t.RowCount)), none(), none())
	return rows
}

// createTable answers SHOW CREATE TABLE.
func createTable(t *catalog.Table) *literalRows {
	var b strings.Builder
	parts := make([]string, 0, 3)
	for _, p := range []string{t.Name.Region, t.Name.Schema, t.Name.Table} {
		if p != "" {
			parts = append(parts, printer.Ident(p))
		}
	}
	fmt.Fprintf(&b, "CREATE TABLE %s (", strings.Join(parts, "."))
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n   %s %s", printer.Ident(c.Name), c.Type)
		if c.NotNull {
			b.WriteString(" NOT NULL")
		}
		if c.Comment != "" {
			b.WriteString(" COMMENT " + printer.String(c.Comment))
		}
	}
	b.WriteString("\n)")
	if t.Description != "" {
		b.WriteString("\nCOMMENT " + printer.String(t.Description))
	}
	rows := &literalRows{names: []string{"Create Table"}, types: []string{"varchar"}}
	rows.add(b.String())
	return rows
}

func integer(n int) tree.Expr { return &tree.Number{Text: strconv.Itoa(n)} }
