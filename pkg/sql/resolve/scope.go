package resolve

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// field is a column that an expression can name.
type field struct {
	qualifier []string // lower-case parts of the relation's name or alias
	name      string   // as written or stored; empty where it has none
	key       string   // the name in lower case
	typ       types.Type
	origins   []Origin
	from      places
	// any stands for all columns of a table that was not found, so that one
	// mistake does not become many.
	any bool
}

func newField(name string, t types.Type, origins []Origin) *field {
	return &field{name: name, key: strings.ToLower(name), typ: t, origins: origins}
}

// level is one level of names: the fields of a FROM clause, the names of WITH,
// the parameters of a lambda. Names are looked for from the inside out.
type level struct {
	parent   *level
	boundary bool // the parent belongs to a query around this one
	fields   []*field
	tables   map[string]*common // of WITH, by lower-case name
}

// inside returns a level for a query inside an expression or relation that sees l.
func (l *level) inside() *level { return &level{parent: l, boundary: true} }

// common is a query of WITH.
type common struct {
	name   string
	fields []*field
}

// unknownTable reports whether some columns are not known.
func unknownTable(fields []*field) bool {
	for _, f := range fields {
		if f.any {
			return true
		}
	}
	return false
}

func (l *level) common(name string) *common {
	key := strings.ToLower(name)
	for ; l != nil; l = l.parent {
		if c, ok := l.tables[key]; ok {
			return c
		}
	}
	return nil
}

// found is where a column's name led.
type found struct {
	field *field
	level *level
	local bool // not of a query around this one
	count int  // how many fields have the name at that level; 0: none
}

// find looks a column up: at the first level that has it. A level where the front
// of the name is a column ends the search, as the rest then names its fields.
func (l *level) find(parts []*tree.Ident) found {
	local := true
	for ; l != nil; l = l.parent {
		if f, count := l.match(parts); count > 0 {
			return found{field: f, level: l, local: local, count: count}
		}
		for n := len(parts) - 1; n > 0; n-- {
			if _, count := l.match(parts[:n]); count > 0 {
				return found{}
			}
		}
		local = local && !l.boundary
	}
	return found{}
}

// isColumn reports whether the front of a name is a column anywhere in sight.
func (l *level) isColumn(parts []*tree.Ident) bool {
	for ; l != nil; l = l.parent {
		for n := len(parts) - 1; n > 0; n-- {
			if _, count := l.match(parts[:n]); count > 0 {
				return true
			}
		}
	}
	return false
}

func (l *level) match(parts []*tree.Ident) (f *field, count int) {
	if len(l.fields) == 0 {
		return nil, 0
	}
	last := parts[len(parts)-1].Key()
	for _, candidate := range l.fields {
		if candidate.key == last && candidate.name != "" && qualifies(candidate.qualifier, parts[:len(parts)-1]) {
			if f == nil {
				f = candidate
			}
			count++
		}
	}
	if count > 0 {
		return f, count
	}
	for _, candidate := range l.fields {
		if candidate.any && qualifies(candidate.qualifier, parts[:len(parts)-1]) {
			return candidate, 1
		}
	}
	return nil, 0
}

// qualifies reports whether the written qualifier is a suffix of the full one.
func qualifies(full []string, written []*tree.Ident) bool {
	if len(written) > len(full) {
		return false
	}
	tail := full[len(full)-len(written):]
	for i, w := range written {
		if w.Key() != tail[i] {
			return false
		}
	}
	return true
}

// names returns what could have been meant, for suggestions.
func (l *level) names() []string {
	var out []string
	for ; l != nil; l = l.parent {
		for _, f := range l.fields {
			if f.name != "" {
				out = append(out, f.name)
			}
		}
	}
	return out
}

// qualified reports whether any relation in sight has the qualifier that is
// written before a column's name.
func (l *level) qualified(parts []*tree.Ident) bool {
	for ; l != nil; l = l.parent {
		for _, f := range l.fields {
			if len(f.qualifier) > 0 && qualifies(f.qualifier, parts) {
				return true
			}
		}
	}
	return false
}

// qualifiedNames returns the columns that a written qualifier leads to.
func (l *level) qualifiedNames(parts []*tree.Ident) []string {
	var out []string
	for ; l != nil; l = l.parent {
		for _, f := range l.fields {
			if f.name != "" && len(f.qualifier) > 0 && qualifies(f.qualifier, parts) {
				out = append(out, f.name)
			}
		}
	}
	return out
}

// env is what an expression sees, and what is allowed in it.
type env struct {
	here     *level
	noOuter  bool     // columns of queries around this one are not allowed
	inLambda bool     // in the body of a lambda
	trial    string   // which types the lambdas around are tried on; empty: none
	pattern  *pattern // in row pattern recognition; nil: not
}

func seeing(l *level) env { return env{here: l} }
