package types

// AsDecimal returns the decimal that an integer type is coerced to.
func (t Type) AsDecimal() Type {
	switch t.Base {
	case "tinyint":
		return Decimal(3, 0)
	case "smallint":
		return Decimal(5, 0)
	case "integer":
		return Decimal(10, 0)
	case "bigint":
		return Decimal(19, 0)
	}
	return t
}

// Common returns the type that both can be coerced to, as in CASE, UNION or a
// comparison. ok is false where there is none; an Unknown side gives Unknown.
func Common(a, b Type) (t Type, ok bool) {
	switch {
	case a.IsUnknown() || b.IsUnknown():
		return Unknown(), true
	case a.IsNull() || a.Equal(b):
		return b, true
	case b.IsNull():
		return a, true
	case a.IsNumeric() && b.IsNumeric():
		return commonNumber(a, b), true
	case a.IsText() && b.IsText():
		if a.Base == b.Base && a.Precision >= 0 && b.Precision >= 0 {
			return Type{Base: a.Base, Precision: max(a.Precision, b.Precision)}, true
		}
		return Varchar(), true
	case a.IsTime() && b.IsTime():
		return commonTime(a, b)
	case a.Base == b.Base && len(a.Args) == len(b.Args) && len(a.Args) > 0:
		out := a
		out.Args = make([]Type, len(a.Args))
		for i := range a.Args {
			arg, ok := Common(a.Args[i], b.Args[i])
			if !ok {
				return Unknown(), false
			}
			out.Args[i] = arg
		}
		return out, true
	}
	return Unknown(), false
}

func commonNumber(a, b Type) Type {
	switch {
	case a.Base == "double" || b.Base == "double":
		return Double()
	case a.Base == "real" || b.Base == "real":
		return simple("real")
	case a.IsDecimal() || b.IsDecimal():
		x, y := a.AsDecimal(), b.AsDecimal()
		scale := max(x.Scale, y.Scale)
		return Decimal(min(38, max(x.Precision-x.Scale, y.Precision-y.Scale)+scale), scale)
	case integerRank(a.Base) > integerRank(b.Base):
		return a
	}
	return b
}

func commonTime(a, b Type) (Type, bool) {
	rank := func(t Type) int {
		switch t.Base {
		case "date":
			return 1
		case "timestamp":
			return 2
		case "timestamp with time zone":
			return 3
		}
		return 0
	}
	ra, rb := rank(a), rank(b)
	if ra == 0 || rb == 0 {
		if a.Base == b.Base {
			return Type{Base: a.Base, Precision: max(a.Precision, b.Precision)}, true
		}
		return Unknown(), false
	}
	out := a
	if rb > ra {
		out = b
	}
	if ra > 1 && rb > 1 {
		out.Precision = max(a.Precision, b.Precision)
	}
	return out, true
}

// Coercible reports whether a value of type from may stand where to is asked
// for, and how far the two are apart: 0 is the same type.
func Coercible(from, to Type) (distance int, ok bool) {
	if from.Equal(to) {
		return 0, true
	}
	if from.IsNull() || from.IsUnknown() {
		return 1, true
	}
	if from.IsText() && to.IsText() {
		return 0, from.Base == to.Base || to.Base == "varchar"
	}
	if from.Base == to.Base && (from.IsTime() || from.IsDecimal()) {
		return 0, true
	}
	common, ok := Common(from, to)
	if !ok || common.Base != to.Base {
		return 0, false
	}
	return numberRank(to.Base) - numberRank(from.Base) + 1, true
}

func numberRank(base string) int {
	switch base {
	case "decimal":
		return 5
	case "real":
		return 6
	case "double":
		return 7
	}
	return integerRank(base)
}

// Arithmetic returns the type of left op right; op is + - * / %. ok is false
// where Presto has no such operator.
func Arithmetic(op string, left, right Type) (t Type, ok bool) {
	if left.IsUnknown() || right.IsUnknown() {
		return Unknown(), true
	}
	if left.IsNull() && right.IsNull() {
		return Unknown(), true
	}
	if left.IsNull() {
		left = right
	} else if right.IsNull() {
		right = left
	}
	switch {
	case left.IsNumeric() && right.IsNumeric():
		if (left.IsDecimal() || right.IsDecimal()) && !left.IsFloat() && !right.IsFloat() {
			return decimalResult(op, left.AsDecimal(), right.AsDecimal()), true
		}
		return commonNumber(left, right), true
	case left.IsInterval() && right.IsInterval():
		return left, left.Base == right.Base && (op == "+" || op == "-")
	case left.IsInterval() && right.IsNumeric():
		return left, op == "*" || op == "/"
	case left.IsNumeric() && right.IsInterval():
		return right, op == "*"
	case left.IsTime() && right.IsInterval():
		return shifted(left, right), op == "+" || op == "-"
	case left.IsInterval() && right.IsTime():
		return shifted(right, left), op == "+"
	case left.IsTime() && right.IsTime():
		return DayInterval(), op == "-"
	}
	return Unknown(), false
}

// decimalResult gives precision and scale as Trino's decimal operators do.
func decimalResult(op string, a, b Type) Type {
	scale := max(a.Scale, b.Scale)
	switch op {
	case "*":
		return Decimal(min(38, a.Precision+b.Precision), a.Scale+b.Scale)
	case "/":
		return Decimal(min(38, a.Precision+b.Scale+max(b.Scale-a.Scale, 0)), scale)
	case "%":
		return Decimal(min(38, min(b.Precision-b.Scale, a.Precision-a.Scale)+scale), scale)
	}
	return Decimal(min(38, max(a.Precision-a.Scale, b.Precision-b.Scale)+scale+1), scale)
}

// DecimalLiteral returns the type of a decimal literal: as many digits as it is
// written with, leading zeros of the whole part aside.
func DecimalLiteral(text string) Type {
	digits := func(s string) int {
		n := 0
		for _, c := range s {
			if c >= '0' && c <= '9' {
				n++
			}
		}
		return n
	}
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

// shifted is the type of a point in time moved by an interval: days and less
// bring milliseconds with them.
func shifted(point, by Type) Type {
	if point.Base != "date" && by.Base == "interval day to second" {
		point.Precision = max(point.Precision, 3)
	}
	return point
}
