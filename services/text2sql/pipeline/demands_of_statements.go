package pipeline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// What a statement does, by itself.

// bareGroups reports whether a statement puts rows together and computes nothing of them.
func bareGroups(stmt *tree.Statement) bool {
	grouped := false
	tree.Walk(stmt, func(n tree.Node) bool {
		if s, ok := n.(*tree.Select); ok {
			grouped = grouped || s.GroupBy != nil
		}
		return true
	})
	return grouped && len(calls(stmt)) == 0
}

// denies reports whether a statement leaves out rows of some kind, as an answer to what
// was never done has to.
func denies(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Not:
			found = true
		case *tree.IsNull:
			found = found || !n.Not
		case *tree.InList:
			found = found || n.Not
		case *tree.InQuery:
			found = found || n.Not
		case *tree.Like:
			found = found || n.Not
		case *tree.Between:
			found = found || n.Not
		case *tree.Binary:
			found = found || n.Op == tree.OpNe || n.Op == tree.OpDistinct
		case *tree.SetOp:
			found = found || n.Op == "EXCEPT"
		case *tree.Bool:
			found = found || !n.Value
		case *tree.Number:
			found = found || n.Text == "0"
		}
		return true
	})
	return found
}

// deniedInVain reports whether a statement denies a value of a column in rows that a condition
// beside it has fixed to another value of that column: it leaves out nothing.
func deniedInVain(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		s, ok := n.(*tree.Select)
		if !ok || s.Where == nil {
			return !found
		}
		fixed, denied := map[string][]string{}, map[string][]string{}
		for _, x := range tree.Conjuncts(s.Where) {
			b, ok := x.(*tree.Binary)
			if !ok || b.Op != tree.OpEq && b.Op != tree.OpNe && b.Op != tree.OpDistinct {
				continue
			}
			c, isColumn := b.Left.(*tree.ColumnRef)
			v, isText := b.Right.(*tree.String)
			if !isColumn || !isText {
				continue
			}
			by := denied
			if b.Op == tree.OpEq {
				by = fixed
			}
			name := strings.ToLower(printer.Print(c))
			by[name] = append(by[name], v.Value)
		}
		for name, values := range denied {
			found = found || len(fixed[name]) > 0 && !slices.ContainsFunc(fixed[name], func(v string) bool { return slices.Contains(values, v) })
		}
		return !found
	})
	return found
}

// ordersOneValue is the first column by which a statement puts rows in an order to take the first of them, though conditions
// fix all by which it does to one value, so that none is first; "": there is none.
func ordersOneValue(stmt *tree.Statement) string {
	found := ""
	tree.Walk(stmt, func(n tree.Node) bool {
		q, ok := n.(*tree.Query)
		if !ok || q.Limit == nil || len(q.OrderBy) == 0 {
			return found == ""
		}
		s, ok := q.Body.(*tree.Select)
		if !ok || s.Where == nil {
			return found == ""
		}
		fixed := map[string]bool{}
		for _, x := range tree.Conjuncts(s.Where) {
			if b, ok := x.(*tree.Binary); ok && b.Op == tree.OpEq {
				c, ok := b.Left.(*tree.ColumnRef)
				if _, other := b.Right.(*tree.ColumnRef); ok && !other {
					fixed[strings.ToLower(printer.Print(c))] = true
				}
			}
		}
		first := ""
		for _, o := range q.OrderBy {
			by, ok := o.Expr.(*tree.ColumnRef)
			if !ok || !fixed[strings.ToLower(printer.Print(by))] {
				return found == ""
			}
			first = cmp.Or(first, by.Parts[len(by.Parts)-1].Name)
		}
		found = first
		return false
	})
	return found
}

// inOrder reports whether a statement puts rows in an order, or takes an utmost.
func inOrder(stmt *tree.Statement) bool {
	utmost := []string{"max", "min", "max_by", "min_by", "rank", "dense_rank", "row_number", "ntile"}
	found := slices.ContainsFunc(calls(stmt), func(name string) bool { return slices.Contains(utmost, name) })
	tree.Walk(stmt, func(n tree.Node) bool {
		q, ok := n.(*tree.Query)
		found = found || ok && len(q.OrderBy) > 0
		return !found
	})
	return found
}

// lacks reports whether a statement asks for what is not there, or for a word that is stored
// in its place.
func lacks(stmt *tree.Statement, word string) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.IsNull:
			found = found || !n.Not
		case *tree.Not:
			found = true
		case *tree.String:
			found = found || strings.Contains(strings.ToLower(n.Value), strings.ToLower(word))
		}
		return !found
	})
	return found
}

// onlyNumber reports whether a statement gives one number that is no utmost, and puts nothing
// in order.
func onlyNumber(stmt *tree.Statement) bool {
	if !oneNumber(stmt) || slices.ContainsFunc(calls(stmt), func(name string) bool { return strings.HasPrefix(name, "max") || strings.HasPrefix(name, "min") }) {
		return false
	}
	ordered, computed := false, len(calls(stmt)) > 0
	tree.Walk(stmt, func(n tree.Node) bool {
		q, ok := n.(*tree.Query)
		ordered = ordered || ok && len(q.OrderBy) > 0
		return true
	})
	return computed && !ordered
}

// groupsNothing reports whether a statement puts no rows together.
func groupsNothing(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		s, ok := n.(*tree.Select)
		found = found || ok && s.GroupBy != nil
		return !found
	})
	return !found
}

// countsIf reports whether a statement counts the rows that have a value.
func countsIf(stmt *tree.Statement, value string) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		c, ok := n.(*tree.Call)
		if !ok || !strings.EqualFold(c.Name.String(), "count_if") {
			return !found
		}
		for _, a := range c.Args {
			tree.Walk(a, func(n tree.Node) bool {
				x, ok := n.(*tree.String)
				found = found || ok && schema.Spelling(x.Value) == schema.Spelling(value)
				return !found
			})
		}
		return !found
	})
	return found
}

// utmostOfAll reports whether a statement shows the least or the greatest of each group, of all groups, or
// those of several columns, which need not be of one row.
func utmostOfAll(stmt *tree.Statement) bool {
	utmost := slices.DeleteFunc(calls(stmt), func(n string) bool { return n != "min" && n != "max" })
	if stmt.Query == nil || stmt.Query.Limit != nil || len(utmost) == 0 {
		return false
	}
	found := len(utmost) > 1
	tree.Walk(stmt, func(n tree.Node) bool {
		s, ok := n.(*tree.Select)
		found = found || ok && s.GroupBy != nil && s.Having == nil
		return true
	})
	return found
}

// groupsBy reports whether a statement groups by a column.
func groupsBy(stmt *tree.Statement, column string) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		s, ok := n.(*tree.Select)
		if !ok || s.GroupBy == nil {
			return !found
		}
		tree.Walk(s.GroupBy, func(n tree.Node) bool {
			ref, ok := n.(*tree.ColumnRef)
			found = found || ok && strings.EqualFold(ref.Parts[len(ref.Parts)-1].Name, column)
			return !found
		})
		return !found
	})
	return found
}

// picksRows reports whether a statement takes things, each once, of the rows that fulfil a
// condition by themselves, and looks at no other rows of theirs.
func picksRows(stmt *tree.Statement) bool {
	once, all := false, false
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Select:
			once = once || n.GroupBy != nil || n.Quantifier == tree.QuantifierDistinct
			all = all || n.Having != nil
		case *tree.Call:
			once = once || n.Quantifier == tree.QuantifierDistinct
		case *tree.Exists, *tree.InQuery, *tree.SetOp:
			all = true
		}
		return !all
	})
	return once && !all
}

// noDay reports whether a statement wants days of a column that are before a day and not
// before it.
func noDay(stmt *tree.Statement) bool {
	return emptied(stmt, bounds{
		text: func(x tree.Expr) (string, bool) {
			day, ok := x.(*tree.Typed)
			if !ok {
				return "", false
			}
			return day.Value, true
		},
		compare: strings.Compare,
		column:  func(c *tree.ColumnRef) string { return c.Parts[len(c.Parts)-1].Name },
		open:    true,
	}) != ""
}

// noNumber is the upper end of numbers of a column that a statement wants to be above a number and below one that is
// less: "above 40 and below 30" are two rows; empty: it wants no such numbers.
func noNumber(stmt *tree.Statement) string {
	number := func(text string) float64 { n, _ := strconv.ParseFloat(text, 64); return n }
	return emptied(stmt, bounds{
		text: func(x tree.Expr) (string, bool) {
			text := printer.Print(x)
			_, err := strconv.ParseFloat(text, 64)
			return text, err == nil
		},
		compare: func(x, y string) int { return cmp.Compare(number(x), number(y)) },
		column:  func(c *tree.ColumnRef) string { return printer.Print(c) },
	})
}

// bounds say what is taken for a bound of a column.
type bounds struct {
	text    func(tree.Expr) (string, bool) // of a bound
	compare func(x, y string) int
	column  func(*tree.ColumnRef) string // what a column is known by
	open    bool                         // nothing lies between two that are equal
}

// emptied is the least upper bound of a column that leaves nothing above its greatest lower bound, where both have to
// hold; empty: there is none.
func emptied(stmt *tree.Statement, of bounds) string {
	found := ""
	tree.Walk(stmt, func(n tree.Node) bool {
		s, ok := n.(*tree.Select)
		if !ok || s.Where == nil {
			return found == ""
		}
		from, to := map[string]string{}, map[string]string{} // the greatest lower, the least upper bound by column
		for _, x := range tree.Conjuncts(s.Where) {
			b, ok := x.(*tree.Binary)
			if !ok {
				continue
			}
			c, isColumn := b.Left.(*tree.ColumnRef)
			text, isBound := of.text(b.Right)
			if !isColumn || !isBound {
				continue
			}
			name := of.column(c)
			switch b.Op {
			case tree.OpGe, tree.OpGt:
				if have, ok := from[name]; !ok || of.compare(text, have) > 0 {
					from[name] = text
				}
			case tree.OpLt, tree.OpLe:
				if have, ok := to[name]; !ok || of.compare(text, have) < 0 {
					to[name] = text
				}
			}
		}
		for name, first := range from {
			last, ok := to[name]
			if order := of.compare(last, first); ok && (order < 0 || order == 0 && of.open) {
				found = last
			}
		}
		return found == ""
	})
	return found
}

// calls are the names of the functions of a statement, in lower case.
func calls(stmt *tree.Statement) []string {
	var out []string
	tree.Walk(stmt, func(n tree.Node) bool {
		if c, ok := n.(*tree.Call); ok {
			out = append(out, strings.ToLower(c.Name.String()))
		}
		return true
	})
	return out
}

// countsAlone reports whether numbers of rows are all that a statement computes: no other
// aggregate, no arithmetic.
func countsAlone(stmt *tree.Statement) bool {
	names := calls(stmt)
	amounts := []string{"sum", "avg", "min", "max", "min_by", "max_by", "approx_percentile", "stddev", "variance"}
	if !slices.Contains(names, "count") || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(amounts, n) }) {
		return false
	}
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		b, ok := n.(*tree.Binary)
		found = found || ok && slices.Contains([]string{tree.OpAdd, tree.OpSub, tree.OpMul, tree.OpDiv}, b.Op)
		return true
	})
	return !found
}

// compares reports whether a statement compares a number with what a test holds of.
func compares(stmt *tree.Statement, number string, holds func(tree.Expr) bool) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		b, ok := n.(*tree.Binary)
		if !ok || !slices.Contains([]string{tree.OpEq, tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe}, b.Op) {
			return true
		}
		x, isNumber := b.Right.(*tree.Number)
		found = found || isNumber && x.Text == strings.ReplaceAll(number, ",", "") && holds(b.Left)
		return true
	})
	return found
}

// ranges reports whether a statement asks anywhere for what is more or less than something, or between two.
func ranges(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.Binary:
			found = found || slices.Contains([]string{tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe}, x.Op)
		case *tree.Between:
			found = true
		}
		return !found
	})
	return found
}

func isCount(x tree.Expr) bool {
	c, ok := x.(*tree.Call)
	return ok && strings.EqualFold(c.Name.String(), "count")
}

// oneNumber reports whether a statement gives one number of one row.
func oneNumber(stmt *tree.Statement) bool {
	groups, items := false, 0
	tree.Walk(stmt, func(n tree.Node) bool {
		if s, ok := n.(*tree.Select); ok {
			groups, items = groups || s.GroupBy != nil, max(items, len(s.Items))
		}
		return true
	})
	return !groups && items == 1
}
