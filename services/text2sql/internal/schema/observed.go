package schema

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Observed says of a table what its rows are, where they are no things of their own but what was so
// of things at times or in groups: the sales of cities by month, the workers of each job by year and
// sex, where a storm was every six hours. A number of its rows is a number of none of these.
type Observed struct {
	// Thing holds what there are several rows of each: job of jobs, name of storms, film of takings; nil: no
	// column does.
	Thing *Column
	// Titled tells that the table is called for them.
	Titled bool
	// Count holds how many there were of what a row is of; nil: no column does, or more than one.
	Count *Column
}

// Bounds of what is taken for observations.
const (
	crossRows = 20 // rows at least of which it is no chance that they are all pairs of things and times
	panelRows = 100
	filled    = 0.5 // of all pairs of the parts of a key, that are there
)

// observed finds out what the rows of a table are by the columns that tell them apart; nil where
// they are things of their own, as far as is known. rowKey are such columns, where they were found.
func observed(t *Table, rows int64, rowKey []string) *Observed {
	if len(t.Key) == 1 || rows < crossRows {
		return nil
	}
	key := slices.Clone(t.Key)
	if len(key) == 0 {
		for _, name := range rowKey {
			if c := t.Column(name); c != nil {
				key = append(key, c)
			}
		}
	}
	figures := slices.ContainsFunc(t.Columns, func(c *Column) bool {
		return (c.Nature == Amount || c.Nature == Level) && c.Distinct > 2 && !slices.Contains(key, c)
	})
	if !figures {
		return nil
	}
	o := &Observed{Thing: calledFor(t, key, rows), Count: counter(t, key)}
	if o.Titled = o.Thing != nil; !o.Titled {
		o.Thing = described(t, key, rows)
	}
	if o.Thing == nil && !crossed(key, rows) && !(rows >= panelRows && onePerPair(t.Columns, rows)) {
		return nil
	}
	return o
}

// crossed reports whether a key has a row for most of all pairs of its parts, of which one at least is a
// text, and the others are texts, times and parts of dates.
func crossed(key []*Column, rows int64) bool {
	product, texts := int64(1), 0
	for _, c := range key {
		switch {
		case c.Distinct < 2:
			return false
		case c.Nature == Text || c.Nature == Category:
			texts++
		case c.Nature != Moment && c.Nature != Calendar:
			return false
		}
		if product *= c.Distinct; filled*float64(product) > float64(rows) {
			return false
		}
	}
	return texts > 0 && len(key) > 1
}

// onePerPair reports whether there is exactly one row for each value of a column of texts with each of a
// column of times or numbers.
func onePerPair(columns []*Column, rows int64) bool {
	return slices.ContainsFunc(columns, func(thing *Column) bool {
		return (thing.Nature == Text || thing.Nature == Category) && thing.Distinct >= 2 && slices.ContainsFunc(columns, func(at *Column) bool {
			return (at.Nature == Moment || at.Nature == Calendar || at.Numeric()) && at.Distinct > 2 && at.Distinct*thing.Distinct == rows
		})
	})
}

// calledFor is the column of a key that holds the things for which a table is called, of which each has
// several rows: one of the table's own name, or one that is just called a name where the rest of the
// key is when.
func calledFor(t *Table, key []*Column, rows int64) *Column {
	for _, c := range key {
		if c.Nature != Text && c.Nature != Category || c.Distinct < 2 || c.Distinct*perName > rows || len(key) < 2 {
			continue
		}
		whens := !slices.ContainsFunc(key, func(o *Column) bool { return o != c && o.Nature != Moment && o.Nature != Calendar })
		if whens && c.ownName() || sameStems(t.stems, c.words) {
			return c
		}
	}
	return nil
}

// describe tells of each column whose things it describes.
func (t *Table) describe(dependencies []catalog.Dependency) {
	for _, d := range dependencies {
		thing := t.Column(d.Column)
		if thing == nil || thing.Nature != Text && thing.Nature != Category {
			continue
		}
		for _, name := range d.Determines {
			if c := t.Column(name); c != nil && c != thing && (c.Describes == nil || c.Describes.Distinct < thing.Distinct) {
				c.Describes = thing
			}
		}
	}
}

// DescribesThing reports whether a column describes the things of which the rows, being figures, have several
// each. Rows that are events of their own, such as sales of products at fixed prices, count each.
func (c *Column) DescribesThing() bool {
	return c.Describes != nil && c.Of.Observed != nil && c.Of.Observed.Thing == c.Describes
}

// leastDescribed is how many columns describe things at least, of which one is of numbers: that each airport is
// in one state makes strikes of birds no figures of airports.
const leastDescribed = 3

// described is the one column of a key with names of things that other columns describe, and of which each
// has several rows, at times and in groups that come again; nil: there is none, or more than one.
func described(t *Table, key []*Column, rows int64) *Column {
	if len(key) < 2 || slices.ContainsFunc(key, func(c *Column) bool {
		return !slices.Contains([]Nature{Text, Category, Moment, Calendar}, c.Nature) || c.Distinct*perName > rows
	}) {
		return nil
	}
	var found *Column
	for _, c := range key {
		describing, figures := 0, false
		for _, o := range t.Columns {
			if o.Describes == c {
				describing++
				figures = figures || o.Nature == Amount || o.Nature == Level
			}
		}
		if c.Nature != Text && c.Nature != Category || describing < leastDescribed || !figures {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// sameStems reports whether words have some stems, in order.
func sameStems(stems, words []string) bool {
	return len(stems) > 0 && slices.EqualFunc(stems, words, func(s, w string) bool { return s == token.Stem(w) })
}

// counter is the one column that says no more than how many there were.
func counter(t *Table, key []*Column) *Column {
	var found *Column
	for _, c := range t.Columns {
		if !c.Numeric() || slices.Contains(key, c) || len(c.words) == 0 || slices.ContainsFunc(c.words, func(w string) bool { return !counts(w, t) }) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// Counting are words of the names of columns that hold how many there were.
var Counting = []string{"count", "counts", "cnt", "num", "number", "n", "次数", "人数", "件数", "数量", "个数"}

// counts reports whether a word of a name says that there were many of what a table is of.
func counts(word string, t *Table) bool {
	return word == "of" || slices.Contains(Counting, word) || slices.Contains(t.stems, token.Stem(word)) || slices.ContainsFunc(semantic.Words(t.Names.ZH), func(w string) bool { return w == word })
}
