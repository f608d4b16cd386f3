package retrieval

import (
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// view is what an asker sees of the tables.
type view struct {
	visible  func(*catalog.Table) *catalog.Table
	meanings map[int][]Meaning // of the tables of whose meanings the asker sees less

	mu   sync.Mutex
	docs map[int]document // of the tables that the asker sees less of
}

// Sight is what somebody sees of a catalog.
type Sight struct {
	// Visible returns a table without what is hidden of it, or the table itself.
	Visible func(*catalog.Table) *catalog.Table
	// Permitted tells whether a table exists for the asker; nil: all do.
	Permitted func(*catalog.Table) bool
}

// Through returns the corpus for somebody who does not see all of it. Tables that
// are hidden as a whole are left out by keep of Candidates. Words that stand in
// hidden parts alone, such as stored values, and those for what is read from hidden
// parts find nothing and are no evidence, and hidden tables tell nothing about those
// that are seen but how rare a word is.
func (c *Corpus) Through(s Sight) *Corpus {
	seen := *c
	seen.view = &view{visible: s.Visible, docs: map[int]document{}, meanings: c.meaningsSeen(s)}
	if seen.Hides() {
		seen.spoken = seen.spokenWords()
	}
	return &seen
}

// Hides reports whether meanings are hidden from the asker.
func (c *Corpus) Hides() bool { return c.view != nil && len(c.view.meanings) > 0 }

// shown returns table n as the asker sees it.
func (c *Corpus) shown(n int) *catalog.Table {
	if c.view == nil {
		return c.tables[n]
	}
	return c.view.visible(c.tables[n])
}

// whole reports whether the asker sees all of table n.
func (c *Corpus) whole(n int) bool {
	if c.view == nil {
		return true
	}
	_, less := c.view.meanings[n]
	return !less && c.shown(n) == c.tables[n]
}

// document returns the words of a table of which only a part is shown.
func (v *view) document(c *Corpus, n int, shown *catalog.Table) document {
	v.mu.Lock()
	defer v.mu.Unlock()
	d, known := v.docs[n]
	if !known {
		d.postings = lexical.Postings(c.shownFields(n, shown), c.cfg.Lexical.MaxFieldTerms)
		name, alt := c.namesOf(n, shown)
		d.name, d.alt = c.wordsOf(name), c.wordsOf(alt)
		d.columns = c.columnsOf(shown)
		v.docs[n] = d
	}
	return d
}
