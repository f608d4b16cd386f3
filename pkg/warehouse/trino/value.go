package trino

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// column of a result, as the server describes it.
type column struct {
	Name      string    `json:"name"`
	Type      string    `json:"type"` // Presto type as text
	Signature signature `json:"typeSignature"`
}

// signature is a type in parts.
type signature struct {
	Raw       string     `json:"rawType"`
	Arguments []argument `json:"arguments"`
}

// argument of a type: of an array, a map or a row another type, else a number.
type argument struct {
	Kind  string          `json:"kind"` // "TYPE", "NAMED_TYPE", "LONG", "VARIABLE"
	Value json.RawMessage `json:"value"`
}

// kind of a type: what its values look like on the wire.
type kind int

const (
	kindText   kind = iota // a string, passed on as it is
	kindBool               // true or false
	kindInt                // a number
	kindFloat              // a number, or "NaN", "Infinity", "-Infinity"
	kindBytes              // base64
	kindArray              // a list of elements[0]
	kindRow                // a list of elements
	kindMap                // an object; keys are text, values are elements[0]
	kindObject             // an object without a documented form: its JSON
)

// reader reads values of one type.
type reader struct {
	kind     kind
	typ      string // Presto type as the product writes it: decimal(12,2)
	elements []*reader
}

// kindOf says how values of a scalar type are written. Types that have a text
// come as it: decimals, dates, times with all their digits and zones, intervals,
// uuid, ipaddress, char, json, geometries. Those that have none come as base64.
func kindOf(raw string) kind {
	switch raw {
	case "boolean":
		return kindBool
	case "tinyint", "smallint", "integer", "bigint":
		return kindInt
	case "real", "double":
		return kindFloat
	case "varbinary", "HyperLogLog", "P4HyperLogLog", "SetDigest", "qdigest", "tdigest",
		"ObjectId", "Classifier", "Regressor":
		return kindBytes
	case "array":
		return kindArray
	case "row":
		return kindRow
	case "map":
		return kindMap
	case "BingTile", "KdbTree":
		return kindObject
	}
	return kindText
}

// maxNesting bounds types in types.
const maxNesting = 100

// newReader reads a type's description.
func newReader(s signature, depth int) (*reader, error) {
	if depth > maxNesting {
		return nil, &protocolError{"a type of the result is nested too deep"}
	}
	r := &reader{kind: kindOf(s.Raw)}
	var numbers, parts []string
	for _, a := range s.Arguments {
		if a.Kind == "LONG" {
			numbers = append(numbers, string(a.Value))
			continue
		}
		name, inner, err := a.typ()
		if err != nil {
			return nil, err
		}
		element, err := newReader(inner, depth+1)
		if err != nil {
			return nil, err
		}
		r.elements = append(r.elements, element)
		if name != "" {
			name = printer.Ident(name) + " "
		}
		parts = append(parts, name+element.typ)
	}
	r.typ = typeText(s.Raw, numbers, parts)
	switch {
	case r.kind == kindArray && len(r.elements) != 1, r.kind == kindRow && len(r.elements) == 0, r.kind == kindMap && len(r.elements) != 2:
		return nil, &protocolError{"the type " + s.Raw + " of the result lacks its parts"}
	case r.kind == kindMap:
		r.elements = r.elements[1:] // keys are text
	}
	return r, nil
}

// unbounded is the length of a varchar that has none.
const unbounded = "2147483647"

// typeText writes a type as package types does.
func typeText(raw string, numbers, parts []string) string {
	arguments := strings.Join(append(numbers, parts...), ", ")
	if len(parts) == 0 {
		arguments = strings.Join(numbers, ",")
	}
	switch base, zone, zoned := strings.Cut(raw, " with time zone"); {
	case arguments == "" || raw == "varchar" && arguments == unbounded:
		return raw
	case zoned:
		return base + "(" + arguments + ") with time zone" + zone
	}
	return raw + "(" + arguments + ")"
}

// typ reads an argument that is a type, with the name that a field of a row has.
func (a argument) typ() (name string, s signature, err error) {
	switch a.Kind {
	case "TYPE":
		err = json.Unmarshal(a.Value, &s)
	case "NAMED_TYPE":
		var named struct {
			Field struct {
				Name string `json:"name"`
			} `json:"fieldName"`
			Signature signature `json:"typeSignature"`
		}
		err = json.Unmarshal(a.Value, &named)
		name, s = named.Field.Name, named.Signature
	default:
		err = fmt.Errorf("the argument is a %q", a.Kind)
	}
	if err != nil {
		return "", s, &protocolError{"a type of the result cannot be read: " + err.Error()}
	}
	return name, s, nil
}

// readPage reads the rows of a page.
func readPage(data json.RawMessage, columns []*reader) ([][]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // bigints are exact
	var rows [][]any
	if err := decoder.Decode(&rows); err != nil {
		return nil, &protocolError{"a page of the result cannot be read"}
	}
	for _, row := range rows {
		if len(row) != len(columns) {
			return nil, &protocolError{fmt.Sprintf("a row of the result has %d values for %d columns", len(row), len(columns))}
		}
		for i, v := range row {
			var err error
			if row[i], err = columns[i].value(v); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// value turns a value of the wire into the form that package warehouse documents.
func (r *reader) value(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	ok := true
	switch r.kind {
	case kindText:
		_, ok = v.(string)
	case kindBool:
		_, ok = v.(bool)
	case kindInt:
		if n, isNumber := v.(json.Number); isNumber {
			i, err := n.Int64()
			return i, unlike(r, v, err == nil)
		}
		ok = false
	case kindFloat:
		f, good := float(v)
		return f, unlike(r, v, good)
	case kindBytes:
		if text, isText := v.(string); isText {
			b, err := base64.StdEncoding.DecodeString(text)
			return b, unlike(r, v, err == nil)
		}
		ok = false
	case kindArray, kindRow:
		return r.items(v)
	case kindMap:
		return r.entries(v)
	case kindObject:
		text, err := json.Marshal(v)
		return string(text), unlike(r, v, err == nil)
	}
	return v, unlike(r, v, ok)
}

// unlike is the error about a value that is not what its type says.
func unlike(r *reader, v any, ok bool) error {
	if ok {
		return nil
	}
	return &protocolError{fmt.Sprintf("a value of the result is not what its type, %s, says (%T)", r.typ, v)}
}

func float(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	case string:
		switch v {
		case "NaN":
			return math.NaN(), true
		case "Infinity":
			return math.Inf(1), true
		case "-Infinity":
			return math.Inf(-1), true
		}
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	}
	return 0, false
}

func (r *reader) items(v any) (any, error) {
	list, ok := v.([]any)
	if !ok || (r.kind == kindRow && len(list) != len(r.elements)) {
		return nil, unlike(r, v, false)
	}
	for i, item := range list {
		element := r.elements[0]
		if r.kind == kindRow {
			element = r.elements[i]
		}
		var err error
		if list[i], err = element.value(item); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (r *reader) entries(v any) (any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, unlike(r, v, false)
	}
	for k, item := range m {
		var err error
		if m[k], err = r.elements[0].value(item); err != nil {
			return nil, err
		}
	}
	return m, nil
}
