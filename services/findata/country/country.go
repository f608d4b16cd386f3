// Package country recognises the countries that a question names and knows which
// tables cover them. A country is part of a table's name or a value of one of
// its columns; it is never derived from the data centre that keeps the table.
package country

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

//go:embed countries.yaml
var words []byte

// every is the group of the words for all countries.
const every = "*"

// Lexicon recognises countries. It may be used concurrently.
type Lexicon struct {
	names    *synonym.Dictionary
	analyzer *analysis.Analyzer
	cautious map[string]bool // codes that are words too
}

// Mention is a country in a text; Code is empty for "each country" and the like.
type Mention struct {
	Code       string
	Start, End int
}

type file struct {
	Countries []struct {
		Code string   `yaml:"code"`
		En   []string `yaml:"en"`
		Zh   []string `yaml:"zh"`
	} `yaml:"countries"`
	Every struct {
		En []string `yaml:"en"`
		Zh []string `yaml:"zh"`
	} `yaml:"every"`
	Cautious []string `yaml:"cautious"`
	Columns  []string `yaml:"columns"`
}

func read() (file, error) {
	var f file
	if err := yaml.Unmarshal(words, &f); err != nil {
		return f, fmt.Errorf("read the embedded countries: %w", err)
	}
	return f, nil
}

// NewLexicon returns the embedded lexicon.
func NewLexicon() (*Lexicon, error) {
	f, err := read()
	if err != nil {
		return nil, err
	}
	a, err := analysis.New()
	if err != nil {
		return nil, err
	}
	l := &Lexicon{analyzer: a, cautious: make(map[string]bool)}
	for _, code := range f.Cautious {
		l.cautious[code] = true
	}
	groups := []synonym.Group{{ID: every, Entries: append(f.Every.En, f.Every.Zh...)}}
	for _, c := range f.Countries {
		groups = append(groups, synonym.Group{ID: c.Code, Entries: append(c.En, c.Zh...)})
	}
	l.names = synonym.New(a, synonym.Weights{}, groups)
	return l, nil
}

// Find returns the countries that a text names and for which known answers true,
// and the words for all of them, in the text's order.
func (l *Lexicon) Find(text string, known func(code string) bool) []Mention {
	var found []Mention
	for _, m := range l.names.Matches(text) {
		switch {
		case m.Group.ID == every:
			found = append(found, Mention{Start: m.Start, End: m.End})
		case known(m.Group.ID):
			found = append(found, Mention{Code: m.Group.ID, Start: m.Start, End: m.End})
		}
	}
	leads := true // whether the word before lets a country follow
	for _, t := range l.analyzer.Tokens(text) {
		isCode := len(t.Surface) == 2 && t.Surface == strings.ToUpper(t.Surface) && known(t.Surface) && alone(text, t.Start, t.End)
		if isCode && (leads || !l.cautious[t.Surface]) {
			found = append(found, Mention{Code: t.Surface, Start: t.Start, End: t.End})
			continue
		}
		leads = t.Stop || t.Kind == analysis.Han
	}
	slices.SortStableFunc(found, func(a, b Mention) int { return a.Start - b.Start })
	return found
}

// alone reports whether a code is no part of an identifier: "SG" is one in "SG,"
// and not in "DWD_SG" or "sg.mp_order".
func alone(text string, start, end int) bool {
	const glue = "_.@{}"
	if start > 0 && strings.IndexByte(glue, text[start-1]) >= 0 {
		return false
	}
	// A full stop ends a sentence; with a letter after it, it is part of a name.
	if end+1 < len(text) && text[end] == '.' && text[end+1] != ' ' && text[end+1] != '\n' {
		return false
	}
	return end >= len(text) || strings.IndexByte("_@{}", text[end]) < 0
}

// Coverage knows which countries each table covers.
type Coverage struct {
	of      map[catalog.Name][]string
	known   map[string]bool
	codes   map[string]bool
	columns []string // names of columns for the country
	visible func(*catalog.Table) *catalog.Table
}

// CoverageOf reads it from the tables: from the country that the catalog gives,
// or from the sampled values of a column for the country.
func CoverageOf(tables []catalog.Table) *Coverage {
	c := &Coverage{of: make(map[catalog.Name][]string), known: make(map[string]bool), codes: make(map[string]bool)}
	f, err := read()
	if err != nil { // the file is embedded and NewLexicon has read it
		return c
	}
	for _, country := range f.Countries {
		c.codes[country.Code] = true
	}
	for i := range tables {
		if code := strings.ToUpper(tables[i].Country); code != "" {
			c.of[tables[i].Name] = []string{code}
			c.known[code] = true
		}
	}
	if len(c.known) == 0 {
		return c // not kept by country: a country in a question is a value like any other
	}
	c.columns = f.Columns
	for i := range tables {
		t := &tables[i]
		if t.Country != "" {
			continue
		}
		c.of[t.Name] = c.sampled(t)
		for _, code := range c.of[t.Name] {
			c.known[code] = true
		}
	}
	return c
}

// sampled are the countries among the sampled values of a table's column for them.
func (c *Coverage) sampled(t *catalog.Table) []string {
	var of []string
	for _, name := range c.columns {
		column, ok := t.Column(name)
		if !ok {
			continue
		}
		for _, v := range column.Samples {
			if v = strings.ToUpper(v); c.codes[v] {
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
	if c.visible != nil && t.Country == "" {
		if shown := c.visible(t); shown != t {
			return c.sampled(shown)
		}
	}
	return c.of[t.Name]
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
