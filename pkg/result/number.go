package result

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxDigits bounds the text that is read as a number: a decimal has at most 38
// digits, and a double's exponent is bounded by its type.
const maxDigits = 400

// notDecimal are the characters of what big.Rat reads as a number and SQL does not write
// as a decimal.
const notDecimal = "/eExXpP_"

// Number is an exact number. A double stands for the shortest decimal that
// names it: 0.1 is one tenth, and a sum of such numbers has no binary noise.
type Number struct {
	rat   *big.Rat
	scale int // digits after the point that its type declares; floatScale: none
}

const floatScale = -1

// Int returns an integer as a Number.
func Int(v int64) Number { return Number{rat: new(big.Rat).SetInt64(v)} }

// Float returns a finite double as a Number.
func Float(v float64) (Number, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Number{}, false
	}
	rat, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	return Number{rat: rat, scale: floatScale}, ok
}

// NumberOf reads a value of a column. It is false for null, for NaN and the
// infinities, and for what is no number.
func NumberOf(value any, column Column) (Number, bool) {
	kind := column.Kind()
	switch v := value.(type) {
	case int64:
		return Int(v), true
	case float64:
		if kind == KindFloat && strings.EqualFold(column.Type, "real") {
			// A real that came as a double has only a real's digits to tell.
			v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
		}
		return Float(v)
	case string:
		if !kind.Numeric() || len(v) > maxDigits {
			return Number{}, false
		}
		if kind == KindFloat {
			f, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return Number{}, false
			}
			return Float(f)
		}
		if strings.ContainsAny(v, notDecimal) { // big.Rat reads more than SQL writes
			return Number{}, false
		}
		rat, ok := new(big.Rat).SetString(v)
		if !ok {
			return Number{}, false
		}
		_, fraction, _ := strings.Cut(v, ".")
		return Number{rat: rat, scale: len(fraction)}, true
	}
	return Number{}, false
}

// FloatOf is the double next to what NumberOf reads, many times as fast: for statistics
// and charts of whole columns, never for text. It is false where NumberOf is.
func FloatOf(value any, column Column) (float64, bool) {
	kind := column.Kind()
	var v float64
	switch x := value.(type) {
	case int64:
		return float64(x), true
	case float64:
		if v = x; kind == KindFloat && strings.EqualFold(column.Type, "real") {
			v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
		}
	case string:
		if !kind.Numeric() || len(x) > maxDigits || kind != KindFloat && strings.ContainsAny(x, notDecimal) {
			return 0, false
		}
		var err error
		if v, err = strconv.ParseFloat(x, 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

// Sub returns n - m.
func (n Number) Sub(m Number) Number {
	return Number{rat: new(big.Rat).Sub(n.rat, m.rat), scale: joinScale(n, m)}
}

// Per returns n / count, as a mean is made. count is not 0.
func (n Number) Per(count int) Number {
	scale := floatScale
	if n.scale > 0 {
		scale = n.scale
	}
	return Number{rat: new(big.Rat).Quo(n.rat, new(big.Rat).SetInt64(int64(count))), scale: scale}
}

// Ratio returns n / m as a double, and false where m is 0 or the ratio is too
// large for a double.
func (n Number) Ratio(m Number) (float64, bool) {
	if m.rat.Sign() == 0 {
		return 0, false
	}
	f, _ := new(big.Rat).Quo(n.rat, m.rat).Float64()
	return f, !math.IsInf(f, 0)
}

// Cmp is -1, 0 or 1 as n is below, equal to or above m.
func (n Number) Cmp(m Number) int { return n.rat.Cmp(m.rat) }

// Sign is -1, 0 or 1.
func (n Number) Sign() int { return n.rat.Sign() }

// Abs returns the absolute value.
func (n Number) Abs() Number { return Number{rat: new(big.Rat).Abs(n.rat), scale: n.scale} }

// Float64 returns the nearest double: for statistics and charts, never for text.
func (n Number) Float64() float64 {
	f, _ := n.rat.Float64()
	return f
}

// Sum adds numbers up; it is false for none.
func Sum(numbers []Number) (Number, bool) {
	if len(numbers) == 0 {
		return Number{}, false
	}
	sum := Number{rat: new(big.Rat).Set(numbers[0].rat), scale: numbers[0].scale}
	for _, n := range numbers[1:] {
		sum.scale = joinScale(sum, n)
		sum.rat.Add(sum.rat, n.rat)
	}
	return sum, true
}

// joinScale is the scale of a sum: of a decimal and an integer the decimal's, of
// anything and a double none.
func joinScale(n, m Number) int {
	if n.scale == floatScale || m.scale == floatScale {
		return floatScale
	}
	return max(n.scale, m.scale)
}
