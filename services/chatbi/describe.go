package chatbi

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// described is what the analysis is told about a statement beside its result.
type described struct {
	columns []analyse.Column
	order   *analyse.Order
	limit   int64 // of the outermost query; 0: none, or not a number
	picks   bool  // groups are picked by what they come to
}

// describe reads the outermost query: what its columns are, how it sorts and how
// many rows it lets through. metrics are "name: definition".
// currency tells the currency that the name of a column has in it, unit the unit of
// a stored column, and key whether its values name rows of its table or of another.
func describe(r *resolve.Resolution, outputs int, metrics []string, currency func(column string) string, unit func(resolve.Origin) string, key func(resolve.Origin) bool) described {
	d := described{columns: make([]analyse.Column, outputs)}
	query := outermost(r.Statement().Query)
	if query == nil {
		return d
	}
	d.limit, d.picks = limitOf(query), picksGroups(query)
	items := itemsOf(query)
	if len(items) != outputs {
		return d // a star, a set operation or VALUES: names and types have to do
	}
	for i, item := range items {
		d.columns[i].Aggregate = aggregateOf(item.Expr)
		if _, stored := item.Expr.(*tree.ColumnRef); stored && i < len(r.Output()) {
			from := r.Output()[i].Sources
			d.columns[i].Key = len(from) == 1 && key(from[0])
		}
		name := nameOf(item)
		d.columns[i].Label, d.columns[i].Unit = metricOf(name, metrics)
		if d.columns[i].Unit == "" && currency(name) == "" && i < len(r.Output()) {
			d.columns[i].Unit = unitOf(item.Expr, d.columns[i].Aggregate, r.Output()[i], unit)
		}
	}
	d.order = orderOf(query, items)
	return d
}

// Label says how people call a figure of the result, as the writer of the SQL
// said. Unit "%" means that the engine returns fractions of 1, "pp" that it returns
// differences of such fractions.
// Better is above 0 where more is better, below where less is; 0: not known.
type Label struct {
	Column, Label, Unit string
	Better              int
	Level               bool // values add up over groups and not over time
}

const unitPoints = "pp"

// relabel puts the labels over what the statement told.
func (d *described) relabel(names []string, labels []Label) {
	for _, l := range labels {
		for i, name := range names {
			if !strings.EqualFold(name, l.Column) {
				continue
			}
			if l.Label != "" {
				d.columns[i].Label = l.Label
			}
			d.columns[i].Figure, d.columns[i].Better, d.columns[i].Level = true, l.Better, l.Level
			switch l.Unit {
			case "":
			case "%":
				d.columns[i].Unit = analyse.UnitFraction
			case unitPoints:
				d.columns[i].Unit = analyse.UnitPoints
			default:
				d.columns[i].Unit = l.Unit
			}
		}
	}
}

// outermost looks through parentheses that surround the whole query.
func outermost(q *tree.Query) *tree.Query {
	for q != nil {
		inner, ok := q.Body.(*tree.ParenQuery)
		if !ok || len(q.OrderBy) > 0 || q.Limit != nil {
			return q
		}
		q = inner.Query
	}
	return nil
}

// itemsOf are the expressions of the SELECT list; nil where there is a star.
func itemsOf(q *tree.Query) []*tree.SelectExpr {
	sel, ok := q.Body.(*tree.Select)
	if !ok {
		return nil
	}
	var items []*tree.SelectExpr
	for _, item := range sel.Items {
		x, ok := item.(*tree.SelectExpr)
		if !ok {
			return nil
		}
		items = append(items, x)
	}
	return items
}

// picksGroups reports whether a statement leaves groups out by what they come to:
// by HAVING, or by a condition or limit on a query within. It may say so of
// others that are written likewise.
func picksGroups(outer *tree.Query) bool {
	named := tablesWithin(outer)
	derived := func(r tree.Relation) bool { return isDerived(r, named) }
	picks := false
	tree.Walk(outer, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			picks = picks || n != outer && n.Limit != nil
		case *tree.Select:
			picks = picks || n.Having != nil || n.Where != nil && slices.ContainsFunc(n.From, derived)
		}
		return !picks
	})
	return picks
}

// tablesWithin are the names of the WITH clauses of a query, in lower case.
func tablesWithin(outer *tree.Query) map[string]bool {
	named := map[string]bool{}
	tree.Walk(outer, func(n tree.Node) bool {
		if c, ok := n.(*tree.CommonTable); ok {
			named[strings.ToLower(c.Name.Name)] = true
		}
		return true
	})
	return named
}

// isDerived looks for a query in FROM, under its alias or in a join, or for one of
// the WITH clause by its name in lower case.
func isDerived(r tree.Relation, named map[string]bool) bool {
	found := false
	tree.Walk(r, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Derived:
			found = true
		case *tree.Table:
			found = found || named[strings.ToLower(n.Name.String())]
		}
		return !found
	})
	return found
}

func nameOf(item *tree.SelectExpr) string {
	if item.Alias != nil {
		return item.Alias.Name
	}
	if c, ok := item.Expr.(*tree.ColumnRef); ok {
		return c.Parts[len(c.Parts)-1].Name
	}
	return ""
}

func limitOf(q *tree.Query) int64 {
	if q.Limit == nil {
		return 0
	}
	n, ok := q.Limit.Count.(*tree.Number)
	switch {
	case ok:
		return atoi(n.Text)
	case q.Limit.Fetch: // FETCH FIRST ROW
		return 1
	}
	return 0
}

func atoi(text string) int64 {
	var n int64
	for _, r := range text {
		if r < '0' || r > '9' || n > 1<<50 {
			return 0
		}
		n = n*10 + int64(r-'0')
	}
	return n
}

// orderOf is the result column that the first sort key means: by alias, by
// position, or by the same expression.
func orderOf(q *tree.Query, items []*tree.SelectExpr) *analyse.Order {
	if len(q.OrderBy) == 0 {
		return nil
	}
	key := q.OrderBy[0]
	text := normal(key.Expr)
	if n, ok := key.Expr.(*tree.Number); ok {
		if i := atoi(n.Text); i >= 1 && i <= int64(len(items)) {
			return &analyse.Order{Column: int(i) - 1, Desc: key.Desc}
		}
		return nil
	}
	for i, item := range items {
		if strings.EqualFold(nameOf(item), text) || normal(item.Expr) == text {
			return &analyse.Order{Column: i, Desc: key.Desc}
		}
	}
	return nil
}

// normal is an expression's text without differences of layout and case.
func normal(x tree.Expr) string {
	return lang.OneLine(strings.ToLower(x.Span().Text()))
}

// aggregateOf says how the values of an expression add up.
func aggregateOf(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.Paren:
		return aggregateOf(x.X)
	case *tree.Cast:
		return aggregateOf(x.X)
	case *tree.Unary:
		return aggregateOf(x.X)
	case *tree.Binary:
		return binaryAggregate(x)
	case *tree.Call:
		return callAggregate(x)
	}
	if hasAggregate(x) {
		return analyse.AggregateOther
	}
	return ""
}

// binaryAggregate: a sum of sums is a sum, and so is a sum times a constant; a
// ratio is none.
func binaryAggregate(x *tree.Binary) string {
	left, right := aggregateOf(x.Left), aggregateOf(x.Right)
	adds := func(a string) bool { return a == analyse.AggregateSum || a == analyse.AggregateCount }
	constant := func(x tree.Expr) bool { _, ok := x.(*tree.Number); return ok }
	switch {
	case left == "" && right == "":
		if hasAggregate(x) {
			return analyse.AggregateOther
		}
		return ""
	case (x.Op == tree.OpAdd || x.Op == tree.OpSub) && adds(left) && adds(right):
		return analyse.AggregateSum
	case (x.Op == tree.OpMul || x.Op == tree.OpDiv) && adds(left) && constant(x.Right),
		x.Op == tree.OpMul && adds(right) && constant(x.Left):
		return analyse.AggregateSum
	}
	return analyse.AggregateOther
}

func callAggregate(x *tree.Call) string {
	if x.Over != nil {
		return analyse.AggregateOther
	}
	switch x.Name.Key() {
	case "sum":
		return analyse.AggregateSum
	case "count_if":
		return analyse.AggregateCount
	case "count":
		if x.Quantifier == tree.QuantifierDistinct {
			return analyse.AggregateCountDistinct
		}
		return analyse.AggregateCount
	case "approx_distinct":
		return analyse.AggregateCountDistinct
	case "coalesce", "round", "nullif", "truncate": // keep what their first argument is
		if len(x.Args) > 0 {
			return aggregateOf(x.Args[0])
		}
	case "avg", "min", "max", "min_by", "max_by", "arbitrary", "any_value", "approx_percentile", "geometric_mean",
		"stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp", "corr", "median":
		return analyse.AggregateOther
	}
	if hasAggregate(x) {
		return analyse.AggregateOther
	}
	return ""
}

// hasAggregate reports whether a known aggregate is anywhere below, subqueries
// left out.
func hasAggregate(x tree.Expr) bool {
	found := false
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			return false
		case *tree.Call:
			if n != x && callAggregate(n) != "" {
				found = true
			}
		}
		return !found
	})
	return found
}

// unitOf is the unit of amounts that are made from one stored column. Counts
// have none, nor does a quotient, whose units may cancel out.
func unitOf(x tree.Expr, aggregate string, output resolve.Output, unit func(resolve.Origin) string) string {
	if len(output.Sources) != 1 || !output.Type.IsNumeric() || aggregate == analyse.AggregateCount || aggregate == analyse.AggregateCountDistinct {
		return ""
	}
	divides := false
	tree.Walk(x, func(n tree.Node) bool {
		if b, ok := n.(*tree.Binary); ok && b.Op == tree.OpDiv {
			divides = true
		}
		return !divides
	})
	if divides {
		return ""
	}
	return unit(output.Sources[0])
}

// unitPattern finds a unit where names and definitions of metrics have it: "unit: USD", 单位：元. bracketPattern
// finds one behind a name: "GMV (USD)". At the end of a definition it is an argument: "SUM(Sales)".
var (
	unitPattern    = regexp.MustCompile(`(?i)(?:\bunit\s*[:：]|单位\s*[:：])\s*([^\s,;.，；。)）]{1,12})`)
	bracketPattern = regexp.MustCompile(`[(（]([^()（）\s]{1,6})[)）]\s*$`)
)

// metricOf finds the metric that a column is named after, and its unit.
func metricOf(column string, metrics []string) (label, unit string) {
	key := letters(column)
	if key == "" {
		return "", ""
	}
	for _, metric := range metrics {
		name, definition, _ := strings.Cut(metric, ":")
		bare := strings.TrimSpace(name)
		if i := strings.IndexAny(bare, "(（"); i > 0 {
			bare = strings.TrimSpace(bare[:i])
		}
		if letters(bare) != key {
			continue
		}
		for _, m := range [][]string{unitPattern.FindStringSubmatch(name), bracketPattern.FindStringSubmatch(name), unitPattern.FindStringSubmatch(definition)} {
			if m != nil {
				return bare, m[1]
			}
		}
		return bare, ""
	}
	return "", ""
}

// letters keeps letters and digits, lower case: total_gmv and "Total GMV" agree.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
