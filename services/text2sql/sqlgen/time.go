package sqlgen

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// periods reports whether a condition compares with days or years.
func periods(c intent.Cond) bool {
	if c.Op == intent.IsNull || c.Op == intent.NotNull || len(c.Values) == 0 {
		return false
	}
	for _, v := range c.Values {
		if !v.Date && (!v.Number || len(v.Text) != 4) {
			return false
		}
	}
	return true
}

// timeCond compares a column of days or times with years or days. Whole periods
// are ranges, open at the end, so that times of day count too.
func (w *writer) timeCond(c intent.Cond, left tree.Expr, d *semantic.Dimension) (tree.Expr, error) {
	if c.Op == intent.IsNull || c.Op == intent.NotNull {
		return &tree.IsNull{X: left, Not: c.Op == intent.NotNull}, nil
	}
	starts, ends := make([]string, 0, 2), make([]string, 0, 2) // first day, and the one after the last
	for _, v := range c.Values {
		from, to, err := span(v)
		if err != nil {
			return nil, err
		}
		starts, ends = append(starts, from), append(ends, to)
	}
	day := func(s string) tree.Expr {
		if daytext.Kind(d) != "" {
			return tree.Str(s) // the order of such texts is that of time
		}
		return tree.TypedLit("date", s)
	}
	from := func(s string) tree.Expr { return tree.Op(tree.OpGe, left, day(s)) }
	before := func(s string) tree.Expr { return tree.Op(tree.OpLt, left, day(s)) }
	switch {
	case c.Op == intent.Between && len(starts) == 2:
		return tree.And(from(starts[0]), before(ends[1])), nil
	case len(starts) != 1:
	case c.Op == intent.Eq:
		return tree.And(from(starts[0]), before(ends[0])), nil
	case c.Op == intent.Ne:
		return tree.Or(before(starts[0]), from(ends[0])), nil
	case c.Op == intent.Gt:
		return from(ends[0]), nil
	case c.Op == intent.Ge:
		return from(starts[0]), nil
	case c.Op == intent.Lt:
		return before(starts[0]), nil
	case c.Op == intent.Le:
		return before(ends[0]), nil
	}
	return nil, fmt.Errorf("%w: %s with %d times", ErrShape, c.Op, len(starts))
}

// span is the range of days of a year or a day, open at the end.
func span(v intent.Literal) (from, to string, err error) {
	if v.Date {
		t, err := time.Parse(time.DateOnly, v.Text)
		if err != nil {
			return "", "", fmt.Errorf("%w: %q is no day", ErrShape, v.Text)
		}
		return v.Text, t.AddDate(0, 0, 1).Format(time.DateOnly), nil
	}
	y, err := strconv.Atoi(v.Text)
	if err != nil || y < 1 || y > 9998 {
		return "", "", fmt.Errorf("%w: %q is no year", ErrShape, v.Text)
	}
	return fmt.Sprintf("%04d-01-01", y), fmt.Sprintf("%04d-01-01", y+1), nil
}

// flag compares a boolean column with true or false.
func flag(c intent.Cond, left tree.Expr) (tree.Expr, error) {
	b, err := strconv.ParseBool(strings.ToLower(c.Values[0].Text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %q is neither true nor false", ErrShape, c.Values[0].Text)
	case c.Op == intent.Ne:
		b = !b
	case c.Op != intent.Eq:
		return nil, fmt.Errorf("%w: %s with true or false", ErrShape, c.Op)
	}
	return tree.Op(tree.OpEq, left, &tree.Bool{Value: b}), nil
}

// constantOf writes a stored value of a column.
func constantOf(d *semantic.Dimension, v intent.Literal) (tree.Expr, error) {
	if d.Type == "boolean" {
		b, err := strconv.ParseBool(strings.ToLower(v.Text))
		if err != nil {
			return nil, fmt.Errorf("%w: %q is neither true nor false", ErrShape, v.Text)
		}
		return &tree.Bool{Value: b}, nil
	}
	return constantFor(v, semantic.IsNumber(d.Type))
}
