package duckdb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// orderBy writes the elements of a query's ORDER BY. An alias of the SELECT list
// hides a column of FROM, in expressions too: DuckDB would take the column.
func (e *emitter) orderBy(q *tree.Query) string {
	s, ok := q.Body.(*tree.Select)
	if !ok {
		return join(q.OrderBy, ", ", e.sortItem)
	}
	aliases := aliasesOf(s)
	return join(q.OrderBy, ", ", func(item *tree.SortItem) string {
		if _, plain := tree.Unparen(item.Expr).(*tree.ColumnRef); !plain {
			e.aliases = aliases
			defer func() { e.aliases = nil }()
		}
		return e.sortItem(item)
	})
}

// aliasesOf returns the expressions of a SELECT list that have an alias.
func aliasesOf(s *tree.Select) map[string]tree.Expr {
	aliases := map[string]tree.Expr{}
	for _, item := range s.Items {
		if x, ok := item.(*tree.SelectExpr); ok && x.Alias != nil {
			aliases[x.Alias.Key()] = x.Expr
		}
	}
	return aliases
}

// unaliased writes what an alias stands for; there are no aliases in it.
func (e *emitter) unaliased(x tree.Expr) string {
	aliases := e.aliases
	e.aliases = nil
	defer func() { e.aliases = aliases }()
	return "(" + e.expr(x) + ")"
}

// sortItem writes where nulls go: Presto puts them last in both directions.
func (e *emitter) sortItem(s *tree.SortItem) string {
	text := e.expr(s.Expr)
	if t := e.typeOf(s.Expr); len(t.Args) > 0 {
		text = e.orderable(s, text, t)
	}
	return text + direction(s)
}

func direction(s *tree.SortItem) string {
	text := " ASC"
	if s.Desc {
		text = " DESC"
	}
	if s.Nulls == "FIRST" {
		return text + " NULLS FIRST"
	}
	return text + " NULLS LAST"
}

// withTies writes FETCH FIRST n ROWS WITH TIES: the rows up to rank n. The body
// gets the keys of the order as columns more, which are taken away again.
func (e *emitter) withTies(q *tree.Query) string {
	body, keys := e.bodyWithKeys(q)
	order, columns := make([]string, keys), make([]string, keys)
	for i := range keys {
		columns[i] = keyName(i)
		order[i] = columns[i] + direction(q.OrderBy[i])
	}
	by := " ORDER BY " + strings.Join(order, ", ")
	body = "SELECT *, row_number() OVER () AS presto_n FROM (" + body + ")" // rows of one rank stay in order
	if q.Offset != nil {
		body = "SELECT * FROM (" + body + ")" + by + ", presto_n OFFSET " + e.expr(q.Offset)
	}
	count := "1"
	if q.Limit.Count != nil {
		count = e.expr(q.Limit.Count)
	}
	return "SELECT * EXCLUDE (" + strings.Join(columns, ", ") + ", presto_n) FROM (" + body + ") QUALIFY rank() OVER (" + strings.TrimPrefix(by, " ") + ") <= " + count + by + ", presto_n"
}

func keyName(i int) string { return fmt.Sprintf("presto_k%d", i+1) }

// bodyWithKeys writes a query's body with the keys of its ORDER BY behind its
// columns, and returns how many there are.
func (e *emitter) bodyWithKeys(q *tree.Query) (body string, n int) {
	out := e.r.OutputOf(q)
	s, isSelect := q.Body.(*tree.Select)
	keys := make([]string, len(q.OrderBy))
	for i, item := range q.OrderBy {
		position := 0
		if number, ok := tree.Unparen(item.Expr).(*tree.Number); ok {
			position, _ = strconv.Atoi(number.Text) // the resolver has read it
		}
		switch {
		case isSelect && position > 0:
			if position > len(s.Items) {
				return e.no(item, "WITH TIES by a column of *"), 0
			}
			x, ok := s.Items[position-1].(*tree.SelectExpr)
			if !ok {
				return e.no(item, "WITH TIES by a column of *"), 0
			}
			keys[i] = e.expr(x.Expr)
		case isSelect:
			e.aliases = aliasesOf(s)
			keys[i] = e.expr(item.Expr)
			e.aliases = nil
		case position > 0 && position <= len(out) && out[position-1].Name != "":
			keys[i] = printer.Quote(out[position-1].Name)
		case position > 0:
			return e.no(item, "WITH TIES by a column without name"), 0
		default:
			keys[i] = e.expr(item.Expr)
		}
		if len(e.typeOf(item.Expr).Args) > 0 {
			return e.no(item, "WITH TIES by a %s", e.typeOf(item.Expr)), 0
		}
		keys[i] += " AS " + keyName(i)
	}
	list := strings.Join(keys, ", ")
	if !isSelect {
		return "SELECT *, " + list + " FROM (" + e.body(q.Body) + ")", len(keys)
	}
	e.extra[s] = list
	return e.body(s), len(keys)
}
