package resolve

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// literal returns the type of a literal and notes one that has no such value.
func (r *resolver) literal(x tree.Expr) types.Type {
	switch x := x.(type) {
	case *tree.Null:
		return types.Null()
	case *tree.Bool:
		return types.Boolean()
	case *tree.Number:
		return r.number(x)
	case *tree.String:
		return types.VarcharOf(utf8.RuneCountInString(x.Value))
	case *tree.Bytes:
		return types.Varbinary()
	case *tree.Interval:
		return r.interval(x)
	case *tree.Typed:
		return r.typed(x)
	}
	return types.Unknown()
}

func (r *resolver) number(x *tree.Number) types.Type {
	switch {
	case strings.ContainsAny(x.Text, "eE"):
		return types.Double()
	case strings.Contains(x.Text, "."):
		return r.decimal(x, x.Text)
	}
	if n, err := strconv.ParseInt(x.Text, 10, 64); err == nil && n <= 1<<31-1 {
		return types.Integer()
	}
	return types.Bigint()
}

// negativeLiteral is the type of a number with a minus: the smallest integer has
// no positive twin.
func (r *resolver) negativeLiteral(n *tree.Number) types.Type {
	if n.Text == "2147483648" {
		return types.Integer()
	}
	return r.typeOf(n)
}

// numberLiteral is the value of a number that is written out.
func numberLiteral(x tree.Expr) (float64, bool) {
	switch x := tree.Unparen(x).(type) {
	case *tree.Number:
		f, err := strconv.ParseFloat(x.Text, 64)
		return f, err == nil
	case *tree.Unary:
		f, ok := numberLiteral(x.X)
		if x.Op == "-" {
			f = -f
		}
		return f, ok
	}
	return 0, false
}

func (r *resolver) invalid(x tree.Expr, value, what string) {
	r.mistake(InvalidLiteral, x, nil, "'%s' is no %s", value, what)
}

func (r *resolver) decimal(x tree.Expr, text string) types.Type {
	t := types.DecimalLiteral(strings.TrimLeft(strings.TrimSpace(text), "+-"))
	unsigned := strings.TrimLeft(text, "+-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	if len(text)-len(unsigned) > 1 || whole+fraction == "" || !isDigits(whole) || !isDigits(fraction) || t.Precision > types.MaxDecimal {
		r.invalid(x, text, "decimal")
		return types.Unknown()
	}
	return t
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// typed is the type of a literal with the type's name.
func (r *resolver) typed(x *tree.Typed) types.Type {
	switch x.Type {
	case "decimal":
		return r.decimal(x, x.Value)
	case "char":
		return types.Char(utf8.RuneCountInString(x.Value))
	case "time":
		t, ok := timeType(x.Value)
		return r.pointInTime(x, t, ok)
	case "timestamp":
		t, ok := timestampType(x.Value)
		return r.pointInTime(x, t, ok)
	}
	t, ok := types.Read(x.Type)
	if !ok {
		r.mistakeAt(TypeNotFound, spot{}, x, nil, "there is no type '%s'", x.Type)
		return types.Unknown()
	}
	if !isValue(t, x.Value) {
		r.invalid(x, x.Value, t.String())
	}
	return t
}

func (r *resolver) pointInTime(x *tree.Typed, t types.Type, ok bool) types.Type {
	switch {
	case !ok:
		r.invalid(x, x.Value, x.Type)
	case t.Precision > mostFraction:
		r.mistake(NumericOutOfRange, x, nil, "a second has at most %d digits behind its point", mostFraction)
	}
	return t
}

// isValue reports whether a text is a value of a type, as CAST reads it. Of types
// whose texts are not looked into it is true.
func isValue(t types.Type, text string) bool {
	switch t.Base {
	case "date":
		return isDate(text)
	case "boolean":
		switch strings.ToLower(text) {
		case "t", "true", "1", "f", "false", "0":
			return true
		}
		return false
	case "tinyint":
		return isInteger(text, 8)
	case "smallint":
		return isInteger(text, 16)
	case "integer":
		return isInteger(text, 32)
	case "bigint":
		return isInteger(text, 64)
	case "real", "double":
		return isFloat(text)
	case "uuid":
		return isUUID(text)
	case "ipaddress":
		_, err := netip.ParseAddr(text)
		return err == nil
	case "json":
		return isJSON(text)
	}
	return true
}

func isInteger(text string, bits int) bool {
	_, err := strconv.ParseInt(strings.TrimSpace(text), 10, bits)
	return err == nil
}

func isFloat(text string) bool {
	text = strings.TrimSpace(text)
	switch strings.TrimLeft(text, "+-") {
	case "NaN", "Infinity":
		return true
	}
	if strings.ContainsAny(text, "xXpP_") || strings.ContainsAny(strings.ToLower(text), "in") {
		return false
	}
	text = strings.TrimRight(text, "dDfF")
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || strings.Contains(err.Error(), "range")
}

func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (text[i] == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(text[i])) {
			return false
		}
	}
	return true
}
