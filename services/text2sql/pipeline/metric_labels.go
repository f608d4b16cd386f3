package pipeline

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// labels names the columns of a metric.
func (p *Pipeline) labels(in Input, i *intent.Intent, o intent.Output) []Label {
	l := in.Language
	m := baseOf(in.Schema.written, semantic.Metric{ID: o.ID})
	name := l.Pick(m.Names.EN, m.Names.ZH)
	plain := Label{Column: metric.Base(o.ID), Label: name, Unit: unitOf(m.Unit), Better: m.Better, Level: m.Additivity == semantic.SemiAdditive}
	as := func(id, unit string, args ...any) Label {
		return Label{Column: metric.Column(o), Label: p.messages.text(l, id, args...), Unit: unit}
	}
	if of, compared := comparedOf(o); compared {
		if inner := p.labels(in, i, of); len(inner) > 0 {
			name, plain.Unit = inner[len(inner)-1].Label, inner[len(inner)-1].Unit
		}
	}
	switch o.Agg {
	case intent.AggShare:
		if part := p.part(in, i); part != "" {
			return []Label{plain, as("label_share_of_part", "%", name, part)}
		}
		return []Label{plain, as("label_share", "%", name)}
	case intent.AggAvg:
		if o.Per.Kind == intent.KindEntity {
			return []Label{as("label_mean_per", plain.Unit, name, p.entityName(in, o.Per.ID))}
		}
		return []Label{as("label_average_"+o.Per.Grain, plain.Unit, name)}
	case intent.AggPrevious:
		return []Label{as("label_previous", plain.Unit, name)}
	case intent.AggChange:
		return []Label{as("label_change", differenceUnit(plain.Unit), name)}
	case intent.AggChangeRate:
		return []Label{as("label_change_rate", "%", name)}
	case intent.AggRatio:
		by := baseOf(in.Schema.written, semantic.Metric{ID: o.Per.ID})
		return []Label{as("label_ratio", "", name, l.Pick(by.Names.EN, by.Names.ZH))}
	case intent.AggWindow:
		if o.Window.N == 0 {
			return []Label{as("label_cumulative", plain.Unit, name)}
		}
		return []Label{as("label_rolling_"+string(o.Window.Agg), plain.Unit, name, o.Window.N, p.messages.text(l, "unit_"+o.Window.Unit))}
	}
	return []Label{plain}
}

// part says which part of the whole a share is; empty where it is that of each group.
func (p *Pipeline) part(in Input, i *intent.Intent) string {
	if i.Part == "" {
		return ""
	}
	name := in.Schema.nameOf(in)
	for _, c := range i.Filters {
		switch {
		case c.Left != nil && c.Left.ID == i.Part:
			values := make([]string, len(c.Values))
			for k, v := range c.Values {
				values[k] = v.Text
			}
			return p.messages.text(in.Language, "part_value_"+string(c.Op), name(i.Part), strings.Join(values, ", "))
		case c.ID == i.Part && c.Op == intent.Named:
			return name(i.Part)
		case c.Op == intent.Not && len(c.Args) == 1 && c.Args[0].ID == i.Part:
			return p.messages.text(in.Language, "part_not", name(i.Part))
		}
	}
	return ""
}

func (p *Pipeline) entityName(in Input, id string) string {
	for _, e := range in.Schema.written.Entities {
		if e.ID == id {
			return in.Language.Pick(e.Names.EN, e.Names.ZH)
		}
	}
	return id
}

// unitOf is the unit that people read: ratios are percentages, amounts have a
// currency. Of counts the name already says what is counted.
func unitOf(unit string) string {
	switch {
	case unit == "ratio", unit == "%":
		return "%"
	case len(unit) == 3 && unit == strings.ToUpper(unit): // ISO 4217
		return unit
	case unit == "minutes", unit == "seconds", unit == "hours", unit == "days", unit == "kg":
		return unit
	}
	return ""
}

// comparedOf is what a value of a comparison compares, where that is no plain metric:
// a share, or a mean.
func comparedOf(o intent.Output) (of intent.Output, ok bool) {
	switch o.Agg {
	case intent.AggPrevious, intent.AggChange, intent.AggChangeRate:
		of = o
		of.Agg, of.Base = o.Base, ""
		return of, o.Base != ""
	}
	return o, false
}

// UnitPoints is the unit of the difference of two percentages.
const UnitPoints = "pp"

func differenceUnit(unit string) string {
	if unit == "%" {
		return UnitPoints
	}
	return unit
}

// countLabels names the column of a question that counts what it groups by.
func (p *Pipeline) countLabels(in Input, i *intent.Intent) []Label {
	var out []Label
	for _, f := range i.GroupBy {
		name := in.Schema.nameOf(in)(f.ID)
		out = append(out, Label{Column: "number_of_" + f.ID, Label: p.messages.text(in.Language, "label_count", in.Language.Pick(lexicon.Plural(name), name))})
	}
	return out
}
