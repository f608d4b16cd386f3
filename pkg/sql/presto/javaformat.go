package presto

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
)

// Tags of the arguments of presto_format: each is a text that begins with the tag
// of its type.
const (
	TagInteger   = "i" // digits
	TagDouble    = "f" // a double that Go reads
	TagReal      = "r" // a real that Go reads
	TagDecimal   = "n" // digits and a point
	TagBoolean   = "b" // true or false
	TagText      = "s"
	TagDate      = "d" // 2006-01-02
	TagTimestamp = "t" // microseconds since 1970
	TagTime      = "c" // microseconds since midnight
	TagInstant   = "z" // microseconds since 1970, a blank, the zone
)

func formatFunctions() []Function {
	return []Function{{
		Name: "presto_format", Args: []Kind{Text, Text}, Variadic: true, Result: Text, Nulls: true,
		Call: func(args []any) (any, error) {
			format, ok := args[0].(string)
			if !ok {
				return nil, nil
			}
			return boxed(javaFormat(format, args[1:]))
		},
	}}
}

var specifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^%(\d+\$|<)?([-#+ 0,(]*)(\d+)?(\.\d+)?([tT])?([a-zA-Z%])`)
})

// spec is one specifier: %[index$][flags][width][.precision]conversion.
type spec struct {
	flags            string
	width, precision int // -1: none
	conversion       string
	upper            bool
}

func (s spec) has(flag string) bool { return strings.Contains(s.flags, flag) }

// javaFormat writes a format of Java's java.util.Formatter.
func javaFormat(format string, args []any) (string, error) {
	var out strings.Builder
	next, last := 0, -1
	for format != "" {
		plain, rest, found := strings.Cut(format, "%")
		out.WriteString(plain)
		if !found {
			break
		}
		parts := specifier().FindStringSubmatch("%" + rest)
		if parts == nil {
			return "", invalid("invalid format string: %s", Short("%"+rest))
		}
		format = ("%" + rest)[len(parts[0]):]
		s := spec{flags: parts[2], width: -1, precision: -1, conversion: parts[5] + parts[6]}
		var err error
		if parts[3] != "" {
			s.width, err = strconv.Atoi(parts[3])
		}
		if parts[4] != "" && err == nil {
			s.precision, err = strconv.Atoi(parts[4][1:])
		}
		if err != nil || s.width > MaxText || s.precision > 1000 {
			return "", invalid("invalid format string: %s", Short(parts[0]))
		}
		if parts[6] == "n" || parts[6] == "%" {
			out.WriteString(s.padded(map[string]string{"n": "\n", "%": "%"}[parts[6]]))
			continue
		}
		at := next
		switch {
		case parts[1] == "<":
			at = last
		case parts[1] != "":
			n, err := strconv.Atoi(strings.TrimSuffix(parts[1], "$"))
			if err != nil {
				return "", invalid("invalid format string: %s", Short(parts[0]))
			}
			at = n - 1
		default:
			next++
		}
		if at < 0 || at >= len(args) {
			return "", invalid("invalid format string: there is no argument for %s", parts[0])
		}
		last = at
		text, err := s.format(args[at])
		if err != nil {
			return "", err
		}
		if out.WriteString(text); out.Len() > MaxText {
			return "", invalid("format would give a text of more than %d bytes", MaxText)
		}
	}
	return out.String(), nil
}

// padded fills a text with blanks up to the width.
func (s spec) padded(text string) string {
	missing := s.width - len([]rune(text))
	if missing <= 0 {
		return text
	}
	if s.has("-") {
		return text + strings.Repeat(" ", missing)
	}
	return strings.Repeat(" ", missing) + text
}

func (s spec) format(arg any) (string, error) {
	lower := strings.ToLower(s.conversion[:1])
	if s.conversion != lower && lower != "t" && len(s.conversion) == 1 {
		if !strings.ContainsAny(s.conversion, "BHSXEGA") {
			return "", s.unknown()
		}
		s.upper, s.conversion = true, lower
	}
	if s.has("-") && (s.has("0") || s.width < 0) || s.has("0") && s.width < 0 || s.has("+") && s.has(" ") {
		return "", invalid("invalid format string: flags '%s' of %%%s", s.flags, s.conversion)
	}
	tag, value := "", ""
	if tagged, ok := arg.(string); ok && tagged != "" {
		tag, value = tagged[:1], tagged[1:]
	}
	var text string
	var err error
	switch s.conversion {
	case "s", "b", "h":
		return s.general(tag, value)
	case "d", "x", "o":
		if tag == "" {
			return s.general(tag, value)
		}
		if tag != TagInteger {
			return "", s.mismatch(tag)
		}
		text, err = s.integer(value)
	case "e", "f", "g":
		if tag == "" {
			return s.general(tag, value)
		}
		text, err = s.float(tag, value)
	default:
		if s.conversion[0] != 't' && s.conversion[0] != 'T' || len(s.conversion) != 2 {
			return "", s.unknown()
		}
		if tag == "" {
			return s.general(tag, value)
		}
		text, err = s.date(tag, value)
	}
	if s.upper || s.conversion[0] == 'T' {
		text = strings.ToUpper(text)
	}
	return s.padded(text), err
}

func (s spec) unknown() error {
	if strings.ContainsAny(s.conversion, "acAC") {
		return &Error{"NOT_SUPPORTED", "the conversion %" + s.conversion + " of format is not supported on the embedded engine"}
	}
	return invalid("invalid format string: unknown conversion %%%s", s.conversion)
}

func (s spec) mismatch(tag string) error {
	return invalid("invalid format string: %%%s does not fit a value of this type (%s)", s.conversion, tag)
}

// general is %s, %b and %h, and what all conversions do with null.
func (s spec) general(tag, value string) (string, error) {
	if s.has("#") || (s.flags != "" && strings.Trim(s.flags, "-") != "" && strings.ContainsAny(s.conversion, "sbh")) {
		return "", invalid("invalid format string: flags '%s' of %%%s", s.flags, s.conversion)
	}
	text := "null"
	switch {
	case s.conversion == "b":
		text = strconv.FormatBool(tag != "" && (tag != TagBoolean || value == "true"))
	case tag == "":
	case s.conversion == "h":
		if tag != TagText && tag != TagInteger {
			return "", &Error{"NOT_SUPPORTED", "the conversion %h of such a value is not supported on the embedded engine"}
		}
		text = strconv.FormatUint(uint64(uint32(javaHash(tag, value))), 16)
	default:
		var err error
		if text, err = javaString(tag, value); err != nil {
			return "", err
		}
	}
	if r := []rune(text); s.precision >= 0 && len(r) > s.precision {
		text = string(r[:s.precision])
	}
	if s.upper {
		text = strings.ToUpper(text)
	}
	return s.padded(text), nil
}

// javaString is the toString of what Trino hands to the formatter.
func javaString(tag, value string) (string, error) {
	switch tag {
	case TagDouble:
		f, err := strconv.ParseFloat(value, 64)
		return javaDouble(f), err
	case TagReal:
		f, err := strconv.ParseFloat(value, 32)
		return javaReal(float32(f)), err
	case TagTimestamp, TagTime, TagInstant:
		number, zone, _ := strings.Cut(value, " ")
		micros, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return "", err
		}
		t := time.UnixMicro(micros).UTC()
		switch tag {
		case TagTime:
			return isoTime(t), nil
		case TagTimestamp:
			return DateText(t) + "T" + isoTime(t), nil
		}
		return zonedText(t, zone)
	}
	return value, nil
}

// javaReal is Java's Float.toString.
func javaReal(x float32) string {
	f, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64)
	if err != nil {
		f = float64(x)
	}
	return javaDouble(f)
}

// isoTime leaves out seconds that are zero, and writes 3, 6 or 9 digits of them.
func isoTime(t time.Time) string {
	switch {
	case t.Nanosecond() == 0 && t.Second() == 0:
		return t.Format("15:04")
	case t.Nanosecond() == 0:
		return t.Format("15:04:05")
	case t.Nanosecond()%1_000_000 == 0:
		return t.Format("15:04:05.000")
	}
	return t.Format("15:04:05.000000")
}

func zonedText(instant time.Time, zone string) (string, error) {
	local, err := Local(instant, zone)
	if err != nil {
		return "", err
	}
	text := DateText(local) + "T" + isoTime(local)
	l, err := location(zone)
	if err != nil {
		return "", err
	}
	minutes := offsetAt(instant, l) / 60
	switch {
	case minutes == 0:
		text += "Z"
	default:
		text += offsetName(minutes)
	}
	if zone[0] != '+' && zone[0] != '-' {
		text += "[" + zone + "]"
	}
	return text, nil
}

func javaHash(tag, value string) int32 {
	if tag == TagInteger {
		n, _ := strconv.ParseInt(value, 10, 64) // digits by the tag
		return int32(n ^ int64(uint64(n)>>32))
	}
	return stringHash(value)
}

// stringHash is Java's String.hashCode.
func stringHash(s string) int32 {
	var h int32
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(unit)
	}
	return h
}

func (s spec) integer(value string) (string, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return "", invalid("invalid format string: '%s' is no integer", Short(value))
	}
	if s.precision >= 0 {
		return "", invalid("invalid format string: a precision of %%%s", s.conversion)
	}
	if s.conversion != "d" {
		if strings.ContainsAny(s.flags, "+ ,(") {
			return "", invalid("invalid format string: flags '%s' of %%%s", s.flags, s.conversion)
		}
		text := strconv.FormatUint(uint64(n), map[string]int{"x": 16, "o": 8}[s.conversion])
		prefix := ""
		if s.has("#") {
			prefix = map[string]string{"x": "0x", "o": "0"}[s.conversion]
		}
		return s.zeros(prefix, text, ""), nil
	}
	if s.has("#") {
		return "", invalid("invalid format string: flags '%s' of %%d", s.flags)
	}
	digits := strings.TrimPrefix(value, "-")
	return s.signed(s.grouped(digits), n < 0), nil
}

// signed puts a sign, or parentheses, around digits and fills with zeros.
func (s spec) signed(digits string, negative bool) string {
	switch {
	case negative && s.has("("):
		return s.zeros("(", digits, ")")
	case negative:
		return s.zeros("-", digits, "")
	case s.has("+"):
		return s.zeros("+", digits, "")
	case s.has(" "):
		return s.zeros(" ", digits, "")
	}
	return s.zeros("", digits, "")
}

func (s spec) zeros(before, digits, after string) string {
	if missing := s.width - len(before) - len(digits) - len(after); s.has("0") && missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return before + digits + after
}

// grouped puts commas between thousands where the flag asks for it.
func (s spec) grouped(digits string) string {
	if !s.has(",") {
		return digits
	}
	whole, fraction, hasPoint := strings.Cut(digits, ".")
	var b strings.Builder
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	if hasPoint {
		b.WriteString("." + fraction)
	}
	return b.String()
}

// float is %e, %f and %g.
func (s spec) float(tag, value string) (string, error) {
	if tag != TagDouble && tag != TagReal && tag != TagDecimal {
		return "", s.mismatch(tag)
	}
	if s.has("#") || s.conversion == "e" && s.has(",") {
		return "", invalid("invalid format string: flags '%s' of %%%s", s.flags, s.conversion)
	}
	precision := s.precision
	if precision < 0 {
		precision = 6
	}
	digits, exponent, negative, special, err := decimalDigits(tag, value)
	if err != nil {
		return "", invalid("invalid format string: '%s' is no number", Short(value))
	}
	if special != "" {
		s.flags = strings.NewReplacer("0", "", ",", "").Replace(s.flags)
		return s.signed(special, negative), nil
	}
	var text string
	switch s.conversion {
	case "f":
		text = s.grouped(plain(digits, exponent, precision))
	case "e":
		text = exponential(digits, exponent, precision)
	default:
		text = s.shortest(digits, exponent, precision)
	}
	return s.signed(text, negative), nil
}

// decimalDigits returns the digits of a number and the exponent of the first.
func decimalDigits(tag, value string) (digits string, exponent int, negative bool, special string, err error) {
	if tag == TagDecimal {
		negative = strings.HasPrefix(value, "-")
		whole, fraction, _ := strings.Cut(strings.TrimPrefix(value, "-"), ".")
		digits = strings.TrimLeft(whole+fraction, "0")
		exponent = len(whole) - 1 - (len(whole+fraction) - len(digits))
		return digits, exponent, negative, "", nil
	}
	bits := 64
	if tag == TagReal {
		bits = 32
	}
	x, err := strconv.ParseFloat(value, bits)
	if bits == 32 && err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
		x, err = strconv.ParseFloat(strconv.FormatFloat(x, 'g', -1, 32), 64)
	}
	negative = math.Signbit(x) && !math.IsNaN(x)
	switch {
	case err != nil:
		return "", 0, false, "", err
	case math.IsNaN(x):
		return "", 0, false, "NaN", nil
	case math.IsInf(x, 0):
		return "", 0, negative, "Infinity", nil
	case x == 0:
		return "", 0, negative, "", nil
	}
	found, exponent := javaDigits(math.Abs(x))
	return string(found), exponent, negative, "", nil
}

// roundedAt rounds digits half up after the one with a given exponent.
func roundedAt(digits string, exponent, lowest int) (rounded string, newExponent int) {
	keep := exponent - lowest + 1
	switch {
	case keep >= len(digits):
		return digits, exponent
	case keep < 0:
		return "", 0
	}
	n := new(big.Int)
	if keep > 0 {
		n.SetString(digits[:keep], 10)
	}
	if digits[keep] >= '5' {
		n.Add(n, big.NewInt(1))
	}
	text := n.String()
	if n.Sign() == 0 {
		return "", 0
	}
	return text, exponent + len(text) - keep
}

// plain writes digits with so many of them after the point.
func plain(digits string, exponent, precision int) string {
	digits, exponent = roundedAt(digits, exponent, -precision)
	at := func(i int) byte { // the digit that counts ten to the i
		if n := exponent - i; digits != "" && n >= 0 && n < len(digits) {
			return digits[n]
		}
		return '0'
	}
	var b strings.Builder
	top := 0
	if digits != "" {
		top = max(exponent, 0)
	}
	for i := top; i >= 0; i-- {
		b.WriteByte(at(i))
	}
	if precision > 0 {
		b.WriteByte('.')
	}
	for i := -1; i >= -precision; i-- {
		b.WriteByte(at(i))
	}
	return b.String()
}

// exponential writes one digit before the point and an exponent.
func exponential(digits string, exponent, precision int) string {
	digits, exponent = roundedAt(digits, exponent, exponent-precision)
	if digits == "" {
		exponent = 0
	}
	digits += strings.Repeat("0", max(0, precision+1-len(digits)))
	digits = digits[:precision+1]
	text := digits[:1]
	if precision > 0 {
		text += "." + digits[1:]
	}
	return text + fmt.Sprintf("e%+03d", exponent)
}

// shortest is %g: so many digits, plain from 0.0001 on.
func (s spec) shortest(digits string, exponent, precision int) string {
	precision = max(precision, 1)
	if digits == "" {
		return plain("", 0, precision-1)
	}
	_, rounded := roundedAt(digits, exponent, exponent-precision+1)
	if rounded >= -4 && rounded < precision {
		return s.grouped(plain(digits, exponent, precision-1-rounded))
	}
	return exponential(digits, exponent, precision-1)
}

// date is %tX.
func (s spec) date(tag, value string) (string, error) {
	if s.precision >= 0 || strings.Trim(s.flags, "-") != "" {
		return "", invalid("invalid format string: %%%s with flags or a precision", s.conversion)
	}
	var t time.Time
	switch tag {
	case TagDate:
		d, ok := readDate(value)
		if !ok {
			return "", s.mismatch(tag)
		}
		t = d
	case TagTimestamp:
		micros, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return "", s.mismatch(tag)
		}
		t = time.UnixMicro(micros).UTC()
	default:
		return "", &Error{"NOT_SUPPORTED", "%t of such a value in format is not supported on the embedded engine"}
	}
	c := s.conversion[1]
	if tag == TagDate && strings.IndexByte("HIklMSLNpTRrcsQ", c) >= 0 {
		return "", s.mismatch(tag)
	}
	layout, ok := map[byte]string{
		'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "2", 'B': "January", 'b': "Jan", 'h': "Jan", 'A': "Monday", 'a': "Mon",
		'j': "002", 'H': "15", 'I': "03", 'l': "3", 'M': "04", 'S': "05", 'p': "pm",
		'T': "15:04:05", 'R': "15:04", 'r': "03:04:05 PM", 'D': "01/02/06", 'F': "2006-01-02",
	}[c]
	switch {
	case ok && t.Year() >= 0 && t.Year() <= 9999:
		return t.Format(layout), nil
	case c == 'k':
		return strconv.Itoa(t.Hour()), nil
	case c == 'L':
		return fmt.Sprintf("%03d", t.Nanosecond()/1_000_000), nil
	case c == 'N':
		return fmt.Sprintf("%09d", t.Nanosecond()), nil
	case c == 'C' && t.Year() >= 0:
		return fmt.Sprintf("%02d", t.Year()/100), nil
	}
	return "", &Error{"NOT_SUPPORTED", "the conversion %" + s.conversion + " of format is not supported on the embedded engine"}
}
