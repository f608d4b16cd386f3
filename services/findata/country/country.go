// Package country knows which countries a question names and which tables cover
// them. A country is part of a table's name or a value of one of its columns; it
// is never derived from the data centre that keeps the table.
package country

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/mark"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
)

// columns say which country a row belongs to, the most usual name first.
var columns = [...]string{"grass_region", "country", "country_code", "region", "market", "cid", "tz_country"}

// Lexicon recognises countries. It may be used concurrently.
type Lexicon struct {
	reader *facet.Reader
}

// Mention is a country in a text; Code is empty for "each country" and the like.
type Mention struct {
	Code       string
	Start, End int
	City       bool // it is told by a city
}

// NewLexicon returns the lexicon of package facet.
func NewLexicon() (*Lexicon, error) {
	r, err := facet.NewReader()
	if err != nil {
		return nil, err
	}
	return &Lexicon{reader: r}, nil
}

// Find returns the countries that a text asks for and for which known answers
// true (nil: all), and the words for all of them, in the text's order.
func (l *Lexicon) Find(text string, known func(code string) bool) []Mention {
	var found []Mention
	for _, m := range l.reader.Countries(text, known) {
		if m.Not {
			continue
		}
		code := m.Value
		if code == facet.EveryCountry {
			code = ""
		}
		found = append(found, Mention{Code: code, Start: m.Start, End: m.End, City: m.IsCity()})
	}
	return found
}

// Coverage knows which countries each table covers.
type Coverage struct {
	index   *catalog.Index
	of      map[*catalog.Table][]string // by the index's own tables: names are long to hash
	byValue map[*catalog.Table]bool     // told by values, which not everybody may see
	known   map[string]bool
	visible func(*catalog.Table) *catalog.Table
}

// CoverageOf reads it from the tables of a catalog: from the country that the
// catalog gives or that the table's name tells, else from the sampled values of a
// column for the country.
func CoverageOf(index *catalog.Index) *Coverage {
	c := &Coverage{index: index, of: make(map[*catalog.Table][]string), byValue: make(map[*catalog.Table]bool), known: make(map[string]bool)}
	tables := index.All().Tables()
	for _, t := range tables {
		if code := index.Marks(t).Of(mark.Country); code != "" {
			c.of[t] = []string{code}
			c.known[code] = true
		}
	}
	if len(c.known) == 0 {
		return c // not kept by country: a country in a question is a value like any other
	}
	for _, t := range tables {
		if c.of[t] != nil {
			continue
		}
		of := sampled(t)
		c.of[t], c.byValue[t] = of, of != nil
		for _, code := range of {
			c.known[code] = true
		}
	}
	return c
}

// sampled are the countries among the sampled values of a table's column for them.
func sampled(t *catalog.Table) []string {
	var of []string
	for _, name := range columns {
		column, ok := t.Column(name)
		if !ok {
			continue
		}
		for _, v := range column.Samples {
			if v = strings.ToUpper(v); facet.IsCountry(v) {
				of = append(of, v)
			}
		}
		break
	}
	return of
}

// Through returns the coverage for somebody who sees less of some tables: visible
// returns a table without what is hidden, or the table itself.
func (c *Coverage) Through(visible func(*catalog.Table) *catalog.Table) *Coverage {
	seen := *c
	seen.visible = visible
	return &seen
}

// Knows reports whether any table is kept for a country.
func (c *Coverage) Knows(code string) bool { return c.known[code] }

// Of returns the countries of a table; none means that it is not told.
func (c *Coverage) Of(t *catalog.Table) []string {
	own := t
	of, found := c.of[t]
	if !found && len(c.of) > 0 { // a copy without what is hidden
		if own, found = c.index.Lookup(t.Name); !found {
			return nil
		}
		of = c.of[own]
	}
	if c.visible != nil && c.byValue[own] {
		if shown := c.visible(t); shown != t {
			return sampled(shown)
		}
	}
	return of
}

// Covers reports whether a table has data of a country. A table that does not
// tell its countries is taken to have it.
func (c *Coverage) Covers(t *catalog.Table, code string) bool {
	of := c.Of(t)
	return len(of) == 0 || slices.Contains(of, code)
}

// CoversAll reports whether a table tells that it has every country that the
// source is kept by.
func (c *Coverage) CoversAll(t *catalog.Table) bool {
	return len(c.known) > 1 && len(c.Of(t)) == len(c.known)
}

// Any reports whether any table is kept by country.
func (c *Coverage) Any() bool { return len(c.known) > 0 }
