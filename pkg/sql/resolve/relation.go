package resolve

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// relation resolves a relation of FROM and returns its columns. What LATERAL and
// UNNEST see of the columns to their left is in outer.
func (r *resolver) relation(rel tree.Relation, outer *level) []*field {
	switch rel := rel.(type) {
	case *tree.Table:
		return placed(rel, r.table(rel, rel, outer))
	case *tree.Aliased:
		return r.aliased(rel, outer)
	case *tree.Derived:
		return placed(rel, unqualified(r.query(rel.Query, outer.inside())))
	case *tree.Lateral:
		return placed(rel, unqualified(r.query(rel.Query, outer.inside())))
	case *tree.Unnest:
		return placed(rel, r.unnest(rel, outer))
	case *tree.ParenRelation:
		return r.relation(rel.Relation, outer)
	case *tree.Sampled:
		r.percentage(rel.Percentage)
		return r.relation(rel.Relation, outer)
	case *tree.Join:
		return r.join(rel, outer)
	case *tree.TableFunction:
		return placed(rel, r.tableFunction(rel, outer))
	case *tree.JSONTable:
		return placed(rel, r.jsonTable(rel, outer))
	case *tree.MatchRecognize:
		return placed(rel, r.matchRecognize(rel, outer))
	}
	return nil
}

func (r *resolver) aliased(rel *tree.Aliased, outer *level) []*field {
	columns := r.relation(rel.Relation, outer)
	if len(rel.Columns) > 0 && len(rel.Columns) != len(columns) && !unknownTable(columns) {
		r.mistake(MismatchedColumns, rel, nil, "'%s' has %d column names for %d columns", rel.Alias.Name, len(rel.Columns), len(columns))
	}
	qualifier := []string{rel.Alias.Key()}
	for i, f := range columns { // they are this relation's own
		f.qualifier = qualifier
		if i < len(rel.Columns) {
			f.name, f.key = rel.Columns[i].Name, rel.Columns[i].Key()
			if _, made := rel.Relation.(*tree.TableFunction); made {
				f.name = label(rel.Columns[i]) // Trino writes those in capital letters
			}
		}
	}
	return columns
}

// unqualified takes the qualifiers off the columns of a query.
func unqualified(columns []*field) []*field {
	for _, f := range columns {
		f.qualifier = nil
	}
	return columns
}

// table resolves a table by name; at is where mistakes of it are reported.
func (r *resolver) table(t *tree.Table, at tree.Node, here *level) []*field {
	parts := t.Name.Parts
	if len(parts) == 1 {
		if c := here.common(parts[0].Name); c != nil {
			return renamed(c.fields, nil, []string{parts[0].Key()})
		}
	}
	if t.Version != nil {
		r.tableVersion(t.Version, here)
	}
	name := r.fullName(t.Name)
	var stored *catalog.Table
	if r.scope.Catalog != nil && len(parts) <= 3 {
		if found, ok := r.scope.Catalog.Lookup(name); ok { // what is not found is not read, whatever comes with it
			stored = found
		}
	}
	if stored == nil {
		r.noTable(t, name, at)
		return []*field{{qualifier: keys(parts), any: true}}
	}
	r.out.stored[t] = stored
	r.seen(stored.Name)
	return storedColumns(stored, keys(parts))
}

func keys(parts []*tree.Ident) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.Key()
	}
	return out
}

// storedColumns returns the columns of a table, qualified by its name as it is
// written: what is not written does not qualify.
func storedColumns(stored *catalog.Table, qualifier []string) []*field {
	columns, fields := make([]*field, len(stored.Columns)), make([]field, len(stored.Columns))
	origins := make([]Origin, len(stored.Columns))
	for i := range stored.Columns {
		c := &stored.Columns[i]
		origins[i] = Origin{Table: stored.Name, Column: c.Name}
		fields[i] = field{
			qualifier: qualifier, name: c.Name, key: strings.ToLower(c.Name), typ: types.Parse(c.Type), origins: origins[i : i+1 : i+1],
		}
		columns[i] = &fields[i]
	}
	return columns
}

// noTable says what of a table's name is not there.
func (r *resolver) noTable(t *tree.Table, name catalog.Name, at tree.Node) {
	place := startOf(at)
	report := func(code Code, format string, args ...any) {
		var near []string
		if r.scope.Catalog != nil {
			for _, n := range r.scope.Catalog.Near(name, mostSuggestions) {
				near = append(near, n.String())
			}
		}
		r.mistakeAt(code, place, t, near, format, args...)
	}
	schemas, known := r.scope.Catalog.(Schemas)
	switch {
	case len(t.Name.Parts) > 3:
		place = spot{}
		report(SyntaxError, "'%s' is no table's name: write region.schema.table", t.Name)
	case name.Schema == "":
		report(MissingSchemaName, "'%s' needs its schema: write region.schema.table", t.Name)
	case name.Region == "":
		report(MissingCatalogName, "'%s' needs its region: write region.schema.table", t.Name)
	case known && !schemas.Holds(name.Region, ""):
		report(CatalogNotFound, "there is no region '%s'", name.Region)
	case known && !schemas.Holds(name.Region, name.Schema):
		report(SchemaNotFound, "there is no schema '%s' in '%s'", name.Schema, name.Region)
	default:
		report(TableNotFound, "there is no table '%s' that you may read", name)
	}
}

func (r *resolver) seen(name catalog.Name) {
	for _, t := range r.out.tables {
		if t == name || t.Key() == name.Key() {
			return
		}
	}
	r.out.tables = append(r.out.tables, name)
}

// fullName completes a name of fewer than three parts.
func (r *resolver) fullName(n *tree.Name) catalog.Name {
	name := catalog.Name{Region: r.scope.DefaultRegion, Schema: r.scope.DefaultSchema}
	p := n.Parts
	switch len(p) {
	case 1:
		name.Table = p[0].Name
	case 2:
		name.Schema, name.Table = p[0].Name, p[1].Name
	default:
		name.Region, name.Schema, name.Table = p[len(p)-3].Name, p[len(p)-2].Name, p[len(p)-1].Name
	}
	return name
}

func (r *resolver) tableVersion(v *tree.TableVersion, here *level) {
	t := r.expr(v.X, seeing(here))
	switch {
	case t.IsUnknown():
	case t.IsNull():
		r.mistake(InvalidArguments, v, nil, "the version of a table cannot be NULL")
	case v.Kind == "TIMESTAMP" && t.Base != "date" && t.Base != "timestamp" && t.Base != "timestamp with time zone":
		r.mistake(TypeMismatch, v, nil, "AS OF needs a point in time, this is %s", t)
	}
}

// percentage checks what TABLESAMPLE asks for: a constant from 0 to 100.
func (r *resolver) percentage(x tree.Expr) {
	constant := true
	tree.Walk(x, func(n tree.Node) bool {
		_, isColumn := n.(*tree.ColumnRef)
		constant = constant && !isColumn
		return constant
	})
	if !constant {
		r.mistake(ExpressionNotConstant, x, nil, "the share of TABLESAMPLE cannot depend on columns")
		return
	}
	t := r.expr(x, seeing(&level{}))
	if !types.Coercible(t, types.Double()) {
		r.mistake(TypeMismatch, x, nil, "the share of TABLESAMPLE is a number, this is %s", t)
		return
	}
	if t.IsNull() {
		r.mistake(InvalidArguments, x, nil, "the share of TABLESAMPLE cannot be NULL")
		return
	}
	if share, ok := numberLiteral(x); ok && (share < 0 || share > 100) {
		r.mistake(NumericOutOfRange, x, nil, "the share of TABLESAMPLE is a percentage from 0 to 100, not %v", share)
	}
}

func (r *resolver) unnest(u *tree.Unnest, outer *level) []*field {
	here := &level{parent: outer}
	var columns []*field
	for _, x := range u.Exprs {
		r.noAggregates(x, "UNNEST")
		t := r.expr(x, seeing(here))
		origins := r.originsOf(x)
		switch t.Base {
		case "array":
			if t.Args[0].Base == "row" {
				columns = append(columns, rowFields(t.Args[0], origins)...)
				continue
			}
			columns = append(columns, newField("", t.Args[0], origins))
		case "map":
			columns = append(columns, newField("", t.Args[0], origins), newField("", t.Args[1], origins))
		case "":
			columns = append(columns, &field{origins: origins, any: true})
		default:
			r.mistake(InvalidFunctionArgument, x, nil, "UNNEST needs an array or a map, this is %s", t)
			columns = append(columns, &field{any: true})
		}
	}
	if u.Ordinality {
		columns = append(columns, newField("", types.Bigint(), nil))
	}
	return columns
}

func rowFields(t types.Type, origins []Origin) []*field {
	var out []*field
	if t.Base == "row" {
		for i, a := range t.Args {
			out = append(out, newField(t.Names[i], a, origins))
		}
	}
	return out
}
