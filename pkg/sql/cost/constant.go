package cost

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// constant evaluates an expression without columns. fixed reports whether it has
// one value for the whole query; known whether that value is v.
func (a *analysis) constant(x tree.Expr) (v value, known, fixed bool) {
	if !fixedExpr(x) {
		return value{}, false, false
	}
	v, known = a.evaluate(x)
	return v, known, true
}

// fixedExpr reports whether an expression has the same value for every row.
func fixedExpr(x tree.Expr) bool {
	fixed := true
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.ColumnRef, *tree.Query, *tree.Param, *tree.Lambda, *tree.Grouping:
			fixed = false
		case *tree.Call:
			kind, ok := resolve.FunctionKind(n.Name.Key())
			if !ok || kind != resolve.KindScalar || n.Over != nil || changing(n.Name.Key()) {
				fixed = false
			}
		}
		return fixed
	})
	return fixed
}

// changing reports whether a function gives another value each time.
func changing(function string) bool {
	switch function {
	case "rand", "random", "uuid", "shuffle":
		return true
	}
	return false
}

func (a *analysis) evaluate(x tree.Expr) (value, bool) {
	switch x := x.(type) {
	case *tree.Paren:
		return a.evaluate(x.X)
	case *tree.Bool:
		return boolean(x.Value), true
	case *tree.Number:
		if strings.ContainsAny(x.Text, "eE") {
			return value{}, false // a double: compared after rounding
		}
		return readValue(kindNumber, strings.ReplaceAll(x.Text, "_", ""))
	case *tree.String:
		return value{kind: kindText, text: x.Value}, true
	case *tree.Typed:
		return typedValue(x.Type, x.Value)
	case *tree.Unary:
		v, ok := a.evaluate(x.X)
		if !ok || v.kind != kindNumber {
			return value{}, false
		}
		if x.Op == "-" {
			v.number = new(big.Rat).Neg(v.number)
		}
		return v, true
	case *tree.Binary:
		return a.arithmetic(x)
	case *tree.Cast:
		return a.castValue(x)
	case *tree.Special:
		return a.clock(x.Name)
	case *tree.Call:
		return a.callValue(x)
	}
	return value{}, false
}

func boolean(b bool) value {
	v := value{kind: kindBoolean, number: new(big.Rat)}
	if b {
		v.number.SetInt64(1)
	}
	return v
}

// clock returns the run's now; timestamps with zone as UTC instants.
func (a *analysis) clock(name string) (value, bool) {
	if a.now.IsZero() {
		return value{}, false
	}
	switch name {
	case "CURRENT_DATE":
		y, m, d := a.now.Date()
		return instant(kindTime, time.Date(y, m, d, 0, 0, 0, 0, time.UTC)), true
	case "CURRENT_TIMESTAMP":
		return instant(kindInstant, a.now.Truncate(time.Millisecond)), true
	}
	return value{}, false
}

func instant(k kind, t time.Time) value {
	n := new(big.Rat).SetInt64(t.Unix())
	return value{kind: k, number: n.Add(n, big.NewRat(int64(t.Nanosecond()), 1_000_000_000))}
}

func typedValue(typ, text string) (value, bool) {
	switch typ {
	case "date", "timestamp":
		return readValue(kindTime, text)
	case "decimal":
		return readValue(kindNumber, text)
	}
	return value{}, false
}

var timeText = regexp.MustCompile(`^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(\.\d{1,12})?)?)?\s*$`)

// readValue reads a constant of a kind from its text.
func readValue(k kind, text string) (value, bool) {
	switch k {
	case kindText:
		return value{kind: k, text: text}, true
	case kindNumber:
		n, ok := new(big.Rat).SetString(text)
		return value{kind: k, number: n}, ok && !strings.ContainsAny(text, "/eExXpP") && len(text) <= maxDigits
	case kindBoolean:
		b, err := strconv.ParseBool(text)
		return boolean(b), err == nil
	case kindTime:
		return readTime(text)
	}
	return value{}, false
}

// maxDigits bounds numbers that are read; Trino's own are shorter.
const maxDigits = 100

func readTime(text string) (value, bool) {
	m := timeText.FindStringSubmatch(text)
	if m == nil {
		return value{}, false
	}
	n := make([]int, 6)
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1]) // digits or nothing
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC)
	if t.Month() != time.Month(n[1]) || t.Day() != n[2] || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return value{}, false
	}
	v := instant(kindTime, t)
	if m[7] != "" {
		fraction, _ := new(big.Rat).SetString("0" + m[7])
		v.number.Add(v.number, fraction)
	}
	return v, true
}

// arithmetic evaluates date plus or minus interval and exact sums.
func (a *analysis) arithmetic(x *tree.Binary) (value, bool) {
	if i, ok := tree.Unparen(x.Right).(*tree.Interval); ok && (x.Op == tree.OpAdd || x.Op == tree.OpSub) {
		v, ok := a.evaluate(x.Left)
		if !ok {
			return value{}, false
		}
		return shift(v, i, x.Op == tree.OpSub)
	}
	left, ok := a.evaluate(x.Left)
	right, also := a.evaluate(x.Right)
	if !ok || !also || left.kind != kindNumber || right.kind != kindNumber || !left.number.IsInt() || !right.number.IsInt() {
		return value{}, false
	}
	n := new(big.Rat)
	switch x.Op {
	case tree.OpAdd:
		n.Add(left.number, right.number)
	case tree.OpSub:
		n.Sub(left.number, right.number)
	case tree.OpMul:
		n.Mul(left.number, right.number)
	default:
		return value{}, false
	}
	return value{kind: kindNumber, number: n}, true
}

// shift moves a time by an interval of one unit.
func shift(v value, i *tree.Interval, back bool) (value, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(i.Value), 10, 32)
	if err != nil || i.To != "" || v.kind != kindTime && v.kind != kindInstant {
		return value{}, false
	}
	if back != i.Negative {
		n = -n
	}
	return addUnit(v, strings.ToLower(i.From), n)
}

// addUnit adds n units; days of a month that is too short are cut, as in Trino.
func addUnit(v value, unit string, n int64) (value, bool) {
	seconds := map[string]int64{"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 7 * 86_400}
	if s, ok := seconds[unit]; ok {
		return value{kind: v.kind, number: new(big.Rat).Add(v.number, new(big.Rat).SetInt64(s*n))}, true
	}
	months := map[string]int64{"month": 1, "quarter": 3, "year": 12}
	m, ok := months[unit]
	if !ok || v.kind != kindTime {
		return value{}, false
	}
	t := v.time()
	first := time.Date(t.Year(), t.Month()+time.Month(m*n), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	day := min(t.Day(), first.AddDate(0, 1, -1).Day())
	return instant(kindTime, first.AddDate(0, 0, day-1)), v.number.Cmp(instant(kindTime, t).number) == 0
}

func (a *analysis) castValue(x *tree.Cast) (value, bool) {
	v, ok := a.evaluate(x.X)
	if !ok {
		return value{}, false
	}
	t := types.Parse(x.Type.Text)
	switch {
	case t.Base == "date" && v.kind == kindText:
		d, ok := readTime(v.text)
		return d, ok && isMidnight(d)
	case t.Base == "date" && v.kind == kindTime:
		day, _ := dayOf(v)
		return value{kind: kindTime, number: new(big.Rat).SetInt64(day * 86_400)}, true
	case t.Base == "date" && v.kind == kindInstant:
		y, m, d := v.time().In(a.now.Location()).Date()
		return instant(kindTime, time.Date(y, m, d, 0, 0, 0, 0, time.UTC)), true
	case t.Base == "timestamp" && v.kind == kindTime && (t.Precision < 0 || t.Precision >= 3) && isMidnight(v):
		return v, true
	case t.Base == "timestamp" && v.kind == kindText:
		d, ok := readTime(v.text)
		return d, ok && (isMidnight(d) || d.number.IsInt())
	case t.Base == "varchar" && t.Precision < 0 && v.kind == kindText:
		return v, true
	case t.Base == "varchar" && t.Precision < 0 && v.kind == kindTime && a.resolution.TypeOf(x.X).Base == "date":
		return value{kind: kindText, text: v.time().Format(time.DateOnly)}, v.time().Year() >= 1 && v.time().Year() <= 9999
	case t.IsInteger() && v.kind == kindNumber && v.number.IsInt():
		return v, true
	}
	return value{}, false
}

func isMidnight(v value) bool {
	_, exact := dayOf(v)
	return exact
}

func (a *analysis) callValue(c *tree.Call) (value, bool) {
	switch name := c.Name.Key(); {
	case name == "now" && len(c.Args) == 0:
		return a.clock("CURRENT_TIMESTAMP")
	case name == "date" && len(c.Args) == 1:
		return a.castValue(&tree.Cast{X: c.Args[0], Type: &tree.TypeName{Text: "date"}})
	case name == "date_add" && len(c.Args) == 3:
		unit, ok := tree.Unparen(c.Args[0]).(*tree.String)
		n, known := a.evaluate(c.Args[1])
		v, also := a.evaluate(c.Args[2])
		if !ok || !known || !also || n.kind != kindNumber || !n.number.IsInt() || !n.number.Num().IsInt64() || v.kind != kindTime {
			return value{}, false
		}
		steps := n.number.Num().Int64()
		if steps > 1<<31 || steps < -1<<31 {
			return value{}, false
		}
		return addUnit(v, strings.ToLower(unit.Value), steps)
	case name == "date_trunc" && len(c.Args) == 2:
		unit, ok := tree.Unparen(c.Args[0]).(*tree.String)
		v, known := a.evaluate(c.Args[1])
		if !ok || !known || v.kind != kindTime {
			return value{}, false
		}
		return truncate(v, strings.ToLower(unit.Value))
	case name == "date_format" && len(c.Args) == 2:
		return a.formatted(c)
	}
	return value{}, false
}

// formatted evaluates date_format for patterns of year, month and day.
func (a *analysis) formatted(c *tree.Call) (value, bool) {
	v, known := a.evaluate(c.Args[0])
	pattern, ok := tree.Unparen(c.Args[1]).(*tree.String)
	if !known || !ok || v.kind != kindTime {
		return value{}, false
	}
	layout := strings.NewReplacer("%Y", "2006", "%m", "01", "%d", "02").Replace(pattern.Value)
	if strings.ContainsAny(layout, "%") || strings.ContainsFunc(pattern.Value, func(r rune) bool {
		return r != '%' && r != 'Y' && r != 'm' && r != 'd' && r != '-' && r != '/' && r != '_'
	}) {
		return value{}, false
	}
	return value{kind: kindText, text: v.time().Format(layout)}, true
}

// truncate cuts a time to the beginning of its unit.
func truncate(v value, unit string) (value, bool) {
	t := v.time()
	y, m, d := t.Date()
	switch unit {
	case "day":
	case "week":
		d -= (int(t.Weekday()) + 6) % 7
	case "month":
		d = 1
	case "quarter":
		m, d = m-(m-1)%3, 1
	case "year":
		m, d = 1, 1
	default:
		return value{}, false
	}
	return instant(kindTime, time.Date(y, m, d, 0, 0, 0, 0, time.UTC)), true
}

// Known reports whether an expression is a constant that has a value, whichever the
// day is: one that an engine can compute too. Numbers that a type may not hold are
// left to the engine.
func Known(r *resolve.Resolution, x tree.Expr) bool {
	a := &analysis{resolution: r, now: time.Unix(0, 0).UTC()}
	v, known, fixed := a.constant(x)
	if known && (v.kind == kindTime || v.kind == kindInstant) {
		year := v.time().Year()
		known = year >= 1 && year <= 9999
	}
	if known && v.kind == kindNumber {
		known = v.number.IsInt() && v.number.Num().BitLen() < 31
	}
	return known && fixed
}
