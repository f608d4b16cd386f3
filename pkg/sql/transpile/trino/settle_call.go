package trino

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// what the arguments of a function have to be: text, time, or a number for an
// aggregate. -1 stands for all arguments.
var parameters = map[string]struct {
	kind string
	at   []int
}{
	"lower": {"text", []int{0}}, "upper": {"text", []int{0}}, "length": {"text", []int{0}}, "substr": {"text", []int{0}}, "substring": {"text", []int{0}},
	"trim": {"text", []int{0}}, "ltrim": {"text", []int{0}}, "rtrim": {"text", []int{0}}, "replace": {"text", []int{-1}}, "strpos": {"text", []int{-1}},
	"split": {"text", []int{0}}, "split_part": {"text", []int{0}}, "lpad": {"text", []int{0}}, "rpad": {"text", []int{0}}, "concat": {"text", []int{-1}},
	"concat_ws": {"text", []int{-1}}, "regexp_like": {"text", []int{0}}, "regexp_replace": {"text", []int{0}}, "regexp_extract": {"text", []int{0}},
	"starts_with": {"text", []int{-1}}, "to_utf8": {"text", []int{0}}, "translate": {"text", []int{0}}, "reverse": {"text", []int{0}},
	"year": {"time", []int{0}}, "month": {"time", []int{0}}, "day": {"time", []int{0}}, "hour": {"time", []int{0}}, "minute": {"time", []int{0}},
	"second": {"time", []int{0}}, "quarter": {"time", []int{0}}, "week": {"time", []int{0}}, "day_of_week": {"time", []int{0}}, "day_of_month": {"time", []int{0}},
	"day_of_year": {"time", []int{0}}, "dow": {"time", []int{0}}, "doy": {"time", []int{0}}, "week_of_year": {"time", []int{0}}, "last_day_of_month": {"time", []int{0}},
	"date_trunc": {"time", []int{1}}, "date_add": {"time", []int{2}}, "date_diff": {"time", []int{1, 2}}, "date_format": {"time", []int{0}},
	"format_datetime": {"time", []int{0}}, "to_unixtime": {"time", []int{0}}, "year_of_week": {"time", []int{0}},
	"sum": {"number", []int{0}}, "avg": {"number", []int{0}}, "stddev": {"number", []int{0}}, "stddev_pop": {"number", []int{0}}, "stddev_samp": {"number", []int{0}},
	"variance": {"number", []int{0}}, "var_pop": {"number", []int{0}}, "var_samp": {"number", []int{0}}, "round": {"number", []int{0}}, "abs": {"number", []int{0}},
	"floor": {"number", []int{0}}, "ceil": {"number", []int{0}}, "ceiling": {"number", []int{0}}, "sqrt": {"number", []int{0}},
}

// call makes the arguments of a function what Presto wants.
func (s *settler) call(n *tree.Call) {
	key := n.Name.Key()
	switch key {
	case "coalesce", "greatest", "least", "nullif":
		s.oneType(n.Args)
	case "if":
		if len(n.Args) > 1 {
			s.condition(n.Args[0])
			s.oneType(n.Args[1:])
		}
	case "count_if":
		if len(n.Args) == 1 {
			s.condition(n.Args[0])
		}
	case "length":
		if len(n.Args) == 1 && (isArray(s.typeOf(n.Args[0])) || s.typeOf(n.Args[0]).Base == "map") {
			s.replace(n.Name, "cardinality", "function", "the length of an array is its cardinality in Presto")
			return
		}
	case "contains":
		if len(n.Args) == 2 && s.typeOf(n.Args[0]).IsText() {
			s.replace(n, "(strpos("+n.Args[0].Span().Text()+", "+n.Args[1].Span().Text()+") > 0)", "function", "contains looks into arrays in Presto")
			return
		}
	case "truncate":
		if len(n.Args) == 2 && s.typeOf(n.Args[0]).IsFloat() {
			factor := "power(10, " + n.Args[1].Span().Text() + ")"
			if places, ok := n.Args[1].(*tree.Number); ok {
				factor = "1E" + places.Text
			}
			s.replace(n, "(truncate("+n.Args[0].Span().Text()+" * "+factor+") / "+factor+")", "function", "truncate has no places for doubles in Presto")
			return
		}
	case "to_unixtime":
		if len(n.Args) == 1 && s.typeOf(n.Args[0]).Base == "interval day to second" {
			s.replace(n, "(to_milliseconds("+n.Args[0].Span().Text()+") / 1E3)", "extract", "the seconds of an interval are counted in another way")
			return
		}
	}
	p, ok := parameters[key]
	if !ok {
		return
	}
	for i, x := range n.Args {
		if !slices.Contains(p.at, i) && !slices.Contains(p.at, -1) {
			continue
		}
		switch p.kind {
		case "text":
			if !(key == "concat" && isArray(s.typeOf(n.Args[0]))) {
				s.text(x)
			}
		case "time":
			if s.typeOf(x).IsText() {
				s.time(x)
			}
		case "number":
			s.aggregated(key, x)
		}
	}
}

// aggregated makes a number of the argument of an aggregate.
func (s *settler) aggregated(key string, x tree.Expr) {
	switch t := s.typeOf(x); {
	case t.IsText() && s.LooseTypes:
		s.castTo(x, "double", "Presto does not calculate with texts")
	case t.Base == "boolean" && s.LooseTypes:
		s.castTo(x, "integer", "Presto does not calculate with truth values")
	case t.IsDecimal() && key == "avg" && s.dialect != DialectUnknown:
		s.castTo(x, "double", "the average of decimals has no more digits than they have in Presto")
	}
}

// time makes a date or timestamp of a text.
func (s *settler) time(x tree.Expr) {
	const message = "Presto reads no date from a text by itself"
	if lit, ok := x.(*tree.String); ok {
		if typ, padded, ok := timeLiteral(strings.TrimSpace(lit.Value)); ok {
			s.replace(lit, typ+" "+printer.String(padded), "cast", message)
			return
		}
	}
	s.castTo(x, "timestamp", message)
}

// sortItem writes where NULL sorts, where the dialect has another place for it.
func (s *settler) sortItem(n *tree.SortItem) {
	first := s.Nulls == nullsLowest && !n.Desc || s.Nulls == nullsHighest && n.Desc
	if !first || n.Nulls != "" || s.neverNull(n.Expr) {
		return
	}
	s.wrap(n, "", " NULLS FIRST", "nulls_first", "NULL sorts last in Presto, whatever the direction")
}

// neverNull reports an expression that cannot be NULL.
func (s *settler) neverNull(x tree.Expr) bool {
	switch x := x.(type) {
	case *tree.Call:
		switch x.Name.Key() {
		case "count", "count_if", "row_number", "rank", "dense_rank", "approx_distinct":
			return true
		}
	case *tree.Number:
		return false
	case *tree.ColumnRef:
		return s.storedNotNull(x)
	}
	return false
}

// storedNotNull reports a column that the catalog says is never NULL, in a FROM
// whose joins do not make it so.
func (s *settler) storedNotNull(x *tree.ColumnRef) bool {
	sel := s.selects[x]
	origins := s.r.Origins(x)
	if sel == nil || len(origins) != 1 || s.t.opt.Scope.Catalog == nil || len(sel.From) != 1 {
		return false
	}
	var relation tree.Node = sel.From[0]
	if a, ok := relation.(*tree.Aliased); ok {
		relation = a.Relation
	}
	if _, ok := relation.(*tree.Table); !ok {
		return false
	}
	table, ok := s.t.opt.Scope.Catalog.Lookup(origins[0].Table)
	if !ok {
		return false
	}
	for _, c := range table.Columns {
		if strings.EqualFold(c.Name, origins[0].Column) {
			return c.NotNull || c.PrimaryKey
		}
	}
	return false
}
