package cost

import (
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// analysis carries conditions from where they are written down to the tables.
// A condition goes through whatever commutes with it: projection of plain columns,
// DISTINCT, set operations, the keys of GROUP BY, the sides of joins that it cannot
// fill with NULLs. LIMIT, window functions and aggregates stop it.
type analysis struct {
	resolution *resolve.Resolution
	now        time.Time
	reads      map[*tree.Table]map[string]Domain
}

// demand is what is asked of the columns of a relation, by index; missing: all.
type demand map[int]Domain

// scope are the queries of WITH that can be named.
type scope struct {
	parent  *scope
	queries []*withQuery
}

type withQuery struct {
	table  *tree.CommonTable
	demand demand // of all uses together
	used   bool
	self   bool // being looked at: a use in its own body is the recursion
}

func (s *scope) find(name *tree.Name) *withQuery {
	if len(name.Parts) != 1 {
		return nil
	}
	for ; s != nil; s = s.parent {
		for _, q := range s.queries {
			if q.table.Name.Key() == name.Parts[0].Key() {
				return q
			}
		}
	}
	return nil
}

func (a *analysis) query(q *tree.Query, wanted demand, outer *scope) {
	here := outer
	if q.With != nil {
		here = &scope{parent: outer}
		for _, t := range q.With.Queries {
			here.queries = append(here.queries, &withQuery{table: t})
		}
	}
	if q.Limit != nil || q.Offset != nil {
		wanted = nil
	}
	a.body(q.Body, wanted, here)
	for _, item := range q.OrderBy {
		a.subqueries(here, item)
	}
	if q.With == nil {
		return
	}
	for i := len(here.queries) - 1; i >= 0; i-- { // a query may use those before it
		w := here.queries[i]
		seen := &scope{parent: outer, queries: here.queries[:i]}
		if q.With.Recursive {
			w.self, w.demand = true, nil
			seen.queries = here.queries[:i+1]
		}
		a.query(w.table.Query, w.demand, seen)
	}
}

func (a *analysis) body(b tree.QueryBody, wanted demand, here *scope) {
	switch b := b.(type) {
	case *tree.Select:
		a.selectBody(b, wanted, here)
	case *tree.ParenQuery:
		a.query(b.Query, wanted, here)
	case *tree.SetOp:
		if b.Corresponding { // columns are matched by name, not by place
			wanted = nil
		}
		a.body(b.Left, wanted, here)
		a.body(b.Right, wanted, here)
	case *tree.TableQuery:
		a.table(b.Table, wanted, here)
	default:
		a.subqueries(here, b)
	}
}

func (a *analysis) selectBody(s *tree.Select, wanted demand, here *scope) {
	var f facts
	if s.Where != nil {
		f = a.when(s.Where, true)
	}
	a.push(s, wanted, &f)
	f.follow()
	for _, rel := range s.From {
		a.relation(rel, f, here)
	}
	for _, n := range tree.Children(s) {
		if _, ok := n.(tree.Relation); !ok && n != nil {
			a.subqueries(here, n)
		}
	}
}

// push adds what is wanted of the result, and HAVING, where that commutes.
func (a *analysis) push(s *tree.Select, wanted demand, f *facts) {
	windows, aggregates := calls(s)
	keys := a.keys(s)
	free := func(p resolve.Place) bool {
		if s.GroupBy == nil {
			return !aggregates && s.Having == nil
		}
		return keys[p]
	}
	if s.Having != nil {
		for p, d := range a.when(s.Having, true).domains {
			if keys[p] {
				f.restrict(p, d)
			}
		}
	}
	if windows {
		return
	}
	for i, from := range a.resolution.Passed(s) {
		d, ok := wanted[i]
		for _, p := range from {
			if ok && free(p) {
				f.restrict(p, d)
			}
		}
	}
}

// keys are the columns that a SELECT without grouping sets groups by.
func (a *analysis) keys(s *tree.Select) map[resolve.Place]bool {
	keys := map[resolve.Place]bool{}
	if s.GroupBy == nil {
		return keys
	}
	for _, e := range s.GroupBy.Elements {
		if e.Kind != tree.GroupingSimple {
			return nil
		}
		for _, set := range e.Sets {
			for _, x := range set.Exprs {
				for _, p := range a.resolution.Places(s.Positioned(x)) {
					keys[p] = true
				}
			}
		}
	}
	return keys
}

// calls reports whether the result columns need window functions or aggregates.
func calls(s *tree.Select) (windows, aggregates bool) {
	for _, item := range s.Items {
		tree.Walk(item, func(n tree.Node) bool {
			switch n := n.(type) {
			case *tree.Query:
				return false
			case *tree.ListAgg:
				aggregates = true
			case *tree.Call:
				kind, known := resolve.FunctionKind(n.Name.Key())
				windows = windows || n.Over != nil
				aggregates = aggregates || !known || n.Over == nil && kind == resolve.KindAggregate
			}
			return true
		})
	}
	return windows, aggregates
}

// relation carries facts into a relation of FROM.
func (a *analysis) relation(rel tree.Relation, f facts, here *scope) {
	switch rel := rel.(type) {
	case *tree.Aliased:
		a.relation(rel.Relation, f, here)
	case *tree.ParenRelation:
		a.relation(rel.Relation, f, here)
	case *tree.Sampled:
		a.relation(rel.Relation, f, here)
	case *tree.Join:
		a.join(rel, f, here)
	case *tree.Table:
		a.table(rel, wantedOf(rel, f), here)
	case *tree.Derived:
		a.query(rel.Query, wantedOf(rel, f), here)
	case *tree.Lateral:
		a.query(rel.Query, wantedOf(rel, f), here)
	default:
		a.subqueries(here, rel)
	}
}

func wantedOf(rel tree.Relation, f facts) demand {
	out := demand{}
	for p, d := range f.domains {
		if p.Relation == rel {
			out[p.Index] = d
		}
	}
	return out
}

// join carries facts into both sides. On a side whose rows may be replaced by
// NULLs only facts that NULL contradicts hold for the rows that are read.
func (a *analysis) join(j *tree.Join, f facts, here *scope) {
	var on facts
	if j.On != nil {
		on = a.when(j.On, true)
		a.subqueries(here, j.On)
	}
	left, right := f, f
	preservesLeft := j.Kind == tree.JoinLeft || j.Kind == tree.JoinFull
	preservesRight := j.Kind == tree.JoinRight || j.Kind == tree.JoinFull
	if preservesLeft {
		right = f.rejectingNull(leaves(j.Right))
	}
	if preservesRight {
		left = f.rejectingNull(leaves(j.Left))
	}
	if !preservesLeft {
		left = left.joined(on)
	}
	if !preservesRight {
		right = right.joined(on)
	}
	a.relation(j.Left, left, here)
	a.relation(j.Right, right, here)
}

// joined returns the facts with those of a condition, and what follows.
func (f facts) joined(on facts) facts {
	out := f.clone()
	out.and(on)
	out.follow()
	return out
}

// rejectingNull returns the facts without those about relations that NULL fulfils.
func (f facts) rejectingNull(of map[tree.Relation]bool) facts {
	out := f.clone()
	for p, d := range f.domains {
		if of[p.Relation] && d.Null() {
			delete(out.domains, p)
		}
	}
	return out
}

// leaves are the relations that columns of rel can belong to.
func leaves(rel tree.Relation) map[tree.Relation]bool {
	out := map[tree.Relation]bool{}
	tree.Walk(rel, func(n tree.Node) bool {
		if _, query := n.(*tree.Query); query {
			return false
		}
		if r, ok := n.(tree.Relation); ok {
			out[r] = true
		}
		return true
	})
	return out
}

// table notes a read of a stored table, or a use of a query of WITH.
func (a *analysis) table(t *tree.Table, wanted demand, here *scope) {
	stored, ok := a.resolution.Stored(t)
	if !ok {
		if w := here.find(t.Name); w != nil && !w.self {
			w.demand, w.used = w.demand.or(wanted, w.used), true
		}
		return
	}
	read := map[string]Domain{}
	before, again := a.reads[t]
	for i, d := range wanted {
		if i >= len(stored.Columns) || !d.fits(types.Parse(stored.Columns[i].Type)) {
			continue
		}
		key := strings.ToLower(stored.Columns[i].Name)
		if again {
			e, ok := before[key]
			if !ok {
				continue
			}
			d = d.union(e)
		}
		read[key] = d
	}
	a.reads[t] = read
}

// or returns what is wanted by one use or another.
func (d demand) or(e demand, used bool) demand {
	if !used {
		return e
	}
	out := demand{}
	for i, x := range d {
		if y, ok := e[i]; ok {
			out[i] = x.union(y)
		}
	}
	return out
}

// subqueries looks at the queries inside of a node, of which nothing is known.
func (a *analysis) subqueries(here *scope, n tree.Node) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			a.query(n, nil, here)
			return false
		case *tree.Table:
			a.table(n, nil, here)
		}
		return true
	})
}
