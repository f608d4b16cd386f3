package presto

import (
	"math"
	"math/big"
	"strconv"
)

// pathItem is what a path gives: a JSON value, or a value of SQL that a literal,
// an operator or a method makes.
type pathItem struct {
	kind      pathKind
	json      jsonValue
	whole     int64   // pathInteger, pathBigint
	double    float64 // pathDouble
	decimal   fixed   // pathDecimal
	precision int64   // of the decimal
	text      string  // pathText
	truth     bool    // pathBoolean
}

type pathKind int

const (
	pathJSON pathKind = iota
	pathInteger
	pathBigint
	pathDecimal
	pathDouble
	pathText
	pathBoolean
)

func (k pathKind) isNumber() bool { return k >= pathInteger && k <= pathDouble }

func wholeItem(n int64) pathItem {
	if n == int64(int32(n)) {
		return pathItem{kind: pathInteger, whole: n}
	}
	return pathItem{kind: pathBigint, whole: n}
}

// failure is a mistake in evaluating a path, which ON ERROR handles.
func failure(format string, args ...any) error {
	return &Error{"PATH_EVALUATION_ERROR", "path evaluation failed: " + sprintf(format, args...)}
}

// scalar gives a JSON value the type of SQL that it has; false for null, arrays and
// objects, and for whole numbers that are too large for one.
func (i pathItem) scalar() (pathItem, bool) {
	if i.kind != pathJSON {
		return i, true
	}
	switch i.json.kind {
	case jsonTrue, jsonFalse:
		return pathItem{kind: pathBoolean, truth: i.json.kind == jsonTrue}, true
	case jsonString:
		return pathItem{kind: pathText, text: i.json.text}, true
	case jsonNumber:
		if isWhole(i.json.text) {
			n, err := strconv.ParseInt(i.json.text, 10, 64)
			return wholeItem(n), err == nil
		}
		x, err := strconv.ParseFloat(i.json.text, 64)
		return pathItem{kind: pathDouble, double: x}, err == nil
	}
	return i, false
}

func (i pathItem) number() (pathItem, error) {
	n, ok := i.scalar()
	if !ok || !n.kind.isNumber() {
		return n, failure("an item is no number")
	}
	return n, nil
}

// asJSON writes an item of SQL as a JSON value.
func (i pathItem) asJSON() jsonValue {
	switch i.kind {
	case pathInteger, pathBigint:
		return jsonValue{kind: jsonNumber, text: strconv.FormatInt(i.whole, 10)}
	case pathDouble:
		return jsonValue{kind: jsonVerbatim, text: doubleJSON(i.double)}
	case pathDecimal:
		return jsonValue{kind: jsonVerbatim, text: javaDecimal(i.decimal)}
	case pathText:
		return jsonValue{kind: jsonString, text: i.text}
	case pathBoolean:
		if i.truth {
			return jsonValue{kind: jsonTrue}
		}
		return jsonValue{kind: jsonFalse}
	}
	return i.json
}

// javaDecimal is the text that Java's BigDecimal has: with an exponent where the
// number is below a millionth.
func javaDecimal(d fixed) string {
	digits := new(big.Int).Abs(d.units).String()
	exponent := int64(len(digits)) - 1 - d.scale
	if exponent >= -6 {
		return d.String()
	}
	text := digits[:1]
	if len(digits) > 1 {
		text += "." + digits[1:]
	}
	if d.units.Sign() < 0 {
		text = "-" + text
	}
	return text + "E" + strconv.FormatInt(exponent, 10)
}

// asDecimal widens a whole number to the decimal that holds its type.
func (i pathItem) asDecimal() pathItem {
	switch i.kind {
	case pathInteger:
		return pathItem{kind: pathDecimal, decimal: fixed{big.NewInt(i.whole), 0}, precision: 10}
	case pathBigint:
		return pathItem{kind: pathDecimal, decimal: fixed{big.NewInt(i.whole), 0}, precision: 19}
	}
	return i
}

func (i pathItem) asDouble() float64 {
	switch i.kind {
	case pathInteger, pathBigint:
		return float64(i.whole)
	case pathDecimal:
		x, _ := strconv.ParseFloat(i.decimal.String(), 64)
		return x
	}
	return i.double
}

// arithmetic computes left op right in the type that SQL gives it.
func arithmetic(op string, left, right pathItem) (pathItem, error) {
	switch kind := max(left.kind, right.kind); kind {
	case pathDouble:
		return pathItem{kind: pathDouble, double: doubleArithmetic(op, left.asDouble(), right.asDouble())}, nil
	case pathDecimal:
		return decimalArithmetic(op, left.asDecimal(), right.asDecimal())
	default:
		return wholeArithmetic(op, kind, left.whole, right.whole)
	}
}

func doubleArithmetic(op string, x, y float64) float64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	}
	return math.Mod(x, y)
}

func wholeArithmetic(op string, kind pathKind, x, y int64) (pathItem, error) {
	a, b, out := big.NewInt(x), big.NewInt(y), new(big.Int)
	if (op == "/" || op == "%") && y == 0 {
		return pathItem{}, failure("division by zero")
	}
	switch op {
	case "+":
		out.Add(a, b)
	case "-":
		out.Sub(a, b)
	case "*":
		out.Mul(a, b)
	case "/":
		out.Quo(a, b)
	default:
		out.Rem(a, b)
	}
	if !out.IsInt64() || kind == pathInteger && out.Int64() != int64(int32(out.Int64())) {
		return pathItem{}, failure("a whole number is out of range")
	}
	return pathItem{kind: kind, whole: out.Int64()}, nil
}

// maxPrecision is the largest of a decimal.
const maxPrecision = 38

func decimalArithmetic(op string, left, right pathItem) (pathItem, error) {
	x, y := left.decimal, right.decimal
	p1, p2, common := left.precision, right.precision, max(x.scale, y.scale)
	out := pathItem{kind: pathDecimal}
	var text string
	var err error
	switch op {
	case "+", "-":
		out.precision = min(maxPrecision, max(p1-x.scale, p2-y.scale)+common+1)
		units := new(big.Int).Add(x.rescaled(common, false).units, y.rescaled(common, false).units)
		if op == "-" {
			units.Sub(x.rescaled(common, false).units, y.rescaled(common, false).units)
		}
		text, err = fixed{units, common}.fits(maxPrecision)
	case "*":
		out.precision = min(maxPrecision, p1+p2)
		text, err = fixed{new(big.Int).Mul(x.units, y.units), x.scale + y.scale}.fits(maxPrecision)
	case "/":
		out.precision = min(maxPrecision, p1+y.scale+max(0, y.scale-x.scale))
		text, err = divideDecimals(x.String(), y.String(), maxPrecision, common)
	default:
		out.precision = min(p1-x.scale, p2-y.scale) + common
		text, err = decimalModulus(x.String(), y.String(), maxPrecision, common)
	}
	if err != nil {
		return out, failure("%s", err)
	}
	out.decimal, err = parseFixed(text)
	if out.decimal.scale > maxPrecision {
		return out, failure("a decimal has too many digits")
	}
	return out, err
}

// negated is 0 - i.
func negated(i pathItem) (pathItem, error) {
	switch i.kind {
	case pathDouble:
		i.double = -i.double
	case pathDecimal:
		i.decimal = fixed{new(big.Int).Neg(i.decimal.units), i.decimal.scale}
	default:
		return wholeArithmetic("-", i.kind, 0, i.whole)
	}
	return i, nil
}

func (i pathItem) isNegative() bool {
	switch i.kind {
	case pathDouble:
		return math.Signbit(i.double) && i.double != 0
	case pathDecimal:
		return i.decimal.units.Sign() < 0
	}
	return i.whole < 0
}

// wholeOf rounds up or down.
func wholeOf(i pathItem, up bool) pathItem {
	switch i.kind {
	case pathDouble:
		if up {
			i.double = math.Ceil(i.double)
		} else {
			i.double = math.Floor(i.double)
		}
	case pathDecimal:
		unit := tenTo(i.decimal.scale)
		n, rest := new(big.Int).DivMod(i.decimal.units, unit, new(big.Int))
		if up && rest.Sign() > 0 {
			n.Add(n, big.NewInt(1))
		}
		i.precision += min(i.decimal.scale, 1) - i.decimal.scale
		i.decimal = fixed{n, 0}
	}
	return i
}
