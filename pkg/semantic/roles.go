package semantic

import (
	"cmp"
	"slices"
	"strings"
)

// DateColumn is a column that dates the rows of a table, and the words by which
// questions ask for it: of an order the days on which it was placed, paid and shipped.
// Time of a metric is the one that is meant where a question names none.
type DateColumn struct {
	ID       string   `yaml:"id,omitempty" json:"id"`
	Names    Text     `yaml:"names,omitempty,flow" json:"names"`
	Synonyms []string `yaml:"synonyms,omitempty,flow" json:"synonyms,omitempty"`
	Table    string   `yaml:"table,omitempty" json:"table"`
	Expr     string   `yaml:"expr,omitempty" json:"expr"` // empty: a column named as the id
	// Grain is that of the column, as of a metric: none hour day week month.
	Grain string `yaml:"grain,omitempty" json:"grain,omitempty"`
	// Via is the role or table by which the table is reached, as of a dimension.
	Via string `yaml:"via,omitempty" json:"via,omitempty"`
}

// Column is the column or expression that holds the date.
func (d *DateColumn) Column() string { return cmp.Or(d.Expr, d.ID) }

// DatesOf are the dates that the rows of a table have, in the table itself or along
// joins to one row.
func (l *Layer) DatesOf(table string) []DateColumn {
	var out []DateColumn
	for _, d := range l.Dates {
		if _, ok := l.Path(table, d.Table, d.Via); ok {
			out = append(out, d)
		}
	}
	return out
}

// roleJoins are the joins that have a role of that name.
func (l *Layer) roleJoins(role string) []Join {
	if role == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(l.Joins), func(j Join) bool { return j.Role != role })
}

// IsRole reports whether a name is that of a role, and not of a table.
func (l *Layer) IsRole(name string) bool { return len(l.roleJoins(name)) > 0 }

// WithRoles returns the layer with the things that its roles make: an entity or a
// dimension that a join with a role leads to is once more there by that role, with the
// id ROLE_ID and the role's name before its own. So "home team" and "city of the home
// team" are names, and "city" alone stays one that may be either. What the layer
// already has by that id is left as it is written. The layer itself is not changed.
func (l *Layer) WithRoles() *Layer {
	out := *l
	out.Entities, out.Dimensions = slices.Clone(l.Entities), slices.Clone(l.Dimensions)
	done := map[string]bool{}
	for _, j := range l.Joins {
		if j.Role == "" || done[j.Role] {
			continue
		}
		done[j.Role] = true
		r := role{layer: l, of: j}
		for _, e := range l.Entities {
			if e.RoleOf == "" && e.Via == "" && r.leads(e.Table) && !hasEntity(&out, r.id(e.ID)) {
				out.Entities = append(out.Entities, r.entity(e))
			}
		}
		for _, d := range l.Dimensions {
			if d.RoleOf == "" && d.Via == "" && !strings.Contains(d.ID, "__") && r.leads(d.Table) && !hasDimension(&out, r.id(d.ID)) {
				out.Dimensions = append(out.Dimensions, r.dimension(d))
			}
		}
	}
	return &out
}

// role makes the things of one role.
type role struct {
	layer *Layer
	of    Join // the first join that has it
}

func (r role) id(of string) string { return r.of.Role + "_" + of }

// leads reports whether the row that the role finds leads to one row of a table.
func (r role) leads(table string) bool {
	_, ok := r.layer.Path(r.of.To, table, "")
	return ok
}

func (r role) entity(e Entity) Entity {
	e.ID, e.RoleOf, e.Via, e.Derived = r.id(e.ID), e.ID, r.of.Role, true
	own := e.Table == r.of.To
	e.Names, e.Synonyms = r.names(e.Names, e.Synonyms, own)
	return e
}

func (r role) dimension(d Dimension) Dimension {
	label := d.Table == r.of.To && !slices.ContainsFunc(r.layer.Entities, func(e Entity) bool { return e.Table == d.Table }) &&
		(d.Role == RoleLabel || len(r.layer.labelled(d.Table)) == 1)
	d.ID, d.RoleOf, d.Via, d.Derived = r.id(d.ID), d.ID, r.of.Role, true
	d.Expr = cmp.Or(d.Expr, d.RoleOf)
	d.Names, d.Synonyms = r.names(d.Names, d.Synonyms, label)
	d.Values = nil // a value is one of the thing, whatever its role
	d.Hierarchy = nil
	return d
}

// labelled are the dimensions of a table.
func (l *Layer) labelled(table string) []Dimension {
	return slices.DeleteFunc(slices.Clone(l.Dimensions), func(d Dimension) bool { return d.Table != table || d.Via != "" })
}

// names are those of a thing by the role: of the thing that the role finds itself
// (alone), the role's name says all.
func (r role) names(of Text, more []string, alone bool) (Text, []string) {
	var roles, things []string
	for _, n := range append([]string{r.of.Names.EN, r.of.Names.ZH}, r.of.Synonyms...) {
		if n != "" {
			roles = append(roles, n)
		}
	}
	for _, n := range append([]string{of.EN, of.ZH}, more...) {
		if n != "" {
			things = append(things, n)
		}
	}
	names := Text{EN: joinNames(r.of.Names.EN, of.EN), ZH: joinNames(r.of.Names.ZH, of.ZH)}
	if alone {
		names = Text{EN: cmp.Or(r.of.Names.EN, names.EN), ZH: cmp.Or(r.of.Names.ZH, names.ZH)}
	}
	var all []string
	add := func(n string) {
		if n != "" && n != names.EN && n != names.ZH && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	for _, a := range roles {
		if alone {
			add(a)
		}
		for _, b := range things {
			if hasHan(a) == hasHan(b) {
				add(joinNames(a, b))
				if !hasHan(a) && !strings.EqualFold(joinNames(a, b), a) {
					add(b + " of the " + a)
					add(b + " of " + a)
				}
			}
		}
	}
	return names, all
}

// joinNames puts the name of a role before that of a thing, unless it ends with it
// already: home team and team give "home team".
func joinNames(a, b string) string {
	switch {
	case a == "" || b == "":
		return ""
	case strings.HasSuffix(strings.ToLower(a), strings.ToLower(b)):
		return a
	case hasHan(a):
		return a + b
	}
	return a + " " + b
}

func hasEntity(l *Layer, id string) bool {
	return slices.ContainsFunc(l.Entities, func(e Entity) bool { return e.ID == id })
}

func hasDimension(l *Layer, id string) bool {
	return slices.ContainsFunc(l.Dimensions, func(d Dimension) bool { return d.ID == id })
}

// RolesOf are the roles by which a thing of that id, an entity or a dimension, is
// reached from a table, in the order of the joins; none where it has no roles. The
// layer has to be one WithRoles.
func (l *Layer) RolesOf(id, from string) []string {
	var out []string
	add := func(roleOf, via, table string) {
		if _, ok := l.Path(from, table, via); roleOf == id && ok && !slices.Contains(out, via) {
			out = append(out, via)
		}
	}
	for _, e := range l.Entities {
		add(e.RoleOf, e.Via, e.Table)
	}
	for _, d := range l.Dimensions {
		add(d.RoleOf, d.Via, d.Table)
	}
	return out
}

// RoleNames is what people call a role.
func (l *Layer) RoleNames(role string) Text {
	for _, j := range l.roleJoins(role) {
		if j.Names != (Text{}) {
			return j.Names
		}
	}
	return Text{EN: role}
}

// DateNames is what people call a date.
func (l *Layer) DateNames(id string) Text {
	for _, d := range l.Dates {
		if d.ID == id {
			return d.Names
		}
	}
	return Text{EN: id}
}
