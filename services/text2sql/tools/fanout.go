package tools

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// FanOut is a sum or an average over rows that a join repeats, as far as keys of
// the catalog show it: the joined table has several rows for one that is added up.
type FanOut struct {
	Aggregate string `json:"aggregate"` // as it is written
	Table     string `json:"table"`     // idc_region.schema.table whose rows are repeated
	By        string `json:"by"`        // the table that repeats them
}

// fanOuts are those of a resolved statement, each once, outer queries first. A table
// whose key is not known repeats nothing: what is not known is not claimed.
func fanOuts(res *resolve.Resolution) []FanOut {
	var out []FanOut
	orders := map[*tree.Select][]*tree.SortItem{}
	tree.Walk(res.Statement(), func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.Query:
			if s, ok := x.Body.(*tree.Select); ok {
				orders[s] = x.OrderBy
			}
		case *tree.Select:
			if j := joinsOf(res, x); j != nil {
				for _, call := range adding(x, orders[x]) {
					if f, repeats := j.fanOut(call); repeats && !slices.Contains(out, f) {
						out = append(out, f)
					}
				}
			}
		}
		return true
	})
	return out
}

// adding are the sums and averages of a SELECT over its own rows, each as often as
// it is written; repeated values do not change those of distinct ones.
func adding(s *tree.Select, order []*tree.SortItem) []*tree.Call {
	var out []*tree.Call
	visit := func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.Query:
			return false
		case *tree.Call:
			name := x.Name.Key()
			if (name == "sum" || name == "avg") && x.Quantifier != tree.QuantifierDistinct && x.Over == nil {
				out = append(out, x)
			}
		}
		return true
	}
	for _, item := range s.Items {
		tree.Walk(item, visit)
	}
	if s.Having != nil {
		tree.Walk(s.Having, visit)
	}
	for _, item := range order {
		tree.Walk(item.Expr, visit)
	}
	return out
}

// column of a stored table in FROM.
type column struct {
	of   *tree.Table
	name string // in lower case
}

// fixed is a column that has one value for each row of the tables in by; for none:
// one value in all.
type fixed struct {
	column
	by []*tree.Table
}

// joins is what a SELECT says of how its stored tables belong together.
type joins struct {
	res    *resolve.Resolution
	tables []*tree.Table
	fixed  []fixed
	equal  [][2]column
}

// joinsOf reads a SELECT; nil where it joins no stored tables, or does not say what it
// groups by. NATURAL JOIN does not come here: the guard refuses it.
func joinsOf(res *resolve.Resolution, s *tree.Select) *joins {
	j := &joins{res: res}
	var on []tree.Expr
	for _, from := range s.From {
		tree.Walk(from, func(n tree.Node) bool {
			switch x := n.(type) {
			case *tree.Query:
				return false
			case *tree.Table:
				if _, ok := res.Stored(x); ok {
					j.tables = append(j.tables, x)
				}
			case *tree.Join:
				on = append(on, tree.Conjuncts(x.On)...)
			}
			return true
		})
	}
	if len(j.tables) < 2 || !j.group(s) {
		return nil
	}
	for _, from := range s.From {
		j.using(from)
	}
	for _, cond := range append(on, tree.Conjuncts(s.Where)...) {
		if b, ok := tree.Unparen(cond).(*tree.Binary); ok && b.Op == tree.OpEq {
			j.equate(b.Left, b.Right)
			j.equate(b.Right, b.Left)
		}
	}
	return j
}

// group has the columns of GROUP BY as fixed: a group has one value of them. ok is
// false where the columns are not written.
func (j *joins) group(s *tree.Select) (ok bool) {
	if s.GroupBy == nil {
		return true
	}
	for _, e := range s.GroupBy.Elements {
		if e.Kind == tree.GroupingAuto {
			return false
		}
		if e.Kind != tree.GroupingSimple {
			continue // some of the rows are over all
		}
		for _, set := range e.Sets {
			for _, x := range set.Exprs {
				for _, c := range j.columns(ordinal(s, x)) {
					j.fixed = append(j.fixed, fixed{column: c})
				}
			}
		}
	}
	return true
}

// ordinal is the expression of SELECT that a number in GROUP BY stands for.
func ordinal(s *tree.Select, x tree.Expr) tree.Expr {
	n, ok := tree.Unparen(x).(*tree.Number)
	if !ok {
		return x
	}
	for i, item := range s.Items {
		if e, plain := item.(*tree.SelectExpr); plain && n.Text == strconv.Itoa(i+1) {
			return e.Expr
		}
	}
	return x
}

// columns are the stored columns of own tables that a plain reference names.
func (j *joins) columns(x tree.Expr) []column {
	ref, ok := tree.Unparen(x).(*tree.ColumnRef)
	if !ok {
		return nil
	}
	var out []column
	for _, p := range j.res.Places(ref) {
		t, ok := p.Relation.(*tree.Table)
		if !ok || !slices.Contains(j.tables, t) {
			continue
		}
		if stored, ok := j.res.Stored(t); ok && p.Index < len(stored.Columns) {
			out = append(out, column{t, strings.ToLower(stored.Columns[p.Index].Name)})
		}
	}
	return out
}

// reads are the own tables whose columns are in an expression.
func (j *joins) reads(x tree.Expr) []*tree.Table {
	var out []*tree.Table
	tree.Walk(x, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok {
			for _, c := range j.columns(ref) {
				if !slices.Contains(out, c.of) {
					out = append(out, c.of)
				}
			}
		}
		return true
	})
	return out
}

// equate notes that the column x equals y.
func (j *joins) equate(x, y tree.Expr) {
	for _, c := range j.columns(x) {
		j.fixed = append(j.fixed, fixed{c, j.reads(y)})
		for _, other := range j.columns(y) {
			j.equal = append(j.equal, [2]column{c, other})
		}
	}
}

// using notes the columns that USING compares.
func (j *joins) using(r tree.Relation) {
	tree.Walk(r, func(n tree.Node) bool {
		join, ok := n.(*tree.Join)
		if !ok {
			_, query := n.(*tree.Query)
			return !query
		}
		for _, id := range join.Using {
			for _, left := range j.having(join.Left, id.Key()) {
				for _, right := range j.having(join.Right, id.Key()) {
					j.fixed = append(j.fixed, fixed{left, []*tree.Table{right.of}}, fixed{right, []*tree.Table{left.of}})
					j.equal = append(j.equal, [2]column{left, right}, [2]column{right, left})
				}
			}
		}
		return true
	})
}

// having are the columns of a name in the stored tables below a relation.
func (j *joins) having(r tree.Relation, name string) []column {
	var out []column
	tree.Walk(r, func(n tree.Node) bool {
		t, ok := n.(*tree.Table)
		if ok && slices.Contains(j.tables, t) {
			if stored, known := j.res.Stored(t); known {
				if _, has := stored.Column(name); has {
					out = append(out, column{t, name})
				}
			}
		}
		_, query := n.(*tree.Query)
		return !query
	})
	return out
}

// fanOut tells what repeats the rows that a call adds up.
func (j *joins) fanOut(call *tree.Call) (f FanOut, repeats bool) {
	var added []*tree.Table
	for _, x := range call.Args {
		for _, t := range j.reads(x) {
			if !slices.Contains(added, t) {
				added = append(added, t)
			}
		}
	}
	if len(added) == 0 {
		return FanOut{}, false
	}
	once := j.once(added)
	for _, t := range j.tables {
		if slices.Contains(once, t) || !j.many(t, once) {
			continue
		}
		table, _ := j.res.Stored(added[0])
		by, _ := j.res.Stored(t)
		return FanOut{Aggregate: call.Span().Text(), Table: table.Name.String(), By: by.Name.String()}, true
	}
	return FanOut{}, false
}

// once are the tables with at most one row for each of those given, themselves
// included.
func (j *joins) once(of []*tree.Table) []*tree.Table {
	out := slices.Clone(of)
	for grown := true; grown; {
		grown = false
		for _, t := range j.tables {
			if !slices.Contains(out, t) && j.determined(t, func(f fixed) bool {
				return !slices.ContainsFunc(f.by, func(by *tree.Table) bool { return !slices.Contains(out, by) })
			}) {
				out, grown = append(out, t), true
			}
		}
	}
	return out
}

// determined reports that the columns which hold fix one row of a table: its whole
// key, or a column without repeated values.
func (j *joins) determined(t *tree.Table, hold func(fixed) bool) bool {
	stored, _ := j.res.Stored(t)
	var names []string
	for _, f := range j.fixed {
		if f.of == t && hold(f) {
			names = append(names, f.name)
		}
	}
	return covers(stored, names)
}

// covers reports that columns of a table identify a row.
func covers(t *catalog.Table, names []string) bool {
	unique := func(name string) bool {
		c, ok := t.Column(name)
		return ok && t.RowCount > 0 && c.Distinct >= t.RowCount
	}
	lacks := func(key string) bool { return !slices.Contains(names, strings.ToLower(key)) }
	key := t.PrimaryKey()
	return len(key) > 0 && !slices.ContainsFunc(key, lacks) || slices.ContainsFunc(names, unique)
}

// many reports that a table with a known key is joined by the whole key of one of
// those given: it has many rows for one of that.
func (j *joins) many(t *tree.Table, given []*tree.Table) bool {
	if stored, _ := j.res.Stored(t); len(stored.PrimaryKey()) == 0 {
		return false
	}
	for _, one := range given {
		var names []string
		for _, e := range j.equal {
			if e[0].of == one && e[1].of == t {
				names = append(names, e[0].name)
			}
		}
		if stored, _ := j.res.Stored(one); len(names) > 0 && covers(stored, names) {
			return true
		}
	}
	return false
}
