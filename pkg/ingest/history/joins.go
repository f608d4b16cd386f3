package history

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// maxTogether is of how many tables a query may be for its tables to belong
// together in pairs.
const maxTogether = 8

// shape is what the text of a query says of its joins.
type shape struct {
	pairs []pair
	read  bool // false: the text could not be read
}

// pair joins two tables on columns, in the order of the columns of from.
type pair struct {
	from, to       *catalog.Table
	columns, toCol []string
}

// join counts the joins of a query of several tables. Dashboards ask the same
// text again and again: it is read once.
func (r *reader) join(e *event, tables []used, day string) {
	if len(tables) < 2 {
		return
	}
	key := shapeKey(e)
	s, known := r.shapes[key]
	if !known {
		s = r.shapeOf(e)
		if len(r.shapes) >= r.options.MaxShapes {
			clear(r.shapes)
		}
		r.shapes[key] = s
	}
	if !s.read {
		r.report.Unread++
	}
	joined := make(map[[2]*catalog.Table]bool)
	for _, p := range s.pairs {
		joined[[2]*catalog.Table{p.from, p.to}] = true
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

// shapeKey tells texts apart, by what completes their names too.
func shapeKey(e *event) uint64 {
	var h xxhash.Digest
	h.Reset()
	for _, s := range []string{e.Context.Catalog, e.Context.Schema, e.Metadata.Query} {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		_, _ = h.Write(n[:]) // a hash takes everything
		_, _ = h.WriteString(s)
	}
	return h.Sum64()
}

// shapeOf reads the text of a query. What is wrong with it is not told: it ran.
func (r *reader) shapeOf(e *event) shape {
	statement, err := parser.Parse(e.Metadata.Query)
	if err != nil || statement.Query == nil {
		return shape{}
	}
	resolution, _ := resolve.Resolve(statement, resolve.Scope{Catalog: r.names, DefaultRegion: e.Context.Catalog, DefaultSchema: e.Context.Schema})
	if resolution == nil {
		return shape{}
	}
	s := shape{read: true}
	for _, j := range lineage.Of(resolution).Joins {
		s.pairs = append(s.pairs, r.pairsOf(j.Keys)...)
	}
	slices.SortStableFunc(s.pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.from.Name.Key(), b.from.Name.Key()), cmp.Compare(a.to.Name.Key(), b.to.Name.Key()),
			cmp.Compare(strings.Join(a.columns, ","), strings.Join(b.columns, ",")))
	})
	s.pairs = slices.CompactFunc(s.pairs, func(a, b pair) bool { // twice in one text is one use
		return a.from == b.from && a.to == b.to && slices.Equal(a.columns, b.columns) && slices.Equal(a.toCol, b.toCol)
	})
	return s
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
