package history

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// maxTogether is of how many tables a query may be for its tables to belong
// together in pairs.
const maxTogether = 8

// pair joins two tables on columns, in the order of the columns of from.
type pair struct {
	from, to       *catalog.Table
	columns, toCol []string
}

// join counts the joins of a query of several tables.
func (r *reader) join(s *shape, tables []used, day string) {
	if len(tables) < 2 {
		return
	}
	for _, p := range s.pairs {
		r.countsOf(p.from).join(p.to.Name, p.columns, p.toCol, day)
		r.countsOf(p.to).join(p.from.Name, p.toCol, p.columns, day)
	}
	if s.read && len(s.pairs) > 0 || len(tables) > maxTogether {
		return
	}
	// How they belong together is not known, but that they do.
	for i, a := range tables {
		for _, b := range tables[i+1:] {
			r.countsOf(a.table).join(b.table.Name, nil, nil, day)
			r.countsOf(b.table).join(a.table.Name, nil, nil, day)
		}
	}
}

// sortPairs brings the joins of a text into an order; twice in one text is one use.
func sortPairs(pairs []pair) []pair {
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.from.Name.Key(), b.from.Name.Key()), cmp.Compare(a.to.Name.Key(), b.to.Name.Key()),
			cmp.Compare(strings.Join(a.columns, ","), strings.Join(b.columns, ",")))
	})
	return slices.CompactFunc(pairs, func(a, b pair) bool {
		return a.from == b.from && a.to == b.to && slices.Equal(a.columns, b.columns) && slices.Equal(a.toCol, b.toCol)
	})
}

// pairsOf gathers the equal columns of a join by the two tables that they are of.
func (r *reader) pairsOf(keys [][2]resolve.Origin) []pair {
	var pairs []pair
	for _, key := range keys {
		a, b := key[0], key[1]
		if cmp.Or(cmp.Compare(a.Table.Key(), b.Table.Key()), cmp.Compare(a.Column, b.Column)) > 0 {
			a, b = b, a
		}
		from, known := r.names.index.Lookup(a.Table)
		to, alsoKnown := r.names.index.Lookup(b.Table)
		if !known || !alsoKnown || from == to {
			continue
		}
		i := slices.IndexFunc(pairs, func(p pair) bool { return p.from == from && p.to == to })
		if i < 0 {
			i = len(pairs)
			pairs = append(pairs, pair{from: from, to: to})
		}
		pairs[i].add(a.Column, b.Column)
	}
	return pairs
}

// add keeps the columns in order, so that equal joins are equal however written.
func (p *pair) add(column, toCol string) {
	i := 0
	for i < len(p.columns) && (p.columns[i] < column || p.columns[i] == column && p.toCol[i] < toCol) {
		i++
	}
	if i < len(p.columns) && p.columns[i] == column && p.toCol[i] == toCol {
		return
	}
	p.columns, p.toCol = slices.Insert(p.columns, i, column), slices.Insert(p.toCol, i, toCol)
}
