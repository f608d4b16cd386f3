package ingest

import (
	"fmt"
	"strings"
)

// storedType says how a column of another DuckDB file or of a Parquet file is
// kept: cast is the DuckDB type to convert to, empty where it stays as it is, and
// presto is the type's name in Presto SQL.
func storedType(duck string) (cast, presto string) {
	upper := strings.ToUpper(duck)
	switch base, _, _ := strings.Cut(upper, "("); base {
	case "BOOLEAN", "BIGINT", "DOUBLE", "DATE", "VARCHAR", "INTEGER", "SMALLINT", "TINYINT", "UUID", "JSON":
		return "", strings.ToLower(base)
	case "DECIMAL":
		if strings.HasSuffix(upper, ")") { // and no list of decimals
			return "", strings.ToLower(upper)
		}
	case "FLOAT":
		return "", "real"
	case "UTINYINT":
		return "SMALLINT", "smallint"
	case "USMALLINT":
		return "INTEGER", "integer"
	case "UINTEGER":
		return "BIGINT", "bigint"
	case "UBIGINT":
		return "DECIMAL(20,0)", "decimal(20,0)"
	case "HUGEINT", "UHUGEINT", "BIGNUM":
		return "DECIMAL(38,0)", "decimal(38,0)"
	case "TIMESTAMP":
		return "", "timestamp(6)"
	case "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS":
		return "TIMESTAMP", "timestamp(6)"
	case "TIMESTAMP WITH TIME ZONE":
		return "", "timestamp(6) with time zone"
	case "TIME", "TIME_NS":
		return "TIME", "time(6)"
	case "BLOB":
		return "", "varbinary"
	}
	if nested, ok := nestedType(duck); ok {
		return "", nested
	}
	// ENUM, INTERVAL, BIT, UNION and whatever comes: as text, so that nothing is lost.
	return "VARCHAR", "varchar"
}

// nestedType names lists, maps and structs whose parts are kept as they are.
func nestedType(duck string) (string, bool) {
	part := func(t string) (string, bool) {
		cast, presto := storedType(strings.TrimSpace(t))
		return presto, cast == ""
	}
	if i := strings.LastIndexByte(duck, '['); i > 0 && strings.HasSuffix(duck, "]") {
		element, ok := part(duck[:i])
		return "array(" + element + ")", ok
	}
	base, arguments, found := strings.Cut(duck, "(")
	if !found || !strings.HasSuffix(arguments, ")") {
		return "", false
	}
	switch strings.ToUpper(base) {
	case "MAP":
		fields := splitTop(strings.TrimSuffix(arguments, ")"))
		if len(fields) != 2 {
			return "", false
		}
		key, okKey := part(fields[0])
		value, okValue := part(fields[1])
		return fmt.Sprintf("map(%s, %s)", key, value), okKey && okValue
	case "STRUCT":
		fields, ok := structFields(duck)
		if !ok {
			return "", false
		}
		list := make([]string, len(fields))
		for i, f := range fields {
			presto, ok := part(f.typ)
			if !ok {
				return "", false
			}
			list[i] = f.written + " " + presto
		}
		return "row(" + strings.Join(list, ", ") + ")", true
	}
	return "", false
}

// structField is a field of a struct: its name as it is and as the type writes it, and its type.
type structField struct{ name, written, typ string }

// structFields are the fields of a type of DuckDB that is a struct.
func structFields(duck string) ([]structField, bool) {
	const head, tail = "STRUCT(", ")"
	if len(duck) < len(head)+len(tail) || !strings.EqualFold(duck[:len(head)], head) || !strings.HasSuffix(duck, tail) {
		return nil, false
	}
	parts := splitTop(duck[len(head) : len(duck)-len(tail)])
	out := make([]structField, len(parts))
	for i, f := range parts {
		f = strings.TrimSpace(f)
		end := nameEnd(f)
		if end <= 0 || end >= len(f) {
			return nil, false
		}
		name := f[:end]
		if strings.HasPrefix(name, `"`) {
			name = strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
		}
		out[i] = structField{name: name, written: f[:end], typ: strings.TrimSpace(f[end:])}
	}
	return out, true
}

// nameEnd is where the name of a struct's field ends, before its type: behind the quote
// that closes it, where it has quotes, else at the first blank; -1: nowhere.
func nameEnd(field string) int {
	if !strings.HasPrefix(field, `"`) {
		return strings.IndexByte(field, ' ')
	}
	for i := 1; i < len(field); i++ {
		switch {
		case field[i] != '"':
		case i+1 < len(field) && field[i+1] == '"': // doubled: a quote of the name
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// splitTop cuts at the commas that are in no parenthesis and no quotes.
func splitTop(s string) []string {
	var parts []string
	depth, from, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case quoted:
		case s[i] == '(':
			depth++
		case s[i] == ')':
			depth--
		case s[i] == ',' && depth == 0:
			parts = append(parts, s[from:i])
			from = i + 1
		}
	}
	return append(parts, s[from:])
}
