package pipeline

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

// unmet are the words of a question whose demand no SQL over the tables meets that a
// statement is an example of, however the question was read:
//
//   - an amount ("how much", "money") is no number of rows;
//   - a number with a unit of size ("30 euros") is no bound on a number of rows;
//   - a number of times is no bound on a column with such a unit;
//   - a step of time ("per year") and "when" need a column of time;
//   - a number of things is not counted for each of these things;
//   - what is asked for by kinds, "for each" or 不同, is not one number of all;
//   - what is asked for of each of many is more than a list of these;
//   - what never was so is told by all rows of a thing, not by one that is not so;
//   - a part of a whole is divided by the whole, which is not the part itself;
//   - two periods that are set beside each other are both in it;
//   - yes or no is not told by a list of amounts;
//   - two times are not the days that are in both where no day is;
//   - two numbers that are asked for are not one;
//   - what is missing is found by what is not there, or by the word that is stored for it;
//   - who did the most of nothing that is named may have done it for the most money;
//   - which of many is first is not told by one number of all;
//   - who is asked for is no kind of thing, where some table has persons;
//   - of which things a part is asked for is said by a condition, not counted;
//   - what describes rows, "blacklisted customers", is a condition and no group;
//   - what is written in several ways is meant in all of them;
//   - what is denied is left out, and not looked for;
//   - none of what is counted is a number, too: no children are 0 children;
//   - the first of an order are not any rows;
//   - kilos are no number of rows;
//   - who has most of something is not told by one row of many that he has;
//   - there is most of fines, fees and the like by their number, not by their amounts.
func (p *Pipeline) unmet(in Input, meant *intent.Intent, stmt *tree.Statement) []string {
	d := in.asked.Demands()
	var out []string
	if d.Money != "" && (countsAlone(stmt) || in.Schema.listsNoNumber(stmt)) {
		out = append(out, d.Money)
	}
	for _, n := range d.Sized {
		if n.Unit.Quantity != "count" && compares(stmt, n.Number, isCount) || n.Times && compares(stmt, n.Number, p.isSized) {
			out = append(out, n.Text)
		}
	}
	if words := append(slices.Clone(d.Counts), d.Most, d.Each); meant != nil && in.Schema.oneEach(meant) {
		at := slices.IndexFunc(words, func(w string) bool { return w != "" })
		if at >= 0 {
			out = append(out, words[at])
		}
	}
	if d.Each != "" && bareGroups(stmt) {
		out = append(out, d.Each)
	}
	if d.Apart != "" && oneNumber(stmt) && !slices.Contains(calls(stmt), "count") {
		out = append(out, d.Apart)
	}
	if d.Most != "" && in.Schema.firstRow(stmt) {
		out = append(out, d.Most)
	}
	if d.Alone != "" && countsAlone(stmt) && in.Schema.holdsMoney(stmt) {
		out = append(out, d.Alone)
	}
	if d.Pick != "" && onlyNumber(stmt) {
		out = append(out, d.Pick)
	}
	if d.Who != "" && in.Schema.namesNobody(stmt, in.Question) {
		out = append(out, d.Who)
	}
	if d.Share != "" {
		for _, v := range in.asked.Whole() {
			if countsIf(stmt, v) {
				out = append(out, v)
				break
			}
		}
	}
	for _, c := range in.asked.Describing() {
		if groupsBy(stmt, c.Expr) {
			out = append(out, c.Names.EN)
		}
	}
	out = append(out, in.Schema.otherSpellings(stmt)...)
	if d.When != "" && !in.Schema.showsTime(stmt) {
		out = append(out, d.When)
	}
	for _, f := range p.dates.Find(in.Question, in.Now) {
		if f.Grain != "" && repeated(f.Text) && !in.Schema.timed(stmt) {
			out = append(out, f.Text)
		}
	}
	if d.Never != "" && (picksRows(stmt) || !denies(stmt)) {
		out = append(out, d.Never)
	}
	if d.Deny != "" && d.Lack == "" && !denies(stmt) && !in.Schema.saysNo(stmt) {
		out = append(out, d.Deny)
	}
	if c := in.Schema.noneAsNull(stmt); c != nil && d.Lack == "" {
		out = append(out, c.Names.EN)
	}
	if d.Utmost != "" && !inOrder(stmt) {
		out = append(out, d.Utmost)
	}
	if d.Measure != "" && countsAlone(stmt) {
		out = append(out, d.Measure)
	}
	if times := p.dates.Periods(in.Question, in.Now); len(times) > 1 && noDay(stmt) {
		out = append(out, times[1].Text)
	}
	if d.Compare != "" && (meant == nil || !meant.ComparesPeriods()) && p.dropsPeriod(in, stmt) {
		out = append(out, d.Compare)
	}
	if d.Share != "" && (!in.Schema.divides(stmt) || meant != nil && sharesItself(meant)) {
		out = append(out, d.Share)
	}
	if d.Yes != "" && in.Schema.listsNumbersAlone(stmt) {
		out = append(out, d.Yes)
	}
	if d.Lack != "" && !lacks(stmt, d.Lack) {
		out = append(out, d.Lack)
	}
	if said := in.Schema.addedUp(stmt, in.Question); said != "" && d.Most != "" {
		out = append(out, said)
	}
	if len(d.Counts) > 1 && oneNumber(stmt) {
		out = append(out, d.Counts[len(d.Counts)-1])
	}
	return out
}

// dropsPeriod reports whether a question names two periods apart from each other of which a
// statement leaves one out.
func (p *Pipeline) dropsPeriod(in Input, stmt *tree.Statement) bool {
	times := p.dates.Periods(in.Question, in.Now)
	times = slices.DeleteFunc(times, func(f dates.Found) bool { return f.From.IsZero() || f.To.IsZero() })
	if len(times) != 2 || times[0].From.Before(times[1].To) && times[1].From.Before(times[0].To) {
		return false
	}
	sql := printer.Print(stmt)
	return slices.ContainsFunc(times, func(f dates.Found) bool {
		whole := f.Period == "year" && strings.Contains(sql, f.From.Format("2006"))
		return !whole && !strings.Contains(sql, f.From.Format(time.DateOnly))
	})
}

// unused are the stored values that a question says as they are stored, and that a statement
// does nothing with.
func (p *Pipeline) unused(in Input, stmt *tree.Statement) []string {
	sql := strings.ToLower(printer.Print(stmt))
	var out []string
	for _, said := range in.asked.Said() {
		if !slices.ContainsFunc(said.Stored, func(v string) bool { return strings.Contains(sql, strings.ToLower(v)) }) {
			out = append(out, said.Text)
		}
	}
	return out
}

// repeated reports whether words for a step of time say that each one is meant: "monthly"
// may be the name of a plan, 按年 begins 按年龄.
func repeated(text string) bool {
	return slices.ContainsFunc([]string{"per ", "each ", "every ", "by ", "每"}, func(word string) bool { return strings.HasPrefix(strings.ToLower(text), word) })
}

// oneEach reports whether an intent counts the rows of a table for each of these rows: that
// is one, or none.
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
		if c.Unique() {
			return counted[c.Of.ID]
		}
		return slices.ContainsFunc(s.view.Graph.Edges(c.Of.Full()), func(e plan.Edge) bool {
			to := s.view.TableOf(e.To)
			return !e.Many && to != nil && counted[to.ID] && len(e.Columns) == 1 && strings.EqualFold(e.Columns[0], c.Expr)
		})
	})
}

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
			for _, c := range s.called(x.Expr) {
				found = found || c != by[0] && c.Nature == schema.Category && (c.Of != by[0].Of || !c.Unique() && !slices.Contains(c.Of.Label, c))
			}
		}
		return !found
	})
	return found
}

// noneAsNull is an amount that a statement takes for none only where it is not known, or for
// some wherever it is known; nil where it does so with no amount.
func (s *Schema) noneAsNull(stmt *tree.Statement) *schema.Column {
	tested, compared := map[*schema.Column]bool{}, map[*schema.Column]bool{}
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.IsNull:
			for _, c := range s.called(n.X) {
				if c.Nature == schema.Amount && c.Numeric() && c.Elapsed == nil && (c.Unit == "" || c.Money) {
					tested[c] = true
				}
			}
		case *tree.Binary:
			for _, c := range s.called(n.Left) {
				compared[c] = true
			}
		}
		return true
	})
	for c := range tested {
		if !compared[c] {
			return c
		}
	}
	return nil
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

// shareNames are words in the names of columns that hold parts of a whole.
var shareNames = []string{"share", "rate", "ratio", "percent", "pct", "proportion", "fraction", "率", "比"}

// divides reports whether a statement computes a part of something: by a division, as a
// mean, or as it is stored.
func (s *Schema) divides(stmt *tree.Statement) bool {
	found := slices.ContainsFunc(calls(stmt), func(name string) bool { return name == "avg" })
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			found = found || n.Op == tree.OpDiv
		case *tree.ColumnRef:
			name := strings.ToLower(n.Parts[len(n.Parts)-1].Name)
			found = found || slices.ContainsFunc(shareNames, func(w string) bool { return strings.Contains(name, w) })
		}
		return !found
	})
	return found
}

// sharesItself reports whether an intent asks of each group which part of it has the value
// by which it is a group: all of it, or nothing.
func sharesItself(meant *intent.Intent) bool {
	return slices.ContainsFunc(meant.Select, func(o intent.Output) bool {
		return o.Agg == intent.AggRate && slices.Contains(meant.GroupBy, o.Field)
	})
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

// noDay reports whether a statement wants days of a column that are before a day and not
// before it.
func noDay(stmt *tree.Statement) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		s, ok := n.(*tree.Select)
		if !ok || s.Where == nil {
			return !found
		}
		from, to := map[string]string{}, map[string]string{} // the latest, the earliest day by column
		for _, x := range tree.Conjuncts(s.Where) {
			b, ok := x.(*tree.Binary)
			if !ok {
				continue
			}
			c, isColumn := b.Left.(*tree.ColumnRef)
			day, isDay := b.Right.(*tree.Typed)
			if !isColumn || !isDay {
				continue
			}
			name := c.Parts[len(c.Parts)-1].Name
			switch b.Op {
			case tree.OpGe, tree.OpGt:
				from[name] = max(from[name], day.Value)
			case tree.OpLt, tree.OpLe:
				if have, ok := to[name]; !ok || day.Value < have {
					to[name] = day.Value
				}
			}
		}
		for name, first := range from {
			last, ok := to[name]
			found = found || ok && last <= first
		}
		return !found
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

// listsNoNumber reports whether a statement computes nothing and shows no column of numbers.
func (s *Schema) listsNoNumber(stmt *tree.Statement) bool {
	if len(calls(stmt)) > 0 {
		return false
	}
	number := false
	tree.Walk(stmt, func(n tree.Node) bool {
		item, ok := n.(*tree.SelectExpr)
		if !ok {
			return true
		}
		c := s.columnOf(item.Expr)
		number = number || c == nil || semantic.IsNumber(c.Type)
		return true
	})
	return !number
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

func isCount(x tree.Expr) bool {
	c, ok := x.(*tree.Call)
	return ok && strings.EqualFold(c.Name.String(), "count")
}

// isSized reports whether an expression is a column whose name ends in a unit of size.
func (p *Pipeline) isSized(x tree.Expr) bool {
	c, ok := x.(*tree.ColumnRef)
	if !ok {
		return false
	}
	words := strings.FieldsFunc(c.Parts[len(c.Parts)-1].Name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(words) > 1 && p.reader.IsSize(words[len(words)-1])
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
