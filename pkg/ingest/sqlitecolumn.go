package ingest

import (
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// The types of SQLite are those of values: a column that is declared as INTEGER may hold
// texts, and there is none for days, which are texts or numbers. So a column is declared as
// far as its declaration tells what its owner wants to keep, and its values tell the rest,
// as those of a file of text do.

// storedColumn is a column of a SQLite table.
type storedColumn struct {
	*column

	key    bool  // it is, or refers to, a key: both sides keep their declared type
	floats bool  // some values are stored as binary fractions
	binary int64 // values that are bytes and no text
	others int64 // values that are not stored as bytes
	long   int64 // values beyond the bound
	broken int64 // texts that are not UTF-8
}

// declaredStored makes a declaration of a type as SQLite keeps it: any words, which it reads
// by what they contain. What says no more than that a value may be anything is left empty.
func declaredStored(typ string) (words string, args []int) {
	words, inside, _ := strings.Cut(strings.ToLower(typ), "(")
	words = strings.Join(strings.Fields(words), " ")
	inside, _, _ = strings.Cut(inside, ")")
	for _, part := range strings.Split(inside, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(part)); err == nil {
			args = append(args, n)
		}
	}
	if wantedType(&ddl.Column{Type: words}) != "varchar" {
		return words, args
	}
	// In the order in which SQLite looks for them.
	for _, affinity := range []struct{ part, is string }{
		{"int", "bigint"}, {"char", "text"}, {"clob", "text"}, {"text", "text"}, {"blob", ""}, {"real", "double"}, {"floa", "double"}, {"doub", "double"}, //nolint:misspell // as SQLite looks for it
	} {
		if strings.Contains(words, affinity.part) {
			return affinity.is, nil
		}
	}
	return "", nil
}

// see takes a stored value that is not NULL into account.
func (c *storedColumn) see(value any) {
	text, isText := storedText(value)
	if _, ok := value.([]byte); !ok {
		c.others++
	}
	if s, ok := value.(string); ok && !utf8.ValidString(s) {
		c.broken++
	}
	if !isText {
		c.binary++
		return
	}
	if _, ok := value.(float64); ok {
		c.floats = true
	}
	c.observe(text)
}

// storedText writes a stored value as a file of text has it; false for bytes that are no text.
func storedText(value any) (text string, ok bool) {
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return floatText(v), true
	case []byte:
		return string(v), utf8.Valid(v) && !strings.ContainsRune(string(v), 0)
	case string:
		return validText(v).text, true
	}
	return fmt.Sprint(value), true // the driver has no other
}

// Binary fractions between these are written without an exponent.
const (
	leastPlain    = 1e-6
	greatestPlain = 1e15
)

// floatText writes a binary fraction so that it is read as the same one, and as none of the
// whole numbers.
func floatText(v float64) string {
	size := math.Abs(v)
	switch {
	case size != 0 && (size < leastPlain || size >= greatestPlain):
		return strconv.FormatFloat(v, 'e', -1, 64)
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// settle chooses the column's type, and returns what to tell people when the values
// contradict the declaration, else "".
func (c *storedColumn) settle(customs customs) string {
	if c.binary > 0 && c.others == 0 {
		c.typ = dataType{kind: kindVarbinary}
		return ""
	}
	if c.floats {
		// The point of a stored fraction is one, and no more of its digits count than it keeps.
		c.habit.plain.pointed += c.habit.plain.triples
		c.habit.plain.triples = 0
		if c.intDigits+c.fracDigits > exactDigits {
			c.forms &^= formDecimal
		}
	}
	declared, wanted := c.declared, wantedType(c.declared)
	if wanted == "" {
		c.declared = nil
		defer func() { c.declared = declared }()
		return c.settleFile(customs)
	}
	isTime := wanted == "date" || wanted == "timestamp"
	if t, ok := c.asDeclared(wanted); ok && (isTime || wanted == "boolean") {
		c.typ = t
		return ""
	}
	if !c.key && c.seen > 0 {
		read := *c.column
		read.declared, read.ofTime = nil, isTime
		read.settleFile(customs)
		if read.typ.kind == kindDate || read.typ.kind == kindTimestamp {
			read.declared = declared
			*c.column = read
			return fmt.Sprintf("column %q is declared as %s, and its values are days or times: it becomes %s", c.name, declaredText(declared), c.typ.presto())
		}
	}
	return c.settleFile(customs)
}

// value reads a stored value that is not NULL as the column's type; ok is false for one that
// the type has no place for.
func (c *storedColumn) value(value any) (v driver.Value, ok bool) {
	text, isText := storedText(value)
	switch {
	case c.typ.kind == kindVarbinary:
		return []byte(text), true
	case !isText:
		return nil, false
	case c.typ.kind == kindVarchar && c.reading == nil && len(c.absent) == 0:
		return text, true
	}
	return c.column.value(text)
}
