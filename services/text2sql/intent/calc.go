package intent

import "slices"

// CalcOp is what is done with two values.
type CalcOp string

// Arithmetic. Days, Hours and Minutes are how long it is from Left to Right.
const (
	Minus   CalcOp = "minus"
	Plus    CalcOp = "plus"
	Product CalcOp = "times"
	Over    CalcOp = "over"
	Percent CalcOp = "percent" // Left of a hundred of Right
	Days    CalcOp = "days"
	Hours   CalcOp = "hours"
	Minutes CalcOp = "minutes"
)

// Calc combines two values: of each row where neither has an aggregate, of each
// group where both have.
type Calc struct {
	Op    CalcOp `json:"op"`
	Left  Output `json:"left"`
	Right Output `json:"right"`
}

// Leaves returns the values that an output is computed from: itself where it is no
// arithmetic.
func (o Output) Leaves() []Output {
	if o.Calc == nil {
		return []Output{o}
	}
	return append(o.Calc.Left.Leaves(), o.Calc.Right.Leaves()...)
}

// Aggregates reports whether an output is of groups and not of rows.
func (o Output) Aggregates() bool {
	return o.Agg != AggNone || o.Calc != nil && slices.ContainsFunc(o.Leaves(), func(l Output) bool { return l.Agg != AggNone })
}
