package repair

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Kinds of parts of a statement.
const (
	partRead   = "read"   // a table
	partShow   = "show"   // a column of a result
	partJoin   = "join"   // a condition of a join
	partFilter = "filter" // a condition of WHERE
	partGroup  = "group"
	partHaving = "having"
	partOrder  = "order"
	partShape  = "shape" // LIMIT, OFFSET, DISTINCT, set operations, kinds of joins
)

// part is one of the parts that the meaning of a statement is made of, in a text that
// aliases and layout do not change. What a query inside an expression is made of are parts
// of their own.
type part struct {
	kind, text string
	loose      string // the same without tables, where they are not known of a column; else empty
	wrong      bool   // the resolver finds a mistake in it
}

// is reports whether a part of a statement with mistakes is one of its repair.
func (p part) is(after part) bool {
	return p.kind == after.kind && (p.text == after.text || p.loose != "" && p.loose == after.plain())
}

// plain is the text without tables.
func (p part) plain() string { return qualifiers.ReplaceAllString(p.text, "") }

// qualifiers are the names that parts give to relations.
var qualifiers = regexp.MustCompile(`[^\s(,]+#\d+\.`)

// parts takes a statement apart.
func (now *reading) parts() []part {
	p := parter{now: now, name: relationNames(now), wrong: now.diagnostics}
	tree.Walk(now.stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			p.query(n)
		case *tree.Select:
			p.selected(n)
		case *tree.SetOp:
			p.shape(n.Op + " " + string(n.Quantifier))
		case *tree.Values:
			for _, row := range n.Rows {
				p.add(partShow, row)
			}
		case *tree.Join:
			if n.Kind != tree.JoinInner {
				p.shape("join " + string(n.Kind))
			}
			for _, c := range tree.Conjuncts(n.On) {
				p.add(partJoin, c)
			}
			for _, id := range n.Using {
				p.out = append(p.out, part{kind: partJoin, text: "using " + id.Key()})
			}
		case *tree.Table:
			p.out = append(p.out, part{kind: partRead, text: p.table(n), wrong: p.isWrong(n)})
		}
		return true
	})
	return p.out
}

// parter takes a statement apart.
type parter struct {
	now   *reading
	name  map[tree.Relation]string
	wrong []resolve.Diagnostic
	out   []part
}

func (p *parter) query(q *tree.Query) {
	for _, key := range q.OrderBy {
		text := p.text(key.Expr)
		if key.Desc {
			text += " desc"
		}
		made := part{kind: partOrder, text: text + " " + key.Nulls, wrong: p.isWrong(key.Expr)}
		if p.unplaced(key.Expr) {
			made.loose = made.plain()
		}
		p.out = append(p.out, made)
	}
	if q.Limit != nil {
		count := "all"
		if q.Limit.Count != nil {
			count = p.text(q.Limit.Count)
		}
		p.shape("limit " + count)
	}
	if q.Offset != nil {
		p.shape("offset " + p.text(q.Offset))
	}
}

func (p *parter) selected(s *tree.Select) {
	if s.Quantifier == tree.QuantifierDistinct {
		p.shape("distinct")
	}
	for _, item := range s.Items {
		switch item := item.(type) {
		case *tree.SelectExpr:
			p.add(partShow, item.Expr)
		case *tree.Star:
			p.out = append(p.out, part{kind: partShow, text: "*", wrong: p.isWrong(item)})
		}
	}
	for _, c := range tree.Conjuncts(s.Where) {
		p.add(partFilter, c)
	}
	for _, g := range s.Groups() {
		p.add(partGroup, g)
	}
	for _, c := range tree.Conjuncts(s.Having) {
		p.add(partHaving, c)
	}
}

func (p *parter) shape(text string) { p.out = append(p.out, part{kind: partShape, text: text}) }

func (p *parter) add(kind string, x tree.Expr) {
	made := part{kind: kind, text: p.text(x), wrong: p.isWrong(x)}
	if p.unplaced(x) {
		made.loose = made.plain()
	}
	p.out = append(p.out, made)
}

// unplaced reports whether it is not known of a column in an expression what table it is
// of, as where the table is misspelt.
func (p *parter) unplaced(x tree.Expr) bool {
	found := false
	tree.Walk(x, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok && len(p.now.resolution.Places(ref)) == 0 {
			found = true
		}
		_, query := n.(*tree.Query)
		return !found && !query
	})
	return found
}

// isWrong reports whether a mistake is in a node, or the node in what is wrong. Where the
// whole of WHERE is wrong for an aggregate, its other conditions are not.
func (p *parter) isWrong(n tree.Node) bool {
	span := n.Span()
	return slices.ContainsFunc(p.wrong, func(d resolve.Diagnostic) bool {
		at := d.Node.Span()
		switch {
		case span.Start <= at.Start && at.End <= span.End:
			return !p.deeper(n, d.Node)
		case at.Start <= span.Start && span.End <= at.End:
			x, ok := n.(tree.Expr)
			return d.Code == resolve.ExpressionNotScalar && ok && (resolve.Aggregates(x) || holdsWindow(x))
		}
		return false
	})
}

// deeper reports whether a node is in a query inside another node.
func (p *parter) deeper(outer, inner tree.Node) bool {
	found := false
	tree.Walk(outer, func(n tree.Node) bool {
		if q, ok := n.(*tree.Query); ok {
			s, i := q.Span(), inner.Span()
			found = found || s.Start <= i.Start && i.End <= s.End
			return false
		}
		return !found
	})
	return found
}

// text is an expression with the names of stored columns, queries inside it left out.
func (p *parter) text(x tree.Expr) string {
	plain, err := tree.Rewrite(&tree.Statement{Query: tree.QueryOf(&tree.Select{Items: []tree.SelectItem{&tree.SelectExpr{Expr: x}}})}, func(n tree.Node) tree.Node {
		switch n := n.(type) {
		case *tree.ColumnRef:
			last := n.Parts[len(n.Parts)-1].Name
			if places := p.now.resolution.Places(n); len(places) > 0 {
				return tree.Col(p.name[places[0].Relation], last)
			}
			return tree.Col(last)
		case *tree.Paren:
			return n.X
		case *tree.ScalarQuery:
			return tree.Col("a_query")
		case *tree.Exists:
			return tree.Col("exists_query")
		case *tree.InQuery:
			return &tree.InList{X: n.X, List: []tree.Expr{tree.Col("a_query")}, Not: n.Not}
		case *tree.Quantified:
			return tree.Op(n.Op, n.X, tree.Col(strings.ToLower(n.Quantifier)+"_query"))
		}
		return n
	})
	if err != nil {
		return folded(x.Span().Text())
	}
	return strings.TrimPrefix(folded(printer.Format(plain)), "select ")
}

func (p *parter) table(t *tree.Table) string {
	if stored, ok := p.now.resolution.Stored(t); ok {
		return stored.Name.Key()
	}
	return strings.ToLower(t.Name.String())
}

// relationNames are names for relations that aliases do not change: the table's, with a
// number where a statement reads it again.
func relationNames(now *reading) map[tree.Relation]string {
	names, count := map[tree.Relation]string{}, map[string]int{}
	tree.Walk(now.stmt, func(n tree.Node) bool {
		r, ok := n.(tree.Relation)
		if !ok {
			return true
		}
		var base string
		switch r := r.(type) {
		case *tree.Table:
			base = r.Name.Parts[len(r.Name.Parts)-1].Key()
			if stored, ok := now.resolution.Stored(r); ok {
				base = stored.Name.Key()
			}
		case *tree.Aliased, *tree.Join, *tree.ParenRelation, *tree.Sampled:
			return true
		default:
			base = "query"
		}
		count[base]++
		names[r] = base + "#" + strconv.Itoa(count[base])
		return true
	})
	return names
}

// changedParts compares a statement with mistakes with one that somebody else made of it,
// and says what was changed that was not wrong: nil where it is a repair. Parts that are
// right have to be there still; a part that is wrong may become another one of its kind;
// further parts may come only where the mistake calls for them.
func changedParts(before, after *reading) []string {
	var problems []string
	old, fresh := before.parts(), after.parts()
	left := slices.Clone(fresh)
	room := roomFor(before.diagnostics)
	fewer := map[string]int{} // by kind: wrong parts that have to be there in another form
	for _, p := range old {
		if p.wrong {
			fewer[p.kind]++
			continue
		}
		i := slices.IndexFunc(left, p.is)
		if i < 0 && p.kind == partFilter { // HAVING holds it as well
			grouped := p
			grouped.kind = partHaving
			i = slices.IndexFunc(left, grouped.is)
		}
		if i < 0 {
			problems = append(problems, fmt.Sprintf("it changes the %s part `%s`, which was right", p.kind, p.text))
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	fewer[partFilter] += fewer[partHaving]
	fewer[partHaving] = 0
	reads := slices.ContainsFunc(old, func(p part) bool { return p.kind == partRead })
	came := map[string]int{}
	for _, p := range left {
		kind := p.kind
		if kind == partHaving {
			kind = partFilter
		}
		came[kind]++
	}
	for _, kind := range []string{partRead, partShow, partJoin, partFilter, partGroup, partOrder, partShape} {
		switch {
		case came[kind] < fewer[kind]:
			problems = append(problems, "it leaves a "+kind+" part out")
		case came[kind] > fewer[kind]+room[kind]:
			problems = append(problems, "it adds a "+kind+" part")
		}
	}
	if !subqueryWanted(before.diagnostics) && came[partRead] > fewer[partRead] && !usesAdded(left, came, reads) {
		problems = append(problems, "it adds a table without need, or without a condition that joins it")
	}
	return append(problems, strangeLiterals(before, after)...)
}

// usesAdded reports whether further tables are joined by as many conditions, and one of
// them has a column that stands where a wrong one stood. had says that the statement read
// a table before: the first one needs no condition.
func usesAdded(left []part, came map[string]int, had bool) bool {
	if came[partJoin] < came[partRead] && (had || came[partRead] > 1) {
		return false
	}
	for _, table := range left {
		if table.kind != partRead {
			continue
		}
		for _, p := range left {
			if p.kind != partRead && p.kind != partJoin && strings.Contains(p.text, table.text+"#") {
				return true
			}
		}
	}
	return false
}

// subqueryWanted reports a mistake that a subquery mends.
func subqueryWanted(mistakes []resolve.Diagnostic) bool {
	return slices.ContainsFunc(mistakes, func(d resolve.Diagnostic) bool {
		return d.Code == resolve.ExpressionNotScalar || d.Code == resolve.NestedAggregation || d.Code == resolve.NestedWindow
	})
}

// roomFor says how many parts may be added, by kind, for mistakes.
func roomFor(mistakes []resolve.Diagnostic) map[string]int {
	room := map[string]int{}
	for _, d := range mistakes {
		switch d.Code {
		case resolve.ColumnNotFound, resolve.TableNotFound, resolve.AmbiguousName:
			room[partRead], room[partJoin] = mostSteps, mostSteps
		case resolve.ExpressionNotAggregate, resolve.MissingGroupBy:
			room[partGroup]++
		case resolve.ExpressionNotScalar, resolve.NestedAggregation, resolve.NestedWindow:
			room[partRead]++ // of a subquery
			room[partShow] += 3
			room[partGroup]++
		}
	}
	return room
}

// strangeLiterals are values that a repair has and the statement had not: neither as
// values nor in double quotes.
func strangeLiterals(before, after *reading) []string {
	had := map[string]bool{}
	for _, w := range parser.Words(before.stmt.Span().Text()) {
		word := before.stmt.Span().Text()[w.Start:w.End]
		had[strings.Trim(word, `'"`)] = true
	}
	var problems []string
	tree.Walk(after.stmt, func(n tree.Node) bool {
		var value string
		switch n := n.(type) {
		case *tree.String:
			value = n.Value
		case *tree.Number:
			value = n.Text
		case *tree.Typed:
			value = n.Value
		default:
			return true
		}
		if !had[value] && !had[strings.ReplaceAll(value, "'", "''")] {
			problems = append(problems, fmt.Sprintf("it has a value that the statement has not: %s", value))
		}
		return true
	})
	return problems
}
