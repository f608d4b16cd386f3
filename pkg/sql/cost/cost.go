// Package cost tells before a query runs what it will read: for each read of a
// stored table the values of each column that its predicates leave, and from
// these and the catalog's statistics the rows and bytes.
//
// A Domain is a proof, not a guess: a row of the table whose value lies outside
// of it cannot change the query's result. Only predicates that engines use to skip
// partitions are looked at (comparisons of a column, of its cast to a wider or
// coarser type, of year() and date_trunc() with constants), because a predicate
// that is true but read row by row saves nothing. Trino's EXPLAIN (TYPE IO) is the
// model for what counts.
package cost

import (
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Options of an analysis.
type Options struct {
	// Now is the moment that current_date and now() stand for. With the zero time
	// they are bounds of unknown value: a predicate on them still restricts.
	Now time.Time
}

// Read is one place of a statement where a stored table is read. A table in a WITH
// query that is used several times is one Read that serves all uses.
type Read struct {
	Node    *tree.Table
	Table   *catalog.Table
	domains map[string]Domain // by lower-case column name
}

// Domain returns the values of a column, compared without case, that the read can
// need; All for a column without a predicate.
func (r Read) Domain(column string) Domain {
	if d, ok := r.domains[strings.ToLower(column)]; ok {
		return d
	}
	return All()
}

// Restricted reports whether predicates bound the values of a column: to some
// values, or from below or above.
func (r Read) Restricted(column string) bool { return r.Domain(column).Bounded() }

// Reads returns the reads of a resolved statement, in order of the text. The
// resolution has to be one without mistakes.
func Reads(r *resolve.Resolution, options Options) []Read {
	a := &analysis{resolution: r, now: options.Now, reads: map[*tree.Table]map[string]Domain{}}
	if q := r.Statement().Query; q != nil {
		a.query(q, nil, nil)
	}
	var out []Read
	tree.Walk(r.Statement(), func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok {
			if stored, ok := r.Stored(t); ok {
				out = append(out, Read{Node: t, Table: stored, domains: a.reads[t]})
			}
		}
		return true
	})
	return out
}

// fits reports whether a domain of values speaks of a stored column's type as it
// stands. Texts of char are padded and floating-point numbers are rounded when
// compared, so nothing is said of them.
func (d Domain) fits(t types.Type) bool {
	switch d.kind {
	case kindNone:
		return true
	case kindNumber:
		return t.IsInteger() || t.IsDecimal()
	case kindText:
		return t.Base == "varchar"
	case kindBoolean:
		return t.Base == "boolean"
	case kindTime:
		return t.Base == "date" || t.Base == "timestamp"
	case kindInstant:
		return t.Base == "timestamp with time zone"
	}
	return false
}
