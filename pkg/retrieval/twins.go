package retrieval

import (
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
)

// Twins tells near twins apart for one query and one asker. It must not be used
// concurrently.
type Twins struct {
	tables  []*catalog.Table
	number  map[*catalog.Table]int
	reading *facet.Reading
}

// Twins values tables by what a query says of facets. Tables that visible does not
// accept do not exist for the asker; nil: all do.
func (c *Corpus) Twins(q Query, visible func(*catalog.Table) bool) *Twins {
	var seen func(int) bool
	if visible != nil {
		seen = func(n int) bool { return visible(c.tables[n]) }
	}
	return &Twins{tables: c.tables, number: c.number, reading: c.facets.For(q.facets, seen)}
}

// Fit returns how well a table's facets fit the query; higher is better. Figures
// compare tables of one query.
func (t *Twins) Fit(table *catalog.Table) float64 {
	n, known := t.number[table]
	if !known {
		return 0
	}
	return t.reading.Fit(n)
}

// Best returns the near twin of a table whose facets fit best: the table itself where
// none fits better.
func (t *Twins) Best(table *catalog.Table) *catalog.Table {
	n, known := t.number[table]
	if !known || t.reading.IsBest(n) {
		return table
	}
	return t.tables[t.reading.BestOf(n)]
}

// Compare orders two tables of one family: negative where a fits better, or fits
// alike and is the newer shard.
func (t *Twins) Compare(a, b *catalog.Table) int {
	n, known := t.number[a]
	m, other := t.number[b]
	if !known || !other {
		return 0
	}
	return t.reading.Compare(n, m)
}

// Met returns the facets of a table that the query asks for.
func (t *Twins) Met(table *catalog.Table) []facet.Value {
	n, known := t.number[table]
	if !known {
		return nil
	}
	return t.reading.Met(n)
}
