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
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// shape is what the text of a query says, without any value in it.
type shape struct {
	read     bool // false: the text could not be read
	tables   []used
	reads    []catalog.Read // of all tables, in order of their names
	pairs    []pair
	template string // empty: none is kept
	named    []catalog.Word
	literals []string // in lower case; never stored
}

// shapeOf returns the shape of a query. Dashboards ask the same text again and again: it is
// read once.
func (r *reader) shapeOf(e *event) *shape {
	key := shapeKey(e)
	s, known := r.shapes[key]
	if !known {
		s = r.readShape(e)
		if len(r.shapes) >= r.options.MaxShapes {
			clear(r.shapes)
		}
		r.shapes[key] = s
	}
	return s
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

// readShape reads the text of a query. What is wrong with it is not told: it ran.
func (r *reader) readShape(e *event) *shape {
	statement, err := parser.Parse(e.Metadata.Query)
	if err != nil {
		return &shape{}
	}
	query := statement.Query
	if query == nil {
		return &shape{}
	}
	resolution, _ := resolve.Resolve(statement, resolve.Scope{Catalog: r.names, DefaultRegion: e.Context.Catalog, DefaultSchema: e.Context.Schema})
	if resolution == nil {
		return &shape{}
	}
	s := &shape{read: true, literals: literalsOf(query)}
	l := lineage.Of(resolution)
	for _, j := range l.Joins {
		s.pairs = append(s.pairs, r.pairsOf(j.Keys)...)
	}
	s.pairs = sortPairs(s.pairs)
	for _, name := range l.Tables {
		if t, ok := r.names.index.Lookup(name); ok {
			s.tables = append(s.tables, used{table: t})
		}
	}
	for _, u := range l.Uses {
		s.use(r.names, u)
	}
	for _, u := range s.tables {
		read := catalog.Read{Table: u.table.Name}
		for _, c := range u.columns {
			read.Columns = append(read.Columns, c.name)
		}
		slices.Sort(read.Columns)
		s.reads = append(s.reads, read)
	}
	slices.SortFunc(s.reads, func(a, b catalog.Read) int { return cmp.Compare(a.Table.Key(), b.Table.Key()) })
	// A text of which a table is not known here may speak of anything.
	if len(s.tables) > 0 && len(s.tables) == len(l.Tables) && len(unknownTables(resolution, query)) == 0 {
		s.template = r.templateOf(query, s)
		s.named = namesGiven(resolution, query, s)
	}
	return s
}

// use notes what a stored column was used for.
func (s *shape) use(n *names, u lineage.Use) {
	t, ok := n.index.Lookup(u.Column.Table)
	if !ok {
		return
	}
	for i := range s.tables {
		if s.tables[i].table != t {
			continue
		}
		s.tables[i].columns = append(s.tables[i].columns, usedColumn{
			name:   u.Column.Column,
			filter: slices.Contains(u.Roles, lineage.RoleFilter),
			group:  slices.Contains(u.Roles, lineage.RoleGroup),
		})
	}
}

// columnsOf returns the columns of a table that were read.
func (s *shape) columnsOf(t *catalog.Table) []usedColumn {
	for _, u := range s.tables {
		if u.table == t {
			return u.columns
		}
	}
	return nil
}

// column returns what a column of a table was used for.
func (s *shape) column(t *catalog.Table, name string) usedColumn {
	for _, c := range s.columnsOf(t) {
		if strings.EqualFold(c.name, name) {
			return c
		}
	}
	return usedColumn{name: name}
}

// unknownTables are the tables of a query that are none of the source.
func unknownTables(r *resolve.Resolution, q *tree.Query) []*tree.Table {
	var unknown []*tree.Table
	ctes := make(map[string]bool)
	tree.Walk(q, func(n tree.Node) bool {
		if c, ok := n.(*tree.CommonTable); ok {
			ctes[c.Name.Key()] = true
		}
		return true
	})
	tree.Walk(q, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok {
			if _, stored := r.Stored(t); !stored && !(len(t.Name.Parts) == 1 && ctes[t.Name.Parts[0].Key()]) {
				unknown = append(unknown, t)
			}
		}
		return true
	})
	return unknown
}
