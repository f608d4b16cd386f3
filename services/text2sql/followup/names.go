package followup

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// countryDimension is the id by which answers are split by country.
const countryDimension = "country"

var byCountry = intent.Field{Kind: intent.KindDimension, ID: countryDimension}

// piece reads a name or a time.
func (r *reader) piece(p *Piece) {
	if p.Date != nil {
		r.date(p.Date)
		return
	}
	r.byFigure = r.group
	r.name(p)
	r.group, r.sort = false, false
	if r.once {
		r.mode, r.once = modeSet, false
	}
}

func (r *reader) date(f *dates.Found) {
	switch {
	case f.Grain != "" && r.mode == modeDrop:
		r.edit(Edit{Do: DropGrain, Unit: f.Grain})
	case f.Grain != "":
		r.edit(Edit{Do: SetGrain, Unit: f.Grain})
	case r.vs:
		r.edit(Edit{Do: Compare, Date: f})
		r.vs = false
	case r.mode == modeDrop && r.once: // "yesterday instead of last week": told, and replaced anyway
	case r.mode == modeDrop:
		r.edit(Edit{Do: SetRange, Date: nil})
	default:
		r.edit(Edit{Do: SetRange, Date: f})
	}
	r.group = false
	if r.once {
		r.mode, r.once = modeSet, false
	}
}

// of returns the names of some kinds, in their order.
func (p *Piece) of(kinds ...NameKind) []Name {
	var out []Name
	for _, n := range p.Names {
		if slices.Contains(kinds, n.Kind) {
			out = append(out, n)
		}
	}
	return out
}

// name decides between the meanings of a name as questions do: what is grouped by
// first where that is expected, then a country, a metric, a named condition, a value.
// A dimension or entity of which the earlier question already showed one is the one
// that takes its place.
func (r *reader) name(p *Piece) {
	split := p.of(Entity, Dimension)
	countries, metrics, values := p.of(Country), p.of(Metric), r.nearest(p.of(Value))
	named := p.of(Exclusion, Filter)
	switch {
	case r.sort && len(metrics)+len(split) > 0:
		r.order(metrics, split)
	case len(metrics) > 0 && r.either(p.of(Entity), metrics[0]):
	case r.group && len(split) > 0, len(split) > 0 && len(countries)+len(values) == 0 && r.shows(split[0].Kind) && !r.rank && len(metrics) == 0:
		r.split(split)
	case len(countries) > 0:
		r.widen(Edit{Do: pick(r.mode, SetCountry, AddCountry, DropCountry), Values: []string{countries[0].ID}})
	case len(metrics) > 0:
		r.widen(Edit{Do: pick(r.mode, SetMetric, AddMetric, DropMetric), Values: []string{metrics[0].ID}})
	case len(named) > 0:
		do := pick(r.mode, KeepNamed, KeepNamed, DropNamed)
		if named[0].Kind == Exclusion {
			do = KeepNamed // "without test sellers" is the name itself
		}
		r.widen(Edit{Do: do, Values: []string{named[0].ID}})
	case len(values) > 0:
		r.widen(Edit{Do: pick(r.mode, SetValue, AddValue, DropValue), Field: intent.Field{Kind: intent.KindDimension, ID: values[0].ID}, Values: []string{values[0].Value}})
	case len(split) > 0 && r.besideValue(split):
	case len(split) > 0:
		r.split(split)
	}
}

// either keeps both meanings of a name that counts things and stands for them, after
// an answer that lists other things: "show the buyers instead".
func (r *reader) either(entities []Name, metric Name) bool {
	if r.group || r.sort || r.rank || r.mode != modeSet || r.once || len(entities) == 0 || !r.shows(Entity) {
		return false
	}
	split := Edit{Do: SetGroup, Field: intent.Field{Kind: intent.KindEntity, ID: entities[0].ID}}
	if slices.Contains(r.prev.GroupBy, split.Field) {
		return false
	}
	number := Edit{Do: SetMetric, Values: []string{metric.ID}}
	switch r.meant {
	case SetGroup:
		r.edit(split)
	case SetMetric:
		r.edit(number)
	default:
		r.out.Either = []Edit{split, number}
	}
	return true
}

func pick(m mode, set, add, drop Do) Do {
	switch m {
	case modeAdd:
		return add
	case modeDrop:
		return drop
	}
	return set
}

// nearest puts the values of a dimension first that the earlier question filtered or
// grouped by: the same word may be stored in several.
func (r *reader) nearest(values []Name) []Name {
	slices.SortStableFunc(values, func(a, b Name) int { return r.used(b.ID) - r.used(a.ID) })
	return values
}

func (r *reader) used(id string) int {
	n := 0
	for _, f := range r.prev.Fields() {
		if f.ID == id {
			n++
		}
	}
	return n
}

// shows reports whether the earlier answer was split by something of a kind.
func (r *reader) shows(k NameKind) bool {
	return slices.ContainsFunc(r.prev.GroupBy, func(f intent.Field) bool { return string(f.Kind) == string(k) })
}

// split groups by a name. A thing wins over the column that merely holds its name.
func (r *reader) split(names []Name) {
	f := intent.Field{Kind: intent.Kind(names[0].Kind), ID: names[0].ID}
	for i := range r.out.Edits { // "by category and brand"
		if o := &r.out.Edits[i]; o.Do == SetGroup && r.mode == modeSet {
			r.edit(Edit{Do: AddGroup, Field: f})
			return
		}
	}
	if r.rank && r.mode == modeSet && slices.Contains(r.prev.GroupBy, f) {
		return // "top 3 sellers", which are shown already
	}
	if r.once {
		return // "guides instead of museums": the split is replaced as a whole
	}
	r.edit(Edit{Do: pick(r.mode, SetGroup, AddGroup, DropGroup), Field: f})
}

// besideValue reports whether a name only says whose value its neighbour is.
func (r *reader) besideValue(split []Name) bool {
	for _, at := range []int{r.pos - 1, r.pos + 1} {
		if at < 0 || at >= len(r.parts) || r.parts[at].piece == nil {
			continue
		}
		for _, v := range r.parts[at].piece.of(Value) {
			if slices.ContainsFunc(split, func(n Name) bool { return n.ID == v.ID }) {
				return true
			}
		}
	}
	return false
}

func (r *reader) order(metrics, split []Name) {
	e := Edit{Do: OrderBy, Desc: !r.asc, Direction: r.said}
	switch {
	case len(metrics) > 0:
		e.Field = intent.Field{Kind: intent.KindMetric, ID: metrics[0].ID}
	default:
		e.Field = intent.Field{Kind: intent.Kind(split[0].Kind), ID: split[0].ID}
		if !r.said {
			e.Desc = false
		}
	}
	r.edit(e)
}
