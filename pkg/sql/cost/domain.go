package cost

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"
)

// kind is what the values of a domain are. Values of different kinds are never
// compared.
type kind int

const (
	kindNone    kind = iota // no values are named: All, Nothing, only NULL
	kindNumber              // exact numbers
	kindText                // strings, ordered by code points
	kindBoolean             // false before true, as the numbers 0 and 1
	kindTime                // dates and timestamps without zone, seconds since 1970
	kindInstant             // timestamps with zone, seconds since 1970 UTC
)

// value is a constant.
type value struct {
	kind   kind
	number *big.Rat // all but text
	text   string
}

func (v value) compare(w value) int {
	if v.kind == kindText {
		return cmp.Compare(v.text, w.text)
	}
	return v.number.Cmp(w.number)
}

// edge is the place between values where a range begins or ends: just below at, or
// just above it. Ordered edges make intersections and unions free of cases.
type edge struct {
	at       value
	after    bool // just above at; else just below
	infinite int  // -1 and +1: beyond all values
}

func (e edge) compare(f edge) int {
	if e.infinite != 0 || f.infinite != 0 {
		return cmp.Compare(e.infinite, f.infinite)
	}
	if c := e.at.compare(f.at); c != 0 {
		return c
	}
	side := func(after bool) int {
		if after {
			return 1
		}
		return 0
	}
	return cmp.Compare(side(e.after), side(f.after))
}

func below(v value) edge { return edge{at: v} }
func above(v value) edge { return edge{at: v, after: true} }
func lowest() edge       { return edge{infinite: -1} }
func highest() edge      { return edge{infinite: 1} }

// span holds the values from one edge to the next; never empty.
type span struct{ from, to edge }

// maxSpans bounds a domain; one with more of them is widened to its hull.
const maxSpans = 256

// Domain is a set of values of a column. The zero value is Nothing.
type Domain struct {
	kind  kind
	spans []span // disjoint, in order
	null  bool
	// low and high say that there is a bound whose value is not known before the
	// query runs, such as current_date without a clock.
	low, high bool
}

// All returns every value, and NULL.
func All() Domain { return Domain{spans: []span{{lowest(), highest()}}, null: true} }

// Nothing returns the empty set.
func Nothing() Domain { return Domain{} }

func notNull() Domain  { return Domain{spans: []span{{lowest(), highest()}}} }
func onlyNull() Domain { return Domain{null: true} }

func between(from, to edge) Domain {
	d := Domain{}
	if from.compare(to) < 0 {
		d.spans = []span{{from, to}}
	}
	for _, e := range []edge{from, to} {
		if e.infinite == 0 {
			d.kind = e.at.kind
		}
	}
	return d
}

func point(v value) Domain { return between(below(v), above(v)) }

// unknownBound is what is left by a comparison with a constant of unknown value.
func unknownBound(low, high bool) Domain {
	d := notNull()
	d.low, d.high = low, high
	return d
}

// IsAll reports whether nothing is excluded.
func (d Domain) IsAll() bool { return d.null && !d.low && !d.high && d.everyValue() }

// IsNothing reports whether no value and no NULL is left: nothing has to be read.
func (d Domain) IsNothing() bool { return !d.null && len(d.spans) == 0 }

// Null reports whether NULL is in the domain.
func (d Domain) Null() bool { return d.null }

func (d Domain) everyValue() bool {
	return len(d.spans) == 1 && d.spans[0].from.infinite < 0 && d.spans[0].to.infinite > 0
}

func (d Domain) lower() bool { return d.low || len(d.spans) == 0 || d.spans[0].from.infinite == 0 }

func (d Domain) upper() bool {
	return d.high || len(d.spans) == 0 || d.spans[len(d.spans)-1].to.infinite == 0
}

// Bounded reports whether the values have a lower or an upper bound; NULL alone
// and nothing at all are bounded too. c <> 1 is not.
func (d Domain) Bounded() bool { return d.lower() || d.upper() }

// intersect returns what is in both.
func (d Domain) intersect(e Domain) Domain {
	if d.kind != kindNone && e.kind != kindNone && d.kind != e.kind {
		return d // two kinds of one column cannot be: one of them says enough
	}
	out := Domain{kind: max(d.kind, e.kind), null: d.null && e.null, low: d.low || e.low, high: d.high || e.high}
	for i, j := 0, 0; i < len(d.spans) && j < len(e.spans); {
		a, b := d.spans[i], e.spans[j]
		from, to := a.from, a.to
		if b.from.compare(from) > 0 {
			from = b.from
		}
		if b.to.compare(to) < 0 {
			to = b.to
		}
		if from.compare(to) < 0 {
			out.spans = append(out.spans, span{from, to})
		}
		if a.to.compare(b.to) < 0 {
			i++
		} else {
			j++
		}
	}
	return out.bounded()
}

// union returns what is in one of them.
func (d Domain) union(e Domain) Domain {
	if d.IsNothing() {
		return e
	}
	if e.IsNothing() {
		return d
	}
	if d.kind != kindNone && e.kind != kindNone && d.kind != e.kind {
		return All()
	}
	out := Domain{kind: max(d.kind, e.kind), null: d.null || e.null}
	out.low = (d.low || e.low) && d.lower() && e.lower()
	out.high = (d.high || e.high) && d.upper() && e.upper()
	for i, j := 0, 0; i < len(d.spans) || j < len(e.spans); {
		var next span
		if j == len(e.spans) || i < len(d.spans) && d.spans[i].from.compare(e.spans[j].from) <= 0 {
			next = d.spans[i]
			i++
		} else {
			next = e.spans[j]
			j++
		}
		out.append(next)
	}
	return out.bounded()
}

// append adds a span that begins at or after the last one.
func (d *Domain) append(s span) {
	if n := len(d.spans); n > 0 && s.from.compare(d.spans[n-1].to) <= 0 {
		if s.to.compare(d.spans[n-1].to) > 0 {
			d.spans[n-1].to = s.to
		}
		return
	}
	d.spans = append(d.spans, s)
}

// bounded returns the domain, widened to its hull where it has too many spans.
func (d Domain) bounded() Domain {
	if n := len(d.spans); n > maxSpans {
		d.spans = []span{{d.spans[0].from, d.spans[n-1].to}}
	}
	return d
}

// pointsOf returns the set of values of one kind.
func pointsOf(values []value) Domain {
	slices.SortFunc(values, value.compare)
	d := Domain{}
	for _, v := range values {
		d.kind = v.kind
		d.append(span{below(v), above(v)})
	}
	return d
}

// others returns the values, NULL never, that are not among those of pointsOf.
func (d Domain) others() Domain {
	out, from := Domain{kind: d.kind}, lowest()
	for _, s := range d.spans {
		out.append(span{from, s.from})
		from = s.to
	}
	out.append(span{from, highest()})
	return out
}

// withoutNull returns the values alone.
func (d Domain) withoutNull() Domain {
	d.null = false
	return d
}

// except returns the values, NULL never, that are not v.
func except(v value) Domain {
	d := between(lowest(), below(v))
	d.spans = append(d.spans, span{above(v), highest()})
	return d
}

// Contains reports whether a stored value, as the catalog's text of it ("10",
// "2024-01-31", "2024-01-31 10:00:00", "SG"), can be needed. What cannot be
// compared can be needed.
func (d Domain) Contains(stored string) bool {
	if d.kind == kindNone {
		return len(d.spans) > 0
	}
	v, ok := readValue(d.kind, stored)
	if !ok {
		return true
	}
	for _, s := range d.spans {
		if s.from.compare(below(v)) <= 0 && s.to.compare(above(v)) >= 0 {
			return true
		}
	}
	return false
}

// Days returns how many days the domain holds; ok is false where it has no end, or
// holds no days. NULL is not counted.
func (d Domain) Days() (n int64, ok bool) {
	if d.kind != kindTime || !d.lower() || !d.upper() || d.low || d.high {
		return 0, false
	}
	for _, s := range d.spans {
		n += s.days()
	}
	return n, true
}

// Points returns how many single values the domain holds; ok is false where one of
// its spans is wider.
func (d Domain) Points() (n int64, ok bool) {
	for _, s := range d.spans {
		if !s.isPoint() {
			return 0, false
		}
	}
	return int64(len(d.spans)), !d.low && !d.high
}

func (s span) isPoint() bool {
	return s.from.infinite == 0 && s.to.infinite == 0 && s.from.at.compare(s.to.at) == 0
}

// days counts the midnights of a span.
func (s span) days() int64 {
	first, exact := dayOf(s.from.at)
	if !exact || s.from.after {
		first++
	}
	last, exact := dayOf(s.to.at)
	if exact && !s.to.after {
		last--
	}
	return max(last-first+1, 0)
}

// dayOf returns the day of a time value, and whether it is the day's midnight.
func dayOf(v value) (day int64, exact bool) {
	q := new(big.Rat).Quo(v.number, big.NewRat(86_400, 1))
	floor := new(big.Int).Div(q.Num(), q.Denom()) // Euclidean: downwards, as the divisor is positive
	return floor.Int64(), q.IsInt()
}

// String writes the domain for people: "= 'SG'", ">= 2024-01-01 and < 2024-02-01",
// "one of 1, 2", "NULL".
func (d Domain) String() string {
	if d.IsAll() {
		return "everything"
	}
	var parts []string
	switch n, points := d.Points(); {
	case points && n == 1:
		parts = append(parts, "= "+d.spans[0].from.at.String())
	case points && n > 1:
		var values []string
		for _, s := range d.spans[:min(len(d.spans), maxListed)] {
			values = append(values, s.from.at.String())
		}
		if len(d.spans) > maxListed {
			values = append(values, "…")
		}
		parts = append(parts, "one of "+strings.Join(values, ", "))
	default:
		for _, s := range d.spans[:min(len(d.spans), maxListed)] {
			parts = append(parts, s.String())
		}
		if len(d.spans) > maxListed {
			parts = append(parts, "…")
		}
	}
	if d.low || d.high {
		parts = []string{"bounded by a value known when it runs"}
	}
	if d.null {
		parts = append(parts, "NULL")
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " or ")
}

// maxListed bounds how many values or spans are written for people.
const maxListed = 8

func (s span) String() string {
	if s.isPoint() {
		return "= " + s.from.at.String()
	}
	if s.from.infinite != 0 && s.to.infinite != 0 {
		return "not NULL"
	}
	var parts []string
	if s.from.infinite == 0 {
		op := ">= "
		if s.from.after {
			op = "> "
		}
		parts = append(parts, op+s.from.at.String())
	}
	if s.to.infinite == 0 {
		op := "< "
		if s.to.after {
			op = "<= "
		}
		parts = append(parts, op+s.to.at.String())
	}
	return strings.Join(parts, " and ")
}

// String writes the constant as a SQL reader knows it.
func (v value) String() string {
	switch v.kind {
	case kindText:
		return "'" + strings.ReplaceAll(v.text, "'", "''") + "'"
	case kindBoolean:
		if v.number.Sign() == 0 {
			return "false"
		}
		return "true"
	case kindTime, kindInstant:
		t := v.time()
		if t.Truncate(24 * time.Hour).Equal(t) {
			return t.Format(time.DateOnly)
		}
		return t.Format("2006-01-02 15:04:05.999999999")
	}
	if v.number.IsInt() {
		return v.number.Num().String()
	}
	text, _ := v.number.FloatPrec()
	return v.number.FloatString(text)
}

// time returns a time value, cut to nanoseconds.
func (v value) time() time.Time {
	nanos := new(big.Rat).Mul(v.number, big.NewRat(1_000_000_000, 1))
	whole := new(big.Int).Div(nanos.Num(), nanos.Denom())
	seconds, rest := new(big.Int).DivMod(whole, big.NewInt(1_000_000_000), new(big.Int))
	return time.Unix(seconds.Int64(), rest.Int64()).UTC()
}
