package explain

import (
	"context"
	"math"
	"slices"
)

// Explain splits a change. It fails with a fault (pkg/fault) where the input is beyond
// the limits (EXPLAIN_TOO_LARGE) or makes no sense: keys that do not fit the dimensions,
// the same cell twice, numbers that are not finite, days out of order (EXPLAIN_INVALID).
// It returns the context's error when that ends.
func Explain(ctx context.Context, in Input, limits Limits) (Explanation, error) {
	limits = limits.complete()
	cells, err := validate(&in, limits)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Kind: in.Kind, Total: in.Total, Metric: in.Total.Value}
	if in.Kind == Ratio {
		e.Metric = quotients(in.Total)
	}
	if e.Metric.Before != 0 {
		relative := e.Metric.Change() / math.Abs(e.Metric.Before)
		e.Relative = &relative
	}
	e.Usual = usual(&in)

	var refusal *Refusal
	e.Factors, refusal = splitFactors(&in)
	e.refuse(refusal)
	if err := e.where(ctx, &in, cells, limits); err != nil {
		return Explanation{}, err
	}
	e.Onset, refusal = onset(&in, limits)
	e.refuse(refusal)
	e.Events = eventsAt(&in, e.Onset)
	e.Outcome = e.outcome(&in)
	return e, nil
}

func (e *Explanation) refuse(r *Refusal) {
	if r != nil {
		e.Refusals = append(e.Refusals, *r)
	}
}

// where fills in what the cells tell.
func (e *Explanation) where(ctx context.Context, in *Input, cells cube, limits Limits) error {
	if len(in.Cells) == 0 {
		return nil
	}
	if reason := addUp(in); reason != "" {
		e.refuse(&Refusal{Split: ByDimensions, Reason: reason})
		return nil
	}
	complement := in.Kind == Ratio && highParts(in)
	d := &drivers{Explanation: e, in: in, cube: cells, table: newTable(in.Kind, cells, complement, 0), complement: complement}
	if err := d.look(ctx, limits); err != nil {
		return err
	}
	e.Growth = d.growth()
	if in.Kind == Ratio {
		mix, refusal := splitMix(in, e.Causes, limits)
		e.Mix = mix
		e.refuse(refusal)
	}
	e.Unexplained = e.Metric.Change() - d.movement()
	for _, c := range e.Causes {
		e.Unexplained -= c.Excess
	}
	e.Telling = d.telling()
	return nil
}

// Tolerances of adding up.
const (
	// mayDiffer is by how much, relatively, cells may differ from the whole: two
	// statements of the same snapshot add doubles up in another order.
	mayDiffer = 1e-6
	// mayMiss is which part of the whole may be missing from cells that were cut off.
	mayMiss = 0.1
)

// addUp tells why cells are no parts of the whole; "" where they are.
func addUp(in *Input) Reason {
	if in.Kind == Opaque {
		return ReasonKind
	}
	var sum Amount
	for _, c := range in.Cells {
		sum = sum.plus(c.Amount)
	}
	missing := max(part(sum.Value, in.Total.Value), 0)
	if in.Kind == Ratio {
		missing = max(missing, part(sum.Base, in.Total.Base))
	}
	switch {
	case missing <= mayDiffer:
		return ""
	case in.Kind == Distinct && (sum.Value.Before > in.Total.Value.Before || sum.Value.After > in.Total.Value.After):
		return ReasonOverlap
	case !in.Truncated:
		return ReasonIncomplete
	case missing > mayMiss || in.Kind == Distinct:
		return ReasonTruncated
	}
	return ""
}

// part is how much of the whole is missing from a sum, the worse of both periods.
func part(sum, whole Pair) float64 {
	of := func(sum, whole float64) float64 {
		if sum == whole {
			return 0
		}
		return math.Abs(whole-sum) / max(math.Abs(whole), math.Abs(sum))
	}
	return max(of(sum.Before, whole.Before), of(sum.After, whole.After))
}

// highParts tells whether a ratio's numerators are parts of their denominators, and most
// of the whole.
func highParts(in *Input) bool {
	for _, c := range in.Cells {
		if c.Value.Before < 0 || c.Value.After < 0 || c.Value.Before > c.Base.Before || c.Value.After > c.Base.After {
			return false
		}
	}
	return mean(quotients(in.Total)) > 0.5
}

// eventsAt returns the events on the day of the onset or the days next to it, and not one
// that ends there because another begins, or because the days that were read do; without an
// onset those that touch one of both periods and not the other.
func eventsAt(in *Input, o *Onset) []Event {
	touches := func(e Event, p Period) bool { return e.From.Before(p.To) && p.From.Before(e.To) }
	return slices.DeleteFunc(slices.Clone(in.Events), func(e Event) bool {
		if o != nil {
			around := Period{o.Date.AddDate(0, 0, -1), o.Date.AddDate(0, 0, 2)}
			gives := e.To.Equal(in.Before.To) && e.To.Before(in.After.From) ||
				slices.ContainsFunc(in.Events, func(next Event) bool { return next.From.Equal(e.To) && touches(next, around) })
			return !touches(e, around) || e.From.Before(around.From) && gives
		}
		return touches(e, in.Before) == touches(e, in.After)
	})
}

// Outcomes' thresholds.
const (
	// mostOf is which part of all that stands out one cause must have to be the one.
	mostOf = 0.8
	// offset is how much of the greater direction the other must be to offset it.
	offset = 0.5
)

// isUsual tells whether the change is within what such changes usually are.
func (e *Explanation) isUsual() bool {
	return e.Usual != nil && e.Relative != nil && e.Usual.has(*e.Relative)
}

// has tells whether a relative change is a usual one.
func (u *Usual) has(relative float64) bool { return relative >= u.Low && relative <= u.High }

func (e *Explanation) outcome(in *Input) Outcome {
	var up, down, first float64
	for i, c := range e.Causes {
		if i == 0 {
			first = math.Abs(c.Excess)
		}
		if c.Excess > 0 {
			up += c.Excess
		} else {
			down -= c.Excess
		}
	}
	split := len(e.Telling) > 0 || len(e.Factors) > 0 && in.Kind != Ratio
	switch {
	case min(up, down) > 0 && min(up, down) >= offset*max(up, down):
		return Offsetting
	case len(e.Causes) > 0 && first >= mostOf*(up+down):
		return OneCause
	case len(e.Causes) > 0:
		return SeveralCauses
	case e.Metric.Change() == 0:
		return NoChange
	case e.isUsual():
		return NothingUnusual
	case !split:
		return NotDecomposable
	}
	return EvenlySpread
}
