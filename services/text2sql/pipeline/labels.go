package pipeline

import "github.com/dibrain/dibrain/services/text2sql/intent"

// freeLabels names the aggregates of a result over tables as people would.
func (p *Pipeline) freeLabels(in Input, meant *intent.Intent) []Label {
	var out []Label
	l, gen := in.Language, in.Schema.gen
	names := gen.Columns(meant)
	for i, o := range meant.Select {
		if o.OfComparison() {
			base := o.Compared()
			own := p.freeLabels(in, &intent.Intent{Select: []intent.Output{base}})
			if len(own) == 0 {
				continue
			}
			unit := own[0].Unit
			switch o.Agg {
			case intent.AggChange:
				unit = differenceUnit(unit)
			case intent.AggChangeRate:
				unit = "%"
			}
			out = append(out, Label{Column: names[i], Label: p.messages.text(l, "label_"+string(o.Agg), own[0].Label), Unit: unit})
			continue
		}
		if part(o) {
			out = append(out, Label{Column: names[i], Label: p.partLabel(in, meant, o), Unit: "%"})
			continue
		}
		if o.Agg == "" || o.Calc != nil || o.Per.ID != "" || o.When != nil || o.Times != "" || o.Agg == intent.AggShare {
			continue // computed values are called as their columns
		}
		id, unit := "label_"+string(o.Agg), ""
		if o.Agg == intent.AggRate {
			unit = "%"
			if !gen.OfFlag(o) {
				id = "label_part"
			}
		}
		out = append(out, Label{Column: names[i], Label: p.messages.text(l, id, gen.Words(o)), Unit: unit})
	}
	return out
}

// part reports whether a value is a fraction of all rows, or of the total of all groups.
func part(o intent.Output) bool {
	return (o.Agg == intent.AggShare || o.Agg == intent.AggRate && o.When != nil) && o.Calc == nil && o.Per.ID == "" && (o.Times == "" || o.Times == "1")
}

// partLabel says of what a value is a part, with the condition that makes the part where there
// is one.
func (p *Pipeline) partLabel(in Input, meant *intent.Intent, o intent.Output) string {
	if o.When != nil {
		r := restater{language: in.Language, texts: p.offers, figures: p.followUps.texts, schema: in.Schema}
		r.name = r.named(in.Schema.nameOf(in), meant)
		if text := r.value(o); !r.failed {
			return text
		}
	}
	return p.messages.text(in.Language, "label_share", in.Schema.gen.Words(o))
}
