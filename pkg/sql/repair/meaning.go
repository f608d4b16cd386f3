package repair

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Meaning is a text that two statements share which read, filter, group, join, show and
// sort the same: names are those of the stored tables and columns, aliases of tables
// and parentheses that change nothing are gone, and so are layout and case. Two
// statements of different texts may still mean the same.
func Meaning(stmt *tree.Statement, res *resolve.Resolution) string {
	number := map[tree.Relation]int{}
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Aliased, *tree.ParenRelation, *tree.Join, *tree.Sampled:
		case tree.Relation:
			number[n] = len(number)
		}
		return true
	})
	plain, err := tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		switch n := n.(type) {
		case *tree.ColumnRef:
			if places := res.Places(n); len(places) > 0 {
				return tree.Col("r"+strconv.Itoa(number[places[0].Relation]), n.Parts[len(n.Parts)-1].Name)
			}
		case *tree.Table:
			if stored, ok := res.Stored(n); ok {
				return tree.TableOf(stored.Name.Region, stored.Name.Schema, stored.Name.Table)
			}
		case *tree.Aliased:
			if len(n.Columns) == 0 {
				return n.Relation
			}
		case *tree.Paren:
			return n.X
		case *tree.Select:
			return positioned(n)
		case *tree.Query:
			if inner, ok := n.Body.(*tree.ParenQuery); ok && n.With == nil && len(n.OrderBy) == 0 && n.Offset == nil && n.Limit == nil {
				return inner.Query
			}
		}
		return n
	})
	if err != nil {
		plain = stmt
	}
	return folded(printer.Format(plain))
}

// positioned is a SELECT with what its numbers in GROUP BY stand for.
func positioned(s *tree.Select) *tree.Select {
	if s.GroupBy == nil {
		return s
	}
	out, groups := *s, *s.GroupBy
	groups.Elements = nil
	for _, e := range s.GroupBy.Elements {
		element := *e
		element.Sets = nil
		for _, set := range e.Sets {
			made := *set
			made.Exprs = nil
			for _, x := range set.Exprs {
				made.Exprs = append(made.Exprs, s.Positioned(x))
			}
			element.Sets = append(element.Sets, &made)
		}
		groups.Elements = append(groups.Elements, &element)
	}
	out.GroupBy = &groups
	return &out
}

// Plain is a text that expressions share which differ in layout, case of names,
// parentheses and the relations that their columns are of.
func Plain(x tree.Expr) string {
	plain, err := tree.Rewrite(&tree.Statement{Query: tree.QueryOf(&tree.Select{Items: []tree.SelectItem{&tree.SelectExpr{Expr: x}}})}, func(n tree.Node) tree.Node {
		switch n := n.(type) {
		case *tree.ColumnRef:
			return tree.Col(n.Parts[len(n.Parts)-1].Name)
		case *tree.Paren:
			return n.X
		}
		return n
	})
	if err != nil {
		return folded(x.Span().Text())
	}
	return folded(printer.Format(plain))
}

// folded is a text in lower case without double quotes, but for what stands in single
// quotes.
func folded(sql string) string {
	var b strings.Builder
	for i, piece := range strings.Split(sql, "'") {
		if i%2 == 1 {
			b.WriteString("'" + piece + "'")
			continue
		}
		b.WriteString(strings.ReplaceAll(strings.ToLower(strings.Join(strings.Fields(piece), " ")), `"`, ""))
	}
	return b.String()
}
