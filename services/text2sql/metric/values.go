package metric

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// nearValue reports whether some table of the metrics, or one joined to it, has a
// dimension that holds the value.
func (r *reader) nearValue(u *unit) bool {
	return slices.ContainsFunc(u.ids(kindValue), func(id string) bool { return r.nearness(id) > 1 })
}

// besideValue reports whether a name only says whose value its neighbour is:
// "category Mobile".
func (r *reader) besideValue(u *unit) bool {
	for _, by := range []int{-1, 1} {
		o := r.around(by)
		if o != nil && by > 0 && !u.plural() && (o.is("not") || o.is("cmp") && o.arg("cmp") == "<>") { // "any platform except web"
			o = r.around(by + 1)
		}
		if o == nil || !o.has(kindValue) {
			continue
		}
		for _, id := range u.ids(kindDimension) {
			if slices.Contains(o.ids(kindValue), id) {
				return true
			}
		}
	}
	return false
}

// value adds a condition; more values of a dimension widen it. Where several
// dimensions hold the value, the one nearest to the metrics is meant.
func (r *reader) value(u *unit, grouped bool) {
	var m meaning
	best, several := -1, false
	for _, x := range u.meanings {
		if x.kind != kindValue {
			continue
		}
		near := 2 * r.nearness(x.id)
		if r.beside(x.id) {
			near += 3
		}
		switch {
		case near > best:
			best, m, several = near, x, false
		case near == best && x.id != m.id && r.ofMart(x.id) != r.ofMart(m.id):
			if r.ofMart(x.id) {
				m, several = x, false
			}
		case near == best && x.id != m.id:
			several = several || r.otherThing(x.id, m.id)
		}
	}
	if several {
		r.doubt("a value that several things have")
	}
	m.id = r.inRole(m.id)
	op := intent.In
	if r.negated {
		op = intent.NotIn
	}
	r.negated = r.negated && r.listed()
	r.span(u, "value", m.id+" = "+m.value)
	if m.id == dayTypeID {
		r.dayTypes(grouped)
	}
	if op == intent.In {
		r.values = append(r.values, readValue{r.pos, m.id, m.value})
	}
	if grouped && op == intent.In {
		r.group = r.listed()
	}
	r.addValue(m.id, m.value, op)
}

// ofMart reports whether a dimension is of a mart of the metrics that are asked for.
func (r *reader) ofMart(id string) bool {
	marts := map[string]bool{}
	for _, m := range r.metrics() {
		if x, ok := r.names.layer.Metric(m); ok {
			marts[x.Mart] = x.Mart != ""
		}
	}
	return slices.ContainsFunc(r.names.layer.Dimensions, func(d semantic.Dimension) bool { return d.ID == id && marts[d.Mart] })
}

// otherThing reports whether two dimensions are of different tables and thus
// narrow a number differently: the town of the pupils is not that of the branch.
// Tables that hold one dimension by one name hold the same thing.
func (r *reader) otherThing(a, b string) bool {
	at := func(id string) (name semantic.Text, tables []string) {
		for _, d := range r.names.layer.Dimensions {
			if Base(d.ID) == id {
				name, tables = d.Names, append(tables, d.Table)
			}
		}
		return name, tables
	}
	nameA, tablesA := at(a)
	nameB, tablesB := at(b)
	return nameA != nameB && !slices.ContainsFunc(tablesA, func(t string) bool { return slices.Contains(tablesB, t) })
}

func (r *reader) addValue(dimension, value string, op intent.Op) {
	for _, spelt := range r.spellings(dimension, value) {
		r.addSpelling(dimension, spelt, op)
	}
}

// spellings are the values of a dimension that people do not tell from one, itself among
// them: "Card" and "card".
func (r *reader) spellings(dimension, value string) []string {
	out := []string{value}
	for i := range r.names.layer.Dimensions {
		d := &r.names.layer.Dimensions[i]
		if Base(d.ID) != dimension {
			continue
		}
		for _, v := range d.Values {
			if schema.Spelling(v.Value) == schema.Spelling(value) && !slices.Contains(out, v.Value) {
				out = append(out, v.Value)
			}
		}
	}
	return out
}

// differing is how many values people tell apart there are.
func differing(values []intent.Literal) int {
	said := map[string]bool{}
	for _, v := range values {
		said[schema.Spelling(v.Text)] = true
	}
	return len(said)
}

func (r *reader) addSpelling(dimension, value string, op intent.Op) {
	lit := intent.Literal{Text: value}
	for i := range r.out.Intent.Filters {
		c := &r.out.Intent.Filters[i]
		if c.Op == op && c.Left != nil && c.Left.ID == dimension {
			if !slices.Contains(c.Values, lit) {
				c.Values = append(c.Values, lit)
			}
			return
		}
	}
	r.out.Intent.Filters = append(r.out.Intent.Filters, intent.Cond{
		Op: op, Left: &intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: dimension}}, Values: []intent.Literal{lit},
	})
}
