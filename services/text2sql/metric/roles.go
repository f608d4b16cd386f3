package metric

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// besideRole are the roles that the words next to this place name: home in "home team
// Arsenal" and in "home team is Arsenal".
func (r *reader) besideRole() []string {
	var out []string
	for _, step := range []int{-1, 1} {
		for by := step; ; by += step {
			o := r.around(by)
			if o == nil {
				break
			}
			for _, m := range o.meanings {
				if role := r.roleOf(m); role != "" && !slices.Contains(out, role) {
					out = append(out, role)
				}
			}
			if !o.idle() && !o.is("rel") && !o.is("which") && !o.is("not") && !o.is("cmp") {
				break
			}
		}
	}
	return out
}

// roleOf is the role of an entity or a dimension; empty where it has none.
func (r *reader) roleOf(m meaning) string {
	switch m.kind {
	case kindEntity:
		for _, e := range r.names.layer.Entities {
			if e.ID == m.id && e.RoleOf != "" {
				return e.Via
			}
		}
	case kindDimension:
		for _, d := range r.names.layer.Dimensions {
			if d.ID == m.id && d.RoleOf != "" {
				return d.Via
			}
		}
	}
	return ""
}

// inRole is the dimension that a value is of: by the role that is named beside it, else
// as it is.
func (r *reader) inRole(dimension string) string {
	for _, role := range r.besideRole() {
		for _, d := range r.names.layer.Dimensions {
			if d.RoleOf == dimension && d.Via == role {
				return d.ID
			}
		}
	}
	return dimension
}

// saysRole reports whether a name only says in which role the value beside it is meant.
func (r *reader) saysRole(u *unit) bool {
	for _, m := range u.meanings {
		role := r.roleOf(m)
		if role == "" {
			continue
		}
		for _, step := range []int{1, -1} {
			for by := step; ; by += step {
				o := r.around(by)
				if o == nil {
					break
				}
				if slices.ContainsFunc(o.ids(kindValue), func(id string) bool {
					return slices.ContainsFunc(r.names.layer.Dimensions, func(d semantic.Dimension) bool { return d.RoleOf == id && d.Via == role })
				}) {
					return true
				}
				if !o.idle() && !o.is("rel") && !o.is("which") && !o.is("not") && !o.is("cmp") {
					break
				}
			}
		}
	}
	return false
}
