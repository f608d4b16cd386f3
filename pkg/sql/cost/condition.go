package cost

import (
	"math/big"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// facts are what holds for the rows that a condition lets through.
type facts struct {
	domains map[resolve.Place]Domain
	equal   [][2]resolve.Place // columns that have the same value, not NULL
	never   bool               // the condition lets nothing through
}

func (f facts) clone() facts {
	out := facts{domains: make(map[resolve.Place]Domain, len(f.domains)), equal: f.equal[:len(f.equal):len(f.equal)], never: f.never}
	for p, d := range f.domains {
		out.domains[p] = d
	}
	return out
}

func (f *facts) restrict(p resolve.Place, d Domain) {
	if have, ok := f.domains[p]; ok {
		d = have.intersect(d)
	}
	if f.domains == nil {
		f.domains = map[resolve.Place]Domain{}
	}
	f.domains[p] = d
}

// and adds what holds too.
func (f *facts) and(g facts) {
	for p, d := range g.domains {
		f.restrict(p, d)
	}
	f.equal = append(f.equal[:len(f.equal):len(f.equal)], g.equal...)
	f.never = f.never || g.never
}

// or returns what holds where f or g does.
func (f facts) or(g facts) facts {
	if f.never {
		return g
	}
	if g.never {
		return f
	}
	var out facts
	for p, d := range f.domains {
		if e, ok := g.domains[p]; ok {
			out.restrict(p, d.union(e))
		}
	}
	return out
}

// maxPasses bounds how far equalities are followed.
const maxPasses = 8

// follow carries domains over equalities: a = b and a < 1 make b < 1.
func (f *facts) follow() {
	for range min(len(f.equal), maxPasses) {
		for _, pair := range f.equal {
			d, e := f.domain(pair[0]), f.domain(pair[1])
			both := d.intersect(e).withoutNull()
			f.restrict(pair[0], both)
			f.restrict(pair[1], both)
		}
	}
}

func (f facts) domain(p resolve.Place) Domain {
	if d, ok := f.domains[p]; ok {
		return d
	}
	return All()
}

// when returns what holds where condition x is true, or false where want is false.
func (a *analysis) when(x tree.Expr, want bool) facts {
	switch x := x.(type) {
	case *tree.Paren:
		return a.when(x.X, want)
	case *tree.Not:
		return a.when(x.X, !want)
	case *tree.Bool:
		return facts{never: x.Value != want}
	case *tree.Binary:
		return a.whenBinary(x, want)
	case *tree.Between:
		if want != x.Not {
			f := a.compare(x.X, tree.OpGe, x.Low)
			f.and(a.compare(x.X, tree.OpLe, x.High))
			return f
		}
		return a.compare(x.X, tree.OpLt, x.Low).or(a.compare(x.X, tree.OpGt, x.High))
	case *tree.InList:
		return a.whenIn(x, want != x.Not)
	case *tree.IsNull:
		d := notNull()
		if want != x.Not {
			d = onlyNull()
		}
		return a.about(x.X, d)
	case *tree.ColumnRef:
		return a.about(x, point(boolean(want)))
	}
	return facts{}
}

// about restricts a plain column to d.
func (a *analysis) about(x tree.Expr, d Domain) facts {
	var f facts
	for _, p := range a.resolution.Places(x) {
		f.restrict(p, d)
	}
	return f
}

func (a *analysis) whenBinary(x *tree.Binary, want bool) facts {
	switch x.Op {
	case tree.OpAnd, tree.OpOr:
		left, right := a.when(x.Left, want), a.when(x.Right, want)
		if (x.Op == tree.OpAnd) == want {
			left.and(right)
			return left
		}
		return left.or(right)
	}
	op := x.Op
	if !want {
		op = negated()[op]
	}
	if op == "" {
		return facts{}
	}
	return a.compare(x.Left, op, x.Right)
}

func negated() map[string]string {
	return map[string]string{
		tree.OpEq: tree.OpNe, tree.OpNe: tree.OpEq, tree.OpLt: tree.OpGe, tree.OpGe: tree.OpLt, tree.OpGt: tree.OpLe, tree.OpLe: tree.OpGt,
		tree.OpDistinct: tree.OpNotDistinct, tree.OpNotDistinct: tree.OpDistinct,
	}
}

func mirrored() map[string]string {
	return map[string]string{
		tree.OpEq: tree.OpEq, tree.OpNe: tree.OpNe, tree.OpLt: tree.OpGt, tree.OpGt: tree.OpLt, tree.OpLe: tree.OpGe, tree.OpGe: tree.OpLe,
		tree.OpDistinct: tree.OpDistinct, tree.OpNotDistinct: tree.OpNotDistinct,
	}
}

// whenIn takes the known constants of a list in one go: lists can be long.
func (a *analysis) whenIn(x *tree.InList, in bool) facts {
	var values []value
	var rest []tree.Expr
	s, column := a.subject(x.X)
	for _, item := range x.List {
		v, known, _ := a.constant(item)
		exact := Domain{kind: v.kind}
		if column && known && s.unit == "" && exact.fits(s.typ) {
			values = append(values, v)
			continue
		}
		rest = append(rest, item)
	}
	among := pointsOf(values)
	if in {
		f := facts{never: true}
		if len(values) > 0 {
			f = s.restricted(among.bounded())
		}
		for _, item := range rest {
			f = f.or(a.compare(x.X, tree.OpEq, item))
		}
		return f
	}
	f := s.restricted(among.others().bounded())
	for _, item := range rest { // x <> each of them
		f.and(a.compare(x.X, tree.OpNe, item))
	}
	return f
}

// restricted returns the fact that a subject's column is in d.
func (s subject) restricted(d Domain) facts {
	var f facts
	for _, p := range s.places {
		f.restrict(p, d)
	}
	return f
}

// compare returns what holds where left op right is true.
func (a *analysis) compare(left tree.Expr, op string, right tree.Expr) facts {
	if v, known, fixed := a.constant(right); fixed {
		if _, _, both := a.constant(left); both {
			return facts{} // a condition on nothing
		}
		return a.against(left, op, v, known)
	}
	if v, known, fixed := a.constant(left); fixed {
		return a.against(right, mirrored()[op], v, known)
	}
	var f facts
	if op == tree.OpEq && a.resolution.TypeOf(left).Equal(a.resolution.TypeOf(right)) {
		for _, p := range a.resolution.Places(left) {
			for _, q := range a.resolution.Places(right) {
				f.equal = append(f.equal, [2]resolve.Place{p, q})
			}
		}
	}
	return f
}

// against compares a column, or a function of one that engines see through, with
// a constant.
func (a *analysis) against(x tree.Expr, op string, v value, known bool) facts {
	s, ok := a.subject(x)
	if !ok {
		return facts{}
	}
	return s.restricted(s.domain(op, v, known))
}

// subject is a column as a condition sees it: itself, or cut to the beginning of
// a unit of time.
type subject struct {
	places []resolve.Place
	typ    types.Type // of the column
	unit   string     // "", "day", "month", ...; "year number" for year(x)
}

func (a *analysis) subject(x tree.Expr) (subject, bool) {
	x = tree.Unparen(x)
	column := func(x tree.Expr, unit string) (subject, bool) {
		places := a.resolution.Places(x)
		return subject{places: places, typ: a.resolution.TypeOf(tree.Unparen(x)), unit: unit}, len(places) > 0
	}
	switch x := x.(type) {
	case *tree.ColumnRef:
		return column(x, "")
	case *tree.Cast:
		from, to := a.resolution.TypeOf(x.X), types.Parse(x.Type.Text)
		switch {
		case x.Try:
		case from.Base == "timestamp" && to.Base == "date":
			return column(x.X, "day")
		case keeps(from, to):
			return column(x.X, "")
		}
	case *tree.Extract:
		if x.Field == "YEAR" && isDay(a.resolution.TypeOf(x.X)) {
			return column(x.X, "year number")
		}
	case *tree.Call:
		return a.calledSubject(x, column)
	}
	return subject{}, false
}

func (a *analysis) calledSubject(c *tree.Call, column func(tree.Expr, string) (subject, bool)) (subject, bool) {
	name := c.Name.Key()
	switch {
	case len(c.Args) == 1 && isDay(a.resolution.TypeOf(c.Args[0])) && c.Over == nil:
		switch name {
		case "date":
			return column(c.Args[0], "day")
		case "year":
			return column(c.Args[0], "year number")
		}
	case len(c.Args) == 2 && name == "date_trunc" && isDay(a.resolution.TypeOf(c.Args[1])):
		if unit, ok := tree.Unparen(c.Args[0]).(*tree.String); ok {
			if _, ok := truncate(instant(kindTime, time.Unix(0, 0)), strings.ToLower(unit.Value)); ok {
				return column(c.Args[1], strings.ToLower(unit.Value))
			}
		}
	}
	return subject{}, false
}

func isDay(t types.Type) bool { return t.Base == "date" || t.Base == "timestamp" }

// keeps reports whether a cast changes no value.
func keeps(from, to types.Type) bool {
	switch {
	case from.Equal(to):
		return true
	case from.Base == "varchar" && to.Base == "varchar":
		return to.Precision < 0 || from.Precision >= 0 && from.Precision <= to.Precision
	case from.IsInteger() && to.Base == "bigint":
		return true
	case from.Base == "date" && to.Base == "timestamp":
		return true
	}
	return false
}

// domain returns the column's values where subject op v is true.
func (s subject) domain(op string, v value, known bool) Domain {
	if op == tree.OpDistinct && !known {
		return All()
	}
	exact := Domain{kind: v.kind}
	switch {
	case !known:
		return unknown(op)
	case s.unit == "year number":
		n := v.number
		if v.kind != kindNumber || !n.IsInt() || n.Cmp(bigInt(1)) < 0 || n.Cmp(bigInt(9998)) > 0 {
			return unknown(op)
		}
		year := time.Date(int(n.Num().Int64()), 1, 1, 0, 0, 0, 0, time.UTC)
		return bucketed(op, instant(kindTime, year), "year")
	case !exact.fits(s.typ):
		return unknown(op)
	case s.unit != "":
		return bucketed(op, v, s.unit)
	}
	return compared(op, v)
}

// unknown is what a comparison with a constant of unknown value leaves.
func unknown(op string) Domain {
	switch op {
	case tree.OpEq, tree.OpNotDistinct:
		return unknownBound(true, true)
	case tree.OpLt, tree.OpLe:
		return unknownBound(false, true)
	case tree.OpGt, tree.OpGe:
		return unknownBound(true, false)
	case tree.OpNe:
		return notNull()
	}
	return All()
}

func compared(op string, v value) Domain {
	switch op {
	case tree.OpEq, tree.OpNotDistinct:
		return point(v)
	case tree.OpNe:
		return except(v)
	case tree.OpDistinct:
		return except(v).union(onlyNull())
	case tree.OpLt:
		return between(lowest(), below(v))
	case tree.OpLe:
		return between(lowest(), above(v))
	case tree.OpGt:
		return between(above(v), highest())
	case tree.OpGe:
		return between(below(v), highest())
	}
	return All()
}

// bucketed compares a time that is cut to the beginning of its unit with v.
func bucketed(op string, v value, unit string) Domain {
	start, ok := truncate(v, unit)
	if !ok {
		return unknown(op)
	}
	next, ok := addUnit(start, unit, 1)
	if !ok {
		return unknown(op)
	}
	onEdge := start.compare(v) == 0
	ceiling := next
	if onEdge {
		ceiling = start
	}
	same := Nothing()
	if onEdge {
		same = between(below(start), below(next))
	}
	switch op {
	case tree.OpEq, tree.OpNotDistinct:
		return same
	case tree.OpNe, tree.OpDistinct:
		d := notNull()
		if onEdge {
			d = between(lowest(), below(start)).union(between(below(next), highest()))
		}
		d.null = op == tree.OpDistinct
		return d
	case tree.OpGe:
		return between(below(ceiling), highest())
	case tree.OpGt:
		return between(below(next), highest())
	case tree.OpLe:
		return between(lowest(), below(next))
	case tree.OpLt:
		return between(lowest(), below(ceiling))
	}
	return All()
}

func bigInt(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
