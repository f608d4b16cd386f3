package child

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

func items(v []any, t types.Type) any {
	out := make([]any, len(v))
	element := types.Unknown()
	if t.Base == "array" {
		element = t.Args[0]
	}
	for i, item := range v {
		out[i] = value(item, element)
	}
	return out
}

// fields turns a struct into a row. The driver gives fields by name: what is
// transpiled names them f1, f2, ... in their order; those of a stored table, which
// only the product's own statements read as they are, are in the type's order.
func fields(v map[string]any, t types.Type) any {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	order := fieldNumber
	if slices.ContainsFunc(names, func(name string) bool { n := fieldNumber(name); return n < 1 || n > len(v) }) {
		order = func(name string) int {
			return slices.IndexFunc(t.Names, func(n string) bool { return strings.EqualFold(n, name) })
		}
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := order(names[i]), order(names[j])
		return a < b || a == b && names[i] < names[j]
	})
	out := make([]any, len(names))
	for i, name := range names {
		field := types.Unknown()
		if t.Base == "row" && i < len(t.Args) {
			field = t.Args[i]
		}
		out[i] = value(v[name], field)
	}
	return out
}

// fieldNumber returns n of a name fN; 0 for other names.
func fieldNumber(name string) int {
	digits, ok := strings.CutPrefix(name, "f")
	if n, err := strconv.Atoi(digits); ok && err == nil && strconv.Itoa(n) == digits {
		return n
	}
	return 0
}

func entries(m driver.OrderedMap, t types.Type) any {
	key, item := types.Unknown(), types.Unknown()
	if t.Base == "map" {
		key, item = t.Args[0], t.Args[1]
	}
	keys, values := m.Keys(), m.Values()
	out := make(map[string]any, len(keys))
	for i, k := range keys {
		out[keyText(value(k, key))] = value(values[i], item)
	}
	return out
}

// keyText writes a key of a map as Trino's protocol does.
func keyText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		return javaDouble(v)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = keyText(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// javaDouble writes a double as Java's Double.toString.
func javaDouble(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+") + "inity"
	case f == 0 || math.Abs(f) >= 1e-3 && math.Abs(f) < 1e7:
		text := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent) // its own text
	return mantissa + "E" + strconv.Itoa(n)
}
