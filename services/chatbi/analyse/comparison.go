package analyse

import (
	"math"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/result"
)

// comparison is the columns of a value that is compared with that of another time:
// the generator of SQL calls them x, previous_x, x_change and x_change_rate.
type comparison struct {
	value, previous, change int
	rate                    int // -1: none
}

// sameChange is how far the change may be from the difference, relative to the values:
// doubles are subtracted by the engine.
const sameChange = 1e-9

// comparisonOf finds the comparison whose value is in a column, if its name says so
// and the numbers of the row bear it out.
func (w *work) comparisonOf(column int, row []any) (c comparison, ok bool) {
	name := w.Table.Columns[column].Name
	c = comparison{column, w.column("previous_" + name), w.column(name + "_change"), w.column(name + "_change_rate")}
	if c.previous < 0 || c.change < 0 {
		return c, false
	}
	var numbers [3]result.Number
	for i, at := range []int{c.value, c.previous, c.change} {
		n, isNumber := result.NumberOf(row[at], w.Table.Columns[at])
		if !isNumber || !w.roleIsNumber(at) {
			return c, false
		}
		numbers[i] = n
	}
	value, previous, change := numbers[0].Float64(), numbers[1].Float64(), numbers[2].Float64()
	return c, math.Abs(value-previous-change) <= sameChange*max(math.Abs(value), math.Abs(previous), 1)
}

func (w *work) column(name string) int {
	return slices.IndexFunc(w.Table.Columns, func(c result.Column) bool { return strings.EqualFold(c.Name, name) })
}

// columns are all that the comparison's sentence tells.
func (c comparison) columns() []int { return []int{c.value, c.previous, c.change, c.rate} }

// compared says a comparison: how much it is now, by how much that is more or less,
// and what it was.
func (w *work) compared(c comparison, row []any) string {
	change, _ := result.NumberOf(row[c.change], w.Table.Columns[c.change])
	a := args{
		"label": w.label(c.value), "value": w.value(row[c.value], c.value), "previous": w.value(row[c.previous], c.previous),
		"change": w.number(change.Abs(), c.change),
	}
	rate, relative := w.relative(c, row)
	a["rate"] = result.Percent(math.Abs(rate))
	switch sign := change.Sign(); {
	case sign == 0:
		return w.say.text("compared_same", a)
	case sign > 0 && relative:
		return w.say.text("compared_more_rate", a)
	case sign > 0:
		return w.say.text("compared_more", a)
	case relative:
		return w.say.text("compared_less_rate", a)
	}
	return w.say.text("compared_less", a)
}

// relative is the change as a part of what was. Of percentages it is not told: beside
// percentage points it would be taken for them.
func (w *work) relative(c comparison, row []any) (rate float64, ok bool) {
	if c.rate < 0 || w.Columns[c.change].Unit == UnitPoints {
		return 0, false
	}
	n, ok := result.NumberOf(row[c.rate], w.Table.Columns[c.rate])
	if !ok { // of nothing there is no part: the statement divides by NULLIF(previous, 0)
		return 0, false
	}
	return n.Float64(), true
}
