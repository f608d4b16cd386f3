package duckdb

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) exprs(xs []tree.Expr) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = e.expr(x)
	}
	return out
}

// specialCall writes the functions whose form depends on their arguments.
func (e *emitter) specialCall(fn string, c *tree.Call) (text string, done bool) {
	n := len(c.Args)
	switch {
	case fn == "date_trunc" && n == 2:
		return e.dateTrunc(c), true
	case fn == "date_add" && n == 3:
		return e.dateAdd(c), true
	case fn == "date_diff" && n == 3:
		return e.dateDiff(c), true
	case fn == "date_format" && n == 2:
		return e.dateFormat(c), true
	case fn == "date_parse" && n == 2:
		return e.dateParse(c), true
	case fn == "concat" && n > 1 && e.typeOf(c.Args[0]).Base != "array":
		return e.concatCall(c), true
	case fn == "concat_ws" && n > 1:
		return e.concatWS(c), true
	case (fn == "greatest" || fn == "least") && n > 0:
		return e.extreme(fn, c), true
	case fn == "mod" && n == 2:
		return e.mod(c), true
	case (fn == "round" || fn == "truncate") && n == 2 && e.typeOf(c.Args[0]).IsDecimal():
		return e.roundDecimal(fn, c), true
	case fn == "avg" && n == 1 && e.typeOf(c.Args[0]).IsDecimal():
		return e.avgDecimal(c), true
	case strings.HasPrefix(fn, "regexp_"):
		return e.regexpCall(fn, c), true
	case (fn == "lpad" || fn == "rpad") && n == 3:
		return e.pad(fn, c), true
	case fn == "replace" && n >= 2:
		return e.replaceCall(c), true
	case fn == "json_extract_scalar" && n == 2:
		return e.jsonScalar(c), true
	}
	return "", false
}

// concatCall writes || because DuckDB's concat leaves nulls out.
func (e *emitter) concatCall(c *tree.Call) string {
	for _, a := range c.Args {
		if t := e.typeOf(a); !t.IsText() && !t.IsNull() {
			return e.no(c, "concat of %s", orUnknown(t))
		}
	}
	return e.concatenation(c, c.Args, "strlen", strconv.Itoa(MaxText))
}

// extreme writes greatest and least, which are null where an argument is.
func (e *emitter) extreme(fn string, c *tree.Call) string {
	for _, a := range c.Args {
		if t := e.typeOf(a); t.IsUnknown() || len(t.Args) > 0 {
			return e.no(c, "%s of %s", fn, orUnknown(t))
		}
	}
	return e.once(c, c.Args, func(args []string) string {
		return "CASE WHEN " + strings.Join(args, " IS NULL OR ") + " IS NULL THEN NULL ELSE " + fn + "(" + strings.Join(args, ", ") + ") END"
	})
}

func (e *emitter) mod(c *tree.Call) string {
	for _, a := range c.Args {
		if t := e.typeOf(a); !t.IsInteger() {
			return e.no(c, "mod of %s", orUnknown(t))
		}
	}
	return "(" + e.expr(c.Args[0]) + " % " + e.divisor(c.Args[1]) + ")"
}

func (e *emitter) roundDecimal(fn string, c *tree.Call) string {
	digits, ok := c.Args[1].(*tree.Number)
	if !ok || fn != "round" {
		return e.no(c, "%s of a decimal to digits that are no literal", fn)
	}
	t := e.typeOf(c)
	if duckType(t) == "" {
		return e.no(c, "round of %s", orUnknown(t))
	}
	return "CAST(round(" + e.expr(c.Args[0]) + ", " + digits.Text + ") AS " + duckType(t) + ")"
}

// avgDecimal divides exactly: DuckDB's avg of decimals is a double.
func (e *emitter) avgDecimal(c *tree.Call) string {
	t := e.typeOf(c.Args[0])
	x := e.expr(c.Args[0])
	sum, count := e.modified("sum("+x+")", c), e.modified("count("+x+")", c)
	total := types.Decimal(38, t.Scale)
	return e.decimalDivision(sum, "nullif("+count+", 0)", total, types.Decimal(19, 0), t)
}

// safePattern are the regular expressions that Java and RE2 read alike.
var safePattern = regexp.MustCompile(`^(?:[A-Za-z0-9 _,;:@#%&=<>~"'/!\-.^$*+?|]|\(\?:|\((?:[^?]|$)|\)|\[\^?[A-Za-z0-9 _.,\-]+\]|\{[0-9]+(?:,[0-9]*)?\}|\\[dDwWsSb.\\*+?()\[\]{}|^$/\-])*$`)

func (e *emitter) regexpCall(fn string, c *tree.Call) string {
	if len(c.Args) < 2 || !e.typeOf(c.Args[0]).IsText() {
		return e.no(c, "%s of these arguments", fn)
	}
	p, ok := c.Args[1].(*tree.String)
	if !ok {
		return e.no(c, "%s with a pattern that is no literal", fn)
	}
	if _, err := regexp.Compile(p.Value); err != nil || !safePattern.MatchString(p.Value) || strings.Contains(p.Value, "++") || strings.Contains(p.Value, "*+") || strings.Contains(p.Value, "?+") {
		return e.no(p, "the regular expression '%s'", p.Value)
	}
	pattern := printer.String(p.Value)
	switch {
	case fn == "regexp_like" && len(c.Args) == 2:
		return "regexp_matches(" + e.expr(c.Args[0]) + ", " + pattern + ")"
	case fn == "regexp_extract" && len(c.Args) <= 3:
		group := "0"
		if len(c.Args) == 3 {
			n, ok := c.Args[2].(*tree.Number)
			if !ok {
				return e.no(c, "regexp_extract with a group that is no literal")
			}
			if g, err := strconv.Atoi(n.Text); err != nil || g > 0 {
				return e.no(c, "regexp_extract of a group") // a group that took no part is null in Presto
			}
		}
		return e.once(c, c.Args[:1], func(args []string) string {
			return "CASE WHEN regexp_matches(" + args[0] + ", " + pattern + ") THEN regexp_extract(" + args[0] + ", " + pattern + ", " + group + ") END"
		})
	case fn == "regexp_replace" && len(c.Args) <= 3:
		with := ""
		if len(c.Args) == 3 {
			r, ok := c.Args[2].(*tree.String)
			if !ok || strings.ContainsAny(r.Value, `$\`) {
				return e.no(c, "regexp_replace with this replacement")
			}
			with = r.Value
		}
		return e.regexpReplace(c, pattern, with)
	}
	return e.no(c, "the function %s", fn)
}

var jsonPath = regexp.MustCompile(`^\$(\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\])*$`)

func (e *emitter) jsonScalar(c *tree.Call) string {
	path, ok := c.Args[1].(*tree.String)
	if !ok || !jsonPath.MatchString(path.Value) || !e.typeOf(c.Args[0]).IsText() {
		return e.no(c, "json_extract_scalar with this path or value")
	}
	return e.macro(c, "presto_json_scalar", c.Args[0], c.Args[1])
}
