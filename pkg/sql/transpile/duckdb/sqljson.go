package duckdb

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// jsonObject writes json_object; null values stay unless ABSENT ON NULL is asked.
func (e *emitter) jsonObject(x *tree.JSONObject) string {
	if !plainReturning(x.Returning, x.Format) || x.Unique == "WITH" {
		return e.no(x, "json_object with RETURNING or WITH UNIQUE KEYS")
	}
	if len(x.Members) == 0 {
		return "'{}'"
	}
	keys := join(x.Members, ", ", func(m *tree.JSONMember) string {
		if t := e.typeOf(m.Key); t.Base != "varchar" {
			return e.no(m.Key, "json_object with a key of type %s", orUnknown(t))
		}
		return e.expr(m.Key)
	})
	values := join(x.Members, ", ", func(m *tree.JSONMember) string { return e.jsonInput(m.Value) })
	return fmt.Sprintf("presto_json_object([%s], [%s], %t)", keys, values, x.Nulls == "ABSENT")
}

// jsonArray writes json_array; null items are left out unless NULL ON NULL is asked.
func (e *emitter) jsonArray(x *tree.JSONArray) string {
	if !plainReturning(x.Returning, x.Format) {
		return e.no(x, "json_array with RETURNING")
	}
	if len(x.Items) == 0 {
		return "'[]'"
	}
	return fmt.Sprintf("presto_json_array([%s], %t)", join(x.Items, ", ", e.jsonInput), x.Nulls != "NULL")
}

// plainReturning reports a result of type varchar, which is the default.
func plainReturning(t *tree.TypeName, format string) bool {
	return format == "" && (t == nil || t.Text == "varchar")
}

// jsonInput writes a value as JSON text; the empty text is null.
func (e *emitter) jsonInput(in *tree.JSONInput) string {
	t := e.typeOf(in.X)
	switch x := tree.Unparen(in.X).(type) {
	case *tree.JSONObject, *tree.JSONArray:
		return "coalesce(" + e.expr(in.X) + ", '')"
	case *tree.JSONQuery:
		if !plainReturning(x.Returning, x.Format) || strings.HasPrefix(x.Quotes, "OMIT") {
			return e.no(x, "json_query with RETURNING or OMIT QUOTES in JSON")
		}
		return "coalesce(presto_json_input(" + e.expr(in.X) + "), '')"
	case *tree.Null:
		return "''"
	}
	var out string
	switch {
	case strings.HasPrefix(in.Format, "JSON") && t.Base == "varchar":
		out = "presto_json_input(" + e.expr(in.X) + ")"
	case in.Format != "" || len(t.Args) > 0 || t.Base == "json":
	default:
		out = e.toJSON(in, e.expr(in.X), t)
	}
	if out == "" {
		return e.no(in, "a %s in JSON", orUnknown(t))
	}
	return "coalesce(" + out + ", '')"
}

// checkZones refuses what tells values apart by their zone, where values of one
// statement may have different zones: to Presto two timestamps of one instant are
// the same.
func (e *emitter) checkZones(stmt *tree.Statement) {
	zones := false
	tree.Walk(stmt, func(n tree.Node) bool {
		zones = zones || e.setsZone(n)
		return !zones
	})
	if !zones {
		return
	}
	tree.Walk(stmt, func(n tree.Node) bool {
		if what := e.tellsApart(n); what != "" {
			e.no(n, "%s of timestamps with different time zones", what)
		}
		return e.err == nil
	})
}

// setsZone reports what gives a timestamp a zone other than UTC.
func (e *emitter) setsZone(n tree.Node) bool {
	switch n := n.(type) {
	case *tree.AtTimeZone:
		return true
	case *tree.Typed:
		return isZoned(e.typeOf(n))
	case *tree.Cast:
		return isZoned(e.typeOf(n)) && e.typeOf(n.X).IsText()
	case *tree.Call:
		switch n.Name.Key() {
		case "at_timezone", "with_timezone", "from_iso8601_timestamp", "parse_datetime":
			return true
		case "from_unixtime":
			return len(n.Args) > 1
		}
	}
	return false
}

func isZoned(t types.Type) bool {
	if t.Base == "timestamp with time zone" {
		return true
	}
	for _, a := range t.Args {
		if isZoned(a) {
			return true
		}
	}
	return false
}

// tellsApart names what compares timestamps with zones by more than their instant.
func (e *emitter) tellsApart(n tree.Node) string {
	anyZoned := func(xs ...tree.Expr) bool {
		for _, x := range xs {
			if x != nil && isZoned(e.typeOf(x)) {
				return true
			}
		}
		return false
	}
	switch n := n.(type) {
	case *tree.Query:
		s, isSelect := n.Body.(*tree.Select)
		_, isSet := n.Body.(*tree.SetOp)
		if !isSet && (!isSelect || s.Quantifier != tree.QuantifierDistinct && s.GroupBy == nil) {
			return ""
		}
		for _, o := range e.r.OutputOf(n) {
			if isZoned(o.Type) {
				return "DISTINCT, GROUP BY or a set operation"
			}
		}
	case *tree.GroupingSet:
		if anyZoned(n.Exprs...) {
			return "GROUP BY"
		}
	case *tree.Window:
		if anyZoned(n.PartitionBy...) {
			return "PARTITION BY"
		}
	case *tree.InQuery:
		if anyZoned(n.X) {
			return "IN (query)"
		}
	case *tree.Quantified:
		if anyZoned(n.X) {
			return "a comparison with a query"
		}
	case *tree.Join:
		if len(n.Using) > 0 {
			return "USING"
		}
	case *tree.Call:
		if n.Quantifier == tree.QuantifierDistinct && anyZoned(n.Args...) || n.Name.Key() == "approx_distinct" && anyZoned(n.Args...) {
			return "DISTINCT"
		}
		if len(n.Args) > 0 && len(e.typeOf(n.Args[0]).Args) > 0 && anyZoned(n.Args...) || isZoned(e.typeOf(n)) && len(e.typeOf(n).Args) > 0 && n.Name.Key() != "array_agg" {
			return n.Name.Key()
		}
	}
	return ""
}
