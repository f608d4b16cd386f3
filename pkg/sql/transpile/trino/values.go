package trino

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// literalRule writes typed literals by Presto's names.
func (t *translator) literalRule(n *node) bool {
	if n.hi-n.lo < 2 {
		return false
	}
	if t.tok(n.lo).kind == tokenString {
		joined := ""
		for i := n.lo; i < n.hi; i++ {
			joined += t.tok(i).value
		}
		t.write(printer.String(joined), n.lo)
		t.change("literal", n.lo, n.hi, "texts side by side are no text in Presto")
		return true
	}
	value := t.tok(n.lo + 1).value
	name := n.op
	switch n.op {
	case "DATETIME", "TIMESTAMPTZ":
		name = "TIMESTAMP"
	case "NUMERIC", "BIGNUMERIC":
		name = "DECIMAL"
	}
	padded := value
	if name == "DATE" || name == "TIMESTAMP" {
		padded = paddedDate(value)
	}
	if name == n.op && padded == value && t.tok(n.lo+1).kind == tokenString {
		return false
	}
	t.write(name+" "+printer.String(padded), n.lo)
	if name != n.op || padded != value {
		t.change("literal", n.lo, n.hi, "Presto writes this literal as "+name+" "+printer.String(padded))
	}
	return true
}

// paddedDate writes 2024-1-5 as 2024-01-05, and T as a blank.
func paddedDate(value string) string {
	date, rest := value, ""
	if i := strings.IndexAny(value, " T"); i >= 0 {
		date, rest = value[:i], " "+value[i+1:]
	}
	parts := strings.Split(date, "-")
	if len(parts) != 3 || len(parts[0]) != 4 {
		return value
	}
	for i, p := range parts[1:] {
		if len(p) == 1 {
			parts[i+1] = "0" + p
		}
	}
	return strings.Join(parts, "-") + rest
}

// arrayRule writes [1, 2] with the word ARRAY.
func (t *translator) arrayRule(n *node) bool {
	if n.op == "ARRAY" && t.tok(n.lo+1).is("[") {
		return false
	}
	t.write("ARRAY[", n.lo)
	t.list(n.kids)
	t.write("]", n.lo)
	t.change("array", n.lo, n.lo+1, "Presto writes arrays as ARRAY[...]")
	return true
}

// subscriptRule writes x[i] of dialects that count from 0, or that have no value
// where Presto fails, and slices.
func (t *translator) subscriptRule(n *node) bool {
	x := n.kids[0]
	if n.op == ":" {
		return t.slice(n, x)
	}
	if len(n.kids) != 2 {
		return false
	}
	index := n.kids[1]
	number, isNumber := t.whole(index)
	switch t.dialect {
	case DialectUnknown:
		return false
	case DialectBigQuery:
		return t.offset(n, x, index)
	case DialectHive, DialectSpark:
		if !isNumber {
			if _, text := t.literal(index); !text {
				t.warn("subscript", n.lo, "arrays count from 0 in Hive, from 1 in Presto")
			}
			break
		}
		i, _ := strconv.Atoi(number)
		number = strconv.Itoa(i + 1)
	}
	t.write("element_at(", n.lo)
	t.emit(x)
	t.write(", ", n.lo)
	if isNumber {
		t.write(number, index.lo)
	} else {
		t.emit(index)
	}
	t.write(")", n.lo)
	t.change("subscript", n.lo, n.hi, "an element that is not there is NULL with element_at, an error with [] in Presto")
	return true
}

// offset writes BigQuery's x[OFFSET(0)], x[ORDINAL(1)] and their safe twins.
func (t *translator) offset(n, x, index *node) bool {
	by, safe, inner := 1, false, index
	if index.kind == nodeCall && len(index.args) == 1 {
		inner = index.args[0]
		switch index.op {
		case "offset":
		case "ordinal":
			by = 0
		case "safe_offset":
			safe = true
		case "safe_ordinal":
			by, safe = 0, true
		default:
			inner = index
		}
	}
	if _, text := t.literal(inner); text {
		return false
	}
	opening, closing := "[", "]"
	if safe {
		opening, closing = ", ", ")"
		t.write("element_at(", n.lo)
	}
	t.emit(x)
	t.write(opening, n.lo)
	if number, ok := t.whole(inner); ok {
		i, _ := strconv.Atoi(number)
		t.write(strconv.Itoa(i+by), inner.lo)
	} else {
		t.operand(inner)
		if by > 0 {
			t.write(" + 1", inner.lo)
		}
	}
	t.write(closing, n.lo)
	t.change("subscript", n.lo, n.hi, "arrays count from 1 in Presto")
	return true
}

// slice writes x[2:3], both ends included.
func (t *translator) slice(n, x *node) bool {
	if len(n.kids) != 3 {
		t.no(n.lo, "a slice without both ends")
		return true
	}
	low, high := n.kids[1], n.kids[2]
	t.write("slice(", n.lo)
	t.emit(x)
	t.write(", ", n.lo)
	t.emit(low)
	t.write(", ", n.lo)
	t.operand(high)
	t.write(" - ", n.lo)
	t.operand(low)
	t.write(" + 1)", n.lo)
	t.change("subscript", n.lo, n.hi, "Presto takes a part of an array with slice")
	return true
}
