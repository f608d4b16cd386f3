package trino

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// unknownName mends a name that the resolver did not find, where that is a habit
// of the dialect.
func (s *settler) unknownName(m resolve.Diagnostic) {
	switch n := m.Node.(type) {
	case *tree.ColumnRef:
		if m.Code == resolve.ColumnNotFound {
			s.unknownColumn(n)
		}
	case *tree.Call:
		_, ours := resolve.FunctionKind(n.Name.Key())
		if m.Code == resolve.FunctionNotFound && !ours && s.dialect != DialectUnknown {
			s.t.noAt(n, "the function "+n.Name.String())
		}
	case *tree.Table:
		if m.Code == resolve.TableNotFound {
			s.databaseName(n)
		}
	}
}

// unknownColumn: a name of the SELECT list, a text in double quotes, or a column
// of USING with its table's name.
func (s *settler) unknownColumn(n *tree.ColumnRef) {
	last := n.Parts[len(n.Parts)-1]
	sel := s.selects[n]
	if len(n.Parts) > 1 {
		if sel != nil && usesColumn(sel.From, last) {
			s.replace(n, last.Span().Text(), "using", "a column of USING has no table in Presto")
		}
		return
	}
	if sel != nil {
		if item := aliased(sel, last); item != nil && !within(item, n) {
			text := item.Expr.Span().Text()
			if !simple(item.Expr) {
				text = "(" + text + ")"
			}
			s.replace(n, text, "alias", "a name of the SELECT list is not known in this clause")
			return
		}
	}
	if last.Quoted && s.DoubleQuotes == "either" && (s.dialect != DialectUnknown) {
		s.replace(n, printer.String(last.Name), "string_quotes", "a text has single quotes in Presto")
	}
}

// aliased is the element of the SELECT list with a name.
func aliased(sel *tree.Select, name *tree.Ident) *tree.SelectExpr {
	for _, it := range sel.Items {
		if x, ok := it.(*tree.SelectExpr); ok && x.Alias != nil && x.Alias.Key() == name.Key() {
			return x
		}
	}
	return nil
}

func within(x, node tree.Node) bool {
	found := false
	tree.Walk(x, func(n tree.Node) bool {
		found = found || n == node
		return !found
	})
	return found
}

// simple reports an expression that needs no parentheses anywhere.
func simple(x tree.Expr) bool {
	switch x.(type) {
	case *tree.ColumnRef, *tree.Call, *tree.Number, *tree.String, *tree.Cast, *tree.Paren, *tree.Case, *tree.Extract:
		return true
	}
	return false
}

// usesColumn reports whether a USING of FROM names a column.
func usesColumn(relations []tree.Relation, name *tree.Ident) bool {
	found := false
	for _, r := range relations {
		tree.Walk(r, func(n tree.Node) bool {
			if j, ok := n.(*tree.Join); ok {
				for _, c := range j.Using {
					found = found || c.Key() == name.Key()
				}
			}
			_, query := n.(*tree.Query)
			return !query
		})
	}
	return found
}

// bareColumn: a column beside an aggregate that is not in GROUP BY. SQLite takes
// it from the row of the only max or min; MySQL from any row; PostgreSQL allows it
// where the group has one value.
func (s *settler) bareColumn(n *tree.ColumnRef) {
	if s.t.opt.KeepGroups || s.dialect == DialectUnknown {
		return
	}
	const message = "a column beside an aggregate has to be grouped by, or be one value of the group, in Presto"
	sel := s.selects[n]
	if sel == nil {
		return
	}
	before, after := "arbitrary(", ")"
	if name, of, ok := s.onlyExtreme(sel); ok && s.dialect == DialectSQLite {
		before, after = name+"(", ", "+of+")"
	}
	for _, ref := range s.sorted(sel, n) {
		s.wrap(ref, before, after, "bare_column", message)
	}
	for _, it := range sel.Items { // the column keeps its name
		if x, ok := it.(*tree.SelectExpr); ok && x.Expr == tree.Expr(n) && x.Alias == nil {
			after += " AS " + n.Parts[len(n.Parts)-1].Span().Text()
		}
	}
	s.wrap(n, before, after, "bare_column", message)
	if s.BareGroup && before == "arbitrary(" {
		s.warnLast("which row of the group " + n.Span().Text() + " comes from is not known, unless it is the same in all of them")
	}
}

// sorted are the places in ORDER BY of a SELECT that name the same column.
func (s *settler) sorted(sel *tree.Select, column *tree.ColumnRef) []*tree.ColumnRef {
	var out []*tree.ColumnRef
	tree.Walk(s.stmt, func(n tree.Node) bool {
		q, ok := n.(*tree.Query)
		if !ok || q.Body != tree.QueryBody(sel) {
			return true
		}
		for _, item := range q.OrderBy {
			tree.Walk(item, func(n tree.Node) bool {
				if ref, ok := n.(*tree.ColumnRef); ok && len(ref.Parts) > 1 && strings.EqualFold(ref.Span().Text(), column.Span().Text()) {
					out = append(out, ref)
				}
				call, ok := n.(*tree.Call)
				if !ok {
					return true
				}
				kind, _ := resolve.FunctionKind(call.Name.Key())
				return kind != resolve.KindAggregate
			})
		}
		return true
	})
	return out
}

// onlyExtreme finds the only max or min of a SELECT.
func (s *settler) onlyExtreme(sel *tree.Select) (name, of string, ok bool) {
	count := 0
	for _, it := range sel.Items {
		tree.Walk(it, func(n tree.Node) bool {
			if c, isCall := n.(*tree.Call); isCall && c.Over == nil && len(c.Args) == 1 {
				switch c.Name.Key() {
				case "max", "min":
					count++
					name, of = c.Name.Key()+"_by", c.Args[0].Span().Text()
				}
			}
			_, query := n.(*tree.Query)
			return !query
		})
	}
	return name, of, count == 1
}

// databaseName: MySQL writes database.table, DuckDB catalog.table, where Presto
// has a schema between.
func (s *settler) databaseName(n *tree.Table) {
	scope := s.t.opt.Scope
	if len(n.Name.Parts) != 2 || scope.Catalog == nil || !strings.EqualFold(n.Name.Parts[0].Name, scope.DefaultRegion) {
		return
	}
	table := n.Name.Parts[1]
	if _, ok := scope.Catalog.Lookup(catalog.Name{Region: scope.DefaultRegion, Schema: scope.DefaultSchema, Table: table.Name}); ok {
		s.replace(n.Name, printer.Ident(scope.DefaultSchema)+"."+table.Span().Text(), "database", "the first part is a schema in Presto")
	}
}
