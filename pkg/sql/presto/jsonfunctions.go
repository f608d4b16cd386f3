package presto

import (
	"math"
	"strconv"
	"strings"
	"sync"
)

func jsonFunctions() []Function {
	return append([]Function{
		unary("presto_json_parse", jsonParse),
		binary("presto_json_extract", jsonExtract),
		binary("presto_json_extract_scalar", jsonExtractScalar),
		binary("presto_json_size", jsonSize),
		unary("presto_json_array_length", func(s string) (int64, error) {
			n := int64(0)
			err := eachItem(s, func(jsonValue) bool { n++; return true })
			return n, err
		}),
		binary("presto_json_array_get", jsonArrayGet),
		binary("presto_json_array_contains_text", func(s, want string) (bool, error) {
			return contains(s, func(v jsonValue) bool { return v.kind == jsonString && v.text == want })
		}),
		binary("presto_json_array_contains_bigint", func(s string, want int64) (bool, error) {
			return contains(s, func(v jsonValue) bool {
				n, err := strconv.ParseInt(v.text, 10, 64)
				return v.kind == jsonNumber && isWhole(v.text) && err == nil && n == want
			})
		}),
		binary("presto_json_array_contains_double", func(s string, want float64) (bool, error) {
			return contains(s, func(v jsonValue) bool {
				x, err := strconv.ParseFloat(v.text, 64)
				return v.kind == jsonNumber && !isWhole(v.text) && err == nil && x == want
			})
		}),
		binary("presto_json_array_contains_boolean", func(s string, want bool) (bool, error) {
			return contains(s, func(v jsonValue) bool { return v.kind == map[bool]jsonKind{true: jsonTrue, false: jsonFalse}[want] })
		}),
		unary("presto_is_json_scalar", func(s string) (bool, error) {
			v, ok := parseJSON(s)
			if !ok {
				return false, invalid("invalid JSON value: %s", Short(s))
			}
			return v.kind < jsonArray, nil
		}),
	}, append(append(jsonCastFunctions(), sqlJSONFunctions()...), sqlPathFunctions()...)...)
}

func jsonParse(s string) (string, error) {
	v, ok := parseJSON(s)
	if !ok {
		return "", invalid("cannot convert '%s' to JSON", Short(s))
	}
	return v.sorted().String(), nil
}

// jsonPaths holds the keys of paths that were read; bounded like patterns.
var jsonPaths = &pathCache{keys: map[string][]string{}}

type pathCache struct {
	mu   sync.Mutex
	keys map[string][]string
}

func (c *pathCache) get(path string) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if keys, ok := c.keys[path]; ok {
		return keys, nil
	}
	keys, ok := jsonPath(path)
	if !ok {
		return nil, invalid("invalid JSON path: '%s'", Short(path))
	}
	if len(c.keys) >= maxPatterns {
		clear(c.keys)
	}
	c.keys[path] = keys
	return keys, nil
}

// jsonPath reads $.key[0]["another"] into its keys.
func jsonPath(path string) (keys []string, ok bool) {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return nil, false
	}
	for rest != "" {
		var key string
		switch {
		case rest[0] == '.':
			n := 1
			for n < len(rest) && isPathByte(rest[n]) {
				n++
			}
			key, rest = rest[1:n], rest[n:]
			if key == "" {
				return nil, false
			}
		case strings.HasPrefix(rest, `["`):
			var b strings.Builder
			i := 2
			for i < len(rest) && rest[i] != '"' {
				if rest[i] == '\\' && i+1 < len(rest) && (rest[i+1] == '"' || rest[i+1] == '\\') {
					i++
				}
				b.WriteByte(rest[i])
				i++
			}
			if !strings.HasPrefix(rest[min(i, len(rest)):], `"]`) {
				return nil, false
			}
			key, rest = b.String(), rest[i+2:]
		case rest[0] == '[':
			n := strings.IndexByte(rest, ']')
			if n < 2 || strings.Trim(rest[1:n], "0123456789") != "" {
				return nil, false
			}
			key, rest = rest[1:n], rest[n+1:]
		default:
			return nil, false
		}
		keys = append(keys, key)
	}
	return keys, true
}

// isPathByte reports what a key without quotes may hold.
func isPathByte(c byte) bool {
	return c >= 0x80 || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c == '$'
}

// descend moves a reader to the value of a path; false where there is none.
func (r *jsonReader) descend(keys []string) bool {
	for _, key := range keys {
		switch r.peek() {
		case '{':
			r.at++
			if !r.toMember(key) {
				return false
			}
		case '[':
			index, err := strconv.Atoi(key)
			r.at++
			if err != nil || r.peek() == ']' || !r.toItem(index) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (r *jsonReader) toMember(key string) bool {
	for {
		if r.peek() != '"' {
			return false
		}
		name, ok := r.string()
		if !ok || !r.take(':') {
			return false
		}
		if name == key {
			return true
		}
		if _, ok := r.value(); !ok || !r.take(',') {
			return false
		}
	}
}

func (r *jsonReader) toItem(index int) bool {
	for range index {
		if _, ok := r.value(); !ok || !r.take(',') {
			return false
		}
	}
	return true
}

func lookUp(s, path string) (jsonValue, error) {
	keys, err := jsonPaths.get(path)
	if err != nil {
		return jsonValue{}, err
	}
	r := &jsonReader{s: s}
	var v jsonValue
	ok := r.descend(keys)
	if ok {
		v, ok = r.value()
	}
	switch {
	case r.broken:
		return jsonValue{}, errBroken
	case !ok:
		return jsonValue{}, errNull
	}
	return v, nil
}

func jsonExtract(s, path string) (string, error) {
	v, err := lookUp(s, path)
	if err != nil {
		return "", err
	}
	return v.String(), nil
}

// jsonExtractScalar gives numbers as they are written.
func jsonExtractScalar(s, path string) (string, error) {
	v, err := lookUp(s, path)
	switch {
	case err != nil:
		return "", err
	case v.kind == jsonNumber || v.kind == jsonString:
		return v.text, nil
	case v.kind == jsonTrue || v.kind == jsonFalse:
		return v.String(), nil
	}
	return "", errNull
}

func jsonSize(s, path string) (int64, error) {
	v, err := lookUp(s, path)
	return int64(len(v.items) + len(v.members)), err
}

// eachItem calls visit with the items of an array until it says no. What is no
// array gives null, and so does one that is broken before the visit ends.
func eachItem(s string, visit func(jsonValue) bool) error {
	r := &jsonReader{s: s}
	if r.peek() != '[' {
		return errNull
	}
	stopped := false
	ok := r.array(func() bool {
		v, ok := r.value()
		if ok && !visit(v) {
			stopped, ok = true, false
		}
		return ok
	})
	if !ok && !stopped {
		return errNull
	}
	return nil
}

func contains(s string, is func(jsonValue) bool) (bool, error) {
	found := false
	err := eachItem(s, func(v jsonValue) bool {
		found = is(v)
		return !found
	})
	return found, err
}

// jsonArrayGet counts from 0, or from the end. Texts come without quotes and
// numbers as they are written: a bug of Trino's that its users know.
func jsonArrayGet(s string, index int64) (string, error) {
	if index < 0 {
		n := int64(0)
		if err := eachItem(s, func(jsonValue) bool { n++; return true }); err != nil || n+index < 0 || index == math.MinInt64 {
			return "", errNull
		}
		index += n
	}
	var found *jsonValue
	n := int64(0)
	err := eachItem(s, func(v jsonValue) bool {
		if n == index {
			found = &v
		}
		n++
		return found == nil
	})
	switch {
	case err != nil || found == nil || found.kind == jsonNull:
		return "", errNull
	case found.kind == jsonString || found.kind == jsonNumber:
		return found.text, nil
	}
	return found.String(), nil
}
