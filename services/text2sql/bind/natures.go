package bind

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// nature is what the values of a column are: what may be done with them hangs on it.
type nature int

// Natures of columns.
const (
	amount     nature = iota // adds up
	level                    // of one thing at one time, as an age or a rate: its sum means nothing
	calendar                 // part of a date: a year
	place                    // a coordinate
	identifier               // tells rows apart, in digits or not
)

// use is what a reading does with the values of a column.
type use int

// Uses of columns.
const (
	summed  use = iota
	implied     // summed although no word says so: "fee per vet"
	averaged
	picked // the largest or smallest of them, or the rows that have it
	compared
)

// permission says whether a use makes sense.
type permission int

// Permissions of uses.
const (
	yes permission = iota
	no
	named // where the question names the column, not only what it belongs to
)

// permissions is the table of what makes sense; what it lacks does.
var permissions = map[nature]map[use]permission{
	level:      {implied: no},
	calendar:   {summed: no, implied: no},
	place:      {summed: no, implied: no},
	identifier: {summed: no, implied: no, averaged: no, picked: named, compared: named},
}

// natureWords sort columns by the words of their names; the first that fits counts.
var natureWords = []struct {
	nature nature
	last   []string // last word of a name
	any    []string // any word of it
}{
	{identifier, []string{"id", "ids", "key", "code", "uuid", "guid", "uid", "pk", "sk", "fk", "sku", "ip", "serial", "imei", "url"}, []string{
		"phone", "telephone", "tel", "fax", "mobile", "cellphone", "zip", "zipcode", "postcode", "postal", "isbn", "issn", "ssn", "iban", "barcode"}},
	{calendar, []string{"year", "yr", "month", "quarter", "week", "weekday", "day", "founded", "established"}, nil},
	{place, []string{"latitude", "longitude", "lat", "lng", "lon"}, nil},
	{level, []string{"age", "rate", "rating", "ratio", "percent", "percentage", "pct", "temperature", "rank", "ranking", "gpa", "humidity"}, nil},
}

// counters are first words of names that count things, whatever follows: "number of
// phones".
var counters = []string{"number", "num", "no", "count", "total", "sum", "amount", "average", "avg", "n"}

// numbered are last words of names that number things, where no counter begins them:
// "account number".
var numbered = []string{"number", "no", "nr", "nbr"}

// natureOf says what the values of a column are. points tells that it points to the
// rows of another table, key that it alone is its table's key.
func natureOf(d *semantic.Dimension, points, key bool) nature {
	words := strings.Fields(strings.ToLower(d.Names.EN))
	if points {
		return identifier
	}
	if n := len(words); n > 0 && !(n > 1 && slices.Contains(counters, words[0])) {
		for _, k := range natureWords {
			if slices.Contains(k.last, words[n-1]) || slices.ContainsFunc(k.any, func(w string) bool { return slices.Contains(words, w) }) {
				return k.nature
			}
		}
		if n > 1 && slices.Contains(numbered, words[n-1]) {
			return identifier
		}
	}
	if key {
		return identifier
	}
	return amount
}

// pointers are the ids of the columns that point to another table.
func pointers(l *semantic.Layer) map[string]bool {
	out := map[string]bool{}
	for _, j := range l.Joins {
		for i, c := range j.Columns {
			switch j.Cardinality {
			case semantic.ManyToOne, semantic.OneToOne:
				out[j.From+"."+c] = true
			case semantic.OneToMany:
				out[j.To+"."+j.ToColumns[i]] = true
			case semantic.ManyToMany:
				out[j.From+"."+c], out[j.To+"."+j.ToColumns[i]] = true, true
			}
		}
	}
	return out
}

// natures sorts the columns of a layer.
func natures(l *semantic.Layer, points map[string]bool) map[string]nature {
	keys := map[string]bool{}
	for i := range l.Entities {
		if e := &l.Entities[i]; len(e.Key) == 1 {
			keys[e.Table+"."+e.Key[0]] = true
		}
	}
	out := make(map[string]nature, len(l.Dimensions))
	for i := range l.Dimensions {
		d := &l.Dimensions[i]
		out[d.ID] = natureOf(d, points[d.ID], keys[d.Table+"."+d.Expr])
	}
	return out
}

// may reports whether a use of a column makes sense where the question names it or
// not.
func (l *Layer) may(d *semantic.Dimension, u use, isNamed bool) bool {
	switch permissions[l.natures[d.ID]][u] {
	case no:
		return false
	case named:
		return isNamed
	case yes:
	}
	return true
}

// tallies makes "the most countries", where a column points to them, the most rows
// of them: what identifies things has no amount.
func (b *builder) tallies() {
	for i, o := range b.draft.Orders {
		e := o.By
		if e == nil || !e.Total || e.Agg != "" || e.Table {
			continue
		}
		c := b.exprs[e]
		if c.dim == nil || b.layer.may(c.dim, picked, b.names(c.dim)) {
			continue
		}
		rows := *e
		rows.Agg, rows.Distinct, rows.Total = intent.AggCount, b.layer.points[c.dim.ID], false
		b.exprs[&rows] = c
		b.draft.Orders = slices.Clone(b.draft.Orders)
		b.draft.Orders[i].By = &rows
	}
}

// names reports whether the question names a column: an identifier as such, and not
// only the thing that it identifies.
func (b *builder) names(d *semantic.Dimension) bool {
	for i, c := range b.state.picks {
		e := b.slots[i].expr
		if c.dim != d || e == nil || e.Item == nil {
			continue
		}
		if saysIdentifier(e.Item.Text) {
			return true
		}
		if !b.layer.points[d.ID] && len(e.Item.Tables) == 0 && slices.ContainsFunc(e.Item.Columns, func(m link.ColumnMatch) bool { return m.Dim == d && m.Score >= link.WholeName }) {
			return true
		}
	}
	return false
}

// identifierEnds are how Chinese words for identifiers end.
var identifierEnds = []string{"号", "码", "编", "代码", "电话", "手机"}

// saysIdentifier reports whether words name an identifier: "vet id", 订单编号.
func saysIdentifier(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return false
	}
	last := strings.TrimSuffix(words[len(words)-1], "s")
	for _, k := range natureWords {
		if k.nature == identifier && (slices.Contains(k.last, last) || slices.Contains(k.any, last)) {
			return true
		}
	}
	return slices.Contains(numbered, last) || slices.ContainsFunc(identifierEnds, func(end string) bool { return strings.HasSuffix(last, end) })
}

var aggregateUses = map[intent.Agg][]use{
	intent.AggSum: {summed}, intent.AggAvg: {averaged}, intent.AggMin: {picked}, intent.AggMax: {picked},
}

// misuses doubts what makes no sense of a column's values; picks tells that the order
// picks rows out.
func (b *builder) misuses(in *intent.Intent, picks bool) {
	for _, o := range in.Select {
		b.misuse(o)
	}
	for _, o := range in.OrderBy {
		if picks {
			b.misuse(o.By, picked)
		} else {
			b.misuse(o.By)
		}
	}
	for _, list := range [][]intent.Cond{in.Filters, in.Having} {
		for i := range list {
			b.misusesIn(&list[i])
		}
	}
	if in.Set != nil {
		b.misuses(&in.Set.Right, picks)
	}
}

func (b *builder) misusesIn(c *intent.Cond) {
	for _, o := range []*intent.Output{c.Left, c.Right} {
		switch {
		case o == nil:
		case c.Op.Ordered():
			b.misuse(*o, compared)
		default:
			b.misuse(*o)
		}
	}
	for i := range c.Args {
		b.misusesIn(&c.Args[i])
	}
	if c.Sub != nil {
		b.misuses(c.Sub, c.Sub.Limit > 0)
	}
}

// misuse doubts an output by its aggregate, or without one by the uses given. What is
// calculated with has to have a mean, at least.
func (b *builder) misuse(o intent.Output, uses ...use) {
	switch {
	case o.Calc != nil:
		for _, leaf := range o.Leaves() {
			b.misuse(leaf, averaged)
		}
		return
	case o.Agg != intent.AggNone:
		uses = aggregateUses[o.Agg]
	}
	d := b.layer.byID[o.ID]
	if o.Kind != intent.KindDimension || d == nil {
		return
	}
	for _, u := range uses {
		if !b.layer.may(d, u, b.names(d)) {
			b.doubt("misuse", "%s holds no amounts", d.ID)
		}
	}
}
