package pipeline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// unmet are the words of a question whose demand no SQL over the tables meets that a
// statement is an example of, however the question was read:
//
//   - an amount ("how much", "money") is no number of rows;
//   - how much more one has than another is no number of rows;
//   - a number with a unit of size ("30 euros") is no bound on a number of rows;
//   - a number of times is no bound on a column with such a unit;
//   - a step of time ("per year") and "when" need a column of time;
//   - a number of things is not counted for each of these things;
//   - what is put in an order is more than the one row that has a name, and has more than one value there;
//   - groups are not chosen by the number of their rows where each is one;
//   - what is asked for by kinds, "for each" or 不同, is not one number of all;
//   - what is asked for of each of many is more than a list of these;
//   - what never was so is told by all rows of a thing, not by one that is not so;
//   - a part of a whole is divided by the whole, which is not the part itself;
//   - two periods that are set beside each other are both in it;
//   - yes or no is not told by a list of amounts, nor is it told which things;
//   - money is not told by figures of what is none, where a table has some, nor by a list of amounts of
//     which it is not said whose they are;
//   - the way or the place in which things do something is not told by what these are called;
//   - two times are not the days that are in both where no day is, nor two bounds the numbers between them
//     where none is;
//   - two numbers that are asked for are not one;
//   - what is missing is found by what is not there, or by the word that is stored for it;
//   - who did the most of nothing that is named may have done it for the most money;
//   - which of many is first is not told by one number of all, nor by the least or the greatest of each;
//   - who is asked for is no kind of thing, where some table has persons;
//   - of which things a part is asked for is said by a condition, not counted;
//   - what describes rows, "blacklisted customers", is a condition and no group;
//   - what is written in several ways is meant in all of them;
//   - what is denied is left out, and not looked for; of rows that are of one kind alone it is
//     left out by their others, "in one class but not in another", and not by the same rows;
//   - none of what is counted is a number, too: no children are 0 children;
//   - the first of an order are not any rows;
//   - kilos are no number of rows;
//   - who has most of something is not told by one row of many that he has;
//   - a mean is computed as one, or by a division;
//   - what is said to go on has not come to its end, where the rows say when they did;
//   - how many times something was done is no number of things that have names;
//   - there is most of nothing where each has one, nor where nothing is computed or put in order;
//   - what was never done, by a word that nothing knows, may be how rows that are there ended, and is
//     not told by there being none;
//   - there is most of fines, fees and the like by their number, not by their amounts.
func (p *Pipeline) unmet(in Input, meant *intent.Intent, stmt *tree.Statement) []string {
	d := in.asked.Demands()
	var out []string
	if d.Things != "" && in.Schema.listsAmountsAlone(stmt) {
		out = append(out, d.Things)
	}
	if d.Money != "" && (countsAlone(stmt) || in.Schema.listsNoNumber(stmt) || saysMoney(d.Money) && in.Schema.figuresNoMoney(stmt) || in.Schema.listsAmountsAlone(stmt) && !in.Schema.ofOne(stmt)) {
		out = append(out, d.Money)
	}
	if strings.HasPrefix(strings.ToLower(d.Compare), "how much") && countsAlone(stmt) {
		out = append(out, d.Compare)
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
	if meant != nil {
		if value := in.Schema.ordersOne(meant); value != "" {
			out = append(out, value)
		}
	}
	if meant != nil && in.Schema.firstOfOne(meant) {
		out = append(out, cmp.Or(d.Utmost, d.Most, strconv.FormatInt(meant.Limit, 10)))
	}
	if column := ordersOneValue(stmt); column != "" {
		out = append(out, cmp.Or(d.Utmost, column))
	}
	if c := in.Schema.choosesEachOnce(stmt); c != nil {
		out = append(out, c.Name)
	}
	if d.Each != "" && bareGroups(stmt) {
		out = append(out, d.Each)
	}
	if d.Apart != "" && oneNumber(stmt) && !slices.Contains(calls(stmt), "count") {
		out = append(out, d.Apart)
	}
	if d.Most != "" && (in.Schema.firstRow(stmt) || in.Schema.countsEachOnce(stmt) || len(calls(stmt)) == 0 && !inOrder(stmt)) {
		out = append(out, d.Most)
	}
	if d.Alone != "" && countsAlone(stmt) && in.Schema.holdsMoney(stmt) {
		out = append(out, d.Alone)
	}
	if d.Size != "" { // nothing tells how satisfied anybody is
		out = append(out, d.Size)
	}
	if d.Whose != "" && oneNumber(stmt) && groupsNothing(stmt) {
		out = append(out, d.Whose)
	}
	if d.Pick != "" && (onlyNumber(stmt) || d.Each == "" && d.Apart == "" && utmostOfAll(stmt)) {
		out = append(out, d.Pick)
	}
	if d.Who != "" && (in.Schema.namesNobody(stmt, in.Question) || oneNumber(stmt) && len(calls(stmt)) > 0) {
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
	if d.How != "" && in.Schema.namesAlone(stmt, in.asked.Tables()) {
		out = append(out, d.How)
	}
	if d.When != "" && !in.Schema.showsTime(stmt) {
		out = append(out, d.When)
	}
	for _, f := range p.dates.Find(in.Question, in.Now) {
		if f.Grain != "" && repeated(f.Text) && !in.Schema.timed(stmt) {
			out = append(out, f.Text)
		}
	}
	if d.Never != "" && (picksRows(stmt) || in.Schema.listsMany(stmt) || !denies(stmt)) {
		out = append(out, d.Never)
	}
	if d.Deny != "" && (deniedInVain(stmt) || d.Lack == "" && !denies(stmt) && !in.Schema.saysNo(stmt)) {
		out = append(out, d.Deny)
	}
	if c := in.Schema.noneAsNull(stmt); c != nil && d.Lack == "" {
		out = append(out, c.Names.EN)
	}
	if d.Bound != "" && !ranges(stmt) {
		out = append(out, d.Bound)
	}
	if d.Utmost != "" && !inOrder(stmt) {
		out = append(out, d.Utmost)
	}
	if d.Mean != "" && !in.Schema.averages(stmt) {
		out = append(out, d.Mean)
	}
	if d.Now != "" && in.Schema.passesEnds(stmt) {
		out = append(out, d.Now)
	}
	if d.Often != "" && in.Schema.countsThings(stmt) {
		out = append(out, d.Often)
	}
	if d.Undone != "" && in.Schema.lacksStates(stmt) {
		out = append(out, d.Undone)
	}
	if d.Measure != "" && countsAlone(stmt) {
		out = append(out, d.Measure)
	}
	if noDay(stmt) {
		if times := p.dates.Periods(in.Question, in.Now); len(times) > 1 {
			out = append(out, times[1].Text)
		}
	}
	if number := noNumber(stmt); number != "" {
		out = append(out, number)
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
	if deniesThing(d.Deny) && in.Schema.countsBesideOthers(stmt) {
		out = append(out, d.Deny)
	}
	if len(d.Counts) > 0 && in.Schema.averagesDates(stmt) { // "the average yearly number of cases" is no year
		out = append(out, d.Counts[0])
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

// deniesThing reports whether a word denies that there is something, and not that something is so: "no smallpox"
// and 没有 are no "not cancelled".
func deniesThing(word string) bool {
	word = strings.ToLower(word)
	return word == "no" || strings.HasSuffix(word, " no") || strings.Contains(word, "没有")
}

// saysMoney reports whether the words for an amount say that it is one of money.
func saysMoney(text string) bool {
	return strings.Contains(text, "钱") || strings.Contains(strings.ToLower(text), "money")
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
		whole := f.From.YearDay() == 1 && f.To.YearDay() == 1 && strings.Contains(sql, f.From.Format("2006")) // years that rows tell as a number
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

// sharesItself reports whether an intent asks of each group which part of it has the value
// by which it is a group: all of it, or nothing.
func sharesItself(meant *intent.Intent) bool {
	return slices.ContainsFunc(meant.Select, func(o intent.Output) bool {
		return o.Agg == intent.AggRate && slices.Contains(meant.GroupBy, o.Field)
	})
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
