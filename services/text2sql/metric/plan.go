package metric

import (
	"errors"
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Plan is where the numbers of an intent come from: one part for each table.
// Each part is aggregated to what the intent groups by before the parts come
// together, so that no row of one is repeated by rows of another.
type Plan struct {
	Parts []Part
}

// Part is what one table gives.
type Part struct {
	Choice
	Outputs []intent.Output // in the order of Choice.Metrics
}

// MaxParts bounds the tables of one answer.
const MaxParts = 6

// Choose finds the tables that have the metrics of an intent with all dimensions
// that it needs: one for all of them where there is one, else few.
func Choose(layer *semantic.Layer, in *intent.Intent) (Plan, error) {
	if err := valid(layer, in); err != nil {
		return Plan{}, err
	}
	outputs, err := bases(layer, in)
	if err != nil {
		return Plan{}, err
	}
	whole, err := chooseOne(layer, blockIntent(in, outputs))
	if err == nil {
		return Plan{Parts: []Part{{whole, outputs}}}, nil
	}
	if len(outputs) < 2 || needsCountry(err) {
		return Plan{}, err
	}
	return chooseParts(layer, in, outputs)
}

// chooseParts puts each metric into the first part that can take it too, else
// into a part of its own.
func chooseParts(layer *semantic.Layer, in *intent.Intent, outputs []intent.Output) (Plan, error) {
	var plan Plan
	for _, o := range outputs {
		if plan.extend(layer, in, o) {
			continue
		}
		c, err := chooseOne(layer, blockIntent(in, []intent.Output{o}))
		if err != nil {
			return Plan{}, err
		}
		if plan.Parts = append(plan.Parts, Part{c, []intent.Output{o}}); len(plan.Parts) > MaxParts {
			return Plan{}, &Problem{Code: "TOO_MANY_PARTS"}
		}
	}
	return plan, nil
}

func (p *Plan) extend(layer *semantic.Layer, in *intent.Intent, o intent.Output) bool {
	for i := range p.Parts {
		more := append(slices.Clone(p.Parts[i].Outputs), o)
		if c, err := chooseOne(layer, blockIntent(in, more)); err == nil {
			p.Parts[i] = Part{c, more}
			return true
		}
	}
	return false
}

func needsCountry(err error) bool {
	var p *Problem
	return errors.As(err, &p) && p.Code == "NEED_COUNTRY"
}

// blockIntent asks for some values by what an intent groups by, without order,
// limit or conditions on results.
func blockIntent(in *intent.Intent, outputs []intent.Output) *intent.Intent {
	return &intent.Intent{
		Type: in.Type, Country: in.Country, AllCountries: in.AllCountries, ShareOf: in.ShareOf, Part: in.Part,
		Select: outputs, Filters: in.Filters, GroupBy: in.GroupBy, Time: in.Time, Counted: in.Counted, Segments: in.Segments,
	}
}

// Metrics are those that tables are asked for.
func (p Plan) Metrics() []semantic.Metric {
	var out []semantic.Metric
	for _, part := range p.Parts {
		for _, m := range part.Choice.Metrics {
			if !slices.ContainsFunc(out, func(x semantic.Metric) bool { return x.ID == m.ID }) {
				out = append(out, m)
			}
		}
	}
	return out
}

// Names returns the layer's table names that a plan reads, with the countries
// put in.
func (p Plan) Names(layer *semantic.Layer) []string {
	var out []string
	for _, part := range p.Parts {
		for _, name := range part.Choice.Names(layer) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// Joins counts the joins of all parts.
func (p Plan) Joins() int {
	n := len(p.Parts) - 1
	for _, part := range p.Parts {
		n += len(part.Joins)
	}
	return n
}

// ByCountry reports whether some part tells the countries apart or reads some of
// them only.
func (p Plan) ByCountry() bool {
	return slices.ContainsFunc(p.Parts, func(part Part) bool {
		_, grouped := part.Dimensions[countryDimension]
		return grouped || len(part.Countries) > 0
	})
}
