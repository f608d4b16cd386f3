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

// found are the tables of a schema that are wanted.
type found struct {
	place  place
	schema string // in Trino
	tables []*entry
	byName map[string]*entry
}

// schemaTables reads the tables of a schema. An error means that they could not be
// read; comments and views are not worth one.
func (r *reader) schemaTables(ctx context.Context, p place, schema string) ([]*entry, error) {
	f := &found{place: p, schema: schema, byName: make(map[string]*entry)}
	err := r.each(ctx, meta.SchemaTables(p.catalog, schema), func(row []any) {
		if r.options.wanted(p.catalog, schema, text(row, 0)) {
			f.add(text(row, 0), text(row, 1))
		}
	})
	if err != nil || len(f.tables) == 0 {
		return nil, err
	}
	if err := r.columns(ctx, f); err != nil {
		return nil, err
	}
	if err := r.descriptions(ctx, f); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(f.tables, func(t *entry) bool {
		if len(t.Columns) == 0 {
			r.problem(ingest.KindTableSkipped, t.stored.String(), "the server shows no columns of it, so it is left out")
		}
		return len(t.Columns) == 0
	}), nil
}

// add takes a table of the server. Those with a $ are parts of others.
func (f *found) add(name, kind string) {
	if strings.Contains(name, "$") {
		return
	}
	t := &entry{place: f.place, stored: catalog.Name{Region: f.place.catalog, Schema: f.schema, Table: name}, Table: catalog.Table{
		Name: catalog.Name{Region: f.place.region, Schema: strings.TrimPrefix(f.schema, f.place.prefix), Table: name},
		Kind: catalog.KindTable, Layer: layerOf(name), RowCount: -1,
	}}
	if kind == "VIEW" {
		t.Kind = catalog.KindView
	}
	f.byName[name] = t
	f.tables = append(f.tables, t)
}

// layerOf reads the layer off a name such as dwd_order_di.
func layerOf(table string) string {
	prefix, _, found := strings.Cut(strings.ToLower(table), "_")
	if found && slices.Contains([]string{"ods", "dwd", "dws", "ads", "dim"}, prefix) {
		return prefix
	}
	return ""
}

// columns reads the columns with their comments. Servers that hide comments from
// information_schema tell them elsewhere.
func (r *reader) columns(ctx context.Context, f *found) error {
	take := func(row []any) {
		if t := f.byName[text(row, 0)]; t != nil {
			t.Columns = append(t.Columns, catalog.Column{
				Name: text(row, 1), Type: text(row, 2), NotNull: strings.EqualFold(text(row, 3), "NO"),
				Comment: strings.TrimSpace(text(row, 4)), Partition: strings.HasPrefix(text(row, 5), "partition key"),
			})
		}
	}
	err := r.each(ctx, meta.SchemaColumns(f.place.catalog, f.schema), take)
	if nameOf(err) != "COLUMN_NOT_FOUND" {
		return err
	}
	if err := r.each(ctx, meta.PlainColumns(f.place.catalog, f.schema), take); err != nil {
		return err
	}
	err = r.each(ctx, meta.ColumnRemarks(f.place.catalog, f.schema), func(row []any) {
		if t := f.byName[text(row, 0)]; t != nil {
			for i := range t.Columns {
				if t.Columns[i].Name == text(row, 1) {
					t.Columns[i].Comment = strings.TrimSpace(text(row, 2))
				}
			}
		}
	})
	return r.missed(ctx, f, "the comments of its columns", err)
}

// descriptions reads the comments of tables, and what views read where they have none.
func (r *reader) descriptions(ctx context.Context, f *found) error {
	err := r.each(ctx, meta.TableComments(f.place.catalog, f.schema), func(row []any) {
		if t := f.byName[text(row, 0)]; t != nil {
			t.Description = strings.TrimSpace(text(row, 1))
		}
	})
	if err := r.missed(ctx, f, "the comments of its tables", err); err != nil {
		return err
	}
	if !slices.ContainsFunc(f.tables, func(t *entry) bool { return t.Kind == catalog.KindView && t.Description == "" }) {
		return nil
	}
	err = r.each(ctx, meta.SchemaViews(f.place.catalog, f.schema), func(row []any) {
		if t := f.byName[text(row, 0)]; t != nil && t.Description == "" {
			t.Description = viewText(text(row, 1))
		}
	})
	return r.missed(ctx, f, "the definitions of its views", err)
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
func (r *reader) missed(ctx context.Context, f *found, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.problem(ingest.KindNote, f.place.where()+"."+f.schema, "%s cannot be read and are left out: %s", what, inWords(err))
	}
	return nil
}
