package duckdb

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// JSON values are held as their text, as json_format gives it.

// toJSON writes CAST(text AS json); empty where Presto has no such cast.
func (e *emitter) toJSON(at tree.Node, text string, from types.Type) string {
	switch {
	case from.Base == "json":
		return text
	case from.IsInteger(), from.IsDecimal(), from.Base == "boolean":
		return asText(text, from)
	case from.IsFloat():
		return "presto_" + from.Base + "_json(" + text + ")"
	case from.Base == "varchar":
		return "presto_text_json(" + text + ")"
	case from.Base == "date", from.Base == "timestamp":
		return "presto_text_json(" + plainText(text, from) + ")"
	case from.IsNull():
		return "CAST(NULL AS VARCHAR)"
	}
	v := "presto_v" + e.suffix()
	switch from.Base {
	case "array":
		return "presto_array_json(list_transform(" + text + ", lambda " + v + ": " + e.part(at, v, from.Args[0]) + "))"
	case "map":
		key := e.jsonKey(keyOf(v), from.Args[0])
		if key == "" {
			return ""
		}
		return onceText(text, func(m string) string {
			return "CASE WHEN " + m + " IS NULL THEN NULL ELSE presto_map_json(list_transform(map_entries(" + m + "), lambda " + v + ": " + key +
				"), list_transform(map_entries(" + m + "), lambda " + v + ": " + e.part(at, valueOf(v), from.Args[1]) + ")) END"
		})
	case "row":
		return onceText(text, func(r string) string {
			names, values := make([]string, len(from.Args)), make([]string, len(from.Args))
			for i, a := range from.Args {
				name := ""
				if i < len(from.Names) {
					name = from.Names[i]
				}
				names[i], values[i] = printer.String(name), e.part(at, fieldOf(r, i), a)
			}
			return "CASE WHEN " + r + " IS NULL THEN NULL ELSE presto_row_json([" + strings.Join(names, ", ") + "], [" + strings.Join(values, ", ") + "]) END"
		})
	}
	return ""
}

// part writes the JSON of a part of a value; null is a JSON null there.
func (e *emitter) part(at tree.Node, text string, t types.Type) string {
	out := e.toJSON(at, text, t)
	if out == "" {
		return e.no(at, "a cast from %s to json", orUnknown(t))
	}
	return "coalesce(" + out + ", 'null')"
}

// jsonKey writes a map's key as a text.
func (e *emitter) jsonKey(text string, t types.Type) string {
	switch {
	case t.Base == "varchar":
		return text
	case t.IsInteger(), t.IsDecimal(), t.Base == "boolean":
		return asText(text, t)
	case t.Base == "double":
		return "presto_java_double(" + text + ")"
	}
	return ""
}

// fromJSON writes CAST(json AS to); empty where Presto has no such cast.
func (e *emitter) fromJSON(at tree.Node, text string, to types.Type) string {
	typ := duckType(to)
	switch {
	case to.IsInteger():
		return fmt.Sprintf("CAST(presto_json_to_integer(%s, %d) AS %s)", text, integerBits(to), typ)
	case to.IsFloat():
		return "presto_json_to_" + to.Base + "(" + text + ")"
	case to.IsDecimal():
		return fmt.Sprintf("CAST(presto_json_to_decimal(%s, %d, %d) AS %s)", text, to.Precision, to.Scale, typ)
	case to.Base == "boolean":
		return "presto_json_to_boolean(" + text + ")"
	case to.Base == "varchar" && to.Precision < 0:
		return "presto_json_to_text(" + text + ")"
	}
	v := "presto_v" + e.suffix()
	inside := func(text string, t types.Type) string {
		if t.Base == "json" {
			return text
		}
		if out := e.fromJSON(at, text, t); out != "" {
			return out
		}
		return e.no(at, "a cast from json to %s", to)
	}
	switch to.Base {
	case "array":
		return "list_transform(presto_json_elements(" + text + "), lambda " + v + ": " + inside(v, to.Args[0]) + ")"
	case "map":
		key := e.fromJSONKey(v, to.Args[0])
		if key == "" {
			return ""
		}
		return onceText(text, func(j string) string {
			return "presto_map(list_transform(presto_json_keys(" + j + "), lambda " + v + ": " + key +
				"), list_transform(presto_json_values(" + j + "), lambda " + v + ": " + inside(v, to.Args[1]) + "))"
		})
	case "row":
		return onceText(text, func(j string) string {
			fields := make([]string, len(to.Args))
			for i, t := range to.Args {
				name := ""
				if i < len(to.Names) {
					name = to.Names[i]
				}
				field := fmt.Sprintf("presto_json_field(%s, %s, %d)", j, printer.String(name), len(to.Args)*10_000+i)
				fields[i] = "'" + fieldName(i) + "': " + inside(field, t)
			}
			return "CASE WHEN presto_json_is_null(" + j + ") THEN NULL ELSE {" + strings.Join(fields, ", ") + "} END"
		})
	}
	return ""
}

// fromJSONKey writes a key of an object as a key of a map.
func (e *emitter) fromJSONKey(text string, to types.Type) string {
	switch {
	case to.Base == "varchar" && to.Precision < 0:
		return text
	case to.IsInteger():
		return castToInteger(text, duckType(to), types.Varchar(), to)
	case to.Base == "double":
		return "presto_text_double(" + text + ")"
	case to.Base == "boolean":
		return "presto_text_boolean(" + text + ")"
	}
	return ""
}
