// Package types holds Presto's types: as values that can be compared, read from
// and written as Presto's own text, and the rules by which a value of one type
// stands where another is asked for.
package types

import (
	"slices"
	"strconv"
	"strings"
)

// Type is a Presto type. The zero value is Unknown: nothing is known about it.
type Type struct {
	// Base is the lower-case name: "bigint", "decimal", "timestamp with time zone".
	Base string
	// Precision of decimal, timestamp and time; length of varchar and char. -1
	// where none is given.
	Precision int
	Scale     int      // of decimal
	Args      []Type   // element of array; key and value of map; fields of row; arguments and result of function
	Names     []string // of a row's fields; empty strings for unnamed ones
}

// Unknown returns the type of which nothing is known.
func Unknown() Type { return Type{} }

// Null returns the type of a bare NULL.
func Null() Type { return simple("unknown") }

// Boolean returns boolean.
func Boolean() Type { return simple("boolean") }

// Integer returns integer.
func Integer() Type { return simple("integer") }

// Bigint returns bigint.
func Bigint() Type { return simple("bigint") }

// Double returns double.
func Double() Type { return simple("double") }

// Varchar returns varchar of any length.
func Varchar() Type { return simple("varchar") }

// VarcharOf returns varchar(length).
func VarcharOf(length int) Type { return Type{Base: "varchar", Precision: length} }

// Char returns char(length).
func Char(length int) Type { return Type{Base: "char", Precision: length} }

// Date returns date.
func Date() Type { return simple("date") }

// Varbinary returns varbinary.
func Varbinary() Type { return simple("varbinary") }

// DayInterval returns interval day to second.
func DayInterval() Type { return simple("interval day to second") }

// MonthInterval returns interval year to month.
func MonthInterval() Type { return simple("interval year to month") }

// Timestamp returns timestamp(p).
func Timestamp(p int) Type { return Type{Base: "timestamp", Precision: p} }

// Decimal returns decimal(p,s).
func Decimal(p, s int) Type { return Type{Base: "decimal", Precision: p, Scale: s} }

// Array returns array(element).
func Array(element Type) Type { return Type{Base: "array", Precision: -1, Args: []Type{element}} }

// Row returns row(fields) without names.
func Row(fields []Type) Type {
	return Type{Base: "row", Precision: -1, Args: fields, Names: make([]string, len(fields))}
}

// Function returns the type of a lambda: its parameters and its result.
func Function(params []Type, result Type) Type {
	return Type{Base: "function", Precision: -1, Args: append(slices.Clone(params), result)}
}

func simple(base string) Type { return Type{Base: base, Precision: -1} }

// IsUnknown reports whether nothing is known about the type.
func (t Type) IsUnknown() bool { return t.Base == "" }

// IsPartlyUnknown reports whether nothing is known about the type or a part of it.
func (t Type) IsPartlyUnknown() bool {
	return t.Base == "" || slices.ContainsFunc(t.Args, Type.IsPartlyUnknown)
}

// IsNull reports whether it is the type of a bare NULL.
func (t Type) IsNull() bool { return t.Base == "unknown" }

// IsInteger reports tinyint, smallint, integer, bigint.
func (t Type) IsInteger() bool { return integerDigits(t.Base) > 0 }

// IsNumeric reports integers, decimal, real, double.
func (t Type) IsNumeric() bool { return t.IsInteger() || t.IsDecimal() || t.IsFloat() }

// IsDecimal reports decimal.
func (t Type) IsDecimal() bool { return t.Base == "decimal" }

// IsFloat reports real and double.
func (t Type) IsFloat() bool { return t.Base == "real" || t.Base == "double" }

// IsText reports varchar and char.
func (t Type) IsText() bool { return t.Base == "varchar" || t.Base == "char" }

// IsInterval reports both interval types.
func (t Type) IsInterval() bool { return strings.HasPrefix(t.Base, "interval") }

// IsTime reports date, time and timestamp, with and without zone.
func (t Type) IsTime() bool {
	return t.Base == "date" || strings.HasPrefix(t.Base, "time")
}

// IsComparable reports whether values of the type can be equal, grouped and made
// distinct. Of what is not known it is true.
func (t Type) IsComparable() bool {
	switch t.Base {
	case "array", "map", "row":
		return all(t.Args, Type.IsComparable)
	case "function", "hyperloglog", "p4hyperloglog", "setdigest", "qdigest", "tdigest", "joniregexp", "re2jregexp", "jsonpath",
		"codepoints", "geometry", "sphericalgeography", "kdbtree", "model", "regressor", "classifier", "json2016":
		return false
	}
	return true
}

// IsOrderable reports whether values of the type can be sorted. Of what is not
// known it is true.
func (t Type) IsOrderable() bool {
	switch t.Base {
	case "array", "row":
		return all(t.Args, Type.IsOrderable)
	case "map", "json", "color", "bingtile":
		return false
	}
	return t.IsComparable()
}

func all(ts []Type, is func(Type) bool) bool {
	return !slices.ContainsFunc(ts, func(t Type) bool { return !is(t) })
}

// Equal reports whether two types are the same, names of row fields aside.
func (t Type) Equal(u Type) bool {
	return t.Base == u.Base && t.Precision == u.Precision && t.Scale == u.Scale && slices.EqualFunc(t.Args, u.Args, Type.Equal)
}

// Identical reports whether two types are the same, names of row fields too.
func (t Type) Identical(u Type) bool {
	if t.Base != u.Base || t.Precision != u.Precision || t.Scale != u.Scale || len(t.Args) != len(u.Args) {
		return false
	}
	for i := range t.Args {
		if !t.Args[i].Identical(u.Args[i]) || t.name(i) != u.name(i) {
			return false
		}
	}
	return true
}

// name is the name of a row's field, empty where it has none.
func (t Type) name(i int) string {
	if i < len(t.Names) {
		return t.Names[i]
	}
	return ""
}

// String returns Presto's text of the type; empty for Unknown.
func (t Type) String() string {
	switch t.Base {
	case "":
		return ""
	case "decimal":
		return "decimal(" + strconv.Itoa(t.Precision) + "," + strconv.Itoa(t.Scale) + ")"
	case "row":
		parts := make([]string, len(t.Args))
		for i, a := range t.Args {
			parts[i] = a.String()
			if name := t.name(i); name != "" {
				parts[i] = fieldText(name) + " " + parts[i]
			}
		}
		return "row(" + strings.Join(parts, ", ") + ")"
	}
	base, zone := strings.CutSuffix(shown(t.Base), " with time zone")
	if t.Precision >= 0 {
		base += "(" + strconv.Itoa(t.Precision) + ")"
	} else if len(t.Args) > 0 {
		parts := make([]string, len(t.Args))
		for i, a := range t.Args {
			parts[i] = a.String()
		}
		base += "(" + strings.Join(parts, ", ") + ")"
	}
	if zone {
		base += " with time zone"
	}
	return base
}

// fieldText quotes a row field's name where Presto does.
func fieldText(name string) string {
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return name
}

// shown is a base as Presto writes it: some names have capitals.
func shown(base string) string {
	switch base {
	case "hyperloglog":
		return "HyperLogLog"
	case "p4hyperloglog":
		return "P4HyperLogLog"
	case "setdigest":
		return "SetDigest"
	case "joniregexp":
		return "JoniRegExp"
	case "re2jregexp":
		return "Re2JRegExp"
	case "jsonpath":
		return "JsonPath"
	case "codepoints":
		return "CodePoints"
	case "geometry":
		return "Geometry"
	case "sphericalgeography":
		return "SphericalGeography"
	case "bingtile":
		return "BingTile"
	case "kdbtree":
		return "KdbTree"
	case "model", "regressor", "classifier":
		return strings.ToUpper(base[:1]) + base[1:]
	}
	return base
}
