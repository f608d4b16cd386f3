package tools

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// OddKind is a way in which a statement that holds is hardly meant.
type OddKind string

// Kinds of what is hardly meant.
const (
	// OddUnjoined is a stored table that no condition joins to another one of its FROM:
	// A is the one, B the other.
	OddUnjoined OddKind = "unjoined"
	// OddApart is an equality of two columns that by the keys of the catalog tell
	// different things apart, such as a customer and a country: A and B are the columns.
	OddApart OddKind = "apart"
	// OddNull is a comparison with NULL, which is never true: A is as it is written.
	OddNull OddKind = "null"
	// OddName is the name of a column in single quotes, where a column is shown or grouped
	// or ordered by: it is a text, the same in each row. A is the name.
	OddName OddKind = "name"
)

// Odd is one place where a statement is hardly meant as it stands.
type Odd struct {
	Kind OddKind `json:"kind"`
	A    string  `json:"a"`
	B    string  `json:"b,omitempty"`
}

// odds are those of a resolved statement, each once.
func odds(res *resolve.Resolution) []Odd {
	var out []Odd
	add := func(o Odd) {
		if !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	tree.Walk(res.Statement(), func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.Query:
			if s, ok := x.Body.(*tree.Select); ok {
				for _, item := range x.OrderBy {
					oddName(res, s, item.Expr, add)
				}
			}
		case *tree.Select:
			oddSelect(res, x, add)
		case *tree.Binary:
			if isComparison(x.Op) && (isNull(x.Left) || isNull(x.Right)) {
				add(Odd{Kind: OddNull, A: x.Span().Text()})
			}
		}
		return true
	})
	return out
}

func isComparison(op string) bool {
	return slices.Contains([]string{tree.OpEq, tree.OpNe, tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe}, op)
}

func isNull(x tree.Expr) bool {
	_, ok := tree.Unparen(x).(*tree.Null)
	return ok
}

func oddSelect(res *resolve.Resolution, s *tree.Select, add func(Odd)) {
	for _, item := range s.Items {
		if e, ok := item.(*tree.SelectExpr); ok {
			oddName(res, s, e.Expr, add)
		}
	}
	if s.GroupBy != nil {
		for _, e := range s.GroupBy.Elements {
			for _, set := range e.Sets {
				for _, x := range set.Exprs {
					oddName(res, s, x, add)
				}
			}
		}
	}
	from := fromOf(res, s)
	for _, c := range from.conditions {
		if b, ok := tree.Unparen(c).(*tree.Binary); ok && b.Op == tree.OpEq {
			oddEquality(res, b, add)
		}
	}
	if len(from.tables) < 2 {
		return
	}
	together := from.together()
	first := from.tables[0]
	for _, t := range from.tables[1:] {
		if !together(first, t) {
			a, _ := res.Stored(first)
			b, _ := res.Stored(t)
			add(Odd{Kind: OddUnjoined, A: b.Name.String(), B: a.Name.String()})
		}
	}
}

// oddName tells of a text that is the name of a column of the tables that a SELECT reads.
func oddName(res *resolve.Resolution, s *tree.Select, x tree.Expr, add func(Odd)) {
	written, ok := tree.Unparen(x).(*tree.String)
	if !ok {
		return
	}
	for _, t := range fromOf(res, s).all {
		stored, _ := res.Stored(t)
		if _, has := stored.Column(written.Value); has {
			add(Odd{Kind: OddName, A: written.Value})
			return
		}
	}
}

// oddEquality tells of two columns whose keys tell different things apart. Columns of one
// name, and those that are called as the other's table, may be one thing that no key of
// the catalog declares.
func oddEquality(res *resolve.Resolution, b *tree.Binary, add func(Odd)) {
	left, right := res.Origins(b.Left), res.Origins(b.Right)
	if !isReference(b.Left) || !isReference(b.Right) || len(left) != 1 || len(right) != 1 || left[0].Table == right[0].Table {
		return
	}
	x, y := thingsOf(res, left[0]), thingsOf(res, right[0])
	if len(x) == 0 || len(y) == 0 || slices.ContainsFunc(x, func(t string) bool { return slices.Contains(y, t) }) {
		return
	}
	if strings.EqualFold(left[0].Column, right[0].Column) || calledAs(left[0], right[0]) || calledAs(right[0], left[0]) {
		return
	}
	add(Odd{Kind: OddApart, A: b.Left.Span().Text(), B: b.Right.Span().Text()})
}

func isReference(x tree.Expr) bool {
	_, ok := tree.Unparen(x).(*tree.ColumnRef)
	return ok
}

// calledAs reports a column that is called as the table of another: person_id and persons.
func calledAs(column, other resolve.Origin) bool {
	name := strings.ToLower(column.Column)
	for _, ending := range []string{"id", "key", "code", "no", "编号", "号"} {
		name = strings.TrimRight(strings.TrimSuffix(name, ending), "_ ")
	}
	table := strings.ToLower(other.Table.Table)
	return name != "" && (strings.Contains(table, name) || strings.Contains(name, strings.TrimSuffix(table, "s")))
}

// thingsOf are the tables whose rows a column tells apart, by declared keys: its own where
// it is the whole key, and those that it points to.
func thingsOf(res *resolve.Resolution, o resolve.Origin) []string {
	var out []string
	table := storedOf(res, o.Table)
	column := o.Column
	for table != nil && !slices.Contains(out, table.Name.Key()) {
		if key := table.PrimaryKey(); len(key) == 1 && strings.EqualFold(key[0], column) {
			out = append(out, table.Name.Key())
		}
		at := slices.IndexFunc(table.ForeignKeys, func(k catalog.ForeignKey) bool {
			return len(k.Columns) == 1 && len(k.RefColumns) == 1 && strings.EqualFold(k.Columns[0], column)
		})
		if at < 0 {
			break
		}
		k := table.ForeignKeys[at]
		table, column = storedOf(res, k.RefTable), k.RefColumns[0]
		if table == nil { // not read by this statement: its key says what it tells apart
			out = append(out, k.RefTable.Key())
		}
	}
	return out
}

// storedOf is a table of the catalog that a statement reads; nil for others.
func storedOf(res *resolve.Resolution, name catalog.Name) *catalog.Table {
	var found *catalog.Table
	tree.Walk(res.Statement(), func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok && found == nil {
			if stored, known := res.Stored(t); known && stored.Name.Key() == name.Key() {
				found = stored
			}
		}
		return found == nil
	})
	return found
}

// from is the FROM of a SELECT with the conditions that join it.
type from struct {
	res        *resolve.Resolution
	all        []*tree.Table // its stored tables
	tables     []*tree.Table // those of several rows
	using      []*tree.Join
	conditions []tree.Expr
}

func fromOf(res *resolve.Resolution, s *tree.Select) *from {
	f := &from{res: res, conditions: tree.Conjuncts(s.Where)}
	for _, r := range s.From {
		tree.Walk(r, func(n tree.Node) bool {
			switch x := n.(type) {
			case *tree.Query:
				return false
			case *tree.Table:
				if stored, ok := res.Stored(x); ok {
					f.all = append(f.all, x)
					if stored.RowCount != 1 {
						f.tables = append(f.tables, x)
					}
				}
			case *tree.Join:
				f.conditions = append(f.conditions, tree.Conjuncts(x.On)...)
				if len(x.Using) > 0 {
					f.using = append(f.using, x)
				}
			}
			return true
		})
	}
	return f
}

// together says which relations conditions connect, over others too.
func (f *from) together() func(a, b tree.Relation) bool {
	parent := map[tree.Relation]tree.Relation{}
	var root func(r tree.Relation) tree.Relation
	root = func(r tree.Relation) tree.Relation {
		if p, ok := parent[r]; ok {
			return root(p)
		}
		return r
	}
	connect := func(relations []tree.Relation) {
		for _, r := range relations[min(1, len(relations)):] {
			if a, b := root(relations[0]), root(r); a != b {
				parent[b] = a
			}
		}
	}
	for _, c := range f.conditions {
		var read []tree.Relation
		tree.Walk(c, func(n tree.Node) bool {
			if ref, ok := n.(*tree.ColumnRef); ok {
				for _, p := range f.res.Places(ref) {
					read = append(read, p.Relation)
				}
			}
			return true
		})
		connect(read)
	}
	for _, j := range f.using {
		var sides []tree.Relation
		tree.Walk(j, func(n tree.Node) bool {
			if t, ok := n.(tree.Relation); ok {
				sides = append(sides, t)
			}
			_, query := n.(*tree.Query)
			return !query
		})
		connect(sides)
	}
	return func(a, b tree.Relation) bool { return root(a) == root(b) }
}
