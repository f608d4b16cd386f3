package guard

import (
	"reflect"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// twins are the nodes of a statement with covers for those of the statement as it
// was asked. That every node has its twin, that every column is still of the same
// relation, and that the result has the same columns, is what makes sure that the
// covers changed nothing but what they were to change.
type twins struct {
	plan      *plan
	relations map[tree.Relation]tree.Relation
	columns   map[*tree.ColumnRef]*tree.ColumnRef
}

// same reports whether resolution, of the text with covers, means what was asked.
func (p *plan) same(asked, resolution *resolve.Resolution) bool {
	t := &twins{plan: p, relations: map[tree.Relation]tree.Relation{}, columns: map[*tree.ColumnRef]*tree.ColumnRef{}}
	return t.match(asked.Statement(), resolution.Statement()) &&
		t.sameOutput(asked, resolution) && t.sameColumns(asked, resolution) && t.sameTables(asked, resolution)
}

// match pairs a node with its twin, and all below.
func (t *twins) match(old, now tree.Node) bool {
	switch old := old.(type) {
	case *tree.Table:
		if t.plan.covers[old] != nil {
			return t.matchCover(old, now)
		}
	case *tree.TableQuery:
		if t.plan.bodies[old] {
			s, ok := now.(*tree.Select)
			return ok && isWritten(s, t.plan.bodyOf(old)) && t.matchCover(old.Table, s.From[0])
		}
	case *tree.ColumnRef:
		ref, ok := now.(*tree.ColumnRef)
		if !ok {
			return false
		}
		t.columns[old] = ref
		if renamed := t.plan.refs[old]; renamed != nil {
			return sameParts(renamed.Parts, ref.Parts)
		}
		return sameParts(old.Parts, ref.Parts)
	case *tree.Ident:
		id, ok := now.(*tree.Ident)
		return ok && id.Name == old.Name
	}
	if reflect.TypeOf(old) != reflect.TypeOf(now) || !sameWords(old, now) {
		return false
	}
	if r, ok := old.(tree.Relation); ok {
		t.relations[r], _ = now.(tree.Relation)
	}
	olds, nows := tree.Children(old), tree.Children(now)
	if len(olds) != len(nows) {
		return false
	}
	for i := range olds {
		if (olds[i] == nil) != (nows[i] == nil) || olds[i] != nil && !t.match(olds[i], nows[i]) {
			return false
		}
	}
	return true
}

// sameWords compares what a node says besides its children: operators, kinds,
// literals.
func sameWords(old, now tree.Node) bool {
	a, b := reflect.ValueOf(old).Elem(), reflect.ValueOf(now).Elem()
	for i := range a.NumField() {
		switch a.Field(i).Kind() {
		case reflect.String, reflect.Bool:
			if !a.Field(i).Equal(b.Field(i)) {
				return false
			}
		}
	}
	return true
}

func sameParts(a, b []*tree.Ident) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}

// matchCover pairs a covered table with the query in its place.
func (t *twins) matchCover(old *tree.Table, now tree.Node) bool {
	if aliased, ok := now.(*tree.Aliased); ok {
		now = aliased.Relation
	}
	d, ok := now.(*tree.Derived)
	if !ok || !isWritten(d, &tree.Derived{Query: t.plan.covers[old].Query}) {
		return false
	}
	t.relations[old] = d
	return true
}

// isWritten reports whether a node that was read is, letter by letter, one that was
// made.
func isWritten(read, made tree.Node) bool { return read.Span().Text() == printer.Print(made) }

func (t *twins) sameOutput(asked, resolution *resolve.Resolution) bool {
	olds, nows := asked.Output(), resolution.Output()
	if len(olds) != len(nows) {
		return false
	}
	for i := range olds {
		if olds[i].Name != nows[i].Name || !olds[i].Type.Equal(nows[i].Type) {
			return false
		}
	}
	return true
}

// sameColumns demands that every column reference is of the same relation, and of
// the same column of it: what covers a table has its columns in its order.
func (t *twins) sameColumns(asked, resolution *resolve.Resolution) bool {
	for old, now := range t.columns {
		olds, nows := asked.Places(old), resolution.Places(now)
		if len(olds) != len(nows) || !asked.TypeOf(old).Equal(resolution.TypeOf(now)) {
			return false
		}
		for i := range olds {
			if t.relations[olds[i].Relation] != nows[i].Relation || olds[i].Index != nows[i].Index {
				return false
			}
		}
	}
	return true
}

// sameTables demands that the stored tables are the same: that inside of a cover
// is read which it covers, and that outside of covers no table is read that needs
// one.
func (t *twins) sameTables(asked, resolution *resolve.Resolution) bool {
	inside := map[*tree.Table]bool{}
	for old := range t.plan.covers {
		want, _ := asked.Stored(old)
		d, ok := t.relations[old].(*tree.Derived)
		if !ok {
			return false
		}
		tree.Walk(d, func(n tree.Node) bool {
			if table, isTable := n.(*tree.Table); isTable {
				have, found := resolution.Stored(table)
				ok = ok && found && have.Name == want.Name
				inside[table] = true
			}
			return true
		})
		if !ok {
			return false
		}
	}
	covered := map[string]bool{}
	for old := range t.plan.covers {
		covered[t.plan.key(old)] = true
	}
	good := true
	tree.Walk(resolution.Statement(), func(n tree.Node) bool {
		if table, ok := n.(*tree.Table); ok && !inside[table] {
			if stored, found := resolution.Stored(table); found && covered[stored.Name.Key()] {
				good = false
			}
		}
		return good
	})
	return good
}
