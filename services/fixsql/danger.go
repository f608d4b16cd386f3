package fixsql

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// finding is a danger before it is put into words.
type finding struct {
	code string
	node tree.Node
	args map[string]string
}

// dangers are what is valid and yet seldom meant, in the order of the text.
func (r reader) dangers(stmt *tree.Statement) []Diagnostic {
	var found []finding
	if q := stmt.Query; q.Limit != nil && len(q.OrderBy) == 0 {
		if sel := q.Outermost(); sel == nil || !selectsAggregate(sel) || sel.GroupBy != nil {
			found = append(found, finding{code: "LIMIT_WITHOUT_ORDER", node: q.Limit})
		}
	}
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Select:
			found = append(found, r.joinDangers(n)...)
		case *tree.Binary:
			found = append(found, r.binaryDangers(n)...)
		case *tree.InQuery:
			found = append(found, r.notInDanger(n)...)
		case *tree.Like:
			if p, ok := n.Pattern.(*tree.String); ok && !strings.ContainsAny(p.Value, "%_") {
				found = append(found, finding{"LIKE_WITHOUT_WILDCARD", n, textArg(n)})
			}
		}
		return true
	})
	found = append(found, r.partitionDangers()...)
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(a.node.Span().Start, b.node.Span().Start) })
	out := make([]Diagnostic, 0, len(found))
	for _, f := range found {
		line, column := f.node.Span().Position()
		out = append(out, Diagnostic{Code: f.code, Message: r.say(f.code, f.args), Line: line, Column: column})
	}
	return out
}

func textArg(n tree.Node) map[string]string { return map[string]string{"text": code(n.Span().Text())} }

// binaryDangers: 1 / 2 is 0, and = NULL is never true.
func (r reader) binaryDangers(n *tree.Binary) []finding {
	isNull := func(x tree.Expr) bool { _, ok := x.(*tree.Null); return ok }
	switch {
	case n.Op == tree.OpDiv && r.resolution.TypeOf(n.Left).IsInteger() && r.resolution.TypeOf(n.Right).IsInteger():
		return []finding{{"INTEGER_DIVISION", n, textArg(n)}}
	case (n.Op == tree.OpEq || n.Op == tree.OpNe) && (isNull(n.Left) || isNull(n.Right)):
		return []finding{{"EQUALS_NULL", n, textArg(n)}}
	}
	return nil
}

// notInDanger: a subquery's column may be NULL unless all that it is made from is
// declared NOT NULL, or its query excludes NULL.
func (r reader) notInDanger(n *tree.InQuery) []finding {
	if !n.Not {
		return nil
	}
	outputs := r.resolution.OutputOf(n.Query)
	if len(outputs) != 1 {
		return nil
	}
	if sel := n.Query.Outermost(); sel != nil {
		for _, c := range tree.Conjuncts(sel.Where) {
			if x, ok := c.(*tree.IsNull); ok && x.Not {
				return nil
			}
		}
	}
	safe := len(outputs[0].Sources) > 0
	for _, source := range outputs[0].Sources {
		safe = safe && r.notNull(n.Query, source.Table.Key(), source.Column)
	}
	if safe {
		return nil
	}
	return []finding{{code: "NOT_IN_NULLS", node: n}}
}

// notNull reports whether a stored column that is read below a node is declared
// NOT NULL, or is part of the primary key.
func (r reader) notNull(below tree.Node, table, column string) bool {
	declared := false
	tree.Walk(below, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok {
			if stored, ok := r.resolution.Stored(t); ok && stored.Name.Key() == table {
				c, ok := stored.Column(column)
				declared = ok && (c.NotNull || c.PrimaryKey)
			}
		}
		return !declared
	})
	return declared
}
