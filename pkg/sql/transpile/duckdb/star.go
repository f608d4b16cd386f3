package duckdb

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) star(star *tree.Star, s *tree.Select) string {
	if len(star.Aliases) > 0 {
		return e.no(star, "* AS (...)")
	}
	merged := slices.ContainsFunc(s.From, merges)
	if star.Qualifier != nil {
		if ref, ok := star.Qualifier.(*tree.ColumnRef); ok {
			if e.typeOf(ref).Base == "row" {
				return e.rowStar(star)
			}
			return e.tableStar(dotted(ref.Parts), s)
		}
		return e.rowStar(star)
	}
	if !merged {
		return "*"
	}
	var all []segment
	for _, r := range s.From {
		all = append(all, e.segments(r)...)
	}
	return join(all, ", ", segment.text)
}

// tableStar writes t.*: without the columns that a join with USING has merged.
func (e *emitter) tableStar(qualifier string, s *tree.Select) string {
	for _, r := range s.From {
		if !merges(r) {
			continue
		}
		for _, part := range e.segments(r) {
			if part.column == "" && part.qualifier == qualifier {
				return part.text()
			}
		}
	}
	return qualifier + ".*"
}

// rowStar writes (row).*: its fields under their names.
func (e *emitter) rowStar(star *tree.Star) string {
	t := e.typeOf(star.Qualifier)
	if t.Base != "row" {
		return e.no(star, "* of a %s", orUnknown(t))
	}
	fields := e.fieldsOf(star.Qualifier, t)
	for i := range t.Args {
		if t.Names[i] != "" {
			fields[i] += " AS " + printer.Quote(t.Names[i])
		}
	}
	return strings.Join(fields, ", ")
}

// fieldsOf writes the fields of a row, each.
func (e *emitter) fieldsOf(x tree.Expr, t types.Type) []string {
	row := e.expr(x)
	fields := make([]string, len(t.Args))
	for i := range t.Args {
		fields[i] = fieldOf(row, i)
	}
	e.fits(len(row) * len(fields))
	return fields
}

// merges reports a join that makes one column of two.
func merges(r tree.Relation) bool {
	found := false
	tree.Walk(r, func(n tree.Node) bool {
		if j, ok := n.(*tree.Join); ok {
			found = found || j.Natural || len(j.Using) > 0
		}
		_, inner := n.(*tree.Query)
		return !inner && !found
	})
	return found
}

// segment is a part of what * stands for: a merged column, or the columns of a
// relation but some.
type segment struct {
	column    string // its key; "" for a relation
	qualifier string
	without   []string
}

func (s segment) text() string {
	if s.column != "" {
		return printer.Quote(s.column)
	}
	text := s.qualifier + ".*"
	if len(s.without) > 0 {
		text += " EXCLUDE (" + join(s.without, ", ", printer.Quote) + ")"
	}
	return text
}

// segments returns what * stands for: Presto puts merged columns first, DuckDB
// leaves them where they are on the left.
func (e *emitter) segments(r tree.Relation) []segment {
	switch r := r.(type) {
	case *tree.Join:
		if r.Natural {
			e.no(r, "NATURAL JOIN")
		}
		merged := make([]segment, len(r.Using))
		keys := make([]string, len(r.Using))
		for i, id := range r.Using {
			keys[i] = id.Key()
			merged[i].column = id.Name
		}
		rest := append(e.segments(r.Left), e.segments(r.Right)...)
		return append(merged, less(rest, keys)...)
	case *tree.ParenRelation:
		return e.segments(r.Relation)
	case *tree.Sampled:
		return e.segments(r.Relation)
	case *tree.Aliased:
		return []segment{{qualifier: name(r.Alias)}}
	case *tree.Table:
		return []segment{{qualifier: name(r.Name.Parts[len(r.Name.Parts)-1])}}
	}
	return []segment{{qualifier: e.leafAlias(r)}}
}

// less takes columns away that a join has merged.
func less(segments []segment, keys []string) []segment {
	var out []segment
	for _, s := range segments {
		if s.column != "" && slices.Contains(keys, strings.ToLower(s.column)) {
			continue
		}
		if s.column == "" && len(keys) > 0 {
			s.without = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.without, keys))))
		}
		out = append(out, s)
	}
	return out
}
