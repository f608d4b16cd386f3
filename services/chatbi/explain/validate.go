package explain

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Reasons of faults.
const (
	tooLarge = "EXPLAIN_TOO_LARGE"
	invalid  = "EXPLAIN_INVALID"
)

func (l Limits) complete() Limits {
	d := DefaultLimits()
	for _, f := range []struct{ have, fallback *int }{
		{&l.Cells, &d.Cells}, {&l.Dimensions, &d.Dimensions}, {&l.Days, &d.Days}, {&l.Factors, &d.Factors},
		{&l.Causes, &d.Causes}, {&l.Elements, &d.Elements}, {&l.Values, &d.Values}, {&l.Permutations, &d.Permutations},
	} {
		if *f.have == 0 {
			*f.have = *f.fallback
		}
	}
	return l
}

// validate returns the cells with their keys numbered.
func validate(in *Input, limits Limits) (cube, error) {
	for _, b := range []struct {
		what       string
		have, most int
		remedy     string
	}{
		{"groups", len(in.Cells), limits.Cells, "Ask for fewer dimensions, or for those with fewer values."},
		{"dimensions", len(in.Dimensions), limits.Dimensions, "Ask for fewer dimensions."},
		{"days", len(in.Daily), limits.Days, "Give a shorter course."},
		{"factors", len(in.Factors), limits.Factors, "Split the metric into fewer factors."},
	} {
		if b.have > b.most {
			return cube{}, fault.New(codes.ResourceExhausted, tooLarge,
				fmt.Sprintf("The change has %d %s, more than the %d that are compared. %s", b.have, b.what, b.most, b.remedy))
		}
	}
	switch in.Kind {
	case Additive, SemiAdditive, Ratio, Distinct, Opaque:
	default:
		return cube{}, fault.Invalid("kind", invalid, "The kind of metric %q is not known.", in.Kind)
	}
	if !finite(in.Total) {
		return cube{}, fault.Invalid("total", invalid, "The whole is not a finite number in both periods.")
	}
	for _, f := range in.Factors {
		if !finite(Amount{Value: f.Pair}) {
			return cube{}, fault.Invalid("factors", invalid, "The factor %s is not a finite number in both periods.", f.ID)
		}
	}
	cells, err := validateCells(in)
	if err != nil {
		return cube{}, err
	}
	return cells, validateDays(in)
}

func validateCells(in *Input) (cube, error) {
	if len(in.Cells) > 0 && len(in.Dimensions) == 0 {
		return cube{}, fault.Invalid("dimensions", invalid, "There are groups, but nothing that they are grouped by.")
	}
	for i := range in.Cells {
		c := &in.Cells[i]
		if len(c.Keys) != len(in.Dimensions) {
			return cube{}, fault.Invalid("cells", invalid, "Group %d has %d values for %d dimensions.", i+1, len(c.Keys), len(in.Dimensions))
		}
		if !finite(c.Amount) {
			return cube{}, fault.Invalid("cells", invalid, "Group %d is not a finite number in both periods.", i+1)
		}
	}
	cells := cubeOf(in.Dimensions, in.Cells)
	if i := cells.repeated(); i >= 0 {
		return cube{}, fault.Invalid("cells", invalid, "Group %d is there twice.", i+1)
	}
	return cells, nil
}

func validateDays(in *Input) error {
	for i, d := range in.Daily {
		switch {
		case !finite(Amount{Value: Pair{Before: d.Value, After: d.Base}}):
			return fault.Invalid("daily", invalid, "The value of %s is not a finite number.", d.Date.Format(time.DateOnly))
		case !d.Date.Equal(midnight(d.Date)):
			return fault.Invalid("daily", invalid, "%s is not the start of a day in UTC.", d.Date.Format(time.RFC3339))
		case i > 0 && !in.Daily[i-1].Date.Before(d.Date):
			return fault.Invalid("daily", invalid, "The days are not in order at %s.", d.Date.Format(time.DateOnly))
		}
	}
	for _, p := range []struct {
		field string
		Period
	}{{"before", in.Before}, {"after", in.After}} {
		if p.From.IsZero() && p.To.IsZero() && len(in.Daily) == 0 {
			continue
		}
		if !p.From.Before(p.To) || !p.From.Equal(midnight(p.From)) || !p.To.Equal(midnight(p.To)) {
			return fault.Invalid(p.field, invalid, "The period is no range of whole days in UTC.")
		}
	}
	return nil
}

func midnight(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

func finite(a Amount) bool {
	for _, v := range [...]float64{a.Value.Before, a.Value.After, a.Base.Before, a.Base.After} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
