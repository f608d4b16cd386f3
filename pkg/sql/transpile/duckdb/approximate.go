package duckdb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/sketch"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// sketchSize writes cardinality(approx_set(x)), null where there is no value. Of few
// values the sketch keeps the hashes, so that the number is theirs.
func (e *emitter) sketchSize(c *tree.Call) (text string, done bool) {
	of, ok := tree.Unparen(c.Args[0]).(*tree.Call)
	if !ok || of.Name.Key() != "approx_set" || len(of.Name.Parts) != 1 || len(of.Args) != 1 || of.Over != nil {
		return "", false
	}
	if t := e.typeOf(of.Args[0]); !t.IsInteger() && t.Base != "double" && t.Base != "varchar" {
		return e.no(c, "approx_set of %s", orUnknown(t)), true
	}
	value := "presto_few_distinct(" + e.modified("list(DISTINCT "+e.expr(of.Args[0])+")", of) + ")"
	return value, true
}

// digestValue writes value_at_quantile(tdigest_agg(x), quantile), which is what
// approx_percentile gives.
func (e *emitter) digestValue(c *tree.Call) (text string, done bool) {
	of, ok := tree.Unparen(c.Args[0]).(*tree.Call)
	if !ok || of.Name.Key() != "tdigest_agg" || len(of.Name.Parts) != 1 || len(of.Args) != 1 || of.Over != nil {
		return "", false
	}
	percentile := *of
	x := of.Args[0]
	if t := e.typeOf(x); !t.IsFloat() || t.Base == "real" {
		x = e.stand(e.coerced(x, types.Double()), types.Double())
	}
	percentile.Args = []tree.Expr{x, c.Args[1]}
	return e.approxPercentile(&percentile), true
}

// approxDistinct writes approx_distinct: the engine hashes the values and estimates
// as Trino does.
func (e *emitter) approxDistinct(c *tree.Call) string {
	standardError := sketch.DefaultError
	if len(c.Args) == 2 {
		n, ok := tree.Unparen(c.Args[1]).(*tree.Number)
		if !ok {
			return e.no(c, "approx_distinct with an error that is no literal")
		}
		standardError, _ = strconv.ParseFloat(n.Text, 64) // 0 is out of bounds
	}
	p, ok := sketch.RegisterBits(standardError)
	if !ok || !sketch.HasBias(p) {
		return e.no(c, "approx_distinct with this error")
	}
	x := e.expr(c.Args[0])
	t := e.typeOf(c.Args[0])
	if t.Base == "boolean" || t.IsNull() {
		return e.modified("count(DISTINCT "+x+")", c)
	}
	function, value := hashed(x, t)
	if function == "" {
		return e.no(c, "approx_distinct of %s", orUnknown(t))
	}
	only := *c
	only.Quantifier = "" // the values are different already
	return fmt.Sprintf("coalesce(presto_distinct_%s(%s, %d), 0)", function, e.modified("list(DISTINCT "+value+")", &only), p)
}

// hashed writes a value as what Trino hashes of it, and names the functions of
// lists of such; empty where there is none.
func hashed(x string, t types.Type) (function, value string) {
	switch {
	case t.IsInteger():
		return "integers", "CAST(" + x + " AS BIGINT)"
	case t.IsDecimal() && t.Precision <= 18:
		return "integers", "CAST(replace(CAST(" + x + " AS VARCHAR), '.', '') AS BIGINT)"
	case t.Base == "date":
		return "integers", "CAST(" + x + " - DATE '1970-01-01' AS BIGINT)"
	case t.Base == "timestamp" && t.Precision <= 6:
		return "integers", "epoch_us(" + x + ")"
	case t.Base == "double":
		return "doubles", x
	case t.Base == "real":
		return "reals", x
	case t.Base == "varchar":
		return "texts", x
	}
	return "", ""
}

// checksum writes checksum, whose hashes are those of approx_distinct.
func (e *emitter) checksum(c *tree.Call) string {
	t := e.typeOf(c.Args[0])
	x := e.expr(c.Args[0])
	function, value := hashed(x, t)
	if t.Base == "boolean" {
		function, value = "integers", "CAST("+x+" AS BIGINT)"
	}
	if function == "" || function == "reals" {
		return e.no(c, "checksum of %s", orUnknown(t))
	}
	return "presto_checksum_" + function + "(" + e.modified("list("+value+")", c) + ")"
}

// approxPercentile writes approx_percentile: the engine makes the digest that
// Trino makes.
func (e *emitter) approxPercentile(c *tree.Call) string {
	if c.Quantifier != "" || len(c.OrderBy) > 0 {
		return e.no(c, "DISTINCT or ORDER BY with approx_percentile")
	}
	t, n := e.typeOf(c.Args[0]), len(c.Args)
	quantiles, many, ok := percentages(c.Args[n-1])
	if !ok {
		return e.no(c, "approx_percentile with a percentage that is no literal")
	}
	if !t.IsInteger() && !t.IsFloat() {
		return e.no(c, "approx_percentile of %s", orUnknown(t))
	}
	x := e.expr(c.Args[0])
	only := *c
	only.Filter = tree.And(c.Filter, e.notNull(c.Args[0]))
	weights := "CAST([] AS DOUBLE[])"
	if n == 3 {
		only.Filter = tree.And(only.Filter, e.notNull(c.Args[1]))
		weights = e.modified("list(CAST("+e.expr(c.Args[1])+" AS DOUBLE))", &only)
	}
	values := e.modified("list(CAST("+x+" AS DOUBLE))", &only)
	function := "presto_percentiles"
	if len(e.r.Tables()) > 0 {
		// Trino joins the digests of its workers' splits there, so that its answer
		// depends on how a table is stored: 1 % off at the median of 15,000 rows.
		function = "presto_few_percentiles"
	}
	text := function + "(" + values + ", " + weights + ", CAST([" + strings.Join(quantiles, ", ") + "] AS DOUBLE[]))"
	one := func(x string) string {
		if t.IsInteger() { // halves go up
			x = "floor(" + x + " + 0.5e0)"
		}
		return "CAST(" + x + " AS " + duckType(t) + ")"
	}
	if !many {
		return one(text + "[1]")
	}
	v := "presto_v" + e.suffix()
	return "list_transform(" + text + ", lambda " + v + ": " + one(v) + ")"
}

// notNull is the condition that a value is there.
func (e *emitter) notNull(x tree.Expr) tree.Expr {
	return e.made(&tree.Not{X: e.made(&tree.IsNull{X: x}, types.Boolean())}, types.Boolean())
}

// percentages returns the texts of literal percentages; many: they are an array.
func percentages(x tree.Expr) (texts []string, many, ok bool) {
	switch x := tree.Unparen(x).(type) {
	case *tree.Number:
		return []string{x.Text}, false, true
	case *tree.Array:
		for _, item := range x.Items {
			n, isNumber := tree.Unparen(item).(*tree.Number)
			if !isNumber {
				return nil, true, false
			}
			texts = append(texts, n.Text)
		}
		return texts, true, len(texts) > 0
	}
	return nil, false, false
}
