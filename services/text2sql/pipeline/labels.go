package pipeline

import (
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// freeLabels names the aggregates of a result over tables as people would.
func (p *Pipeline) freeLabels(l lang.Language, gen *sqlgen.Generator, in *intent.Intent) []Label {
	var out []Label
	names := gen.Columns(in)
	for i, o := range in.Select {
		if o.OfComparison() {
			base := o.Compared()
			own := p.freeLabels(l, gen, &intent.Intent{Select: []intent.Output{base}})
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
