package ingest

import (
	"database/sql/driver"
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// form is a set of readings that every value of a column allows.
type form uint16

const (
	formFlag      form = 1 << iota // true, false
	formBit                        // 0, 1, t, f, yes, no: a flag only where one is declared
	formInt                        // 64 bits
	formWhole                      // also written with a fraction of zeros, as "3.0"
	formDecimal                    // digits with at most one point
	formDouble                     // also with an exponent
	formDate                       // a day, or a time at midnight
	formTimestamp                  // a day with or without a time
	formBareDate                   // a day without a time
	anyForm       form = math.MaxUint16
)

// column gathers what the values of a column allow.
type column struct {
	name     string
	declared *ddl.Column // nil where nothing was declared

	forms      form
	seen       int64 // values that are neither NULL nor empty
	minInt     int64
	maxInt     int64
	intDigits  int
	fracDigits int
	typ        dataType // set by settle

	dropped bool // it has neither a name nor a value
	marked  bool // its texts stand behind a mark, see withoutMark
	fills   bool // a value holds for the rows below it that have none
	last    driver.Value
	lost    bool // a line that may have had another value is left out since the last one
	at      int  // its place in the table
	ofTime  bool // it holds times, whatever its name says

	habit   *habit   // of columns of files; nil: values are taken as they stand
	reading *reading // how the file's texts become values; nil: as they stand
	toldOf
}

// toldOf is what people are told of a column.
type toldOf struct {
	unit, written, resembles string // see catalog.Column
	why                      string // it resembles what it is not
	unread                   int64
	absent                   map[string]bool // of a text column: words that stand for no value
	kept                     []string        // words that may stand for none, and are values
	absentRows               int64
}

// into notes in the catalog what was told of a column.
func (t *toldOf) into(c *catalog.Column) {
	c.Unit, c.Written, c.Resembles, c.Unread, c.Absent = t.unit, t.written, t.resembles, t.unread, t.absentRows
	if t.why != "" {
		c.Written = strings.TrimSuffix(t.why+"; "+t.written, "; ")
	}
}

func newColumn(name string, declared *ddl.Column) *column {
	return &column{name: name, declared: declared, forms: anyForm}
}

// observe takes a value that is not NULL into account. An empty text says nothing.
func (c *column) observe(text string) {
	if c.habit != nil {
		var marked bool
		if text, marked = withoutMark(strings.TrimSpace(text)); marked {
			c.habit.marks++
		}
	}
	if text == "" {
		return
	}
	c.seen++
	if c.forms == 0 && c.habit == nil {
		return
	}
	f := c.read(text)
	c.forms &= f
	if c.habit != nil {
		c.habit.see(text, f)
	}
}

// read returns the forms that one value allows and notes the widths of numbers.
func (c *column) read(text string) form {
	if f, ok := readFlag(text); ok && !isNumber(text) {
		return f
	}
	if len(text) > 64 {
		return 0
	}
	if isNumber(text) {
		return c.readNumber(text)
	}
	if t, bare, ok := readTime(text); ok {
		return formsOf(t, bare)
	}
	return 0
}

// readFlag reads words and digits that stand for true and false.
func readFlag(text string) (form, bool) {
	switch len(text) {
	case 1:
		switch text[0] {
		case '0', '1':
			return formBit, true
		case 't', 'f', 'T', 'F', 'y', 'n', 'Y', 'N':
			return formBit, true
		}
	case 2, 3:
		if strings.EqualFold(text, "yes") || strings.EqualFold(text, "no") {
			return formBit, true
		}
	case 4, 5:
		if strings.EqualFold(text, "true") || strings.EqualFold(text, "false") {
			return formFlag | formBit, true
		}
	}
	return 0, false
}

// isNumber reports whether text is a number as people write one that counts.
// Leading zeros and a plus sign mark codes and telephone numbers: no numbers.
func isNumber(text string) bool {
	s := strings.TrimPrefix(text, "-")
	if s == "" || len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' {
		return false
	}
	digits, points, exponent := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b >= '0' && b <= '9':
			digits++
		case b == '.' && !exponent && points == 0:
			points++
		case (b == 'e' || b == 'E') && digits > 0 && !exponent && i+1 < len(s):
			exponent = true
			if (s[i+1] == '-' || s[i+1] == '+') && i+2 < len(s) {
				i++
			}
		default:
			return false
		}
	}
	return digits > 0
}

func (c *column) readNumber(text string) form {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return 0
	}
	if strings.ContainsAny(text, "eE") {
		return formDouble
	}
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	c.intDigits = max(c.intDigits, len(strings.TrimLeft(whole, "0")))
	c.fracDigits = max(c.fracDigits, len(fraction))
	forms := formDecimal | formDouble
	if strings.Trim(fraction, "0") != "" {
		return forms
	}
	if n, err := strconv.ParseInt(withoutFraction(text), 10, 64); err == nil {
		c.minInt, c.maxInt = min(c.minInt, n), max(c.maxInt, n)
		forms |= formWhole
		if !pointed {
			forms |= formInt
		}
		if text == "0" || text == "1" {
			forms |= formBit
		}
	}
	return forms
}

// withoutFraction cuts off the point and what follows.
func withoutFraction(text string) string {
	whole, _, _ := strings.Cut(text, ".")
	return whole
}

// timeLayouts are the ways of writing a time that leave no doubt.
func timeLayouts() []string {
	return []string{
		"2006-1-2 15:04:05.999999999", "2006-1-2T15:04:05.999999999", "2006-1-2 15:04", "2006-1-2T15:04",
		"2006/1/2 15:04:05.999999999", "2006/1/2 15:04",
	}
}

// readTime reads a day or a time of day; bare says that there was only a day.
// Offsets other than UTC are not read here: see momentReading.
func readTime(text string) (t time.Time, bare, ok bool) {
	if len(text) < 8 || text[0] < '0' || text[0] > '9' {
		return t, false, false
	}
	if t, bare, ok = written.ReadISO(text); ok {
		return t, bare, true
	}
	if len(text) <= len(time.DateOnly) {
		for _, layout := range []string{"2006-1-2", "2006/1/2"} {
			if t, err := time.Parse(layout, text); err == nil {
				return t, true, true
			}
		}
		return t, false, false
	}
	for _, utc := range []string{"Z", "+00:00", "+00", " UTC"} {
		if rest, found := strings.CutSuffix(text, utc); found && len(rest) > 12 {
			text = rest
			break
		}
	}
	for _, layout := range timeLayouts() {
		if t, err := time.Parse(layout, text); err == nil {
			return t, false, true
		}
	}
	return t, false, false
}

//go:embed types.tsv
var typeTable string

// wantedType says how a declared type's values are kept: the second column of
// types.tsv, "varchar", or "" where nothing was declared.
func wantedType(declared *ddl.Column) string {
	if declared == nil || declared.Type == "" {
		return ""
	}
	first, _, _ := strings.Cut(declared.Type, " ")
	found := "varchar"
	for line := range strings.Lines(typeTable) {
		name, kept, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		if name == declared.Type {
			return kept
		}
		if name == first && !strings.Contains(declared.Type, "array") && !strings.Contains(declared.Type, "with time zone") {
			found = kept
		}
	}
	return found
}

// settle chooses the column's type: the declared one where all values fit, else
// the narrowest that keeps every value. It returns what to tell people when the
// data contradict the declaration, else "".
func (c *column) settle() string {
	wanted := wantedType(c.declared)
	if t, ok := c.asDeclared(wanted); ok {
		c.typ = t
		return ""
	}
	c.typ = c.best()
	if wanted == "" || wanted == "number" {
		return ""
	}
	return c.contradiction()
}

func (c *column) contradiction() string {
	return fmt.Sprintf("column %q is declared as %s, but its values are kept as %s because not all of them fit", c.name, declaredText(c.declared), c.typ.presto())
}

// settleFile chooses the type of a column of a file: as settle where the values are
// plain, else by what they look like. customs tell how the file's other columns are
// written.
func (c *column) settleFile(customs customs) string {
	message := c.settle()
	thousands := c.habit.plain.triples > 0 && c.habit.plain.pointed == 0 && (customs.comma || customs.both || c.habit.pointsGroup())
	days := c.habit.plain.days > 0 || c.clockUnit() > 0 || c.serialDays() || c.habit.buddhist()
	if wantedType(c.declared) == "varchar" || c.typ.kind != kindVarchar && (!thousands && !days || c.declared != nil) {
		return message
	}
	strict := c.typ
	if c.reading = c.decide(customs); c.reading == nil {
		if c.typ = strict; c.resembles != "" {
			c.typ = dataType{kind: kindVarchar}
		}
		return message
	}
	wanted := wantedType(c.declared)
	if t, _ := c.asDeclared(wanted); wanted == "" || wanted == "number" || t.kind == c.typ.kind {
		return ""
	}
	return c.contradiction()
}

// value reads a text of the file; ok is false for one that the column's type has no
// place for.
func (c *column) value(text string) (v driver.Value, ok bool) {
	text = strings.TrimSpace(text)
	if c.marked || c.typ.kind != kindVarchar {
		text, _ = withoutMark(text)
	}
	if c.absent[text] {
		return nil, true
	}
	if c.reading != nil {
		if text, ok = c.reading.plainText(text); !ok {
			return nil, false
		}
	}
	v, err := c.typ.value(text)
	if err != nil {
		return nil, false
	}
	return v, true
}

func declaredText(d *ddl.Column) string {
	if len(d.Args) == 0 {
		return d.Type
	}
	args := make([]string, len(d.Args))
	for i, a := range d.Args {
		args[i] = strconv.Itoa(a)
	}
	return d.Type + "(" + strings.Join(args, ",") + ")"
}

func (c *column) asDeclared(wanted string) (dataType, bool) {
	switch wanted {
	case "varchar":
		return dataType{kind: kindVarchar}, true
	case "boolean":
		return dataType{kind: kindBoolean}, c.forms&formBit != 0
	case "integer":
		if c.minInt < math.MinInt32 || c.maxInt > math.MaxInt32 {
			return dataType{kind: kindBigint}, c.forms&formWhole != 0
		}
		return dataType{kind: kindInteger}, c.forms&formWhole != 0
	case "bigint":
		return dataType{kind: kindBigint}, c.forms&formWhole != 0
	case "double":
		return dataType{kind: kindDouble}, c.forms&formDouble != 0
	case "decimal":
		return c.asDecimal()
	case "date":
		return dataType{kind: kindDate}, c.forms&formDate != 0
	case "timestamp":
		return dataType{kind: kindTimestamp}, c.forms&formTimestamp != 0
	}
	return dataType{}, false
}

// asDecimal keeps precision and scale where they are declared and fit. Without
// them a NUMERIC is any number: the data say which.
func (c *column) asDecimal() (dataType, bool) {
	if len(c.declared.Args) == 0 {
		return c.best(), c.forms&formDouble != 0
	}
	precision, scale := c.declared.Args[0], 0
	if len(c.declared.Args) > 1 {
		scale = c.declared.Args[1]
	}
	if precision < 1 || precision > maxPrecision {
		return dataType{}, false
	}
	t := dataType{kind: kindDecimal, precision: precision, scale: scale}
	return t, c.forms&formDecimal != 0 && c.fracDigits <= scale && c.intDigits <= precision-scale
}

// exactDigits is how many digits a double keeps whatever they are.
const exactDigits = 15

// best is the narrowest type that keeps all values as they are written.
func (c *column) best() dataType {
	digits := c.intDigits + c.fracDigits
	switch {
	case c.seen == 0:
		return dataType{kind: kindVarchar}
	case c.forms&formFlag != 0:
		return dataType{kind: kindBoolean}
	case c.forms&formInt != 0:
		return dataType{kind: kindBigint}
	case c.forms&formDecimal != 0 && digits > exactDigits && digits <= maxPrecision:
		return dataType{kind: kindDecimal, precision: maxPrecision, scale: c.fracDigits}
	case c.forms&formDecimal != 0 && c.fracDigits == 0 && digits > maxPrecision:
		return dataType{kind: kindVarchar} // a number too long to count with is a code
	case c.forms&formDouble != 0:
		return dataType{kind: kindDouble}
	case c.forms&formBareDate != 0:
		return dataType{kind: kindDate}
	case c.forms&formTimestamp != 0:
		return dataType{kind: kindTimestamp}
	}
	return dataType{kind: kindVarchar}
}
