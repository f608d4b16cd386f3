package repair

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// nameEdits give a column that is not there the name, or the table, that is meant: a
// column of another table of the same FROM clause that has the very name, else the
// nearest name.
func nameEdits(e *engine, now *reading) []edit {
	if edits := now.aliasEdits(); len(edits) > 0 {
		return edits
	}
	edits := now.fieldEdits()
	for _, ref := range now.unknownColumns() {
		found, ok := now.columnEdit(ref)
		if !ok || found.class == "qualifier" && now.selfCompared(ref, found.text) {
			continue
		}
		if found.certainty < Certain {
			if len(now.missingJoins(e.Known, ref)) > 0 {
				continue // the very name is in a table that a key leads to
			}
		}
		edits = append(edits, found)
	}
	return edits
}

// unknownColumns are the columns that are not there.
func (now *reading) unknownColumns() []*tree.ColumnRef {
	var refs []*tree.ColumnRef
	for _, d := range now.diagnostics {
		if ref, ok := d.Node.(*tree.ColumnRef); ok && d.Code == resolve.ColumnNotFound {
			refs = append(refs, ref)
		}
	}
	return refs
}

func (now *reading) columnEdit(ref *tree.ColumnRef) (edit, bool) {
	last := ref.Parts[len(ref.Parts)-1]
	sight := now.inSight(ref)
	if len(ref.Parts) == 1 {
		var names []string
		for _, s := range sight {
			names = append(names, s.columns...)
		}
		if found, ok := ownNounEdit(last, sight); ok {
			return found, ok
		}
		if found, ok := nearEdit(last, names); ok {
			return found, ok
		}
		return nounEdit(last, sight)
	}
	qualifier := ref.Parts[len(ref.Parts)-2].Name
	own := slices.IndexFunc(sight, func(s seen) bool { return strings.EqualFold(s.name, qualifier) })
	if own < 0 {
		if joined, ok := now.joinedHere(ref, sight); ok {
			return requalified(ref, joined, 0.92), true
		}
		return strangerEdit(ref, qualifier, sight)
	}
	near, ok := ownNounEdit(last, sight[own:own+1])
	if !ok {
		near, ok = nearEdit(last, sight[own].columns)
	}
	if !ok {
		near, ok = nounEdit(last, sight[own:own+1])
	}
	if !ok {
		if joined, is := now.joinedHere(ref, sight); is && !sight[own].has(last.Name) {
			return requalified(ref, joined, 0.92), true
		}
	}
	if ok && near.certainty >= Certain {
		return near, true
	}
	var others []seen
	for _, s := range sight {
		if s.has(last.Name) {
			others = append(others, s)
		}
	}
	if len(others) != 1 || now.comparedTo(ref, others[0]) {
		return near, ok // compared with itself it would mean nothing
	}
	certainty := 0.92
	if ok {
		certainty = likely // it may be a slip in the name too
	}
	return requalified(ref, others[0], certainty), true
}

// joinedHere is the relation that a join adds, where the column stands in the condition of
// that join, nothing else in the condition is of the relation, and it has the column: the
// condition has to be about it.
func (now *reading) joinedHere(ref *tree.ColumnRef, sight []seen) (seen, bool) {
	var found seen
	tree.Walk(now.stmt, func(n tree.Node) bool {
		j, ok := n.(*tree.Join)
		if !ok || j.On == nil || !within(j.On, ref) {
			return true
		}
		right := j.Right
		if a, ok := right.(*tree.Aliased); ok {
			right = a.Relation
		}
		i := slices.IndexFunc(sight, func(s seen) bool { return s.relation == right })
		if i < 0 || !sight[i].has(ref.Parts[len(ref.Parts)-1].Name) {
			return true
		}
		named := false
		tree.Walk(j.On, func(n tree.Node) bool {
			if other, ok := n.(*tree.ColumnRef); ok && other != ref {
				for _, p := range now.resolution.Places(other) {
					named = named || p.Relation == right
				}
			}
			return !named
		})
		if !named {
			found = sight[i]
		}
		return true
	})
	return found, found.relation != nil
}

// fieldEdits are for the name of a table that has an alias here and is that of a column
// too, so that what follows it looks like a field of a row.
func (now *reading) fieldEdits() []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		ref, ok := d.Node.(*tree.ColumnRef)
		if !ok || d.Code == resolve.ColumnNotFound || d.Code == resolve.AmbiguousName || len(ref.Parts) != 2 {
			continue
		}
		var named []seen
		for _, s := range now.inSight(ref) {
			if s.alias != nil && strings.EqualFold(s.table, ref.Parts[0].Name) && s.has(ref.Parts[1].Name) {
				named = append(named, s)
			}
		}
		if len(named) == 1 {
			edits = append(edits, requalified(ref, named[0], 0.95))
		}
	}
	return edits
}

// selfCompared reports whether a column that becomes another one would be compared with
// itself, which joins and filters nothing.
func (now *reading) selfCompared(ref *tree.ColumnRef, becomes string) bool {
	found := false
	tree.Walk(now.stmt, func(n tree.Node) bool {
		b, ok := n.(*tree.Binary)
		if !ok || !isComparison(b.Op) {
			return !found
		}
		other := tree.Unparen(b.Left)
		switch tree.Expr(ref) {
		case other:
			other = tree.Unparen(b.Right)
		case tree.Unparen(b.Right):
		default:
			return !found
		}
		if c, ok := other.(*tree.ColumnRef); ok {
			found = found || Plain(c) == Plain(ref) && (c.Span().Text() == ref.Span().Text() || folded(c.Span().Text()) == folded(becomes))
		}
		return !found
	})
	return found
}

// comparedTo reports whether a column is compared with the one of the same name in a
// relation.
func (now *reading) comparedTo(ref *tree.ColumnRef, s seen) bool {
	found := false
	tree.Walk(now.stmt, func(n tree.Node) bool {
		b, ok := n.(*tree.Binary)
		if !ok || tree.Unparen(b.Left) != tree.Expr(ref) && tree.Unparen(b.Right) != tree.Expr(ref) {
			return !found
		}
		for _, side := range []tree.Expr{b.Left, b.Right} {
			other, ok := tree.Unparen(side).(*tree.ColumnRef)
			found = found || ok && other != ref && len(other.Parts) == 2 &&
				strings.EqualFold(other.Parts[0].Name, s.name) && strings.EqualFold(other.Parts[1].Name, ref.Parts[len(ref.Parts)-1].Name)
		}
		return !found
	})
	return found
}

// strangerEdit is for a qualifier that is no relation in sight: the name of a table
// that has an alias here, a misspelt alias, or one of another query.
func strangerEdit(ref *tree.ColumnRef, qualifier string, sight []seen) (edit, bool) {
	last := ref.Parts[len(ref.Parts)-1].Name
	var holders, named, misspelt []seen
	for _, s := range sight {
		if !s.has(last) {
			continue
		}
		holders = append(holders, s)
		if strings.EqualFold(s.table, qualifier) {
			named = append(named, s)
		}
		if len(qualifier) > 2 && distance(qualifier, s.name) < 0.34 {
			misspelt = append(misspelt, s)
		}
	}
	switch {
	case len(named) == 1:
		return requalified(ref, named[0], 0.95), true
	case len(misspelt) == 1:
		return requalified(ref, misspelt[0], 0.92), true
	case len(holders) == 1 && len(qualifier) <= 2:
		return requalified(ref, holders[0], 0.8), true // or its table is missing
	}
	return edit{}, false
}

func requalified(ref *tree.ColumnRef, s seen, certainty float64) edit {
	span := ref.Span()
	return edit{start: span.Start, end: span.End, text: s.column(ref.Parts[len(ref.Parts)-1].Name), class: "qualifier", certainty: certainty}
}

// nearEdit takes the nearest name.
func nearEdit(name *tree.Ident, names []string) (edit, bool) {
	best, certainty, ok := nearestOf(name.Name, names)
	if !ok {
		if best, ok = holding(name.Name, names); !ok {
			return edit{}, false
		}
		certainty = 0.7
	}
	if strings.EqualFold(best, name.Name) {
		return edit{}, false
	}
	at := name.Span()
	return edit{start: at.Start, end: at.End, text: printer.Ident(best), class: "nearest_column", certainty: certainty}, true
}

// ownNoun is the certainty of a column whose name differs by that of its table alone.
const ownNoun = 0.88

// ownNounEdit is for names that say their table exactly, or leave it out, whatever stands
// between the words: airport_name is the name of airport, id its airport_id.
func ownNounEdit(name *tree.Ident, of []seen) (edit, bool) {
	joined := func(parts ...string) string {
		return strings.Join(smallParts(strings.Join(parts, "_")), "")
	}
	found := ""
	for _, s := range of {
		if s.table == "" {
			continue
		}
		for _, noun := range []string{s.table, strings.TrimSuffix(s.table, "s")} {
			for _, c := range s.columns {
				if joined(noun, name.Name) != joined(c) && joined(name.Name) != joined(noun, c) {
					continue
				}
				if found != "" && found != c {
					return edit{}, false
				}
				found = c
			}
		}
	}
	at := name.Span()
	return edit{start: at.Start, end: at.End, text: printer.Ident(found), class: "nearest_column", certainty: ownNoun}, found != ""
}

// nounEdit is for names that say the table, or leave it out: order_status is the status
// of orders, id the order_id of orders.
func nounEdit(name *tree.Ident, of []seen) (edit, bool) {
	found := ""
	want := smallParts(name.Name)
	for _, s := range of {
		if s.table == "" {
			continue
		}
		noun := smallParts(s.table)
		for _, c := range s.columns {
			have := smallParts(c)
			if !sameWords(want, append(slices.Clone(noun), have...)) && !sameWords(append(slices.Clone(noun), want...), have) {
				continue
			}
			if found != "" && found != c {
				return edit{}, false
			}
			found = c
		}
	}
	at := name.Span()
	return edit{start: at.Start, end: at.End, text: printer.Ident(found), class: "nearest_column", certainty: 0.8}, found != ""
}

// sameWords reports whether two lists have the same words, but for their order and a
// plural's s.
func sameWords(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	plain := func(words []string) []string {
		out := make([]string, len(words))
		for i, w := range words {
			out[i] = strings.TrimSuffix(w, "s")
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(plain(a), plain(b))
}

// functionEdits take the nearest function.
func functionEdits(_ *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		c, ok := d.Node.(*tree.Call)
		if !ok || d.Code != resolve.FunctionNotFound {
			continue
		}
		best, certainty, ok := nearestOf(c.Name.String(), d.Suggestions)
		if !ok {
			continue
		}
		span := c.Name.Span()
		edits = append(edits, edit{
			start: span.Start, end: span.End, text: best, class: "nearest_function", certainty: min(certainty, 0.93),
			args: map[string]string{"name": c.Name.String()},
		})
	}
	return edits
}
