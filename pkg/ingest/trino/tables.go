package trino

import (
	"context"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// found are the tables of a statement's schemas by name in Trino.
type found struct {
	byName map[catalog.Name]*entry
	order  []*entry
}

// schemaTables reads the tables of some schemas of a place. An error means that
// not all of them could be read; comments and views are not worth one.
func (r *reader) schemaTables(ctx context.Context, p place, schemas []string) ([]*entry, error) {
	f := &found{byName: make(map[catalog.Name]*entry)}
	err := r.each(ctx, meta.SchemaTables(p.catalog, schemas), func(row []any) { f.add(r, p, row) })
	if err != nil {
		return nil, err
	}
	if len(f.order) == 0 {
		return nil, nil
	}
	if err := r.columns(ctx, p, schemas, f); err != nil {
		return nil, err
	}
	if err := r.descriptions(ctx, p, schemas, f); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(f.order, func(t *entry) bool {
		if len(t.Columns) == 0 {
			r.problem(ingest.KindTableSkipped, t.stored.String(), "the server shows no columns of it, so it is left out")
		}
		return len(t.Columns) == 0
	}), nil
}

// add takes a row of meta.SchemaTables.
func (f *found) add(r *reader, p place, row []any) {
	stored := catalog.Name{Region: p.catalog, Schema: text(row, 0), Table: text(row, 1)}
	if strings.Contains(stored.Table, "$") || !r.options.wanted(stored.Region, stored.Schema, stored.Table) {
		return
	}
	t := &entry{place: p, stored: stored, Table: catalog.Table{
		Name: catalog.Name{Region: p.region, Schema: strings.TrimPrefix(stored.Schema, p.prefix), Table: stored.Table},
		Kind: catalog.KindTable, Layer: layerOf(stored.Table), RowCount: -1,
	}}
	if text(row, 2) == "VIEW" {
		t.Kind = catalog.KindView
	}
	f.byName[stored] = t
	f.order = append(f.order, t)
}

// layerOf reads the layer off a name such as dwd_order_di.
func layerOf(table string) string {
	prefix, _, found := strings.Cut(strings.ToLower(table), "_")
	if found && slices.Contains([]string{"ods", "dwd", "dws", "ads", "dim"}, prefix) {
		return prefix
	}
	return ""
}

// table returns the entry of a row that begins with schema and table; nil where
// the table is not wanted.
func (f *found) table(p place, schema, table string) *entry {
	return f.byName[catalog.Name{Region: p.catalog, Schema: schema, Table: table}]
}

// columns reads the columns with their comments. Servers that hide comments from
// information_schema tell them elsewhere.
func (r *reader) columns(ctx context.Context, p place, schemas []string, f *found) error {
	take := func(row []any) {
		t := f.table(p, text(row, 0), text(row, 1))
		if t == nil {
			return
		}
		if n := len(t.Columns); n > 0 && t.Columns[n-1].Name == text(row, 2) {
			return // some connectors list a column once for each schema that is asked for
		}
		t.Columns = append(t.Columns, catalog.Column{
			Name: text(row, 2), Type: text(row, 3), NotNull: strings.EqualFold(text(row, 4), "NO"),
			Comment: strings.TrimSpace(text(row, 5)), Partition: strings.HasPrefix(text(row, 6), "partition key"),
		})
	}
	err := r.each(ctx, meta.SchemaColumns(p.catalog, schemas), take)
	if nameOf(err) != "COLUMN_NOT_FOUND" {
		return err
	}
	if err := r.each(ctx, meta.PlainColumns(p.catalog, schemas), take); err != nil {
		return err
	}
	for _, s := range schemas {
		err := r.each(ctx, meta.ColumnRemarks(p.catalog, s), func(row []any) {
			if t := f.table(p, s, text(row, 0)); t != nil {
				for i := range t.Columns {
					if t.Columns[i].Name == text(row, 1) {
						t.Columns[i].Comment = strings.TrimSpace(text(row, 2))
					}
				}
			}
		})
		if err := r.missed(ctx, p.catalog+"."+s, "the comments of its columns", err); err != nil {
			return err
		}
	}
	return nil
}

// descriptions reads the comments of tables, and what views read where they have none.
func (r *reader) descriptions(ctx context.Context, p place, schemas []string, f *found) error {
	for _, s := range schemas {
		if !slices.ContainsFunc(f.order, func(t *entry) bool { return t.stored.Schema == s }) {
			continue
		}
		err := r.each(ctx, meta.TableComments(p.catalog, s), func(row []any) {
			if t := f.table(p, s, text(row, 0)); t != nil {
				t.Description = strings.TrimSpace(text(row, 1))
			}
		})
		if err := r.missed(ctx, p.catalog+"."+s, "the comments of its tables", err); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(f.order, func(t *entry) bool { return t.Kind == catalog.KindView }) {
		return nil
	}
	err := r.each(ctx, meta.SchemaViews(p.catalog, schemas), func(row []any) {
		if t := f.table(p, text(row, 0), text(row, 1)); t != nil && t.Description == "" {
			t.Description = viewText(text(row, 2))
		}
	})
	return r.missed(ctx, p.catalog, "the definitions of its views", err)
}

// viewText says what a view reads; "" where its text is not shown or not read.
func viewText(definition string) string {
	statement, err := parser.Parse(definition)
	if err != nil || statement.Query == nil {
		return ""
	}
	var names []string
	tree.Walk(statement, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok && len(t.Name.Parts) == 3 && !slices.Contains(names, t.Name.String()) {
			names = append(names, t.Name.String())
		}
		return true
	})
	if len(names) == 0 {
		return ""
	}
	return "View of " + strings.Join(names, ", ")
}

// missed reports what adorns tables and could not be read. The error is the caller's end.
func (r *reader) missed(ctx context.Context, where, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.problem(ingest.KindNote, where, "%s cannot be read and are left out: %s", what, inWords(err))
	}
	return nil
}
