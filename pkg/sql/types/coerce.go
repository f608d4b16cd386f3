package types

// Bounds of types.
const (
	// MaxDecimal is the most digits that a decimal has.
	MaxDecimal = 38
	// MaxChar is the longest char.
	MaxChar = 65536
)

// integerDigits are the digits of the decimal that holds any value of an integer
// type; 0 for other types.
func integerDigits(base string) int {
	switch base {
	case "tinyint":
		return 3
	case "smallint":
		return 5
	case "integer":
		return 10
	case "bigint":
		return 19
	}
	return 0
}

// AsDecimal returns the decimal that an integer type is coerced to.
func (t Type) AsDecimal() Type {
	if digits := integerDigits(t.Base); digits > 0 {
		return Decimal(digits, 0)
	}
	return t
}

// Common returns the type that both can be coerced to, as in CASE, UNION or a
// comparison. ok is false where there is none; an Unknown side gives Unknown.
func Common(a, b Type) (t Type, ok bool) {
	t, _, ok = compatible(a, b)
	return t, ok
}

// Coercible reports whether a value of type from may stand where to is asked for.
// Where nothing is known of one of them it is true.
func Coercible(from, to Type) bool {
	_, coercible, ok := compatible(from, to)
	return ok && coercible
}

// compatible returns the type that both can be coerced to, and whether that is
// to: then from can be coerced to it.
func compatible(from, to Type) (common Type, coercible, ok bool) {
	switch {
	case from.IsUnknown() || to.IsUnknown():
		return Unknown(), true, true
	case from.IsNull() || from.Base == to.Base && from.Identical(to):
		return to, true, true
	case to.IsNull():
		return from, false, true
	case from.Base == to.Base:
		return sameBase(from, to)
	}
	if widened, ok := Widen(from, to.Base); ok {
		return compatible(widened, to)
	}
	if widened, ok := Widen(to, from.Base); ok {
		common, _, ok := compatible(from, widened)
		return common, false, ok
	}
	return Unknown(), false, false
}

// sameBase is compatible for types that differ in parameters only.
func sameBase(from, to Type) (common Type, coercible, ok bool) {
	switch from.Base {
	case "decimal":
		scale := max(from.Scale, to.Scale)
		common = Decimal(min(MaxDecimal, max(from.Precision-from.Scale, to.Precision-to.Scale)+scale), scale)
	case "varchar":
		common = Varchar()
		if from.Precision >= 0 && to.Precision >= 0 {
			common.Precision = max(from.Precision, to.Precision)
		}
	case "char", "timestamp", "timestamp with time zone", "time", "time with time zone":
		common = Type{Base: from.Base, Precision: max(from.Precision, to.Precision)}
	case "row", "array", "map":
		return parametric(from, to)
	default:
		return Unknown(), false, false
	}
	return common, common.Equal(to), true
}

func parametric(from, to Type) (common Type, coercible, ok bool) {
	if len(from.Args) != len(to.Args) {
		return Unknown(), false, false
	}
	common = Type{Base: from.Base, Precision: -1, Args: make([]Type, len(from.Args))}
	if from.Base == "row" {
		common.Names = make([]string, len(from.Args))
	}
	coercible = true
	for i := range from.Args {
		arg, fits, ok := compatible(from.Args[i], to.Args[i])
		if !ok {
			return Unknown(), false, false
		}
		coercible = coercible && fits
		common.Args[i] = arg
		if from.Base == "row" && from.name(i) == to.name(i) {
			common.Names[i] = from.name(i)
		}
	}
	return common, coercible, true
}

// Widen returns the type of the given base that a value can be coerced to.
func Widen(t Type, base string) (wide Type, ok bool) {
	if t.Base == base {
		return t, true
	}
	switch t.Base {
	case "unknown":
		return widenNull(base)
	case "tinyint", "smallint", "integer", "bigint":
		if digits := integerDigits(base); digits > 0 {
			return simple(base), digits > integerDigits(t.Base)
		}
		if base == "decimal" {
			return t.AsDecimal(), true
		}
		return simple(base), base == "real" || base == "double"
	case "decimal":
		return simple(base), base == "real" || base == "double"
	case "real":
		return simple(base), base == "double"
	case "date":
		return Type{Base: base}, base == "timestamp" || base == "timestamp with time zone"
	case "time", "timestamp":
		return Type{Base: base, Precision: t.Precision}, base == t.Base+" with time zone"
	case "varchar":
		if base == "char" {
			if t.Precision < 0 || t.Precision > MaxChar {
				return Char(MaxChar), true
			}
			return Char(t.Precision), true
		}
		return simple(base), isPattern(base)
	case "char":
		return simple(base), isPattern(base)
	case "p4hyperloglog":
		return simple(base), base == "hyperloglog"
	}
	return Unknown(), false
}

// isPattern reports the types of what functions take a text for.
func isPattern(base string) bool {
	return base == "joniregexp" || base == "re2jregexp" || base == "jsonpath" || base == "codepoints"
}

func widenNull(base string) (Type, bool) {
	switch base {
	case "boolean", "bigint", "integer", "double", "real", "varbinary", "date", "hyperloglog", "setdigest", "p4hyperloglog", "json",
		"interval year to month", "interval day to second", "joniregexp", "jsonpath", "color", "codepoints":
		return simple(base), true
	case "time", "time with time zone", "timestamp", "timestamp with time zone":
		return Type{Base: base, Precision: 3}, true
	case "varchar", "char":
		return Type{Base: base}, true
	case "decimal":
		return Decimal(1, 0), true
	}
	return Unknown(), false
}

// DecimalLiteral returns the type of a decimal literal: as many digits as it is
// written with, leading zeros of the whole part aside.
func DecimalLiteral(text string) Type {
	whole, fraction := text, ""
	for i := range text {
		if text[i] == '.' {
			whole, fraction = text[:i], text[i+1:]
			break
		}
	}
	for len(whole) > 0 && (whole[0] < '1' || whole[0] > '9') {
		whole = whole[1:]
	}
	scale := digits(fraction)
	return Decimal(max(digits(whole)+scale, 1), scale)
}

func digits(s string) int {
	n := 0
	for _, c := range s {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}
