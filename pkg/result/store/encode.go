package store

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Nested values are kept as JSON. What JSON does not tell apart is marked: a double
// always has a point or an exponent, and bytes and the doubles that JSON lacks
// are objects with the one key that no map of a result has.
const markKey = "\x00"

func encode(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case float64:
		b.WriteString(encodeFloat(v))
	case []byte:
		b.WriteString(`{"\u0000":"b` + base64.StdEncoding.EncodeToString(v) + `"}`)
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := encode(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		first := true
		for key, item := range v {
			if !first {
				b.WriteByte(',')
			}
			first = false
			if err := encode(b, key); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := encode(b, item); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case nil, bool, int64, string:
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		b.Write(text)
	default:
		return fmt.Errorf("a value of type %T cannot be stored", v)
	}
	return nil
}

func encodeFloat(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return `{"\u0000":"f` + text + `"}`
	case !strings.ContainsAny(text, ".e"):
		return text + ".0"
	}
	return text
}

func decode(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return v.Float64()
		}
		return v.Int64()
	case []any:
		for i, item := range v {
			value, err := decode(item)
			if err != nil {
				return nil, err
			}
			v[i] = value
		}
	case map[string]any:
		if mark, ok := v[markKey].(string); ok && len(v) == 1 && mark != "" {
			return decodeMark(mark)
		}
		for key, item := range v {
			value, err := decode(item)
			if err != nil {
				return nil, err
			}
			v[key] = value
		}
	}
	return v, nil
}

func decodeMark(mark string) (any, error) {
	if mark[0] == 'b' {
		return base64.StdEncoding.DecodeString(mark[1:])
	}
	return strconv.ParseFloat(mark[1:], 64)
}
