package presto

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// Kinds of JSON values that only paths know.
const (
	jsonMissing  jsonKind = 100 + iota // of an empty text
	jsonVerbatim                       // text is what is written
)

// sqlPathFunctions are JSON_EXISTS, JSON_VALUE and JSON_QUERY. Their last argument
// tells what they do; see pathAnswer.
func sqlPathFunctions() []Function {
	return []Function{
		ternary("presto_json_exists", jsonExists),
		{Name: "presto_json_value", Args: []Kind{Text, Text, Text, Bigint, Bigint, Bigint}, Result: Text, Call: func(a []any) (any, error) {
			return boxed(sqlJSONValue(a[0].(string), a[1].(string), a[2].(string), [2]int64{a[3].(int64), a[4].(int64)}, a[5].(int64)))
		}},
		ternary("presto_json_query", sqlJSONQuery),
		binary("presto_json_rows", sqlJSONRows),
		binary("presto_json_passing", must2(func(path, variables string) string { return path + passing + variables })),
	}
}

// Bits of the last argument of the functions of paths. JSON_VALUE's result begins
// with 'V'; without the bits of errors an empty result is 'E' and a failed one 'F'.
// JSON_QUERY's are null then.
const (
	ErrorOnEmpty  = 1 << iota // fail where the path finds nothing
	ErrorOnError              // fail where it fails
	WrapAlways                // JSON_QUERY: WITH WRAPPER
	WrapSome                  // JSON_QUERY: WITH CONDITIONAL WRAPPER
	OmitQuotes                // JSON_QUERY
	ArrayOnEmpty              // JSON_QUERY: EMPTY ARRAY ON EMPTY
	ObjectOnEmpty             // and so on
	ArrayOnError
	ObjectOnError
)

// sqlPaths holds paths that were read; bounded like patterns.
var sqlPaths = &sqlPathCache{paths: map[string]sqlPath{}}

type sqlPathCache struct {
	mu    sync.Mutex
	paths map[string]sqlPath
}

func (c *sqlPathCache) get(text string) (sqlPath, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.paths[text]; ok {
		return p, nil
	}
	p, err := readSQLPath(text)
	if err != nil {
		return p, err
	}
	if len(c.paths) >= maxPatterns {
		clear(c.paths)
	}
	c.paths[text] = p
	return p, nil
}

// passing is between a path and the JSON object of the variables that are passed
// to it.
const passing = "\x00"

// follow evaluates a path. What ON ERROR handles is an *Error with a name that
// handled tells.
func follow(input, path string) ([]pathItem, error) {
	path, variables, _ := strings.Cut(path, passing)
	p, err := sqlPaths.get(path)
	if err != nil {
		return nil, err
	}
	passed, _ := parseJSON(variables) // made here, or empty
	v, err := readInput(input)
	if err != nil {
		return nil, err
	}
	run := &pathRun{lax: p.lax, input: pathItem{json: v}, passed: passed.members}
	return run.eval(p.root, pathScope{last: -1})
}

func handled(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Name == "PATH_EVALUATION_ERROR" || e.Name == "JSON_INPUT_CONVERSION_ERROR" ||
		e.Name == "JSON_VALUE_RESULT_ERROR" || e.Name == "JSON_OUTPUT_CONVERSION_ERROR")
}

// readInput reads the value that a text begins with; what comes after it does not
// count. Of members with one key the first keeps its place and the last its value.
func readInput(s string) (jsonValue, error) {
	r := &jsonReader{s: s}
	r.space()
	if r.at == len(s) {
		return jsonValue{kind: jsonMissing}, nil
	}
	v, ok := r.value()
	if ok && v.kind == jsonNumber && r.at < len(s) && strings.IndexByte(" \t\r\n", s[r.at]) < 0 {
		ok = false
	}
	switch {
	case r.broken:
		return v, errBroken
	case !ok:
		return v, &Error{"JSON_INPUT_CONVERSION_ERROR", "conversion to JSON failed: '" + Short(s) + "' is not JSON"}
	}
	return unique(v)
}

func unique(v jsonValue) (jsonValue, error) {
	var err error
	switch v.kind {
	case jsonNumber:
		if !isWhole(v.text) {
			if x, _ := strconv.ParseFloat(v.text, 64); math.IsInf(x, 0) {
				return v, &Error{"NOT_SUPPORTED", "a number beyond doubles in JSON is not supported on the embedded engine"}
			}
		}
	case jsonArray:
		for i := range v.items {
			if v.items[i], err = unique(v.items[i]); err != nil {
				return v, err
			}
		}
	case jsonObject:
		places := make(map[string]int, len(v.members))
		kept := v.members[:0]
		for _, m := range v.members {
			if m.value, err = unique(m.value); err != nil {
				return v, err
			}
			if at, twice := places[m.key]; twice {
				kept[at].value = m.value
				continue
			}
			places[m.key] = len(kept)
			kept = append(kept, m)
		}
		v.members = kept
	}
	return v, nil
}

// jsonExists tells whether a path finds something: 1, or 0; -1 where it fails.
func jsonExists(input, path string, flags int64) (int64, error) {
	items, err := follow(input, path)
	switch {
	case err != nil && (!handled(err) || flags&ErrorOnError != 0):
		return 0, err
	case err != nil:
		return -1, nil //nolint:nilerr // ON ERROR handles it
	case len(items) > 0:
		return 1, nil
	}
	return 0, nil
}

// sqlJSONRows gives the items of a path as JSON texts; none where it fails.
func sqlJSONRows(input, path string) ([]string, error) {
	items, err := follow(input, path)
	if err != nil && !handled(err) {
		return nil, err
	}
	out, size := make([]string, 0, len(items)), 0
	for _, item := range items {
		v := item.asJSON()
		if v.kind == jsonMissing {
			return nil, &Error{"NOT_SUPPORTED", "json_table of an empty text is not supported on the embedded engine"}
		}
		text := v.String()
		if size += len(text); size > 16*MaxText {
			return nil, invalid("json_table would give more than %d bytes", 16*MaxText)
		}
		out = append(out, text)
	}
	return out, nil
}

func unusable(format string, args ...any) error {
	return &Error{"JSON_VALUE_RESULT_ERROR", "cannot extract SQL scalar from JSON: " + sprintf(format, args...)}
}

// sqlJSONValue gives the text of a value of a type, whose size is the length, the
// bits, or the precision and scale that the type needs.
func sqlJSONValue(input, path, typ string, size [2]int64, flags int64) (string, error) {
	items, err := follow(input, path)
	if err == nil && len(items) == 0 {
		if flags&ErrorOnEmpty != 0 {
			return "", unusable("the path found nothing")
		}
		return "E", nil
	}
	text := ""
	if err == nil {
		text, err = oneValue(items, typ, size)
	}
	switch {
	case err == nil:
		return "V" + text, nil
	case handled(err) && flags&ErrorOnError == 0:
		return "F", nil
	}
	return "", err
}

func oneValue(items []pathItem, typ string, size [2]int64) (string, error) {
	if len(items) > 1 {
		return "", unusable("the path found more than one item")
	}
	item := items[0]
	if item.kind == pathJSON {
		switch item.json.kind {
		case jsonNull:
			return "", errNull
		case jsonMissing:
			return "", &Error{"NOT_SUPPORTED", "json_value of an empty text is not supported on the embedded engine"}
		}
	}
	scalar, ok := item.scalar()
	if !ok {
		return "", unusable("the path found an item that is no scalar value")
	}
	text, err := castItem(scalar, typ, size)
	var e *Error
	if errors.As(err, &e) && e.Name != "NOT_SUPPORTED" {
		err = unusable("%s", e.Message)
	}
	return text, err
}

// castItem writes a value as a text that the engine casts to the type.
func castItem(i pathItem, typ string, size [2]int64) (string, error) {
	switch typ {
	case "varchar":
		return itemText(i, size[0])
	case "integer":
		n, err := itemInteger(i, size[0])
		return strconv.FormatInt(n, 10), err
	case "double":
		x, err := itemDouble(i)
		return strconv.FormatFloat(x, 'g', -1, 64), err
	case "decimal":
		switch i.kind {
		case pathDouble:
			return doubleDecimal(i.double, size[0], size[1])
		case pathText:
			return textDecimal(i.text, size[0], size[1])
		case pathBoolean:
			return decimalOf(strconv.FormatInt(map[bool]int64{true: 1}[i.truth], 10), "", size[0], size[1])
		}
		d := i.asDecimal().decimal.String()
		return decimalOf(d, d, size[0], size[1])
	case "boolean":
		switch i.kind {
		case pathText:
			b, err := textBoolean(i.text)
			return strconv.FormatBool(b), err
		case pathBoolean:
			return strconv.FormatBool(i.truth), nil
		}
		return strconv.FormatBool(i.asDouble() != 0), nil
	}
	if i.kind != pathText {
		return "", uncastable("a value of JSON", typ)
	}
	if typ == "date" {
		d, err := TextDate(i.text)
		if err == nil && (d.Year() < 1 || d.Year() > 9999) {
			return "", &Error{"NOT_SUPPORTED", "json_value of a year beyond 9999"}
		}
		return d.Format(time.DateOnly), err
	}
	if typ == "timestamp" {
		t, err := TextTimestamp(i.text, int(size[0]))
		if err == nil && (t.Year() < 1 || t.Year() > 9999) {
			return "", &Error{"NOT_SUPPORTED", "json_value of a year beyond 9999"}
		}
		return t.Format("2006-01-02 15:04:05.000000"), err
	}
	return "", &Error{"NOT_SUPPORTED", "json_value of type " + typ}
}

func itemInteger(i pathItem, bits int64) (int64, error) {
	switch i.kind {
	case pathText:
		return textInteger(i.text, bits, 1)
	case pathBoolean:
		return map[bool]int64{true: 1}[i.truth], nil
	case pathDouble:
		return doubleInteger(i.double, bits, map[bool]int64{true: 1}[bits == 64])
	}
	return decimalInteger(i.asDecimal().decimal.String(), bits, 0)
}

func itemDouble(i pathItem) (float64, error) {
	switch i.kind {
	case pathText:
		return textDouble(i.text)
	case pathBoolean:
		return float64(map[bool]int{true: 1}[i.truth]), nil
	}
	return i.asDouble(), nil
}

// itemText cuts texts to a length; other values must fit. A negative length is none.
func itemText(i pathItem, length int64) (string, error) {
	text := i.text
	switch i.kind {
	case pathBoolean:
		text = strconv.FormatBool(i.truth)
		if length >= 0 && int64(len(text)) > length {
			return "", &Error{"NOT_SUPPORTED", "json_value of a boolean as such a short text"}
		}
	case pathDouble:
		text = DoubleText(i.double)
	case pathInteger, pathBigint, pathDecimal:
		text = i.asDecimal().decimal.String()
	case pathText:
		return cutText(text, length), nil
	}
	if length < 0 {
		return text, nil
	}
	return fit(text, length)
}

func cutText(text string, length int64) string {
	if length < 0 || int64(len(text)) <= length {
		return text
	}
	if r := []rune(text); int64(len(r)) > length {
		return string(r[:length])
	}
	return text
}

func sqlJSONQuery(input, path string, flags int64) (string, error) {
	items, err := follow(input, path)
	onEmpty := err == nil && len(items) == 0
	if onEmpty {
		err = &Error{"JSON_OUTPUT_CONVERSION_ERROR", "conversion from JSON failed: the path found nothing"}
	}
	text := ""
	if err == nil {
		text, err = written(items, flags)
	}
	if err == nil || !handled(err) {
		return text, err
	}
	fails, array, object := int64(ErrorOnError), int64(ArrayOnError), int64(ObjectOnError)
	if onEmpty {
		fails, array, object = ErrorOnEmpty, ArrayOnEmpty, ObjectOnEmpty
	}
	switch {
	case flags&fails != 0:
		return "", err
	case flags&array != 0:
		return "[]", nil
	case flags&object != 0:
		return "{}", nil
	}
	return "", errNull
}

// written is the text of the items with the wrapper that is asked for.
func written(items []pathItem, flags int64) (string, error) {
	only := items[0].asJSON()
	wrap := flags&WrapAlways != 0 || flags&WrapSome != 0 && (len(items) != 1 || only.kind != jsonArray && only.kind != jsonObject)
	switch {
	case len(items) > 1 && !wrap:
		return "", &Error{"JSON_OUTPUT_CONVERSION_ERROR", "conversion from JSON failed: the path found more than one item"}
	case !wrap && only.kind == jsonString && flags&OmitQuotes != 0:
		return only.text, nil
	case !wrap:
		return only.String(), nil
	}
	var b strings.Builder
	b.WriteByte('[')
	for n, i := range items {
		if n > 0 {
			b.WriteByte(',')
		}
		i.asJSON().write(&b)
		if b.Len() > MaxText {
			return "", invalid("json_query would give a text of more than %d bytes", MaxText)
		}
	}
	b.WriteByte(']')
	return b.String(), nil
}
