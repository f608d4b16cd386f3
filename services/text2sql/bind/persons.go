package bind

import "github.com/dibrain/dibrain/services/text2sql/intent"

// Persons turns a reading of "who" that shows an amount into one that shows whose it
// is: "who has the highest salary" asks for a name, not for a salary. It returns the
// reading's intent, changed where it picks rows of one table that has one name for
// them; ok tells whether it was.
func (l *Layer) Persons(in *intent.Intent) (named *intent.Intent, ok bool) {
	if len(in.Select) != 1 || len(in.GroupBy) > 0 || len(in.Having) > 0 || in.Set != nil || in.Distinct || len(in.Select[0].Leaves()) != 1 {
		return in, false
	}
	shown := in.Select[0]
	d := l.byID[shown.ID]
	if d == nil || d.Table != in.Entity {
		return in, false
	}
	entity := l.entities[d.Table]
	if entity == nil {
		return in, false
	}
	b := builder{layer: l, facts: map[string]float64{}}
	labels := b.labels(entity)
	if len(b.doubts) > 0 && b.facts["doubt/name_in_parts"] == 0 { // no name, or several
		return in, false
	}
	out := *in
	switch {
	case shown.Agg == intent.AggMax || shown.Agg == intent.AggMin:
		if len(in.OrderBy) > 0 {
			return in, false
		}
		by := shown
		by.Agg = intent.AggNone
		out.OrderBy, out.Limit = []intent.Order{{By: by, Desc: shown.Agg == intent.AggMax}}, 1
	case shown.Agg != intent.AggNone || len(in.OrderBy) == 0 || in.Limit <= 0:
		return in, false
	}
	out.Select = nil
	for _, label := range labels {
		out.Select = append(out.Select, intent.Output{Field: dimField(label)})
	}
	return &out, true
}
