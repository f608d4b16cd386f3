package resolve

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// relation resolves a relation of FROM and returns its columns. before are the
// columns to its left, which LATERAL and UNNEST see.
func (r *resolver) relation(rel tree.Relation, outer *level, before []*field) []*field {
	switch rel := rel.(type) {
	case *tree.Table:
		return placed(rel, r.table(rel, outer))
	case *tree.Aliased:
		columns := r.relation(rel.Relation, outer, before)
		if len(rel.Columns) > 0 && len(rel.Columns) != len(columns) && !unknownTable(columns) {
			r.mistake(MismatchedColumns, rel, nil, "'%s' has %d column names for %d columns", rel.Alias.Name, len(rel.Columns), len(columns))
		}
		return renamed(columns, rel.Columns, []string{rel.Alias.Key()})
	case *tree.Derived:
		return placed(rel, renamed(r.query(rel.Query, outer), nil, nil))
	case *tree.Lateral:
		return placed(rel, renamed(r.query(rel.Query, &level{parent: outer, fields: before}), nil, nil))
	case *tree.Unnest:
		return placed(rel, r.unnest(rel, &level{parent: outer, fields: before}))
	case *tree.ParenRelation:
		return r.relation(rel.Relation, outer, before)
	case *tree.Sampled:
		r.expr(rel.Percentage, outer)
		return r.relation(rel.Relation, outer, before)
	case *tree.Join:
		return r.join(rel, outer, before)
	case *tree.TableFunction:
		r.mistake(NotSupported, rel, nil, "the table function %s is not supported", rel.Name)
	}
	return nil
}

func (r *resolver) table(t *tree.Table, here *level) []*field {
	parts := t.Name.Parts
	if len(parts) == 1 {
		if c := here.common(parts[0].Name); c != nil {
			return renamed(c.fields, nil, []string{parts[0].Key()})
		}
	}
	name, ok := r.fullName(t.Name)
	if !ok {
		r.mistake(TableNotFound, t, nil, "'%s' is no table's name: write region.schema.table", t.Name)
		return []*field{{qualifier: strings.Split(t.Name.Key(), "."), any: true}}
	}
	var stored *catalog.Table
	if r.scope.Catalog != nil {
		stored, ok = r.scope.Catalog.Lookup(name)
	} else {
		ok = false
	}
	if !ok {
		var near []string
		if r.scope.Catalog != nil {
			for _, n := range r.scope.Catalog.Near(name, mostSuggestions) {
				near = append(near, n.String())
			}
		}
		r.mistake(TableNotFound, t, near, "there is no table '%s' that you may read", name)
		return []*field{{qualifier: strings.Split(name.Key(), "."), any: true}}
	}
	r.out.stored[t] = stored
	r.seen(stored.Name)
	qualifier := []string{strings.ToLower(name.Region), strings.ToLower(name.Schema), strings.ToLower(name.Table)}
	columns := make([]*field, len(stored.Columns))
	for i, c := range stored.Columns {
		columns[i] = &field{
			qualifier: qualifier, name: c.Name, typ: types.Parse(c.Type),
			origins: []Origin{{Table: stored.Name, Column: c.Name}},
		}
	}
	return columns
}

func (r *resolver) seen(name catalog.Name) {
	for _, t := range r.out.tables {
		if t.Key() == name.Key() {
			return
		}
	}
	r.out.tables = append(r.out.tables, name)
}

// fullName completes a name of fewer than three parts.
func (r *resolver) fullName(n *tree.Name) (catalog.Name, bool) {
	name := catalog.Name{Region: r.scope.DefaultRegion, Schema: r.scope.DefaultSchema}
	p := n.Parts
	switch len(p) {
	case 1:
		name.Table = p[0].Name
	case 2:
		name.Schema, name.Table = p[0].Name, p[1].Name
	case 3:
		name.Region, name.Schema, name.Table = p[0].Name, p[1].Name, p[2].Name
	default:
		return name, false
	}
	return name, true
}

func (r *resolver) unnest(u *tree.Unnest, here *level) []*field {
	var columns []*field
	for _, x := range u.Exprs {
		t, origins := r.expr(x, here), r.out.origins[x]
		switch t.Base {
		case "array":
			if t.Args[0].Base == "row" {
				columns = append(columns, rowFields(t.Args[0], origins)...)
				continue
			}
			columns = append(columns, &field{typ: t.Args[0], origins: origins})
		case "map":
			columns = append(columns, &field{typ: t.Args[0], origins: origins}, &field{typ: t.Args[1], origins: origins})
		case "":
			columns = append(columns, &field{origins: origins})
		default:
			r.mistake(TypeMismatch, x, nil, "UNNEST needs an array or a map, this is %s", t)
			columns = append(columns, &field{})
		}
	}
	if u.Ordinality {
		columns = append(columns, &field{typ: types.Bigint()})
	}
	return columns
}

func (r *resolver) join(j *tree.Join, outer *level, before []*field) []*field {
	left := r.relation(j.Left, outer, before)
	right := r.relation(j.Right, outer, slices.Concat(before, left))
	both := slices.Concat(left, right)
	if j.On != nil {
		r.condition(j.On, &level{parent: outer, fields: both}, "ON")
		r.noAggregate(j.On, "JOIN ... ON")
	}
	names := make([]string, 0, len(j.Using))
	for _, id := range j.Using {
		names = append(names, id.Key())
		for _, side := range [][]*field{left, right} {
			if !unknownTable(side) && !hasColumn(side, id.Key()) {
				r.mistake(ColumnNotFound, id, nil, "the column '%s' of USING is not on both sides of the join", id.Name)
			}
		}
	}
	if j.Natural {
		for _, f := range left {
			if key := strings.ToLower(f.name); key != "" && hasColumn(right, key) {
				names = append(names, key)
			}
		}
	}
	if len(names) == 0 {
		return both
	}
	r.mergesOf(j, names, left, right)
	return mergeUsing(names, left, right)
}

func hasColumn(fields []*field, key string) bool {
	for _, f := range fields {
		if strings.ToLower(f.name) == key {
			return true
		}
	}
	return false
}

// mergeUsing puts the joined columns first, without qualifier, then the others.
func mergeUsing(names []string, left, right []*field) []*field {
	var merged, rest []*field
	for _, name := range names {
		m := &field{}
		for _, f := range append(left[:len(left):len(left)], right...) {
			if strings.ToLower(f.name) != name {
				continue
			}
			if m.name == "" {
				m.name, m.typ = f.name, f.typ
			} else if t, ok := types.Common(m.typ, f.typ); ok {
				m.typ = t
			}
			m.origins = union(m.origins, f.origins)
		}
		if m.name != "" {
			m.from = mergedFrom(m.typ, name, left, right)
			merged = append(merged, m)
		}
	}
	for _, f := range append(left[:len(left):len(left)], right...) {
		if !containsFold(names, f.name) {
			rest = append(rest, f)
		}
	}
	return append(merged, rest...)
}

// mergedFrom returns the places of a merged column: those whose values it takes on
// unchanged.
func mergedFrom(t types.Type, name string, sides ...[]*field) places {
	var from places
	for _, side := range sides {
		for _, f := range side {
			if strings.ToLower(f.name) == name && f.typ.Equal(t) {
				from = append(from, f.from...)
			}
		}
	}
	return from
}

func containsFold(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

func union(a, b []Origin) []Origin {
	out := a[:len(a):len(a)]
	for _, o := range b {
		known := false
		for _, have := range out {
			known = known || have == o
		}
		if !known {
			out = append(out, o)
		}
	}
	return out
}
