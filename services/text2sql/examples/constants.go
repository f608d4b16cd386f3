package examples

import (
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// constants replaces constants of a statement, one for one.
type constants struct {
	statement  *tree.Statement
	resolution *resolve.Resolution
	tables     []catalog.Table
	with       map[tree.Node]tree.Node
}

func (c *constants) replace(r *Replacement) bool {
	switch r.kind {
	case kindNumber:
		return c.number(r)
	case kindDate:
		return c.date(r)
	default:
		return c.text(r)
	}
}

// number replaces a number: a plain one, or that of an interval. A whole number
// stays whole, since a LIMIT or a key takes no other. A year beside days would
// leave the days as they were.
func (c *constants) number(r *Replacement) bool {
	if strings.Contains(r.Old, ".") != strings.Contains(r.New, ".") || len(r.New) > 15 {
		return false
	}
	if year(r.Old) && len(daysOf(c.statement)) > 0 {
		return false
	}
	var at []tree.Node
	tree.Walk(c.statement, func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.Number:
			if plainNumber(x.Text) == r.Old {
				at = append(at, n)
			}
		case *tree.Interval:
			if x.Value == r.Old && !strings.Contains(r.New, ".") {
				at = append(at, n)
			}
		}
		return true
	})
	if len(at) != 1 {
		return false
	}
	if x, ok := at[0].(*tree.Interval); ok {
		changed := *x
		changed.Value = r.New
		c.with[x] = &changed
		return true
	}
	c.with[at[0]] = &tree.Number{Text: r.New}
	return true
}

func year(s string) bool { return len(s) == 4 && s >= "1900" && s <= "2100" }

// date replaces a day that stands in the SQL once.
func (c *constants) date(r *Replacement) bool {
	if _, err := time.Parse(time.DateOnly, r.New); err != nil {
		return false
	}
	var at []tree.Node
	tree.Walk(c.statement, func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.Typed:
			if x.Value == r.Old {
				at = append(at, n)
			}
		case *tree.String:
			if x.Value == r.Old {
				at = append(at, n)
			}
		}
		return true
	})
	if len(at) != 1 {
		return false
	}
	if x, ok := at[0].(*tree.Typed); ok {
		c.with[x] = tree.TypedLit(x.Type, r.New)
	} else {
		c.with[at[0]] = tree.Str(r.New)
	}
	return true
}

// daysAccounted reports whether, once a day was replaced, every other day of the
// SQL is one that the question names: a day that was worked out from the old one
// would stay as it was.
func (c *constants) daysAccounted(question []word) bool {
	replaced := false
	for _, n := range c.with {
		switch x := n.(type) {
		case *tree.Typed:
			replaced = true
		case *tree.String:
			replaced = replaced || day.MatchString(x.Value)
		}
	}
	if !replaced {
		return true
	}
	for _, d := range daysOf(c.statement) {
		if !slices.Contains(question, word{d, kindDate}) {
			return false
		}
	}
	return true
}

// text replaces a text by the stored value that the question's words are, where the
// text is compared with one column of which stored values are known.
func (c *constants) text(r *Replacement) bool {
	var found []*tree.String
	var columns []tree.Expr
	note := func(column tree.Expr, constants ...tree.Expr) {
		for _, x := range constants {
			if s, ok := x.(*tree.String); ok && s.Value == r.Old {
				found, columns = append(found, s), append(columns, column)
			}
		}
	}
	all := 0
	tree.Walk(c.statement, func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.String:
			if x.Value == r.Old {
				all++
			}
		case *tree.Binary:
			if x.Op == tree.OpEq || x.Op == tree.OpNe {
				note(x.Left, x.Right)
				note(x.Right, x.Left)
			}
		case *tree.InList:
			note(x.X, x.List...)
		}
		return true
	})
	if all != 1 || len(found) != 1 {
		return false
	}
	value, ok := c.stored(columns[0], r.New)
	if !ok {
		return false
	}
	r.New = value
	c.with[found[0]] = tree.Str(value)
	return true
}

// stored finds the value of a column that words are, as it is stored.
func (c *constants) stored(x tree.Expr, words string) (string, bool) {
	column, ok := tree.Unparen(x).(*tree.ColumnRef)
	if !ok {
		return "", false
	}
	origins := c.resolution.Origins(column)
	if len(origins) != 1 {
		return "", false
	}
	for _, t := range c.tables {
		if t.Name.Key() != origins[0].Table.Key() {
			continue
		}
		for _, col := range t.Columns {
			if !strings.EqualFold(col.Name, origins[0].Column) {
				continue
			}
			for _, v := range col.Samples {
				if strings.EqualFold(v, words) {
					return v, true
				}
			}
		}
	}
	return "", false
}
