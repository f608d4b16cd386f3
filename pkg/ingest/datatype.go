package ingest

import (
	"database/sql/driver"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/lang"
)

// kind of a type that inference chooses among.
type kind uint8

const (
	kindVarchar kind = iota
	kindBoolean
	kindInteger
	kindBigint
	kindDouble
	kindDecimal
	kindDate
	kindTimestamp
	kindVarbinary // of databases only: no text is read as one
)

// maxPrecision of a decimal, in DuckDB as in Presto.
const maxPrecision = 38

type dataType struct {
	kind             kind
	precision, scale int
}

// presto returns the type's name in Presto SQL.
func (t dataType) presto() string {
	switch t.kind {
	case kindBoolean:
		return "boolean"
	case kindInteger:
		return "integer"
	case kindBigint:
		return "bigint"
	case kindDouble:
		return "double"
	case kindDecimal:
		return fmt.Sprintf("decimal(%d,%d)", t.precision, t.scale)
	case kindDate:
		return "date"
	case kindTimestamp:
		return "timestamp(6)"
	case kindVarbinary:
		return "varbinary"
	}
	return "varchar"
}

// duckdb returns the type's name in DuckDB.
func (t dataType) duckdb() string {
	if t.kind == kindTimestamp {
		return "TIMESTAMP"
	}
	return strings.ToUpper(t.presto())
}

// value reads a text as this type, for DuckDB's appender. Empty texts are NULL in
// all types but varchar.
func (t dataType) value(text string) (driver.Value, error) {
	if t.kind == kindVarchar {
		return text, nil
	}
	if text == "" {
		return nil, nil
	}
	switch t.kind {
	case kindBoolean:
		if _, ok := readFlag(text); !ok {
			return nil, fmt.Errorf("%q is neither true nor false", clip(text))
		}
		return strings.ContainsRune("1tTyY", rune(text[0])), nil
	case kindInteger:
		n, err := strconv.ParseInt(withoutFraction(text), 10, 32)
		return n, err
	case kindBigint:
		n, err := strconv.ParseInt(withoutFraction(text), 10, 64)
		return n, err
	case kindDouble:
		f, err := strconv.ParseFloat(text, 64)
		return f, err
	case kindDecimal:
		return t.decimal(text)
	}
	at, _, ok := readTime(text)
	if !ok {
		return nil, fmt.Errorf("%q is no date or time", clip(text))
	}
	return at, nil
}

// decimal refuses what the type has no place for: DuckDB's appender stores another
// number in its place and reports no error.
func (t dataType) decimal(text string) (driver.Value, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > t.scale {
		return nil, fmt.Errorf("%q has more than %d decimal places", clip(text), t.scale)
	}
	if len(strings.TrimLeft(whole, "+-0")) > t.precision-t.scale {
		return nil, fmt.Errorf("%q has more than %d digits before the point", clip(text), t.precision-t.scale)
	}
	unscaled, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", t.scale-len(fraction)), 10)
	if !ok {
		return nil, fmt.Errorf("%q is no decimal number", clip(text))
	}
	return duckdb.Decimal{Width: uint8(t.precision), Scale: uint8(t.scale), Value: unscaled}, nil //nolint:gosec // both are at most 38
}

// clip shortens a value for a message.
func clip(s string) string { return lang.Shorten(s, 40) }
