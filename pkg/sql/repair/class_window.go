package repair

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// windowEdits take windows out of WHERE: the rows are ranked in a subquery, and the
// condition is put on its result. The conditions without a window stay inside, because
// WHERE chooses the rows that a window sees.
func windowEdits(_ *engine, now *reading) []edit {
	var edits []edit
	queries := map[*tree.Select]*tree.Query{}
	tree.Walk(now.stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			if sel, ok := n.Body.(*tree.Select); ok {
				queries[sel] = n
			}
		case *tree.Select:
			wrong := slices.ContainsFunc(now.diagnostics, func(d resolve.Diagnostic) bool {
				return d.Code == resolve.ExpressionNotScalar && n.Where != nil && d.Node == tree.Node(n.Where)
			})
			if wrong && holdsWindow(n.Where) {
				if made := now.ranked(n, queries[n]); made != nil {
					edits = append(edits, made...)
					return false
				}
			}
		}
		return true
	})
	return edits
}

// ranked wraps a SELECT so that its windows are columns. nil where that would take more
// than it can know: groups, names that are not clear, columns that the list lacks.
func (now *reading) ranked(sel *tree.Select, q *tree.Query) []edit {
	if sel.GroupBy != nil || sel.Having != nil || len(sel.Windows) > 0 || sel.Quantifier != "" || len(sel.From) == 0 {
		return nil
	}
	names, aliases, ok := now.listNames(sel, q)
	if !ok {
		return nil
	}
	inner, outer := []string{}, []string{}
	extra := []string{}
	called := map[string]string{} // window's text -> its column
	for _, item := range sel.Items {
		if x, ok := item.(*tree.SelectExpr); ok && x.Alias != nil {
			called[x.Expr.Span().Text()] = printer.Ident(x.Alias.Name)
		}
	}
	for _, c := range tree.Conjuncts(sel.Where) {
		if !holdsWindow(c) {
			inner = append(inner, c.Span().Text())
			continue
		}
		text, added, ok := windowsNamed(c, called, names)
		if !ok {
			return nil
		}
		extra, outer = append(extra, added...), append(outer, text)
	}
	if q != nil && q.Body == tree.QueryBody(sel) && !plainKeys(q.OrderBy, names) {
		return nil
	}
	const class = "window_condition"
	edits := []edit{{start: sel.Span().Start, end: sel.Span().Start, text: "SELECT " + strings.Join(names, ", ") + " FROM (", class: class, certainty: 0.93}}
	for at, alias := range aliases {
		edits = append(edits, edit{start: at, end: at, text: " AS " + alias, class: class, certainty: 0.93})
	}
	if len(extra) > 0 {
		at := sel.Items[len(sel.Items)-1].Span().End
		edits = append(edits, edit{start: at, end: at, text: ", " + strings.Join(extra, ", "), class: class, certainty: 0.93})
	}
	where := ""
	if len(inner) > 0 {
		where = " WHERE " + strings.Join(inner, " AND ")
	}
	return append(edits, edit{
		start: sel.From[len(sel.From)-1].Span().End, end: sel.Where.Span().End, class: class, certainty: 0.93,
		text: where + ") WHERE " + strings.Join(outer, " AND "),
	})
}

// listNames are the names of the columns of a SELECT, quoted where they have to be, and
// the aliases to write, by the place behind the expression, for those without a name.
func (now *reading) listNames(sel *tree.Select, q *tree.Query) (names []string, aliases map[int]string, ok bool) {
	aliases = map[int]string{}
	add := func(name string) bool {
		if name == "" || containsFold(names, printer.Ident(name)) {
			return false
		}
		names = append(names, printer.Ident(name))
		return true
	}
	for i, item := range sel.Items {
		x, plain := item.(*tree.SelectExpr)
		if !plain {
			if q == nil || len(sel.Items) > 1 {
				return nil, nil, false
			}
			for _, o := range now.resolution.OutputOf(q) {
				if !add(o.Name) {
					return nil, nil, false
				}
			}
			continue
		}
		var name string
		switch ref, column := x.Expr.(*tree.ColumnRef); {
		case x.Alias != nil:
			name = x.Alias.Name
		case column:
			name = ref.Parts[len(ref.Parts)-1].Name
		default:
			name = "column_" + strconv.Itoa(i+1)
			if i == len(sel.Items)-1 {
				return nil, nil, false // the added columns would stand at the same place
			}
			aliases[x.Expr.Span().End] = name
		}
		if !add(name) {
			return nil, nil, false
		}
	}
	return names, aliases, len(names) > 0
}

// windowsNamed writes a condition with the names of its windows, and the items that give
// them those names. called is added to.
func windowsNamed(c tree.Expr, called map[string]string, names []string) (text string, added []string, ok bool) {
	type piece struct {
		start, end int
		text       string
	}
	var pieces []piece
	ok = true
	tree.Walk(c, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Call:
			if n.Over == nil {
				return true
			}
			span := n.Span()
			name, known := called[span.Text()]
			if !known {
				base := n.Name.Key() + "_" + strconv.Itoa(len(called)+1)
				name = printer.Ident(base)
				if containsFold(names, name) {
					ok = false
				}
				called[span.Text()] = name
				added = append(added, span.Text()+" AS "+name)
			}
			pieces = append(pieces, piece{span.Start, span.End, name})
			return false
		case *tree.ColumnRef:
			last := n.Parts[len(n.Parts)-1]
			if !containsFold(names, printer.Ident(last.Name)) {
				ok = false
			}
			pieces = append(pieces, piece{n.Span().Start, n.Span().End, printer.Ident(last.Name)})
		case *tree.Query:
			ok = false
		}
		return ok
	})
	span := c.Span()
	var b strings.Builder
	at := span.Start
	whole := span.Text()
	for _, p := range pieces {
		b.WriteString(whole[at-span.Start : p.start-span.Start])
		b.WriteString(p.text)
		at = p.end
	}
	b.WriteString(whole[at-span.Start:])
	return b.String(), added, ok
}

// plainKeys reports whether an ORDER BY has numbers and names of the result alone.
func plainKeys(keys []*tree.SortItem, names []string) bool {
	for _, k := range keys {
		switch x := k.Expr.(type) {
		case *tree.Number:
		case *tree.ColumnRef:
			if len(x.Parts) != 1 || !containsFold(names, printer.Ident(x.Parts[0].Name)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// qualifyEdits write QUALIFY, which other dialects have for conditions on windows, as a
// condition that windowEdits then takes apart.
func qualifyEdits(text string) []edit {
	words := parser.Words(text)
	depth, where := 0, map[int]int{} // by depth: where the condition of WHERE begins
	for i, w := range words {
		word := text[w.Start:w.End]
		switch {
		case word == "(":
			depth++
			delete(where, depth)
		case word == ")":
			depth--
		case strings.EqualFold(word, "SELECT"):
			delete(where, depth)
		case strings.EqualFold(word, "GROUP"), strings.EqualFold(word, "HAVING"):
			where[depth] = -1
		case strings.EqualFold(word, "WHERE"):
			where[depth] = w.End
		case strings.EqualFold(word, "QUALIFY") && i > 0 && i+1 < len(words):
			begins, filtered := where[depth]
			if begins < 0 {
				return nil // of groups
			}
			e := edit{start: w.Start, end: w.End, text: "WHERE", class: "qualify", certainty: 0.95}
			if !filtered {
				return []edit{e}
			}
			condition := strings.TrimSpace(text[begins:w.Start])
			first := begins + strings.Index(text[begins:], condition)
			e.start, e.end, e.text = first, w.End, "("+condition+") AND"
			return []edit{e}
		}
	}
	return nil
}
