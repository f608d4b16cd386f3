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
	typ       types.Type
	origins   []Origin
	from      places
	// any stands for all columns of a table that was not found, so that one
	// mistake does not become many.
	any bool
}

// level is one level of names: the fields of a FROM clause, the names of WITH,
// the parameters of a lambda. Names are looked for from the inside out.
type level struct {
	parent *level
	fields []*field
	tables map[string]*common // of WITH, by lower-case name
}

// common is a query of WITH.
type common struct {
	name   string
	fields []*field
}

func unknownTable(fields []*field) bool {
	for _, f := range fields {
		if f.any {
			return true
		}
	}
	return false
}

func (l *level) common(name string) *common {
	for ; l != nil; l = l.parent {
		if c, ok := l.tables[strings.ToLower(name)]; ok {
			return c
		}
	}
	return nil
}

// find looks a reference up. rest are the parts behind the column: fields of a
// row. It returns nil where nothing fits, and how many fit at the level where the
// first was found.
func (l *level) find(parts []*tree.Ident) (f *field, rest []*tree.Ident, count int) {
	for ; l != nil; l = l.parent {
		for n := len(parts); n > 0; n-- { // longest qualifier first
			found, matches := l.match(parts[:n])
			if matches > 0 {
				return found, parts[n:], matches
			}
		}
	}
	return nil, nil, 0
}

func (l *level) match(parts []*tree.Ident) (f *field, count int) {
	last := parts[len(parts)-1].Key()
	for _, candidate := range l.fields {
		if strings.ToLower(candidate.name) == last && qualifies(candidate.qualifier, parts[:len(parts)-1]) {
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
