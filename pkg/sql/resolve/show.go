package resolve

import "github.com/dibrain/dibrain/pkg/sql/tree"

// show resolves what a SHOW or DESCRIBE statement asks about.
func (r *resolver) show(stmt *tree.Statement) {
	s := stmt.Show
	if s.Query != nil {
		r.query(s.Query, nil)
		return
	}
	if s.Name == nil {
		return
	}
	switch stmt.Kind {
	case tree.KindShowColumns, tree.KindShowCreateTable, tree.KindShowStats:
		t := &tree.Table{Name: s.Name}
		name := r.fullName(s.Name)
		if r.scope.Catalog != nil && len(s.Name.Parts) <= 3 {
			if stored, ok := r.scope.Catalog.Lookup(name); ok {
				r.seen(stored.Name)
				return
			}
		}
		r.noTable(t, name, stmt)
	case tree.KindShowTables:
		r.showSchema(s.Name, stmt)
	}
}

// showSchema checks the schema that SHOW TABLES asks about.
func (r *resolver) showSchema(n *tree.Name, at tree.Node) {
	schemas, known := r.scope.Catalog.(Schemas)
	if !known || len(n.Parts) > 2 {
		return
	}
	region, schema := r.scope.DefaultRegion, n.Parts[len(n.Parts)-1].Name
	if len(n.Parts) == 2 {
		region = n.Parts[0].Name
	}
	switch {
	case region == "":
		r.mistake(MissingCatalogName, at, nil, "'%s' needs its region", n)
	case !schemas.Holds(region, ""):
		r.mistake(CatalogNotFound, at, nil, "there is no region '%s'", region)
	case !schemas.Holds(region, schema):
		r.mistake(SchemaNotFound, at, nil, "there is no schema '%s' in '%s'", schema, region)
	}
}
