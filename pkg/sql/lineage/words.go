package lineage

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// words says a condition in English; what has no words is its SQL.
func words(x tree.Expr) string {
	not := func(negated bool, yes, no string) string {
		if negated {
			return no
		}
		return yes
	}
	switch x := x.(type) {
	case *tree.Binary:
		if x.Op == tree.OpAnd {
			return words(x.Left) + " and " + words(x.Right)
		}
		if phrase, ok := comparisons()[x.Op]; ok {
			return text(x.Left) + " " + phrase + " " + text(x.Right)
		}
	case *tree.Between:
		return text(x.X) + not(x.Not, " is between ", " is not between ") + text(x.Low) + " and " + text(x.High)
	case *tree.InList:
		items := make([]string, len(x.List))
		for i, item := range x.List {
			items[i] = text(item)
		}
		return text(x.X) + not(x.Not, " is one of ", " is none of ") + strings.Join(items, ", ")
	case *tree.IsNull:
		return text(x.X) + not(x.Not, " is missing", " is not missing")
	case *tree.Like:
		return text(x.X) + not(x.Not, " matches ", " does not match ") + text(x.Pattern)
	case *tree.InQuery:
		return text(x.X) + not(x.Not, " is among ", " is not among ") + values(x.Query)
	case *tree.Exists:
		return "there is a matching row in " + rows(x.Query)
	case *tree.Not:
		if e, ok := x.X.(*tree.Exists); ok {
			return "there is no matching row in " + rows(e.Query)
		}
		return "not: " + words(x.X)
	case *tree.Paren:
		return words(x.X)
	}
	return text(x)
}

// chinese says a condition in Chinese: what looks into a subquery in words, and all else as SQL, which is shorter
// than its words would be.
func chinese(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.Binary:
		if x.Op == tree.OpAnd {
			return chinese(x.Left) + "，且 " + chinese(x.Right)
		}
	case *tree.InQuery:
		among := " 在"
		if x.Not {
			among = " 不在"
		}
		return text(x.X) + among + "子查询的结果之中"
	case *tree.Exists:
		return "在" + rowsInChinese(x.Query) + "中有对应的记录"
	case *tree.Not:
		if e, ok := x.X.(*tree.Exists); ok {
			return "在" + rowsInChinese(e.Query) + "中没有对应的记录"
		}
	case *tree.Paren:
		return chinese(x.X)
	}
	return text(x)
}

func rowsInChinese(q *tree.Query) string {
	tables, conditions := read(q)
	if len(tables) == 0 {
		return "子查询"
	}
	out := " " + strings.Join(tables, "、") + " "
	if len(conditions) == 0 {
		return out
	}
	parts := make([]string, len(conditions))
	for i, c := range conditions {
		parts[i] = chinese(c)
	}
	return out + "（" + strings.Join(parts, "，且 ") + "）"
}

// rows says which rows a subquery reads: its tables and its conditions.
func rows(q *tree.Query) string {
	tables, conditions := read(q)
	if len(tables) == 0 {
		return "a subquery"
	}
	out := strings.Join(tables, " and ")
	for i, c := range conditions {
		out += map[bool]string{true: " with ", false: " and "}[i == 0] + words(c)
	}
	return out
}

// read are the tables of a subquery and its conditions, without those that only tie columns together; no tables
// where it is more than rows of tables.
func read(q *tree.Query) (tables []string, conditions []tree.Expr) {
	s, ok := q.Body.(*tree.Select)
	if !ok || q.With != nil || s.GroupBy != nil || s.Having != nil {
		return nil, nil
	}
	for _, relation := range s.From {
		tree.Walk(relation, func(n tree.Node) bool {
			if t, ok := n.(*tree.Table); ok {
				tables = append(tables, t.Name.Parts[len(t.Name.Parts)-1].Name)
			}
			return true
		})
	}
	for _, c := range tree.Conjuncts(s.Where) {
		if !ties(c) {
			conditions = append(conditions, c)
		}
	}
	return tables, conditions
}

// values says what a subquery of one column gives.
func values(q *tree.Query) string {
	of := rows(q)
	if s, ok := q.Body.(*tree.Select); ok && len(s.Items) == 1 && q.Limit == nil {
		if e, ok := s.Items[0].(*tree.SelectExpr); ok {
			return "the values of " + text(e.Expr) + " in " + of
		}
	}
	return "the values of a subquery"
}

// ties says whether a condition only says that two columns are the same.
func ties(x tree.Expr) bool {
	b, ok := x.(*tree.Binary)
	if !ok || b.Op != tree.OpEq {
		return false
	}
	return column(b.Left) && column(b.Right)
}

func column(x tree.Expr) bool {
	_, ok := x.(*tree.ColumnRef)
	return ok
}

// text is an expression as SQL on one line.
func text(x tree.Expr) string { return lang.OneLine(printer.Format(x)) }

func comparisons() map[string]string {
	return map[string]string{
		tree.OpEq: "is", tree.OpNe: "is not", tree.OpLt: "is less than", tree.OpLe: "is at most",
		tree.OpGt: "is more than", tree.OpGe: "is at least",
	}
}
