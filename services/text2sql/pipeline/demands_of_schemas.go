package pipeline

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

// What a statement does with the tables that it reads.

// oneEach reports whether an intent counts the rows of a table for each of these rows: that
// is one, or none. Rows that point to others of their table are many for each of these: doctors by their supervisor.
func (s *Schema) oneEach(meant *intent.Intent) bool {
	counted := map[string]bool{}
	count := func(o intent.Output) {
		if o.Agg == intent.AggCount && o.Kind == intent.KindEntity && o.When == nil {
			counted[o.ID] = true
		}
	}
	for _, o := range meant.Select {
		count(o)
	}
	for _, o := range meant.OrderBy {
		count(o.By)
	}
	return slices.ContainsFunc(meant.GroupBy, func(f intent.Field) bool {
		c := s.view.ColumnOf(f.ID)
		if c == nil || f.Grain != "" {
			return false
		}
		if c.Unique() || namesEach(c) {
			return counted[c.Of.ID]
		}
		return slices.ContainsFunc(s.view.Graph.Edges(c.Of.Full()), func(e plan.Edge) bool {
			to := s.view.TableOf(e.To)
			return !e.Many && to != nil && to != c.Of && counted[to.ID] && len(e.Columns) == 1 && strings.EqualFold(e.Columns[0], c.Expr)
		})
	})
}

// averagesOne reports whether an intent shows the average, the median, the least or the greatest
// of a column for each row of its table, which is the value itself.
func (s *Schema) averagesOne(meant *intent.Intent) bool {
	return slices.ContainsFunc(meant.Select, func(o intent.Output) bool {
		if o.Calc != nil || o.Agg != intent.AggAvg && o.Agg != intent.AggMedian && o.Agg != intent.AggMin && o.Agg != intent.AggMax {
			return false
		}
		of := s.view.ColumnOf(o.ID)
		return of != nil && slices.ContainsFunc(meant.GroupBy, func(f intent.Field) bool {
			c := s.view.ColumnOf(f.ID)
			return c != nil && f.Grain == "" && c.Of == of.Of && (c.Unique() || namesEach(c) || s.eachRow(c))
		})
	})
}

// firstOfOne reports whether an intent takes the first rows of each group where every group is one row: the first ten
// of each receipt.
func (s *Schema) firstOfOne(meant *intent.Intent) bool {
	return meant.Limit > 0 && slices.ContainsFunc(meant.LimitPer, func(f intent.Field) bool {
		c := s.view.ColumnOf(f.ID)
		return c != nil && f.Grain == "" && (c.Unique() || s.eachRow(c)) && !slices.ContainsFunc(meant.Fields(), func(o intent.Field) bool {
			other := s.view.ColumnOf(o.ID)
			return other != nil && !s.view.OneRow(c.Of, other.Of) || other == nil && o.Kind == intent.KindEntity
		})
	})
}

// ordersOne is the value by which an intent picks one row of the table that it reads, and puts that
// in an order or takes the first of its groups; "": it does not.
func (s *Schema) ordersOne(meant *intent.Intent) string {
	if len(meant.OrderBy) == 0 || len(meant.With) > 0 || meant.Set != nil {
		return ""
	}
	one := ""
	for _, f := range meant.Filters {
		if f.Op != intent.Eq || f.Left == nil || len(f.Values) != 1 {
			continue
		}
		c := s.view.ColumnOf(f.Left.ID)
		if c != nil && (c.Unique() || namesEach(c) || s.eachRow(c)) && !slices.ContainsFunc(meant.Fields(), func(o intent.Field) bool {
			other := s.view.ColumnOf(o.ID)
			return other != nil && other.Of != c.Of || other == nil && o.Kind == intent.KindEntity && o.ID != c.Of.ID
		}) {
			one = f.Values[0].Text
		}
	}
	return one
}

// eachRow reports whether a column has another value in each row of a table without a key.
func (s *Schema) eachRow(c *schema.Column) bool {
	return len(c.Of.Key) == 0 && c.Distinct > 1 && slices.ContainsFunc(s.tables, func(t catalog.Table) bool {
		return t.Name.String() == c.Of.Full() && t.RowCount == c.Distinct
	})
}

// namesEach reports whether the rows of a table are called by a column alone, each by another name.
func namesEach(c *schema.Column) bool {
	return len(c.Of.Label) == 1 && c.Of.Label[0] == c && len(c.Of.Key) == 1 && c.Distinct > 1 && c.Distinct == c.Of.Key[0].Distinct
}

// saysNo reports whether a statement looks for the value by which a column says no, or none.
func (s *Schema) saysNo(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		b, ok := n.(*tree.Binary)
		if !ok || b.Op != tree.OpEq {
			return !found
		}
		v, ok := b.Right.(*tree.String)
		found = found || ok && slices.ContainsFunc(s.called(b.Left), func(c *schema.Column) bool {
			no, told := c.Says(false)
			none, named := c.Nothing()
			return told && no == v.Value || named && none == v.Value
		})
		return !found
	})
	return found
}

// firstRow reports whether a statement shows what many rows have, by the one of these rows that
// stands first.
func (s *Schema) firstRow(stmt *tree.Statement) bool {
	if len(calls(stmt)) > 0 {
		return false
	}
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		q, ok := n.(*tree.Query)
		if !ok || len(q.OrderBy) == 0 || q.Limit == nil {
			return !found
		}
		sel, ok := q.Body.(*tree.Select)
		if !ok || sel.GroupBy != nil {
			return !found
		}
		by := s.called(q.OrderBy[0].Expr)
		if len(by) != 1 || by[0].Nature != schema.Amount {
			return !found
		}
		for _, item := range sel.Items {
			x, ok := item.(*tree.SelectExpr)
			if !ok {
				continue
			}
			columns := s.called(x.Expr)
			if slices.ContainsFunc(columns, func(c *schema.Column) bool { return c.Of == by[0].Of && (c.Unique() || slices.Contains(c.Of.Label, c)) }) {
				continue // a name of the row itself, whatever else is called so
			}
			for _, c := range columns {
				found = found || c != by[0] && c.Nature == schema.Category
			}
		}
		return !found
	})
	return found
}

// noneAsNull is the first amount that a statement takes for none only where it is not known, or
// for some wherever it is known; nil where it does so with no amount. Money that is counted as
// things, "how many fees", is there where it is known.
func (s *Schema) noneAsNull(stmt *tree.Statement) *schema.Column {
	var tested []*schema.Column
	compared := map[*schema.Column]bool{}
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.IsNull:
			for _, c := range s.called(n.X) {
				if c.Nature == schema.Amount && c.Numeric() && c.Elapsed == nil && (c.Unit == "" || c.Money) && !(n.Not && c.Money) {
					tested = append(tested, c)
				}
			}
		case *tree.Binary:
			for _, c := range s.called(n.Left) {
				compared[c] = true
			}
		}
		return true
	})
	for _, c := range tested {
		if !compared[c] {
			return c
		}
	}
	return nil
}

// addedUp is how a question calls a column of money in the plural that a statement adds up;
// "" where it does not.
func (s *Schema) addedUp(stmt *tree.Statement, question string) string {
	said := ""
	tree.Walk(stmt, func(n tree.Node) bool {
		c, ok := n.(*tree.Call)
		if !ok || !strings.EqualFold(c.Name.String(), "sum") || len(c.Args) != 1 {
			return said == ""
		}
		columns := s.called(c.Args[0])
		if len(columns) == 0 || !columns[0].Money {
			return said == ""
		}
		words := schema.SplitName(columns[0].Expr)
		name := strings.ToLower(words[len(words)-1])
		for _, t := range language.Split(question) {
			if t.Lower != name && lexicon.Singular(t.Lower) == name {
				said = t.Text
			}
		}
		return said == ""
	})
	return said
}

// called are the columns of the name that an expression is; none where it is more than a name.
func (s *Schema) called(x tree.Expr) []*schema.Column {
	ref, ok := x.(*tree.ColumnRef)
	if !ok {
		return nil
	}
	var out []*schema.Column
	for _, t := range s.view.Tables {
		if c := t.Column(ref.Parts[len(ref.Parts)-1].Name); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// holdsMoney reports whether a table that a statement counts the rows of has amounts of money.
func (s *Schema) holdsMoney(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		sel, ok := n.(*tree.Select)
		if !ok || len(sel.From) == 0 {
			return !found
		}
		seen := false
		tree.Walk(sel.From[0], func(n tree.Node) bool {
			t, ok := n.(*tree.Table)
			if !ok || seen {
				return !seen
			}
			seen = true // the first table is the one whose rows are counted
			for _, have := range s.view.Tables {
				if have.Full() == t.Name.String() {
					found = slices.ContainsFunc(have.Columns, func(c *schema.Column) bool { return c.Money && c.Nature == schema.Amount })
				}
			}
			return false
		})
		return !found
	})
	return found
}

// namesNobody reports whether a statement shows names of things, and none of persons, where
// a table has persons. A column that a verb of the question speaks of may be of persons:
// who directed, director.
func (s *Schema) namesNobody(stmt *tree.Statement, question string) bool {
	if !slices.ContainsFunc(s.view.Tables, (*schema.Table).Persons) {
		return false
	}
	shown, persons := false, false
	tree.Walk(stmt, func(n tree.Node) bool {
		item, ok := n.(*tree.SelectExpr)
		if !ok {
			return true
		}
		_, isName := item.Expr.(*tree.ColumnRef)
		shown = shown || isName
		for _, c := range s.called(item.Expr) {
			persons = persons || c.Of.Persons() || spokenOf(c, question)
		}
		return true
	})
	return shown && !persons
}

// namesAlone reports whether a statement computes and groups nothing and shows rows of some of
// the tables by what they are called alone: by their key, or the name of each.
func (s *Schema) namesAlone(stmt *tree.Statement, tables []*schema.Table) bool {
	if stmt.Query == nil {
		return false
	}
	sel, ok := stmt.Query.Body.(*tree.Select)
	if !ok || sel.GroupBy != nil || len(sel.Items) == 0 {
		return false
	}
	for _, item := range sel.Items {
		x, ok := item.(*tree.SelectExpr)
		if !ok || !slices.ContainsFunc(s.called(x.Expr), func(c *schema.Column) bool {
			return slices.Contains(tables, c.Of) && (slices.Contains(c.Of.Label, c) || slices.Contains(c.Of.Key, c))
		}) {
			return false
		}
	}
	return true
}

// spokenOf reports whether a word of a question begins as the last word of a column's name.
func spokenOf(c *schema.Column, question string) bool {
	const alike = 5 // letters
	words := schema.SplitName(c.Expr)
	if len(words) == 0 {
		return false
	}
	last := strings.ToLower(words[len(words)-1])
	return slices.ContainsFunc(language.Split(question), func(t language.Token) bool {
		return t.Kind == language.Han && strings.Contains(last, t.Lower) || len(last) >= alike && strings.HasPrefix(t.Lower, last[:alike])
	})
}

// otherSpellings are values that a statement compares a column with which has them in other
// spellings, too, and of which it leaves some out.
func (s *Schema) otherSpellings(stmt *tree.Statement) []string {
	said := map[*schema.Column][]string{}
	keep := func(left tree.Expr, values ...tree.Expr) {
		for _, c := range s.called(left) {
			for _, v := range values {
				if x, ok := v.(*tree.String); ok {
					said[c] = append(said[c], x.Value)
				}
			}
		}
	}
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			if n.Op == tree.OpEq || n.Op == tree.OpNe {
				keep(n.Left, n.Right)
			}
		case *tree.InList:
			keep(n.X, n.List...)
		}
		return true
	})
	var out []string
	for c, values := range said {
		for _, v := range values {
			if slices.ContainsFunc(c.Values, func(x semantic.Value) bool {
				return schema.Spelling(x.Value) == schema.Spelling(v) && !slices.Contains(values, x.Value)
			}) && slices.ContainsFunc(c.Values, func(x semantic.Value) bool { return x.Value == v }) {
				out = append(out, v)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// showsTime reports whether a statement shows a column of time.
func (s *Schema) showsTime(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		if item, ok := n.(*tree.SelectExpr); ok {
			found = found || s.timed(item.Expr)
		}
		return !found
	})
	return found
}

// shareNames are words in the names of columns that hold parts of a whole.
var shareNames = []string{"share", "rate", "ratio", "percent", "pct", "proportion", "fraction", "率", "比"}

// divides reports whether a statement computes a part of something: by a division, as a
// mean, or as it is stored.
func (s *Schema) divides(stmt *tree.Statement) bool {
	return divided(stmt, []string{"avg"}, shareNames)
}

// divided reports whether a statement divides, calls one of some functions, or reads a column with
// one of some words in its name.
func divided(stmt *tree.Statement, functions, words []string) bool {
	found := slices.ContainsFunc(calls(stmt), func(name string) bool { return slices.Contains(functions, name) })
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			found = found || n.Op == tree.OpDiv
		case *tree.ColumnRef:
			name := strings.ToLower(n.Parts[len(n.Parts)-1].Name)
			found = found || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
		}
		return !found
	})
	return found
}

// meanNames are parts of the names of columns that hold means.
var meanNames = []string{"avg", "average", "mean", "均"}

// averages reports whether a statement computes a mean: as one, by a division, or as it is stored.
func (s *Schema) averages(stmt *tree.Statement) bool {
	return divided(stmt, []string{"avg", "approx_percentile"}, meanNames)
}

// passesEnds reports whether the rows that a statement is of say when they came to their end, and it
// does not look at that.
func (s *Schema) passesEnds(stmt *tree.Statement) bool {
	of := s.rowsOf(stmt)
	return of != nil && of.Ended() != nil && !s.reads(stmt, of.Ended())
}

// rowsOf is the table whose rows a statement shows or counts: the first that it reads; nil: it is
// none of the schema.
func (s *Schema) rowsOf(stmt *tree.Statement) *schema.Table {
	var of *schema.Table
	tree.Walk(stmt, func(n tree.Node) bool {
		if table, ok := n.(*tree.Table); ok && of == nil {
			of = s.view.TableOf(table.Name.String())
		}
		return of == nil
	})
	return of
}

// countsFigures reports whether a statement counts the rows of a table whose rows are figures of things
// at times, so that their number is none of anything.
func (s *Schema) countsFigures(stmt *tree.Statement) bool {
	of := s.rowsOf(stmt)
	if of == nil || of.Observed == nil {
		return false
	}
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		c, ok := n.(*tree.Call)
		found = found || ok && strings.EqualFold(c.Name.String(), "count") && c.Quantifier != tree.QuantifierDistinct
		return !found
	})
	return found
}

// listsMany reports whether a statement computes nothing and lists, row by row, what many rows of a
// table have in common: buyers of sales that are no sales of pumpkins.
func (s *Schema) listsMany(stmt *tree.Statement) bool {
	if stmt.Query == nil || len(calls(stmt)) > 0 {
		return false
	}
	sel, ok := stmt.Query.Body.(*tree.Select)
	if !ok || sel.GroupBy != nil || len(sel.Items) != 1 || sel.Where == nil {
		return false
	}
	others := false // other rows are looked at
	tree.Walk(sel.Where, func(n tree.Node) bool {
		_, is := n.(*tree.Query)
		others = others || is
		return !others
	})
	if others {
		return false
	}
	item, ok := sel.Items[0].(*tree.SelectExpr)
	return ok && slices.ContainsFunc(s.called(item.Expr), func(c *schema.Column) bool {
		described := c.Of.Observed != nil && c.Of.Observed.Titled && c.Of.Observed.Thing == c // a storm of many rows
		return described || c.Nature == schema.Category && !c.Unique() && !slices.Contains(c.Of.Label, c)
	})
}

// lacksStates reports whether a statement looks for there being no rows of a table that says what
// became of them.
func (s *Schema) lacksStates(stmt *tree.Statement) bool {
	first, found := true, false
	tree.Walk(stmt, func(n tree.Node) bool {
		if table, ok := n.(*tree.Table); ok {
			t := s.view.TableOf(table.Name.String())
			found = found || !first && t != nil && t.KeepsStates()
			first = false
		}
		return !found
	})
	return found
}

// listsNumbersAlone reports whether a statement computes nothing and shows rows by their
// numbers alone.
func (s *Schema) listsNumbersAlone(stmt *tree.Statement) bool {
	if len(calls(stmt)) > 0 {
		return false
	}
	numbers, others := false, false
	tree.Walk(stmt, func(n tree.Node) bool {
		item, ok := n.(*tree.SelectExpr)
		if !ok {
			return true
		}
		c := s.columnOf(item.Expr)
		if c != nil && (semantic.IsNumber(c.Type) || c.Type == "boolean") && !c.PrimaryKey {
			numbers = true
		} else {
			others = true
		}
		return true
	})
	return numbers && !others
}

// columnOf is the stored column that an expression names; nil: it is more than one, or none
// of that name.
func (s *Schema) columnOf(x tree.Expr) *catalog.Column {
	ref, ok := x.(*tree.ColumnRef)
	if !ok {
		return nil
	}
	name := ref.Parts[len(ref.Parts)-1].Name
	for i := range s.tables {
		for j := range s.tables[i].Columns {
			if c := &s.tables[i].Columns[j]; strings.EqualFold(c.Name, name) {
				return c
			}
		}
	}
	return nil
}

// listsNoNumber reports whether a statement computes nothing but steps of time and the first or last day of
// something, and shows no column of numbers.
func (s *Schema) listsNoNumber(stmt *tree.Statement) bool {
	if slices.ContainsFunc(calls(stmt), func(name string) bool { return !slices.Contains([]string{stepOfTime, "min", "max"}, name) }) {
		return false
	}
	number := false
	tree.Walk(stmt, func(n tree.Node) bool {
		item, ok := n.(*tree.SelectExpr)
		if !ok {
			return true
		}
		if call, ok := item.Expr.(*tree.Call); ok && (strings.EqualFold(call.Name.String(), stepOfTime) || len(call.Args) == 1 && s.is(call.Args[0], schema.Moment)) {
			return true
		}
		c := s.columnOf(item.Expr)
		number = number || c == nil || semantic.IsNumber(c.Type) && !s.is(item.Expr, schema.Identifier)
		return true
	})
	return !number
}

// is reports whether an expression is a column of some natures, whichever table it is of.
func (s *Schema) is(x tree.Expr, natures ...schema.Nature) bool {
	list := s.called(x)
	return len(list) > 0 && !slices.ContainsFunc(list, func(c *schema.Column) bool { return !slices.Contains(natures, c.Nature) })
}

// listsAmountsAlone reports whether a statement computes nothing and shows rows by amounts alone.
func (s *Schema) listsAmountsAlone(stmt *tree.Statement) bool {
	if len(calls(stmt)) > 0 {
		return false
	}
	amounts, others := false, false
	tree.Walk(stmt, func(n tree.Node) bool {
		if item, ok := n.(*tree.SelectExpr); ok {
			is := s.is(item.Expr, schema.Amount, schema.Level)
			amounts, others = amounts || is, others || !is
		}
		return true
	})
	return amounts && !others
}

// ofOne reports whether a statement keeps the rows that have one value of a column which names rows, or
// tells them apart.
func (s *Schema) ofOne(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		if x, ok := n.(*tree.Binary); ok && x.Op == tree.OpEq {
			found = found || slices.ContainsFunc(s.called(x.Left), func(c *schema.Column) bool {
				return c.Nature == schema.Identifier || c.Unique() || slices.Contains(c.Of.Label, c)
			})
		}
		return !found
	})
	return found
}

// figuresNoMoney reports whether a statement computes sums, means and the like of columns, none of which
// is money, where some table has money.
func (s *Schema) figuresNoMoney(stmt *tree.Statement) bool {
	if !slices.ContainsFunc(s.view.Tables, func(t *schema.Table) bool {
		return slices.ContainsFunc(t.Columns, func(c *schema.Column) bool { return c.Money })
	}) {
		return false
	}
	figures, money := false, false
	tree.Walk(stmt, func(n tree.Node) bool {
		call, ok := n.(*tree.Call)
		if !ok || !slices.Contains([]string{"sum", "avg", "min", "max"}, call.Name.Key()) {
			return true
		}
		figures = true
		tree.Walk(call, func(n tree.Node) bool {
			if x, ok := n.(*tree.ColumnRef); ok {
				money = money || slices.ContainsFunc(s.called(x), func(c *schema.Column) bool { return c.Money })
			}
			return true
		})
		return true
	})
	return figures && !money
}

// stepOfTime is the function that steps of time are written with.
const stepOfTime = "date_trunc"

// countsEachOnce reports whether a statement counts the rows of one table for each value of a column
// of which each row has its own: it finds one of each.
func (s *Schema) countsEachOnce(stmt *tree.Statement) bool {
	if stmt.Query == nil || !countsAlone(stmt) {
		return false
	}
	sel, ok := stmt.Query.Body.(*tree.Select)
	return ok && sel.Having == nil && s.groupsEachRow(sel) != nil
}

// choosesEachOnce is the column by which a statement puts the rows of one table together to choose groups by
// how many rows they have, where each row has its own, so that each group is one row; nil: it does not.
func (s *Schema) choosesEachOnce(stmt *tree.Statement) *catalog.Column {
	if stmt.Query == nil {
		return nil
	}
	sel, ok := stmt.Query.Body.(*tree.Select)
	if !ok || sel.Having == nil {
		return nil
	}
	counts := false
	tree.Walk(sel.Having, func(n tree.Node) bool {
		x, ok := n.(tree.Expr)
		counts = counts || ok && isCount(x)
		return !counts
	})
	if !counts {
		return nil
	}
	return s.groupsEachRow(sel)
}

// groupsEachRow is the column of one table by which a SELECT groups its rows, where each row has its own; nil: it
// does not.
func (s *Schema) groupsEachRow(sel *tree.Select) *catalog.Column {
	if len(sel.From) != 1 {
		return nil
	}
	from := sel.From[0]
	if a, ok := from.(*tree.Aliased); ok {
		from = a.Relation
	}
	table, ok := from.(*tree.Table)
	groups := sel.Groups()
	if !ok || len(groups) != 1 {
		return nil
	}
	for i := range s.tables {
		t := &s.tables[i]
		if t.Name.String() != table.Name.String() {
			continue
		}
		if c := s.columnOf(groups[0]); c != nil && t.RowCount > 1 && c.Distinct == t.RowCount {
			return c
		}
		return nil
	}
	return nil
}

// countsThings reports whether a statement counts things that have names, and not what happened to
// them.
func (s *Schema) countsThings(stmt *tree.Statement) bool {
	if !countsAlone(stmt) {
		return false
	}
	of := s.rowsOf(stmt)
	return of != nil && len(of.Label) > 0 && !of.Records()
}

// timed reports whether a statement, or a part of one, reads a column of time.
func (s *Schema) timed(in tree.Node) bool {
	steps := []string{"year", "month", "week", "quarter", "day", "date", "hour", "time", "年", "月", "周", "季", "日", "时"}
	found := false
	tree.Walk(in, func(n tree.Node) bool {
		c, ok := n.(*tree.ColumnRef)
		if !ok || found {
			return !found
		}
		name := strings.ToLower(c.Parts[len(c.Parts)-1].Name)
		found = slices.ContainsFunc(steps, func(step string) bool { return strings.Contains(name, step) })
		for _, t := range s.tables {
			for _, column := range t.Columns {
				found = found || strings.EqualFold(column.Name, name) && (strings.HasPrefix(column.Type, "date") || strings.HasPrefix(column.Type, "time"))
			}
		}
		return !found
	})
	return found
}

// countsBesideOthers reports whether a statement counts things of which the rows have several each by those of
// their rows that have another value than one: states without smallpox are not those with rows of another disease.
func (s *Schema) countsBesideOthers(stmt *tree.Statement) bool {
	var things, others []*schema.Column
	tree.Walk(stmt, func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.Call:
			if len(x.Args) == 1 && x.Quantifier == tree.QuantifierDistinct && x.Name.Key() == "count" {
				things = append(things, s.called(x.Args[0])...)
			}
		case *tree.Binary:
			if _, text := x.Right.(*tree.String); text && x.Op == tree.OpNe {
				others = append(others, s.called(x.Left)...)
			}
		}
		return true
	})
	return slices.ContainsFunc(things, func(thing *schema.Column) bool {
		return !thing.Unique() && slices.ContainsFunc(others, func(c *schema.Column) bool {
			return c != thing && c.Of == thing.Of && c.Describes != thing
		})
	})
}

// averagesDates reports whether all that a statement computes is the mean of years and the like.
func (s *Schema) averagesDates(stmt *tree.Statement) bool {
	dates, others := false, false
	tree.Walk(stmt, func(n tree.Node) bool {
		if c, ok := n.(*tree.Call); ok {
			if c.Name.Key() == "avg" && len(c.Args) == 1 && s.is(c.Args[0], schema.Calendar) {
				dates = true
			} else {
				others = true
			}
		}
		return true
	})
	return dates && !others
}

// averagesRows reports whether a statement takes the mean over rows of what describes the things of which they are
// figures, so that a thing counts as often as it has rows, unless the rows are put together by it.
func (s *Schema) averagesRows(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		if sel, ok := n.(*tree.Select); ok {
			for _, c := range s.averaged(sel) {
				found = found || c.DescribesThing() && (sel.GroupBy == nil || !s.reads(sel.GroupBy, c.Describes))
			}
		}
		return !found
	})
	return found
}

// averaged are the columns of which a list of outputs has the mean.
func (s *Schema) averaged(sel *tree.Select) []*schema.Column {
	var out []*schema.Column
	for _, item := range sel.Items {
		tree.Walk(item, func(n tree.Node) bool {
			if c, ok := n.(*tree.Call); ok && c.Name.Key() == "avg" && len(c.Args) == 1 {
				tree.Walk(c.Args[0], func(n tree.Node) bool {
					if x, ok := n.(*tree.ColumnRef); ok {
						out = append(out, s.called(x)...)
					}
					return true
				})
			}
			return true
		})
	}
	return out
}

// reads reports whether a statement, or a part of one, reads a column.
func (s *Schema) reads(in tree.Node, column *schema.Column) bool {
	found := false
	tree.Walk(in, func(n tree.Node) bool {
		if x, ok := n.(*tree.ColumnRef); ok {
			found = found || slices.Contains(s.called(x), column)
		}
		return !found
	})
	return found
}
