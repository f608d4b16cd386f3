package presto

import (
	"slices"
	"strings"
)

// sqlJSONFunctions are the constructors of SQL/JSON. A value that is absent is the
// empty text.
func sqlJSONFunctions() []Function {
	return []Function{
		ternary("presto_json_object", jsonObjectOf),
		binary("presto_json_array", must2(func(values []string, absent bool) string {
			if absent {
				values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
			}
			for i, v := range values {
				if v == "" {
					values[i] = "null"
				}
			}
			return "[" + strings.Join(values, ",") + "]"
		})),
		unary("presto_json_input", func(s string) (string, error) {
			v, err := readInput(s)
			if err != nil {
				return "", err
			}
			return v.String(), nil // null for an empty text
		}),
	}
}

// jsonObjectOf writes an object. Its members come in the order of Java's HashMap,
// which is how Trino holds them.
func jsonObjectOf(keys, values []string, absent bool) (string, error) {
	var members []string
	kept := map[string]string{}
	for i, k := range keys {
		v := values[i]
		switch {
		case v == "" && absent:
			continue
		case v == "":
			v = "null"
		}
		if _, twice := kept[k]; twice {
			return "", &Error{"NOT_SUPPORTED", "cannot construct a JSON object with a key twice"}
		}
		kept[k] = v
		members = append(members, k)
	}
	members = hashOrder(members)
	texts := make([]string, len(members))
	for i, k := range members {
		texts[i] = kept[k]
	}
	return objectText(members, texts), nil
}

// hashOrder orders keys as Java's HashMap does: by the low bits of their hashes,
// as many as the table's size needs, then by when they were put in.
func hashOrder(keys []string) []string {
	size := 16
	for len(keys) > size*3/4 {
		size *= 2
	}
	bucket := func(k string) int {
		h := uint32(stringHash(k))
		return int((h ^ h>>16) & uint32(size-1))
	}
	out := slices.Clone(keys)
	slices.SortStableFunc(out, func(a, b string) int { return bucket(a) - bucket(b) })
	return out
}
