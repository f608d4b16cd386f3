// Package result holds the values that a statement returned: their types, exact
// numbers, dates, and how both read in a sentence. resultpb translates to and
// from the contract's pages; store keeps results for their owners.
//
// Values are those of pkg/warehouse: nil, bool, int64, float64, string, []byte,
// []any and map[string]any. Decimals, dates and times are strings in Presto's
// text form, so that nothing is lost between the engine and the reader; the
// column's type says which it is.
package result

import (
	"strconv"
	"strings"
)

// Column of a result.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // Presto type as text: "bigint", "decimal(18,2)"
	// Unit of the values, such as "USD" and UnitPercent; empty: none, or not known.
	Unit string `json:"unit,omitempty"`
	// Period says that values are the first moments of weeks, months, quarters or years, and
	// of which (PeriodOf); empty: they stand for themselves.
	Period string `json:"period,omitempty"`
}

// Kind is a family of Presto types that reads the same way.
type Kind int

// Kinds of columns.
const (
	KindOther Kind = iota // arrays, maps, rows, json, varbinary, intervals
	KindText
	KindBool
	KindInteger
	KindDecimal
	KindFloat
	KindDate
	KindTimestamp // with or without time zone
	KindTime
)

// Kind returns the family of the column's type.
func (c Column) Kind() Kind {
	base, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(c.Type)), "(")
	base = strings.TrimSpace(base)
	switch base {
	case "varchar", "char", "uuid", "ipaddress":
		return KindText
	case "boolean":
		return KindBool
	case "tinyint", "smallint", "integer", "int", "bigint":
		return KindInteger
	case "decimal":
		return KindDecimal
	case "double", "real":
		return KindFloat
	case "date":
		return KindDate
	}
	switch {
	case strings.HasPrefix(base, "timestamp"):
		return KindTimestamp
	case strings.HasPrefix(base, "time"):
		return KindTime
	}
	return KindOther
}

// Numeric reports whether values of the kind are numbers.
func (k Kind) Numeric() bool { return k == KindInteger || k == KindDecimal || k == KindFloat }

// Table is a result, or a part of one.
type Table struct {
	Columns []Column
	Rows    [][]any
	// Truncated is true when the engine had more rows than the limits let through.
	Truncated bool
}

// Column returns the values of a column.
func (t Table) Column(i int) []any {
	values := make([]any, len(t.Rows))
	for r, row := range t.Rows {
		values[r] = row[i]
	}
	return values
}

// Size returns about how many bytes a row takes as text.
func Size(row []any) int64 {
	size := int64(2)
	for _, v := range row {
		size += sizeOf(v)
	}
	return size
}

func sizeOf(v any) int64 {
	switch v := v.(type) {
	case string:
		return int64(len(v)) + 3
	case []byte:
		return int64(len(v))*4/3 + 5
	case []any:
		return Size(v)
	case map[string]any:
		size := int64(2)
		for key, item := range v {
			size += int64(len(key)) + 4 + sizeOf(item)
		}
		return size
	}
	return 9
}

// Decimal reads the arguments of a decimal type after its bracket, "18, 2)".
func Decimal(arguments string) (precision, scale int, ok bool) {
	first, second, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(arguments), ")"), ",")
	precision, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || precision < 1 || precision > 38 {
		return 0, 0, false
	}
	if second = strings.TrimSpace(second); second != "" {
		if scale, err = strconv.Atoi(second); err != nil || scale < 0 || scale > precision {
			return 0, 0, false
		}
	}
	return precision, scale, true
}
