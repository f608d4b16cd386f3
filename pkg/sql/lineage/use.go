package lineage

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Role is what a query uses a column for.
type Role string

// Roles of columns.
const (
	RoleOutput Role = "output" // of any SELECT, subqueries too
	RoleFilter Role = "filter"
	RoleJoin   Role = "join"
	RoleGroup  Role = "group"
	RoleOrder  Role = "order"
)

// Use is a stored column and its roles, each once, in order of appearance.
type Use struct {
	Column resolve.Origin
	Roles  []Role
}

// Filter is one condition.
type Filter struct {
	Clause string // "WHERE" or "HAVING"
	SQL    string // as written
	Text   string // in words, English
	// Chinese tells it in Chinese: in words where it looks into a subquery, else as SQL on one line.
	Chinese string
	Columns []resolve.Origin
	// Within: it stands in a subquery of another condition, whose Text tells it.
	Within bool
}

// Join is a join, or a comma between tables with the conditions of WHERE that join
// them.
type Join struct {
	Kind tree.JoinKind
	SQL  string // of the condition, as written; empty for CROSS
	Text string // in words, English
	// Keys are pairs of stored columns that have to be equal.
	Keys [][2]resolve.Origin
}

// reader collects uses, filters and joins SELECT by SELECT.
type reader struct {
	resolution *resolve.Resolution
	uses       map[resolve.Origin]int // index in list
	list       []Use
	filters    []Filter
	joins      []Join
	within     map[*tree.Select]bool // those in conditions of others
}

func (r *reader) selectBody(s *tree.Select) {
	for _, item := range s.Items {
		r.use(item, RoleOutput)
	}
	for _, places := range r.resolution.Passed(s) { // what stars pass on
		for _, p := range places {
			if t, ok := p.Relation.(*tree.Table); ok {
				if stored, ok := r.resolution.Stored(t); ok && p.Index < len(stored.Columns) {
					r.note(resolve.Origin{Table: stored.Name, Column: stored.Columns[p.Index].Name}, RoleOutput)
				}
			}
		}
	}
	for _, rel := range s.From {
		r.relation(rel)
	}
	r.conditions(s, "WHERE", s.Where)
	for _, x := range s.Groups() {
		r.use(x, RoleGroup)
	}
	r.conditions(s, "HAVING", s.Having)
}

// use notes the columns of a node, those of its subqueries aside.
func (r *reader) use(n tree.Node, role Role) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			return false
		case *tree.SortItem:
			if role == RoleOutput {
				r.use(n.Expr, RoleOrder)
				return false
			}
		case *tree.ColumnRef:
			for _, o := range r.resolution.Origins(n) {
				r.note(o, role)
			}
		}
		return true
	})
}

func (r *reader) note(o resolve.Origin, role Role) {
	i, known := r.uses[o]
	if !known {
		i = len(r.list)
		r.uses[o] = i
		r.list = append(r.list, Use{Column: o})
	}
	if !slices.Contains(r.list[i].Roles, role) {
		r.list[i].Roles = append(r.list[i].Roles, role)
	}
}

func (r *reader) relation(rel tree.Relation) {
	tree.Walk(rel, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query: // Of comes to it
			return false
		case *tree.Join:
			r.join(n)
		}
		return true
	})
}

func (r *reader) join(j *tree.Join) {
	out := Join{Kind: j.Kind}
	for _, id := range j.Using {
		if out.SQL != "" {
			out.SQL, out.Text = out.SQL+", ", out.Text+", "
		}
		out.SQL += printer.Print(id)
		out.Text += id.Name + " is the same on both sides"
	}
	if len(j.Using) > 0 {
		out.SQL = "USING (" + out.SQL + ")"
		out.Keys = slices.Clone(r.resolution.Merged(j))
		for _, pair := range out.Keys {
			r.note(pair[0], RoleJoin)
			r.note(pair[1], RoleJoin)
		}
	}
	if j.On != nil {
		out.SQL, out.Text = printer.Print(j.On), words(j.On)
		for _, x := range tree.Conjuncts(j.On) {
			r.use(x, RoleJoin)
			if key, ok := r.key(x); ok {
				out.Keys = append(out.Keys, key)
			}
		}
	}
	r.joins = append(r.joins, out)
}

// conditions notes the parts of a condition. An equality between columns of two
// tables in WHERE is a join.
func (r *reader) conditions(s *tree.Select, clause string, x tree.Expr) {
	if x != nil {
		tree.Walk(x, func(n tree.Node) bool {
			if inner, ok := n.(*tree.Select); ok {
				r.within[inner] = true
			}
			return true
		})
	}
	for _, c := range tree.Conjuncts(x) {
		if key, ok := r.key(c); ok && clause == "WHERE" && key[0].Table != key[1].Table {
			r.use(c, RoleJoin)
			r.joins = append(r.joins, Join{Kind: tree.JoinInner, SQL: printer.Print(c), Text: words(c), Keys: [][2]resolve.Origin{key}})
			continue
		}
		r.use(c, RoleFilter)
		r.filters = append(r.filters, Filter{Clause: clause, SQL: printer.Print(c), Text: words(c), Chinese: chinese(c), Columns: r.columns(c), Within: r.within[s]})
	}
}

func (r *reader) columns(x tree.Expr) []resolve.Origin {
	var out []resolve.Origin
	tree.Walk(x, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok {
			for _, o := range r.resolution.Origins(ref) {
				if !slices.Contains(out, o) {
					out = append(out, o)
				}
			}
		}
		_, query := n.(*tree.Query)
		return !query
	})
	return out
}

// key returns the stored columns that an equality compares.
func (r *reader) key(x tree.Expr) (pair [2]resolve.Origin, ok bool) {
	b, ok := tree.Unparen(x).(*tree.Binary)
	if !ok || b.Op != tree.OpEq {
		return pair, false
	}
	for i, side := range []tree.Expr{b.Left, b.Right} {
		ref, ok := tree.Unparen(side).(*tree.ColumnRef)
		if !ok {
			return pair, false
		}
		origins := r.resolution.Origins(ref)
		if len(origins) != 1 || len(r.resolution.Places(ref)) == 0 {
			return pair, false
		}
		pair[i] = origins[0]
	}
	return pair, true
}
