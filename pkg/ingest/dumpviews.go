package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	engine "github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/presto/udf"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
)

// views makes tables of what the views of the dump show, or says that it can. The text
// of a view is somebody else's: it is read as a query, its names are those of the
// dump's tables, and what is run is written anew from its tree.
func (d *dump) views(ctx context.Context) error {
	waiting := d.schema.Views
	if len(waiting) == 0 {
		return nil
	}
	if !d.b.options.Views {
		for _, v := range waiting {
			d.b.problem(Problem{Kind: KindNote, File: d.path, Line: v.Line, Message: fmt.Sprintf("view %q is left out: --views makes a table of what it shows", v.Name.Table)})
		}
		return nil
	}
	if err := d.b.exec(ctx, "SET enable_external_access = false"); err != nil {
		return err
	}
	// A view may read views that stand after it: as long as one can be made, the
	// others are tried again.
	for len(waiting) > 0 {
		var left []*ddl.View
		why := make(map[*ddl.View]error)
		for _, v := range waiting {
			text, err := d.viewText(v)
			if err == nil {
				if err := d.makeView(ctx, v, text); err != nil {
					return err
				}
				continue
			}
			left, why[v] = append(left, v), err
		}
		if len(left) == len(waiting) {
			for _, v := range left {
				d.b.problem(Problem{Kind: KindTableSkipped, File: d.path, Line: v.Line, Message: fmt.Sprintf("view %q is left out: %v", v.Name.Table, why[v])})
			}
			return nil
		}
		waiting = left
	}
	return nil
}

// viewText is the query of a view as DuckDB's SQL.
func (d *dump) viewText(v *ddl.View) (string, error) {
	if v.Query == "" {
		return "", errors.New("its query is too long to be read (MaxViewBytes)")
	}
	snapshot := &catalog.Snapshot{Tables: make([]catalog.Table, len(d.b.tables))}
	for i, t := range d.b.tables {
		snapshot.Tables[i] = *t
	}
	scope := resolve.Scope{
		Catalog:       catalog.NewIndex(snapshot, catalog.Defaults{Region: d.b.region, Schema: d.b.defaultSchema()}),
		DefaultRegion: d.b.region, DefaultSchema: d.b.defaultSchema(),
	}
	dialect := trino.DialectPostgreSQL
	switch d.dialect {
	case ddl.MySQL:
		dialect = trino.DialectMySQL
	case ddl.SQLite:
		dialect = trino.DialectSQLite
	}
	translated, err := trino.From(dialect, v.Query, trino.Options{Scope: scope})
	if err != nil {
		return "", withoutPlace(err)
	}
	if len(translated.Warnings) > 0 {
		return "", fmt.Errorf("its meaning would not be the same: %s", translated.Warnings[0].Message)
	}
	statement, err := parser.Parse(translated.Text)
	if err != nil {
		return "", withoutPlace(err)
	}
	resolution, mistakes := resolve.Resolve(statement, scope)
	if len(mistakes) > 0 {
		return "", errors.New(mistakes[0].Message)
	}
	text, err := duckdb.TranspileWith(resolution, duckdb.Options{Now: d.b.options.Clock()})
	if err != nil {
		return "", withoutPlace(err)
	}
	return text, nil
}

// withoutPlace is an error of a view's text without the line, which is not that of the
// file.
func withoutPlace(err error) error {
	var none *trino.NotSupported
	var embedded *duckdb.NotSupported
	var syntax *parser.Error
	switch {
	case errors.As(err, &none):
		return fmt.Errorf("%s is not translated", none.Construct)
	case errors.As(err, &embedded):
		return fmt.Errorf("%s is not translated", embedded.Construct)
	case errors.As(err, &syntax):
		return errors.New(syntax.Message)
	}
	return err
}

// makeView makes the table of a view. What the engine refuses is told.
func (d *dump) makeView(ctx context.Context, v *ddl.View, text string) (err error) {
	defer func() { err = errors.Join(err, d.dropMacros(context.WithoutCancel(ctx), text)) }() // they are no part of the data
	if err := d.vocabulary(ctx, text); err != nil {
		return err
	}
	relation := "(" + text + ") AS " + quote(v.Name.Table)
	if len(v.Columns) > 0 {
		names := make([]string, len(v.Columns))
		for i, name := range v.Columns {
			names[i] = quote(name)
		}
		relation += "(" + strings.Join(names, ", ") + ")"
	}
	t, err := d.b.copyTable(ctx, relation, schemaOf(v.Name), v.Name.Table, d.path, d.updated)
	if t != nil {
		t.Kind = catalog.KindView // rules for the rows of what it reads do not reach it
	}
	return err
}

// vocabulary makes the functions and macros that a text calls and DuckDB does not have.
func (d *dump) vocabulary(ctx context.Context, text string) error {
	for _, name := range duckdb.Calls(text) {
		if macro, ok := duckdb.Macro(name); ok {
			if err := d.b.exec(ctx, macro); err != nil {
				return err
			}
			continue
		}
		at := slices.IndexFunc(presto.Functions(), func(f presto.Function) bool { return f.Name == name })
		if at < 0 || d.functions[name] {
			continue // what is neither is no call, or the engine says so
		}
		function, err := udf.New(presto.Functions()[at])
		if err == nil {
			err = engine.RegisterScalarUDF(d.b.conn, name, function)
		}
		if err != nil {
			return fmt.Errorf("make DuckDB's function %s: %w", name, err)
		}
		d.functions[name] = true
	}
	return nil
}

func (d *dump) dropMacros(ctx context.Context, text string) error {
	for _, name := range slices.Backward(duckdb.Calls(text)) {
		if _, ok := duckdb.Macro(name); !ok {
			continue
		}
		if err := d.b.exec(ctx, "DROP MACRO IF EXISTS "+quote(name)); err != nil {
			return err
		}
	}
	return nil
}
