package eval

import (
	"math/rand/v2"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Slips are mistakes of the kinds that models make in SQL: a column of another table, the
// name of a table for its alias, a join that is missing, a condition of groups among those
// of rows, a missing GROUP BY, a text in double quotes, habits of other dialects, a column
// without its table, a column under another form of its name, an aggregate of an aggregate.

// slipKind begins the kinds of slips.
const slipKind = "slip."

// slipOf is a kind of slip. make returns the texts that it could make of a statement.
type slipOf struct {
	name string
	make func(s *sound) []string
}

// sound is a statement that is right.
type sound struct {
	text       string
	stmt       *tree.Statement
	resolution *resolve.Resolution
}

// slips are the kinds, in a fixed order.
var slips = []slipOf{
	{"qualifier", otherQualifier}, {"alias", tableForAlias}, {"join", missingJoin}, {"having", havingInWhere}, {"group", missingGroup},
	{"quotes", doubleQuotes}, {"dialect", otherDialect}, {"bare", bareColumn}, {"form", otherForm}, {"nested", nestedAggregate},
}

// slip makes one of a kind; false where the statement has no place for it.
func slip(random *rand.Rand, of slipOf, text string, scope resolve.Scope) (string, bool) {
	stmt, err := parser.Parse(text)
	if err != nil || stmt.Query == nil {
		return "", false
	}
	resolution, _ := resolve.Resolve(stmt, scope)
	could := of.make(&sound{text: text, stmt: stmt, resolution: resolution})
	if len(could) == 0 {
		return "", false
	}
	return could[random.IntN(len(could))], true
}

// with is the text with another one in the place of a node.
func (s *sound) with(n tree.Node, text string) string {
	span := n.Span()
	return s.text[:span.Start] + text + s.text[span.End:]
}

func (s *sound) columns() []*tree.ColumnRef {
	var out []*tree.ColumnRef
	tree.Walk(s.stmt, func(n tree.Node) bool {
		if c, ok := n.(*tree.ColumnRef); ok && len(s.resolution.Places(c)) > 0 {
			out = append(out, c)
		}
		return true
	})
	return out
}

func (s *sound) selects() []*tree.Select {
	var out []*tree.Select
	tree.Walk(s.stmt, func(n tree.Node) bool {
		if sel, ok := n.(*tree.Select); ok {
			out = append(out, sel)
		}
		return true
	})
	return out
}

// aliases are the names of the relations of the statement, with the tables that they are.
func (s *sound) aliases() (names []string, tables map[string]string) {
	tables = map[string]string{}
	tree.Walk(s.stmt, func(n tree.Node) bool {
		if a, ok := n.(*tree.Aliased); ok {
			if t, ok := a.Relation.(*tree.Table); ok {
				names = append(names, a.Alias.Name)
				tables[strings.ToLower(a.Alias.Name)] = t.Name.Parts[len(t.Name.Parts)-1].Name
			}
		}
		return true
	})
	return names, tables
}

func otherQualifier(s *sound) []string {
	names, _ := s.aliases()
	var out []string
	for _, c := range s.columns() {
		if len(c.Parts) != 2 {
			continue
		}
		for _, n := range names {
			if !strings.EqualFold(n, c.Parts[0].Name) {
				out = append(out, s.with(c.Parts[0], quoted(n)))
			}
		}
	}
	return out
}

func tableForAlias(s *sound) []string {
	_, tables := s.aliases()
	var out []string
	for _, c := range s.columns() {
		if len(c.Parts) != 2 {
			continue
		}
		if t := tables[strings.ToLower(c.Parts[0].Name)]; t != "" && !strings.EqualFold(t, c.Parts[0].Name) {
			out = append(out, s.with(c.Parts[0], quoted(t)))
		}
	}
	return out
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// missingJoin drops the last table of a join.
func missingJoin(s *sound) []string {
	var out []string
	tree.Walk(s.stmt, func(n tree.Node) bool {
		if j, ok := n.(*tree.Join); ok && j.On != nil {
			out = append(out, s.text[:j.Left.Span().End]+s.text[j.Span().End:])
		}
		return true
	})
	return out
}

func havingInWhere(s *sound) []string {
	var out []string
	for _, sel := range s.selects() {
		if sel.Having == nil || sel.GroupBy == nil || len(sel.From) == 0 {
			continue
		}
		condition := sel.Having.Span().Text()
		rest := s.text[sel.GroupBy.Span().End:sel.Having.Span().Start] // HAVING
		at, join := sel.From[len(sel.From)-1].Span().End, " WHERE "
		if sel.Where != nil {
			at, join = sel.Where.Span().End, " AND "
		}
		end := sel.Having.Span().End
		out = append(out, s.text[:at]+join+condition+s.text[at:end-len(condition)-len(rest)]+s.text[end:])
	}
	return out
}

func missingGroup(s *sound) []string {
	var out []string
	for _, sel := range s.selects() {
		if sel.GroupBy == nil || len(sel.From) == 0 {
			continue
		}
		from := sel.From[len(sel.From)-1].Span().End
		if sel.Where != nil {
			from = sel.Where.Span().End
		}
		out = append(out, s.text[:from]+s.text[sel.GroupBy.Span().End:])
	}
	return out
}

func doubleQuotes(s *sound) []string {
	var out []string
	tree.Walk(s.stmt, func(n tree.Node) bool {
		if x, ok := n.(*tree.String); ok && x.Value != "" {
			out = append(out, s.with(x, quoted(x.Value)))
		}
		return true
	})
	return out
}

// otherDialect writes a part as MySQL, SQL Server or PostgreSQL have it.
func otherDialect(s *sound) []string {
	var out []string
	if strings.Contains(s.text, `"`) && !strings.Contains(s.text, "`") {
		out = append(out, strings.ReplaceAll(s.text, `"`, "`"))
	}
	tree.Walk(s.stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			sel, ok := n.Body.(*tree.Select)
			if !ok || n.Limit == nil || n.Limit.Count == nil || n.Offset != nil || len(sel.Items) == 0 || sel.Quantifier != "" {
				break
			}
			at, l := sel.Items[0].Span().Start, n.Limit.Span()
			out = append(out, s.text[:at]+"TOP "+n.Limit.Count.Span().Text()+" "+s.text[at:l.Start]+s.text[l.End:])
		case *tree.Cast:
			if !n.Try {
				out = append(out, s.with(n, n.X.Span().Text()+"::"+n.Type.Span().Text()))
			}
		case *tree.Call:
			for presto, other := range map[string]string{"coalesce": "ifnull", "length": "len", "strpos": "charindex", "approx_distinct": "ndv"} {
				if n.Name.Key() == presto {
					out = append(out, s.with(n.Name, other))
				}
			}
		}
		return true
	})
	return out
}

func bareColumn(s *sound) []string {
	var out []string
	for _, c := range s.columns() {
		if len(c.Parts) == 2 {
			out = append(out, s.with(c, c.Parts[1].Span().Text()))
		}
	}
	return out
}

// otherForm writes a name with its table in front, or without a part of it.
func otherForm(s *sound) []string {
	var out []string
	for _, c := range s.columns() {
		last := c.Parts[len(c.Parts)-1]
		if t, ok := s.resolution.Places(c)[0].Relation.(*tree.Table); ok {
			table := t.Name.Parts[len(t.Name.Parts)-1].Name
			out = append(out, s.with(last, quoted(strings.TrimSuffix(table, "s")+"_"+last.Name)))
			if rest, ok := strings.CutPrefix(strings.ToLower(last.Name), strings.ToLower(strings.TrimSuffix(table, "s"))+"_"); ok {
				out = append(out, s.with(last, quoted(rest)))
			}
		}
		if strings.Contains(last.Name, "_") {
			out = append(out, s.with(last, quoted(strings.ReplaceAll(last.Name, "_", ""))))
		}
	}
	return out
}

// nestedAggregate puts the aggregate of a derived table into that of the query around it.
func nestedAggregate(s *sound) []string {
	var out []string
	for _, sel := range s.selects() {
		if len(sel.From) != 1 || len(sel.Items) != 1 || sel.Where != nil || sel.GroupBy != nil {
			continue
		}
		from := sel.From[0]
		if a, ok := from.(*tree.Aliased); ok {
			from = a.Relation
		}
		derived, ok := from.(*tree.Derived)
		item, isExpr := sel.Items[0].(*tree.SelectExpr)
		if !ok || !isExpr {
			continue
		}
		inner, ok := derived.Query.Body.(*tree.Select)
		call, isCall := item.Expr.(*tree.Call)
		if !ok || !isCall || len(call.Args) != 1 {
			continue
		}
		for _, x := range inner.Items {
			if e, ok := x.(*tree.SelectExpr); ok && resolve.Aggregates(e.Expr) && len(inner.From) > 0 {
				tail := s.text[inner.From[0].Span().Start:derived.Query.Span().End]
				out = append(out, s.with(sel, "SELECT "+call.Name.Span().Text()+"("+e.Expr.Span().Text()+") FROM "+tail))
			}
		}
	}
	return out
}
