// Package schema is one view of the tables that a question may be about: the names of
// tables and columns, their stored values, what each column is good for, and how tables
// join, in the form in which a reader looks them up.
package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Table is an entity with its columns.
type Table struct {
	*semantic.Entity

	Columns  []*Column
	Label    []*Column // that name one of its rows, as first and last name; nil: none does
	Key      []*Column
	Observed *Observed // of what its rows are figures; nil: they are things of their own
	OfDays   *Column   // that dates rows of which each is of a day of its own; nil: none does
	// Namesakes tells that many rows are called alike, so that a name tells none of them apart.
	Namesakes bool

	stems     []string // of the words of its name
	place     int      // in the graph, and in those made of it
	persons   bool     // see Persons
	ofPersons bool
}

// Column is a dimension of a derived layer.
type Column struct {
	*semantic.Dimension

	Of     *Table
	Nature Nature
	Time   bool // holds days or times
	Points bool // to the rows of another table
	// Unit that its name ends in: "ms" of duration_ms; empty: none.
	Unit string
	// Distinct values that are stored; 0: not known.
	Distinct int64
	// Parts tells that its numbers are parts of 1, and shown as percent.
	Parts bool
	// serial tells that its whole numbers are without a unit, and each row of many has one of
	// its own: numbers of receipts, that nobody adds up.
	serial bool
	// Money tells that its numbers are amounts of money: by its unit, or by its name where no unit is
	// known.
	Money bool
	// Year is the year that its numbers are of, where its table has the same of other years; 0: none.
	Year int
	// Nullable tells that rows may have none, Missing how many have none as far as was counted.
	Nullable bool
	Missing  int64
	// Describes is the column whose things it describes: the film of the weekly takings in whose rows a
	// film has one rating; of several the one that tells most apart. nil: it is of the rows, as far as
	// is known.
	Describes *Column
	// Low and High are the least and the greatest stored value, or the first and the last
	// day (2006-01-02); empty: not known.
	Low, High string

	words []string // of its name; nil: not cut yet, as of a column that is in no view
}

// farBeyond is how many times as large as all stored values a number is that nothing comes near.
const farBeyond = 10

// Reaches reports whether stored values come near a number, as far as is known.
func (c *Column) Reaches(number string) bool {
	n, err := strconv.ParseFloat(number, 64)
	high, err2 := strconv.ParseFloat(c.High, 64)
	return err != nil || err2 != nil || high <= 0 || n <= farBeyond*high
}

// Numeric reports whether its values are numbers.
func (c *Column) Numeric() bool { return semantic.IsNumber(c.Type) }

// View is read-only after New.
type View struct {
	Tables []*Table
	Graph  *plan.Graph

	byTable map[string]*Table
	byID    map[string]*Column
	years   map[int]bool // that columns are of by their names
	words   wordIndex
	values  valueIndex
	kinds   map[string][]*Column // by the stem of the quantity that their unit measures

	morphemes map[string]Hit // by Chinese characters
	calledHan []tableName    // the Chinese names of tables
	place     *Column        // the one column of places in an order
	flows     map[Flow][]*Column
}

// Units tells the unit that a word is; ok is false where it is none.
type Units func(word string) (quantity string, ok bool)

// EachHas reports whether every row of a table meets exactly one of another, as far as is known: no column on the
// way points to nothing.
func (v *View) EachHas(from, to *Table) bool {
	if from == to {
		return true
	}
	if !v.OneRow(from, to) {
		return false
	}
	for _, e := range v.Graph.Path(from.Full(), to.Full()) {
		t := v.byTable[e.From]
		for _, name := range e.Columns {
			if c := t.Column(name); c == nil || c.Nullable && (c.Missing > 0 || c.Distinct == 0) {
				return false
			}
		}
	}
	return true
}

// PlaceColumn is the one column of places in an order; nil: there is none, or more.
func (v *View) PlaceColumn() *Column { return v.place }

// placeColumn finds it.
func (v *View) placeColumn() *Column {
	var found *Column
	for _, t := range v.Tables {
		for _, c := range t.Columns {
			if c.Place() && found != nil {
				return nil
			}
			if c.Place() {
				found = c
			}
		}
	}
	return found
}

// New makes a view of a derived layer.
func New(layer *semantic.Layer, tables []catalog.Table, graph *plan.Graph, units Units, lex Lexis) *View {
	v := &View{Graph: graph, byTable: map[string]*Table{}, byID: map[string]*Column{}, years: map[int]bool{}}
	for i := range layer.Entities {
		t := &Table{Entity: &layer.Entities[i]}
		for _, w := range wordsOf(t.Names.EN) {
			t.stems = append(t.stems, token.Stem(w))
		}
		if graph != nil {
			t.place = graph.Place(t.Full())
		}
		v.Tables = append(v.Tables, t)
		v.byTable[t.Full()] = t
	}
	points, columns, kept := pointers(layer), storedOf(tables), tablesOf(tables)
	for i := range layer.Dimensions {
		d := &layer.Dimensions[i]
		t := v.byTable[d.Table]
		if t == nil {
			continue
		}
		if d.Elapsed != nil { // of no stored column
			v.byID[d.ID] = &Column{Dimension: d, Of: t, Nature: Level, Unit: d.Elapsed.Unit, words: wordsOf(d.Names.EN)}
			continue
		}
		c := &Column{Dimension: d, Of: t, Time: daytext.Holds(d), Points: points[d.ID], words: lex.Written(wordsOf(d.Names.EN))}
		if stored := columns[d.ID]; stored != nil {
			quantity, _ := units(strings.ToLower(stored.Unit))
			c.Money = quantity == "money"
			if quantity != "" && stored.Unit != "%" && c.Numeric() {
				c.Unit = strings.ToLower(stored.Unit)
			}
			c.serial = semantic.RunningNumber(stored, kept[t.Full()].RowCount)
			c.Low, c.High = stored.Low, stored.High
			c.Distinct, c.Nullable, c.Missing, c.Parts = stored.Distinct, !stored.NotNull, stored.Missing, stored.Unit == "%"
		}
		if last := len(c.words) - 1; c.Unit == "" && last > 0 && c.Numeric() && isCurrency(c.words[last], units) {
			c.Money, c.Unit = true, c.words[last] // fee_eur
		}
		c.Nature = natureOf(c, points[d.ID])
		c.Money = c.Money || c.Unit == "" && (c.Nature == Amount || c.Nature == Level) && sayMoney(c.words)
		t.Columns = append(t.Columns, c)
		v.byID[d.ID] = c
	}
	for _, t := range v.Tables {
		for _, k := range t.Entity.Key {
			if c := t.Column(k); c != nil {
				t.Key = append(t.Key, c)
			}
		}
		t.persons = t.holdsPersons()
		stored := cmp.Or(kept[t.Full()], &catalog.Table{}) // a layer may tell of more tables
		t.Label = labelOf(t, stored.RowCount, graph != nil && slices.ContainsFunc(graph.Edges(t.Full()), func(e plan.Edge) bool { return e.Many && e.To != t.Full() }))
		t.Namesakes = len(t.Label) > 0 && shared(t.Label, stored.RowCount)
		if days := t.Days(); len(days) == 1 && days[0].Distinct > 1 && days[0].Distinct == stored.RowCount {
			t.OfDays = days[0]
		}
		t.ofPersons = t.holdsFigures(stored.RowCount)
		t.describe(stored.Dependencies)
		t.tellYears()
		for _, c := range t.Columns {
			if c.Year > 0 {
				v.years[c.Year] = true
			}
		}
		t.Observed = observed(t, stored.RowCount, stored.RowKey)
		if o := t.Observed; o != nil && o.Titled {
			t.Label, t.Namesakes = []*Column{o.Thing}, true
		}
	}
	v.place = v.placeColumn()
	v.flows = v.flowing()
	v.indexNames(units, lex)
	v.indexMorphemes()
	v.indexKinds(units)
	v.indexValues(lex)
	return v
}

// storedOf are the stored columns, by their ids.
func storedOf(tables []catalog.Table) map[string]*catalog.Column {
	out := map[string]*catalog.Column{}
	for i := range tables {
		for j := range tables[i].Columns {
			out[tables[i].Name.String()+"."+tables[i].Columns[j].Name] = &tables[i].Columns[j]
		}
	}
	return out
}

// Stems are those of the words of the table's English name, in order.
func (t *Table) Stems() []string { return t.stems }

// Full is the full name of the table.
func (t *Table) Full() string { return t.Entity.Table }

// Column finds a column by its name.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if strings.EqualFold(c.Expr, name) {
			return c
		}
	}
	return nil
}

// Days are the columns that date the rows of a table.
func (t *Table) Days() []*Column {
	var out []*Column
	for _, c := range t.Columns {
		if c.Time {
			out = append(out, c)
		}
	}
	return out
}

// TableOf finds a table by its full name.
func (v *View) TableOf(name string) *Table { return v.byTable[name] }

// ColumnOf finds a column by its id.
func (v *View) ColumnOf(id string) *Column { return v.byID[id] }

// Unique reports whether a column tells the rows of its table apart.
func (c *Column) Unique() bool { return len(c.Of.Key) == 1 && c.Of.Key[0] == c }

// ThingOf is the table whose things a column tells apart: its own where it is the key, else
// the one to whose key it points; nil: it tells none apart.
func (v *View) ThingOf(c *Column) *Table {
	if c.Unique() {
		return c.Of
	}
	var found *Table
	for _, e := range v.Graph.Edges(c.Of.Full()) {
		if e.Many || len(e.Columns) != 1 || !strings.EqualFold(e.Columns[0], c.Expr) {
			continue
		}
		t := v.byTable[e.To]
		if t == nil || len(t.Key) != 1 || !strings.EqualFold(t.Key[0].Expr, e.ToCols[0]) || found != nil && found != t {
			return nil
		}
		found = t
	}
	return found
}

// OneRow reports whether a row of from meets at most one row of to.
func (v *View) OneRow(from, to *Table) bool {
	return from == to || v.Graph.OneRow(from.place, to.place)
}

// Owns reports whether a row of from may have many of to: those that point to it, or that a table
// which does no more than that puts beside it.
func (v *View) Owns(from, to *Table) bool {
	if from == to || v.OneRow(from, to) {
		return false
	}
	if v.OneRow(to, from) {
		return true
	}
	path := v.Graph.Path(from.Full(), to.Full())
	return len(path) == 2 && path[0].Many && !path[1].Many && v.byTable[path[0].To] != nil && v.byTable[path[0].To].Bridge()
}

// Distance is how far apart two tables are; plan.Unreachable where no joins lead
// from one to the other.
func (v *View) Distance(a, b *Table) float64 {
	if a == b {
		return 0
	}
	return v.Graph.DistanceOf(a.place, b.place)
}

// Pointing are the tables of which many rows point to one of a table, without those that
// only put rows beside each other.
func (v *View) Pointing(to *Table) []*Table {
	var out []*Table
	for _, e := range v.Graph.Edges(to.Full()) {
		if t := v.byTable[e.To]; t != nil && e.Many && t != to && !t.Bridge() && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// maxSteps bounds the joins of a way from one table to another.
const maxSteps = 4

// Ways is in how many ways the rows of a table lead to at most one of another each, by
// as few joins as there are; 0: in none.
func (v *View) Ways(from, to *Table) int {
	shortest := len(v.Graph.Path(from.Full(), to.Full()))
	if shortest == 0 {
		return 0
	}
	n := 0
	var walk func(at string, seen []string)
	walk = func(at string, seen []string) {
		for _, e := range v.Graph.Edges(at) {
			switch {
			case e.Many || slices.Contains(seen, e.To):
			case e.To == to.Full():
				n++
			case len(seen) < min(maxSteps, shortest):
				walk(e.To, append(slices.Clip(seen), e.To))
			}
		}
	}
	walk(from.Full(), []string{from.Full()})
	return n
}

// Meeting is the table to which the rows of two others both lead, where they have no more
// to do with each other than that; nil: there is another way, or none.
func (v *View) Meeting(from, to *Table) *Table {
	path := v.Graph.Path(from.Full(), to.Full())
	for i := 1; i < len(path); i++ {
		if !path[i-1].Many && path[i].Many {
			return v.byTable[path[i].From]
		}
	}
	return nil
}

// tablesOf are the stored tables, by their names.
func tablesOf(tables []catalog.Table) map[string]*catalog.Table {
	out := map[string]*catalog.Table{}
	for i := range tables {
		out[tables[i].Name.String()] = &tables[i]
	}
	return out
}

// perName is how many rows of a name there are at least where it names what the rows are
// about, and not the rows: the site of a charging session.
const perName = 3

// labelOf are the columns that name a row of a table, which has so many rows. What many
// rows are called alike, as products are in a table of sales, is no name of theirs, unless it is
// called just a name or that of a person, and other tables point to the things: many dogs are called
// Max.
func labelOf(t *Table, rows int64, pointed bool) []*Column {
	var list []*Column
	for _, name := range t.Entity.Label {
		if c := t.Column(name); c != nil {
			list = append(list, c)
		}
	}
	if len(list) > 0 && shared(list, rows) && !(pointed && (len(list) == 1 && list[0].ownName() || t.Persons())) {
		return nil
	}
	return list
}

// shared reports whether so many rows are known to be called alike that they hardly have names of
// their own.
func shared(label []*Column, rows int64) bool {
	different := int64(1)
	for _, c := range label {
		if c.Distinct == 0 {
			return false
		}
		different *= max(1, min(c.Distinct, rows))
	}
	return different*perName <= rows
}

// ownName reports whether a column is called just a name, or the name of what its table holds.
func (c *Column) ownName() bool {
	text := strings.ToLower(c.Expr)
	if han(text) {
		return slices.ContainsFunc(namingHan, func(end string) bool {
			whose, ok := strings.CutSuffix(text, end)
			return ok && strings.Contains(c.Of.Names.ZH+c.Of.Names.EN, whose)
		})
	}
	words, own := c.Words(), roleStems(c.Of.Names.EN)
	return len(words) > 0 && slices.Contains([]string{"name", "title"}, words[len(words)-1]) &&
		!slices.ContainsFunc(words[:len(words)-1], func(w string) bool { return !slices.Contains(own, token.Stem(w)) })
}

// Bridge reports whether the rows of a table do no more than put rows of others beside
// each other.
func (t *Table) Bridge() bool {
	for _, c := range t.Columns {
		if c.Nature != Identifier && !c.Time {
			return false
		}
	}
	return len(t.Columns) > 1
}
