package lineage

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// GrainKind says what a row of a result stands for.
type GrainKind string

// Kinds of grain.
const (
	GrainUnknown  GrainKind = ""
	GrainRow      GrainKind = "row"      // a row of Table
	GrainGroup    GrainKind = "group"    // a combination of Keys
	GrainDistinct GrainKind = "distinct" // a combination of the result's own columns
	GrainOne      GrainKind = "one"      // everything: one row
	GrainMatch    GrainKind = "match"    // a matching combination of rows of Tables
	GrainCombined GrainKind = "combined" // a row of a set operation
)

// Grain is what one row of a result stands for.
type Grain struct {
	Kind GrainKind
	// Table is set for GrainRow: joins that find at most one row of the other tables,
	// because they compare the whole primary key, do not multiply its rows.
	Table  catalog.Name
	Tables []catalog.Name // for GrainMatch
	// Keys are the primary key of Table where it is known, or the grouping
	// expressions as written.
	Keys []string
	// Subtotals is set where grouping sets put rows for parts of Keys among the others.
	Subtotals bool
}

// String says the grain in English.
func (g Grain) String() string {
	switch g.Kind {
	case GrainRow:
		text := "one row of " + g.Table.String()
		if len(g.Keys) > 0 {
			text += " (" + strings.Join(g.Keys, ", ") + ")"
		}
		return text
	case GrainGroup:
		text := "one row for each " + strings.Join(g.Keys, ", ")
		if g.Subtotals {
			text += ", with subtotals"
		}
		return text
	case GrainDistinct:
		return "one distinct combination of the columns"
	case GrainOne:
		return "one row for everything"
	case GrainMatch:
		names := make([]string, len(g.Tables))
		for i, t := range g.Tables {
			names[i] = t.String()
		}
		return "one matching combination of rows of " + strings.Join(names, " and ")
	case GrainCombined:
		return "one row of a combined result"
	}
	return "not known"
}

func grainOf(r *resolve.Resolution, q *tree.Query) Grain {
	s := q.Outermost()
	if s == nil {
		if _, ok := q.Body.(*tree.SetOp); ok {
			return Grain{Kind: GrainCombined}
		}
		return Grain{}
	}
	if s.GroupBy != nil {
		g := Grain{Kind: GrainGroup}
		for _, x := range s.Groups() {
			if text := printer.Print(x); !slices.Contains(g.Keys, text) {
				g.Keys = append(g.Keys, text)
			}
		}
		for _, e := range s.GroupBy.Elements {
			g.Subtotals = g.Subtotals || e.Kind != tree.GroupingSimple
		}
		return g
	}
	for _, item := range s.Items {
		if _, aggregate := calls(item); aggregate || s.Having != nil {
			return Grain{Kind: GrainOne}
		}
	}
	if s.Quantifier == tree.QuantifierDistinct {
		return Grain{Kind: GrainDistinct}
	}
	return fromGrain(r, s, q.With)
}

// fromGrain is the grain of a SELECT that passes on the rows of its FROM clause.
func fromGrain(r *resolve.Resolution, s *tree.Select, with *tree.With) Grain {
	var out Grain
	for i, rel := range s.From {
		g := relationGrain(r, rel, with)
		if i == 0 {
			out = g
			continue
		}
		out = matched(out, g, keyed(r, rel, tree.Conjuncts(s.Where)))
	}
	return out
}

func relationGrain(r *resolve.Resolution, rel tree.Relation, with *tree.With) Grain {
	switch rel := rel.(type) {
	case *tree.Aliased:
		return relationGrain(r, rel.Relation, with)
	case *tree.ParenRelation:
		return relationGrain(r, rel.Relation, with)
	case *tree.Sampled:
		return relationGrain(r, rel.Relation, with)
	case *tree.Derived:
		return grainOf(r, rel.Query)
	case *tree.Table:
		if stored, ok := r.Stored(rel); ok {
			return Grain{Kind: GrainRow, Table: stored.Name, Keys: stored.PrimaryKey()}
		}
		if with != nil && !with.Recursive {
			for i, t := range with.Queries {
				if len(rel.Name.Parts) == 1 && t.Name.Key() == rel.Name.Parts[0].Key() {
					return grainOf(r, visible(t.Query, with, i))
				}
			}
		}
	case *tree.Join:
		left, right := relationGrain(r, rel.Left, with), relationGrain(r, rel.Right, with)
		switch {
		case (rel.Kind == tree.JoinInner || rel.Kind == tree.JoinLeft) && unique(r, rel, rel.Right):
			return left
		case (rel.Kind == tree.JoinInner || rel.Kind == tree.JoinRight) && unique(r, rel, rel.Left):
			return right
		}
		return matched(left, right, false)
	}
	return Grain{}
}

// visible lends a query of WITH the queries before it, which it can name.
func visible(q *tree.Query, with *tree.With, before int) *tree.Query {
	if q.With != nil || before == 0 {
		return q
	}
	c := *q
	w := *with
	w.Queries = with.Queries[:before]
	c.With = &w
	return &c
}

// matched is the grain of two relations side by side.
func matched(a, b Grain, uniqueB bool) Grain {
	switch {
	case uniqueB:
		return a
	case a.Kind == GrainOne:
		return b
	case b.Kind == GrainOne:
		return a
	}
	tables := append(a.all(), b.all()...)
	if len(tables) < 2 {
		return Grain{}
	}
	return Grain{Kind: GrainMatch, Tables: tables}
}

func (g Grain) all() []catalog.Name {
	switch g.Kind {
	case GrainRow:
		return []catalog.Name{g.Table}
	case GrainMatch:
		return slices.Clone(g.Tables)
	}
	return nil
}

// unique reports whether a join finds at most one row of its side.
func unique(r *resolve.Resolution, j *tree.Join, side tree.Relation) bool {
	if len(j.Using) == 0 {
		return keyed(r, side, tree.Conjuncts(j.On))
	}
	table := storedLeaf(r, side)
	if table == nil {
		return false
	}
	names := make([]string, 0, len(j.Using))
	for _, id := range j.Using {
		names = append(names, id.Key())
	}
	return covers(table, names)
}

// keyed reports whether conditions compare the whole primary key of a relation,
// which is one stored table, with something else.
func keyed(r *resolve.Resolution, rel tree.Relation, conditions []tree.Expr) bool {
	table := storedLeaf(r, rel)
	if table == nil {
		return false
	}
	var names []string
	for _, c := range conditions {
		b, ok := tree.Unparen(c).(*tree.Binary)
		if !ok || b.Op != tree.OpEq {
			continue
		}
		for i, side := range []tree.Expr{b.Left, b.Right} {
			other := []tree.Expr{b.Right, b.Left}[i]
			if column, ok := columnOf(r, rel, side); ok && !mentions(r, rel, other) {
				names = append(names, strings.ToLower(table.Columns[column].Name))
			}
		}
	}
	return covers(table, names)
}

func covers(table *catalog.Table, names []string) bool {
	key := table.PrimaryKey()
	for _, k := range key {
		if !slices.Contains(names, strings.ToLower(k)) {
			return false
		}
	}
	return len(key) > 0
}

// storedLeaf returns the stored table that a relation is, under whatever alias.
func storedLeaf(r *resolve.Resolution, rel tree.Relation) *catalog.Table {
	if t, ok := leaf(rel).(*tree.Table); ok {
		if stored, ok := r.Stored(t); ok {
			return stored
		}
	}
	return nil
}

func leaf(rel tree.Relation) tree.Relation {
	for {
		switch inner := rel.(type) {
		case *tree.Aliased:
			rel = inner.Relation
		case *tree.ParenRelation:
			rel = inner.Relation
		default:
			return rel
		}
	}
}

func columnOf(r *resolve.Resolution, rel tree.Relation, x tree.Expr) (int, bool) {
	for _, p := range r.Places(x) {
		if p.Relation == leaf(rel) {
			return p.Index, true
		}
	}
	return 0, false
}

func mentions(r *resolve.Resolution, rel tree.Relation, x tree.Expr) bool {
	found := false
	tree.Walk(x, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok {
			_, own := columnOf(r, rel, ref)
			found = found || own
		}
		return !found
	})
	return found
}
