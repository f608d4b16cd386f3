package explain

import (
	"cmp"
	"math"
	"slices"
)

// rateAndShift splits what a part accounts for of the change of a ratio: its own quotient
// changed (rate), and its share in the base changed (shift). With the means of both
// periods as weights the parts of all add up to the change with no rest:
// sum of w*r after - before = sum of (mean w)(change of r) + (mean r - mean R)(change of w).
func rateAndShift(part, whole Amount) (rate, shift float64) {
	r, all := quotients(part), quotients(whole)
	switch { // without a base there is no quotient that could have changed
	case part.Base.Before == 0:
		r.Before = r.After
	case part.Base.After == 0:
		r.After = r.Before
	}
	w := Pair{quotient(part.Base.Before, whole.Base.Before), quotient(part.Base.After, whole.Base.After)}
	rate = mean(w) * r.Change()
	shift = (mean(r) - mean(all)) * w.Change()
	return rate, shift
}

func mean(p Pair) float64 { return p.Before/2 + p.After/2 }

// splitMix splits a ratio over the dimension of its first cause; without a cause over that
// whose mix accounts for most.
func splitMix(in *Input, causes []Cause, limits Limits) (*Mix, *Refusal) {
	for _, c := range in.Cells {
		if c.Base.Before < 0 || c.Base.After < 0 {
			return nil, &Refusal{Split: ByMix, Reason: ReasonNegative}
		}
	}
	if in.Total.Base.Before == 0 || in.Total.Base.After == 0 {
		return nil, &Refusal{Split: ByMix, Reason: ReasonZero}
	}
	var best *Mix
	for d, id := range in.Dimensions {
		if len(causes) > 0 && causes[0].Dimensions[0] != id {
			continue
		}
		if m := mixOf(in, d); best == nil || math.Abs(m.Shift) > math.Abs(best.Shift) {
			best = m
		}
	}
	best.bound(limits.Values)
	return best, nil
}

func mixOf(in *Input, dimension int) *Mix {
	m := &Mix{Dimension: in.Dimensions[dimension]}
	at := map[string]int{}
	var whole Amount
	for _, c := range in.Cells {
		whole = whole.plus(c.Amount)
		i, ok := at[c.Keys[dimension]]
		if !ok {
			i = len(m.Values)
			at[c.Keys[dimension]] = i
			m.Values = append(m.Values, MixValue{Value: c.Keys[dimension]})
		}
		m.Values[i].Amount = m.Values[i].plus(c.Amount)
	}
	// What is in no cell, such as groups cut off, is one part more.
	m.Rate, m.Shift = rateAndShift(in.Total.less(whole), in.Total)
	for i := range m.Values {
		v := &m.Values[i]
		v.Rate, v.Shift = rateAndShift(v.Amount, in.Total)
		m.Rate, m.Shift = m.Rate+v.Rate, m.Shift+v.Shift
	}
	return m
}

// bound keeps the values that account for most.
func (m *Mix) bound(values int) {
	slices.SortStableFunc(m.Values, func(a, b MixValue) int {
		return cmp.Compare(math.Abs(b.Rate+b.Shift), math.Abs(a.Rate+a.Shift))
	})
	m.Values = m.Values[:min(len(m.Values), values)]
	m.Rest = m.Rate + m.Shift
	for _, v := range m.Values {
		m.Rest -= v.Rate + v.Shift
	}
}

func (a Amount) plus(b Amount) Amount {
	return Amount{Value: a.Value.plus(b.Value), Base: a.Base.plus(b.Base)}
}

func (a Amount) less(b Amount) Amount {
	return Amount{Value: a.Value.less(b.Value), Base: a.Base.less(b.Base)}
}

func (p Pair) plus(q Pair) Pair { return Pair{p.Before + q.Before, p.After + q.After} }
func (p Pair) less(q Pair) Pair { return Pair{p.Before - q.Before, p.After - q.After} }
