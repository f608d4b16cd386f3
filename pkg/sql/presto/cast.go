package presto

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Casts that check their texts as Trino does. Those with a length or a precision
// get it as an argument.
func castFunctions() []Function {
	return []Function{
		ternary("presto_text_integer", textInteger),
		unary("presto_text_double", textDouble),
		unary("presto_text_real", textReal),
		ternary("presto_text_decimal", textDecimal),
		ternary("presto_decimal_decimal", castDecimal),
		ternary("presto_double_decimal", doubleDecimal),
		ternary("presto_real_decimal", func(x float32, p, s int64) (string, error) {
			return decimalOf(strconv.FormatFloat(float64(x), 'e', -1, 32), RealText(x), p, s)
		}),
		ternary("presto_double_integer", doubleInteger),
		ternary("presto_decimal_integer", decimalInteger),
		unary("presto_text_boolean", textBoolean),
		unary("presto_double_real", must(func(x float64) float32 { return float32(x) })),
		binary("presto_fit", fit),
		unary("presto_text_uuid", textUUID),
		unary("presto_text_ip", textIP),
		binary("presto_ip_in", ipIn),
	}
}

// integerRange returns the bounds of an integer type of so many bits.
func integerRange(bits int64) (low, high int64) {
	bits = min(max(bits, 1), 64)
	return -1 << (bits - 1), 1<<(bits-1) - 1
}

var integerText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[+-]?[0-9]+$`) })

// textInteger reads an integer of so many bits; Trino trims blanks around it where
// trim is 1.
func textInteger(text string, bits, trim int64) (int64, error) {
	inner := text
	if trim == 1 {
		inner = javaTrim(text)
	}
	n, err := strconv.ParseInt(inner, 10, int(bits))
	if err != nil || !integerText().MatchString(inner) {
		return 0, uncastable(text, "an integer of this type")
	}
	return n, nil
}

// javaTrim removes what String.trim removes: everything up to the blank.
func javaTrim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// doubleSyntax is what Trino reads as a double: the forms of Java without the
// hexadecimal ones.
var doubleSyntax = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+-]?(NaN|Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?)$`)
})

func textDouble(text string) (float64, error) { return parseDouble(text, 64) }

func textReal(text string) (float32, error) {
	x, err := parseDouble(text, 32)
	return float32(x), err
}

func parseDouble(text string, bits int) (float64, error) {
	inner := javaTrim(text)
	name := map[int]string{32: "real", 64: "double"}[bits]
	if !doubleSyntax().MatchString(inner) {
		return 0, uncastable(text, name)
	}
	if strings.HasSuffix(inner, "NaN") {
		return math.NaN(), nil
	}
	if !strings.HasSuffix(inner, "y") {
		inner = strings.TrimRight(inner, "fFdD")
	}
	x, err := strconv.ParseFloat(inner, bits)
	if err != nil && !math.IsInf(x, 0) && x != 0 {
		return 0, uncastable(text, name)
	}
	return x, nil
}

var decimalSyntax = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?$`)
})

func textDecimal(text string, precision, scale int64) (string, error) {
	if !decimalSyntax().MatchString(text) {
		return "", uncastable(text, decimalName(precision, scale))
	}
	return decimalOf(text, text, precision, scale)
}

func decimalName(precision, scale int64) string {
	return "decimal(" + strconv.FormatInt(precision, 10) + "," + strconv.FormatInt(scale, 10) + ")"
}

// decimalOf rounds a number that is written with digits, a point and an exponent.
func decimalOf(number, shown string, precision, scale int64) (string, error) {
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent, err := strconv.ParseInt(cmpOr(power, "0"), 10, 64)
	if err != nil {
		return "", uncastable(shown, decimalName(precision, scale))
	}
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return "", uncastable(shown, decimalName(precision, scale))
	}
	own := int64(len(fraction)) - exponent // the scale of the number as it is written
	if n.Sign() == 0 || own-scale > int64(len(whole)+len(fraction))+1 {
		n, own = new(big.Int), 0
	}
	if own < -400 {
		return "", uncastable(shown, decimalName(precision, scale))
	}
	if own < 0 {
		n, own = n.Mul(n, tenTo(-own)), 0
	}
	out, err := fixed{n, own}.rescaled(scale, true).fits(precision)
	if err != nil {
		return "", uncastable(shown, decimalName(precision, scale))
	}
	return out, nil
}

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func castDecimal(text string, precision, scale int64) (string, error) {
	return decimalOf(text, text, precision, scale)
}

// doubleDecimal rounds the fewest digits that stand for the double.
func doubleDecimal(x float64, precision, scale int64) (string, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "", uncastable(DoubleText(x), decimalName(precision, scale))
	}
	return decimalOf(strconv.FormatFloat(x, 'e', -1, 64), DoubleText(x), precision, scale)
}

// doubleInteger rounds half up, away from zero. bits tells the type; wide is 1
// where Trino's cast to bigint has its own error.
func doubleInteger(x float64, bits, wide int64) (int64, error) {
	low, high := integerRange(bits)
	switch {
	case math.IsNaN(x) || wide == 1 && math.IsInf(x, 0):
		return 0, uncastable(DoubleText(x), "an integer")
	case wide == 1 && (x < -9.223372036854775808e18 || x >= 9.223372036854775808e18):
		return 0, uncastable(DoubleText(x), "bigint")
	}
	rounded := math.Copysign(math.Floor(math.Abs(x)+0.5), x)
	if a := math.Abs(x); a >= 1<<52 || a < 0.5 { // whole already, or zero; adding a half would round
		rounded = math.Trunc(x)
	}
	if rounded < float64(low) || rounded > float64(high) {
		return 0, &Error{OutOfRange, "the number " + DoubleText(x) + " is out of range of the integer type: cast it to a larger one, such as bigint"}
	}
	return int64(rounded), nil
}

func decimalInteger(text string, bits, _ int64) (int64, error) {
	d, err := parseFixed(text)
	if err != nil {
		return 0, err
	}
	n := d.rescaled(0, true).units
	low, high := integerRange(bits)
	if !n.IsInt64() || n.Int64() < low || n.Int64() > high {
		return 0, uncastable(text, "an integer of this type")
	}
	return n.Int64(), nil
}

func textBoolean(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "t", "true", "1":
		return true, nil
	case "f", "false", "0":
		return false, nil
	}
	return false, uncastable(text, "boolean")
}

// fit fails where a value's text is longer than its varchar allows.
func fit(text string, length int64) (string, error) {
	if int64(len(text)) > length && int64(len([]rune(text))) > length {
		return "", &Error{InvalidCast, "the value " + Short(text) + " cannot be represented as varchar(" + strconv.FormatInt(length, 10) + ")"}
	}
	return text, nil
}

var uuidText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
})

func textUUID(text string) (string, error) {
	if !uuidText().MatchString(text) {
		return "", uncastable(text, "uuid")
	}
	return strings.ToLower(text), nil
}
