package duckdb

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of values that functions make longer. The engine's memory limit does not
// count them, and it works on some 2,000 rows at once: a text of 1 MB a row is 2 GB.
// A longer value is an error of the statement, never cut.
const (
	// MaxPadding is the longest text, in characters, that lpad and rpad make.
	MaxPadding = 10_000
	// MaxText is the longest text, in bytes, that || and replace make.
	MaxText = 64 << 10
	// MaxSequence is the most entries of sequence; it is Trino's own bound.
	MaxSequence = 10_000
	// MaxArray is the most entries of an array that || makes.
	MaxArray = 100_000
	// MaxRowText is how many bytes all such texts of a row may have together, as
	// far as the statement tells.
	MaxRowText = 1 << 20
	// MaxGroupingSets is Trino's own bound of CUBE, ROLLUP and GROUPING SETS.
	MaxGroupingSets = 2048
)

// limits writes the bounds into the macros.
func limits() *strings.Replacer {
	return strings.NewReplacer("@MaxPadding", strconv.Itoa(MaxPadding), "@MaxText", strconv.Itoa(MaxText),
		"@MaxSequence", strconv.Itoa(MaxSequence), "@MaxArray", strconv.Itoa(MaxArray))
}

// grows counts bytes by which a row's texts can grow.
func (e *emitter) grows(at tree.Node, bytes int) {
	if e.growth += bytes; e.growth > MaxRowText {
		e.no(at, "making texts of more than %d bytes a row", MaxRowText)
	}
}

// pad writes lpad and rpad.
func (e *emitter) pad(fn string, c *tree.Call) string {
	if len(e.params) > 0 {
		return e.no(c, "%s inside a lambda", fn)
	}
	size := MaxPadding
	if n, ok := c.Args[1].(*tree.Number); ok {
		if literal, err := strconv.Atoi(n.Text); err == nil {
			size = min(size, literal)
		}
	}
	e.grows(c, size)
	return fn + "(" + e.expr(c.Args[0]) + ", " + e.macro(c, "presto_pad_size", c.Args[1]) + ", " + e.expr(c.Args[2]) + ")"
}

// concatenation writes || of texts or arrays, with a check of the length before.
func (e *emitter) concatenation(at tree.Node, xs []tree.Expr, measure, limit string) string {
	literal := true
	for _, x := range xs {
		if _, null := x.(*tree.Null); null {
			return "(" + join(xs, " || ", e.expr) + ")"
		}
		_, isString := x.(*tree.String)
		literal = literal && isString
	}
	if literal {
		return "(" + join(xs, " || ", e.expr) + ")"
	}
	if e.amplified {
		e.grows(at, MaxText)
	}
	return e.once(at, xs, func(args []string) string {
		sizes := make([]string, len(args))
		for i, a := range args {
			sizes[i] = measure + "(" + a + ")"
		}
		return "CASE WHEN " + strings.Join(sizes, " + ") + " > " + limit + " THEN presto_error('PRESTO INVALID_FUNCTION_ARGUMENT: || would give a value of more than " +
			limit + " " + map[string]string{"strlen": "bytes", "len": "entries"}[measure] + "') ELSE " + strings.Join(args, " || ") + " END"
	})
}

// concatWS is concat_ws, which leaves out nulls.
func (e *emitter) concatWS(c *tree.Call) string {
	for _, a := range c.Args {
		if t := e.typeOf(a); !t.IsText() && !t.IsNull() {
			return e.no(c, "concat_ws of %s", orUnknown(t))
		}
	}
	if e.amplified {
		e.grows(c, MaxText)
	}
	return e.once(c, c.Args, func(args []string) string {
		sizes := make([]string, len(args))
		for i, a := range args {
			sizes[i] = "coalesce(strlen(" + a + "), 0)"
			if i == 0 {
				sizes[i] += " * " + strconv.Itoa(len(args))
			}
		}
		return "CASE WHEN " + strings.Join(sizes, " + ") + " > " + strconv.Itoa(MaxText) +
			" THEN presto_error('PRESTO INVALID_FUNCTION_ARGUMENT: concat_ws would give a value of more than " + strconv.Itoa(MaxText) +
			" bytes') ELSE concat_ws(" + strings.Join(args, ", ") + ") END"
	})
}

// operands returns what a chain of || joins.
func operands(x tree.Expr) []tree.Expr {
	switch x := x.(type) {
	case *tree.Paren:
		return operands(x.X)
	case *tree.Binary:
		if x.Op == tree.OpConcat {
			return append(operands(x.Left), operands(x.Right)...)
		}
	}
	return []tree.Expr{x}
}

func (e *emitter) replaceCall(c *tree.Call) string {
	search, ok := c.Args[1].(*tree.String)
	var with tree.Expr = tree.Str("")
	if len(c.Args) > 2 {
		with = c.Args[2]
	}
	if !ok || search.Value == "" {
		e.grows(c, MaxText)
		return "presto_replace_text(" + e.expr(c.Args[0]) + ", " + e.expr(c.Args[1]) + ", " + e.expr(with) + ")"
	}
	if s, ok := with.(*tree.String); ok && len(s.Value) <= len(search.Value) {
		return "replace(" + e.expr(c.Args[0]) + ", " + e.expr(search) + ", " + e.expr(with) + ")"
	}
	e.grows(c, MaxText)
	return e.macro(c, "presto_replace", c.Args[0], search, with)
}

// amplifies reports a statement whose || may give long texts: it makes long texts
// by other means, or doubles what another query of it has doubled.
func amplifies(stmt *tree.Statement) bool {
	long, product := false, 1
	var visit func(n tree.Node, most *int)
	visit = func(n tree.Node, most *int) {
		if n == nil {
			return
		}
		inner, children := most, []tree.Node(nil)
		switch n := n.(type) {
		case *tree.Query:
			inner = new(int)
		case *tree.ListAgg:
			long = true
		case *tree.Call:
			switch n.Name.Key() {
			case "concat", "concat_ws":
				*most = max(*most, len(n.Args))
			case "lpad", "rpad", "replace", "regexp_replace", "array_agg":
				long = true
			}
		case *tree.Binary:
			if n.Op == tree.OpConcat {
				parts := 0
				for _, x := range operands(n) { // the chain as a whole, not each || of it
					children = append(children, x)
					if _, literal := x.(*tree.String); !literal {
						parts++
					}
				}
				*most = max(*most, parts)
			}
		}
		if children == nil {
			children = tree.Children(n)
		}
		for _, child := range children {
			visit(child, inner)
		}
		if inner != most && *inner > 1 {
			product = min(product**inner, MaxText)
		}
	}
	visit(stmt, new(int))
	return long || product > 64
}

// checkSets bounds the grouping sets of a GROUP BY.
func (e *emitter) checkSets(g *tree.GroupBy) {
	sets := 1
	for _, element := range g.Elements {
		n := len(element.Sets)
		switch element.Kind {
		case tree.GroupingSimple:
			n = 1
		case tree.GroupingCube:
			n = 1 << min(n, 20)
		case tree.GroupingRollup:
			n++
		}
		if sets *= max(n, 1); sets > MaxGroupingSets {
			e.no(g, "more than %d grouping sets", MaxGroupingSets)
			return
		}
	}
}
