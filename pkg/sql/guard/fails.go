package guard

import (
	_ "embed" // of what cannot fail
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/cost"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

//go:embed neverfails.tsv
var neverFailsFile string

// neverFails are the operators, functions and casts that raise no error on any
// value: by kind and name, the classes of their arguments.
var neverFails = sync.OnceValue(func() map[string][][]string {
	out := map[string][][]string{}
	for line := range strings.Lines(neverFailsFile) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		key, classes := cells[0]+" "+cells[1], []string(nil)
		if len(cells) > 2 {
			classes = strings.Split(cells[2], ", ")
		}
		if cells[0] == "cast" { // from and to
			key, classes = "cast", []string{cells[1], cells[2]}
		}
		out[key] = append(out[key], classes)
	}
	return out
})

// canFail reports that a node by itself, not what is below it, can raise an error
// for some values. What is not known to be safe can.
func canFail(r *resolve.Resolution, n tree.Node) bool {
	switch n := n.(type) {
	case *tree.ColumnRef, *tree.Field, *tree.Paren, *tree.Not, *tree.IsNull, *tree.Exists, *tree.Lambda, *tree.When, *tree.Row, *tree.Array,
		*tree.Null, *tree.Bool, *tree.Number, *tree.String, *tree.Bytes, *tree.Interval, *tree.Grouping:
		return false
	case *tree.Typed:
		return !slices.Contains([]string{"date", "timestamp", "time", "decimal", "double", "double precision", "real", "bigint", "integer", "smallint", "tinyint", "boolean", "varchar"}, n.Type)
	case *tree.Special:
		return n.Precision != nil
	case *tree.Case:
		results := []tree.Expr{}
		for _, w := range n.Whens {
			results = append(results, w.Result)
		}
		if n.Else != nil {
			results = append(results, n.Else)
		}
		return !together(r, results) || n.Operand != nil && slices.ContainsFunc(n.Whens, func(w *tree.When) bool { return !comparable(r, n.Operand, w.Cond) })
	case *tree.Between:
		return !comparable(r, n.X, n.Low) || !comparable(r, n.X, n.High)
	case *tree.InList:
		return slices.ContainsFunc(n.List, func(x tree.Expr) bool { return !comparable(r, n.X, x) })
	case *tree.InQuery:
		return !sameInQuery(r, n.X, n.Query)
	case *tree.Quantified:
		return !sameInQuery(r, n.X, n.Query)
	case *tree.ScalarQuery:
		s := n.Query.Outermost()
		return s == nil || !oneRow(tree.QueryOf(s))
	case *tree.Like:
		return n.Escape != nil
	case *tree.Unary:
		if _, literal := tree.Unparen(n.X).(*tree.Number); literal {
			return false
		}
		return !listed(r, "sign "+n.Op, n.X)
	case *tree.Binary:
		return binaryFails(r, n)
	case *tree.Cast:
		return !n.Try && !castIsSafe(r, n)
	case *tree.Extract:
		return !slices.Contains([]string{"YEAR", "MONTH", "DAY", "QUARTER", "WEEK"}, n.Field) || !inClass(r, n.X, "moment")
	case *tree.Position:
		return !inClass(r, n.X, "text") || !inClass(r, n.Sub, "text")
	case *tree.Trim:
		return n.Chars != nil || !inClass(r, n.X, "text")
	case *tree.Substring:
		return !inClass(r, n.X, "text") || !inClass(r, n.From, "index") || n.For != nil && !inClass(r, n.For, "index")
	case *tree.ListAgg:
		return false // an aggregate: see overAggregates
	case *tree.Call:
		return callFails(r, n)
	case tree.Expr:
		return true
	case *tree.TableFunction, *tree.MatchRecognize, *tree.JSONTable:
		return true
	}
	return false
}

func binaryFails(r *resolve.Resolution, n *tree.Binary) bool {
	switch n.Op {
	case tree.OpAnd, tree.OpOr:
		return false
	case tree.OpEq, tree.OpNe, tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe, tree.OpDistinct, tree.OpNotDistinct:
		return !comparable(r, n.Left, n.Right)
	}
	return !listed(r, "operator "+n.Op, n.Left, n.Right) && !folded(r, n)
}

// callFails: an aggregate or a window function sees the rows that conditions have
// left, on every engine, so what it raises is no more than those rows tell.
func callFails(r *resolve.Resolution, c *tree.Call) bool {
	name := c.Name.Key()
	if name == "nullif" && len(c.Args) == 2 {
		return !comparable(r, c.Args[0], c.Args[1])
	}
	if aggregates(c) || c.Over != nil {
		return false
	}
	if name == "if" && len(c.Args) > 1 && !together(r, c.Args[1:]) || name == "coalesce" && !together(r, c.Args) {
		return true
	}
	return !listed(r, "function "+name, c.Args...) && !folded(r, c)
}

func aggregates(n tree.Node) bool {
	switch n := n.(type) {
	case *tree.ListAgg:
		return n.Over == nil
	case *tree.Call:
		kind, ok := resolve.FunctionKind(n.Name.Key())
		return ok && kind == resolve.KindAggregate && n.Over == nil
	}
	return false
}

// folded reports a constant whose value is known: that it can be computed is known
// with it.
func folded(r *resolve.Resolution, x tree.Expr) bool {
	switch r.TypeOf(x).Base {
	case "date", "timestamp", "varchar", "integer", "bigint":
		return cost.Known(r, x)
	}
	return false
}

func castIsSafe(r *resolve.Resolution, c *tree.Cast) bool {
	from, to := r.TypeOf(c.X), types.Parse(c.Type.Text)
	switch {
	case from.IsNull(), from.Equal(to) && plain(from):
		return true
	case to.Base == "varchar" && to.Precision >= 0 && !from.IsText(): // a text that is too long is an error, but for text
		return false
	case to.IsDecimal() && from.IsDecimal() && to.Scale >= from.Scale && to.Precision-to.Scale >= from.Precision-from.Scale:
		return true
	case to.IsDecimal() && from.IsInteger() && to.Precision-to.Scale >= 19:
		return true
	}
	for _, pair := range neverFails()["cast"] {
		if typeInClass(from, pair[0]) && to.Base == pair[1] {
			return true
		}
	}
	return folded(r, c)
}

// listed reports that the table of what never fails has a line for these arguments.
func listed(r *resolve.Resolution, key string, args ...tree.Expr) bool {
	return slices.ContainsFunc(neverFails()[key], func(classes []string) bool {
		for i, x := range args {
			class, ok := classOf(classes, i)
			if !ok || !inClass(r, x, class) {
				return false
			}
		}
		return len(args) >= len(classes) || len(classes) > 0 && strings.HasSuffix(classes[len(classes)-1], "...") && len(args) == len(classes)-1
	})
}

func classOf(classes []string, i int) (string, bool) {
	if i < len(classes) {
		return strings.TrimSuffix(classes[i], "..."), true
	}
	if n := len(classes); n > 0 {
		return strings.CutSuffix(classes[n-1], "...")
	}
	return "", false
}

// knownFormat is a format of date_format in which every letter is one that engines
// agree on.
var knownFormat = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?:%[YymdHisMbajT]|[^%\\])*\z`)
})

func inClass(r *resolve.Resolution, x tree.Expr, class string) bool {
	literal := tree.Unparen(x)
	switch class {
	case "any":
		return true
	case "index", "divisor":
		n, ok := smallInteger(literal)
		return ok && (class == "index" && n >= 1 && n <= 100_000 || class == "divisor" && n >= 2 && n <= 1_000_000_000)
	case "words":
		s, ok := literal.(*tree.String)
		return ok && s.Value != ""
	case "unit":
		s, ok := literal.(*tree.String)
		return ok && slices.Contains([]string{"day", "week", "month", "quarter", "year"}, strings.ToLower(s.Value))
	case "format":
		s, ok := literal.(*tree.String)
		return ok && knownFormat().MatchString(s.Value)
	}
	t := r.TypeOf(x)
	return t.IsNull() || typeInClass(t, class)
}

func typeInClass(t types.Type, class string) bool {
	switch class {
	case "plain":
		return plain(t)
	case "text":
		return t.IsText()
	case "integer":
		return t.IsInteger()
	case "float":
		return t.Base == "real" || t.Base == "double"
	case "decimal":
		return t.IsDecimal()
	case "number":
		return t.IsInteger() || t.IsDecimal() || t.Base == "real" || t.Base == "double"
	case "moment":
		return t.Base == "date" || t.Base == "timestamp" || t.Base == "timestamp with time zone"
	}
	return t.Base == class
}

// plain is a type whose values are compared without looking into them: an array
// with a null in it cannot be.
func plain(t types.Type) bool {
	return t.IsInteger() || t.IsDecimal() || t.IsText() || t.IsNull() ||
		slices.Contains([]string{"real", "double", "boolean", "date", "timestamp", "timestamp with time zone", "time", "uuid"}, t.Base)
}

// comparable reports that two values can be compared whatever they are: what
// makes them of one type first cannot fail either.
func comparable(r *resolve.Resolution, x, y tree.Expr) bool {
	return sameKind(r.TypeOf(x), r.TypeOf(y))
}

func sameKind(a, b types.Type) bool {
	if !plain(a) || !plain(b) {
		return false
	}
	exact := func(t types.Type) bool { return t.IsInteger() || t.IsDecimal() && t.Precision <= 18 }
	both := func(class string) bool { return typeInClass(a, class) && typeInClass(b, class) }
	switch {
	case a.IsNull(), b.IsNull(), a.Equal(b), a.Base == b.Base && !a.IsDecimal():
		return true
	case both("text"), exact(a) && exact(b):
		return true
	case typeInClass(a, "float") || typeInClass(b, "float"):
		return both("number")
	}
	return (a.Base == "date" || b.Base == "date") && (a.Base == "timestamp" || b.Base == "timestamp")
}

// together reports that values of these types have one that holds them all.
func together(r *resolve.Resolution, values []tree.Expr) bool {
	for _, x := range values[:max(len(values)-1, 0)] {
		a, b := r.TypeOf(x), r.TypeOf(values[len(values)-1])
		if a.IsUnknown() || !a.Equal(b) && !sameKind(a, b) {
			return false
		}
	}
	return true
}

func sameInQuery(r *resolve.Resolution, x tree.Expr, q *tree.Query) bool {
	out := r.OutputOf(q)
	return len(out) == 1 && sameKind(r.TypeOf(x), out[0].Type)
}
