package reader

import (
	"math/big"
	"strconv"
	"strings"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// scale multiplies a number by a unit of counting: 3.5 and 万, 30 and "million".
func scale(number, unit string) (string, bool) {
	factor, ok := map[string]int64{
		"百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000,
		"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000,
	}[unit]
	if !ok {
		return "", false
	}
	x, ok := new(big.Rat).SetString(number)
	if !ok {
		return "", false
	}
	return decimal(x.Mul(x, new(big.Rat).SetInt64(factor))), true
}

// maxDigits bounds the digits after the point of a computed number.
const maxDigits = 9

// decimal writes a number without an exponent and without zeros at its end.
func decimal(x *big.Rat) string {
	if x.IsInt() {
		return x.Num().String()
	}
	return strings.TrimRight(strings.TrimRight(x.FloatString(maxDigits), "0"), ".")
}

// times multiplies a number.
func times(number string, factor float64) string {
	x, ok := new(big.Rat).SetString(number)
	f := new(big.Rat)
	if !ok || f.SetFloat64(factor) == nil {
		return number
	}
	return decimal(x.Mul(x, f))
}
