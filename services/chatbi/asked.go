package chatbi

import (
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/calendar"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// askedRange reads the range of time that a statement asks for off its
// conditions: comparisons of one column with constant dates, joined by AND.
// Where several columns are so restricted, it is the first in the text. The zero
// Range means that there is none, or none that is this simple. column is that column.
func askedRange(stmt *tree.Statement, now time.Time) (asked analyse.Range, column string) {
	c := newConditions(now)
	tree.Walk(stmt, func(n tree.Node) bool {
		if sel, ok := n.(*tree.Select); ok && sel.Where != nil {
			c.add(sel.Where)
		}
		return true
	})
	if len(c.order) == 0 {
		return analyse.Range{}, ""
	}
	return *c.ranges[c.order[0]], c.order[0]
}

type conditions struct {
	now    time.Time
	ranges map[string]*analyse.Range // by column
	order  []string
	// references are where the conditions name a column.
	references map[string][]*tree.ColumnRef
}

func newConditions(now time.Time) conditions {
	return conditions{now: now, ranges: map[string]*analyse.Range{}, references: map[string][]*tree.ColumnRef{}}
}

func (c *conditions) add(x tree.Expr) {
	switch x := x.(type) {
	case *tree.Paren:
		c.add(x.X)
	case *tree.Binary:
		if x.Op == tree.OpAnd {
			c.add(x.Left)
			c.add(x.Right)
			return
		}
		c.compare(x)
	case *tree.Between:
		if x.Not {
			return
		}
		low, _, ok := c.moment(x.Low)
		_, end, ok2 := c.moment(x.High)
		if ok && ok2 {
			c.narrow(x.X, low, end)
		}
	}
}

func (c *conditions) compare(x *tree.Binary) {
	column, value, op := x.Left, x.Right, x.Op
	start, end, ok := c.moment(value)
	if !ok {
		column, value = x.Right, x.Left
		if start, end, ok = c.moment(value); !ok {
			return
		}
		op = map[string]string{tree.OpLt: tree.OpGt, tree.OpLe: tree.OpGe, tree.OpGt: tree.OpLt, tree.OpGe: tree.OpLe, tree.OpEq: tree.OpEq}[op]
	}
	switch op {
	case tree.OpEq:
		c.narrow(column, start, end)
	case tree.OpGe:
		c.narrow(column, start, time.Time{})
	case tree.OpGt:
		c.narrow(column, end, time.Time{})
	case tree.OpLt:
		c.narrow(column, time.Time{}, start)
	case tree.OpLe:
		c.narrow(column, time.Time{}, end)
	}
}

func (c *conditions) narrow(x tree.Expr, from, to time.Time) {
	column, ok := bare(x).(*tree.ColumnRef)
	if !ok {
		return
	}
	key := column.Parts[len(column.Parts)-1].Key()
	r := c.ranges[key]
	if r == nil {
		r = &analyse.Range{}
		c.ranges[key], c.order = r, append(c.order, key)
	}
	c.references[key] = append(c.references[key], column)
	if from.After(r.From) {
		r.From = from
	}
	if !to.IsZero() && (r.To.IsZero() || to.Before(r.To)) {
		r.To = to
	}
}

// bare takes off parentheses and casts to a date.
func bare(x tree.Expr) tree.Expr {
	for {
		switch y := x.(type) {
		case *tree.Paren:
			x = y.X
		case *tree.Cast:
			x = y.X
		case *tree.Call:
			if y.Name.Key() != "date" || len(y.Args) != 1 {
				return x
			}
			x = y.Args[0]
		default:
			return x
		}
	}
}

// moment evaluates a constant date or timestamp: the start of the period that it
// names (a day, a month, an instant) and its end.
func (c *conditions) moment(x tree.Expr) (start, end time.Time, ok bool) {
	t, grain, ok := c.eval(x)
	if !ok {
		return start, end, false
	}
	if grain == result.GrainSecond {
		return t, t, true
	}
	return t, grain.Next(t), true
}

func (c *conditions) eval(x tree.Expr) (time.Time, result.Grain, bool) {
	switch x := bare(x).(type) {
	case *tree.Typed:
		return result.ParseMoment(x.Value, c.now.Location())
	case *tree.String:
		return result.ParseMoment(x.Value, c.now.Location())
	case *tree.Special:
		switch x.Name {
		case "CURRENT_DATE":
			return c.today(), result.GrainDay, true
		case "CURRENT_TIMESTAMP", "LOCALTIMESTAMP":
			return c.now, result.GrainSecond, true
		}
	case *tree.Call:
		return c.evalCall(x)
	case *tree.Binary:
		return c.evalStep(x)
	}
	return time.Time{}, result.GrainNone, false
}

func (c *conditions) today() time.Time {
	y, m, d := c.now.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, c.now.Location())
}

func (c *conditions) evalCall(x *tree.Call) (time.Time, result.Grain, bool) {
	switch key := x.Name.Key(); {
	case key == "now" && len(x.Args) == 0:
		return c.now, result.GrainSecond, true
	case key == "date_add" && len(x.Args) == 3:
		unit, okUnit := x.Args[0].(*tree.String)
		n, okN := integer(x.Args[1])
		t, grain, ok := c.eval(x.Args[2])
		if !okUnit || !okN || !ok {
			break
		}
		t, ok = step(t, n, unit.Value)
		return t, grain, ok
	case key == "date_trunc" && len(x.Args) == 2:
		unit, okUnit := x.Args[0].(*tree.String)
		t, _, ok := c.eval(x.Args[1])
		if !okUnit || !ok {
			break
		}
		t, ok = truncate(t, unit.Value)
		return t, result.GrainDay, ok
	}
	return time.Time{}, result.GrainNone, false
}

// evalStep evaluates date + or - interval.
func (c *conditions) evalStep(x *tree.Binary) (time.Time, result.Grain, bool) {
	interval, ok := x.Right.(*tree.Interval)
	if !ok || x.Op != tree.OpAdd && x.Op != tree.OpSub || interval.To != "" {
		return time.Time{}, result.GrainNone, false
	}
	t, grain, ok := c.eval(x.Left)
	if !ok {
		return t, grain, false
	}
	digits, minus := strings.CutPrefix(interval.Value, "-")
	n := int(atoi(digits))
	if minus != interval.Negative {
		n = -n
	}
	if x.Op == tree.OpSub {
		n = -n
	}
	t, ok = step(t, n, interval.From)
	return t, grain, ok
}

func integer(x tree.Expr) (int, bool) {
	switch x := x.(type) {
	case *tree.Number:
		n := atoi(x.Text)
		return int(n), n != 0 || x.Text == "0"
	case *tree.Unary:
		n, ok := integer(x.X)
		if x.Op == "-" {
			n = -n
		}
		return n, ok
	}
	return 0, false
}

func step(t time.Time, n int, unit string) (time.Time, bool) {
	switch strings.ToLower(unit) {
	case "day":
		return t.AddDate(0, 0, n), true
	case "week":
		return t.AddDate(0, 0, 7*n), true
	case "month":
		return calendar.AddMonths(t, n), true
	case "quarter":
		return calendar.AddMonths(t, 3*n), true
	case "year":
		return calendar.AddMonths(t, 12*n), true
	case "hour":
		return t.Add(time.Duration(n) * time.Hour), true
	}
	return t, false
}

func truncate(t time.Time, unit string) (time.Time, bool) {
	y, m, d := t.Date()
	switch strings.ToLower(unit) {
	case "day":
	case "week":
		d -= (int(t.Weekday()) + 6) % 7 // weeks begin on Monday
	case "month":
		d = 1
	case "quarter":
		m, d = (m-1)/3*3+1, 1
	case "year":
		m, d = 1, 1
	default:
		return t, false
	}
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location()), true
}
