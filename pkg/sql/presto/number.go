package presto

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

func numberFunctions() []Function {
	return []Function{
		unary("presto_double_text", must(DoubleText)),
		unary("presto_real_text", must(RealText)),
		unary("presto_java_double", must(javaDouble)),
		binary("presto_round", must2(roundDouble)),
		binary("presto_round_real", func(x float32, digits int64) (float32, error) { return float32(roundDouble(float64(x), digits)), nil }),
		binary("presto_round_bigint", roundBigint),
		binary("presto_from_base", fromBase),
		binary("presto_to_base", toBase),
		{Name: "presto_width_bucket", Args: []Kind{Double, Double, Double, Bigint}, Result: Bigint, Call: func(a []any) (any, error) {
			return boxed(widthBucket(a[0].(float64), a[1].(float64), a[2].(float64), a[3].(int64)))
		}},
		binary("presto_bit_count", bitCount),
		ternary("presto_shift_left", shiftLeft),
		ternary("presto_shift_right", shiftRight),
		binary("presto_shift_right_arithmetic", shiftArithmetic),
		unary("presto_sqrt", must(math.Sqrt)), unary("presto_cbrt", must(math.Cbrt)), unary("presto_exp", must(math.Exp)),
		unary("presto_ln", must(math.Log)), unary("presto_log10", must(math.Log10)),
		unary("presto_log2", must(func(x float64) float64 { return math.Log(x) / math.Log(2) })),
		binary("presto_log", must2(func(base, x float64) float64 { return math.Log(x) / math.Log(base) })),
		binary("presto_power", must2(power)),
		unary("presto_sin", must(math.Sin)), unary("presto_cos", must(math.Cos)), unary("presto_tan", must(math.Tan)),
		unary("presto_asin", must(math.Asin)), unary("presto_acos", must(math.Acos)), unary("presto_atan", must(math.Atan)),
		binary("presto_atan2", must2(math.Atan2)), unary("presto_sinh", must(math.Sinh)), unary("presto_cosh", must(math.Cosh)),
		unary("presto_tanh", must(math.Tanh)),
		unary("presto_format_number", must(shortNumber)),
		ternary("presto_wilson_lower", func(s, n int64, z float64) (float64, error) { return wilson(s, n, z, -1) }),
		ternary("presto_wilson_upper", func(s, n int64, z float64) (float64, error) { return wilson(s, n, z, 1) }),
	}
}

// DoubleText is CAST(double AS varchar): 1.0E0.
func DoubleText(x float64) string { return scientific(x) }

// RealText is CAST(real AS varchar).
func RealText(x float32) string {
	shortest, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64)
	if err != nil { // infinities and NaN
		shortest = float64(x)
	}
	return scientific(shortest)
}

// scientific writes a mantissa with one digit before the point and one or more
// after it, and an exponent.
func scientific(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "Inf", "Infinity", 1), "+")
	case x == 0 && math.Signbit(x):
		return "-0E0"
	case x == 0:
		return "0E0"
	}
	sign := ""
	if x < 0 {
		sign, x = "-", -x
	}
	digits, exponent := javaDigits(x)
	if len(digits) == 1 {
		digits = append(digits, '0')
	}
	return sign + string(digits[:1]) + "." + string(digits[1:]) + "E" + strconv.Itoa(exponent)
}

// javaDouble is Java's Double.toString: the fewest digits, two at least.
func javaDouble(x float64) string {
	switch a := math.Abs(x); {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return scientific(x)
	case x == 0:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case a >= 1e-3 && a < 1e7:
		text := strconv.FormatFloat(x, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	case a == math.SmallestNonzeroFloat64:
		return signOf(x) + "4.9E-324"
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	exponent, _ := strconv.Atoi(power) // written by FormatFloat
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	return mantissa + "E" + strconv.Itoa(exponent)
}

func signOf(x float64) string {
	if x < 0 {
		return "-"
	}
	return ""
}

// roundDouble rounds half away from zero after scaling, as Trino does: what the
// scaling loses is lost.
func roundDouble(x float64, digits int64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	if x < 0 {
		return -roundDouble(-x, digits)
	}
	factor := math.Pow(10, float64(digits))
	scaled := x * factor
	if math.IsInf(factor, 0) || factor == 0 || scaled >= math.MaxInt64 {
		text := new(big.Rat)
		text.SetFloat64(x)
		if digits < -400 {
			return 0
		}
		if digits > 400 {
			return x
		}
		f, _ := roundRat(text, int(digits)).Float64()
		return f
	}
	return math.Floor(scaled+0.5) / factor
}

// roundRat rounds a positive number half up to digits after the point.
func roundRat(x *big.Rat, digits int) *big.Rat {
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(digits, -digits))), nil))
	if digits < 0 {
		scale.Inv(scale)
	}
	scaled := new(big.Rat).Mul(x, scale)
	scaled.Add(scaled, big.NewRat(1, 2))
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	return new(big.Rat).Quo(new(big.Rat).SetInt(whole), scale)
}

// roundBigint rounds a whole number to a power of ten.
func roundBigint(x, digits int64) (int64, error) {
	if digits >= 0 {
		return x, nil
	}
	if digits < -18 {
		return 0, nil
	}
	factor := int64(1)
	for range -digits {
		factor *= 10
	}
	n := new(big.Int).Abs(big.NewInt(x))
	n.Add(n, big.NewInt(factor/2))
	n.Sub(n, new(big.Int).Mod(n, big.NewInt(factor)))
	if x < 0 {
		n.Neg(n)
	}
	if !n.IsInt64() {
		return 0, &Error{OutOfRange, "round gives a number out of range of bigint"}
	}
	return n.Int64(), nil
}

// power is Java's Math.pow: 1 to the power of NaN or infinity is NaN.
func power(x, y float64) float64 {
	if math.IsNaN(y) || math.Abs(x) == 1 && math.IsInf(y, 0) {
		return math.NaN()
	}
	return math.Pow(x, y)
}

func fromBase(text string, radix int64) (int64, error) {
	if radix < 2 || radix > 36 {
		return 0, invalid("the radix must be between 2 and 36")
	}
	n, err := strconv.ParseInt(text, int(radix), 64)
	if err != nil || strings.Contains(text, "_") {
		return 0, invalid("'%s' is not a valid base-%d number", Short(text), radix)
	}
	return n, nil
}

func toBase(n, radix int64) (string, error) {
	if radix < 2 || radix > 36 {
		return "", invalid("the radix must be between 2 and 36")
	}
	return strconv.FormatInt(n, int(radix)), nil
}

func widthBucket(x, low, high float64, count int64) (int64, error) {
	switch {
	case count <= 0:
		return 0, invalid("the count of buckets must be greater than 0")
	case math.IsNaN(x):
		return 0, invalid("the operand of width_bucket must not be NaN")
	case math.IsNaN(low) || math.IsInf(low, 0) || math.IsNaN(high) || math.IsInf(high, 0):
		return 0, invalid("the bounds of width_bucket must be finite")
	case low == high:
		return 0, invalid("the bounds of width_bucket must not be equal")
	}
	lower, upper := math.Min(low, high), math.Max(low, high)
	var bucket int64
	switch {
	case x < lower:
		bucket = 0
	case x >= upper:
		if count == math.MaxInt64 {
			return 0, &Error{OutOfRange, "the bucket is out of range of bigint"}
		}
		bucket = count + 1
	default:
		bucket = int64(float64(count)*(x-lower)/(upper-lower)) + 1
	}
	if low > high {
		bucket = count - bucket + 1
	}
	return bucket, nil
}

func bitCount(n, bits int64) (int64, error) {
	if bits < 2 || bits > 64 {
		return 0, invalid("bits of bit_count must be between 2 and 64")
	}
	if bits < 64 {
		if low := int64(-1) << (bits - 1); n < low || n > ^low {
			return 0, invalid("%d cannot be represented with %d bits", n, bits)
		}
	}
	count := int64(0)
	for i := range bits {
		count += n >> i & 1
	}
	return count, nil
}

// shiftLeft and shiftRight work on numbers of so many bits. Of a negative shift the
// low 6 bits count, as on the machine under Presto.
func shiftLeft(n, by, bits int64) (int64, error) {
	if by >= bits {
		return 0, nil
	}
	return signed(uint64(n)<<(by&63), bits), nil
}

func shiftRight(n, by, bits int64) (int64, error) {
	if by >= bits {
		return 0, nil
	}
	u := uint64(n)
	if bits < 64 {
		u &= 1<<bits - 1
	}
	return signed(u>>(by&63), bits), nil
}

func signed(u uint64, bits int64) int64 {
	bits = min(max(bits, 1), 64)
	return int64(u<<(64-bits)) >> (64 - bits)
}

func shiftArithmetic(n, by int64) (int64, error) {
	return n >> (min(by, 63) & 63), nil
}

// wilson is a bound of Wilson's score interval of a share of successes.
func wilson(successes, trials int64, z, side float64) (float64, error) {
	switch {
	case successes < 0:
		return 0, invalid("the number of successes must not be negative")
	case trials <= 0:
		return 0, invalid("the number of trials must be positive")
	case successes > trials:
		return 0, invalid("there are more successes than trials")
	case z < 0:
		return 0, invalid("the z-score must not be negative")
	}
	n, p := float64(trials), float64(successes)/float64(trials)
	return (p + z*z/(2*n) + side*z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))) / (1 + z*z/n), nil
}

// shortNumber writes three digits and a letter for the power of a thousand. Presto
// cuts the number to a bigint first.
func shortNumber(x float64) string {
	if math.IsNaN(x) {
		x = 0
	}
	x = math.Trunc(max(min(x, math.MaxInt64), math.MinInt64))
	units := []string{"", "K", "M", "B", "T", "Q"}
	n, unit := math.Abs(x), 0
	for n >= 1000 && unit < len(units)-1 {
		n /= 1000
		unit++
	}
	text := strconv.FormatFloat(n, 'f', 2, 64)
	switch {
	case n >= 100:
		text = strconv.FormatFloat(n, 'f', 0, 64)
	case n >= 10:
		text = strconv.FormatFloat(n, 'f', 1, 64)
	}
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if x < 0 {
		text = "-" + text
	}
	return text + units[unit]
}
