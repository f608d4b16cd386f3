package eval

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/warehouse"
)

// exactRows are rows whose numbers keep all their digits.
type exactRows [][]any

// UnmarshalJSON implements json.Unmarshaler.
func (r *exactRows) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var rows [][]any
	if err := d.Decode(&rows); err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	*r = rows
	return nil
}

var textLength = regexp.MustCompile(`varchar\([0-9]+\)`)

// difference says in what a result differs from Trino's; "" for nothing. Here,
// other than where two questions are compared, names and types count as well.
func difference(got [][]any, columns []warehouse.Column, want answered) string {
	if len(columns) != len(want.Columns) {
		return fmt.Sprintf("%d columns, Trino has %d", len(columns), len(want.Columns))
	}
	for i, c := range columns {
		if w := want.Columns[i]; base(c.Type) != base(w.Type) || c.Name != w.Name {
			return fmt.Sprintf("column %d is %s %s, Trino's is %s %s", i+1, c.Name, c.Type, w.Name, w.Type)
		}
	}
	if len(got) != len(want.Rows) {
		return fmt.Sprintf("%d rows, Trino has %d", len(got), len(want.Rows))
	}
	a, b := rowTexts(got), rowTexts(want.Rows)
	if !want.Ordered {
		sort.Strings(a)
		sort.Strings(b)
	}
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("row %d is %s, Trino's is %s", i+1, a[i], b[i])
		}
	}
	return ""
}

func rowTexts(rows [][]any) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = exact(row)
	}
	return out
}

// exact writes a value of the engine, or of Trino's protocol, so that equal ones
// are equal texts: integers digit by digit, doubles to 12 digits.
func exact(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = exact(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, strconv.Quote(key)+":"+exact(v[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case json.Number:
		if _, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return v.String()
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return exact(f)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) { // the protocol has no number for them
			return strings.ReplaceAll(strconv.Quote(strings.TrimPrefix(fmt.Sprint(v), "+")), "Inf", "Infinity")
		}
		return strconv.FormatFloat(v, 'g', 12, 64)
	case []byte:
		return strconv.Quote(base64.StdEncoding.EncodeToString(v))
	case nil:
		return "null"
	}
	return strconv.Quote(fmt.Sprint(v))
}
