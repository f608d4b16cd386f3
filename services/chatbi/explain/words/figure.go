package words

import (
	"math"
	"slices"
	"strconv"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// unitFraction is the unit of shares and rates, as the analysis of results has it.
const unitFraction = "fraction"

// figures writes the numbers of one unit that stand beside one another, all with the same
// digits after the point, so that they can be added up as they stand.
type figures struct {
	unit     string
	digits   int
	language lang.Language
}

// figuresOf chooses the digits that the numbers need: whole numbers from a thousand up and
// where all are whole, else two places, more below one. Of fractions they are those of
// the percentage.
func figuresOf(unit string, s *saying, numbers ...float64) figures {
	f := figures{unit: unit, language: s.language}
	largest, whole := 0.0, true
	for _, n := range numbers {
		n = math.Abs(n)
		largest, whole = max(largest, n), whole && n == math.Trunc(n)
	}
	switch {
	case unit == unitFraction:
		f.digits = 1
		if largest < 0.1 {
			f.digits = 2
		}
	case largest >= 1000 || whole:
		f.digits = 0
	case largest >= 1:
		f.digits = 2
	default:
		f.digits = 4
	}
	return f
}

func (f figures) scaled(v float64) float64 {
	if f.unit == unitFraction {
		return v * 100
	}
	return v
}

// number writes a scaled number with the digits of all.
func (f figures) number(v float64) string {
	n, ok := result.Float(round(v, f.digits))
	if !ok {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return n.String()
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	if r := math.Round(v*scale) / scale; !math.IsInf(r, 0) && !math.IsNaN(r) {
		return r
	}
	return v
}

// between is the change from one figure to another as both are written, so that it agrees
// with them: 3,555 is 553 more than 3,002, whatever their decimals are.
func (f figures) between(p explain.Pair) float64 {
	return (round(f.scaled(p.After), f.digits) - round(f.scaled(p.Before), f.digits)) / f.scaled(1)
}

// level writes a value with its unit.
func (f figures) level(v float64) string {
	if f.unit == unitFraction {
		return f.number(f.scaled(v)) + "%"
	}
	return f.with(f.number(v))
}

// change writes how much without a sign; signed with one.
func (f figures) change(v float64) string { return f.difference(f.number(math.Abs(f.scaled(v)))) }
func (f figures) signed(v float64) string { return f.signedScaled(f.scaled(v)) }

func (f figures) signedScaled(v float64) string {
	text := f.number(math.Abs(v))
	switch {
	case round(v, f.digits) > 0:
		text = "+" + text
	case round(v, f.digits) < 0:
		text = "-" + text
	}
	return f.difference(text)
}

func (f figures) difference(number string) string {
	if f.unit == unitFraction {
		return result.PercentagePoints(number, f.language)
	}
	return f.with(number)
}

func (f figures) with(number string) string {
	switch {
	case f.unit == "":
		return number
	case f.unit == "%":
		return number + "%"
	case f.language == lang.Chinese && f.unit[0] >= 0x80:
		return number + f.unit
	}
	return number + " " + f.unit
}

// parts writes parts so that, as they are written, they add up to the whole as it is
// written: what rounding leaves goes to those that lost most by it. The whole is within
// rounding of their sum.
func (f figures) parts(parts []float64, whole float64) []string {
	scale := math.Pow10(f.digits)
	down := make([]float64, len(parts))
	order := make([]int, len(parts))
	rest := math.Round(f.scaled(whole) * scale)
	for i, p := range parts {
		down[i] = math.Floor(f.scaled(p) * scale)
		order[i] = i
		rest -= down[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		lost := func(i int) float64 { return f.scaled(parts[i])*scale - down[i] }
		switch {
		case lost(a) > lost(b):
			return -1
		case lost(a) < lost(b):
			return 1
		}
		return 0
	})
	for k := 0; rest >= 1 && len(order) > 0; k = (k + 1) % len(order) {
		down[order[k]]++
		rest--
	}
	// The whole as it is written may be less than they are: of those that lost least.
	for k := len(order) - 1; rest <= -1 && k >= 0; k = (k + len(order) - 1) % len(order) {
		down[order[k]]--
		rest++
	}
	out := make([]string, len(parts))
	for i := range parts {
		out[i] = f.signedScaled(down[i] / scale)
	}
	return out
}

// share writes a part of the whole, to be made like those beside it.
func share(v float64) string { return result.InGroup(result.Percent(v), result.Percentages) }

// beside writes a figure to be made like the other one of the same pair.
func beside(level string, pair int) string {
	return result.InGroup(level, result.ColumnGroup(pair))
}

// percent writes a relative change with its sign, to be made like those beside it.
func percent(v float64) string {
	text := share(v)
	if v > 0 && text != "0%" {
		return "+" + text
	}
	return text
}
