package presto

import (
	"math/big"
	"strings"
)

// Decimals travel as texts: engines have a type a precision for them, and no one
// type for all.
func decimalFunctions() []Function {
	return []Function{
		{Name: "presto_decimal_divide", Args: []Kind{Text, Text, Bigint, Bigint}, Result: Text, Call: func(a []any) (any, error) {
			return boxed(divideDecimals(a[0].(string), a[1].(string), a[2].(int64), a[3].(int64)))
		}},
		{Name: "presto_decimal_modulus", Args: []Kind{Text, Text, Bigint, Bigint}, Result: Text, Call: func(a []any) (any, error) {
			return boxed(decimalModulus(a[0].(string), a[1].(string), a[2].(int64), a[3].(int64)))
		}},
		{Name: "presto_decimal_round", Args: []Kind{Text, Bigint, Bigint, Bigint}, Result: Text, Call: func(a []any) (any, error) {
			return boxed(cutDecimal(a[0].(string), a[1].(int64), a[2].(int64), a[3].(int64), true))
		}},
		{Name: "presto_decimal_truncate", Args: []Kind{Text, Bigint, Bigint, Bigint}, Result: Text, Call: func(a []any) (any, error) {
			return boxed(cutDecimal(a[0].(string), a[1].(int64), a[2].(int64), a[3].(int64), false))
		}},
	}
}

// fixed is a decimal: units of ten to the -scale.
type fixed struct {
	units *big.Int
	scale int64
}

func parseFixed(text string) (fixed, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return fixed{}, invalid("'%s' is not a decimal", Short(text))
	}
	return fixed{n, int64(len(fraction))}, nil
}

func (d fixed) String() string {
	digits := new(big.Int).Abs(d.units).String()
	if d.scale > 0 {
		if missing := int(d.scale) + 1 - len(digits); missing > 0 {
			digits = strings.Repeat("0", missing) + digits
		}
		point := len(digits) - int(d.scale)
		digits = digits[:point] + "." + digits[point:]
	}
	if d.units.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// rescaled gives the number another scale, half up or towards zero.
func (d fixed) rescaled(scale int64, halfUp bool) fixed {
	if scale >= d.scale {
		return fixed{new(big.Int).Mul(d.units, tenTo(scale-d.scale)), scale}
	}
	return fixed{quotient(d.units, tenTo(d.scale-scale), halfUp), scale}
}

// fits bounds the digits; more of them is an overflow.
func (d fixed) fits(precision int64) (string, error) {
	if d.scale < 0 || d.scale > maxScale {
		return "", invalid("a decimal of scale %d", d.scale)
	}
	if new(big.Int).Abs(d.units).Cmp(tenTo(precision)) >= 0 {
		return "", &Error{OutOfRange, "decimal overflow: cast the operands to a smaller precision, or to double"}
	}
	return d.String(), nil
}

// maxScale bounds powers of ten: no decimal needs more.
const maxScale = 500

// tenTo is ten to the power of n, at most maxScale.
func tenTo(n int64) *big.Int {
	n = min(max(n, 0), maxScale)
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil)
}

// quotient divides whole numbers, rounding half away from zero or towards it.
func quotient(n, d *big.Int, halfUp bool) *big.Int {
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	if halfUp && new(big.Int).Lsh(new(big.Int).Abs(r), 1).Cmp(new(big.Int).Abs(d)) >= 0 {
		q.Add(q, big.NewInt(int64(n.Sign()*d.Sign())))
	}
	return q
}

func twoFixed(a, b string) (x, y fixed, err error) {
	if x, err = parseFixed(a); err == nil {
		y, err = parseFixed(b)
	}
	if err == nil && y.units.Sign() == 0 {
		err = &Error{DivisionByZero, "division by zero: guard the divisor with nullif(x, 0)"}
	}
	return x, y, err
}

// divideDecimals gives a quotient of the type decimal(precision, scale), half up.
func divideDecimals(a, b string, precision, scale int64) (string, error) {
	x, y, err := twoFixed(a, b)
	if err != nil {
		return "", err
	}
	n, d := x.units, y.units
	if shift := scale - x.scale + y.scale; shift >= 0 {
		n = new(big.Int).Mul(n, tenTo(shift))
	} else {
		d = new(big.Int).Mul(d, tenTo(-shift))
	}
	return fixed{quotient(n, d, true), scale}.fits(precision)
}

// decimalModulus has the sign of the dividend.
func decimalModulus(a, b string, precision, scale int64) (string, error) {
	x, y, err := twoFixed(a, b)
	if err != nil {
		return "", err
	}
	common := max(x.scale, y.scale)
	x, y = x.rescaled(common, false), y.rescaled(common, false)
	return fixed{new(big.Int).Rem(x.units, y.units), common}.rescaled(scale, false).fits(precision)
}

// cutDecimal rounds or truncates to digits after the point, and gives the result
// the type decimal(precision, scale).
func cutDecimal(text string, digits, precision, scale int64, halfUp bool) (string, error) {
	d, err := parseFixed(text)
	if err != nil {
		return "", err
	}
	if digits < d.scale {
		if digits < -80 {
			return fixed{new(big.Int), scale}.fits(precision)
		}
		cut := fixed{quotient(d.units, tenTo(d.scale-digits), halfUp), digits}
		d = fixed{new(big.Int).Mul(cut.units, tenTo(d.scale-digits)), d.scale}
	}
	return d.rescaled(scale, halfUp).fits(precision)
}
