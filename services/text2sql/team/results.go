package team

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// sameResult reports whether two tries came to the same rows, in any order of rows
// and columns. Results that were cut are the same only where all that was seen is.
func sameResult(a, b *tools.Rows) bool {
	if len(a.Columns) != len(b.Columns) || len(a.Rows) != len(b.Rows) || a.Truncated != b.Truncated {
		return false
	}
	return slices.Equal(fingerprint(a, false), fingerprint(b, false)) || slices.Equal(fingerprint(a, true), fingerprint(b, true))
}

// fingerprint is the sorted rows as text; byCells sorts the cells of each row
// first, so that the order of columns does not count.
func fingerprint(r *tools.Rows, byCells bool) []string {
	out := make([]string, len(r.Rows))
	for i, row := range r.Rows {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = cell(v)
		}
		if byCells {
			slices.Sort(cells)
		}
		out[i] = strings.Join(cells, "\x00")
	}
	slices.Sort(out)
	return out
}

// cell is a value as text; numbers of different types that are equal are the same.
func cell(v any) string {
	switch x := v.(type) {
	case nil:
		return "\x01null"
	case int64:
		return number(float64(x))
	case int32:
		return number(float64(x))
	case int:
		return number(float64(x))
	case float64:
		return number(x)
	case float32:
		return number(float64(x))
	case bool:
		return strconv.FormatBool(x)
	case string:
		if f, err := strconv.ParseFloat(x, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return number(f) // decimals are texts
		}
		return x
	case []byte:
		return string(x)
	case []any:
		parts := make([]string, len(x))
		for i, item := range x {
			parts[i] = cell(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return ""
}

// digits of a number that count: sums of floating point numbers differ in the last.
const digits = 9

func number(f float64) string { return strconv.FormatFloat(f, 'g', digits, 64) }

// allNull reports a result of rows in which nothing has a value.
func allNull(r *tools.Rows) bool {
	if len(r.Rows) == 0 || r.Truncated {
		return false
	}
	for _, row := range r.Rows {
		for _, v := range row {
			if v != nil {
				return false
			}
		}
	}
	return true
}

// isZero reports a result of one figure that is 0.
func isZero(r *tools.Rows) bool {
	return len(r.Rows) == 1 && len(r.Rows[0]) == 1 && cell(r.Rows[0][0]) == number(0)
}
