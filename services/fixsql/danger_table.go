package fixsql

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// partitionDangers: a partitioned table of which no partition column is bounded by
// predicates, so that all of it is read.
func (r reader) partitionDangers() []finding {
	var found []finding
	for _, read := range r.reads {
		columns := read.Table.PartitionColumns()
		if len(columns) == 0 || slices.ContainsFunc(columns, read.Restricted) {
			continue
		}
		found = append(found, finding{"MISSING_PARTITION_FILTER", read.Node, map[string]string{
			"table": code(read.Table.Name.String()), "columns": code(strings.Join(columns, ", ")),
		}})
	}
	return found
}

// joinDangers: a join that has no condition at all, and one that multiplies rows
// which an aggregate then counts.
func (r reader) joinDangers(sel *tree.Select) []finding {
	var found []finding
	links := equalities(sel.Where)
	for _, from := range sel.From[min(1, len(sel.From)):] {
		if len(links) == 0 { // FROM a, b without a condition that links anything
			found = append(found, finding{"CROSS_JOIN", from, map[string]string{"right": code(from.Span().Text())}})
		}
	}
	for _, from := range sel.From {
		tree.Walk(from, func(n tree.Node) bool {
			j, ok := n.(*tree.Join)
			if !ok {
				_, query := n.(*tree.Query)
				return !query
			}
			on := equalities(j.On)
			right := map[string]string{"right": code(j.Right.Span().Text())}
			switch {
			case j.Natural || len(j.Using) > 0:
			case len(on) == 0 && len(links) == 0 && !isUnnest(j.Right):
				found = append(found, finding{"CROSS_JOIN", j.Right, right})
				return true
			}
			if selectsAdding(sel) {
				found = append(found, r.fanOut(j, append(on, links...), right)...)
			}
			return true
		})
	}
	return found
}

// fanOut: the right side of a join is a stored table with a known key, of which
// the join does not use every column.
func (r reader) fanOut(j *tree.Join, links [][2]*tree.ColumnRef, args map[string]string) []finding {
	stored := r.storedOf(j.Right)
	if stored == nil || len(stored.PrimaryKey()) == 0 {
		return nil
	}
	used := map[string]bool{}
	for _, id := range j.Using {
		used[id.Key()] = true
	}
	for _, link := range links {
		for _, side := range link {
			for _, origin := range r.resolution.Origins(side) {
				if origin.Table.Key() == stored.Name.Key() {
					used[strings.ToLower(origin.Column)] = true
				}
			}
		}
	}
	if j.Natural {
		return nil
	}
	for _, column := range stored.PrimaryKey() {
		if !used[strings.ToLower(column)] {
			args["key"] = code(strings.Join(stored.PrimaryKey(), ", "))
			return []finding{{"JOIN_FAN_OUT", j.Right, args}}
		}
	}
	return nil
}

func (r reader) storedOf(x tree.Relation) *catalog.Table {
	for {
		switch y := x.(type) {
		case *tree.Aliased:
			x = y.Relation
		case *tree.ParenRelation:
			x = y.Relation
		case *tree.Table:
			stored, ok := r.resolution.Stored(y)
			if !ok {
				return nil
			}
			return stored
		default:
			return nil
		}
	}
}

// equalities are the conditions column = column.
func equalities(x tree.Expr) [][2]*tree.ColumnRef {
	var out [][2]*tree.ColumnRef
	for _, c := range tree.Conjuncts(x) {
		b, ok := c.(*tree.Binary)
		if !ok || b.Op != tree.OpEq {
			continue
		}
		left, okLeft := b.Left.(*tree.ColumnRef)
		right, okRight := b.Right.(*tree.ColumnRef)
		if okLeft && okRight {
			out = append(out, [2]*tree.ColumnRef{left, right})
		}
	}
	return out
}

func isUnnest(x tree.Relation) bool {
	if a, ok := x.(*tree.Aliased); ok {
		x = a.Relation
	}
	switch x.(type) {
	case *tree.Unnest, *tree.Lateral:
		return true
	}
	return false
}

// selectsAdding reports an aggregate that counts a row as often as it is there.
func selectsAdding(sel *tree.Select) bool {
	found := false
	for _, item := range sel.Items {
		tree.Walk(item, func(n tree.Node) bool {
			if c, ok := n.(*tree.Call); ok && c.Quantifier != tree.QuantifierDistinct {
				switch c.Name.Key() {
				case "sum", "count", "avg", "count_if":
					found = true
				}
			}
			_, query := n.(*tree.Query)
			return !found && !query
		})
	}
	return found
}
