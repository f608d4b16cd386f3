package presto

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Casts from and to JSON. Those of arrays, maps and rows are made of parts: the
// elements of a JSON array as texts, each cast on its own.
func jsonCastFunctions() []Function {
	return []Function{
		binary("presto_json_to_integer", jsonToInteger),
		unary("presto_json_to_double", jsonToDouble),
		unary("presto_json_to_real", func(s string) (float32, error) {
			x, err := jsonToDouble(s)
			return float32(x), err
		}),
		unary("presto_json_to_text", jsonToText),
		unary("presto_json_to_boolean", jsonToBoolean),
		ternary("presto_json_to_decimal", jsonToDecimal),
		unary("presto_json_elements", jsonElements),
		unary("presto_json_keys", func(s string) ([]string, error) { return jsonEntries(s, true) }),
		unary("presto_json_values", func(s string) ([]string, error) { return jsonEntries(s, false) }),
		ternary("presto_json_field", jsonField),
		unary("presto_json_is_null", func(s string) (bool, error) {
			v, _ := parseJSON(s)
			return v.kind == jsonNull && strings.TrimSpace(s) == "null", nil
		}),
		unary("presto_text_json", must(func(s string) string { return jsonValue{kind: jsonString, text: s}.String() })),
		unary("presto_double_json", must(doubleJSON)),
		unary("presto_real_json", must(func(x float32) string {
			if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
				return doubleJSON(f)
			}
			return javaReal(x)
		})),
		unary("presto_array_json", must(func(items []string) string { return "[" + strings.Join(items, ",") + "]" })),
		binary("presto_map_json", must2(mapJSON)),
		binary("presto_row_json", must2(objectText)),
	}
}

// known is a JSON value of which the engine says that it is one.
func known(s string) (jsonValue, error) {
	v, ok := parseJSON(s)
	if !ok { // json_array_get gives texts that are none
		return v, uncastable(s, "this type")
	}
	if v.kind == jsonNull {
		return v, errNull
	}
	return v, nil
}

func jsonToInteger(s string, bits int64) (int64, error) {
	v, err := known(s)
	if err != nil {
		return 0, err
	}
	switch v.kind {
	case jsonTrue:
		return 1, nil
	case jsonFalse:
		return 0, nil
	case jsonString:
		return textInteger(v.text, bits, 1)
	case jsonNumber:
		if isWhole(v.text) {
			n, err := strconv.ParseInt(v.text, 10, int(bits))
			if err != nil {
				return 0, uncastable(s, "an integer of this type")
			}
			return n, nil
		}
		x, _ := strconv.ParseFloat(v.text, 64) // infinities are out of range
		n, err := doubleInteger(x, bits, 1)
		if err != nil {
			return 0, uncastable(s, "an integer of this type")
		}
		return n, nil
	}
	return 0, uncastable(s, "an integer")
}

func jsonToDouble(s string) (float64, error) {
	v, err := known(s)
	if err != nil {
		return 0, err
	}
	switch v.kind {
	case jsonTrue:
		return 1, nil
	case jsonFalse:
		return 0, nil
	case jsonString:
		return textDouble(v.text)
	case jsonNumber:
		x, _ := strconv.ParseFloat(v.text, 64) // out of range gives an infinity
		return x, nil
	}
	return 0, uncastable(s, "double")
}

func jsonToText(s string) (string, error) {
	v, err := known(s)
	if err != nil {
		return "", err
	}
	switch {
	case v.kind == jsonString:
		return v.text, nil
	case v.kind == jsonNumber && !isWhole(v.text):
		x, _ := strconv.ParseFloat(v.text, 64)
		return DoubleText(x), nil
	case v.kind >= jsonArray:
		return "", uncastable(s, "varchar")
	}
	return v.String(), nil
}

func jsonToBoolean(s string) (bool, error) {
	v, err := known(s)
	if err != nil {
		return false, err
	}
	switch v.kind {
	case jsonTrue:
		return true, nil
	case jsonFalse:
		return false, nil
	case jsonString:
		return textBoolean(v.text)
	case jsonNumber:
		x, _ := strconv.ParseFloat(v.text, 64)
		return x != 0, nil
	}
	return false, uncastable(s, "boolean")
}

func jsonToDecimal(s string, precision, scale int64) (string, error) {
	v, err := known(s)
	if err != nil {
		return "", err
	}
	switch v.kind {
	case jsonTrue:
		return decimalOf("1", s, precision, scale)
	case jsonFalse:
		return decimalOf("0", s, precision, scale)
	case jsonString, jsonNumber:
		return textDecimal(v.text, precision, scale)
	}
	return "", uncastable(s, decimalName(precision, scale))
}

func jsonElements(s string) ([]string, error) {
	v, err := known(s)
	if err != nil {
		return nil, err
	}
	if v.kind != jsonArray {
		return nil, uncastable(s, "an array")
	}
	out := make([]string, len(v.items))
	for i, item := range v.items {
		out[i] = item.String()
	}
	return out, nil
}

func jsonEntries(s string, keys bool) ([]string, error) {
	v, err := known(s)
	if err != nil {
		return nil, err
	}
	if v.kind != jsonObject {
		return nil, uncastable(s, "a map")
	}
	out := make([]string, len(v.members))
	for i, m := range v.members {
		if out[i] = m.key; !keys {
			out[i] = m.value.String()
		}
	}
	return out, nil
}

// jsonField is a field of a row: of an object by its name, whatever its case, of an
// array by its place; count is how many fields the row has, in the high digits.
func jsonField(s, name string, place int64) (string, error) {
	v, err := known(s)
	if err != nil {
		return "", err
	}
	index, count := int(place%10_000), int(place/10_000)
	switch v.kind {
	case jsonArray:
		if len(v.items) != count || index < 0 || index >= count {
			return "", uncastable(s, "a row of this many fields")
		}
		return v.items[index].String(), nil
	case jsonObject:
		for _, m := range slices.Backward(v.members) {
			if strings.EqualFold(m.key, name) {
				return m.value.String(), nil
			}
		}
		return "null", nil
	}
	return "", uncastable(s, "a row")
}

func mapJSON(keys, values []string) string {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareUTF16(keys[a], keys[b]) })
	names, texts := make([]string, len(keys)), make([]string, len(keys))
	for i, from := range order {
		names[i], texts[i] = keys[from], values[from]
	}
	return objectText(names, texts)
}

func objectText(names, values []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, n := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSONString(&b, n)
		b.WriteByte(':')
		b.WriteString(values[i])
	}
	b.WriteByte('}')
	return b.String()
}
