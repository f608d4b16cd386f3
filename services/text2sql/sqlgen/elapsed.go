package sqlgen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Seconds of the units in which it is told how long something was.
var elapsedSeconds = map[string]int64{"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 604800}

// daysOfWeek is how many days a week has.
const daysOfWeek = 7

// elapsed writes the time between two columns: in whole days, months and years between
// days, else in parts of a unit.
func (w *writer) elapsed(d *semantic.Dimension) (tree.Expr, error) {
	from, to := w.g.dims[d.Elapsed.From], w.g.dims[d.Elapsed.To]
	if from != nil && d.Elapsed.To == "" { // an age: whole years
		born := w.moment(intent.Output{Field: intent.Field{ID: from.ID}}, tree.Col(w.aliases[from.Table], from.Expr), "date")
		return tree.Fn("date_diff", tree.Str("year"), born, &tree.Special{Name: "CURRENT_DATE"}), nil
	}
	if from == nil || to == nil {
		return nil, fmt.Errorf("no columns between which %q is", d.ID)
	}
	diff := func(unit, kind string) tree.Expr {
		at := func(d *semantic.Dimension) tree.Expr {
			return w.moment(intent.Output{Field: intent.Field{ID: d.ID}}, tree.Col(w.aliases[d.Table], d.Expr), kind)
		}
		return tree.Fn("date_diff", tree.Str(unit), at(from), at(to))
	}
	dated := dayOf(from) || dayOf(to)
	switch unit := d.Elapsed.Unit; {
	case unit == "months", unit == "years", unit == "days" && dated:
		kind := "timestamp"
		if dated {
			kind = "date"
		}
		return diff(strings.TrimSuffix(unit, "s"), kind), nil
	case unit == "weeks" && dated:
		return tree.Op(tree.OpDiv, tree.CastTo(diff("day", "date"), "double"), tree.Int(daysOfWeek)), nil
	default:
		seconds, ok := elapsedSeconds[unit]
		if !ok {
			return nil, fmt.Errorf("%w: a time in %s", ErrShape, unit)
		}
		if seconds == 1 {
			return diff("second", "timestamp"), nil
		}
		return tree.Op(tree.OpDiv, tree.CastTo(diff("second", "timestamp"), "double"), tree.Int(seconds)), nil
	}
}

// beyond writes that the time between two columns is more than a whole number of months or years, or at most that:
// who stayed 35 years and a day stayed more than 35 years, of which there are 35 whole ones. ok is false for
// other conditions.
func (w *writer) beyond(c intent.Cond, d *semantic.Dimension) (x tree.Expr, ok bool) {
	if c.Op != intent.Gt && c.Op != intent.Le || len(c.Values) != 1 || d.Elapsed == nil || d.Elapsed.To == "" || d.Elapsed.Unit != "months" && d.Elapsed.Unit != "years" {
		return nil, false
	}
	n, err := strconv.ParseInt(c.Values[0].Text, 10, 64)
	from, to := w.g.dims[d.Elapsed.From], w.g.dims[d.Elapsed.To]
	if err != nil || from == nil || to == nil {
		return nil, false
	}
	kind := "timestamp"
	if dayOf(from) || dayOf(to) {
		kind = "date"
	}
	at := func(d *semantic.Dimension) tree.Expr {
		return w.moment(intent.Output{Field: intent.Field{ID: d.ID}}, tree.Col(w.aliases[d.Table], d.Expr), kind)
	}
	later := tree.Fn("date_add", tree.Str(strings.TrimSuffix(d.Elapsed.Unit, "s")), tree.Int(n), at(from))
	return tree.Op(compareOps[c.Op], at(to), later), true
}

// dayOf reports whether a column holds days without times.
func dayOf(d *semantic.Dimension) bool { return d.Type == "date" || daytext.Kind(d) == "date" }
