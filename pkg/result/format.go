package result

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
)

// Precision of numbers in sentences. Pages keep every digit.
const (
	moneyScale    = 2  // digits after the point from 1 upwards
	smallDigits   = 3  // significant digits below 1
	plainExponent = 15 // a double from 1e15 upwards is written with an exponent
	tinyExponent  = -6 // and one below 1e-6
)

// String writes the number for a sentence: integers whole, with thousands
// separators; a decimal of up to two places as declared (1,234.50); all else
// rounded half away from zero to two places, or to three significant digits
// below one. English and Chinese write numbers alike.
func (n Number) String() string {
	switch {
	case n.rat == nil:
		return ""
	case n.rat.IsInt() && (n.scale != floatScale || digitsOf(n.rat.Num()) <= plainExponent):
		if n.scale > 0 && n.scale <= moneyScale {
			return group(n.rat.FloatString(n.scale))
		}
		return group(n.rat.Num().String())
	case n.scale > 0 && n.scale <= moneyScale:
		return group(n.rat.FloatString(n.scale))
	}
	if f := n.Float64(); n.scale == floatScale || f == 0 {
		if e := exponent(f); e >= plainExponent || e < tinyExponent {
			return trimExponent(strconv.FormatFloat(f, 'e', moneyScale, 64))
		}
	}
	if new(big.Rat).Abs(n.rat).Cmp(big.NewRat(1, 1)) >= 0 {
		return group(trimZeros(n.rat.FloatString(moneyScale)))
	}
	// 0.01234 has its first digit at 10^-2, so three digits end at 10^-4.
	return group(trimZeros(n.rat.FloatString(smallDigits - 1 - exponent(n.Float64()))))
}

// PercentagePoints writes what follows a difference of percentages: of one there is a
// singular in English, with and without a sign.
func PercentagePoints(number string, l lang.Language) string {
	if strings.TrimLeft(number, "+-") == "1" {
		return number + l.Pick(" percentage point", "个百分点")
	}
	return number + l.Pick(" percentage points", "个百分点")
}

// Percent writes a share or a change for a sentence: 0.1234 is "12.3%". Below a
// tenth of a percent it has two significant digits, so that it is never "0.0%"; what
// is below leastPercent is what rounding leaves of nothing, and "0%". The ratio is finite.
func Percent(ratio float64) string {
	p := ratio * 100
	abs := p
	if abs < 0 {
		abs = -abs
	}
	var text string
	switch {
	case abs < leastPercent:
		return "0%"
	case abs >= hugePercent: // more digits than a double has
		mantissa, exp, _ := strings.Cut(strconv.FormatFloat(ratio, 'e', 1, 64), "e")
		n, _ := strconv.Atoi(exp)
		return trimZeros(mantissa) + "e" + strconv.Itoa(n+2) + "%"
	case abs >= 1000:
		text = strconv.FormatFloat(p, 'f', 0, 64)
	case abs >= 0.1:
		text = trimZeros(strconv.FormatFloat(p, 'f', 1, 64))
	default:
		short, _ := strconv.ParseFloat(strconv.FormatFloat(p, 'g', 2, 64), 64) // its own text
		text = strconv.FormatFloat(short, 'f', -1, 64)                         // without an exponent
	}
	return group(text) + "%"
}

// leastPercent is the least percentage that is written, hugePercent where exponents begin.
const (
	leastPercent = 1e-6
	hugePercent  = 1e15
)

// Text writes any value for a sentence or a cell: numbers with separators, text
// as it is, null as an empty string and false.
func Text(value any, column Column) (string, bool) {
	if value == nil {
		return "", false
	}
	if n, ok := NumberOf(value, column); ok {
		return n.String(), true
	}
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case float64: // NaN and the infinities
		return endless(v), true
	case []byte:
		return hex.EncodeToString(v), true
	}
	nested, err := json.Marshal(inJSON(value)) // arrays, rows and maps
	if err != nil {
		return "", false
	}
	return string(nested), true
}

// endless writes NaN and the infinities as Presto does.
func endless(v float64) string {
	return strings.Replace(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+"), "Inf", "Infinity", 1)
}

// inJSON is a value with texts for the numbers that JSON has not.
func inJSON(value any) any {
	switch v := value.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return endless(v)
		}
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = inJSON(item)
		}
		return items
	case map[string]any:
		fields := make(map[string]any, len(v))
		for key, item := range v {
			fields[key] = inJSON(item)
		}
		return fields
	}
	return value
}

// group puts commas between the thousands of a plain decimal text.
func group(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	whole, fraction, hasFraction := strings.Cut(text, ".")
	if strings.Trim(whole+fraction, "0") == "" {
		sign = "" // what rounds to zero has no sign
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 && digit != 'e' {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if hasFraction {
		b.WriteByte('.')
		b.WriteString(fraction)
	}
	return b.String()
}

func trimZeros(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// trimExponent writes 1.20e+07 as 1.2e7.
func trimExponent(text string) string {
	mantissa, exp, _ := strings.Cut(text, "e")
	n, err := strconv.Atoi(exp)
	if err != nil {
		return text
	}
	return trimZeros(mantissa) + "e" + strconv.Itoa(n)
}

// exponent is the power of ten of the first significant digit.
func exponent(f float64) int {
	if f == 0 {
		return 0
	}
	_, exp, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exp)
	return n
}

func digitsOf(i *big.Int) int { return len(new(big.Int).Abs(i).String()) }

// Bytes writes a number of bytes for people: "1.5 GiB".
func Bytes(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	value, unit := float64(bytes), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	n, _ := Float(float64(int64(value*10)) / 10)
	return n.String() + " " + units[unit]
}
